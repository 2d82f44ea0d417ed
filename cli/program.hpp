#pragma once

#include <cli/flags.hpp>
#include <functional>

namespace weft::cli {

// Runs the whole program: parses the arguments, runs the verb, and reports errors on standard error. Returns
// the exit code.
int run(int argc, char** argv);

// Parses the words of the command line of `called` and calls run_verb(arguments). Handles --help, --version
// and an empty command line itself. Returns the exit code. Throws weft::error.
int run_program(const program& called, const std::vector<std::string>& words,
                int (*run_verb)(const arguments&));
// Returns the result of body(). If body() throws, writes `name` and the error's message to standard error and
// returns the exit code of the error; if `name` is sort, GNU sort's exit code for it.
int report_errors(std::string_view name, const std::function<int()>& body);

// The verbs. Each throws weft::error or returns the exit code.
int run_scan(const arguments& given);
int run_lcs(const arguments& given);
int run_sort(const arguments& given);
int run_bwt(const arguments& given);
int run_unbwt(const arguments& given);
int run_sa(const arguments& given);
int run_index(const arguments& given);
int run_find(const arguments& given);
int run_mem(const arguments& given);
int run_variants(const arguments& given);
int run_info(const arguments& given);
int run_devices(const arguments& given);

} // namespace weft::cli
