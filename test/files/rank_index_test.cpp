// Tests indexes that the ranks of a job make together: their bytes are those of one process. The ranks are
// threads.
#include <algorithm>
#include <atomic>
#include <bit>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/base/sequences.hpp>
#include <weft/bwt/cpu/fm_rows.hpp>
#include <weft/bwt/entry/build_index.hpp>
#include <weft/bwt/fm_index.hpp>
#include <weft/files/ranks/index_rows.hpp>
#include <weft/files/ranks/rank_index.hpp>
#include <weft/files/ranks/rank_output.hpp>
#include <weft/multi/thread_ranks.hpp>

#include "folder_test.hpp"

namespace weft::test {

namespace {

using namespace weft::files;
using multi::communicator;
using multi::run_ranks;
using std::string;

constexpr multi::suffix_limits always{.min_symbols = 1, .min_ranks = 2};

class rank_index_test : public folder_test {
protected:
  // Returns the bytes of the index that ranks make, and what each has sent to do so.
  string index_of(const sequences& references, const fm_build_options& options, int num_ranks,
                  std::vector<multi::traffic>* sent = nullptr,
                  std::uint64_t min_wide = bwt_detail::index_32_limit) {
    if (sent != nullptr) sent->resize(static_cast<std::size_t>(num_ranks));
    std::atomic<int> num_shared{0};
    run_ranks(num_ranks, [&](communicator& ranks) {
      const sequences none;
      rank_output out(ranks, path("out"));
      rank_index index(ranks, ranks.rank() == 0 ? references : none, options, always, min_wide);
      if (!index.is_shared()) return;
      ++num_shared;
      index.write(out);
      if (sent != nullptr) (*sent)[static_cast<std::size_t>(ranks.rank())] = ranks.sent();
      out.commit();
    });
    EXPECT_TRUE(num_shared == num_ranks || num_shared == 0);
    return num_shared > 0 ? text_of("out") : "";
  }

  void expect_same(const sequences& references, fm_build_options options, const string& what) {
    options.run.threads = 2;
    options.run.device = {device_kind::cpu};
    const fm_index alone = fm_index::build(references, options);
    const string expected(alone.bytes().begin(), alone.bytes().end());
    for (const int count : {2, 3, 5, 8})
      EXPECT_TRUE(index_of(references, options, count) == expected) << what << ", " << count << " ranks";
  }
};

string random_text(std::mt19937_64& random, std::size_t size, const string& letters) {
  string text(size, ' ');
  for (char& each : text) each = letters[random() % letters.size()];
  return text;
}

sequences records_of(const std::vector<string>& texts) {
  sequences records;
  for (std::size_t i = 0; i < texts.size(); ++i) records.add(texts[i], "record " + std::to_string(i));
  return records;
}

string all_bytes(std::mt19937_64& random, std::size_t size) {
  string letters(256, ' ');
  for (std::size_t i = 0; i < 256; ++i) letters[i] = static_cast<char>(i);
  return letters + random_text(random, size, letters);
}

TEST_F(rank_index_test, every_index_of_a_few_letters_is_that_of_one_process) {
  for (const auto alphabet : {fm_alphabet::dna, fm_alphabet::protein})
    for (std::size_t size = 1; size <= 4; ++size)
      for (std::uint64_t number = 0; number < std::uint64_t{1} << (2 * size); ++number) {
        string text;
        for (std::size_t i = 0; i < size; ++i) text += "ACGN"[number >> (2 * i) & 3];
        if (text.find_first_not_of('N') == string::npos && alphabet == fm_alphabet::dna) continue;
        const sequences references = records_of({text.substr(0, size / 2), text.substr(size / 2)});
        const fm_build_options options{.alphabet = alphabet, .run = {.device = {device_kind::cpu}}};
        const fm_index alone = fm_index::build(references, options);
        ASSERT_TRUE(index_of(references, options, 3) == string(alone.bytes().begin(), alone.bytes().end()))
            << text;
      }
}

// The numbers of rows are on both sides of the ends of blocks, groups, chunks and shares.
TEST_F(rank_index_test, shares_of_all_sizes_are_joined) {
  std::mt19937_64 random(1);
  for (const std::size_t rows : {191U, 192U, 511U, 512U, 513U, 1535U, 1536U, 1537U, 3071U, 3072U, 4608U,
                                 4609U, 98304U, 98305U, 3U * 98304U, 3U * 98304U + 1U}) {
    const string text = random_text(random, rows - 1, "ACGT"); // and a separator
    expect_same(records_of({text}), {.alphabet = fm_alphabet::dna}, std::to_string(rows) + " bases");
    if (rows < 10000)
      expect_same(records_of({text}), {.alphabet = fm_alphabet::bytes}, std::to_string(rows) + " bytes");
  }
}

TEST_F(rank_index_test, indexes_of_dna_are_those_of_one_process) {
  std::mt19937_64 random(2);
  std::vector<std::vector<string>> all(6);
  all[0] = {random_text(random, 300000, "ACGT")};
  for (int i = 0; i < 2000; ++i) all[1].push_back(random_text(random, random() % 60, "ACGTNacgtR"));
  all[2] = {string(20000, 'A'), string(5000, 'C') + "N" + string(5000, 'C')};
  for (int i = 0; i < 300; ++i) all[3].push_back("GATTACA");
  all[4] = {string(40, 'T') + random_text(random, 2000, "AG"), "N", "", "T"};
  string repeated = random_text(random, 3000, "ACGT");
  for (int i = 0; i < 4; ++i) repeated += repeated;
  all[5] = {repeated};
  for (std::size_t t = 0; t < all.size(); ++t)
    for (const std::uint32_t rate : {0U, 1U, 7U, 1024U})
      for (const bool contexts : {false, true})
        expect_same(records_of(all[t]),
                    {.alphabet = fm_alphabet::dna, .sa_sample_rate = rate, .contexts = contexts},
                    "text " + std::to_string(t) + ", rate " + std::to_string(rate));
}

// A context has a checksum for every 2^21 rows, which lie across the ends of shares.
TEST_F(rank_index_test, contexts_of_many_rows_have_one_checksum) {
  std::mt19937_64 random(3);
  const sequences references = records_of({random_text(random, 4'500'000, "ACGT")});
  const fm_build_options options{
      .alphabet = fm_alphabet::dna, .contexts = true, .run = {.device = {device_kind::cpu}}};
  const fm_index alone = fm_index::build(references, options);
  const string expected(alone.bytes().begin(), alone.bytes().end());
  for (const int count : {2, 3, 5}) EXPECT_TRUE(index_of(references, options, count) == expected) << count;
}

TEST_F(rank_index_test, indexes_of_other_alphabets_are_those_of_one_process) {
  std::mt19937_64 random(4);
  std::vector<std::vector<string>> all(6);
  for (int i = 0; i < 500; ++i)
    all[0].push_back(random_text(random, random() % 100, "ACDEFGHIKLMNPQRSTVWYXacdef*"));
  all[1] = {string(10000, 'M')};
  all[2] = {all_bytes(random, 30000), "", string("\0\xff\0", 3), all_bytes(random, 100)};
  all[3] = {all_bytes(random, 20000).substr(1)};
  all[4] = {random_text(random, 40000, "ab"), "b", "a"};
  for (int i = 0; i < 3000; ++i) all[5].push_back("AB");
  for (std::size_t t = 0; t < all.size(); ++t)
    for (const auto alphabet : {fm_alphabet::protein, fm_alphabet::bytes})
      for (const std::uint32_t rate : {1U, 4U})
        expect_same(records_of(all[t]), {.alphabet = alphabet, .sa_sample_rate = rate},
                    "text " + std::to_string(t) + ", rate " + std::to_string(rate));
}

TEST_F(rank_index_test, rows_may_have_64_bits) {
  std::mt19937_64 random(9);
  const sequences dna = records_of({random_text(random, 100000, "ACGT"), random_text(random, 9000, "ACGTN")}),
                  bytes = records_of({all_bytes(random, 20000), random_text(random, 9000, "AB")});
  for (const sequences* references : {&dna, &bytes}) {
    fm_build_options options{.alphabet = references == &dna ? fm_alphabet::dna : fm_alphabet::bytes,
                             .contexts = references == &dna,
                             .run = {.device = {device_kind::cpu}}};
    base_detail::run_record record(options.run, "symbols");
    const bwt_detail::fm_writer::block alone =
        bwt_detail::build_fm_index_of<std::uint64_t>(*references, options, record);
    EXPECT_TRUE(index_of(*references, options, 3, nullptr, 1) ==
                string(alone.bytes.begin(), alone.bytes.end()));
  }
}

TEST_F(rank_index_test, little_memory_takes_more_rounds_or_the_way_of_one_rank) {
  std::mt19937_64 random(5);
  const sequences references = records_of({random_text(random, 1'000'000, "ACGT")});
  fm_build_options options{.alphabet = fm_alphabet::dna, .run = {.device = {device_kind::cpu}, .threads = 1}};
  const fm_index alone = fm_index::build(references, options);
  const string expected(alone.bytes().begin(), alone.bytes().end());
  std::vector<multi::traffic> in_one_round, in_rounds;
  options.run.memory = std::uint64_t{200} << 20;
  EXPECT_TRUE(index_of(references, options, 3, &in_one_round) == expected);
  options.run.memory = std::uint64_t{10} << 20;
  EXPECT_TRUE(index_of(references, options, 3, &in_rounds) == expected);
  EXPECT_GT(in_rounds[1].calls, in_one_round[1].calls);
  options.run.memory = std::uint64_t{3} << 20;
  EXPECT_EQ(index_of(references, options, 3), "");
}

TEST_F(rank_index_test, an_empty_text_and_a_single_rank_are_not_shared) {
  EXPECT_EQ(index_of(records_of({}), {.alphabet = fm_alphabet::dna}, 3), "");
  EXPECT_EQ(index_of(records_of({"NNN", ""}), {.alphabet = fm_alphabet::dna}, 3), "");
  EXPECT_EQ(index_of(records_of({""}), {.alphabet = fm_alphabet::bytes}, 3), "");
  EXPECT_EQ(index_of(records_of({"ACGT"}), {.alphabet = fm_alphabet::dna}, 1), "");
}

// A rank sends the suffixes of its share of the text to the ranks that sort them, 8 bytes each, and few that
// it has sorted to another one that has their rows; rank 0 also sends the text, packed. Other alphabets send
// each code at every level but the last one.
TEST_F(rank_index_test, each_suffix_travels_once) {
  std::mt19937_64 random(6);
  constexpr std::uint64_t n = 2'000'000, count = 4;
  const std::uint64_t for_steps = 400'000; // counts of buckets, checksums and ends of parts
  for (const bool dna : {true, false}) {
    const string letters = dna ? "ACGT" : "ABCDEFGHIJKLMNO"; // with the separator, 3 and 4 bits
    std::vector<multi::traffic> sent;
    fm_build_options options{.alphabet = dna ? fm_alphabet::dna : fm_alphabet::protein};
    options.run.memory = std::uint64_t{1} << 30;
    options.run.threads = 1;
    ASSERT_NE(index_of(records_of({random_text(random, n, letters)}), options, count, &sent), "");
    for (std::size_t r = 0; r < count; ++r)
      EXPECT_LE(sent[r].bytes,
                8 * n / count + (dna ? 0 : 3 * n / count) + (r == 0 ? n * (dna ? 3 : 4) / 8 : 0) + for_steps)
          << dna << " " << r;
  }
}

TEST_F(rank_index_test, no_file_appears_if_a_rank_fails) {
  std::mt19937_64 random(7);
  const sequences references = records_of({random_text(random, 100000, "ACGT")});
  for (int failing = 0; failing < 3; ++failing) {
    EXPECT_THROW(run_ranks(3,
                           [&](communicator& ranks) {
                             rank_output out(ranks, path("out"));
                             task_monitor monitor;
                             fm_build_options options{.alphabet = fm_alphabet::dna};
                             options.run.monitor = &monitor;
                             rank_index index(ranks, references, options, always);
                             ASSERT_TRUE(index.is_shared());
                             if (ranks.rank() == failing) monitor.cancel();
                             index.write(out);
                             out.commit();
                           }),
                 cancelled_error);
    EXPECT_FALSE(std::filesystem::exists(path("out")));
    EXPECT_TRUE(std::filesystem::is_empty(path("")));
  }
}

// The blocks of a share that lies across the begin of a superblock.
TEST_F(rank_index_test, counts_of_a_share_begin_again_at_a_superblock) {
  using namespace bwt_detail;
  std::mt19937_64 random(8);
  constexpr std::uint64_t rows = 1536 * 70, super_blocks = std::uint64_t{1} << dna_superblock_shift;
  std::vector<std::uint32_t> suffixes(rows); // in any order
  for (std::uint32_t i = 0; i < rows; ++i) suffixes[i] = i;
  std::shuffle(suffixes.begin(), suffixes.end(), random);
  std::vector<std::uint64_t> text(rows / 32 + 2), marks(groups_for(rows) * 8), mark_counts(groups_for(rows));
  for (std::uint64_t& word : text) word = random();
  const std::vector<fm_segment> segments = {{0, 0, 0}, {rows / 2, 1, 0}};
  for (const std::uint64_t blocks_before : {std::uint64_t{0}, std::uint64_t{8}, std::uint64_t{520}}) {
    std::vector<std::uint32_t> samples(rows);
    std::vector<dna_block> blocks(dna_blocks_for(rows));
    std::vector<std::uint64_t> supers(8);
    fm_symbols none;
    const fm_build_options options{.sa_sample_rate = 4, .run = {.threads = 1}};
    fm_row_task<std::uint32_t> task{.symbols = none,
                                    .num_rows = rows,
                                    .segments = segments,
                                    .code_counts = {},
                                    .num_codes = 5,
                                    .kmer_size = 0,
                                    .options = options,
                                    .first_row = {},
                                    .open_rows = {},
                                    .open_positions = {},
                                    .marks = marks,
                                    .mark_counts = mark_counts,
                                    .samples = samples,
                                    .blocks = blocks,
                                    .words = {},
                                    .supers = supers,
                                    .kmers = {},
                                    .packed_text = text,
                                    .contexts = {}};
    row_sections<std::uint32_t> sections(task, rows);
    sections.scan({0, suffixes, true});
    const std::uint64_t first_block = super_blocks - blocks_before;
    const base_counts before{{10, 20, 30, 40}};
    const std::vector<dna_block> own = blocks;
    sections.write_supers(first_block, before);
    if (blocks_before > 0) std::copy_n(std::begin(before.of), 4, supers.begin());
    sections.sum_blocks(first_block, before);
    base_counts sum = before;
    for (std::uint64_t b = 0; b < blocks.size(); ++b) {
      const std::uint64_t super = (first_block + b) >> dna_superblock_shift;
      if (b == blocks_before) { // the first block of superblock 1
        EXPECT_TRUE(std::equal(std::begin(sum.of), std::end(sum.of), supers.begin() + 4));
      }
      for (unsigned base = 0; base < 4; ++base)
        ASSERT_EQ(supers[super * 4 + base] + counts_of(blocks[b]).of[base], sum.of[base]) << b;
      sum = sum + counts_of(own[b]);
    }
  }
}

TEST_F(rank_index_test, shares_cover_all_rows_and_items) {
  for (const std::uint64_t rows : {1U, 191U, 192U, 1535U, 1536U, 1537U, 3072U, 10000U, 98304U})
    for (const int count : {1, 2, 3, 8, 100}) {
      const row_shares shares(rows, count);
      EXPECT_EQ(shares.begin(0), 0U);
      EXPECT_EQ(shares.end(count - 1), rows);
      for (const std::uint64_t unit : {192U, 512U}) {
        std::uint64_t items = 0;
        for (int rank = 0; rank < count; ++rank) {
          EXPECT_EQ(shares.first_item(rank, unit), items);
          items += shares.num_items(rank, unit);
        }
        EXPECT_EQ(items, rows / unit + 1);
      }
    }
}

} // namespace

} // namespace weft::test
