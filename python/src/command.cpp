// The command, in the process of Python.
#include <cli/program.hpp>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <string>
#include <vector>

#include "bindings.hpp"

namespace weft::python {

namespace nb = nanobind;

namespace {

// Runs the command with these words, of which the first is the name it was called by. Returns the exit code.
// The command's signal handlers replace those of Python and stay, and a signal ends the process.
int run_command(const std::vector<nb::bytes>& words) {
  std::vector<std::string> kept;
  for (const nb::bytes& word : words) kept.emplace_back(word.c_str(), word.size());
  std::vector<char*> argv;
  for (std::string& word : kept) argv.push_back(word.data());
  argv.push_back(nullptr);
  const nb::gil_scoped_release released;
  return cli::run(static_cast<int>(kept.size()), argv.data());
}

} // namespace

void bind_command(nb::module_& module) { module.def("run_command", run_command, nb::arg("words")); }

} // namespace weft::python
