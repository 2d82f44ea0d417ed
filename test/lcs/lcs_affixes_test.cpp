// Checks the claims of cpu/affixes.hpp on all small texts: the path stays canonical if any part of the common
// prefix and suffix, and symbols that only one text has, are removed first.
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <test/reference/lcs_reference.hpp>
#include <weft/lcs/cpu/affixes.hpp>

namespace {

using namespace weft::lcs_detail;
using weft::edit_op;
using weft::edit_script;
using weft::lcs_metric;
using bytes = text<std::uint8_t>;

edit_script canonical(bytes a, bytes b, lcs_metric metric) {
  edit_script path;
  for (const edit_op op : weft_test::lcs_walk(a, b, metric)) append(path, op, 1);
  return path;
}

// Calls use(a, b) for all pairs of texts of up to `longest` symbols below sigma.
void for_all_pairs(unsigned sigma, std::size_t longest, const std::function<void(bytes, bytes)>& use) {
  std::vector<std::vector<std::uint8_t>> texts = {{}};
  for (std::size_t next = 0; next < texts.size(); ++next)
    for (unsigned symbol = 0; texts[next].size() < longest && symbol < sigma; ++symbol) {
      texts.push_back(texts[next]);
      texts.back().push_back(static_cast<std::uint8_t>(symbol));
    }
  for (const auto& a : texts)
    for (const auto& b : texts) use(a, b);
}

void check_affixes(bytes a, bytes b, lcs_metric metric) {
  const edit_script whole = canonical(a, b, metric);
  for (std::uint64_t s = 1; s <= common_suffix(a, b); ++s) {
    edit_script path = canonical(a.first(a.size() - s), b.first(b.size() - s), metric);
    append_suffix(path, b, s);
    ASSERT_EQ(path.runs, whole.runs);
    ASSERT_EQ(path.insertions, whole.insertions);
  }
  for (std::uint64_t q = 1; q <= common_prefix(a, b); ++q) {
    const edit_script core = canonical(a.subspan(q), b.subspan(q), metric);
    if (!core.runs.empty() && core.runs.front().op == edit_op::remove) continue;
    edit_script path;
    append(path, edit_op::match, q);
    append(path, core);
    ASSERT_EQ(path.runs, whole.runs);
  }
  const bool subsequence = whole.matches == std::min(a.size(), b.size());
  if (subsequence) {
    edit_script path;
    embed(a, b, path);
    ASSERT_EQ(path.runs, whole.runs);
  }
}

TEST(affixes, come_off_and_back) {
  for (const lcs_metric metric : {lcs_metric::lcs, lcs_metric::edit}) {
    for_all_pairs(2, 7, [&](bytes a, bytes b) { check_affixes(a, b, metric); });
    for_all_pairs(3, 5, [&](bytes a, bytes b) { check_affixes(a, b, metric); });
  }
}

TEST(affixes, unshared_symbols_come_back) {
  std::uint64_t restored = 0;
  for_all_pairs(4, 4, [&](bytes a, bytes b) {
    const std::vector<std::uint8_t> shared = shared_symbols(a, b, 4);
    if (shared.empty()) return;
    const std::vector<std::uint8_t> x = keep_shared(a, shared), y = keep_shared(b, shared);
    const edit_script path = restore_unshared(canonical(x, y, lcs_metric::lcs), a, b, shared);
    ASSERT_EQ(path.runs, canonical(a, b, lcs_metric::lcs).runs);
    ++restored;
  });
  EXPECT_GT(restored, 1000U);
}

} // namespace
