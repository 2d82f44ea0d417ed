#include <weft/lcs/cpu/bit_sliced.hpp>

#include <bit>
#include <stdexcept>

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

std::uint64_t bit_sliced_distance(const bit_planes& a, const bit_planes& b, const lcs_call& call) {
  if (a.count() != b.count()) throw std::invalid_argument("bit_sliced_distance: texts of different planes");
  const std::uint64_t m = a.length, n = b.length;
  if (m == 0 || n == 0) return m + n;
  const auto planes = static_cast<std::uint64_t>(std::max(1, a.count()));
  require_memory("engine bit-sliced", (m + n) / 8 * planes + n / 4 + 65536, call.options.run.memory);
  const bit_sliced_table table(call.edit(), a, b);
  boundary row = table.make_boundary();
  const auto same_row = [&row](std::size_t) -> boundary& { return row; };
  sweep(table, {0, table.strips().size(), n, same_row, same_row, 0, {}}, call.threads(), call.work);
  return distance_below(table, call.edit(), m, n, row);
}

} // namespace weft::lcs_detail
