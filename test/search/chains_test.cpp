// Chains of anchors.
#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>
#include <weft/base/sequences.hpp>
#include <weft/search/cpu/chains.hpp>

#include "comparison_checks.hpp"

namespace weft::search_detail {

namespace {

// Between two anchors of a chain there are more anchors of short repeats than one looks back.
TEST(chains, many_short_repeats_do_not_divide_a_chain) {
  const genome_text a = make_text(test::genome({std::string(100000, 'A')}), separator_of_a, 1),
                    b = make_text(test::genome({std::string(5000, 'C')}), separator_of_b, 1);
  for (const std::uint64_t shift : {0, 3}) { // letters of A that are deleted between the two
    std::vector<anchor> anchors{{100, 20100, 1000}, {1101, 21101 + shift, 400}};
    for (std::uint64_t i = 0; i < 100; ++i) anchors.push_back({300 + i, 30000 + 500 * i, 40});
    anchors.push_back({300, 20402, 37}); // the other copy of a repeat that occurs twice nearby
    std::sort(anchors.begin(), anchors.end());
    std::vector<chain> chains;
    append_chains(anchors, a, b, false, 30, {.threads = 1}, chains);
    ASSERT_FALSE(chains.empty());
    ASSERT_EQ(chains.front().anchors.size(), 2u);
    EXPECT_EQ(chains.front().anchors.front().length, 1000u);
    EXPECT_EQ(chains.front().anchors.back().length, 400u);
  }
}

} // namespace

} // namespace weft::search_detail
