#include "comparison_checks.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <tuple>

namespace weft::test {

std::string random_letters(std::mt19937_64& rng, std::size_t size, std::string_view alphabet) {
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

sequences genome(const std::vector<std::string>& records) {
  sequences all;
  for (const std::string& each : records) all.add(each);
  return all;
}

namespace {

std::string letters_of_b(const genome_block& block, const sequences& b) {
  const std::string letters(b[block.b_record].substr(block.b_begin, block.b_end - block.b_begin));
  return block.reverse ? reverse_complement(letters) : letters;
}

bool is_known(char letter) { return std::string_view("ACGT").find(letter) != std::string_view::npos; }

// Checks that the path of a block leads from its letters of A to those of B.
void check_path(const genome_block& block, const sequences& a, const sequences& b) {
  ASSERT_LE(block.a_end, a[block.a_record].size());
  ASSERT_LE(block.b_end, b[block.b_record].size());
  const std::string_view from = a[block.a_record].substr(block.a_begin, block.a_end - block.a_begin);
  const std::string to = letters_of_b(block, b);
  std::size_t i = 0, j = 0;
  std::uint64_t matches = 0;
  for (const edit_run& run : block.path.runs) {
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

std::vector<std::string> unmarked(const sequences& all) {
  std::vector<std::string> marks;
  for (std::uint64_t i = 0; i < all.count(); ++i) marks.emplace_back(all[i].size(), '.');
  return marks;
}

// Checks that no letter of B is in two duplicated blocks, that no other letter is in two blocks, and that
// exactly the letters in no block are in the stretches.
void check_cover(const genome_comparison& found, const sequences& a, const sequences& b) {
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
  for (const genome_stretch& each : found.added) mark(of_b, each.record, each.begin, each.end);
  for (const genome_stretch& each : found.missing) mark(of_a, each.record, each.begin, each.end);
  for (const std::string& record : of_a) EXPECT_EQ(record.find('.'), std::string::npos);
  for (const std::string& record : of_b) EXPECT_EQ(record.find('.'), std::string::npos);
}

// Returns the letters of A in a block with the block's variants applied.
std::string apply(const genome_comparison& found, std::uint64_t number, const sequences& a) {
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
void check(const genome_comparison& found, const sequences& a, const sequences& b) {
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

} // namespace

std::size_t count_kind(const genome_comparison& found, block_kind kind) {
  return static_cast<std::size_t>(
      std::count_if(found.blocks.begin(), found.blocks.end(),
                    [kind](const genome_block& block) { return block.kind == kind; }));
}

genome_comparison compare(const std::vector<std::string>& a, const std::vector<std::string>& b,
                          const comparison_options& options) {
  const sequences of_a = genome(a), of_b = genome(b);
  genome_comparison found = compare_genomes(of_a, of_b, options);
  check(found, of_a, of_b);
  return found;
}

} // namespace weft::test
