// Checks core/merge_path.hpp: every slice of every small merge against a merge of the whole.
#include <gtest/gtest.h>
#include <weft/sort/core/merge_path.hpp>

#include "block_cases.hpp"

namespace weft::test {

namespace {

template <class Body> void for_each_pair(const Body& f) {
  for (int m = 0; m <= 5; ++m)
    for (int n = 0; n <= 5; ++n)
      for_each_sorted(m, 3, [&](const std::vector<int>& a) {
        for_each_sorted(n, 3, [&](const std::vector<int>& b) { f(with_origins(a), with_origins(b, 100)); });
      });
}

std::vector<placed> merged(const std::vector<placed>& a, const std::vector<placed>& b) {
  std::vector<placed> all = a;
  all.insert(all.end(), b.begin(), b.end());
  std::stable_sort(all.begin(), all.end(), by_key());
  return all;
}

TEST(merge_path, is_where_the_merge_crosses_the_diagonal) {
  for_each_pair([](const std::vector<placed>& a, const std::vector<placed>& b) {
    const std::vector<placed> all = merged(a, b);
    by_key less;
    std::size_t from_a = 0;
    for (std::size_t d = 0; d <= all.size(); ++d) {
      ASSERT_EQ(sort_detail::merge_path(a.data(), a.size(), b.data(), b.size(), d, less), from_a);
      if (d < all.size() && all[d].origin < 100) ++from_a;
    }
  });
}

TEST(merge_path, slices_are_the_stable_merge) {
  for_each_pair([](const std::vector<placed>& a, const std::vector<placed>& b) {
    const std::vector<placed> all = merged(a, b);
    by_key less;
    for (std::size_t begin = 0; begin <= all.size(); ++begin)
      for (std::size_t end = begin; end <= all.size(); ++end) {
        std::vector<placed> slice(end - begin);
        sort_detail::merge_slice(a.data(), a.size(), b.data(), b.size(), begin, end, slice.data(), less);
        ASSERT_TRUE(std::equal(slice.begin(), slice.end(), all.begin() + static_cast<std::ptrdiff_t>(begin)));
      }
  });
}

TEST(merge_path, of_any_answers_stays_inside) {
  // Tries comparators with all possible sequences of answers, and checks that nothing outside the input is
  // read.
  for (unsigned answers = 0; answers < 1U << 10; ++answers)
    for (std::size_t m = 0; m <= 4; ++m)
      for (std::size_t n = 0; n <= 4; ++n)
        for (std::size_t d = 0; d <= m + n; ++d) {
          const std::vector<int> a(m), b(n);
          std::vector<int> to(m + n - d);
          unsigned asked = 0;
          auto less = [&](int, int) { return (answers >> (asked++ % 10) & 1) != 0; };
          sort_detail::merge_slice(a.data(), m, b.data(), n, d, m + n, to.data(), less);
        }
}

} // namespace
} // namespace weft::test
