// Sizes of memory: parsing, printing, what the machine has, and what this process has used; and memory that
// grows in place.
//
//   weft::parse_size("1.5G");                       // == 1610612736
//   weft::format_size(1610612736);                  // == "1.5 GiB"
//   weft::memory_left(4096, 1024);                  // == 3072
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weft {

// Returns the number of bytes that a text such as "4096", "64K", "1.5G" or "2GiB" stands for. The suffixes K,
// M, G and T are powers of 1024, with or without B or iB, in any case. Throws error(invalid_input) for
// anything else, for zero, and on overflow.
[[nodiscard]] std::uint64_t parse_size(std::string_view text);

// Returns a size for people: "512 B", "1.5 GiB".
[[nodiscard]] std::string format_size(std::uint64_t bytes);

// Returns the bytes of memory that this process could use now without swapping, within the cgroup's limit; 0
// if unknown.
[[nodiscard]] std::uint64_t available_memory() noexcept;

// Returns the largest resident size in bytes that this process has had.
[[nodiscard]] std::uint64_t peak_memory() noexcept;

// Asks the system to use large pages for the pages of memory[0, bytes) that have not been touched yet, so
// that there are a hundred times fewer page faults. Does nothing if `bytes` is less than a large page (2 MiB)
// or the system has no large pages.
void prefer_large_pages(void* memory, std::uint64_t bytes) noexcept;

// Asks the system to provide the whole pages within memory[0, bytes) now, instead of one by one when each is
// first touched. Keeps what the memory holds; other threads may use it meanwhile. Does nothing on systems
// that cannot do it (Linux before 5.14) or that lack the memory.
void populate(void* memory, std::uint64_t bytes) noexcept;

// Returns the limit that the user asked for or, if `requested` is 0, 80 % of available_memory() (1 GiB if
// that is unknown).
[[nodiscard]] std::uint64_t memory_limit(std::uint64_t requested) noexcept;

// Returns how much of the limit `requested` is left for a call, beside `held` bytes that are already in use
// under the same limit. The result is at least 1, because 0 would mean that no limit was requested. Returns 0
// if `requested` is 0.
[[nodiscard]] std::uint64_t memory_left(std::uint64_t requested, std::uint64_t held) noexcept;

// Grows the capacity of `text` to at least `needed` bytes. Doubles the capacity if old and new memory then
// fit in `limit` bytes (0: no limit), so that appending one byte after another takes O(1) time each;
// otherwise grows to `limit` at once. The memory touched while the text moves (its old and its new bytes)
// stays within `limit` as long as the text itself does.
void reserve_within(std::string& text, std::uint64_t needed, std::uint64_t limit);

// Address space for an array whose final size is unknown: a page takes memory only when it is first touched.
// The object owns a private anonymous mapping.
class reserved_memory {
public:
  // Reserves at least `bytes` bytes, which read as zeros, on large pages if the system has them. Throws
  // bad_alloc.
  explicit reserved_memory(std::uint64_t bytes);
  ~reserved_memory();
  reserved_memory(const reserved_memory&) = delete;
  reserved_memory& operator=(const reserved_memory&) = delete;

  // Gives the pages after the first `used` bytes back to the system; they read as zeros again.
  void release_behind(std::uint64_t used) noexcept;
  [[nodiscard]] char* data() const noexcept { return data_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

private:
  char* data_;
  std::uint64_t size_;
};

} // namespace weft

namespace weft::base_detail {

// Returns `bytes` > 0 bytes of memory of whole pages, which read as zeros. Throws bad_alloc.
[[nodiscard]] void* map_memory(std::uint64_t bytes);

// Gives memory of map_memory(bytes) back to the system.
void unmap_memory(void* memory, std::uint64_t bytes) noexcept;

// Throws memory_error, with both numbers, if `what` needs more bytes of device memory than `allowed`.
void require_device_memory(std::uint64_t bytes, std::uint64_t allowed, std::string_view what);

} // namespace weft::base_detail
