// Every form of engine systolic's strips, whatever would be quickest, against engine bit-sliced.
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <test/lcs/lcs_cases.hpp>
#include <weft/base/error.hpp>
#include <weft/lcs/cuda/engines.hpp>

namespace {

using weft::lcs_metric;
using weft::lcs_cuda::gpu_options;
using weft_test::random_symbols;

struct case_form {
  lcs_metric metric;
  int words;
  bool sliced, meet;
};
std::string name_of(const testing::TestParamInfo<case_form>& info) {
  const auto& [metric, words, sliced, meet] = info.param;
  return std::string(metric == lcs_metric::edit ? "edit" : "lcs") + std::to_string(words) +
         (sliced ? "_sliced"
          : meet ? "_meet"
                 : "");
}

class gpu_lcs_forms : public testing::TestWithParam<case_form> {
protected:
  void SetUp() override {
    if (const std::string reason = weft_test::reason_to_skip("systolic"); !reason.empty())
      GTEST_SKIP() << reason;
  }
  static gpu_options options() {
    const auto& [metric, words, sliced, meet] = GetParam();
    gpu_options options;
    options.metric = metric;
    options.form = {words, sliced, meet};
    return options;
  }
  static void check(const std::string& a, const std::string& b, unsigned sigma, bool path,
                    const gpu_options& chosen = options()) {
    const auto codes = [](const std::string& text) {
      return weft::lcs_cuda::codes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    };
    const weft::edit_script expected = weft::lcs(a, b, weft_test::with("bit-sliced", chosen.metric));
    const std::uint64_t distance = expected.insertions + expected.deletions + expected.substitutions;
    ASSERT_EQ(weft::lcs_cuda::systolic_distance(codes(a), codes(b), sigma, chosen), distance)
        << a.size() << " x " << b.size() << " sigma " << sigma;
    if (path)
      ASSERT_EQ(weft::lcs_cuda::systolic_path(codes(a), codes(b), sigma, chosen).runs, expected.runs)
          << a.size() << " x " << b.size() << " sigma " << sigma;
  }
  // What there is no form for: masks of many symbols in 16 words, eight symbols in 32.
  static std::vector<unsigned> alphabets() {
    const auto& [metric, words, sliced, meet] = GetParam();
    if (sliced) return words == 32 ? std::vector{1U, 2U, 4U} : std::vector{1U, 4U, 5U, 8U};
    return words == 16 ? std::vector{1U, 4U, 32U} : std::vector{1U, 4U, 20U, 33U, 256U};
  }
  // Of bit-sliced strips only those of 8 words have checkpoints.
  static bool has_path() { return !GetParam().meet && (!GetParam().sliced || GetParam().words == 8); }
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

TEST_P(gpu_lcs_forms, little_memory_gives_the_same_path) {
  if (!has_path()) GTEST_SKIP() << "values only";
  std::mt19937_64 random(5);
  const std::string a = random_symbols(random, 60000, 4), b = mutated(random, a, 7, 4);
  gpu_options chosen = options();
  for (chosen.device_memory = std::uint64_t{256} << 20; chosen.device_memory > 1 << 20;
       chosen.device_memory /= 2)
    try {
      ASSERT_NO_FATAL_FAILURE(check(a, b, 4, true, chosen));
    } catch (const weft::memory_error&) {
      return;
    }
}

INSTANTIATE_TEST_SUITE_P(
    gpu, gpu_lcs_forms,
    testing::Values(case_form{lcs_metric::lcs, 2, false, false}, case_form{lcs_metric::lcs, 4, false, false},
                    case_form{lcs_metric::lcs, 8, false, false}, case_form{lcs_metric::lcs, 16, false, false},
                    case_form{lcs_metric::lcs, 2, false, true}, case_form{lcs_metric::lcs, 4, false, true},
                    case_form{lcs_metric::lcs, 8, false, true}, case_form{lcs_metric::edit, 2, false, false},
                    case_form{lcs_metric::edit, 4, false, false},
                    case_form{lcs_metric::edit, 8, false, false}, case_form{lcs_metric::edit, 8, true, false},
                    case_form{lcs_metric::edit, 16, true, false},
                    case_form{lcs_metric::edit, 32, true, false}),
    name_of);

} // namespace
