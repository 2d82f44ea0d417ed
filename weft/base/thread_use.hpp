// How many threads worked at once, for reports about a run.
//
//   weft::peak_threads();                           // == 1, before the first team
#pragma once

namespace weft {

// Records that a team of `count` threads is at work. Thread-safe.
void note_threads(int count) noexcept;

// Returns the largest team of threads that this process has had at work so far, at least 1 (the caller's
// own).
[[nodiscard]] int peak_threads() noexcept;

} // namespace weft
