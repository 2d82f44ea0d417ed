// Records how many threads worked at the same time, for reports about a run.
//
//   weft::peak_threads();                           // == 1, before the first team
#pragma once

namespace weft {

// Records that a team of `count` threads is at work. Thread-safe.
void note_threads(int count) noexcept;

// Returns the size of the largest team of threads that has been at work in this process, at least 1 (the
// calling thread).
[[nodiscard]] int peak_threads() noexcept;

} // namespace weft
