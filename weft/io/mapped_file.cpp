#include <weft/io/mapped_file.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <weft/base/error.hpp>

namespace weft::io {

namespace {

// The mapped files, in fixed slots that a signal handler can read. While `begin` is not 0, `end` and `path`
// are valid.
struct mapped_slot {
  std::atomic<bool> taken{false};
  std::atomic<std::uintptr_t> begin{0};
  std::uintptr_t end = 0;
  std::array<char, PATH_MAX> path{};
};
std::array<mapped_slot, 16> mapped_slots;

void register_mapping(const std::string& path, const void* start, std::uint64_t size) {
  for (mapped_slot& slot : mapped_slots) {
    if (slot.taken.exchange(true)) continue;
    const std::size_t length = std::min(path.size(), slot.path.size() - 1);
    std::memcpy(slot.path.data(), path.data(), length);
    slot.path[length] = '\0';
    slot.end = reinterpret_cast<std::uintptr_t>(start) + size;
    slot.begin = reinterpret_cast<std::uintptr_t>(start);
    return;
  }
}

void unregister_mapping(const void* start) {
  for (mapped_slot& slot : mapped_slots)
    if (slot.begin == reinterpret_cast<std::uintptr_t>(start)) {
      slot.begin = 0;
      slot.taken = false;
    }
}

} // namespace

const char* mapped_path(const void* address) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  for (const mapped_slot& slot : mapped_slots)
    if (const std::uintptr_t begin = slot.begin; begin != 0 && begin <= at && at < slot.end)
      return slot.path.data();
  return nullptr;
}

mapped_file map_file(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw io_error("open", path, errno);
  struct stat status {};
  const bool known = ::fstat(descriptor, &status) == 0;
  if (!known || !S_ISREG(status.st_mode)) {
    ::close(descriptor);
    throw io_error("cannot map '" + path + "': it is not a regular file");
  }
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size == 0) {
    ::close(descriptor);
    return {};
  }
  void* start = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0);
  const int failure = errno;
  ::close(descriptor);
  if (start == MAP_FAILED) throw io_error("map", path, failure);
  ::madvise(start, size, MADV_WILLNEED);
  register_mapping(path, start, size);
  const auto unmap = [size](const void* p) {
    unregister_mapping(p);
    ::munmap(const_cast<void*>(p), size);
  };
  return {std::shared_ptr<const void>(start, unmap), {static_cast<const char*>(start), size}};
}

} // namespace weft::io
