// The tables of engine bit-stream on a GPU, as the host makes them: nothing of a variant is lost when it
// shares its filter.
#include "scan_gpu_cases.hpp"

#include <set>
#include <weft/scan/cuda/bit_stream_tables.hpp>
#include <weft/scan/cuda/variant_groups.hpp>

namespace {

using namespace weft::scan_cuda;
using weft::scan_detail::bit_stream_plan;
using weft::scan_detail::stream_check;

// Motifs that are like each other: each is one of a few with one letter changed.
weft::motif_set similar_motifs(std::mt19937_64& random, std::size_t count) {
  const std::vector<std::string> some = {
      "C-x(2)-C-[LIVM]-D-G-x(3)-H-W-[KR]-N-x-F-Y-P-M-E", "W-[DE]-x(0,2)-F-M-H-x(4)-C-N-Y-K-Q",
      "<M-[ST]-H-x-C-W-F(2)-Y-N-D-E-K-R-G-P-Q-T-V", "H-x(12)-C-M-W-x(9)-F-Y-N-x(3,8)-D-E-K>"};
  const std::string letters = "ACDEFGHIKLMNPQRSTVWY";
  std::vector<weft::motif> motifs;
  while (motifs.size() < count) {
    std::string pattern = some[random() % some.size()];
    for (int changes = 0; changes < 2;) {
      char& c = pattern[random() % pattern.size()];
      if (letters.find(c) == std::string::npos) continue;
      c = letters[random() % letters.size()];
      ++changes;
    }
    motifs.push_back(weft::parse_motif(pattern));
  }
  return weft::motif_set(std::move(motifs));
}

bool has(const std::vector<stream_check>& elements, const stream_check& e) {
  return std::find(elements.begin(), elements.end(), e) != elements.end();
}

void expect_whole(const bit_stream_plan& plan) {
  const variant_tables tables(plan);
  const std::vector<variant_group> groups = group_variants(plan);
  ASSERT_EQ(tables.num_filters, groups.size());
  ASSERT_EQ(tables.variants.size(), plan.variants.size());
  ASSERT_EQ(tables.seconds.size(), plan.variants.size());
  for (const std::size_t size : {tables.filters.size(), tables.groups.size(), tables.firsts.size()})
    ASSERT_EQ(size, groups.size() + 31);
  std::vector<bool> seen(plan.variants.size(), false);
  std::size_t at = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    ASSERT_EQ(tables.groups[g], at << group_shift | groups[g].members.size());
    ASSERT_TRUE(!groups[g].filter.empty() && groups[g].filter.size() <= stream_filter::most);
    ASSERT_TRUE(std::equal(std::begin(tables.firsts[g].at), std::end(tables.firsts[g].at),
                           std::begin(tables.seconds[at].at)));
    for (const std::uint32_t v : groups[g].members) {
      ASSERT_FALSE(seen[v]);
      seen[v] = true;
      const std::vector<stream_check> elements = elements_of(plan, plan.variants[v]);
      for (const stream_check& e : groups[g].filter) ASSERT_TRUE(has(elements, e));
      const filter_checks& made = tables.variants[at];
      ASSERT_EQ(made.row, plan.variants[v].row);
      const std::vector<stream_check> checks(tables.checks.begin() + made.first_check,
                                             tables.checks.begin() + made.last_check);
      const std::set<std::uint16_t> more(std::begin(tables.seconds[at].at), std::end(tables.seconds[at].at));
      std::size_t open = 0; // elements neither in the filter nor in the checks
      for (const stream_check& e : elements) open += !has(groups[g].filter, e) && !has(checks, e);
      ASSERT_LE(open, more.size());
      for (std::uint32_t c = plan.variants[v].first_check; c < plan.variants[v].last_check; ++c)
        ASSERT_TRUE(has(checks, plan.checks[c]));
      ++at;
    }
  }
  ASSERT_EQ(at, plan.variants.size());
}

TEST(variant_groups, lose_nothing_of_a_variant) {
  std::mt19937_64 random(91);
  const weft::motif_set sets[] = {weft_test::random_motifs(random, 3'000), similar_motifs(random, 3'000),
                                  weft_test::motifs_of(weft_test::long_patterns)};
  for (const weft::motif_set& motifs : sets)
    for (const edge which : {edge::starts, edge::ends})
      for (const std::uint32_t words : {6'300U, 1'000U})
        expect_whole(plan_for_gpu(motifs.motifs(), weft::alphabet::protein, which, words));
}

// Few elements, which may cost more to load than they save, are a filter all the same.
TEST(variant_groups, are_made_of_motifs_with_few_elements) {
  for (const auto& patterns : {std::vector<std::string>{"W-W-W-W"},
                               {"C-x(2)-C-x(12)-H-x(3)-H"},
                               {"W-C-H-M", "A-C-D-E-F-G-H-I-K-L"},
                               {"W"},
                               {"W-x(9)-W", "C-C"}}) {
    const weft::motif_set motifs = weft_test::motifs_of(patterns);
    for (const edge which : {edge::starts, edge::ends})
      EXPECT_TRUE(plan_for_gpu(motifs.motifs(), weft::alphabet::protein, which, 6'300).dense_rows.empty())
          << patterns.front();
  }
}

TEST(variant_groups, share_filters) {
  std::mt19937_64 random(92);
  const weft::motif_set motifs = similar_motifs(random, 3'000);
  const bit_stream_plan plan = plan_for_gpu(motifs.motifs(), weft::alphabet::protein, edge::starts, 6'300);
  EXPECT_LT(group_variants(plan).size(), plan.variants.size() / 4);
}

} // namespace
