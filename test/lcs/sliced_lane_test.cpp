// Checks the rows of a lane of the bit-sliced GPU sweep, on the host, against the table cell by cell.
#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>
#include <weft/lcs/core/sliced_lane.hpp>

namespace {

using namespace weft::lcs_detail;

struct table_end {
  std::vector<int> bottom, right; // differences below the last row, and right of the last column
};

// Returns the end of the table whose first row lies below the differences `top`.
table_end end_of(const std::vector<unsigned>& rows, const std::vector<unsigned>& columns,
                 const std::vector<int>& top) {
  table_end end;
  end.right.assign(rows.size(), 1);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    int h = top[j];
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const int v = end.right[i], diagonal = std::min({rows[i] == columns[j] ? 0 : 1, v + 1, h + 1});
      end.right[i] = diagonal - h;
      h = diagonal - v;
    }
    end.bottom.push_back(h);
  }
  return end;
}

template <int Words, int Planes>
void check(const std::vector<unsigned>& rows, const std::vector<unsigned>& columns,
           const std::vector<int>& top) {
  using lane_type = edit_lane<integer_ops<std::uint32_t>, Words, Planes>;
  lane_type lane;
  const auto missing = lane_type::rows - static_cast<std::int64_t>(rows.size());
  lane.start(missing, [&](int r) { return rows.at(static_cast<std::size_t>(r - missing)); });
  const auto n = static_cast<int>(columns.size());
  std::uint32_t window[Planes] = {};
  std::vector<int> bottom;
  for (int c = 0; c < n + 32; ++c) {
    const unsigned symbol = c < n ? columns[static_cast<std::size_t>(c)] : 0;
    const int difference = c < n ? top[static_cast<std::size_t>(c)] : 0;
    for (int p = 0; p < Planes; ++p)
      window[p] = window[p] << 1 | (p == Planes - 1 ? ~symbol >> p & 1 : symbol >> p & 1);
    std::uint32_t io[2] = {std::uint32_t{difference == 1} << 31, std::uint32_t{difference == -1} << 31};
    if (c < 31)
      lane.template step<true>(window, io, ~(~1U << c));
    else
      lane.template step<false>(window, io, ~0U);
    if (c >= 32) bottom.push_back(static_cast<int>(io[0] & 1) - static_cast<int>(io[1] & 1));
  }
  ASSERT_EQ(bottom, end_of(rows, columns, top).bottom) << rows.size() << " x " << columns.size();
}

// Saves a lane left of column `kept_at` while it goes on, resumes it there, and checks its rows.
template <int Words, int Planes> void check_kept(int kept_at, int missing) {
  using lane_type = edit_lane<integer_ops<std::uint32_t>, Words, Planes>;
  std::mt19937 random(static_cast<unsigned>(kept_at));
  std::vector<unsigned> rows(static_cast<std::size_t>(lane_type::rows - missing)),
      columns(static_cast<std::size_t>(kept_at) + 64);
  std::vector<int> top(columns.size(), 1);
  for (unsigned& symbol : rows) symbol = random() % (1U << Planes);
  for (unsigned& symbol : columns) symbol = random() % (1U << Planes);
  if (missing == 0)
    for (int& difference : top) difference = static_cast<int>(random() % 3) - 1;
  lane_type lane;
  kept_lane<Words> kept{};
  lane.start(missing, [&](int r) { return rows.at(static_cast<std::size_t>(r - missing)); });
  std::uint32_t window[Planes] = {};
  for (int c = 0; c < kept_at + 40; ++c) {
    const int ahead = c - kept_at;
    if (ahead >= 0 && ahead < 32 && ahead % 8 == 0) lane.keep(kept, 0xffU << ahead);
    const unsigned symbol = columns[static_cast<std::size_t>(c)];
    const int difference = top[static_cast<std::size_t>(c)];
    for (int p = 0; p < Planes; ++p)
      window[p] = window[p] << 1 | (p == Planes - 1 ? ~symbol >> p & 1 : symbol >> p & 1);
    std::uint32_t io[2] = {std::uint32_t{difference == 1} << 31, std::uint32_t{difference == -1} << 31};
    lane.template step<true>(window, io, c < 31 ? ~(~1U << c) : ~0U);
  }
  unsigned symbols[7];
  for (std::size_t i = 0; i < 7; ++i) symbols[i] = columns[static_cast<std::size_t>(kept_at) - 7 + i];
  lane.resume(kept, symbols);
  columns.resize(static_cast<std::size_t>(kept_at));
  const std::vector<int> expected = end_of(rows, columns, top).right;
  for (int r = missing; r < lane_type::rows; ++r) {
    const auto bit = [&](int x) { return static_cast<int>(lane.rows_of(x, r / 32) >> (r % 32) & 1); };
    ASSERT_EQ(bit(0) - bit(1), expected[static_cast<std::size_t>(r - missing)])
        << "row " << r << " at " << kept_at;
  }
}

template <int Words, int Planes> void check_sizes() {
  std::mt19937 random(Words * 10 + Planes);
  for (const std::size_t m : {0, 1, Words - 1, Words, Words + 1, 31 * Words, 32 * Words - 1, 32 * Words})
    for (const std::size_t n : {1, 2, 31, 32, 33, 100})
      for (const unsigned sigma : {1U, 2U, 1U << Planes})
        for (const bool edge : {true, false}) {
          // Rows that do not exist only pass on what is above the table.
          if (!edge && m < 32 * Words) continue;
          std::vector<unsigned> rows(m), columns(n);
          std::vector<int> top(n, 1);
          for (unsigned& symbol : rows) symbol = random() % sigma;
          for (unsigned& symbol : columns) symbol = random() % sigma;
          if (!edge)
            for (int& difference : top) difference = static_cast<int>(random() % 3) - 1;
          check<Words, Planes>(rows, columns, top);
        }
}

TEST(sliced_lane, two_planes) {
  check_sizes<1, 2>();
  check_sizes<2, 2>();
  check_sizes<8, 2>();
}
TEST(sliced_lane, three_planes) {
  check_sizes<1, 3>();
  check_sizes<4, 3>();
}

TEST(sliced_lane, kept_and_resumed) {
  for (const int at : {8, 16, 40, 96})
    for (const int missing : {0, 1, 100}) {
      check_kept<8, 2>(at, missing);
      check_kept<8, 3>(at, missing);
      check_kept<4, 2>(at, missing);
    }
}

} // namespace
