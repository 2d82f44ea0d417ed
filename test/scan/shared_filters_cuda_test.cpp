// Tests many variants that share a filter, on texts in which the filter accepts nearly everything: a warp's
// buffer then fills up again and again, in the middle of its checks.
#include "engine_suite.hpp"
#include "scan_gpu_cases.hpp"

#include <weft/scan/cuda/bit_stream/bit_stream_tables.hpp>
#include <weft/scan/cuda/searcher_cache.hpp>
#include <weft/scan/engines.hpp>

namespace {

using namespace weft_test;
using weft::match_rule;
using weft::match_vector;
using weft::scan_detail::edge;

// Returns 900 motifs that begin with four Q: of each nine, three end with residues that occur in the texts,
// three with residues that do not, and three have a gap.
weft::motif_set glutamine_motifs() {
  std::vector<std::string> patterns;
  for (int i = 0; i < 900; ++i)
    patterns.push_back("Q-Q-Q-Q-x(" + std::to_string(1 + i / 30) + ")-Q-" +
                       (i % 3 < 2 ? "x(" + std::to_string(1 + i % 30) + ")-" : std::string("x(2,40)-")) +
                       (i % 3 == 0   ? "[QN]"
                        : i % 3 == 1 ? "W"
                        : i % 2 == 0 ? "[QH]-N"
                                     : "W-C"));
  return motifs_of(patterns);
}

TEST(shared_filters, are_those_of_glutamine) {
  for (const edge which : {edge::starts, edge::ends}) {
    const auto plan =
        weft::scan_detail::plan_for_gpu(glutamine_motifs().motifs(), weft::alphabet::protein, which, 6000);
    const weft::scan_detail::variant_tables tables(plan);
    EXPECT_FALSE(tables.groups.empty());
    EXPECT_LT(tables.num_filters, plan.variants.size() / 2);
  }
}

// A plan that is prepared without a GPU equals the plan that a searcher makes for a GPU with the same shared
// memory.
TEST(prepared_plan, is_that_of_its_gpu) {
  const weft::motif_set motifs = glutamine_motifs();
  weft::scan_options options;
  for (const match_rule rule : {match_rule::starts, match_rule::ends}) {
    options.rule = rule;
    EXPECT_EQ(motifs.data().gpu_searchers->take_plan(), nullptr);
    weft::scan_detail::prepare_gpu_scan(motifs, options);
    const auto prepared = motifs.data().gpu_searchers->take_plan();
    ASSERT_TRUE(prepared && prepared->tables);
    EXPECT_EQ(prepared->which, rule == match_rule::ends ? edge::ends : edge::starts);
    EXPECT_EQ(prepared->max_words, weft::scan_detail::stream_words_within(233'472)); // of an H100 or H200
    const auto plan = weft::scan_detail::plan_for_gpu(motifs.motifs(), weft::alphabet::protein,
                                                      prepared->which, prepared->max_words);
    EXPECT_EQ(prepared->plan.filter_elements, plan.filter_elements);
    EXPECT_EQ(prepared->tables->variants.size(), weft::scan_detail::variant_tables(plan).variants.size());
  }
  options.run.engine = "shift-and"; // has no plan
  weft::scan_detail::prepare_gpu_scan(motifs, options);
  EXPECT_EQ(motifs.data().gpu_searchers->take_plan(), nullptr);
  weft::scan_detail::prepare_gpu_scan({}, {});
}

class gpu_shared_filters : public gpu_suite {};

TEST_F(gpu_shared_filters, that_pass_nearly_everything) {
  const weft::motif_set motifs = glutamine_motifs();
  std::mt19937_64 random(95);
  batch texts;
  texts.add(random_sequence(random, 30'000, "ACDEFGHIKLMNPQRSTVWY"));
  texts.add(std::string(9'000, 'Q'));
  texts.add(random_sequence(random, 30'000, "QQQQQQQQQQQQNHW"));
  texts.add(std::string(700, 'Q'));
  for (const match_rule rule : {match_rule::starts, match_rule::ends}) {
    const match_vector want = weft::scan(motifs, texts.view(), on_cpu({.rule = rule}));
    EXPECT_GT(want.size(), 2'000'000U);
    weft::scan_options options{.rule = rule, .run = {.device = {weft::device_kind::gpu, 0}}};
    for (const std::uint64_t memory : {0U, 64U << 20}) {
      options.run.device_memory = memory;
      ASSERT_EQ(difference(motifs, want, weft::scan(motifs, texts.view(), options)), "") << memory;
    }
  }
}

} // namespace
