#pragma once

#include <cli/flags.hpp>

namespace weft::cli {

// Runs the whole program: parses the arguments, runs the verb, and reports errors on standard error. Returns
// the exit code.
int run(int argc, char** argv);

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
int run_bench(const arguments& given);

} // namespace weft::cli
