// Tests collections on the CPU: suffix arrays are compared with those by comparisons, and transforms with
// what follows from these suffix arrays.
#include <gtest/gtest.h>
#include <random>
#include <test/reference/bwt_reference.hpp>
#include <weft/bwt/collection_bwt.hpp>
#include <weft/bwt/cpu/suffix_sort.hpp>

#include "suffix_texts.hpp"

namespace weft::test {

namespace {

using namespace bwt_detail;

bwt_options on_cpu(int threads) {
  return {.run = {.engine = "suffix-sort", .device = {device_kind::cpu, 0}, .threads = threads}};
}

// Returns the transform that follows from the order of the suffixes that are not empty.
collection_bwt_text transform_of(const text_parts& of, const std::vector<std::uint32_t>& sa) {
  collection_bwt_text made{"", std::vector<std::uint64_t>(of.parts())};
  std::vector<std::uint64_t> record_of(of.text.size());
  for (std::uint64_t r = 0; r < of.parts(); ++r) {
    if (of.part(r).empty())
      made.starts[r] = r;
    else
      made.bytes += of.part(r).back();
    for (std::uint64_t i = of.offsets[r]; i < of.offsets[r + 1]; ++i) record_of[i] = r;
  }
  for (std::size_t row = 0; row < sa.size(); ++row) {
    const std::uint64_t i = sa[row], r = record_of[i];
    if (i == of.offsets[r])
      made.starts[r] = of.parts() + row;
    else
      made.bytes += of.text[i - 1];
  }
  return made;
}

void expect_sorted(const text_parts& of, const std::string& name, std::initializer_list<int> threads = {1}) {
  const std::vector<std::uint32_t> expected = sorted_records(of);
  const collection_bwt_text transformed = transform_of(of, expected);
  const sequences_view view{of.text, of.offsets};
  for (const int each : threads) {
    ASSERT_EQ(collection_suffix_array(view, on_cpu(each)), expected) << name << ", threads " << each;
    ASSERT_EQ(collection_suffix_array<std::uint64_t>(view, on_cpu(each)),
              (std::vector<std::uint64_t>{expected.begin(), expected.end()}))
        << name << ", threads " << each;
    ASSERT_EQ(collection_bwt(view, on_cpu(each)), transformed) << name << ", threads " << each;
  }
  const suffix_string packed(symbols_of(of.text), {.threads = 2}, of.offsets);
  for (const std::uint64_t max_items : {of.text.size() / 40 + 1, of.text.size() / 3 + 1})
    ASSERT_EQ(sorted_in_ranges(packed, max_items, {.threads = 2}), expected)
        << name << ", ranges of " << max_items;
}

TEST(suffix_collections, the_oracle_is_that_of_the_definition) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 100; ++round) {
    const text_parts of = random_parts(random, random() % 7, 12);
    std::vector<std::string> records;
    for (std::size_t p = 0; p < of.parts(); ++p) records.push_back(of.part(p));
    const std::vector<std::uint32_t> sa = sorted_records(of);
    ASSERT_EQ(sa, reference::collection_suffix_array(of.text, of.offsets));
    ASSERT_EQ(transform_of(of, sa), reference::collection_bwt(records));
  }
}

TEST(suffix_collections, of_every_short_text_in_every_parts) {
  for (const int parts : {1, 2, 3, 4})
    for_all_texts(2, parts < 4 ? 7 : 5, [&](const std::string& text) {
      for_all_parts(text, parts, [](const text_parts& of) { expect_sorted(of, of.text); });
    });
}

// Each record is one of two words or both, so whole records are equal, and prefixes and suffixes of others.
TEST(suffix_collections, of_every_short_sequence_of_long_records) {
  for (const auto& [a, b] : word_pairs())
    for_all_texts(3, 4, [a = a, b = b](const std::string& sequence) {
      text_parts of;
      for (const char c : sequence) of.add(c == 'a' ? a : c == 'b' ? b : a + b);
      if (!sequence.empty()) expect_sorted(of, sequence + ": " + a + ", " + b);
    });
}

TEST(suffix_collections, of_equal_records_and_their_prefixes_and_suffixes) {
  std::mt19937_64 random(2);
  for (const std::string& record :
       {std::string(500, 'a'), repeated("ab", 501), random_letters(random, 400, 4), thue_morse(512),
        random_letters(random, 300, 256), std::string(70, '\0'), std::string("x")}) {
    text_parts equal, prefixes, suffixes, both;
    for (std::size_t k = 0; k < 40; ++k) {
      const std::size_t size = random() % (record.size() + 1);
      equal.add(record);
      prefixes.add(record.substr(0, size));
      suffixes.add(record.substr(size));
      both.add(k % 3 == 0 ? record : k % 3 == 1 ? record.substr(size) : record.substr(0, size));
    }
    expect_sorted(equal, "equal", {1, 3});
    expect_sorted(prefixes, "prefixes");
    expect_sorted(suffixes, "suffixes");
    expect_sorted(both, "both", {1, 3});
  }
}

TEST(suffix_collections, of_empty_records_and_records_of_one_symbol) {
  std::mt19937_64 random(3);
  text_parts empty, single, mixed;
  for (int k = 0; k < 1000; ++k) {
    empty.add("");
    single.add(random_letters(random, 1, 256));
    mixed.add(k % 4 == 0 ? random_letters(random, 1, 2) : k % 4 == 1 ? random_letters(random, 90, 2) : "");
  }
  expect_sorted(empty, "empty");
  expect_sorted(single, "single", {1, 2});
  expect_sorted(mixed, "mixed", {1, 2});
}

TEST(suffix_collections, of_random_records) {
  std::mt19937_64 random(seed(4));
  for (int round = 0; round < 80; ++round) {
    const std::size_t longest = round % 3 == 0 ? 1000 : 100;
    text_parts of = random_parts(random, 1 + random() % 50, longest);
    of.add(random_text(random, longest));
    expect_sorted(of, "round " + std::to_string(round), {1 + round % 4});
  }
}

// Reads of a genome that cover each of its bases many times, in several slices and ranges of threads.
TEST(suffix_collections, of_many_reads) {
  std::mt19937_64 random(5);
  for (const std::uint64_t size : {5, 31, 64, 100}) {
    const std::string genome = random_letters(random, 4000, 4);
    text_parts of;
    while (of.text.size() < 70'000) {
      std::string read = genome.substr(random() % (genome.size() - size), size);
      if (random() % 4 == 0) read[random() % size] = 'a';
      of.add(read);
    }
    expect_sorted(of, "reads of " + std::to_string(size), {1, 2, 8});
  }
}

} // namespace
} // namespace weft::test
