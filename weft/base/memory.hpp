// Memory sizes: reading them from text, printing them, what the machine has, what this process used.
//
//   weft::parse_size("1.5G");                       // == 1610612736
//   weft::format_size(1610612736);                  // == "1.5 GiB"
//   weft::memory_left(4096, 1024);                  // == 3072
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weft {

// "4096", "64K", "1.5G", "2GiB": bytes; suffixes K M G T are powers of 1024, with or without B or iB, any
// case. Throws error(invalid_input) on anything else, on zero and on overflow.
[[nodiscard]] std::uint64_t parse_size(std::string_view text);

// "512 B", "1.5 GiB".
[[nodiscard]] std::string format_size(std::uint64_t bytes);

// Memory that could be used now without swapping (the cgroup's limit included); 0 if unknown.
[[nodiscard]] std::uint64_t available_memory() noexcept;

// Largest resident size of this process so far.
[[nodiscard]] std::uint64_t peak_memory() noexcept;

// Asks for large pages where memory[0 .. bytes-1] has not been touched yet: a hundred times fewer faults
// where the system has them and the memory is as large as one, else nothing.
void prefer_large_pages(void* memory, std::uint64_t bytes) noexcept;

// Has the system provide the whole pages in memory[0 .. bytes-1] now, and not one by one as they are first
// touched. What is there stays, and may be used meanwhile. Where the system cannot, nothing happens (Linux
// before 5.14; a lack of memory).
void populate(void* memory, std::uint64_t bytes) noexcept;

// A limit asked for by the user, or (0) 80 % of available_memory().
[[nodiscard]] std::uint64_t memory_limit(std::uint64_t requested) noexcept;

// What is left of memory_limit(requested) for a call's options beside `held` bytes that were asked for by the
// same limit; at least 1 (0 would mean no request). Without a request: 0.
[[nodiscard]] std::uint64_t memory_left(std::uint64_t requested, std::uint64_t held) noexcept;

// Grows the capacity of `text` to at least `needed` bytes: doubled where that costs no more than `limit` (0:
// no limit), else to `limit` at once. So appending one byte after another is O(1) each, and what is touched
// while the text moves, its old and its new place, stays within `limit` as long as the text does.
void reserve_within(std::string& text, std::uint64_t needed, std::uint64_t limit);

} // namespace weft
