// Address space for an array whose final size is unknown: a page takes memory only when it is first touched.
#pragma once

#include <cstdint>
#include <span>

namespace weft {

// A private anonymous mapping, unmapped by the destructor.
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
