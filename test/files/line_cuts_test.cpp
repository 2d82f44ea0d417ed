// Tests the cuts of the lines of many ranks. The ranks are threads.
#include <algorithm>
#include <gtest/gtest.h>
#include <mutex>
#include <random>
#include <string>
#include <vector>
#include <weft/files/ranks/line_cuts.hpp>
#include <weft/multi/thread_ranks.hpp>

namespace weft::test {

namespace {

using namespace weft::files;
using multi::communicator;
using std::string;

// Returns `count` different lines of `size` bytes in random order.
std::vector<string> random_lines(std::size_t count, std::size_t size) {
  std::mt19937_64 random(3);
  std::vector<string> lines;
  for (std::size_t i = 0; i < count; ++i) {
    lines.push_back(std::to_string(10'000'000 + random() % 10'000'000) + ' ' + std::to_string(i) + ' ');
    lines.back().resize(size, static_cast<char>('a' + i % 26));
  }
  return lines;
}

// How lines were cut: the lines in each part, and the most bytes that a rank has sent.
struct outcome {
  std::vector<std::size_t> parts;
  std::uint64_t sent = 0;
};

// Cuts the lines of `num_ranks` ranks, each of which has a share of them.
outcome cut(std::size_t num_ranks, const std::vector<string>& lines, const line_order& order,
            std::uint64_t memory, std::uint64_t max_pivots = 1 << 16) {
  outcome all{std::vector<std::size_t>(num_ranks)};
  std::vector<std::vector<line_splitter>> found(num_ranks);
  std::mutex mutex;
  multi::run_ranks(static_cast<int>(num_ranks), [&](communicator& ranks) {
    const auto self = static_cast<std::size_t>(ranks.rank());
    std::vector<weighted_line> own;
    for (std::size_t i = lines.size() * self / num_ranks; i < lines.size() * (self + 1) / num_ranks; ++i)
      own.push_back({lines[i], i * 10'000, lines[i].size() + 1});
    found[self] = find_splitters(ranks, own, {.order = order, .max_pivots = max_pivots, .memory = memory});
    const std::lock_guard lock(mutex);
    all.sent = std::max(all.sent, ranks.sent().bytes);
  });
  for (const auto& splitters : found) { // all ranks find the same
    EXPECT_EQ(splitters.size(), num_ranks - 1);
    for (std::size_t i = 0; i < splitters.size(); ++i) {
      EXPECT_EQ(splitters[i].line, found[0][i].line);
      EXPECT_EQ(splitters[i].position, found[0][i].position);
    }
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto is_before = [&](const line_splitter& each) {
      const int compared = order.compare(each.line, lines[i]);
      return compared != 0 ? compared < 0 : each.position <= i * 10'000;
    };
    const auto part = std::partition_point(found[0].begin(), found[0].end(), is_before);
    ++all.parts[static_cast<std::size_t>(part - found[0].begin())];
  }
  return all;
}

} // namespace

// The lines of pivots travel in several groups, and each rank sends a few lines for each cut.
TEST(line_cuts, long_lines_of_many_ranks_need_little_memory) {
  constexpr std::size_t num_ranks = 24, count = 2400, size = 3000;
  const std::vector<string> lines = random_lines(count, size);
  const line_order plain({}), folded({.fold_case = true});
  for (const line_order* order : {&plain, &folded})
    for (const std::uint64_t memory : {std::uint64_t{1}, std::uint64_t{1} << 19}) {
      const outcome all = cut(num_ranks, lines, *order, memory);
      // With keys, each rank uses some of its 100 lines: 64, or as many as fit.
      for (const std::size_t part : all.parts) EXPECT_NEAR(part, count / num_ranks, order->plain() ? 1 : 40);
      EXPECT_LE(all.sent, 6 * num_ranks * (size + 200)) << memory;
    }
}

// If the pivots of all ranks are bounded, the cuts are found in several groups.
TEST(line_cuts, pivots_of_many_ranks_are_bounded) {
  constexpr std::size_t num_ranks = 24, count = 4800;
  const std::vector<string> lines = random_lines(count, 30);
  const std::vector<string> equal(count, "the same");
  for (const std::uint64_t max_pivots : {1, 24, 100})
    for (const auto* each : {&lines, &equal}) {
      const outcome all = cut(num_ranks, *each, line_order({}), 1 << 20, max_pivots);
      for (const std::size_t part : all.parts) EXPECT_NEAR(part, count / num_ranks, 1) << max_pivots;
    }
}

// Lines that stand for others, for want of memory, are chosen without a preference.
TEST(line_cuts, lines_are_thinned_evenly) {
  constexpr std::size_t count = 60'000;
  const line_order numeric({.numeric = true});
  for (const std::size_t part : cut(3, random_lines(count, 40), numeric, 1 << 20).parts)
    EXPECT_NEAR(part, count / 3, count / 60);
}

} // namespace weft::test
