// Runs the program as a process, as users do.
#pragma once

#include <string>
#include <vector>

namespace weft::test {

struct outcome {
  int code = 0; // the exit code, or 128 + the signal that ended the program
  std::string out, err;
};

// A running program. Its standard input is the file `input`; if that is empty, a pipe that close_input()
// closes.
class process {
public:
  explicit process(const std::vector<std::string>& words, const std::string& input = "/dev/null",
                   bool ignore_sigpipe = false, bool terminal = false);
  ~process();
  process(const process&) = delete;
  process& operator=(const process&) = delete;

  void write(const std::string& bytes) const; // writes to its standard input
  void close_input();
  void close_output(); // closes it as a reader does that goes away
  void send(int signal) const;
  outcome wait(); // reads the remaining output, then waits

private:
  int id_ = -1, input_ = -1, output_ = -1, errors_ = -1;
};

// Runs weft with these arguments in the test's data folder, which holds the inputs.
[[nodiscard]] outcome weft_run(const std::vector<std::string>& words, const std::string& input = "/dev/null");
[[nodiscard]] outcome bench_run(const std::vector<std::string>& words); // runs weft-bench likewise
// Checks that the command exits with `code`, prints nothing, and that its error message contains `message`.
void expect_failure(const std::vector<std::string>& words, int code, const std::string& message);
// Runs a shell line, such as "weft scan ... | head", in the data folder; `weft` is the program, and
// `weft-bench` is the benchmark program.
[[nodiscard]] outcome shell(const std::string& line);
[[nodiscard]] bool installed(const std::string& program);
[[nodiscard]] bool has(const std::string& text, const std::string& part);
[[nodiscard]] std::string file_bytes(const std::string& path);
[[nodiscard]] std::string data(const std::string& name); // the path of a file in the data folder

// A temporary folder, which the destructor removes.
class scratch_folder {
public:
  scratch_folder();
  ~scratch_folder();
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] std::vector<std::string> names() const; // the names of its files
  void put(const std::string& name, const std::string& bytes) const;

private:
  std::string path_;
};

// Returns the document that headless Chromium makes of a page in the folder, and what Chromium prints on
// standard error. `address` is "#..." or empty; `flags` are further flags of Chromium.
[[nodiscard]] outcome browse(const scratch_folder& folder, const std::string& name,
                             const std::string& address, const std::string& flags);

} // namespace weft::test
