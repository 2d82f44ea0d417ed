#include <weft/base/reserved_memory.hpp>

#include <algorithm>
#include <new>
#include <sys/mman.h>
#include <weft/base/memory.hpp>

namespace weft {

reserved_memory::reserved_memory(std::uint64_t bytes) : size_(std::max<std::uint64_t>(bytes, 1)) {
  void* start =
      ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<char*>(start);
  prefer_large_pages(start, size_);
}

void reserved_memory::release_behind(std::uint64_t used) noexcept {
  constexpr std::uint64_t page = 1 << 12;
  const std::uint64_t from = (used + page - 1) / page * page;
  if (from < size_) (void)::madvise(data_ + from, size_ - from, MADV_DONTNEED);
}

reserved_memory::~reserved_memory() { ::munmap(data_, size_); }

} // namespace weft
