// Tests the tables that the host makes for engine bit-stream on a GPU: a variant that shares its filter loses
// none of its tests.
#include "scan_gpu_cases.hpp"

#include <set>
#include <weft/scan/cuda/bit_stream/bit_stream_tables.hpp>

namespace {

using namespace weft::scan_detail;
using weft::scan_detail::bit_stream_plan;
using weft::scan_detail::stream_check;

// Returns motifs that resemble each other: each is one of a few motifs with one letter changed.
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

// Returns motifs that have little in common.
weft::motif_set unlike_motifs(std::mt19937_64& random, std::size_t count) {
  const std::string letters = "ACDEFGHIKLMNPQRSTVWY";
  std::vector<weft::motif> motifs;
  while (motifs.size() < count) {
    std::string pattern;
    for (int i = 0; i < 12; ++i)
      pattern += std::string(i == 0 ? "" : random() % 3 == 0 ? "-x(2)-" : "-") + letters[random() % 20];
    motifs.push_back(weft::parse_motif(pattern));
  }
  return weft::motif_set(std::move(motifs));
}

bool has(const std::vector<stream_check>& elements, const stream_check& e) {
  return std::find(elements.begin(), elements.end(), e) != elements.end();
}

// Checks that the residue tests of a variant accept every text that its checks accept.
void expect_tests_of_checks(const bit_stream_plan& plan, const variant_tables& tables, std::size_t variant,
                            const std::vector<stream_check>& checks) {
  for (std::uint32_t i = 2 * tables.first_tests[variant]; i < 2 * tables.first_tests[variant + 1]; ++i) {
    const residue_test& test = tables.tests[i];
    ASSERT_LT(test.offset, stream_words);
    bool implied = test.residues == ~0U;
    for (const stream_check& e : checks) {
      if (e.offset != test.offset) continue;
      bool lets_pass = true;
      for (unsigned b = 0; b < 256; ++b)
        lets_pass = lets_pass && (!plan.classes[e.cls].has(static_cast<unsigned char>(b)) ||
                                  (test.residues >> b % 32 & 1) != 0);
      implied = implied || lets_pass;
    }
    ASSERT_TRUE(implied);
  }
}

// Checks that the tables contain all of each variant. Returns whether variants share filters.
bool expect_whole(const bit_stream_plan& plan) {
  const variant_tables tables(plan);
  const std::vector<variant_group> groups = group_variants(plan);
  const std::size_t variants = plan.variants.size();
  const bool shared = groups.size() < variants;
  EXPECT_EQ(tables.num_filters, groups.size());
  EXPECT_EQ(tables.variants.size(), variants);
  EXPECT_EQ(tables.filters.size(), groups.size() + 31);
  EXPECT_EQ(tables.second_filters.size(), variants + 31);
  EXPECT_EQ(tables.third_filters.size(), shared ? 31 : variants + 31);
  EXPECT_EQ(tables.groups.size(), shared ? groups.size() : 0);
  EXPECT_EQ(tables.first_tests.size(), shared ? variants + 1 : 1);
  std::vector<bool> seen(variants, false);
  std::size_t at = 0;
  for (std::size_t g = 0; g < groups.size() && !::testing::Test::HasFailure(); ++g) {
    if (shared) {
      EXPECT_EQ(tables.groups[g], at << group_shift | groups[g].members.size());
    }
    EXPECT_TRUE(!groups[g].filter.empty() && groups[g].filter.size() <= stream_filter::capacity);
    for (const std::uint32_t v : groups[g].members) {
      EXPECT_FALSE(seen[v]);
      seen[v] = true;
      const std::vector<stream_check> elements = elements_of(plan, plan.variants[v]);
      for (const stream_check& e : groups[g].filter) EXPECT_TRUE(has(elements, e));
      const filter_checks& made = tables.variants[at];
      EXPECT_EQ(made.row, plan.variants[v].row);
      const std::vector<stream_check> checks(tables.checks.begin() + made.first_check,
                                             tables.checks.begin() + made.last_check);
      std::set<std::uint16_t> more(std::begin(tables.second_filters[at].at),
                                   std::end(tables.second_filters[at].at));
      if (!shared)
        more.insert(std::begin(tables.third_filters[at].at), std::end(tables.third_filters[at].at));
      std::size_t open = 0; // elements that are neither in the filter nor in the checks
      for (const stream_check& e : elements)
        open += !has(groups[g].filter, e) && !has(checks, e) && e.cls < plan.classes.size();
      EXPECT_LE(open, more.size());
      for (std::uint32_t c = plan.variants[v].first_check; c < plan.variants[v].last_check; ++c)
        EXPECT_TRUE(has(checks, plan.checks[c]));
      if (shared) expect_tests_of_checks(plan, tables, at, checks);
      ++at;
    }
  }
  EXPECT_EQ(at, variants);
  return shared;
}

TEST(variant_groups, lose_nothing_of_a_variant) {
  std::mt19937_64 random(91);
  const weft::motif_set sets[] = {weft_test::random_motifs(random, 3'000), similar_motifs(random, 3'000),
                                  unlike_motifs(random, 300), weft_test::motifs_of(weft_test::long_patterns)};
  int shared = 0, all = 0;
  for (const weft::motif_set& motifs : sets)
    for (const edge which : {edge::starts, edge::ends})
      for (const std::uint32_t words : {6'300U, 1'000U}) {
        shared += expect_whole(plan_for_gpu(motifs.motifs(), weft::alphabet::protein, which, words));
        ++all;
      }
  EXPECT_TRUE(0 < shared && shared < all) << shared; // variants of both kinds occurred
}

// Checks that motifs with few elements, which may cost more to load than they save, form a filter
// nonetheless.
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
