// Checks the search by windows and the contexts of an index.
#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/bwt/cpu/fm_build.hpp>
#include <weft/bwt/cpu/near_search.hpp>
#include <weft/bwt/fm_index.hpp>

#include "fm_sums.hpp"
#include "near_cases.hpp"

namespace weft::test {

namespace {

fm_index index_of(const std::vector<std::string>& records, bool contexts, int threads = 1) {
  sequences batch;
  for (const std::string& record : records) batch.add(record);
  return fm_index::build(batch,
                         {.contexts = contexts, .run = {.device = {device_kind::cpu}, .threads = threads}});
}
const fm_index::view& view_of(const fm_index& index) {
  return static_cast<const fm_index::view&>(index.parts());
}

// Returns records with repeats, with N and other letters, and some that are short.
std::vector<std::string> random_records(std::mt19937& random) {
  std::vector<std::string> records;
  const unsigned rare = 2 + random() % 300;
  for (unsigned r = 0; r < 1 + random() % 5; ++r)
    records.push_back(random_letters(random, random() % (r == 0 ? 3000 : 60), rare, "NACGTR"));
  for (int copies = 0; copies < 3 && !records[0].empty(); ++copies)
    records[0] += records[0].substr(random() % records[0].size(), 200);
  if (random() % 2 == 0)
    records[0] += std::string(random() % 80, 'N') + random_letters(random, 100, rare, "N");
  return records;
}

// Returns a pattern of 8 letters or more, a changed copy of a stretch of the records or a random one.
std::string random_pattern(std::mt19937& random, const std::vector<std::string>& records,
                           unsigned max_distance) {
  const std::size_t size = std::max<std::size_t>(8, max_distance + 1) + random() % 26;
  const std::string& from = records[random() % records.size()];
  if (from.size() < size) return random_letters(random, size, 12, "NRAC");
  std::string pattern = from.substr(random() % (from.size() - size + 1), size);
  for (unsigned i = 0; i < random() % (max_distance + 2); ++i)
    pattern[random() % size] = "ACGTRN"[random() % 6];
  return pattern;
}

} // namespace

TEST(near_windows, find_what_a_scan_finds) {
  std::mt19937 random(41);
  std::size_t num_searched = 0; // strands that were searched by windows
  for (int round = 0; round < 80; ++round) {
    const std::vector<std::string> records = random_records(random);
    const fm_index index = index_of(records, true);
    const near_options options{.max_distance = static_cast<unsigned>(round) % 7,
                               .both_strands = true,
                               .iupac = random() % 2 == 0,
                               .exact_prefix = random() % 3 == 0 ? random() % 9 : 0U,
                               .exact_suffix = random() % 3 == 0 ? random() % 9 : 0U,
                               .run = {.threads = 1}};
    sequences patterns;
    for (int p = 0; p < 20; ++p) patterns.add(random_pattern(random, records, options.max_distance));
    const bwt_detail::near_patterns coded(patterns, 0, patterns.count(), options);
    const std::vector<bwt_detail::near_strand> possible = possible_strands(coded, options.max_distance);
    bwt_detail::near_collector by_scan(patterns.count(), options), by_windows(patterns.count(), options);
    bwt_detail::search_by_scan(view_of(index), possible, options, by_scan);
    const near_hits expected = by_scan.finish();
    // In a text as large as this, all other methods take longer.
    bwt_detail::near_costs costs(view_of(index), options, std::uint64_t{1} << (30 + round % 10));
    std::vector<bwt_detail::near_strand> found_by_windows;
    const std::vector<bwt_detail::near_strand> left =
        bwt_detail::search_by_windows(view_of(index), possible, options, costs, by_windows, found_by_windows);
    ASSERT_EQ(left.size() + found_by_windows.size(), possible.size());
    num_searched += found_by_windows.size();
    bwt_detail::search_other_letters(view_of(index), found_by_windows, options, by_windows);
    bwt_detail::search_by_scan(view_of(index), left, options, by_windows);
    const near_hits found = by_windows.finish();
    ASSERT_EQ(found.begin, expected.begin) << round;
    ASSERT_EQ(found.record, expected.record);
    ASSERT_EQ(found.distance, expected.distance);
    ASSERT_EQ(found.reverse, expected.reverse);
    ASSERT_EQ(found.totals, expected.totals);
  }
  EXPECT_GT(num_searched, 1500U);
}

// The contexts of rows are the letters of the text, or are marked as incomplete.
TEST(near_windows, contexts_of_rows) {
  std::mt19937 random(42);
  for (int round = 0; round < 40; ++round) {
    const fm_index index = index_of(random_records(random), true, 1 + round % 3);
    const fm_index::view& view = view_of(index);
    ASSERT_TRUE(index.has_contexts());
    std::vector<std::uint64_t> contexts;
    for (std::size_t s = 0; s < view.segments.size(); ++s) {
      const std::uint64_t begin = view.segments[s].start, end = begin + bwt_detail::segment_size(view, s);
      for (std::uint64_t p = begin; p <= end; ++p) { // the separator is the last one
        std::uint64_t context = 0;
        if (p < begin + 15 || p + 24 > end) {
          context = std::uint64_t{1} << 30;
        } else {
          for (unsigned slot = 0; slot < 32; ++slot) {
            if (slot == 15) continue;
            const std::uint64_t at = slot < 15 ? p - 15 + slot : p + 8 + (slot - 16);
            context |= (view.packed_text[at / 32] >> (2 * (at % 32)) & 3) << (2 * slot);
          }
        }
        contexts.push_back(context);
      }
    }
    std::vector<std::uint64_t> stored(view.contexts, view.contexts + view.num_rows);
    std::sort(contexts.begin(), contexts.end());
    std::sort(stored.begin(), stored.end());
    ASSERT_EQ(stored, contexts);
    std::vector<std::uint64_t> from_index(view.num_rows);
    bwt_detail::write_contexts(view, from_index, {.threads = 1 + round % 3});
    ASSERT_TRUE(std::equal(from_index.begin(), from_index.end(), view.contexts));
  }
}

TEST(near_windows, an_index_with_contexts_is_whole) {
  std::mt19937 random(43);
  const std::vector<std::string> records = {random_letters(random, 5000, 100, "N")};
  const fm_index plain = index_of(records, false), index = index_of(records, true);
  EXPECT_FALSE(plain.has_contexts());
  EXPECT_EQ(index.bytes().size() % 64, 0U);
  const std::vector<char> bytes(index.bytes().begin(), index.bytes().end());
  std::vector<std::uint64_t> copy(bytes.size() / 8);
  const auto open = [&](std::size_t size) {
    return fm_index::from_bytes({reinterpret_cast<const char*>(copy.data()), size});
  };
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(copy.data()));
  EXPECT_TRUE(open(bytes.size()).has_contexts());
  for (const std::size_t missing :
       {std::size_t{8}, std::size_t{64}, std::size_t{4096}, std::size_t{5000 * 8}})
    EXPECT_THROW((void)open(bytes.size() - missing), error) << missing;
  for (const std::size_t at : {copy.size() - 1, copy.size() - 4000}) {
    copy[at] ^= 4;
    EXPECT_THROW((void)open(bytes.size()), error) << at;
    copy[at] ^= 4;
  }
  copy.push_back(0);
  EXPECT_THROW((void)open(bytes.size() + 8), error);
}

// A search in an index whose checksums are right, but whose contents are not, reads nothing outside of it.
TEST(near_windows, of_a_damaged_index) {
  std::mt19937 random(44);
  const std::vector<std::string> records = {random_letters(random, 3000, 100, "N"), "ACGTTGCA",
                                            "GATTACATTACA"};
  const fm_index index = index_of(records, true);
  sequences patterns;
  for (int p = 0; p < 6; ++p) patterns.add(random_pattern(random, records, 3));
  const near_options options{.max_distance = 3, .both_strands = true, .run = {.threads = 1}};
  std::size_t num_opened = 0;
  for (int round = 0; round < 60; ++round) {
    std::vector<std::uint64_t> words(index.bytes().size() / 8);
    const std::span<char> bytes(reinterpret_cast<char*>(words.data()), index.bytes().size());
    std::copy(index.bytes().begin(), index.bytes().end(), bytes.begin());
    const std::uint64_t rows = view_of(index).num_rows, kmers = std::uint64_t{1} << 16;
    const auto section = static_cast<std::size_t>(bwt_detail::fm_section::kmers);
    auto* const entries =
        reinterpret_cast<std::uint32_t*>(bytes.data() + view_of(index).header.offsets[section]);
    for (int change = 0; change < 3000; ++change) { // in a table whose entries keep to what is checked
      const std::uint64_t low = random() % (rows + 1), high = low + random() % (rows + 1 - low);
      const std::uint64_t kmer = random() % kmers;
      entries[2 * kmer] = static_cast<std::uint32_t>(low);
      entries[2 * kmer + 1] = static_cast<std::uint32_t>(high);
      words[words.size() - 8 - random() % (rows - 8)] = random(); // a context
    }
    put_sums_right(bytes);
    try {
      const fm_index damaged = fm_index::from_bytes(bytes);
      ++num_opened;
      bwt_detail::near_costs costs(view_of(damaged), options, std::uint64_t{1} << 40);
      bwt_detail::near_collector hits(patterns.count(), options);
      const bwt_detail::near_patterns coded(patterns, 0, patterns.count(), options);
      std::vector<bwt_detail::near_strand> found;
      (void)bwt_detail::search_by_windows(view_of(damaged), coded.strands(), options, costs, hits, found);
      bwt_detail::search_other_letters(view_of(damaged), found, options, hits);
    } catch (const error&) {
    }
  }
  EXPECT_EQ(num_opened, 60U);
}

// Contexts are for DNA alone, and an index without letters can have them.
TEST(near_windows, other_references) {
  sequences proteins;
  proteins.add("MKVLA");
  EXPECT_FALSE(
      fm_index::build(proteins, {.alphabet = fm_alphabet::protein, .contexts = true}).has_contexts());
  sequences patterns;
  patterns.add("ACGTACGTACGT");
  for (const std::vector<std::string>& records :
       {std::vector<std::string>{}, std::vector<std::string>{""}, std::vector<std::string>{"NNNN"}}) {
    const near_hits hits = index_of(records, true).locate_near(patterns, {.max_distance = 2});
    EXPECT_TRUE(hits.begin.empty());
  }
  EXPECT_EQ(index_of({"ACGTACGTACGNACGTAC"}, true).locate_near(patterns, {.max_distance = 1}).begin,
            (unwritten_vector<std::uint64_t>{0, 4}));
}

// The windows of a strand leave no occurrence out: the numbers of their mismatches plus one sum up to more
// than the distance.
TEST(near_windows, choice_of_windows) {
  const near_options options{.iupac = true, .exact_suffix = 2};
  sequences patterns;
  patterns.add("ACGTTGCATGCCATGACTGANGG");
  const bwt_detail::near_patterns coded(patterns, 0, 1, options);
  for (unsigned k = 0; k <= max_near_distance; ++k)
    for (const double rows : {1e6, 6.4e7, 1e9, 1e11}) {
      const bwt_detail::near_windows chosen =
          bwt_detail::choose_windows(coded.strands()[0], k, {rows, 12, 0.001});
      std::uint32_t end = 0;
      unsigned sum = 0;
      for (const bwt_detail::near_window& window : chosen.windows) {
        EXPECT_GE(window.begin, end);
        EXPECT_GE(window.size, 8U);
        EXPECT_LE(window.size, 12U);
        end = window.begin + window.size;
        sum += window.max_mismatches + 1;
      }
      EXPECT_LE(end, 23U);
      EXPECT_EQ(sum, k + 1);
    }
}

} // namespace weft::test
