// Checks that indexes built by the first GPU have the same bytes as those built by the CPU.
#include <cstring>
#include <gtest/gtest.h>
#include <test/base/gpu_suite.hpp>
#include <weft/base/device.hpp>
#include <weft/base/error.hpp>

#include "bwt_cases.hpp"
#include "fm_cases.hpp"

namespace weft::test {

namespace {

class gpu_fm_build : public gpu_suite {};

// Returns the number of the first section that differs, or -1 if none does.
int first_difference(std::span<const char> a, std::span<const char> b) {
  bwt_detail::fm_header of_a{}, of_b{};
  std::memcpy(&of_a, a.data(), sizeof of_a);
  std::memcpy(&of_b, b.data(), sizeof of_b);
  for (std::size_t s = 0; s < bwt_detail::num_fm_sections; ++s)
    if (of_a.sizes[s] != of_b.sizes[s] || of_a.checksums[s] != of_b.checksums[s]) return static_cast<int>(s);
  return -1;
}

bool same(std::span<const char> a, std::span<const char> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0;
}

template <class Index>
void compare_width(const collection& of, fm_build_options options, bool expect_gpu = true) {
  run_info used;
  options.run.device = {device_kind::cpu, 0};
  const auto expected = built_index<Index>(of.references(), options);
  options.run.device = {device_kind::gpu, 0};
  options.run.info = &used;
  const auto actual = built_index<Index>(of.references(), options);
  ASSERT_TRUE(same(actual.bytes, expected.bytes))
      << "section " << first_difference(actual.bytes, expected.bytes) << ", " << of.text.size()
      << " letters in " << of.names.size() << " records, alphabet " << static_cast<int>(options.alphabet)
      << ", rate " << options.sa_sample_rate << ", width " << sizeof(Index) << ": " << of.text.substr(0, 100);
  ASSERT_EQ(gpu_of(used), expect_gpu ? 0 : -1);
}

void compare(const collection& of, fm_alphabet alphabet, std::uint32_t rate, bool expect_gpu = true) {
  const fm_build_options options = {.alphabet = alphabet, .sa_sample_rate = rate};
  ASSERT_NO_FATAL_FAILURE(compare_width<std::uint32_t>(of, options, expect_gpu));
  ASSERT_NO_FATAL_FAILURE(compare_width<std::uint64_t>(of, options, expect_gpu));
}

constexpr fm_alphabet alphabets[] = {fm_alphabet::dna, fm_alphabet::protein, fm_alphabet::bytes};

TEST_F(gpu_fm_build, of_one_text) {
  collection of;
  of.add("GATTACANNGATTACA");
  of.add("");
  of.add("acgt");
  for (const fm_alphabet alphabet : alphabets) ASSERT_NO_FATAL_FAILURE(compare(of, alphabet, 3));
}

TEST_F(gpu_fm_build, of_nothing) {
  collection nothing, empty_record, no_bases;
  empty_record.add("");
  no_bases.add("NNN");
  no_bases.add("");
  for (const collection* of : {&nothing, &empty_record, &no_bases})
    for (const fm_alphabet alphabet : alphabets)
      ASSERT_NO_FATAL_FAILURE(compare(*of, alphabet, 4, of == &no_bases && alphabet != fm_alphabet::dna));
}

TEST_F(gpu_fm_build, of_every_short_text) {
  for_all_texts(3, 5, [&](std::string text) {
    for (char& c : text) c = "ACN"[c - 'a'];
    if (text.find_first_not_of('N') == std::string::npos) return; // the text has no bases
    collection of;
    of.add(text.substr(0, text.size() / 2));
    of.add(text.substr(text.size() / 2));
    for (const fm_alphabet alphabet : {fm_alphabet::dna, fm_alphabet::protein})
      ASSERT_NO_FATAL_FAILURE(compare(of, alphabet, 2));
  });
}

// Checks numbers of rows, separators included, around the edges of words, groups of words, blocks of ranks
// and tables of k-mers.
TEST_F(gpu_fm_build, of_sizes_around_bounds) {
  std::mt19937_64 random(1);
  for (const std::size_t bound : {32, 64, 192, 384, 512, 1024, 4096, 12'288})
    for (std::size_t size = bound - 3; size <= bound + 1; ++size) {
      collection of;
      of.add(random_text(random, size, "ACGT"));
      for (const fm_alphabet alphabet : {fm_alphabet::dna, fm_alphabet::bytes})
        ASSERT_NO_FATAL_FAILURE(compare(of, alphabet, 3));
    }
}

TEST_F(gpu_fm_build, of_letters_records_and_rates) {
  std::mt19937_64 random(2);
  for (const auto& [letters, alphabet] : kinds_of_letters())
    for (const int records : {1, 40})
      for (const std::size_t size : {5, 191, 700}) {
        const collection of = repetitive_records(random, records, size, letters, alphabet);
        std::vector<bool> bytes(256);
        for (const char c : of.text) bytes[static_cast<unsigned char>(c)] = true;
        // texts with all 256 bytes are sorted on the CPU
        const bool all = std::count(bytes.begin(), bytes.end(), true) == 256;
        for (const std::uint32_t rate : {0U, 1U, 2U, 7U, 32U, 1024U})
          ASSERT_NO_FATAL_FAILURE(compare(of, alphabet, rate, !all));
      }
}

TEST_F(gpu_fm_build, of_random_sizes) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 60; ++round) {
    collection of;
    const std::uint64_t records = 1 + random() % 5;
    for (std::uint64_t r = 0; r < records; ++r)
      of.add(random_text(random, random() % 20'000, round % 2 == 0 ? "ACGT" : "ACGTACGTACGTNR"));
    of.add("A");
    ASSERT_NO_FATAL_FAILURE(
        compare(of, alphabets[random() % 3], static_cast<std::uint32_t>(1 + random() % 40)));
  }
}

// The contexts follow from the index that the GPU has built, and on the CPU from the suffix array.
TEST_F(gpu_fm_build, with_contexts) {
  std::mt19937_64 random(5);
  for (const std::size_t size : {5, 50, 700, 20'000}) {
    const fm_build_options options = {.contexts = true};
    const collection of = repetitive_records(random, 3, size, "ACGTACGTACGTN", fm_alphabet::dna);
    ASSERT_NO_FATAL_FAILURE(compare_width<std::uint32_t>(of, options));
    ASSERT_NO_FATAL_FAILURE(compare_width<std::uint64_t>(of, options));
  }
}

TEST_F(gpu_fm_build, of_texts_that_are_hard_to_sort) {
  for (const auto& [name, text] : texts(20'000)) {
    collection of;
    of.add(text);
    of.add(text.substr(0, 1000));
    std::vector<bool> bytes(256);
    for (const char c : text) bytes[static_cast<unsigned char>(c)] = true;
    const bool all = std::count(bytes.begin(), bytes.end(), true) == 256;
    ASSERT_NO_FATAL_FAILURE(compare(of, fm_alphabet::bytes, 5, !all)) << name;
  }
  collection of;
  of.add(std::string(50'000, 'A'));
  of.add(std::string(20'000, 'A') + "C" + std::string(20'000, 'N') + "A");
  ASSERT_NO_FATAL_FAILURE(compare(of, fm_alphabet::dna, 16));
}

// Builds indexes of texts with as many open rows as bases, and with runs of one letter.
TEST_F(gpu_fm_build, of_many_segments) {
  std::mt19937_64 random(4);
  collection of, alternating;
  for (int r = 0; r < 5000; ++r) of.add(random_text(random, random() % 4, "ACGTN"));
  std::string text(100'000, 'N');
  for (std::size_t i = 0; i < text.size(); i += 2) text[i] = "ACGT"[random() % 4];
  alternating.add(text);
  for (const fm_alphabet alphabet : alphabets) {
    ASSERT_NO_FATAL_FAILURE(compare(of, alphabet, 4));
    ASSERT_NO_FATAL_FAILURE(compare(alternating, alphabet, 4));
  }
}

// Uses 255 bytes and the separator: all codes that fit in a byte.
TEST_F(gpu_fm_build, of_all_bytes_but_one) {
  std::mt19937_64 random(5);
  std::string letters;
  for (int byte = 0; byte < 256; ++byte)
    if (byte != 'x') letters += static_cast<char>(byte);
  collection of;
  of.add(letters + random_text(random, 100'000, letters));
  of.add(random_text(random, 3000, letters));
  ASSERT_NO_FATAL_FAILURE(compare(of, fm_alphabet::bytes, 4));
  of.add("x");
  ASSERT_NO_FATAL_FAILURE(compare(of, fm_alphabet::bytes, 4, false));
}

TEST_F(gpu_fm_build, of_five_million_bases) {
  std::mt19937_64 random(6);
  collection of;
  of.add(random_text(random, 5'000'000, "ACGT"));
  ASSERT_NO_FATAL_FAILURE(
      compare_width<std::uint32_t>(of, {.alphabet = fm_alphabet::dna, .sa_sample_rate = 8}));
}

TEST_F(gpu_fm_build, of_two_million_residues) {
  std::mt19937_64 random(7);
  collection of;
  of.add(random_text(random, 1'500'000, "ACDEFGHIKLMNPQRSTVWY"));
  of.add(random_text(random, 500'000, "ACDEFGHIKLMNPQRSTVWYacdx*"));
  ASSERT_NO_FATAL_FAILURE(compare(of, fm_alphabet::protein, 8));
}

// Checks limits from too little memory, which is an error, to all that the build asks for. Less memory means
// more blocks of rows.
TEST_F(gpu_fm_build, with_little_memory) {
  std::mt19937_64 random(8);
  collection of;
  for (int r = 0; r < 4; ++r) of.add(random_text(random, 250'000, r % 2 == 0 ? "ACGT" : "ACGTN"));
  for (const fm_alphabet alphabet : {fm_alphabet::dna, fm_alphabet::protein}) {
    int built = 0, refused = 0;
    for (std::uint64_t memory = std::uint64_t{1} << 20; built < 6; memory += memory / 4) {
      try {
        ASSERT_NO_FATAL_FAILURE(compare_width<std::uint32_t>(
            of, {.alphabet = alphabet, .sa_sample_rate = 5, .run = {.device_memory = memory}}));
        ++built;
      } catch (const memory_error& e) {
        EXPECT_EQ(built, 0) << e.what();
        EXPECT_NE(std::string(e.what()).find("memory"), std::string::npos);
        ++refused;
      }
      ASSERT_LT(memory, std::uint64_t{1} << 32);
    }
    EXPECT_GE(refused, 1);
  }
}

TEST_F(gpu_fm_build, automatic_choice) {
  std::mt19937_64 random(9);
  collection large, small;
  large.add(random_text(random, 9'000'000, "ACGT"));
  small.add(random_text(random, 1000, "ACGT"));
  run_info used;
  const auto built = [&](const collection& of, std::uint64_t device_memory) {
    return fm_index::build(of.references(), {.run = {.device_memory = device_memory, .info = &used}});
  };
  const fm_index from_gpu = built(large, 0);
  EXPECT_EQ(gpu_of(used), 0);
  const fm_index here = built(large, std::uint64_t{1} << 20); // too little memory: the CPU builds the index
  EXPECT_EQ(gpu_of(used), -1);
  EXPECT_TRUE(same(from_gpu.bytes(), here.bytes()));
  (void)built(small, 0);
  EXPECT_EQ(gpu_of(used), -1);
}

} // namespace

} // namespace weft::test
