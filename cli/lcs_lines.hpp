// The comparisons of `weft lcs --by line` and `--by word`.
#pragma once

#include <cli/flags.hpp>
#include <cli/plot_files.hpp>
#include <functional>
#include <string>
#include <weft/io/output_file.hpp>
#include <weft/lcs/lcs.hpp>

namespace weft::cli {

// Returns the --format of the path, or an empty string if the record is printed: without --format, and for
// tsv.
[[nodiscard]] std::string path_format(const arguments& given);

// Returns whether even the record needs a path, because it counts the steps: with metric affine.
[[nodiscard]] bool needs_path(const arguments& given, lcs_metric metric);

// Throws error(invalid_input) if a flag that is only for lines or words is given with another --by.
void check_diff_flags(const arguments& given);

// The result of a comparison of lines or words, and a function that writes the output. Holds the texts.
struct line_comparison {
  std::function<void(io::output_file&)> write; // writes the output that --format names, or the record
  bool differ = false;                         // whether the files differ under -w and -i
};

// Compares the files given.inputs[0] and [1] by line or by word, and draws `plots`.
[[nodiscard]] line_comparison compare_lines(const arguments& given, lcs_options options, plot_files& plots);

} // namespace weft::cli
