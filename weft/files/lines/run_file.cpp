#include <weft/files/lines/run_list.hpp>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <weft/base/error.hpp>

extern char** environ;

namespace weft::files {

// A program that runs in a child process, with a pipe to its standard input or from its standard output. The
// other one of these is the temporary file.
class run_file::child {
public:
  child(const std::string& program, bool decompress, const io::temporary_file& file)
      : call_(decompress ? program + " -d" : program) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw io_error("run", program, errno);
    const int child_end = decompress ? ends[1] : ends[0];
    pipe_ = decompress ? ends[0] : ends[1];
    if (decompress) (void)::lseek(file.descriptor(), 0, SEEK_SET);
    const int error_number = start(program, decompress, child_end, file.descriptor());
    ::close(child_end);
    if (error_number == 0) return;
    ::close(pipe_);
    throw io_error(
        fmt::format("couldn't execute compress program '{}': {}", call_, std::strerror(error_number)));
  }
  ~child() {
    if (pipe_ >= 0) ::close(pipe_); // the program gets SIGPIPE, or the end of its input
    if (id_ > 0) (void)wait();
  }
  child(const child&) = delete;
  child& operator=(const child&) = delete;

  // Writes all bytes to the program.
  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t bytes_written = ::write(pipe_, bytes.data(), bytes.size());
      if (bytes_written < 0 && errno == EINTR) continue;
      if (bytes_written < 0) fail();
      bytes.remove_prefix(static_cast<std::size_t>(bytes_written));
    }
  }
  // Reads what the program writes. Returns less than the size of `out` only at the end.
  std::size_t read(std::span<char> out) {
    std::size_t done = 0;
    while (done < out.size()) {
      const ssize_t bytes_read = ::read(pipe_, out.data() + done, out.size() - done);
      if (bytes_read < 0 && errno == EINTR) continue;
      if (bytes_read < 0) fail();
      if (bytes_read == 0) break;
      done += static_cast<std::size_t>(bytes_read);
    }
    if (done < out.size()) finish();
    return done;
  }
  // Closes the pipe and waits for the program. Throws io_error if the program has failed.
  void finish() {
    if (pipe_ >= 0) ::close(std::exchange(pipe_, -1));
    if (id_ > 0 && wait() != 0) fail();
  }

private:
  // Starts the program. Returns 0 or an error number.
  int start(const std::string& program, bool decompress, int pipe_end, int file) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&files, decompress ? file : pipe_end, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, decompress ? pipe_end : file, STDOUT_FILENO);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE); // because this program ignores it
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    std::string name = program, flag = "-d";
    std::array<char*, 3> arguments = {name.data(), decompress ? flag.data() : nullptr, nullptr};
    const int error_number =
        ::posix_spawnp(&id_, name.c_str(), &files, &attributes, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    if (error_number != 0) id_ = -1;
    return error_number;
  }
  // Waits until the program has ended, and returns its status.
  int wait() {
    int status = 0;
    while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    id_ = -1;
    return status;
  }
  [[noreturn]] void fail() const { throw io_error(fmt::format("'{}' terminated abnormally", call_)); }

  std::string call_;
  pid_t id_ = -1;
  int pipe_ = -1;
};

namespace {

// The output of a program, as a source of bytes.
template <class Child> class child_source final : public io::byte_source {
public:
  child_source(std::unique_ptr<Child> child, std::string name)
      : child_(std::move(child)), name_(std::move(name)) {}
  std::size_t read(std::span<char> out) override {
    if (ended_) return 0;
    const std::size_t bytes_read = child_->read(out);
    ended_ = bytes_read < out.size();
    position_ += bytes_read;
    return bytes_read;
  }
  const std::string& name() const noexcept override { return name_; }
  io::compression kind() const noexcept override { return io::compression::none; }
  std::uint64_t position() const noexcept override { return position_; }
  std::uint64_t size() const noexcept override { return 0; }

private:
  std::unique_ptr<Child> child_;
  std::string name_;
  std::uint64_t position_ = 0;
  bool ended_ = false;
};

} // namespace

run_file::run_file(const std::string& folder, const std::string& program, std::size_t num_segments,
                   std::uint64_t bytes)
    : num_segments_(program.empty() ? num_segments : 1),
      file_(folder, num_segments_, bytes / num_segments + 1), program_(program) {
  if (!program.empty()) compressor_ = std::make_unique<child>(program, false, file_);
}
run_file::~run_file() = default;
run_file::run_file(run_file&&) noexcept = default;
run_file& run_file::operator=(run_file&&) noexcept = default;

void run_file::write(std::string_view bytes) {
  if (compressor_)
    compressor_->write(bytes);
  else
    file_.write(bytes);
}

void run_file::finish() {
  if (compressor_) std::exchange(compressor_, nullptr)->finish();
}

std::unique_ptr<io::byte_source> run_file::open() const {
  if (program_.empty()) return file_.read_back(0, file_.size());
  return std::make_unique<child_source<child>>(std::make_unique<child>(program_, true, file_),
                                               fmt::format("output of '{} -d'", program_));
}

} // namespace weft::files
