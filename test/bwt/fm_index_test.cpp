// Checks fm_index against a search by hand.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <utility>
#include <weft/base/error.hpp>
#include <weft/bwt/core/dna_rank.hpp>
#include <weft/bwt/cpu/fm_build.hpp>
#include <weft/bwt/fm_index.hpp>

#include "bwt_cases.hpp"
#include "fm_cases.hpp"
#include "fm_sums.hpp"

namespace weft::test {

namespace {

TEST(dna_rank, counts_what_is_there) {
  std::mt19937_64 random(1);
  bwt_detail::dna_block block{};
  std::vector<unsigned> bases;
  for (unsigned row = 0; row < 192; ++row) {
    bases.push_back(static_cast<unsigned>(random() % 4));
    block.low[row / 64] |= static_cast<std::uint64_t>(bases[row] & 1) << (row % 64);
    block.high[row / 64] |= static_cast<std::uint64_t>(bases[row] >> 1) << (row % 64);
  }
  for (unsigned rows = 0; rows <= 192; ++rows)
    for (unsigned base = 0; base < 4; ++base)
      ASSERT_EQ(bwt_detail::count_in_block(block, base, rows),
                std::count(bases.begin(), bases.begin() + rows, base));
  for (unsigned row = 0; row < 192; ++row) ASSERT_EQ(bwt_detail::base_in_block(block, row), bases[row]);
}

// Indexes every text of up to six letters, split into two records at every second position, and searches for
// every pattern of up to three letters.
TEST(fm_index, of_every_short_text) {
  std::vector<std::string> patterns;
  for (const char* letters : {"AC", "AN"})
    for_all_texts(2, 3, [&](std::string pattern) {
      for (char& c : pattern) c = letters[c - 'a'];
      patterns.push_back(pattern);
    });
  for_all_texts(3, 6, [&](std::string text) {
    for (char& c : text) c = "ACN"[c - 'a'];
    for (std::size_t cut = 0; cut <= text.size(); cut += 2) {
      collection of;
      of.add(text.substr(0, cut));
      of.add(text.substr(cut));
      for (const fm_alphabet alphabet : {fm_alphabet::dna, fm_alphabet::protein})
        check(of, patterns, alphabet, 2, {.run = {.threads = 1}});
    }
  });
}

TEST(fm_index, of_nothing) {
  collection nothing, empty_record, no_bases;
  empty_record.add("");
  no_bases.add("NNN");
  no_bases.add("");
  for (const fm_alphabet alphabet : {fm_alphabet::dna, fm_alphabet::protein, fm_alphabet::bytes})
    for (const collection& of : {nothing, empty_record, no_bases})
      check(of, {"", "A", "N", "ACGT"}, alphabet, 16, {.run = {.threads = 1}});
}

TEST(fm_index, of_random_and_repetitive_references) {
  std::mt19937_64 random(7);
  for (const auto& [letters, alphabet] : kinds_of_letters())
    for (const int records : {1, 3, 200})
      for (const std::size_t size : {5, 191, 193, 2000}) {
        const collection of = repetitive_records(random, records, size, letters, alphabet);
        for (const std::uint32_t rate : {1U, 16U})
          check(of, patterns_for(random, of, letters), alphabet, rate, {.run = {.threads = 3}});
      }
}

TEST(fm_index, of_texts_that_are_hard_to_sort) {
  std::mt19937_64 random(8);
  for (const auto& [name, text] : texts(4000)) {
    collection of;
    of.add(text);
    check(of, patterns_for(random, of, text), fm_alphabet::bytes, 5, {.run = {.threads = 2}});
  }
  for (const std::string& text :
       {std::string(50'000, 'A'), std::string(20'000, 'A') + "C" + std::string(20'000, 'A')}) {
    collection of;
    of.add(text);
    check(of, {"A", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "AC", "CA", std::string(20'001, 'A'), "T"},
          fm_alphabet::dna, 16, {.run = {.threads = 2}});
  }
}

TEST(fm_index, extract_gives_back_any_part) {
  collection of;
  of.add("ACGTNNRYACGTnnacgt");
  of.add("");
  of.add("NNACGT");
  of.add("TTTT");
  for (const fm_alphabet alphabet : {fm_alphabet::dna, fm_alphabet::protein, fm_alphabet::bytes}) {
    const fm_index index = fm_index::build(of.references(), {.alphabet = alphabet});
    for (std::uint64_t r = 0; r < 4; ++r) {
      const std::string record = folded(of.record(r), alphabet);
      for (std::uint64_t begin = 0; begin <= record.size(); ++begin)
        for (std::uint64_t end = begin; end <= record.size(); ++end)
          ASSERT_EQ(index.extract(r, begin, end), record.substr(begin, end - begin));
      EXPECT_THROW((void)index.extract(r, 0, record.size() + 1), std::invalid_argument);
    }
    EXPECT_THROW((void)index.extract(4, 0, 0), std::invalid_argument);
  }
}

// Changes single bytes of an index that is stored at its own address. Each change must be refused.
TEST(fm_index, refuses_damaged_bytes) {
  for (const fm_alphabet alphabet : {fm_alphabet::dna, fm_alphabet::protein}) {
    collection of;
    of.add("ACGTNACGTTAGGAT");
    of.add("GATTACA");
    const fm_index index = fm_index::build(of.references(), {.alphabet = alphabet});
    std::vector<std::uint64_t> storage(index.bytes().size() / 8 + 2);
    auto* bytes = reinterpret_cast<char*>(storage.data());
    const std::size_t n = index.bytes().size();
    std::memcpy(bytes, index.bytes().data(), n);
    const fm_index copy = fm_index::from_bytes({bytes, n});
    EXPECT_EQ(copy.count({"GATTACA", std::vector<std::uint64_t>{0, 7}}), std::vector<std::uint64_t>{1});
    for (std::size_t i = 0; i < n; ++i) {
      bytes[i] = static_cast<char>(bytes[i] ^ 4);
      EXPECT_THROW((void)fm_index::from_bytes({bytes, n}), error) << i;
      bytes[i] = static_cast<char>(bytes[i] ^ 4);
    }
    for (std::size_t size = 0; size < n; ++size)
      EXPECT_THROW((void)fm_index::from_bytes({bytes, size}), error) << size;
    EXPECT_THROW((void)fm_index::from_bytes({bytes, n + 8}), error);
    EXPECT_THROW((void)fm_index::from_bytes({bytes + 1, n}), std::invalid_argument);
  }
}

// Checks damage that the checksums do not show: an impossible word is refused when the index is opened, or
// when a search follows it to an invalid position.
TEST(fm_index, refuses_parts_that_do_not_fit) {
  using bwt_detail::fm_section;
  std::mt19937_64 random(9);
  for (const fm_alphabet alphabet : {fm_alphabet::dna, fm_alphabet::protein}) {
    collection of;
    of.add(random_text(random, 1500, "ACGT"));
    of.add("ACGTNNRRRACGTNACGT");
    of.add(random_text(random, 20, "ACGT"));
    const fm_index index = fm_index::build(of.references(), {.alphabet = alphabet});
    const std::string good(index.bytes().data(), index.bytes().size());
    bwt_detail::fm_header header{};
    std::memcpy(&header, good.data(), sizeof header);
    std::vector<std::uint64_t> storage(good.size() / 8);
    const std::span<char> bytes(reinterpret_cast<char*>(storage.data()), good.size());
    std::uint64_t led_nowhere = 0;
    for (std::size_t s = 0; s < bwt_detail::num_fm_sections; ++s) {
      const auto section = static_cast<fm_section>(s);
      // any content of these sections is valid
      if (section == fm_section::names || section == fm_section::text) continue;
      for (std::uint64_t at = 0; at + 8 <= header.sizes[s]; at += 8) {
        std::copy(good.begin(), good.end(), bytes.begin());
        // Tries all bits, but only one of each word of ranks, because an inverted word of the matrix can have
        // the same number of ones.
        for (std::uint64_t i = at; i < at + (section == fm_section::ranks ? 1 : 8); ++i)
          bytes[header.offsets[s] + i] =
              static_cast<char>(bytes[header.offsets[s] + i] ^ (section == fm_section::ranks ? 1 : 255));
        put_sums_right(bytes);
        if (section == fm_section::samples) { // positions of separators are never read
          const fm_index other = fm_index::from_bytes(bytes);
          try {
            (void)other.locate({"ACGT", std::vector<std::uint64_t>{0, 1, 2, 3, 4}});
          } catch (const error&) {
            ++led_nowhere;
          }
        } else {
          EXPECT_THROW((void)fm_index::from_bytes(bytes), error) << "section " << s << ", byte " << at;
        }
      }
    }
    EXPECT_GE(led_nowhere, header.sizes[static_cast<std::size_t>(fm_section::samples)] / 8 - 2);
    const auto change = [&](fm_section section, std::uint64_t word, std::uint64_t value) {
      std::copy(good.begin(), good.end(), bytes.begin());
      std::memcpy(bytes.data() + header.offsets[static_cast<std::size_t>(section)] + 8 * word, &value, 8);
      put_sums_right(bytes);
      EXPECT_THROW((void)fm_index::from_bytes(bytes), error) << static_cast<int>(section) << ' ' << word;
    };
    change(fm_section::record_offsets, 1, 1400); // the end of the first record: its segment does not fit
    // makes runs of letters overlap
    if (alphabet == fm_alphabet::dna) change(fm_section::other_letters, 1, 3);
  }
}

TEST(fm_index, refuses_wrong_arguments) {
  collection of;
  of.add("ACGT");
  const std::vector<std::uint64_t> bad = {0, 3};
  EXPECT_THROW((void)fm_index::build({of.text, bad, of.names}), std::invalid_argument);
  EXPECT_THROW((void)fm_index::build({of.text, of.offsets, std::vector<std::string>(2)}),
               std::invalid_argument);
  EXPECT_THROW((void)fm_index::build(of.references(), {.sa_sample_rate = 1025}), std::invalid_argument);
  const fm_index index = fm_index::build(of.references());
  EXPECT_THROW((void)index.count({"ACGT", bad}), std::invalid_argument);
}

// Checks that the counts of bases restart at each superblock of 1.6 G rows.
TEST(large, dna_of_several_superblocks) {
  if (std::getenv("WEFT_TEST_LARGE") == nullptr) GTEST_SKIP() << "WEFT_TEST_LARGE is not set: takes 15 GB";
  constexpr std::uint64_t k = 14, n = 1'700'000'000;
  collection of;
  std::mt19937_64 random(1);
  of.text.resize(n);
  for (std::uint64_t i = 0; i < n; i += 32)
    for (std::uint64_t bits = random(), j = i; j < std::min(n, i + 32); ++j, bits >>= 2)
      of.text[j] = "ACGT"[bits & 3];
  of.offsets = {0, n / 3, n};
  of.names = {"a", "b"};
  const fm_index index = fm_index::build(of.references());
  std::string patterns;
  std::vector<std::uint64_t> offsets = {0};
  std::map<std::string, std::vector<fm_hit>> expected;
  for (int i = 0; i < 2000; ++i) {
    const std::string pattern = of.text.substr(random() % (n - k), k);
    if (!expected.emplace(pattern, std::vector<fm_hit>()).second) continue;
    offsets.push_back((patterns += pattern).size());
  }
  std::vector<bool> wanted(std::uint64_t{1} << (2 * k));
  const auto code = [](char c) { return (static_cast<unsigned>(c) >> 1) & 3; };
  const auto number = [&](std::string_view kmer) {
    std::uint64_t value = 0;
    for (const char c : kmer) value = value << 2 | code(c);
    return value;
  };
  for (const auto& [pattern, hits] : expected) wanted[number(pattern)] = true;
  std::uint64_t window = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    window = (window << 2 | code(of.text[i])) & (wanted.size() - 1);
    if (i + 1 < k || !wanted[window]) continue;
    const std::uint64_t begin = i + 1 - k, record = begin < of.offsets[1] ? 0 : 1;
    if (record == 0 && i >= of.offsets[1]) continue;
    expected[of.text.substr(begin, k)].push_back({record, begin - of.offsets[record]});
  }
  const std::vector<std::uint64_t> counts = index.count({patterns, offsets});
  const fm_hits hits = index.locate({patterns, offsets});
  for (std::uint64_t p = 0; p + 1 < offsets.size(); ++p) {
    const std::vector<fm_hit>& all = expected[patterns.substr(offsets[p], k)];
    ASSERT_EQ(counts[p], all.size());
    ASSERT_EQ(std::vector<fm_hit>(hits.hits.begin() + static_cast<std::ptrdiff_t>(hits.offsets[p]),
                                  hits.hits.begin() + static_cast<std::ptrdiff_t>(hits.offsets[p + 1])),
              all);
  }
  EXPECT_EQ(index.extract(1, n / 3, n / 3 + 1000), of.text.substr(of.offsets[1] + n / 3, 1000));
}

TEST(fm_index, one_pattern_references_without_names_and_reports) {
  sequences references;
  references.add("GATTACA");
  references.add("GATTA");
  run_info info;
  const fm_index index = fm_index::build(references, {.run = {.info = &info}});
  EXPECT_EQ(info.engine, "suffix-sort");
  EXPECT_EQ(info.work, 12U);
  EXPECT_EQ(info.work_unit, "symbols");
  EXPECT_EQ(index.num_records(), 2U);
  EXPECT_EQ(index.name(1), "");
  EXPECT_EQ(index.count("ATTA", {.run = {.info = &info}}), 2U);
  EXPECT_EQ(info.engine, "batch");
  EXPECT_EQ(info.work, 1U);
  EXPECT_EQ(info.work_unit, "patterns");
  EXPECT_EQ(index.locate("ATTA").hits, (std::vector<fm_hit>{{0, 1}, {1, 1}}));
  EXPECT_EQ(index.locate("A", {.max_hits = 1}).totals, std::vector<std::uint64_t>{5});
  EXPECT_EQ(index.count(""), 0U);
  EXPECT_TRUE(index.count(sequences_view{}).empty());
  EXPECT_EQ(fm_index::build(sequences_view{}).num_records(), 0U);
}

TEST(fm_index, is_not_built_or_searched_once_cancelled) {
  std::mt19937_64 random(25);
  sequences references;
  references.add(random_text(random, 100'000, "ACGT"));
  task_monitor monitor;
  const fm_index index = fm_index::build(references, {.run = {.monitor = &monitor}});
  EXPECT_EQ(monitor.done(), 100'001U); // the symbols include the separator
  monitor.cancel();
  for (const fm_alphabet alphabet : {fm_alphabet::dna, fm_alphabet::protein, fm_alphabet::bytes})
    EXPECT_THROW((void)fm_index::build(references, {.alphabet = alphabet, .run = {.monitor = &monitor}}),
                 cancelled_error);
  EXPECT_THROW((void)index.count("ACGT", {.run = {.monitor = &monitor}}), cancelled_error);
  EXPECT_THROW((void)index.locate("ACGT", {.run = {.monitor = &monitor}}), cancelled_error);
}

// Checks that a smaller limit of memory gives an error or the same index, whatever engine sorts the suffixes.
TEST(fm_index, is_the_same_in_little_memory) {
  std::mt19937_64 random(3);
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  const std::pair<fm_alphabet, std::string> cases[] = {
      {fm_alphabet::dna, "ACGT"}, {fm_alphabet::protein, "ACDEFGHIKLMNPQRSTVWY"}, {fm_alphabet::bytes, all}};
  for (const auto& [alphabet, letters] : cases) {
    collection of;
    of.add(random_text(random, 200'000, letters));
    of.add(all);
    of.add(random_text(random, 100'000, letters));
    const fm_index expected = fm_index::build(of.references(), {.alphabet = alphabet});
    int refused = 0, built = 0;
    for (std::uint64_t memory = std::uint64_t{1} << 20; built < 8; memory += memory / 8) {
      try {
        const fm_index index =
            fm_index::build(of.references(), {.alphabet = alphabet, .run = {.threads = 2, .memory = memory}});
        ASSERT_TRUE(std::ranges::equal(index.bytes(), expected.bytes())) << letters << ' ' << memory;
        ++built;
      } catch (const memory_error&) {
        ++refused;
      }
      ASSERT_LT(memory, std::uint64_t{1} << 26) << letters;
    }
    EXPECT_GE(refused, 1) << letters;
  }
}

TEST(fm_build_devices, without_a_gpu_it_says_so) {
  collection of;
  of.add("GATTACA");
  run_info used;
  (void)fm_index::build(of.references(), {.run = {.info = &used}});
  EXPECT_EQ(gpu_of(used), -1);
  EXPECT_THROW((void)fm_index::build(of.references(), {.run = {.device = {device_kind::gpu, 1000}}}),
               unavailable_error);
}

TEST(fm_index_devices, without_a_gpu_it_says_so) {
  collection of;
  of.add("GATTACA");
  const fm_index index = fm_index::build(of.references());
  const std::vector<std::uint64_t> offsets = {0, 1}, expected = {3};
  run_info used;
  EXPECT_EQ(index.count({"A", offsets}, {.run = {.info = &used}}), expected);
  EXPECT_EQ(gpu_of(used), -1);
  const fm_search_options none = {.run = {.device = {device_kind::gpu, 1000}}};
  EXPECT_THROW((void)index.count({"A", offsets}, none), unavailable_error);
  EXPECT_THROW((void)index.locate({"A", offsets}, none), unavailable_error);
}

} // namespace
} // namespace weft::test
