#include <weft/files/formats/text_formats.hpp>
#include <weft/files/plot/lcs_plot.hpp>

#include <fmt/format.h>
#include <iterator>

namespace weft::files {

extern const std::string_view lcs_page_script; // lcs_page.js

namespace {

// Returns each piece as five numbers: the gap in A before it, its length in A, the same two numbers in B, and
// its matches.
std::string pieces(const reduced_path& path) {
  std::string text;
  std::uint64_t a = 0, b = 0;
  for (const path_piece& each : joined(path.pieces)) {
    fmt::format_to(std::back_inserter(text), "{}{},{},{},{},{}", text.empty() ? "" : ",", each.a_begin - a,
                   each.a_end - each.a_begin, each.b_begin - b, each.b_end - each.b_begin, each.matches);
    a = each.a_end;
    b = each.b_end;
  }
  return text;
}

// Returns each line as five numbers: its begin in A, its length in A, the same two numbers in B, and 1 if it
// is on the reverse strand, or else 0.
std::string lines_as_numbers(const strand_lines& lines) {
  std::string text;
  for (const strand_segment& each : lines.segments)
    fmt::format_to(std::back_inserter(text), "{}{},{},{},{},{}", text.empty() ? "" : ",", each.a_begin,
                   each.a_end - each.a_begin, each.b_begin, each.b_end - each.b_begin, each.reverse ? 1 : 0);
  return text;
}

} // namespace

std::string html_page(const plot_subject& subject, const reduced_path& path, const strand_lines& lines) {
  std::string numbers;
  for (const record_field& each : subject.numbers)
    numbers += fmt::format("{}[{},{}]", numbers.empty() ? "" : ",", page_string(each.key),
                           each.text ? page_string(each.value) : each.value);
  const std::string json = fmt::format(
      R"({{"a":{},"b":{},"unit":{},"m":{},"n":{},"aCell":{},"bCell":{},"numbers":[{}],"pieces":[{}],)"
      R"("k":{},"linesFound":{},"lines":[{}]}})",
      page_string(subject.a_name), page_string(subject.b_name), page_string(subject.unit), path.m, path.n,
      path.a_cell, path.b_cell, numbers, pieces(path), lines.k, lines.found, lines_as_numbers(lines));
  return page_with(json, lcs_page_script);
}

} // namespace weft::files
