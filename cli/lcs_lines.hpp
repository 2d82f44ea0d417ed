// weft lcs --by line and --by word.
#pragma once

#include <cli/flags.hpp>
#include <cli/plot/plot_files.hpp>
#include <functional>
#include <string>
#include <weft/io/output_file.hpp>
#include <weft/lcs/lcs.hpp>

namespace weft::cli {

// Throws error(invalid_input) if a flag that is for lines or words alone stands with another --by.
void check_diff_flags(const arguments& given);

// What a comparison of lines or words found, and what remains to be written. Holds the texts.
struct line_comparison {
  std::function<void(io::output_file&)> write; // writes what --format or its absence asks for
  double cells = 0;                            // of the table of lines or words
  bool differ = false;                         // under -w and -i
};

// Compares the files given.inputs[0] and [1] by line or by word, and draws `plots`.
[[nodiscard]] line_comparison compare_lines(const arguments& given, lcs_options options, plot_files& plots);

} // namespace weft::cli
