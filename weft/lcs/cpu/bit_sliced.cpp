#include <weft/lcs/cpu/bit_sliced.hpp>

#include <bit>
#include <stdexcept>
#include <weft/lcs/entry/pair_codes.hpp>

namespace weft::lcs_detail {

namespace {

// Returns the number of ones among the bits [first, last) of `words`.
std::uint64_t count_ones(const std::vector<std::uint64_t>& words, std::uint64_t first, std::uint64_t last) {
  std::uint64_t count = 0;
  for (std::uint64_t w = first / 64; w * 64 < last; ++w) {
    std::uint64_t x = words[w];
    if (w == first / 64) x = x >> first % 64 << first % 64;
    if (last - w * 64 < 64) x &= (std::uint64_t{1} << (last - w * 64)) - 1;
    count += static_cast<std::uint64_t>(std::popcount(x));
  }
  return count;
}

} // namespace

std::uint64_t distance_below(const bit_sliced_table& table, bool edit, std::uint64_t m, std::uint64_t n,
                             const boundary& row) {
  const auto lanes = static_cast<std::uint64_t>(table.strips().back().lanes);
  const std::uint64_t plus = count_ones(row.words[0], lanes, lanes + n);
  return edit ? m + plus - count_ones(row.words[1], lanes, lanes + n) : m + n - 2 * plus;
}

std::uint64_t bit_sliced_value(lcs_metric metric, const bit_planes& a, const bit_planes& b,
                               const table_options& options) {
  if (a.count() != b.count()) throw std::invalid_argument("bit_sliced_value: texts of different planes");
  const std::uint64_t m = a.length, n = b.length;
  const bool edit = metric == lcs_metric::edit;
  if (m == 0 || n == 0) return metric == lcs_metric::lcs ? 0 : m + n;
  const auto planes = static_cast<std::uint64_t>(std::max(1, a.count()));
  require_memory("bit-sliced", (m + n) / 8 * planes + n / 4 + 65536, options.memory);
  const bit_sliced_table table(edit, a, b);
  boundary row = table.make_boundary();
  const auto same_row = [&row](std::size_t) -> boundary& { return row; };
  progress work(options.monitor);
  sweep(table, {0, table.strips().size(), n, same_row, same_row, 0, {}}, options.threads, work);
  const std::uint64_t distance = distance_below(table, edit, m, n, row);
  return metric == lcs_metric::lcs ? (m + n - distance) / 2 : distance;
}

template <class Symbol>
std::uint64_t bit_sliced_distance(text<Symbol> a, text<Symbol> b, std::uint64_t sigma, const lcs_call& call) {
  const run_options& run = call.options.run;
  report_engine(run, "bit-sliced");
  const auto [x, y] = symbol_planes(a, b, sigma, call.threads());
  return bit_sliced_value(call.substitute() ? lcs_metric::edit : lcs_metric::indel, x, y,
                          {call.threads(), run.memory, run.monitor});
}

template <class Symbol>
edit_script bit_sliced_path(text<Symbol> a, text<Symbol> b, std::uint64_t sigma, const lcs_call& call) {
  const run_options& run = call.options.run;
  report_engine(run, "bit-sliced");
  const auto [x, y] = symbol_planes(a, b, sigma, call.threads());
  return bit_sliced_path(call.options.metric, x, y, {call.threads(), run.memory, run.monitor});
}

template std::uint64_t bit_sliced_distance(text<std::uint8_t>, text<std::uint8_t>, std::uint64_t,
                                           const lcs_call&);
template std::uint64_t bit_sliced_distance(text<std::uint32_t>, text<std::uint32_t>, std::uint64_t,
                                           const lcs_call&);
template edit_script bit_sliced_path(text<std::uint8_t>, text<std::uint8_t>, std::uint64_t, const lcs_call&);
template edit_script bit_sliced_path(text<std::uint32_t>, text<std::uint32_t>, std::uint64_t,
                                     const lcs_call&);

} // namespace weft::lcs_detail
