// The command `weft sa`.
#include <array>
#include <cli/bwt_verbs.hpp>
#include <cli/program.hpp>
#include <cli/ranks.hpp>
#include <cli/task.hpp>
#include <cli/teams.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>
#include <weft/base/device.hpp>
#include <weft/bwt/suffix_array.hpp>
#include <weft/files/ranks/rank_output.hpp>
#include <weft/io/npy.hpp>
#include <weft/io/output_file.hpp>
#include <weft/multi/suffixes.hpp>

namespace weft::cli {

namespace {

constexpr std::uint64_t symbols_of_u32 = std::uint64_t{1} << 31; // from which on positions have 64 bits

template <class Index>
constexpr io::element_type type_of = sizeof(Index) == 4 ? io::element_type::u32 : io::element_type::u64;

template <class Index> std::string_view bytes_of(std::span<const Index> items) {
  return {reinterpret_cast<const char*>(items.data()), items.size_bytes()};
}

template <class Index> void write_array(io::output_file& out, const std::vector<Index>& items) {
  out.write(io::npy_header({type_of<Index>, items.size()}));
  out.write(bytes_of(std::span(items)));
  out.flush();
}

// Writes the suffix array and, with --lcp, the LCP array: both files appear, or neither.
template <class Index>
void write_arrays(const arguments& given, const std::string& text, weft::run_info& used,
                  bwt_detail::suffix_helpers* helpers) {
  io::output_file out(given.value("output"));
  std::optional<io::output_file> lcp_out;
  if (given.has("lcp")) lcp_out.emplace(given.value("lcp"));
  bwt_options options = bwt_options_of(given, text.size());
  options.run.info = &used;
  options.helpers = helpers;
  if (lcp_out) {
    const suffix_and_lcp_arrays<Index> both = suffix_and_lcp_array<Index>(text, options);
    write_array(*lcp_out, both.lcp);
    write_array(out, both.sa);
  } else {
    write_array(out, suffix_array<Index>(text, options));
  }
  if (lcp_out)
    io::output_file::commit_all(std::array{&*lcp_out, &out});
  else
    out.commit();
}

int sort_text(const arguments& given, const stopwatch& time, const std::string& text,
              bwt_detail::suffix_helpers* helpers) {
  weft::run_info used;
  text.size() < symbols_of_u32 ? write_arrays<std::uint32_t>(given, text, used, helpers)
                               : write_arrays<std::uint64_t>(given, text, used, helpers);
  write_closing_line(given, time, text.size(), used.engine, used.device);
  return 0;
}

void check_flags(const arguments& given) {
  require_device(parse_device(given.value("device")));
  require_no_terminal(given);
}

// Sorts the suffixes of the text of rank 0, `size` bytes, on all ranks. Each rank writes the parts that it
// has sorted.
template <class Index> void write_parts(const arguments& given, const std::string& text, std::uint64_t size) {
  multi::suffix_parts parts(ranks(), text, bwt_options_of(given, text.size()).run);
  files::rank_output out(ranks(), given.value("output"));
  out.write_header(io::npy_header({type_of<Index>, size}));
  for (std::uint64_t part = 0; part < parts.count(); ++part) {
    parts.exchange(part);
    out.begin_turn((parts.end_row(part) - parts.first_row(part)) * sizeof(Index));
    parts.sort<Index>(part, [&](std::span<const Index> rows) { out.write(bytes_of(rows)); });
    out.end_turn();
    out.wait_for_turns(); // before the next exchange
  }
  out.commit();
}

std::string sort_shared(const arguments& given, const std::string& text, std::uint64_t size) {
  size < symbols_of_u32 ? write_parts<std::uint32_t>(given, text, size)
                        : write_parts<std::uint64_t>(given, text, size);
  return "";
}

} // namespace

int run_sa(const arguments& given) {
  return run_text_verb(given, {check_flags, sort_text, sort_shared, 1}, !given.has("lcp"));
}

} // namespace weft::cli
