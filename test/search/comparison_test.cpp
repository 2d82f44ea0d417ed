// compare_genomes(): what every result must satisfy, on genomes of all kinds, and planted rearrangements.
#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/search/variants.hpp>

namespace {

using weft::block_kind;
using weft::comparison_options;
using weft::edit_op;
using weft::genome_block;
using weft::genome_comparison;
using weft::genome_variant;

std::string random_letters(std::mt19937_64& rng, std::size_t size, std::string_view alphabet = "ACGT") {
  std::string letters(size, 'A');
  for (char& letter : letters) letter = alphabet[rng() % alphabet.size()];
  return letters;
}

std::string reverse_complement(std::string letters) {
  std::reverse(letters.begin(), letters.end());
  for (char& letter : letters)
    letter = letter == 'A' ? 'T' : letter == 'C' ? 'G' : letter == 'G' ? 'C' : letter == 'T' ? 'A' : letter;
  return letters;
}

// Returns a copy with one substitution, insertion or deletion in about every `distance` letters.
std::string mutated(std::mt19937_64& rng, const std::string& letters, std::size_t distance) {
  std::string copy;
  for (const char letter : letters) {
    const std::size_t event = rng() % (10 * distance);
    if (event < 8)
      copy += random_letters(rng, 1);
    else if (event == 8)
      copy += random_letters(rng, 1 + rng() % 8) + letter;
    else if (event != 9)
      copy += letter;
  }
  return copy;
}

weft::sequences genome(const std::vector<std::string>& records) {
  weft::sequences all;
  for (const std::string& each : records) all.add(each);
  return all;
}

std::string letters_of_b(const genome_block& block, const weft::sequences& b) {
  const std::string letters(b[block.b_record].substr(block.b_begin, block.b_end - block.b_begin));
  return block.reverse ? reverse_complement(letters) : letters;
}

bool is_known(char letter) { return std::string_view("ACGT").find(letter) != std::string_view::npos; }

// Checks that the path of a block leads from its letters of A to those of B.
void check_path(const genome_block& block, const weft::sequences& a, const weft::sequences& b) {
  ASSERT_LE(block.a_end, a[block.a_record].size());
  ASSERT_LE(block.b_end, b[block.b_record].size());
  const std::string_view from = a[block.a_record].substr(block.a_begin, block.a_end - block.a_begin);
  const std::string to = letters_of_b(block, b);
  std::size_t i = 0, j = 0;
  std::uint64_t matches = 0;
  for (const weft::edit_run& run : block.path.runs) {
    ASSERT_LE(i + (run.op == edit_op::insert ? 0 : run.length), from.size());
    ASSERT_LE(j + (run.op == edit_op::remove ? 0 : run.length), to.size());
    for (std::uint64_t t = 0; t < run.length; ++t) {
      if (run.op == edit_op::match || run.op == edit_op::substitute) {
        const bool is_match = from[i] == to[j] && is_known(from[i]);
        ASSERT_EQ(is_match, run.op == edit_op::match) << "letter " << i << " of the block";
      }
      matches += run.op == edit_op::match;
      i += run.op != edit_op::insert, j += run.op != edit_op::remove;
    }
  }
  EXPECT_EQ(i, from.size());
  EXPECT_EQ(j, to.size());
  EXPECT_EQ(block.path.matches, matches);
  EXPECT_GT(matches, 0u);
}

// Marks the letters [begin, end) of a record; none may have been marked before.
void mark(std::vector<std::string>& marks, std::uint64_t record, std::uint64_t begin, std::uint64_t end) {
  for (std::uint64_t i = begin; i < end; ++i) {
    ASSERT_EQ(marks[record][i], '.') << "letter " << i << " of record " << record << " is in two blocks";
    marks[record][i] = '#';
  }
}

std::vector<std::string> unmarked(const weft::sequences& all) {
  std::vector<std::string> marks;
  for (std::uint64_t i = 0; i < all.count(); ++i) marks.emplace_back(all[i].size(), '.');
  return marks;
}

// Checks that no letter of B is in two duplicated blocks, that no other letter is in two blocks, and that
// exactly the letters in no block are in the stretches.
void check_cover(const genome_comparison& found, const weft::sequences& a, const weft::sequences& b) {
  std::vector<std::string> of_a = unmarked(a), of_b = unmarked(b), copies = unmarked(b);
  for (const genome_block& block : found.blocks) {
    const bool is_copy = block.kind == block_kind::duplicated;
    mark(is_copy ? copies : of_b, block.b_record, block.b_begin, block.b_end);
    if (!is_copy) mark(of_a, block.a_record, block.a_begin, block.a_end);
  }
  for (const genome_block& block : found.blocks) {
    if (block.kind != block_kind::duplicated) continue;
    std::string &in_a = of_a[block.a_record], &in_b = of_b[block.b_record];
    std::fill_n(in_a.begin() + static_cast<std::ptrdiff_t>(block.a_begin), block.a_end - block.a_begin, '#');
    std::fill_n(in_b.begin() + static_cast<std::ptrdiff_t>(block.b_begin), block.b_end - block.b_begin, '#');
  }
  for (const weft::genome_stretch& each : found.added) mark(of_b, each.record, each.begin, each.end);
  for (const weft::genome_stretch& each : found.missing) mark(of_a, each.record, each.begin, each.end);
  for (const std::string& record : of_a) EXPECT_EQ(record.find('.'), std::string::npos);
  for (const std::string& record : of_b) EXPECT_EQ(record.find('.'), std::string::npos);
}

// Returns the letters of A in a block with the block's variants applied.
std::string apply(const genome_comparison& found, std::uint64_t number, const weft::sequences& a) {
  const genome_block& block = found.blocks[number];
  const std::string_view record = a[block.a_record];
  std::string result;
  std::uint64_t done = block.a_begin;
  for (const genome_variant& each : found.variants) {
    if (each.block != number) continue;
    EXPECT_GE(each.begin, done) << "two variants overlap";
    EXPECT_EQ(record.substr(each.begin, each.reference.size()), each.reference);
    result.append(record.substr(done, each.begin - done)).append(each.alternative);
    done = each.begin + each.reference.size();
  }
  return result.append(record.substr(done, block.a_end - done));
}

// Checks everything that holds for each comparison.
void check(const genome_comparison& found, const weft::sequences& a, const weft::sequences& b) {
  const auto has_n = [](std::string_view letters) {
    return !std::all_of(letters.begin(), letters.end(), is_known);
  };
  for (std::uint64_t i = 0; i < found.blocks.size(); ++i) {
    const genome_block& block = found.blocks[i];
    check_path(block, a, b);
    if (block.kind == block_kind::inverted) {
      EXPECT_NE(block.reverse, found.placements[block.b_record].reverse);
    }
    const std::string to = letters_of_b(block, b);
    if (block.kind != block_kind::duplicated && !has_n(to) &&
        !has_n(a[block.a_record].substr(block.a_begin, block.a_end - block.a_begin))) {
      EXPECT_EQ(apply(found, i, a), to) << "block " << i;
    }
  }
  check_cover(found, a, b);
  const auto key = [](const genome_variant& each) {
    return std::tuple(each.a_record, each.begin, each.reference.size());
  };
  EXPECT_TRUE(std::is_sorted(found.variants.begin(), found.variants.end(),
                             [&](const auto& x, const auto& y) { return key(x) < key(y); }));
  for (const genome_variant& each : found.variants) {
    const bool reverse = found.blocks[each.block].reverse;
    const std::string in_b(
        b[found.blocks[each.block].b_record].substr(each.b_begin, each.alternative.size()));
    EXPECT_EQ(reverse ? reverse_complement(in_b) : in_b, each.alternative);
    EXPECT_FALSE(has_n(each.reference + each.alternative));
  }
  EXPECT_EQ(found.placements.size(), b.count());
}

std::size_t count_kind(const genome_comparison& found, block_kind kind) {
  return static_cast<std::size_t>(
      std::count_if(found.blocks.begin(), found.blocks.end(),
                    [kind](const genome_block& block) { return block.kind == kind; }));
}

genome_comparison compare(const std::vector<std::string>& a, const std::vector<std::string>& b,
                          const comparison_options& options = {}) {
  const weft::sequences of_a = genome(a), of_b = genome(b);
  genome_comparison found = weft::compare_genomes(of_a, of_b, options);
  check(found, of_a, of_b);
  return found;
}

TEST(comparison, small_genomes_of_few_letters) {
  std::mt19937_64 rng(1);
  std::size_t num_blocks = 0;
  for (int round = 0; round < 4000; ++round) {
    SCOPED_TRACE(round);
    const std::string_view alphabet = std::vector<std::string_view>{"AC", "ACGT", "ACN", "AT"}[rng() % 4];
    std::vector<std::string> a, b;
    for (std::size_t i = 0; i < rng() % 4; ++i) a.push_back(random_letters(rng, rng() % 120, alphabet));
    for (std::size_t i = 0; i < rng() % 4; ++i) {
      std::string letters = !a.empty() && rng() % 4 != 0 ? mutated(rng, a[rng() % a.size()], 5 + rng() % 40)
                                                         : random_letters(rng, rng() % 120, alphabet);
      if (rng() % 3 == 0) letters = reverse_complement(letters);
      if (rng() % 3 == 0 && !letters.empty())
        std::rotate(letters.begin(), letters.begin() + static_cast<std::ptrdiff_t>(rng() % letters.size()),
                    letters.end());
      b.push_back(letters);
    }
    num_blocks +=
        compare(a, b, {.min_match = 8 + rng() % 5, .min_block = 1 + rng() % 20, .run = {.threads = 1}})
            .blocks.size();
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(num_blocks, 1000u);
}

// Genomes made of copies of some segments, on both strands, with differences, in any order.
TEST(comparison, genomes_of_repeats) {
  std::mt19937_64 rng(2);
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    std::vector<std::string> segments;
    for (int i = 0; i < 6; ++i) segments.push_back(random_letters(rng, 100 + rng() % 900));
    const auto make_record = [&] {
      std::string record;
      for (std::size_t i = 0; i < 2 + rng() % 12; ++i) {
        const std::string copy = mutated(rng, segments[rng() % segments.size()], 30 + rng() % 200);
        record += rng() % 3 == 0 ? reverse_complement(copy) : copy;
        if (rng() % 8 == 0) record += std::string(rng() % 80, 'N');
      }
      return record;
    };
    std::vector<std::string> a, b;
    for (std::size_t i = 0; i < 1 + rng() % 3; ++i) a.push_back(make_record());
    for (std::size_t i = 0; i < 1 + rng() % 3; ++i)
      b.push_back(rng() % 2 == 0 ? make_record() : mutated(rng, a[rng() % a.size()], 100));
    compare(a, b, {.run = {.threads = 1}});
    if (testing::Test::HasFailure()) return;
  }
}

// Where nothing is rearranged, there is one block, and its variants make B out of A.
TEST(comparison, variants_make_b_out_of_a) {
  std::mt19937_64 rng(3);
  for (int round = 0; round < 10; ++round) {
    const std::string a = random_letters(rng, 20000);
    std::string b = mutated(rng, a, 50);
    b.insert(5000, random_letters(rng, 700));
    b.erase(9000, 900);
    const genome_comparison found = compare({a}, {b});
    ASSERT_EQ(found.blocks.size(), 1u);
    EXPECT_EQ(found.blocks[0].a_end - found.blocks[0].a_begin, a.size());
    EXPECT_EQ(found.blocks[0].b_end - found.blocks[0].b_begin, b.size());
    EXPECT_TRUE(found.missing.empty() && found.added.empty());
  }
}

TEST(comparison, an_inversion) {
  std::mt19937_64 rng(4);
  const std::string a = random_letters(rng, 30000);
  std::string b = a.substr(0, 10000) + reverse_complement(a.substr(10000, 2000)) + a.substr(12000);
  b[11000] = b[11000] == 'A' ? 'C' : 'A';
  const genome_comparison found = compare({a}, {b});
  ASSERT_EQ(found.blocks.size(), 3u);
  const genome_block& block = found.blocks[1];
  EXPECT_EQ(block.kind, block_kind::inverted);
  // Letters at the ends that are their own complement may be in either block.
  EXPECT_NEAR(static_cast<double>(block.a_begin), 10000, 5);
  EXPECT_NEAR(static_cast<double>(block.a_end), 12000, 5);
  ASSERT_EQ(found.variants.size(), 1u);
  EXPECT_EQ(found.variants[0].begin, 10999u);
  EXPECT_EQ(found.variants[0].block, 1u);
}

TEST(comparison, moved_and_duplicated_blocks) {
  std::mt19937_64 rng(5);
  const std::string a = random_letters(rng, 40000);
  // a[5000, 7000) moves behind 20000; a[30000, 31000) has a copy behind 35000, on the other strand.
  const std::string b = a.substr(0, 5000) + a.substr(7000, 13000) + a.substr(5000, 2000) +
                        a.substr(20000, 15000) + reverse_complement(a.substr(30000, 1000)) + a.substr(35000);
  const genome_comparison found = compare({a}, {b});
  EXPECT_EQ(count_kind(found, block_kind::moved), 1u);
  EXPECT_EQ(count_kind(found, block_kind::duplicated), 1u);
  EXPECT_EQ(count_kind(found, block_kind::inverted), 0u);
  for (const genome_block& block : found.blocks) {
    if (block.kind == block_kind::moved) {
      EXPECT_NEAR(static_cast<double>(block.a_begin), 5000, 8);
      EXPECT_NEAR(static_cast<double>(block.a_end), 7000, 8);
      EXPECT_FALSE(block.reverse);
    }
    if (block.kind == block_kind::duplicated) {
      EXPECT_NEAR(static_cast<double>(block.a_begin), 30000, 8);
      EXPECT_NEAR(static_cast<double>(block.b_begin), 35000, 8);
      EXPECT_TRUE(block.reverse);
    }
  }
}

TEST(comparison, a_circular_genome_with_another_origin) {
  std::mt19937_64 rng(6);
  const std::string a = random_letters(rng, 20000);
  for (const bool reverse : {false, true}) {
    std::string b = mutated(rng, a, 500);
    if (reverse) b = reverse_complement(b);
    std::rotate(b.begin(), b.begin() + 7777, b.end());
    const genome_comparison found = compare({a}, {b});
    EXPECT_TRUE(found.placements[0].is_partner);
    EXPECT_EQ(found.placements[0].reverse, reverse);
    EXPECT_NE(found.placements[0].origin, 0u);
    EXPECT_EQ(count_kind(found, block_kind::collinear), 2u); // one on each side of the first letter of B
    EXPECT_EQ(found.blocks.size(), 2u);
    EXPECT_TRUE(found.missing.empty() && found.added.empty());
  }
}

TEST(comparison, several_records_in_another_order) {
  std::mt19937_64 rng(7);
  const std::vector<std::string> a{random_letters(rng, 9000), random_letters(rng, 5000),
                                   random_letters(rng, 3000)};
  const std::vector<std::string> b{mutated(rng, a[2], 300), reverse_complement(mutated(rng, a[0], 300)),
                                   random_letters(rng, 2000), mutated(rng, a[1], 300)};
  const genome_comparison found = compare(a, b);
  EXPECT_EQ(found.blocks.size(), 3u);
  EXPECT_EQ(found.placements[0].a_record, 2u);
  EXPECT_EQ(found.placements[1].a_record, 0u);
  EXPECT_TRUE(found.placements[1].reverse);
  EXPECT_FALSE(found.placements[2].is_placed);
  EXPECT_EQ(found.placements[3].a_record, 1u);
  ASSERT_EQ(found.added.size(), 1u);
  EXPECT_EQ(found.added[0].record, 2u);
}

// The contigs of an assembly lie side by side on one record.
TEST(comparison, contigs) {
  std::mt19937_64 rng(8);
  const std::string a = random_letters(rng, 30000);
  const genome_comparison found =
      compare({a}, {mutated(rng, a.substr(20000, 9000), 300), mutated(rng, a.substr(1000, 8000), 300),
                    reverse_complement(mutated(rng, a.substr(10000, 9500), 300))});
  EXPECT_EQ(found.blocks.size(), 3u);
  EXPECT_EQ(count_kind(found, block_kind::collinear), 3u);
  EXPECT_FALSE(found.placements[0].is_partner);
  ASSERT_EQ(found.missing.size(), 4u);
  EXPECT_NEAR(static_cast<double>(found.missing[0].end), 1000, 10);
}

TEST(comparison, unknown_letters_are_in_no_variant) {
  std::mt19937_64 rng(9);
  const std::string a = random_letters(rng, 10000);
  std::string b = a;
  b.replace(3000, 200, std::string(200, 'N'));
  b[5000] = 'R';
  b[7000] = b[7000] == 'A' ? 'C' : 'A';
  const genome_comparison found = compare({a}, {b});
  ASSERT_EQ(found.variants.size(), 1u);
  EXPECT_EQ(found.variants[0].begin, 7000u);
}

TEST(comparison, letters_of_either_case_and_u) {
  std::mt19937_64 rng(10);
  const std::string a = random_letters(rng, 1000);
  std::string b = a;
  for (char& letter : b) letter = letter == 'T' ? 'u' : static_cast<char>(letter - 'A' + 'a');
  const genome_comparison found = weft::compare_genomes(genome({a}), genome({b}));
  EXPECT_TRUE(found.variants.empty());
  ASSERT_EQ(found.blocks.size(), 1u);
  EXPECT_EQ(found.blocks[0].path.matches, a.size());
}

TEST(comparison, empty_genomes_and_records) {
  for (const auto& [a, b] : std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>>{
           {{}, {}}, {{""}, {""}}, {{"ACGT"}, {}}, {{}, {"ACGT"}}, {{"", "ACGTACGTACGTACGTACGT"}, {""}}}) {
    const genome_comparison found = compare(a, b);
    EXPECT_TRUE(found.blocks.empty());
  }
}

TEST(comparison, threads_do_not_change_the_result) {
  std::mt19937_64 rng(11);
  const std::string a = random_letters(rng, 300000);
  const std::string b = mutated(rng, a.substr(100000) + a.substr(0, 100000), 60);
  const genome_comparison one = compare({a}, {b}, {.run = {.threads = 1}});
  const genome_comparison four = compare({a}, {b}, {.run = {.threads = 4}});
  ASSERT_EQ(one.blocks.size(), four.blocks.size());
  for (std::size_t i = 0; i < one.blocks.size(); ++i)
    EXPECT_EQ(one.blocks[i].path.runs, four.blocks[i].path.runs);
  ASSERT_EQ(one.variants.size(), four.variants.size());
}

TEST(comparison, errors) {
  const weft::sequences a = genome({"ACGTACGTAC"});
  EXPECT_THROW((void)weft::compare_genomes(a, a, {.min_match = 7}), std::invalid_argument);
  EXPECT_THROW((void)weft::compare_genomes(a, a, {.min_match = 32}), std::invalid_argument);
  EXPECT_THROW((void)weft::compare_genomes(a, a, {.min_block = 0}), std::invalid_argument);
  EXPECT_THROW((void)weft::compare_genomes(a, a, {.penalties = {.gap_extend = 0}}), weft::error);
  EXPECT_THROW((void)weft::compare_genomes(a, a, {.run = {.engine = "none"}}), weft::error);
  EXPECT_THROW((void)weft::compare_genomes(a, a, {.run = {.device = {weft::device_kind::gpu, 0}}}),
               weft::error);
  EXPECT_THROW((void)weft::compare_genomes(a, a, {.run = {.memory = 10}}), weft::memory_error);
  weft::task_monitor monitor;
  monitor.cancel();
  EXPECT_THROW((void)weft::compare_genomes(a, a, {.run = {.monitor = &monitor}}), weft::cancelled_error);
}

// Every copy of a segment matches every other one.
TEST(comparison, memory_of_matches) {
  std::mt19937_64 rng(13);
  const std::string segment = random_letters(rng, 200);
  std::string a, b;
  for (int i = 0; i < 30; ++i) a += mutated(rng, segment, 100), b += mutated(rng, segment, 100);
  EXPECT_THROW((void)weft::compare_genomes(genome({a}), genome({b}), {.run = {.memory = 200000}}),
               weft::memory_error);
  compare({a}, {b}, {.run = {.memory = 4000000}});
}

// A match over many chunks is one anchor, and a rotation of a tandem repeat is no rearrangement.
TEST(comparison, long_matches_and_tandem_repeats) {
  std::mt19937_64 rng(14);
  const std::string a = random_letters(rng, 1500000);
  const genome_comparison equal = compare({a}, {a});
  ASSERT_EQ(equal.blocks.size(), 1u);
  EXPECT_EQ(equal.blocks[0].path.matches, a.size());
  std::string repeats = random_letters(rng, 2000);
  for (int array = 0; array < 20; ++array) {
    const std::string unit = random_letters(rng, 25);
    for (int i = 0; i < 30; ++i) repeats += unit;
    repeats += random_letters(rng, 1000);
  }
  std::string copy = repeats;
  for (std::size_t i = 100; i < copy.size(); i += 150 + rng() % 100) copy[i] = copy[i] == 'A' ? 'C' : 'A';
  const genome_comparison found = compare({repeats}, {copy});
  EXPECT_EQ(found.blocks.size(), 1u);
  EXPECT_EQ(found.blocks[0].path.insertions, 0u);
}

// Overlapping anchors of a copy that is cut at letters which are already aligned.
TEST(comparison, a_long_copy_beside_itself) {
  std::mt19937_64 rng(15);
  const auto letters = [&](std::size_t size) { return random_letters(rng, size); };
  const std::string p = letters(50000), x = letters(10000), s = letters(200000), y = letters(50000),
                    z = letters(1000);
  compare({p + x + s + s + y, z}, {p + x + s.substr(0, 90000), z + x + s + y});
}

TEST(comparison, reports_its_work) {
  std::mt19937_64 rng(12);
  const std::string a = random_letters(rng, 50000), b = mutated(rng, a, 100);
  weft::run_info info;
  weft::task_monitor monitor;
  compare({a}, {b}, {.run = {.monitor = &monitor, .info = &info}});
  EXPECT_EQ(info.engine, "anchors");
  EXPECT_EQ(info.work, a.size() + b.size());
  EXPECT_EQ(monitor.done(), monitor.total());
}

} // namespace
