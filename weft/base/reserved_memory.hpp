// Address space for an array whose final size is not known: pages take memory when they are first touched.
#pragma once

#include <cstdint>
#include <span>

namespace weft {

class reserved_memory {
public:
  // At least `bytes` of zeros, on large pages where the system has them. Throws bad_alloc.
  explicit reserved_memory(std::uint64_t bytes);
  ~reserved_memory();
  reserved_memory(const reserved_memory&) = delete;
  reserved_memory& operator=(const reserved_memory&) = delete;

  // Gives the pages behind the first `used` bytes back to the system: they hold zeros again.
  void release_behind(std::uint64_t used) noexcept;
  [[nodiscard]] char* data() const noexcept { return data_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

private:
  char* data_;
  std::uint64_t size_;
};

} // namespace weft
