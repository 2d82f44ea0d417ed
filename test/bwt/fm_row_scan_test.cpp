// Checks the scan of a suffix array for an FM-index against plain loops. Any permutation serves as a suffix
// array. Also checks the tables of k-mers that searches make, how many rows a search looks up, and the search
// that takes every step.
#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <string_view>
#include <thread>
#include <weft/bwt/cpu/fm_row_scan.hpp>
#include <weft/bwt/cpu/fm_search.hpp>

#include "bwt_cases.hpp"
#include "fm_cases.hpp"
#include "fm_sums.hpp"

namespace weft::test {

namespace {

using namespace bwt_detail;

template <class Index> void check_divisor(Index divisor, std::mt19937_64& random) {
  const exact_divisor<Index> by(divisor);
  std::vector<Index> numbers = {0, 1, std::numeric_limits<Index>::max()};
  for (int round = 0; round < 50; ++round) {
    const auto any = static_cast<Index>(random() >> (random() % 60));
    for (const Index near : {any, static_cast<Index>(any / divisor * divisor)})
      for (const int more : {-1, 0, 1})
        numbers.push_back(static_cast<Index>(near + static_cast<Index>(more)));
  }
  for (const Index x : numbers) {
    const Index quotient = by.divide(x);
    ASSERT_EQ(by.is_quotient(quotient), x % divisor == 0) << x << " / " << divisor;
    ASSERT_TRUE(x % divisor != 0 || quotient == x / divisor) << x << " / " << divisor;
  }
}

TEST(fm_row_scan, divides_exactly) {
  std::mt19937_64 random(1);
  for (std::uint32_t divisor = 1; divisor <= 1024; ++divisor) {
    check_divisor<std::uint32_t>(divisor, random);
    check_divisor<std::uint64_t>(divisor, random);
  }
}

// A text of DNA in segments, a permutation of its positions, and the plain version of a scan.
template <class Index> struct scanned_text {
  scanned_text(std::mt19937_64& random, std::uint64_t size, std::uint64_t mean_segment)
      : codes(size), rows(size) {
    for (std::uint64_t i = 0; i < size; ++i) {
      if (i == 0 || codes[i - 1] == 0) segments.push_back({i, 0, i});
      const bool ends = i + 1 == size || (i > segments.back().start && random() % mean_segment == 0);
      codes[i] = static_cast<unsigned char>(ends ? 0 : 1 + random() % 4);
    }
    std::iota(rows.begin(), rows.end(), Index{0});
    std::shuffle(rows.begin(), rows.end(), random);
    packed.resize(size / 32 + 2);
  }
  [[nodiscard]] unsigned code_before(std::uint64_t row) const {
    return rows[row] == 0 ? 0 : codes[rows[row] - 1];
  }
  std::vector<unsigned char> codes;
  std::vector<Index> rows;
  std::vector<fm_segment> segments;
  std::vector<std::uint64_t> packed;
};

template <class Index> void check_scan(const scanned_text<Index>& of, std::uint32_t rate, bool dna) {
  const std::uint64_t n = of.rows.size();
  std::vector<std::uint64_t> marks(groups_for(n) * 8, 7), counts(groups_for(n), 7);
  std::vector<Index> samples((n + rate - 1) / rate, 7);
  std::vector<dna_block> blocks(dna ? dna_blocks_for(n) : 0);
  const segment_starts starts(of.segments, n);
  const row_scan<Index> scan{of.rows, exact_divisor<Index>(rate),       starts, marks, counts,
                             samples, dna ? of.packed.data() : nullptr, blocks};
  scan.mark_groups(0, counts.size());
  std::uint64_t num_marks = 0;
  for (std::uint64_t g = 0; g < counts.size(); ++g) {
    std::uint64_t ones = 0;
    for (std::uint64_t row = g * 512; row < g * 512 + 512; ++row) {
      const bool marked = row < n && of.rows[row] % rate == 0;
      ASSERT_EQ((marks[row / 64] >> (row % 64) & 1) != 0, marked) << row << " of " << n;
      ones += marked ? 1 : 0;
    }
    ASSERT_EQ(counts[g], ones);
    counts[g] = num_marks;
    num_marks += ones;
  }
  std::vector<std::uint64_t> open_rows, open_positions;
  base_counts sums;
  for (std::uint64_t first = 0; first <= n; first += scan_chunk) {
    const auto found = scan.scan(first, std::min(n, first + scan_chunk));
    open_rows.insert(open_rows.end(), found.open_rows.begin(), found.open_rows.end());
    open_positions.insert(open_positions.end(), found.open_positions.begin(), found.open_positions.end());
    sums = sums + found.counts;
  }
  std::vector<std::uint64_t> expected_rows, expected_positions;
  std::vector<Index> expected_samples;
  for (std::uint64_t row = 0; row < n; ++row) {
    if (of.code_before(row) == 0) {
      expected_rows.push_back(row);
      expected_positions.push_back(of.rows[row]);
    }
    if (of.rows[row] % rate == 0) expected_samples.push_back(of.rows[row] / rate);
  }
  ASSERT_EQ(open_rows, expected_rows);
  ASSERT_EQ(open_positions, expected_positions);
  ASSERT_EQ(samples, expected_samples);
  base_counts expected_sums;
  for (std::uint64_t b = 0; b < blocks.size(); ++b) {
    std::vector<unsigned char> codes;
    for (std::uint64_t row = b * dna_block_rows; row < std::min(n, (b + 1) * dna_block_rows); ++row)
      codes.push_back(static_cast<unsigned char>(of.code_before(row)));
    const dna_block expected = block_of_codes(codes.data(), static_cast<unsigned>(codes.size()));
    ASSERT_EQ(std::memcmp(&blocks[b], &expected, sizeof expected), 0) << "block " << b << " of " << n;
    expected_sums = expected_sums + counts_of(expected);
  }
  ASSERT_TRUE(sums == expected_sums);
}

template <class Index> void check_scans(std::uint64_t size, std::uint64_t mean_segment) {
  std::mt19937_64 random(size);
  scanned_text<Index> of(random, size, mean_segment);
  pack_codes(of.codes, of.packed, 0, of.packed.size());
  for (std::uint64_t w = 0; w < of.packed.size(); ++w) {
    const std::uint64_t at = std::min(size, w * 32);
    ASSERT_EQ(of.packed[w], packed_codes(of.codes.data() + at,
                                         static_cast<unsigned>(std::min<std::uint64_t>(32, size - at))));
  }
  for (const std::uint32_t rate : {1, 2, 3, 4, 7, 8, 1000, 1024})
    for (const bool dna : {false, true}) check_scan(of, rate, dna);
}

TEST(fm_row_scan, equals_a_plain_loop) {
  for (const std::uint64_t size :
       {0, 2, 63, 64, 65, 127, 191, 192, 193, 319, 320, 321, 511, 512, 513, 1535, 1536, 1537, 5000})
    for (const std::uint64_t mean_segment : {2, 30, 1'000'000}) {
      check_scans<std::uint32_t>(size, mean_segment);
      check_scans<std::uint64_t>(size, mean_segment);
    }
}

TEST(fm_row_scan, equals_a_plain_loop_in_several_chunks) {
  for (const std::uint64_t size : {scan_chunk - 1, scan_chunk, scan_chunk + 1, 2 * scan_chunk + 192})
    check_scans<std::uint32_t>(size, 3000);
}

// The letters of a reference with repeats and other letters, and pieces of it, some with a changed letter.
struct searched_text {
  searched_text(std::uint64_t size, std::uint64_t num_patterns) {
    std::mt19937_64 random(size);
    std::string text = random_text(random, size, "ACGT");
    for (std::uint64_t i = 0; i + 200 < size; i += 400) text.replace(i, 150, text, 100, 150);
    for (std::uint64_t i = 0; i < size; i += 150 + random() % 1000) text[i] = 'N';
    of.add(text.substr(0, size / 3));
    of.add(text.substr(size / 3));
    for (std::uint64_t p = 0; p < num_patterns; ++p) {
      std::string pattern = text.substr(random() % (size - 70), 1 + random() % 70);
      if (random() % 4 == 0) pattern[random() % pattern.size()] = "ACGTN"[random() % 5];
      letters += pattern;
      offsets.push_back(letters.size());
    }
  }
  [[nodiscard]] sequences_view patterns() const { return {letters, offsets}; }
  collection of;
  std::string letters;
  std::vector<std::uint64_t> offsets{0};
};

TEST(fm_long_kmers, have_the_rows_of_backward_search) {
  for (const std::uint64_t size : {1000, 5000, 20'000}) {
    const searched_text given(size, 1);
    const fm_index index = fm_index::build(given.of.references());
    for (const int threads : {1, 3}) {
      fm_long_kmers kmers;
      const fm_kmers before = kmers.table_for(index.parts(), 0, {.threads = threads});
      EXPECT_EQ(before.k, index.parts().kmer_size);
      const fm_kmers none = kmers.table_for(index.parts(), 1 << 20, {.threads = threads, .memory = 1});
      EXPECT_EQ(none.k, index.parts().kmer_size); // there is no memory for it
      const fm_kmers made = kmers.table_for(index.parts(), 1 << 20, {.threads = threads});
      ASSERT_GT(made.k, index.parts().kmer_size);
      EXPECT_LE(std::uint64_t{8} << (2 * made.k), size);
      for (std::uint64_t kmer = 0; kmer < std::uint64_t{1} << (2 * made.k); ++kmer) {
        const kmer_rows expected(index.parts(), made.k, kmer);
        ASSERT_EQ(made.rows[2 * kmer], expected.low);
        ASSERT_EQ(made.rows[2 * kmer + 1], expected.high);
      }
    }
  }
}

// The first search of an index has no table of longer k-mers; a later one has.
TEST(fm_long_kmers, do_not_change_results) {
  for (const std::uint64_t size : {100, 1000, 30'000}) {
    const searched_text given(size, 3000);
    const fm_index index = fm_index::build(given.of.references());
    std::vector<std::uint64_t> one_by_one;
    for (std::uint64_t p = 0; p < given.patterns().count(); ++p)
      one_by_one.push_back(fm_index::from_bytes(index.bytes()).count(given.patterns()[p]));
    const fm_hits hits = fm_index::from_bytes(index.bytes()).locate(given.patterns());
    ASSERT_EQ(hits.totals, one_by_one);
    for (const int threads : {1, 2, 8}) {
      const fm_index copy = fm_index::from_bytes(index.bytes());
      for (int round = 0; round < 3; ++round) {
        ASSERT_EQ(copy.count(given.patterns(), {.run = {.threads = threads}}), one_by_one);
        const fm_hits again = copy.locate(given.patterns(), {.run = {.threads = threads}});
        ASSERT_EQ(again.hits, hits.hits);
        ASSERT_EQ(again.totals, hits.totals);
      }
    }
  }
}

TEST(fm_long_kmers, may_be_made_while_others_search) {
  const searched_text given(30'000, 2000);
  const fm_index index = fm_index::build(given.of.references());
  const std::vector<std::uint64_t> expected = fm_index::from_bytes(index.bytes()).count(given.patterns());
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int round = 0; round < 5; ++round)
        EXPECT_EQ(index.count(given.patterns(), {.run = {.threads = 1}}), expected);
    });
}

// Damages the stored positions of the rows of a pattern, except those of its first `max_hits` rows, so that
// looking up another row throws. Returns the damaged index, which is in `bytes`. The position of every row of
// the index must be stored, in 32 bits.
fm_index damage_other_rows(const fm_index& index, std::string_view pattern, std::uint64_t max_hits,
                           std::vector<std::uint64_t>& bytes) {
  bytes.resize(index.bytes().size() / 8);
  const std::span<char> copy(reinterpret_cast<char*>(bytes.data()), index.bytes().size());
  std::copy(index.bytes().begin(), index.bytes().end(), copy.begin());
  fm_header header{};
  std::memcpy(&header, copy.data(), sizeof header);
  auto* const samples = reinterpret_cast<std::uint32_t*>(
      copy.data() + header.offsets[static_cast<std::size_t>(fm_section::samples)]);
  const fm_parts& parts = index.parts();
  std::uint64_t low = 0, high = parts.num_rows;
  for (std::uint64_t i = pattern.size(); i-- > 0;)
    parts.narrow<true>(parts.code_of_byte[static_cast<unsigned char>(pattern[i])], low, high);
  for (std::uint64_t row = low + max_hits; row < high; ++row) samples[row] = ~std::uint32_t{0};
  put_sums_right(copy);
  return fm_index::from_bytes(copy);
}

TEST(fm_search, looks_up_no_more_rows_than_it_returns) {
  std::mt19937_64 random(5);
  collection of;
  of.add(random_text(random, 20'000, "ACGT"));
  const fm_index index = fm_index::build(of.references(), {.sa_sample_rate = 1});
  for (const std::string pattern : {"A", "CG", "TTC"}) {
    const std::uint64_t total = index.count(pattern);
    ASSERT_GT(total, 100U);
    for (const std::uint64_t max_hits : {0, 1, 2, 100}) {
      std::vector<std::uint64_t> bytes;
      const fm_index damaged = damage_other_rows(index, pattern, max_hits, bytes);
      for (const int threads : {1, 3}) {
        const fm_search_options options = {.max_hits = max_hits, .run = {.threads = threads}};
        const fm_hits actual = damaged.locate(pattern, options);
        EXPECT_EQ(actual.hits, index.locate(pattern, options).hits);
        EXPECT_EQ(actual.hits.size(), max_hits);
        EXPECT_EQ(actual.totals, std::vector<std::uint64_t>{total});
      }
      EXPECT_THROW((void)damaged.locate(pattern, {.max_hits = max_hits + 1}), error);
    }
  }
}

TEST(fm_search, every_step_finds_the_rows_that_are_counted) {
  for (const fm_alphabet alphabet : {fm_alphabet::dna, fm_alphabet::bytes}) {
    const searched_text given(20'000, 5000);
    const fm_index index = fm_index::build(given.of.references(), {.alphabet = alphabet});
    const auto& view = static_cast<const fm_index::view&>(index.parts());
    const fm_patterns patterns(view, given.letters, given.offsets);
    std::vector<fm_interval> intervals(patterns.count());
    take_every_step(view, patterns, intervals);
    const std::vector<std::uint64_t> counts = index.count(given.patterns());
    for (std::uint64_t p = 0; p < counts.size(); ++p) {
      ASSERT_EQ(intervals[p].high - intervals[p].low, counts[p]);
      ASSERT_TRUE(counts[p] == 0 || intervals[p].unmatched == 0);
    }
  }
}

} // namespace

} // namespace weft::test
