// Runs the program as a process, as users do.
#pragma once

#include <string>
#include <vector>

namespace weft::test {

struct outcome {
  int code = 0; // exit code, or 128 + the signal that ended it
  std::string out, err;
};

// A program on its way. Standard input comes from `input` (a path; empty: a pipe that close_input() ends).
class process {
public:
  explicit process(const std::vector<std::string>& words, const std::string& input = "/dev/null",
                   bool ignore_sigpipe = false, bool terminal = false);
  ~process();
  process(const process&) = delete;
  process& operator=(const process&) = delete;

  void write(const std::string& bytes) const; // to its standard input
  void close_input();
  void close_output(); // as a reader that goes away
  void send(int signal) const;
  outcome wait(); // reads what is left, then waits

private:
  int id_ = -1, input_ = -1, output_ = -1, errors_ = -1;
};

// The test's folder of data holds the inputs; commands run there.
[[nodiscard]] outcome weft_run(const std::vector<std::string>& words, const std::string& input = "/dev/null");
[[nodiscard]] outcome bench_run(const std::vector<std::string>& words); // the same of weft-bench
// It ends with this code, writes nothing, and has this in its message.
void expect_failure(const std::vector<std::string>& words, int code, const std::string& message);
// "weft scan ... | head": a shell line; `weft` is the program, `weft-bench` that of the benchmarks. Its
// folder is the same.
[[nodiscard]] outcome shell(const std::string& line);
[[nodiscard]] bool installed(const std::string& program);
[[nodiscard]] bool has(const std::string& text, const std::string& part);
[[nodiscard]] std::string file_bytes(const std::string& path);
[[nodiscard]] std::string data(const std::string& name); // path of a file of the folder

// A folder of its own, removed at the end.
class scratch_folder {
public:
  scratch_folder();
  ~scratch_folder();
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] std::vector<std::string> names() const; // of the files in it
  void put(const std::string& name, const std::string& bytes) const;

private:
  std::string path_;
};

// The document of a page in the folder as headless Chromium leaves it, with what it says on standard error.
// address: "#..." or nothing; flags: more of Chromium's.
[[nodiscard]] outcome browse(const scratch_folder& folder, const std::string& name,
                             const std::string& address, const std::string& flags);

} // namespace weft::test
