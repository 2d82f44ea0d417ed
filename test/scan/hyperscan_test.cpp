// Compares `--matches ends` with Hyperscan, which reports every end of a match, if it is installed.
#include <gtest/gtest.h>
#if defined(WEFT_TEST_HYPERSCAN)
#include "scan_cases.hpp"

#include <algorithm>
#include <bench/scan/regular_expression.hpp>
#include <hs.h>
#include <set>
#include <weft/scan/scan.hpp>

namespace {

// Returns whether the motif can be compared: Hyperscan does not accept repeats of anchors, and also reports
// empty matches.
bool can_compare(const weft::motif& m) {
  return m.min_length() > 0 && std::none_of(m.elements.begin(), m.elements.end(), [](const auto& element) {
           return (element.or_sequence_start || element.or_sequence_end) && element.max > 1;
         });
}

using ends = std::set<std::pair<unsigned, unsigned long long>>;

int on_match(unsigned id, unsigned long long, unsigned long long to, unsigned, void* context) {
  static_cast<ends*>(context)->insert({id, to});
  return 0;
}

void compare(weft::device_kind device) {
  std::mt19937_64 random(31);
  std::size_t compared = 0;
  for (int round = 0; round < 40; ++round) {
    std::vector<weft::motif> motifs;
    std::vector<std::string> expressions;
    while (motifs.size() < 20) {
      weft::motif m = weft::parse_motif(weft_test::random_pattern(random, true));
      if (!can_compare(m)) continue;
      expressions.push_back(weft::bench::regular_expression(m));
      motifs.push_back(std::move(m));
    }
    const weft::motif_set set(motifs);
    std::vector<const char*> pointers;
    std::vector<unsigned> flags(expressions.size(), HS_FLAG_DOTALL), ids;
    for (unsigned k = 0; k < expressions.size(); ++k) {
      pointers.push_back(expressions[k].c_str());
      ids.push_back(k);
    }
    hs_database_t* database = nullptr;
    hs_compile_error_t* failure = nullptr;
    ASSERT_EQ(hs_compile_multi(pointers.data(), flags.data(), ids.data(), static_cast<unsigned>(ids.size()),
                               HS_MODE_BLOCK, nullptr, &database, &failure),
              HS_SUCCESS)
        << (failure != nullptr ? failure->message : "");
    hs_scratch_t* scratch = nullptr;
    ASSERT_EQ(hs_alloc_scratch(database, &scratch), HS_SUCCESS);
    for (int i = 0; i < 10; ++i) {
      const std::string text = weft_test::random_sequence(random, 1 + random() % 200, "ACDNEX");
      ends want;
      ASSERT_EQ(
          hs_scan(database, text.data(), static_cast<unsigned>(text.size()), 0, scratch, on_match, &want),
          HS_SUCCESS);
      const std::vector<std::uint64_t> offsets = {0, text.size()};
      for (const weft_test::engine_on& engine : weft_test::engines_on(device)) {
        ends have;
        for (const auto& match :
             weft::scan(set, {text, offsets}, engine.with({.rule = weft::match_rule::ends})))
          have.insert({match.motif, match.end});
        ASSERT_EQ(have, want) << engine.engine << " " << text;
      }
      compared += want.size();
    }
    hs_free_scratch(scratch);
    hs_free_database(database);
  }
  EXPECT_GT(compared, 10'000U);
}

TEST(hyperscan, finds_the_same_ends) { compare(weft::device_kind::cpu); }

TEST(gpu_hyperscan, finds_the_same_ends) {
  const weft_test::engine_on any{"auto", weft::device_kind::gpu};
  if (const std::string reason = any.reason_to_skip(); !reason.empty()) GTEST_SKIP() << reason;
  compare(weft::device_kind::gpu);
}

} // namespace
#else
TEST(hyperscan, finds_the_same_ends) {
  GTEST_SKIP() << "Hyperscan is not installed (Debian package libhyperscan-dev)";
}
#endif
