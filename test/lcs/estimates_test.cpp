// Compares the estimates of engine systolic with what was measured.
#include <gtest/gtest.h>
#include <weft/lcs/estimates.hpp>

namespace {

using weft::lcs_detail::systolic_seconds;

constexpr std::uint64_t mebi = std::uint64_t{1} << 20;

// A case of bench/record/gpu-h200.md.
struct measurement {
  std::uint64_t length; // of both texts
  bool edit, path;
  double seconds;
};

TEST(lcs_estimates, systolic_of_equal_lengths_is_within_a_quarter_of_the_record) {
  for (const measurement& each : {measurement{16 * mebi, false, false, 1.836},
                                  {16 * mebi, false, false, 2.015}, // 20 letters
                                  {16 * mebi, false, false, 1.746},
                                  {4 * mebi, false, false, 0.187}, // bytes
                                  {4 * mebi, false, false, 0.146},
                                  {4 * mebi, false, false, 0.134},
                                  {1 * mebi, false, false, 0.0164},
                                  {1 * mebi, false, false, 0.0159},
                                  {16 * mebi, false, true, 2.087},
                                  {16 * mebi, false, true, 2.058},
                                  {8 * mebi, false, true, 0.646},
                                  {4 * mebi, false, true, 0.226},
                                  {2 * mebi, false, true, 0.116},
                                  {1 * mebi, false, true, 0.0556},
                                  {16 * mebi, true, false, 4.505},
                                  {1 * mebi, true, false, 0.0485},
                                  {16 * mebi, true, true, 5.268},
                                  {1 * mebi, true, true, 0.0844}}) {
    const double estimate = systolic_seconds(each.length, each.length, each.edit, each.path);
    EXPECT_NEAR(estimate / each.seconds, 1, 0.25) << each.length << ' ' << each.edit << ' ' << each.path;
  }
}

TEST(lcs_estimates, systolic_of_an_empty_text_takes_no_long_time) {
  EXPECT_EQ(systolic_seconds(0, 0, false, false), 0);
  EXPECT_LT(systolic_seconds(0, mebi, true, true), 1);
}

} // namespace
