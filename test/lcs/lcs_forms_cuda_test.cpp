// Checks every form of engine systolic's strips, also those that are not the fastest, against engine
// bit-sliced.
#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <test/lcs/device_cases.hpp>
#include <test/lcs/lcs_cases.hpp>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/lcs/cuda/engines.hpp>
#include <weft/lcs/cuda/systolic_kernels.hpp>
#include <weft/lcs/cuda/systolic_table.hpp>

namespace {

using weft::lcs_metric;
using weft::lcs_detail::gpu_options;
using weft_test::multiprocessors, weft_test::random_symbols;

struct case_form {
  lcs_metric metric;
  int words;
  bool sliced, meet;
  bool halves = false; // swept one after the other, as if by two GPUs
};

// Sweeps the right half on the GPU of the caller, after the left half.
class helper_on_the_same_gpu final : public weft::lcs_detail::table_helpers {
public:
  [[nodiscard]] bool is_worthwhile(std::uint64_t, std::uint64_t) const override { return false; }
  [[nodiscard]] double speedup(bool) const override { return 1; }
  [[nodiscard]] std::uint64_t distance(const weft::lcs_detail::bit_planes&,
                                       const weft::lcs_detail::bit_planes&,
                                       const weft::lcs_detail::lcs_call&) override {
    return 0;
  }
  [[nodiscard]] weft::edit_script path(const weft::lcs_detail::bit_planes&,
                                       const weft::lcs_detail::bit_planes&,
                                       const weft::lcs_detail::lcs_call&) override {
    return {};
  }
  [[nodiscard]] bool is_worthwhile_on_gpu(std::uint64_t, std::uint64_t) const override { return true; }
  [[nodiscard]] std::vector<std::uint32_t>
  sweep_half(const weft::lcs_detail::half_shape& shape, weft::lcs_detail::codes a, weft::lcs_detail::codes b,
             std::uint64_t, const std::function<void(const weft::lcs_detail::sweep_check&)>& own) override {
    ++halves_;
    EXPECT_FALSE(weft::lcs_detail::systolic_can_sweep_half(shape, {})); // the GPU sweeps the left half
    weft::lcs_detail::half_shape on_any_gpu = shape;
    on_any_gpu.gpu = {};
    EXPECT_TRUE(weft::lcs_detail::systolic_can_sweep_half(on_any_gpu, {}));
    own([] {});
    return weft::lcs_detail::systolic_half(shape, a, b, {}, [] {});
  }
  [[nodiscard]] int halves() const { return halves_; }

private:
  int halves_ = 0;
};
std::string name_of(const testing::TestParamInfo<case_form>& info) {
  const auto& [metric, words, sliced, meet, halves] = info.param;
  return std::string(metric == lcs_metric::edit ? "edit" : "lcs") + std::to_string(words) +
         (sliced   ? "_sliced"
          : meet   ? "_meet"
          : halves ? "_halves"
                   : "");
}

class gpu_lcs_forms : public testing::TestWithParam<case_form> {
protected:
  void SetUp() override {
    if (const std::string reason = weft_test::reason_to_skip("systolic"); !reason.empty())
      GTEST_SKIP() << reason;
  }
  static gpu_options options() {
    const auto& [metric, words, sliced, meet, halves] = GetParam();
    gpu_options options;
    options.metric = metric;
    options.form = {words, sliced, meet};
    return options;
  }
  static weft::lcs_detail::codes codes(const std::string& text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
  }
  static weft::edit_script expected(const std::string& a, const std::string& b) {
    return weft::lcs(a, b, weft_test::with("bit-sliced", GetParam().metric, 0));
  }
  static void check(const std::string& a, const std::string& b, unsigned sigma, bool path) {
    const weft::edit_script right = expected(a, b);
    const std::uint64_t distance = right.insertions + right.deletions + right.substitutions;
    gpu_options chosen = options();
    helper_on_the_same_gpu helper;
    if (GetParam().halves) chosen.helpers = &helper;
    ASSERT_EQ(weft::lcs_detail::systolic_distance(codes(a), codes(b), sigma, chosen), distance)
        << a.size() << " x " << b.size() << " sigma " << sigma;
    ASSERT_EQ(helper.halves(), GetParam().halves && std::min(a.size(), b.size()) > 1 ? 1 : 0);
    if (path) {
      ASSERT_EQ(weft::lcs_detail::systolic_path(codes(a), codes(b), sigma, options()).runs, right.runs)
          << a.size() << " x " << b.size() << " sigma " << sigma;
    }
  }
  // Returns the alphabet sizes that have a form. There is none for masks of many symbols in 16 words, nor for
  // eight symbols in 32 words.
  static std::vector<unsigned> alphabets() {
    const auto& [metric, words, sliced, meet, halves] = GetParam();
    if (sliced) return words == 32 ? std::vector{1U, 2U, 4U} : std::vector{1U, 4U, 5U, 8U};
    return words == 16 ? std::vector{1U, 4U, 7U} : std::vector{1U, 4U, 20U, 33U, 256U};
  }
  // Only bit-sliced strips of 8 words have checkpoints.
  static bool has_path() {
    return !GetParam().meet && !GetParam().halves && (!GetParam().sliced || GetParam().words == 8);
  }
};

std::string mutated(std::mt19937_64& random, const std::string& text, unsigned each, unsigned sigma) {
  return weft_test::mutate(random, text, each, [&] { return static_cast<char>(random() % sigma); });
}

TEST_P(gpu_lcs_forms, strip_and_block_edges) {
  std::mt19937_64 random(3);
  const auto strip = static_cast<std::size_t>(GetParam().words) * 1024;
  for (const unsigned sigma : alphabets())
    for (const std::size_t m : {std::size_t{1}, std::size_t{33}, strip - 1, strip, strip + 1, 2 * strip + 77})
      for (const std::size_t n : {1, 31, 32, 33, 1280, 2047, 2049})
        ASSERT_NO_FATAL_FAILURE(check(random_symbols(random, m, sigma), random_symbols(random, n, sigma),
                                      sigma, has_path() && m > strip));
}

TEST_P(gpu_lcs_forms, related_texts) {
  std::mt19937_64 random(4);
  for (const unsigned sigma : alphabets())
    for (const unsigned each : {5, 50}) {
      const std::string a = random_symbols(random, 40000 + random() % 1000, sigma);
      ASSERT_NO_FATAL_FAILURE(check(a, mutated(random, a, each, sigma), sigma, has_path()));
    }
}

// Lowers the memory until it is too little. Before that, strips are swept in groups, which shows in the
// announced number of cells.
TEST_P(gpu_lcs_forms, little_memory_gives_the_same_path) {
  if (!has_path()) GTEST_SKIP() << "values only";
  std::mt19937_64 random(5);
  const std::string a = random_symbols(random, 300000, 4), b = mutated(random, a, 7, 4);
  const weft::edit_script right = expected(a, b);
  std::uint64_t min_cells = ~std::uint64_t{0}, max_cells = 0;
  gpu_options chosen = options();
  for (double memory = 256e6;; memory *= 0.94) {
    weft::task_monitor monitor;
    chosen.monitor = &monitor;
    chosen.device_memory = static_cast<std::uint64_t>(memory);
    try {
      ASSERT_EQ(weft::lcs_detail::systolic_path(codes(a), codes(b), 4, chosen).runs, right.runs) << memory;
    } catch (const weft::memory_error&) {
      break;
    }
    ASSERT_LE(monitor.done(), monitor.total());
    min_cells = std::min(min_cells, monitor.total()), max_cells = std::max(max_cells, monitor.total());
  }
  EXPECT_GT(max_cells, min_cells / 2 * 3);
}

// A low table has one or two strips, whose checkpoints are then further apart.
TEST_P(gpu_lcs_forms, wide_slabs) {
  if (!has_path()) GTEST_SKIP() << "values only";
  std::mt19937_64 random(6);
  const std::string a = random_symbols(random, 3000, 4), b = random_symbols(random, 3'000'000, 4);
  const weft::edit_script right = expected(a, b);
  gpu_options chosen = options();
  int solved = 0;
  for (double memory = 256e6;; memory *= 0.85, ++solved) try {
      chosen.device_memory = static_cast<std::uint64_t>(memory);
      ASSERT_EQ(weft::lcs_detail::systolic_path(codes(a), codes(b), 4, chosen).runs, right.runs) << memory;
    } catch (const weft::memory_error&) {
      break;
    }
  EXPECT_GT(solved, 1);
}

// A multiprocessor holds at most 16 warps, or 8 with the widest strips.
TEST_P(gpu_lcs_forms, more_strips_than_resident_warps) {
  if (!GetParam().sliced) GTEST_SKIP() << "lcs_occupied_cuda_test.cpp has it";
  std::mt19937_64 random(7);
  const auto words = static_cast<std::size_t>(GetParam().words);
  const std::size_t strips = static_cast<std::size_t>(multiprocessors()) * (words > 16 ? 8 : 16) + 300;
  const std::string a = random_symbols(random, strips * 1024 * words + 5, 4),
                    b = random_symbols(random, 133, 4);
  ASSERT_NO_FATAL_FAILURE(check(a, b, 4, false));
}

INSTANTIATE_TEST_SUITE_P(
    gpu, gpu_lcs_forms,
    testing::Values(
        case_form{lcs_metric::lcs, 2, false, false}, case_form{lcs_metric::lcs, 4, false, false},
        case_form{lcs_metric::lcs, 8, false, false}, case_form{lcs_metric::lcs, 16, false, false},
        case_form{lcs_metric::lcs, 2, false, true}, case_form{lcs_metric::lcs, 4, false, true},
        case_form{lcs_metric::lcs, 8, false, true}, case_form{lcs_metric::lcs, 2, false, false, true},
        case_form{lcs_metric::lcs, 4, false, false, true}, case_form{lcs_metric::lcs, 8, false, false, true},
        case_form{lcs_metric::lcs, 16, false, false, true}, case_form{lcs_metric::edit, 2, false, false},
        case_form{lcs_metric::edit, 4, false, false}, case_form{lcs_metric::edit, 8, false, false},
        case_form{lcs_metric::edit, 8, true, false}, case_form{lcs_metric::edit, 16, true, false},
        case_form{lcs_metric::edit, 32, true, false}),
    name_of);

// Checks the plans for a GPU with 132 multiprocessors.
TEST(lcs_plan, bit_sliced_for_large_edit_tables_over_few_symbols) {
  using weft::lcs_detail::plan_sweep;
  constexpr weft::lcs_detail::device_limits device{0, 132, 232448};
  constexpr std::int64_t large = std::int64_t{1} << 24;
  for (int sigma = 1; sigma <= 256; ++sigma)
    for (const bool kept : {false, true}) {
      const auto plan = plan_sweep(true, kept, large, large, sigma, device);
      EXPECT_EQ(plan.shape.planes, sigma > 8 ? 0 : sigma > 4 ? 3 : 2) << sigma;
      if (kept && sigma <= 8) {
        EXPECT_EQ(plan.shape.words, weft::lcs_detail::kept_sliced_words);
      }
      EXPECT_EQ(plan_sweep(true, kept, 100'000, 100'000, sigma, device).shape.planes, 0);
      EXPECT_EQ(plan_sweep(false, kept, large, large, sigma, device).shape.planes, 0);
    }
}

TEST(lcs_plan, every_card_has_one) {
  for (const int shared_memory : {48 << 10, 64 << 10, 99 << 10, 227 << 10})
    for (const int multiprocessors : {1, 20, 132})
      for (int sigma = 1; sigma <= 256; ++sigma)
        for (const std::int64_t m : {1, 5000, 3'000'000})
          for (const bool edit : {false, true})
            for (const bool kept : {false, true}) {
              const auto plan = weft::lcs_detail::plan_sweep(edit, kept, m, 1'000'000, sigma,
                                                             {0, multiprocessors, shared_memory});
              ASSERT_GT(plan.strips, 0);
              ASSERT_GE(plan.strips * plan.shape.strip_rows(), m);
              ASSERT_GT(plan.launch.blocks, 0);
              ASSERT_GT(plan.launch.warps, 0);
              ASSERT_LE(plan.launch.warps * plan.shape.mask_bytes(sigma), shared_memory);
            }
}

TEST(lcs_plan, the_quicker_text_has_the_rows) {
  using weft::lcs_detail::plan_sweep;
  constexpr weft::lcs_detail::device_limits device{0, 132, 232448};
  for (const bool edit : {false, true})
    for (const int sigma : {4, 20, 256})
      for (const std::int64_t m : {1, 3000, 400'000, 20'000'000})
        for (const std::int64_t n : {1, 5000, 300'000, 17'000'000}) {
          const auto plan = weft::lcs_detail::plan_value(edit, m, n, sigma, device);
          const double straight = plan_sweep(edit, false, m, n, sigma, device).cycles;
          const double turned = plan_sweep(edit, false, n, m, sigma, device).cycles;
          ASSERT_EQ(plan.transposed, turned < straight) << m << " x " << n;
          ASSERT_EQ(plan.sweep.cycles, std::min(straight, turned)) << m << " x " << n;
        }
}

// Two GPUs share only tables so large that a half takes clearly less time than the whole table does on one
// GPU in the form that is the fastest there.
TEST(lcs_plan, half_of_a_large_table_is_worth_another_gpu) {
  using weft::lcs_detail::plan_sweep, weft::lcs_detail::plan_meet;
  constexpr weft::lcs_detail::device_limits device{0, 132, 232448};
  for (const auto& [n, min_speedup] : {std::pair<std::int64_t, double>{1'500'000, 1.4},
                                       {2'000'000, 1.4},
                                       {8'000'000, 1.9},
                                       {16'000'000, 1.93}})
    for (const int sigma : {4, 20}) {
      const double whole = std::min(plan_sweep(false, false, n, n, sigma, device).cycles,
                                    plan_meet(n, n, sigma, device).cycles);
      EXPECT_GT(whole / plan_sweep(false, false, n, n / 2, sigma, device).cycles, min_speedup)
          << n << " symbols below " << sigma;
    }
}

// These tables are large enough for bit-sliced strips, and similar enough for engine furthest-reaching.
TEST(gpu_lcs_plan, device_interface_with_bit_sliced_strips) {
  if (const std::string reason = weft_test::reason_to_skip("systolic"); !reason.empty())
    GTEST_SKIP() << reason;
  std::mt19937_64 random(8);
  const std::string a = random_symbols(random, 5'000'000, 4), b = mutated(random, a, 5000, 4);
  const std::uint64_t expected =
      weft::lcs_value(a, b, weft_test::with("furthest-reaching", lcs_metric::edit));
  const weft::gpu::stream stream;
  weft_test::value_call call(a, b, 4, lcs_metric::edit, stream.get());
  call.enqueue();
  EXPECT_EQ(call.wait(), expected);
}

} // namespace
