// Compares the estimates by which device auto chooses with what bench/record/gpu-h200-scan.md has.
#include <gtest/gtest.h>
#include <string>
#include <vector>
#include <weft/scan/engines.hpp>

namespace weft::test {

namespace {

using namespace weft::scan_detail;

struct measured_scan {
  std::uint64_t motifs, residues;
  double cpu_seconds, gpu_seconds;
};
constexpr std::uint64_t file = 180'000'000;
// Matches counted by `weft scan --matches count`, with 16 threads.
constexpr measured_scan measured[] = {{131, file, 0.239, 0.608},       {131, 4 * file, 0.883, 1.096},
                                      {1309, file, 0.275, 0.591},      {1309, 4 * file, 0.972, 1.078},
                                      {1309, 16 * file, 3.797, 3.345}, {10'000, file, 1.475, 0.798},
                                      {10'000, 4 * file, 5.426, 1.302}};

motif_set some_motifs(std::uint64_t count) {
  return motif_set(std::vector<motif>(count, parse_motif("R-G-D")));
}

TEST(scan_estimates, follow_the_record) {
  const sequences_view none;
  const part_limits limits;
  const scan_options options{.run = {.threads = 16}};
  for (const measured_scan& each : measured) {
    const motif_set motifs = some_motifs(each.motifs);
    const scan_problem problem{motifs.data(), none, options, each.residues, &limits};
    const double cpu = estimated_scan_seconds(problem, false, 1),
                 gpu = estimated_scan_seconds(problem, true, 1);
    const std::string what =
        std::to_string(each.motifs) + " motifs, " + std::to_string(each.residues) + " residues";
    EXPECT_NEAR(cpu, each.cpu_seconds, 0.25 * each.cpu_seconds) << what;
    EXPECT_NEAR(gpu, each.gpu_seconds, 0.25 * each.gpu_seconds) << what;
    EXPECT_EQ(cpu < gpu, each.cpu_seconds < each.gpu_seconds) << what;
  }
}

// 180 M residues and 9 million matches, both in memory.
TEST(scan_estimates, follow_the_record_in_memory) {
  const sequences_view none;
  const motif_set motifs = some_motifs(1309);
  const scan_problem problem{motifs.data(), none, {}, file};
  const scan_problem nothing{motifs.data(), none, {}, 0};
  const double start = estimated_scan_seconds(nothing, true, 1);
  EXPECT_NEAR(estimated_scan_seconds(problem, true, 1) - start, 0.0285, 0.25 * 0.0285);
}

} // namespace

} // namespace weft::test
