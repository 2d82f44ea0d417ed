// The comparison of `weft lcs --all-pairs`.
#pragma once

#include <cli/flags.hpp>
#include <functional>
#include <weft/io/output_file.hpp>
#include <weft/lcs/lcs.hpp>

namespace weft::cli {

// Compares every record of the file that --all-pairs names with each record before it. Returns a function
// that writes the values in the format that --format names: tsv, a line for each record with its name and its
// value with each earlier record, or jsonl, an object for each pair. Adds the cells of all tables to `cells`.
[[nodiscard]] std::function<void(io::output_file&)> compare_all_pairs(const arguments& given,
                                                                      lcs_options options, double& cells);

} // namespace weft::cli
