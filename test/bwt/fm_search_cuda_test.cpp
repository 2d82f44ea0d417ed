// Checks fm_index on the first GPU against a search by hand and against the CPU.
#include <gtest/gtest.h>
#include <test/base/gpu_suite.hpp>
#include <thread>
#include <weft/base/device.hpp>
#include <weft/base/error.hpp>
#include <weft/base/monitor.hpp>
#include <weft/bwt/cpu/fm_sections.hpp>

#include "bwt_cases.hpp"
#include "fm_batches.hpp"
#include "fm_cases.hpp"
#include "fm_sums.hpp"

namespace weft::test {

namespace {

class gpu_fm_index : public gpu_suite {};

fm_search_options on_gpu(std::uint64_t max_hits = ~std::uint64_t{0}, std::uint64_t device_memory = 0) {
  return {.max_hits = max_hits, .run = {.device = {device_kind::gpu, 0}, .device_memory = device_memory}};
}
fm_search_options on_cpu(std::uint64_t max_hits = ~std::uint64_t{0}) {
  return {.max_hits = max_hits, .run = {.device = {device_kind::cpu, 0}}};
}

// Checks that counts and hits equal those of the CPU.
void compare(const fm_index& index, const pattern_list& patterns, fm_search_options options) {
  run_info used;
  options.run.info = &used;
  ASSERT_EQ(index.count({patterns.text, patterns.offsets}, options),
            index.count({patterns.text, patterns.offsets}, on_cpu()));
  ASSERT_EQ(gpu_of(used), 0);
  const fm_hits expected = index.locate({patterns.text, patterns.offsets}, on_cpu(options.max_hits));
  const fm_hits actual = index.locate({patterns.text, patterns.offsets}, options);
  ASSERT_EQ(gpu_of(used), 0);
  ASSERT_EQ(actual.totals, expected.totals);
  ASSERT_EQ(actual.offsets, expected.offsets);
  ASSERT_TRUE(actual.hits == expected.hits);
}

TEST_F(gpu_fm_index, of_short_texts) {
  std::vector<std::string> patterns;
  for_all_texts(3, 2, [&](std::string pattern) {
    for (char& c : pattern) c = "ACN"[c - 'a'];
    patterns.push_back(pattern);
  });
  for_all_texts(3, 4, [&](std::string text) {
    for (char& c : text) c = "ACN"[c - 'a'];
    collection of;
    of.add(text.substr(0, text.size() / 2));
    of.add(text.substr(text.size() / 2));
    for (const fm_alphabet alphabet : {fm_alphabet::dna, fm_alphabet::protein})
      ASSERT_NO_FATAL_FAILURE(check(of, patterns, alphabet, 2, on_gpu()));
  });
}

// Searches every text of up to six letters, each a record of one index, for every pattern of up to four
// letters.
TEST_F(gpu_fm_index, of_all_short_texts_at_once) {
  collection of;
  for_all_texts(3, 6, [&](std::string text) {
    for (char& c : text) c = "ACN"[c - 'a'];
    of.add(text);
  });
  std::vector<std::string> patterns;
  for_all_texts(4, 4, [&](std::string pattern) {
    for (char& c : pattern) c = "ACNt"[c - 'a'];
    patterns.push_back(pattern);
  });
  for (const fm_alphabet alphabet : {fm_alphabet::dna, fm_alphabet::protein, fm_alphabet::bytes})
    for (const std::uint32_t rate : {1U, 3U, 32U})
      ASSERT_NO_FATAL_FAILURE(check(of, patterns, alphabet, rate, on_gpu()));
}

TEST_F(gpu_fm_index, of_nothing) {
  collection nothing, empty_record, no_bases;
  empty_record.add("");
  no_bases.add("NNN");
  no_bases.add("");
  for (const fm_alphabet alphabet : {fm_alphabet::dna, fm_alphabet::protein, fm_alphabet::bytes})
    for (const collection& of : {nothing, empty_record, no_bases}) {
      ASSERT_NO_FATAL_FAILURE(check(of, {"", "A", "N", "ACGT"}, alphabet, 16, on_gpu()));
      ASSERT_NO_FATAL_FAILURE(check(of, {}, alphabet, 16, on_gpu()));
    }
}

TEST_F(gpu_fm_index, of_random_and_repetitive_references) {
  std::mt19937_64 random(7);
  for (const auto& [letters, alphabet] : kinds_of_letters())
    for (const int records : {1, 60})
      for (const std::size_t size : {5, 191, 193, 2000}) {
        const collection of = repetitive_records(random, records, size, letters, alphabet);
        for (const std::uint32_t rate : {1U, 32U})
          ASSERT_NO_FATAL_FAILURE(check(of, patterns_for(random, of, letters), alphabet, rate, on_gpu()));
      }
}

TEST_F(gpu_fm_index, of_texts_that_are_hard_to_sort) {
  std::mt19937_64 random(8);
  for (const auto& [name, text] : texts(4000)) {
    collection of;
    of.add(text);
    ASSERT_NO_FATAL_FAILURE(check(of, patterns_for(random, of, text), fm_alphabet::bytes, 5, on_gpu()));
  }
}

// The contexts of an index do not go to the GPU, and its table has longer k-mers.
TEST_F(gpu_fm_index, with_contexts) {
  std::mt19937_64 random(6);
  const std::string text = random_text(random, 30'000, "ACGTACGTACGTACGTN");
  sequences references;
  references.add(text);
  pattern_list patterns;
  for (std::size_t size = 1; size < 60; ++size) patterns.add(text.substr(random() % 29'000, size));
  const auto index_of = [&](bool contexts) {
    return fm_index::build(references, {.contexts = contexts, .run = {.device = {device_kind::cpu, 0}}});
  };
  ASSERT_NO_FATAL_FAILURE(compare(index_of(true), patterns, on_gpu()));
  ASSERT_EQ(index_of(true).count({patterns.text, patterns.offsets}, on_gpu()),
            index_of(false).count({patterns.text, patterns.offsets}, on_gpu()));
}

TEST_F(gpu_fm_index, of_one_letter) {
  for (const std::string& text :
       {std::string(50'000, 'A'), std::string(20'000, 'A') + "C" + std::string(20'000, 'A')}) {
    collection of;
    of.add(text);
    check(of, {"A", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "AC", "CA", std::string(20'001, 'A'), "T"},
          fm_alphabet::dna, 16, on_gpu());
  }
}

// Searches for substrings of the text, some of them changed at either end, in the middle, or to lower case.
TEST_F(gpu_fm_index, patterns_of_all_lengths) {
  for (const auto& [letters, alphabet] :
       {std::pair{std::string("ACGT"), fm_alphabet::dna}, {"ACDEFGHIKLMNPQRSTVWY", fm_alphabet::protein}}) {
    std::mt19937_64 random(10);
    const std::string unit = random_text(random, 150'000, letters);
    collection of;
    of.add(unit + random_text(random, 60'000, letters) + unit);
    of.add(unit);
    const fm_index index = fm_index::build(of.references(), {.alphabet = alphabet});
    pattern_list patterns;
    for (const std::size_t size : {0, 1, 7, 8, 9, 15, 31, 32, 33, 63, 64, 65, 100, 1000, 100'000})
      for (int kind = 0; kind < 8; ++kind) {
        std::string piece = of.text.substr(random() % (of.text.size() - size), size);
        if (size > 0 && kind == 1) piece.front() = letters[random() % letters.size()];
        if (size > 0 && kind == 2) piece.back() = letters[random() % letters.size()];
        if (size > 0 && kind == 3) piece[size / 2] = '#';
        if (size > 0 && kind == 4) piece.front() = 'N';
        if (kind == 5)
          for (char& c : piece) c = static_cast<char>(c + ('a' - 'A'));
        patterns.add(piece);
      }
    ASSERT_NO_FATAL_FAILURE(compare(index, patterns, on_gpu()));
    ASSERT_NO_FATAL_FAILURE(compare(index, patterns, on_gpu(1)));
  }
}

TEST_F(gpu_fm_index, many_patterns_also_in_little_memory) {
  std::mt19937_64 random(11);
  collection of;
  of.add(random_text(random, 1'000'000, "ACGT"));
  of.add(of.text.substr(300'000, 400'000));
  const fm_index index = fm_index::build(of.references());
  const pattern_list patterns = sampled_patterns(random, of.text, 100'000, 5, 120, "ACGTN");
  for (const std::uint64_t beside : {std::uint64_t{0}, std::uint64_t{1} << 20, std::uint64_t{16} << 20})
    ASSERT_NO_FATAL_FAILURE(
        compare(index, patterns, on_gpu(1000, beside == 0 ? 0 : index.bytes().size() + beside)));
}

TEST_F(gpu_fm_index, many_hits) {
  std::mt19937_64 random(12);
  collection of;
  of.add(random_text(random, 1'000'000, "ACGT"));
  of.add(std::string(100'000, 'T'));
  const fm_index index = fm_index::build(of.references());
  pattern_list patterns;
  for (const char* pattern : {"A", "", "ACG", "N", "TTTTTTTTTTTTTTTTTTTTTTTT", "C", "GATTACA", ""})
    patterns.add(pattern);
  for (const std::uint64_t max_hits :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1000}, ~std::uint64_t{0}})
    ASSERT_NO_FATAL_FAILURE(compare(index, patterns, on_gpu(max_hits)));
}

TEST_F(gpu_fm_index, too_little_memory) {
  collection of;
  std::mt19937_64 random(13);
  of.add(random_text(random, 200'000, "ACGT"));
  const fm_index index = fm_index::build(of.references());
  pattern_list patterns;
  patterns.add("A");
  fm_search_options options = on_gpu(~std::uint64_t{0}, 1000);
  EXPECT_THROW((void)index.count({patterns.text, patterns.offsets}, options), memory_error);
  EXPECT_THROW((void)index.locate({patterns.text, patterns.offsets}, options), memory_error);
  options.run.device_memory = index.bytes().size() + 1000; // enough for the index, but not for the hits
  EXPECT_EQ(index.count({patterns.text, patterns.offsets}, options),
            index.count({patterns.text, patterns.offsets}, on_cpu()));
  EXPECT_THROW((void)index.locate({patterns.text, patterns.offsets}, options), memory_error);
}

// Checks that, once a first call has copied the index to the GPU, large batches are searched there and small
// ones are not.
TEST_F(gpu_fm_index, automatic_choice) {
  collection of;
  std::mt19937_64 random(14);
  of.add(random_text(random, 100'000, "ACGT"));
  const fm_index index = fm_index::build(of.references()), copy = index;
  const pattern_list small_batch = sampled_patterns(random, of.text, 100, 20, 30, "ACGT"),
                     large_batch = sampled_patterns(random, of.text, 1 << 14, 20, 30, "ACGT");
  run_info used;
  const fm_search_options options = {.run = {.info = &used}};
  const std::vector<std::uint64_t> expected = index.count({large_batch.text, large_batch.offsets}, options);
  EXPECT_EQ(gpu_of(used), -1);
  ASSERT_NO_FATAL_FAILURE(compare(index, small_batch, on_gpu()));
  EXPECT_EQ(copy.count({large_batch.text, large_batch.offsets}, options), expected);
  EXPECT_EQ(gpu_of(used), 0);
  (void)copy.locate({small_batch.text, small_batch.offsets}, options);
  EXPECT_EQ(gpu_of(used), -1);
  const fm_search_options bounded = {.run = {.device_memory = 1000, .info = &used}};
  EXPECT_EQ(copy.count({large_batch.text, large_batch.offsets}, bounded), expected);
  EXPECT_EQ(gpu_of(used), -1);
}

TEST_F(gpu_fm_index, says_where_it_is_and_can_be_cancelled) {
  collection of;
  std::mt19937_64 random(15);
  of.add(random_text(random, 100'000, "ACGT"));
  const fm_index index = fm_index::build(of.references());
  const pattern_list patterns = sampled_patterns(random, of.text, 5000, 20, 30, "ACGT");
  task_monitor monitor;
  fm_search_options options = on_gpu();
  options.run.monitor = &monitor;
  (void)index.count({patterns.text, patterns.offsets}, options);
  EXPECT_EQ(monitor.done(), 5000U);
  (void)index.locate({patterns.text, patterns.offsets}, options);
  EXPECT_EQ(monitor.done(), 10'000U);
  monitor.cancel();
  EXPECT_THROW((void)index.count({patterns.text, patterns.offsets}, options), cancelled_error);
  EXPECT_THROW((void)index.locate({patterns.text, patterns.offsets}, options), cancelled_error);
  ASSERT_NO_FATAL_FAILURE(compare(index, patterns, on_gpu()));
}

TEST_F(gpu_fm_index, a_damaged_one_is_refused) {
  for (const fm_alphabet alphabet : {fm_alphabet::dna, fm_alphabet::protein}) {
    std::mt19937_64 random(16);
    collection of;
    of.add(random_text(random, 1500, "ACGT"));
    const fm_index index = fm_index::build(of.references(), {.alphabet = alphabet});
    std::vector<std::uint64_t> storage(index.bytes().size() / 8);
    const std::span<char> bytes(reinterpret_cast<char*>(storage.data()), index.bytes().size());
    std::copy(index.bytes().begin(), index.bytes().end(), bytes.begin());
    bwt_detail::fm_header header{};
    std::memcpy(&header, bytes.data(), sizeof header);
    const auto samples = static_cast<std::size_t>(bwt_detail::fm_section::samples);
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(header.offsets[samples]), header.sizes[samples],
                '\xff');
    put_sums_right(bytes);
    const fm_index damaged = fm_index::from_bytes(bytes);
    const std::string text = of.text.substr(100, 40) + "A";
    const std::vector<std::uint64_t> offsets = {0, 40, 41};
    EXPECT_THROW((void)damaged.count({text, offsets}, on_gpu()), error);
    EXPECT_THROW((void)damaged.locate({text, offsets}, on_gpu()), error);
  }
}

TEST_F(gpu_fm_index, many_threads_share_an_index) {
  std::mt19937_64 random(17);
  collection of;
  of.add(random_text(random, 200'000, "ACGT"));
  const fm_index index = fm_index::build(of.references());
  const pattern_list patterns = sampled_patterns(random, of.text, 20'000, 8, 60, "ACGT");
  const std::vector<std::uint64_t> counts = index.count({patterns.text, patterns.offsets}, on_cpu());
  const fm_hits hits = index.locate({patterns.text, patterns.offsets}, on_cpu());
  std::vector<std::jthread> team;
  for (int member = 0; member < 6; ++member)
    team.emplace_back([&, member] {
      const fm_index mine = index;
      for (int round = 0; round < 4; ++round)
        if ((member + round) % 2 == 0)
          EXPECT_TRUE(mine.count({patterns.text, patterns.offsets}, on_gpu()) == counts);
        else
          EXPECT_TRUE(mine.locate({patterns.text, patterns.offsets}, on_gpu()).hits == hits.hits);
    });
}

} // namespace

} // namespace weft::test
