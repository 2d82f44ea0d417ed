#include <weft/io/output_file.hpp>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace weft::io {

namespace {

constexpr std::size_t buffer_limit = std::size_t{1} << 18;

// The names of the existing temporary files, in fixed slots that a signal handler can read. `state` says
// whether the name of a slot is valid.
struct temporary_slot {
  std::atomic<int> state{0}; // 0: free, 1: the name is being written, 2: the name is valid
  std::array<char, PATH_MAX> name{};
};
std::array<temporary_slot, 64> temporary_slots;

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

void unregister_temporary(int& slot) {
  if (slot >= 0) temporary_slots[static_cast<std::size_t>(slot)].state.store(0);
  slot = -1;
}

// Returns the open descriptor that a path such as /dev/stdout or /dev/fd/3 names, or -1. Opening such a path
// again would write to the file behind it from its beginning.
int named_descriptor(std::string_view path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    int number = -1;
    const std::string_view digits = path.substr(folder.size());
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (fault == std::errc() && end == digits.data() + digits.size()) return number;
  }
  return -1;
}

// Creates a new file in the folder of `path`, with permissions `mode` less the umask, and returns its
// descriptor, or -1. Sets `name` to the file's name and `slot` to its slot. The name is short and independent
// of `path`, because the name of `path` may already be as long as names may be. The name is registered before
// open(), because a signal may come before open() has returned.
int create_temporary(const std::string& path, mode_t mode, std::string& name, int& slot) {
  static std::atomic<unsigned> counter{0};
  const std::string folder = path.substr(0, path.rfind('/') + 1); // empty if there is no '/': npos + 1 is 0
  for (;;) {
    name = folder + ".weft-" + std::to_string(::getpid()) + "-" + std::to_string(counter++) + ".tmp";
    slot = register_temporary(name);
    const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor >= 0) {
      (void)::flock(descriptor, LOCK_EX | LOCK_NB); // see remove_abandoned_temporaries()
      struct stat status {};
      if (::fstat(descriptor, &status) != 0 || status.st_nlink > 0) return descriptor;
      ::close(descriptor); // it was taken for abandoned before it was locked
    }
    unregister_temporary(slot);
    if (descriptor < 0 && errno != EEXIST && errno != EINTR) return -1;
  }
}

// Follows symbolic links to a path that is no link, where a file may exist or not.
std::string follow_links(const std::string& path) {
  constexpr int max_hops = 40; // as many as the operating system follows
  std::error_code ignored;
  std::filesystem::path end = path;
  for (int hops = 0; std::filesystem::is_symlink(end, ignored); ++hops) {
    std::error_code fault;
    const std::filesystem::path target = std::filesystem::read_symlink(end, fault);
    if (fault || hops == max_hops) throw io_error("write", path, fault ? fault.value() : ELOOP);
    end = end.parent_path() / target;
  }
  return end.string();
}

} // namespace

void remove_temporaries() noexcept {
  for (temporary_slot& slot : temporary_slots)
    if (slot.state.load() == 2) ::unlink(slot.name.data());
}

void remove_abandoned_temporaries(const std::string& path) noexcept {
  const std::string folder = path.substr(0, path.rfind('/') + 1); // empty if there is no '/': npos + 1 is 0
  std::error_code ignored;
  std::filesystem::directory_iterator files(folder.empty() ? "." : folder, ignored);
  for (; files != std::filesystem::directory_iterator(); files.increment(ignored)) {
    const std::string name = files->path().filename().string();
    if (!name.starts_with(".weft-") || !name.ends_with(".tmp")) continue;
    const int descriptor = ::open(files->path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0) continue;
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) ::unlink(files->path().c_str());
    ::close(descriptor);
  }
}

output_file::output_file(std::string path) : path_(std::move(path)) {
  buffer_.reserve(buffer_limit);
  if (path_ == "-") path_.clear();
  if (path_.empty()) {
    descriptor_ = STDOUT_FILENO;
    return;
  }
  if (const int named = named_descriptor(path_); named >= 0) {
    descriptor_ = ::fcntl(named, F_DUPFD_CLOEXEC, 0);
    if (descriptor_ < 0) throw io_error("write", path_, errno);
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
  if (exists) { // a symbolic link stays, and the file that it names is replaced
    if (char* real = ::realpath(path_.c_str(), nullptr)) {
      path_ = real;
      std::free(real);
    }
  }
  if (!exists) path_ = follow_links(path_);
  descriptor_ = create_temporary(path_, exists ? 0600 : 0666, temporary_, slot_);
  if (descriptor_ < 0) {
    temporary_.clear();
    throw io_error("write", path_, errno);
  }
  if (!exists) return;
  // Changing the owner is only attempted: usually only a superuser may give files away.
  if (status.st_uid != ::geteuid() || status.st_gid != ::getegid())
    (void)!::fchown(descriptor_, status.st_uid, status.st_gid);
  (void)::fchmod(descriptor_, status.st_mode & 07777);
}

output_file::output_file(std::string path, std::string temporary)
    : path_(std::move(path)), temporary_(std::move(temporary)), is_joined_(true) {
  buffer_.reserve(buffer_limit);
  slot_ = register_temporary(temporary_);
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor_ >= 0) return;
  unregister_temporary(slot_);
  throw io_error("write", temporary_, errno);
}

output_file::~output_file() {
  if (is_stdout()) return;
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  unregister_temporary(slot_);
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

void output_file::seek(std::uint64_t position) {
  flush();
  if (::lseek(descriptor_, static_cast<off_t>(position), SEEK_SET) < 0) throw io_error("write", path_, errno);
}

void output_file::write_at(std::uint64_t position, std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t done = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(position));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) throw io_error("write", path_, errno);
    bytes.remove_prefix(static_cast<std::size_t>(done));
    position += static_cast<std::uint64_t>(done);
  }
}

void output_file::write_through(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(descriptor_, bytes.data(), bytes.size());
    if (done < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN) { // the other end of the pipe has made it non-blocking
        pollfd ready{descriptor_, POLLOUT, 0};
        (void)::poll(&ready, 1, -1);
        continue;
      }
      if (errno == EPIPE) throw broken_pipe();
      throw io_error("write", is_stdout() ? "<stdout>" : path_, errno);
    }
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
}

void output_file::finish() {
  flush();
  if (is_stdout() || descriptor_ < 0) return;
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0) throw io_error("write", path_, errno);
}

void output_file::commit() {
  finish();
  if (temporary_.empty()) return;
  if (!is_joined_ && ::rename(temporary_.c_str(), path_.c_str()) != 0) throw io_error("write", path_, errno);
  temporary_.clear();
  unregister_temporary(slot_);
}

void output_file::commit_all(std::span<output_file* const> files) {
  for (output_file* file : files) file->finish();
  std::vector<const output_file*> renamed;
  try {
    for (output_file* file : files) {
      const bool is_temporary = !file->temporary_.empty();
      // Two paths can name one file, for example on file systems that ignore case.
      for (const output_file* other : renamed)
        if (std::error_code ignored;
            is_temporary && std::filesystem::equivalent(file->path_, other->path_, ignored))
          throw error(errc::invalid_input,
                      "two outputs are the same file: '" + other->path_ + "' and '" + file->path_ + "'");
      file->commit();
      if (is_temporary) renamed.push_back(file);
    }
  } catch (...) {
    for (const output_file* file : renamed) ::unlink(file->path_.c_str());
    throw;
  }
}

} // namespace weft::io
