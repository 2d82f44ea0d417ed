// Runs on the CPU the steps that a GPU takes to build an FM-index: each step against a plain loop, and all of
// them, in the order of cuda/fm/fm_build.cpp, against the index itself.
#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <weft/bwt/core/fm_build_steps.hpp>
#include <weft/bwt/cpu/fm_build.hpp>
#include <weft/bwt/cpu/fm_view.hpp>
#include <weft/bwt/suffix_array.hpp>

#include "bwt_cases.hpp"
#include "fm_cases.hpp"

namespace weft::test {

namespace {

using namespace bwt_detail;

// Holds `size` random codes below `sigma`, directly followed by memory that must not be read.
struct some_codes {
  some_codes(std::mt19937_64& random, unsigned size, unsigned sigma)
      : codes(std::make_unique<unsigned char[]>(size)) {
    for (unsigned i = 0; i < size; ++i) codes[i] = static_cast<unsigned char>(random() % sigma);
  }
  std::unique_ptr<unsigned char[]> codes;
  [[nodiscard]] unsigned char operator[](unsigned i) const { return codes[i]; }
};

TEST(fm_build_steps, bits_of_eight_bytes) {
  for (unsigned bits = 0; bits < 256; ++bits) {
    std::uint64_t bytes = 0;
    for (unsigned i = 0; i < 8; ++i) bytes |= static_cast<std::uint64_t>(bits >> i & 1) << (8 * i);
    ASSERT_EQ(gather_bits(bytes), bits);
  }
}

TEST(fm_build_steps, codes_are_packed) {
  std::mt19937_64 random(1);
  for (unsigned count = 0; count <= 32; ++count)
    for (int round = 0; round < 20; ++round) {
      const some_codes some(random, count, 5);
      std::uint64_t expected = 0;
      for (unsigned i = 0; i < count; ++i)
        expected |= static_cast<std::uint64_t>(some[i] == 0 ? 0 : some[i] - 1) << (2 * i);
      ASSERT_EQ(packed_codes(some.codes.get(), count), expected);
    }
}

TEST(fm_build_steps, a_block_of_rows) {
  std::mt19937_64 random(2);
  for (unsigned rows = 0; rows <= 192; ++rows)
    for (int round = 0; round < 10; ++round) {
      some_codes some(random, rows, 5);
      if (round < 5) // few open rows, or none
        for (unsigned i = 0; i < rows; ++i)
          if (some[i] == 0 && random() % 20 != 0) some.codes[i] = 1;
      dna_block expected{};
      std::array<std::uint32_t, 5> counts{};
      for (unsigned i = 0; i < rows; ++i) {
        ++counts[some[i]];
        const unsigned base = some[i] == 0 ? 0 : some[i] - 1;
        expected.low[i / 64] |= static_cast<std::uint64_t>(base & 1) << (i % 64);
        expected.high[i / 64] |= static_cast<std::uint64_t>(base >> 1) << (i % 64);
      }
      const dna_block block = block_of_codes(some.codes.get(), rows);
      for (unsigned w = 0; w < 3; ++w) {
        ASSERT_EQ(block.low[w], expected.low[w]);
        ASSERT_EQ(block.high[w], expected.high[w]);
      }
      for (unsigned base = 0; base < 4; ++base) ASSERT_EQ(counts_of(block).of[base], counts[base + 1]);
      ASSERT_EQ((block.counts[0] & dna_exception_flag) != 0, counts[0] > 0);
      dna_block placed = block;
      set_counts(placed, {{5'000'000'007, 6, 7, 5'000'000'000}}, {{5'000'000'000, 6, 0, 4'000'000'000}});
      EXPECT_EQ(placed.counts[0], 7 | (block.counts[0] & dna_exception_flag));
      EXPECT_EQ(placed.counts[1], 0U);
      EXPECT_EQ(placed.counts[2], 7U);
      EXPECT_EQ(placed.counts[3], 1'000'000'000U);
    }
}

TEST(fm_build_steps, a_level_of_a_matrix) {
  std::mt19937_64 random(3);
  for (const unsigned rows : {0U, 1U, 7U, 8U, 63U, 64U, 65U, 511U, 512U, 513U, 3000U}) {
    const some_codes some(random, rows, 256);
    const std::uint64_t groups = groups_for(rows);
    for (int shift = 0; shift < 8; ++shift) {
      std::vector<std::uint64_t> words(groups * 8), counts(groups);
      for (unsigned w = 0; w < words.size(); ++w) {
        const unsigned at = std::min(rows, w * 64);
        words[w] = level_word(some.codes.get() + at, std::min(rows - at, 64U), shift);
      }
      std::uint64_t ones = 0;
      for (std::uint64_t g = 0; g < groups; ++g) {
        counts[g] = ones;
        ones += ones_of_group(words.data() + g * 8);
      }
      std::vector<unsigned char> expected(some.codes.get(), some.codes.get() + rows), moved(rows);
      std::stable_partition(expected.begin(), expected.end(),
                            [&](unsigned char code) { return (code >> shift & 1) == 0; });
      const wavelet_matrix matrix{words.data(), counts.data(), nullptr, groups, 1};
      for (unsigned i = 0; i < rows; ++i) moved[next_level_position(matrix, 0, rows - ones, i)] = some[i];
      ASSERT_EQ(moved, expected);
    }
  }
}

// Checks all k-mers, including those that do not occur.
TEST(fm_build_steps, rows_of_kmers) {
  std::mt19937_64 random(4);
  for (const char* letters : {"ACGT", "ACGTN", "AC", "AN"}) {
    collection of;
    for (const std::size_t size : {300, 1, 0, 200}) of.add(random_text(random, size, letters));
    std::string text;
    for (std::uint64_t r = 0; r < of.names.size(); ++r)
      for (const char c : of.record(r) + "N")
        if (c != 'N' || (!text.empty() && text.back() != '\0')) text += c == 'N' ? '\0' : c;
    std::vector<std::string> suffixes;
    for (std::size_t i = 0; i < text.size(); ++i) suffixes.push_back(text.substr(i));
    std::sort(suffixes.begin(), suffixes.end());
    const fm_index index = fm_index::build(of.references());
    for (std::uint32_t k = 1; k <= 4; ++k)
      for (std::uint64_t x = 0; x < std::uint64_t{1} << (2 * k); ++x) {
        std::string kmer;
        for (std::uint32_t i = k; i-- > 0;) kmer += "ACGT"[x >> (2 * i) & 3];
        const auto behind = [&](const std::string& bound) {
          return static_cast<std::uint64_t>(std::lower_bound(suffixes.begin(), suffixes.end(), bound) -
                                            suffixes.begin());
        };
        const kmer_rows rows(index.parts(), k, x);
        ASSERT_EQ(rows.low, behind(kmer));
        ASSERT_EQ(rows.high, behind(kmer + "~"));
      }
  }
}

// Repeats what cuda/fm/fm_build.cpp does, row by row, in blocks of `rows_of_block` rows.
struct by_blocks {
  by_blocks(std::string_view symbols, std::uint32_t rate, std::uint64_t rows_of_block)
      : marks(groups_for(symbols.size()) * 16) {
    const std::vector<std::uint32_t> sa = suffix_array(symbols, {.run = {.device = {device_kind::cpu, 0}}});
    const std::uint64_t n = sa.size();
    for (std::uint64_t first = 0; first < n; first += rows_of_block) {
      const std::uint64_t behind = std::min(n, first + rows_of_block);
      for (std::uint64_t warp = first / 32 * 32; warp < behind; warp += 32)
        for (std::uint64_t row = warp; row < warp + 32; ++row)
          if (row >= first && row < behind && sa[row] % rate == 0) marks[row / 32] |= 1U << (row % 32);
      for (std::uint64_t row = first; row < behind; ++row) {
        const std::uint64_t at = sa[row];
        transform.push_back(static_cast<unsigned char>(symbols[at == 0 ? n - 1 : at - 1]));
        if (at % rate == 0) samples.push_back(static_cast<std::uint32_t>(at / rate));
        if (transform.back() != 0) continue;
        open_rows.push_back(row);
        open_positions.push_back(at);
      }
    }
  }
  std::vector<std::uint32_t> marks, samples; // marks are 32-bit halves of words
  std::vector<unsigned char> transform;
  std::vector<std::uint64_t> open_rows, open_positions;
};

template <class T> std::vector<T> section_of(const fm_index& index, fm_section which) {
  fm_header header{};
  std::memcpy(&header, index.bytes().data(), sizeof header);
  const auto s = static_cast<std::size_t>(which);
  std::vector<T> items(header.sizes[s] / sizeof(T));
  if (!items.empty()) std::memcpy(items.data(), index.bytes().data() + header.offsets[s], header.sizes[s]);
  return items;
}

void check_ranks(const fm_index& index, const by_blocks& built) {
  const std::uint64_t n = built.transform.size();
  std::vector<dna_block> blocks;
  std::vector<base_counts> sums;
  for (std::uint64_t b = 0; b < dna_blocks_for(n); ++b) {
    const std::uint64_t at = b * dna_block_rows;
    blocks.push_back(
        block_of_codes(built.transform.data() + at, static_cast<unsigned>(std::min(n - at, dna_block_rows))));
    sums.push_back(b == 0 ? counts_of(blocks[0]) : sums[b - 1] + counts_of(blocks[b]));
  }
  for (std::uint64_t b = 0; b < blocks.size(); ++b)
    set_counts(blocks[b], b == 0 ? base_counts() : sums[b - 1], base_counts());
  const auto expected = section_of<dna_block>(index, fm_section::ranks);
  ASSERT_EQ(expected.size(), blocks.size());
  ASSERT_EQ(std::memcmp(expected.data(), blocks.data(), blocks.size() * sizeof(dna_block)), 0);
  const auto supers = section_of<std::uint64_t>(index, fm_section::rank_supers);
  ASSERT_EQ(supers, std::vector<std::uint64_t>(4));
}

TEST(fm_build_steps, rows_in_blocks) {
  std::mt19937_64 random(5);
  for (const auto& [letters, alphabet] : kinds_of_letters())
    for (const std::size_t size : {5, 63, 64, 65, 700})
      for (const std::uint32_t rate : {1U, 3U, 16U}) {
        const collection of = repetitive_records(random, 7, size, letters, alphabet);
        const sequences_view references = of.references();
        const fm_extent extent = extent_of(references, alphabet, {.threads = 1});
        if (extent.num_codes > 256) continue; // texts with more codes are sorted on the CPU
        fm_symbols symbols(extent.symbols);
        std::string kept(alphabet == fm_alphabet::dna ? 0 : extent.symbols, '\0');
        std::vector<fm_segment> segments(extent.segments);
        std::vector<fm_run> runs(extent.runs);
        code_references(references, alphabet, extent, {symbols, kept, segments, runs}, {.threads = 1});
        const fm_index index = fm_index::build(references, {.alphabet = alphabet, .sa_sample_rate = rate});
        for (const std::uint64_t rows : {1, 31, 32, 33, 100, 1000, 100'000}) {
          const by_blocks built({reinterpret_cast<const char*>(symbols.data()), symbols.size()}, rate, rows);
          ASSERT_EQ(section_of<std::uint32_t>(index, fm_section::marks), built.marks);
          ASSERT_EQ(section_of<std::uint32_t>(index, fm_section::samples), built.samples);
          ASSERT_EQ(section_of<std::uint64_t>(index, fm_section::open_rows), built.open_rows);
          ASSERT_EQ(section_of<std::uint64_t>(index, fm_section::open_positions), built.open_positions);
          if (alphabet == fm_alphabet::dna) {
            ASSERT_NO_FATAL_FAILURE(check_ranks(index, built));
          }
        }
      }
}

} // namespace

} // namespace weft::test
