// Checks how a batch is cut into ranges and tiles, and that the matches of the ranges are put together in
// order, whatever the sizes and the number of threads.
#include "scan_cases.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <weft/base/error.hpp>
#include <weft/scan/cpu/found_matches.hpp>
#include <weft/scan/entry/ranges.hpp>
#include <weft/scan/scan.hpp>
#include <weft/scan/scanner.hpp>

namespace {

using weft::match_rule;
using weft::match_vector;
using weft::scan_match;
using weft::scan_options;
using weft::scan_detail::cut_ranges;
using weft::scan_detail::found_matches;

TEST(cut_ranges, cuts_between_sequences_and_only_cuts_long_ones) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 3000; ++round) {
    const std::uint64_t size = 1 + random() % 40, longest = 1 + random() % 120;
    std::vector<std::uint64_t> offsets{0};
    while (offsets.size() < 2 + random() % 30) offsets.push_back(offsets.back() + random() % longest);
    if (offsets.back() == 0) continue;
    const std::string residues(offsets.back(), 'A');
    const weft::sequences_view batch{residues, offsets};
    std::uint64_t begin = random() % residues.size(), end = begin + 1 + random() % (residues.size() - begin);
    if (round % 2 == 0) begin = 0, end = residues.size();
    const std::vector<std::uint64_t> cuts = cut_ranges(batch, begin, end, size);
    ASSERT_EQ(cuts.front(), begin);
    ASSERT_EQ(cuts.back(), end);
    for (std::size_t i = 1; i < cuts.size(); ++i) {
      ASSERT_LT(cuts[i - 1], cuts[i]);
      ASSERT_LE(cuts[i] - cuts[i - 1], 2 * size);
      const auto next = std::upper_bound(offsets.begin(), offsets.end(), cuts[i]);
      if (cuts[i] == end || next[-1] == cuts[i]) continue;
      ASSERT_GT(std::min(*next, end) - std::max(next[-1], begin), size) << "a short sequence is cut";
    }
  }
}

TEST(found_matches, are_written_in_order) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 500; ++round) {
    const std::uint64_t first = random() % 5, count = 1 + random() % 6;
    found_matches found(first, first + count);
    match_vector want;
    for (std::uint64_t blocks = random() % 4; blocks > 0; --blocks)
      for (std::uint32_t motif = 0; motif < 4; ++motif)
        for (std::uint64_t i = random() % 4; i > 0; --i) {
          const std::uint64_t sequence = first + random() % count, begin = random() % 8,
                              end = begin + 1 + random() % 4;
          found.add(sequence, motif, begin, end);
          want.push_back({static_cast<std::uint32_t>(sequence), motif, begin, end});
        }
    match_vector have(found.size());
    found.write(have.data());
    std::sort(want.begin(), want.end());
    ASSERT_EQ(have, want);
  }
}

// Returns sequences of random lengths up to `longest`, together `residues` residues.
weft_test::batch random_batch(std::mt19937_64& random, std::uint64_t residues, std::uint64_t longest) {
  weft_test::batch texts;
  while (residues > 0) {
    const std::uint64_t size = std::min(residues, random() % (longest + 1));
    texts.add(weft_test::random_sequence(random, size, "ACDEFGHIKLMNPQRSTVWYX"));
    residues -= size;
  }
  return texts;
}

// The sizes are around those of tiles (8,192 to 32,768 positions) and of ranges (up to 131,072 residues).
TEST(scan_ranges, of_every_size_have_the_matches_of_the_plain_engine) {
  std::mt19937_64 random(3);
  const weft::motif_set motifs = weft_test::motifs_of(
      {"[ST]-x-[RK]", "C-x(2,4)-C", "<M-x(0,2)-A", "[G<]-A", "P-{C}*-W-W", "N-{P}-[ST]-{P}"});
  const scan_options rules[] = {{}, {.overlap = false, .max_x = 1}, {.rule = match_rule::ends}};
  for (const std::uint64_t size : {8192, 16384, 24576, 32768, 65536, 131072, 262144})
    for (const int change : {-1, 0, 1, 300})
      for (const std::uint64_t longest : {700, 40'000, 1'000'000}) {
        const weft_test::batch texts =
            random_batch(random, size + static_cast<std::uint64_t>(change), longest);
        scan_options options = rules[random() % 3];
        options.run.engine = "shift-and";
        options.run.threads = 1;
        const match_vector want = weft::scan(motifs, texts.view(), options);
        std::vector<std::uint64_t> counts(motifs.motifs().size());
        for (const scan_match& match : want) ++counts[match.motif];
        options.run.engine = "bit-stream";
        for (int threads = 1; threads <= 8; threads += 1 + static_cast<int>(random() % 3)) {
          options.run.threads = threads;
          ASSERT_EQ(weft_test::difference(motifs, want, weft::scan(motifs, texts.view(), options)), "")
              << size << " " << change << " " << longest << " " << threads;
          ASSERT_EQ(weft::scan_count(motifs, texts.view(), options), counts);
        }
      }
}

TEST(scan_ranges, of_a_cancelled_scan_end) {
  std::mt19937_64 random(4);
  const weft_test::batch texts = random_batch(random, 1 << 20, 500);
  weft::task_monitor monitor;
  monitor.cancel();
  for (const int threads : {1, 3}) {
    scan_options options;
    options.run.threads = threads;
    options.run.monitor = &monitor;
    const weft::motif_set motifs = weft_test::motifs_of({"A"});
    EXPECT_THROW((void)weft::scan(motifs, texts.view(), options), weft::cancelled_error);
    EXPECT_THROW((void)weft::scan_count(motifs, texts.view(), options), weft::cancelled_error);
  }
}

TEST(scan_parts, adapt_to_the_number_of_matches_and_keep_their_size) {
  const weft::motif_set motifs = weft_test::motifs_of({"x", "x(2)"});
  weft_test::batch texts;
  for (int i = 0; i < 4000; ++i) texts.add("ACDEFGHIKL");
  weft::scanner scanner(motifs, {}, {std::uint64_t{1} << 20, 5000});
  std::size_t largest = 0;
  const auto visit = [&](const weft::scan_part& part) { largest = std::max(largest, part.matches.size()); };
  for (int feed = 0; feed < 4; ++feed) scanner.feed(texts.view(), visit);
  largest = 0;
  scanner.feed(texts.view(), visit); // the first part is as short as the last ones of the calls before
  EXPECT_LE(largest, 4U * 5000);
  EXPECT_EQ(scanner.totals().matches, 5U * 4000 * 19);
}

} // namespace
