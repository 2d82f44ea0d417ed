#include <weft/io/output_file.hpp>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace weft::io {

namespace {

constexpr std::size_t buffer_limit = std::size_t{1} << 18;

// Names of the temporary files in being, where a signal handler can read them: fixed places, published by a
// flag.
struct temporary_slot {
  std::atomic<int> state{0}; // 0 free, 1 being written, 2 valid
  std::array<char, PATH_MAX> name{};
};
std::array<temporary_slot, 16> temporary_slots;

int register_temporary(const std::string& name) {
  if (name.size() >= PATH_MAX) return -1;
  for (std::size_t i = 0; i < temporary_slots.size(); ++i) {
    int expected = 0;
    if (!temporary_slots[i].state.compare_exchange_strong(expected, 1)) continue;
    std::memcpy(temporary_slots[i].name.data(), name.c_str(), name.size() + 1);
    temporary_slots[i].state.store(2);
    return static_cast<int>(i);
  }
  return -1;
}

void forget_temporary(int& slot) {
  if (slot >= 0) temporary_slots[static_cast<std::size_t>(slot)].state.store(0);
  slot = -1;
}

mode_t current_umask() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return mask;
}

} // namespace

void remove_temporaries() noexcept {
  for (temporary_slot& slot : temporary_slots)
    if (slot.state.load() == 2) ::unlink(slot.name.data());
}

output_file::output_file(std::string path) : path_(std::move(path)) {
  buffer_.reserve(buffer_limit);
  if (path_ == "-") path_.clear();
  if (path_.empty()) {
    descriptor_ = STDOUT_FILENO;
    return;
  }
  struct stat status {};
  const bool exists = ::stat(path_.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) throw io_error("write", path_, errno);
    return;
  }
  if (exists && ::access(path_.c_str(), W_OK) != 0) throw io_error("write", path_, errno);
  if (exists) { // a symbolic link stays, the file that it names is replaced
    if (char* real = ::realpath(path_.c_str(), nullptr)) {
      path_ = real;
      std::free(real);
    }
  }
  temporary_ = path_ + ".XXXXXX";
  descriptor_ = ::mkostemp(temporary_.data(), O_CLOEXEC);
  if (descriptor_ < 0) {
    temporary_.clear();
    throw io_error("write", path_, errno);
  }
  slot_ = register_temporary(temporary_);
  (void)::fchmod(descriptor_, exists ? status.st_mode & 07777 : 0666 & ~current_umask());
}

output_file::~output_file() {
  if (is_stdout()) return;
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  forget_temporary(slot_);
}

void output_file::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > buffer_limit) flush();
  if (bytes.size() >= buffer_limit)
    write_through(bytes);
  else
    buffer_.append(bytes);
}

void output_file::flush() {
  write_through(buffer_);
  buffer_.clear();
}

void output_file::write_through(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(descriptor_, bytes.data(), bytes.size());
    if (done < 0) {
      if (errno == EINTR) continue;
      if (errno == EPIPE) throw broken_pipe();
      throw io_error("write", is_stdout() ? "<stdout>" : path_, errno);
    }
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
}

void output_file::commit() {
  flush();
  if (is_stdout()) return;
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (::close(descriptor) != 0) throw io_error("write", path_, errno);
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) throw io_error("write", path_, errno);
  temporary_.clear();
  forget_temporary(slot_);
}

} // namespace weft::io
