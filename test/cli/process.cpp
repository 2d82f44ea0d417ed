#include "process.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <poll.h>
#include <stdexcept>
#include <sys/wait.h>
#include <test_paths.hpp>
#include <unistd.h>

namespace weft::test {

namespace {

struct pipe_ends {
  int read = -1, write = -1;
  pipe_ends() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe");
    read = ends[0];
    write = ends[1];
  }
};

// A pseudo-terminal: the program writes to `write`, and the test reads from `read`.
struct terminal_ends {
  int read = -1, write = -1;
  terminal_ends() {
    read = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (read < 0 || ::grantpt(read) != 0 || ::unlockpt(read) != 0)
      throw std::runtime_error("pseudo-terminal");
    write = ::open(::ptsname(read), O_RDWR | O_NOCTTY | O_CLOEXEC);
  }
};

void close_end(int& end) {
  if (end >= 0) ::close(end);
  end = -1;
}

// Appends the bytes that can be read; closes `end` at the end of the input.
void take(int& end, std::string& bytes) {
  std::array<char, 65536> buffer{};
  const ssize_t size = ::read(end, buffer.data(), buffer.size());
  if (size > 0)
    bytes.append(buffer.data(), static_cast<std::size_t>(size));
  else
    close_end(end); // the end of a terminal is reported as EIO
}

} // namespace

process::process(const std::vector<std::string>& words, const std::string& input, bool ignore_sigpipe,
                 bool terminal) {
  pipe_ends in, out;
  int errors_write = -1;
  if (terminal) {
    const terminal_ends ends;
    errors_ = ends.read;
    errors_write = ends.write;
  } else {
    const pipe_ends ends;
    errors_ = ends.read;
    errors_write = ends.write;
  }
  std::vector<char*> list;
  for (const std::string& word : words) list.push_back(const_cast<char*>(word.c_str()));
  list.push_back(nullptr);
  id_ = ::fork();
  if (id_ == 0) {
    const int from = input.empty() ? in.read : ::open(input.c_str(), O_RDONLY);
    ::dup2(from, 0);
    ::dup2(out.write, 1);
    ::dup2(errors_write, 2);
    std::signal(SIGPIPE, ignore_sigpipe ? SIG_IGN : SIG_DFL);
    if (::chdir(WEFT_TEST_DATA "/cli") == 0) ::execvp(list[0], list.data());
    ::_exit(127);
  }
  ::close(in.read);
  ::close(out.write);
  ::close(errors_write);
  input_ = in.write;
  output_ = out.read;
}

process::~process() {
  if (id_ > 0) {
    ::kill(id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
  }
  close_end(input_);
  close_end(output_);
  close_end(errors_);
}

void process::write(const std::string& bytes) const {
  if (::write(input_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
    throw std::runtime_error("write");
}
void process::close_input() { close_end(input_); }
void process::close_output() { close_end(output_); }
void process::send(int signal) const { ::kill(id_, signal); }

outcome process::wait() {
  outcome result;
  while (output_ >= 0 || errors_ >= 0) {
    std::array<pollfd, 2> ends{{{output_, POLLIN, 0}, {errors_, POLLIN, 0}}};
    if (::poll(ends.data(), ends.size(), -1) < 0) break;
    if (ends[0].revents != 0) take(output_, result.out);
    if (ends[1].revents != 0) take(errors_, result.err);
  }
  int status = 0;
  ::waitpid(id_, &status, 0);
  id_ = -1;
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

outcome weft_run(const std::vector<std::string>& words, const std::string& input) {
  std::vector<std::string> all{WEFT_PROGRAM};
  all.insert(all.end(), words.begin(), words.end());
  return process(all, input).wait();
}

outcome bench_run(const std::vector<std::string>& words) {
  std::vector<std::string> all{WEFT_BENCH_PROGRAM};
  all.insert(all.end(), words.begin(), words.end());
  return process(all).wait();
}

void expect_failure(const std::vector<std::string>& words, int code, const std::string& message) {
  const outcome result = weft_run(words);
  EXPECT_EQ(result.code, code) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(has("\n" + result.err, "\nweft: ")) << result.err; // notes may precede it
  EXPECT_TRUE(has(result.err, message)) << result.err;
}

outcome shell(const std::string& line) {
  return process({"bash", "-c",
                  "weft() { '" WEFT_PROGRAM "' \"$@\"; }; weft-bench() { '" WEFT_BENCH_PROGRAM
                  "' \"$@\"; }; " +
                      line})
      .wait();
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string file_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("no file " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string data(const std::string& name) { return WEFT_TEST_DATA "/cli/" + name; }

scratch_folder::scratch_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "weft-cli-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
  path_ = name;
}
scratch_folder::~scratch_folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}
std::vector<std::string> scratch_folder::names() const {
  std::vector<std::string> result;
  for (const auto& entry : std::filesystem::directory_iterator(path_))
    result.push_back(entry.path().filename());
  std::sort(result.begin(), result.end());
  return result;
}
void scratch_folder::put(const std::string& name, const std::string& bytes) const {
  std::ofstream(path_ + "/" + name, std::ios::binary) << bytes;
}

bool installed(const std::string& program) {
  return shell("command -v " + program + " >/dev/null").code == 0;
}

outcome browse(const scratch_folder& folder, const std::string& name, const std::string& address,
               const std::string& flags) {
  return shell("timeout 120 chromium --headless --no-sandbox --disable-gpu --user-data-dir='" +
               (folder / "profile") + "' " + flags + " --dump-dom 'file://" + (folder / name) + address +
               "'");
}

} // namespace weft::test
