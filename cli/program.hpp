#pragma once

#include <cli/flags.hpp>
#include <functional>

namespace weft::cli {

// Runs the whole program: parses the arguments, runs the verb, and reports errors on standard error. Returns
// the exit code.
int run(int argc, char** argv);

// Parses the words of a call of a program and calls run_verb(arguments); --help, --version and no words at
// all are answered here. Returns the exit code. Throws weft::error.
int call(const program& of, const std::vector<std::string>& words, int (*run_verb)(const arguments&));
// Returns what body() returns. If it throws, says why on standard error, after `name`, and returns the exit
// code of the error; under the name sort that of GNU sort.
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
int run_info(const arguments& given);
int run_devices(const arguments& given);

} // namespace weft::cli
