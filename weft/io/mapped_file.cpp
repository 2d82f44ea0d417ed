#include <weft/io/mapped_file.hpp>

#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <weft/base/error.hpp>

namespace weft::io {

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
  return {std::shared_ptr<const void>(start, [size](const void* p) { ::munmap(const_cast<void*>(p), size); }),
          {static_cast<const char*>(start), size}};
}

} // namespace weft::io
