// Turns rows of texts in parts into transforms as the kernels for batches and collections do: block by block,
// first the rows of whole parts, then bytes.
#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <test/reference/bwt_reference.hpp>
#include <weft/bwt/core/min_rotation.hpp>
#include <weft/bwt/core/part_rows.hpp>

#include "bwt_cases.hpp"
#include "part_cases.hpp"

namespace weft::test {

namespace {

using namespace bwt_detail;

const unsigned char* bytes_of(const std::string& text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

// Holds the parts that are not empty, in the form that kernels read.
struct marked_parts {
  explicit marked_parts(const std::vector<std::uint64_t>& of) : begins(of) {
    for (std::uint64_t b = 0; b < part_blocks(begins.back()); ++b)
      blocks.push_back(part_block_of(b, begins.data(), begins.size() - 1));
  }
  [[nodiscard]] part_layout layout() const { return {{blocks.data()}, begins.data()}; }
  [[nodiscard]] std::uint64_t count() const { return begins.size() - 1; }
  [[nodiscard]] std::uint64_t size() const { return begins.back(); }
  std::vector<std::uint64_t> begins;
  std::vector<part_block> blocks;
};

marked_parts marked(const text_parts& of) {
  std::vector<std::uint64_t> begins;
  for (std::size_t p = 0; p < of.parts(); ++p)
    if (of.offsets[p] < of.offsets[p + 1]) begins.push_back(of.offsets[p]);
  begins.push_back(of.text.size());
  return marked_parts(begins);
}

// Holds what the suffix sort returns for a batch: the rows, and the byte before each of them in the text.
struct sorted_rows {
  sorted_rows(const std::string& text, const marked_parts& parts) {
    for (std::uint64_t p = 0; p < parts.count(); ++p)
      for (const std::uint32_t at :
           reference::suffix_array(text.substr(parts.begins[p], parts.begins[p + 1] - parts.begins[p])))
        suffixes.push_back(parts.begins[p] + at);
    for (const std::uint64_t suffix : suffixes) before += text[suffix == 0 ? text.size() - 1 : suffix - 1];
  }
  std::vector<std::uint64_t> suffixes;
  std::string before;
};

// Calls work(first row, number of rows) for one block after another.
template <class Work> void in_blocks(std::uint64_t rows, std::uint64_t block, const Work& work) {
  for (std::uint64_t first = 0; first < rows; first += block) work(first, std::min(block, rows - first));
}

bwt_batch_text sentinel_forms(const text_parts& of, std::uint64_t block) {
  const marked_parts parts = marked(of);
  const sorted_rows sorted(of.text, parts);
  std::vector<std::uint64_t> rows(parts.count(), ~std::uint64_t{0});
  bwt_batch_text result{std::string(of.text.size(), '?'), {}, bwt_form::sentinel};
  in_blocks(of.text.size(), block, [&](std::uint64_t first, std::uint64_t count) {
    for (std::uint64_t row = first; row < first + count; ++row)
      (void)note_whole_part(parts.layout().marks, sorted.suffixes[row], row, rows.data());
    for (std::uint64_t row = first; row < first + count; ++row)
      write_sentinel_row(bytes_of(of.text), parts.layout(), rows.data(), row, bytes_of(sorted.before)[row],
                         bytes_of(result.bytes));
  });
  for (std::size_t p = 0, some = 0; p < of.parts(); ++p) {
    const bool empty = of.offsets[p] == of.offsets[p + 1];
    result.primary_indexes.push_back(empty ? 0 : rows[some] - parts.begins[some] + 1);
    some += empty ? 0 : 1;
  }
  return result;
}

std::string rotation_bytes(const text_parts& of, std::uint64_t block) {
  const marked_parts parts = marked(of);
  std::vector<part_rotation> rotations;
  std::vector<std::uint64_t> begins = {0};
  for (std::uint64_t p = 0; p < parts.count(); ++p) {
    const std::string part = of.text.substr(parts.begins[p], parts.begins[p + 1] - parts.begins[p]);
    const std::uint64_t period = bwt_detail::shortest_root(part);
    rotations.push_back({parts.begins[p], bwt_detail::min_rotation(part.substr(0, period)), period});
    begins.push_back(begins.back() + period);
  }
  const marked_parts roots(begins);
  std::string rotated;
  for (std::uint64_t i = 0; i < roots.size(); ++i)
    rotated += of.text[position_in_text(roots.layout(), rotations.data(), i)];
  const sorted_rows sorted(rotated, roots);
  std::vector<std::uint64_t> rows(parts.count(), ~std::uint64_t{0});
  std::string bytes(of.text.size(), '?');
  in_blocks(roots.size(), block, [&](std::uint64_t first, std::uint64_t count) {
    for (std::uint64_t row = first; row < first + count; ++row)
      (void)note_whole_part(roots.layout().marks, sorted.suffixes[row], row, rows.data());
    for (std::uint64_t i = 0; i < of.text.size(); ++i)
      write_rotation_byte(bytes_of(rotated), bytes_of(sorted.before) + first, first, count, roots.layout(),
                          rows.data(), parts.layout(), i, bytes_of(bytes));
  });
  return bytes;
}

void expect_transforms(const text_parts& of) {
  if (of.text.empty()) return;
  for (const std::uint64_t block : {std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{of.text.size()}}) {
    ASSERT_EQ(sentinel_forms(of, block), reference_batch(of, bwt_form::sentinel)) << of.text << ' ' << block;
    ASSERT_EQ(rotation_bytes(of, block), reference_batch(of, bwt_form::rotation).bytes)
        << of.text << ' ' << block;
  }
}

TEST(part_rows, of_every_short_batch) {
  for (const int parts : {1, 2, 3})
    for_all_texts(2, 6, [&](const std::string& text) { for_all_parts(text, parts, expect_transforms); });
}

TEST(part_rows, of_every_short_text_together) {
  text_parts of;
  for_all_texts(2, 6, [&](const std::string& text) { of.add(text); });
  expect_transforms(of);
}

TEST(part_rows, of_powers) {
  text_parts of;
  for (const std::size_t times : {1, 2, 5, 64})
    for (const char* root : {"a", "ab", "ba", "baa", "banana"}) {
      std::string text;
      for (std::size_t i = 0; i < times; ++i) text += root;
      of.add(text);
      of.add("");
    }
  expect_transforms(of);
}

TEST(part_rows, of_random_parts) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 30; ++round) expect_transforms(random_parts(random, 1 + random() % 20, 60));
}

} // namespace
} // namespace weft::test
