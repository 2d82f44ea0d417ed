// Tests the components of the suffix sort of texts in parts: marks of parts, keys that end with them, and the
// difference cover across them.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <random>
#include <test/reference/bwt_reference.hpp>
#include <weft/bwt/core/suffix_keys.hpp>

#include "bwt_cases.hpp"
#include "part_cases.hpp"

namespace weft::test {

namespace {

using namespace bwt_detail;

// Holds the parts of a text. The code of a byte is its value minus the smallest byte.
class packed_parts {
public:
  packed_parts(const text_parts& of, std::uint32_t bits, bool batch) : size_(of.text.size()) {
    const auto value = [&](std::uint64_t i) { return std::uint64_t{static_cast<unsigned char>(of.text[i])}; };
    std::uint64_t smallest = 255;
    for (std::uint64_t i = 0; i < size_; ++i) smallest = std::min(smallest, value(i));
    for (std::uint64_t w = 0; w < words_of_text(size_, bits); ++w)
      words_.push_back(packed_word(w, size_, bits, [&](std::uint64_t i) { return value(i) - smallest; }));
    for (std::size_t p = 0; p + 1 < of.offsets.size(); ++p)
      if (of.offsets[p] < of.offsets[p + 1]) begins_.push_back(of.offsets[p]);
    const std::uint64_t parts = begins_.size();
    begins_.push_back(size_);
    for (std::uint64_t b = 0; b < part_blocks(size_); ++b)
      blocks_.push_back(part_block_of(b, begins_.data(), parts));
    const auto number_bits = static_cast<std::uint32_t>(batch && parts > 0 ? std::bit_width(parts - 1) : 0);
    view = {{words_.data(), size_, bits}, {blocks_.data()}, number_bits};
  }
  [[nodiscard]] const std::vector<std::uint64_t>& begins() const { return begins_; }
  part_text view{};

private:
  std::uint64_t size_;
  std::vector<std::uint64_t> words_, begins_;
  std::vector<part_block> blocks_;
};

std::vector<std::uint32_t> expected_order(const text_parts& of, bool batch) {
  if (!batch) return reference::collection_suffix_array(of.text, of.offsets);
  std::vector<std::uint32_t> order;
  for (std::size_t p = 0; p + 1 < of.offsets.size(); ++p)
    for (const std::uint32_t at : reference::suffix_array(of.part(p)))
      order.push_back(static_cast<std::uint32_t>(of.offsets[p]) + at);
  return order;
}

// Groups of suffixes that are split by a key, in ascending order.
using groups = std::vector<std::vector<std::uint64_t>>;
template <class Key> groups split(const groups& before, const Key& key) {
  groups result;
  for (const std::vector<std::uint64_t>& group : before) {
    if (group.size() == 1) {
      result.push_back(group);
      continue;
    }
    std::map<std::uint64_t, std::vector<std::uint64_t>> by_key;
    for (const std::uint64_t suffix : group) by_key[key(suffix)].push_back(suffix);
    for (auto& [value, members] : by_key) result.push_back(std::move(members));
  }
  return result;
}
bool any_left(const groups& of) {
  return std::any_of(of.begin(), of.end(), [](const auto& group) { return group.size() > 1; });
}

// Simulates cuda/suffix_sort/suffix_sort.cpp: sorts by `rounds` keys of the text, then by the ranks of the
// cover, which start as the groups of its suffixes and are refined until no two are equal.
class simulated_sort {
public:
  simulated_sort(const part_text& text, std::uint32_t rounds) : text_(text), rounds_(rounds) {
    while (text_.depth(rounds_ - 1) < std::uint64_t{cover_period} * text_.bits) ++rounds_;
  }
  std::vector<std::uint32_t> order() {
    std::vector<std::uint64_t> all(text_.size);
    std::iota(all.begin(), all.end(), 0U);
    groups of = by_text(all);
    if (any_left(of)) {
      rank_cover();
      const cover_ranks by{ranks_.data()};
      for (std::vector<std::uint64_t>& group : of)
        std::sort(group.begin(), group.end(), [&](auto a, auto b) { return by.less(a, b); });
    }
    std::vector<std::uint32_t> result;
    for (const std::vector<std::uint64_t>& group : of)
      for (const std::uint64_t suffix : group) result.push_back(static_cast<std::uint32_t>(suffix));
    return result;
  }
  [[nodiscard]] bool used_cover() const { return !ranks_.empty(); }

private:
  [[nodiscard]] groups by_text(const std::vector<std::uint64_t>& suffixes) const {
    groups of = split(
        {suffixes}, [&](std::uint64_t suffix) { return text_.first_key(suffix) & ~text_.mask_of_symbol(); });
    const part_keys keys{text_};
    for (std::uint32_t round = 1; round < rounds_; ++round)
      of = split(of, [&](std::uint64_t suffix) { return keys(suffix, round); });
    return of;
  }
  void write_ranks(const groups& of) {
    std::uint32_t rank = 0;
    for (const std::vector<std::uint64_t>& group : of) {
      for (const std::uint64_t suffix : group) ranks_[cover_number(suffix)] = rank;
      rank += static_cast<std::uint32_t>(group.size());
    }
  }
  void rank_cover() {
    ranks_.resize(cover_number(text_.size));
    std::vector<std::uint64_t> suffixes(ranks_.size());
    for (std::uint64_t i = 0; i < suffixes.size(); ++i) suffixes[i] = cover_position(i);
    groups of = by_text(suffixes);
    write_ranks(of);
    for (std::uint64_t step = cover_period; any_left(of); step *= 2) {
      ASSERT_LE(step, 2 * text_.size);
      const further_ranks keys{ranks_.data(), text_.size, step};
      of = split(of, [&](std::uint64_t suffix) {
        EXPECT_LT(step, text_.parts.left(suffix)); // the suffix goes on in its part
        return keys(suffix, 0);
      });
      write_ranks(of);
    }
  }
  part_text text_;
  std::uint32_t rounds_;
  std::vector<std::uint32_t> ranks_;
};

void expect_order(const text_parts& of, std::uint32_t bits, bool batch, std::uint32_t rounds) {
  const packed_parts packed(of, bits, batch);
  ASSERT_EQ(simulated_sort(packed.view, rounds).order(), expected_order(of, batch))
      << of.text << ", " << bits << " bits, " << (batch ? "batch" : "collection") << " of "
      << of.offsets.size() - 1;
}

TEST(part_marks, numbers_and_ends) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 40; ++round) {
    text_parts of;
    const std::uint64_t longest = round % 4 == 0 ? 3 : 1 + random() % 600;
    for (std::uint64_t parts = 1 + random() % 50; parts > 0; --parts)
      of.add(std::string(random() % (longest + 1), 'a'));
    const packed_parts packed(of, 1, true);
    const std::vector<std::uint64_t>& begins = packed.begins();
    for (std::uint64_t i = 0, p = 0; i < of.text.size(); ++i) {
      while (begins[p + 1] <= i) ++p;
      ASSERT_EQ(packed.view.parts.begins_at(i), begins[p] == i);
      ASSERT_EQ(packed.view.parts.number(i), p);
      ASSERT_EQ(packed.view.parts.left(i), begins[p + 1] - i);
    }
  }
}

TEST(part_marks, ends_of_parts_of_more_than_32_bits) {
  const std::uint64_t far = 2 * std::uint64_t{max_skip} + 1000;
  for (const std::uint64_t size : {far, far + 1, far + 63, std::uint64_t{max_skip} + 64,
                                   std::uint64_t{max_skip} + 63, std::uint64_t{max_skip} + 65}) {
    const std::vector<std::uint64_t> begins = {0, 10, size, size + 5};
    const part_block first = part_block_of(0, begins.data(), 3);
    EXPECT_EQ(first.begins, 1U | 1U << 10);
    EXPECT_EQ(first.skip, std::min<std::uint64_t>(size - 64, max_skip));
    EXPECT_EQ(part_marks::number(first, 9), 0U);
    EXPECT_EQ(part_marks::number(first, 10), 1U);
    EXPECT_EQ(part_marks::left(first, 3), 7U);
    EXPECT_EQ(part_marks::left(first, 20), std::min<std::uint64_t>(size - 20, 44 + std::uint64_t{max_skip}));
    const part_block last = part_block_of(size / 64, begins.data(), 3);
    EXPECT_EQ(part_marks::number(last, size), 2U);
    EXPECT_EQ(part_marks::left(last, size), 5U);
  }
}

TEST(part_text, keys_sort_every_short_collection_and_batch) {
  for (const int parts : {1, 2, 3})
    for_all_texts(2, 7, [&](const std::string& text) {
      if (text.empty()) return;
      for_all_parts(text, parts, [](const text_parts& of) {
        for (const bool batch : {false, true})
          for (const std::uint32_t bits : {1, 8}) expect_order(of, bits, batch, 1);
      });
    });
}

TEST(part_text, keys_sort_equal_letters_of_every_length) {
  for (std::uint32_t bits = 1; bits <= 8; ++bits)
    for (const bool batch : {false, true}) {
      text_parts of;
      for (std::size_t n = 0; n < 200; n += 1 + n / 9) of.add(std::string(n, 'a'));
      of.add("ab"); // two letters
      of.add(std::string(130, 'a'));
      expect_order(of, bits, batch, 1);
      expect_order(of, bits, batch, 40);
    }
}

TEST(part_text, the_cover_decides_where_parts_share_much) {
  std::uint64_t by_cover = 0;
  for (const std::size_t n : {65, 128, 700})
    for (const auto& [name, text] : texts(n))
      for (const std::size_t copies : {1, 2, 5})
        for (const bool batch : {false, true}) {
          text_parts of;
          for (std::size_t i = 0; i < copies; ++i) {
            of.add(text);
            of.add("");
            of.add(text.substr(0, n / (i + 2)));
            of.add(text.substr(n / (i + 2)));
          }
          const packed_parts packed(of, 8, batch);
          simulated_sort sort(packed.view, 1);
          ASSERT_EQ(sort.order(), expected_order(of, batch)) << name << ", " << batch;
          by_cover += sort.used_cover() ? 1 : 0;
        }
  EXPECT_GT(by_cover, 20U);
}

TEST(part_text, one_part_is_as_a_text) {
  for (const auto& [name, text] : texts(300)) {
    text_parts of;
    of.add(text);
    for (const bool batch : {false, true}) {
      const packed_parts packed(of, 8, batch);
      EXPECT_EQ(packed.view.number_bits, 0U);
      EXPECT_EQ(simulated_sort(packed.view, 1).order(), reference::suffix_array(text)) << name;
    }
  }
}

TEST(part_text, random_parts) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 60; ++round) {
    const text_parts of = random_parts(random, 3 + random() % 40, round % 2 == 0 ? 40 : 150);
    if (of.text.empty()) continue;
    for (const bool batch : {false, true}) expect_order(of, 8, batch, 1 + round % 3);
  }
}

} // namespace
} // namespace weft::test
