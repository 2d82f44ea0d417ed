// Tests the components of the suffix sort on a GPU: bit strings, keys, the difference cover and marks of
// groups.
#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <test/reference/bwt_reference.hpp>
#include <weft/bwt/core/bits.hpp>
#include <weft/bwt/core/suffix_keys.hpp>
#include <weft/bwt/core/symbol_codes.hpp>

#include "bwt_cases.hpp"

namespace weft::test {

namespace {

using namespace bwt_detail;

class packed {
public:
  // Packs the bytes of a text. The code of a byte is its value minus the smallest byte.
  packed(const std::string& text, std::uint32_t bits) : packed(codes_from_zero(text), bits) {}
  packed(const std::vector<std::uint64_t>& codes, std::uint32_t bits) {
    for (std::uint64_t w = 0; w < words_of_text(codes.size(), bits); ++w)
      words_.push_back(packed_word(w, codes.size(), bits, [&](std::uint64_t i) { return codes[i]; }));
    view = {words_.data(), codes.size(), bits};
  }
  bit_text view{};

private:
  static std::vector<std::uint64_t> codes_from_zero(const std::string& text) {
    std::vector<std::uint64_t> codes;
    for (const char c : text) codes.push_back(static_cast<unsigned char>(c));
    const std::uint64_t smallest = codes.empty() ? 0 : *std::min_element(codes.begin(), codes.end());
    for (std::uint64_t& code : codes) code -= smallest;
    return codes;
  }
  std::vector<std::uint64_t> words_;
};

// Returns the bytes as codes of `bits` bits, spread over the whole range of codes.
std::vector<std::uint64_t> spread(const std::string& text, std::uint32_t bits) {
  std::vector<std::uint64_t> codes;
  for (const char c : text)
    codes.push_back(static_cast<unsigned char>(c) * ((std::uint64_t{1} << bits) - 1) / 255);
  return codes;
}

TEST(bit_text, any_64_bits) {
  std::mt19937_64 random(1);
  for (std::uint32_t bits = 1; bits <= 32; ++bits) {
    std::vector<std::uint64_t> text(1000);
    for (std::size_t i = 1; i < text.size(); ++i) text[i] = random() % (std::uint64_t{1} << bits);
    const packed of(text, bits);
    const auto bit_of = [&](std::uint64_t k) {
      return (k / bits < text.size() ? text[k / bits] : 0) >> (bits - 1 - k % bits) & 1;
    };
    for (std::uint64_t bit = 0; bit < text.size() * bits; ++bit) {
      std::uint64_t expected = 0;
      for (std::uint64_t k = 0; k < 64; ++k) expected = expected << 1 | bit_of(bit + k);
      ASSERT_EQ(of.view.from(bit), expected) << bits << ", " << bit;
    }
  }
}

TEST(bit_text, symbols_before_suffixes) {
  for (std::uint32_t bits = 1; bits <= 32; ++bits) {
    std::vector<std::uint64_t> text(200);
    for (std::size_t i = 1; i < text.size(); ++i)
      text[i] = i * i * 0x9E3779B97F4A7C15ULL % (std::uint64_t{1} << bits);
    const packed of(text, bits);
    for (std::uint64_t i = 0; i < text.size(); ++i) {
      const std::uint64_t before = text[i == 0 ? text.size() - 1 : i - 1];
      ASSERT_EQ(of.view.symbol(i), text[i]);
      ASSERT_EQ(of.view.symbol_before(i), before);
      ASSERT_EQ(of.view.first_key(i) & of.view.mask_of_symbol(), before);
      ASSERT_EQ(of.view.first_key(i) >> bits, of.view.from(i * bits) >> bits);
    }
  }
}

// Checks that keys alone distinguish all suffixes and order them correctly.
void expect_order_of_keys(const bit_text& view, const std::string& text) {
  const text_keys keys{view};
  std::vector<std::uint32_t> order(text.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (a == b) return false;
    std::uint64_t x = view.first_key(a) & ~view.mask_of_symbol(),
                  y = view.first_key(b) & ~view.mask_of_symbol();
    for (std::uint32_t round = 1; x == y; ++round) {
      x = keys(a, round);
      y = keys(b, round);
    }
    return x < y;
  });
  ASSERT_EQ(order, reference::suffix_array(text)) << text << ", " << view.bits;
}
void expect_order_of_keys(const packed& of, const std::string& text) {
  bit_text view = of.view;
  for (const bool alone : {false, true}) {
    view.omits_symbol_before = alone;
    expect_order_of_keys(view, text);
  }
}

TEST(suffix_keys, order_suffixes) {
  for_all_texts(2, 9, [](const std::string& text) {
    for (const std::uint32_t bits : {1, 2, 8}) expect_order_of_keys(packed(text, bits), text);
    for (const std::uint32_t bits : {9, 17, 31, 32})
      expect_order_of_keys(packed(spread(text, bits), bits), text);
  });
  for (const std::size_t n : {63, 64, 65, 200})
    for (const auto& [name, text] : texts(n)) {
      expect_order_of_keys(packed(text, 8), text);
      for (const std::uint32_t bits : {9, 16, 21, 32})
        expect_order_of_keys(packed(spread(text, bits), bits), text);
    }
  const std::string run = std::string(300, 'a') + 'b';
  for (std::uint32_t bits = 1; bits <= 8; ++bits) expect_order_of_keys(packed(run, bits), run);
  for (std::uint32_t bits = 9; bits <= 32; ++bits) expect_order_of_keys(packed(spread(run, bits), bits), run);
}

TEST(difference_cover, has_every_difference) {
  for (std::uint64_t a = 0; a < 200; ++a)
    for (std::uint64_t b = 0; b < 200; ++b) {
      const std::uint64_t shift = cover_shift(a, b);
      ASSERT_LT(shift, cover_period);
      ASSERT_TRUE(in_cover(a + shift) && in_cover(b + shift)) << a << ' ' << b;
    }
}

TEST(difference_cover, numbers_and_positions) {
  std::uint64_t number = 0;
  for (std::uint64_t position = 0; position < 1000; ++position) {
    ASSERT_EQ(cover_number(position), number);
    if (!in_cover(position)) continue;
    ASSERT_EQ(cover_position(number), position);
    ++number;
  }
}

std::vector<std::uint32_t> ranks_in_cover(const std::vector<std::uint32_t>& sa) {
  std::vector<std::uint32_t> ranks(cover_number(sa.size()));
  for (std::uint32_t row = 0; row < sa.size(); ++row)
    if (in_cover(sa[row])) ranks[cover_number(sa[row])] = row;
  return ranks;
}

TEST(cover_ranks, order_suffixes_that_agree_in_a_period) {
  for (const auto& [name, text] : texts(400)) {
    const std::vector<std::uint32_t> sa = reference::suffix_array(text);
    const std::vector<std::uint32_t> ranks = ranks_in_cover(sa);
    const cover_ranks by{ranks.data()};
    for (std::size_t i = 0; i < sa.size(); ++i)
      for (std::size_t j = i + 1; j < sa.size(); ++j) {
        const std::string_view a = std::string_view(text).substr(sa[i], cover_period),
                               b = std::string_view(text).substr(sa[j], cover_period);
        if (a.size() < cover_period || a != b) break;
        ASSERT_TRUE(by.less(sa[i], sa[j])) << name;
        ASSERT_FALSE(by.less(sa[j], sa[i])) << name;
      }
  }
}

// Sorts as the suffix sort does: by the keys that cover the first 128 symbols, then by the ranks of the
// cover, which are only valid for two suffixes that both have that many symbols.
void expect_order_of_rounds(const std::string& text, std::uint32_t bits) {
  const packed of(spread(text, bits), bits);
  const text_keys keys{of.view};
  std::uint32_t end = 2;
  while (key_depth(bits, end - 1) < cover_period * bits) ++end;
  const std::vector<std::uint32_t> expected = reference::suffix_array(text), ranks = ranks_in_cover(expected);
  const cover_ranks by{ranks.data()};
  std::vector<std::uint32_t> order(text.size());
  std::iota(order.begin(), order.end(), 0U);
  bool too_early = false;
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (a == b) return false;
    const std::uint64_t x = of.view.first_key(a) & ~of.view.mask_of_symbol(),
                        y = of.view.first_key(b) & ~of.view.mask_of_symbol();
    if (x != y) return x < y;
    for (std::uint32_t round = 1; round < end; ++round)
      if (keys(a, round) != keys(b, round)) return keys(a, round) < keys(b, round);
    if (std::max(a, b) + cover_period > text.size()) {
      too_early = true;
      return a > b;
    }
    return by.less(a, b);
  });
  ASSERT_FALSE(too_early) << bits;
  ASSERT_EQ(order, expected) << bits;
}

TEST(cover_ranks, follow_enough_keys_of_any_bits) {
  for (const auto& [name, text] : texts(400))
    for (std::uint32_t bits = 8; bits <= 32; ++bits) expect_order_of_rounds(text, bits);
}

TEST(symbol_codes, number_symbols_in_their_order) {
  std::mt19937_64 random(1);
  for (const std::uint64_t greatest : {0, 1, 63, 64, 255, 256, 257, 1000, 65'535})
    for (const std::uint64_t rare : {1, 2, 50}) {
      const std::uint64_t groups = greatest / symbol_group + 1;
      std::vector<std::uint64_t> in_use(groups * symbol_group_words);
      std::vector<std::uint32_t> before(groups);
      std::vector<std::uint64_t> expected;
      for (std::uint64_t symbol = 0; symbol <= greatest; ++symbol) {
        if (symbol % symbol_group == 0)
          before[symbol / symbol_group] = static_cast<std::uint32_t>(expected.size());
        if (symbol != greatest && random() % rare != 0) continue;
        in_use[symbol / 64] |= std::uint64_t{1} << (symbol % 64);
        expected.push_back(symbol);
      }
      const symbol_codes codes{in_use.data(), before.data()};
      for (std::uint64_t code = 0; code < expected.size(); ++code) ASSERT_EQ(codes(expected[code]), code);
      ASSERT_EQ(before.back() + symbols_of_group(in_use.data(), groups - 1), expected.size());
      ASSERT_EQ((symbol_codes{nullptr, nullptr}(greatest)), greatest);
    }
}

TEST(head_bits, next_and_last) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 60; ++round) {
    const std::uint64_t n = 1 + random() % (round % 10 == 0 ? 600'000 : 5000);
    const std::uint64_t distance = 1 + random() % (round % 3 == 0 ? 2 * n : 100);
    std::vector<char> begins(n + 1);
    for (char& each : begins) each = random() % distance == 0 ? 1 : 0;
    begins.front() = begins.back() = 1;
    std::array<std::vector<std::uint64_t>, head_levels> levels;
    head_bits heads{};
    heads.size = n;
    for (std::size_t i = 0; i < levels.size(); ++i) {
      levels[i].resize(head_bits::words(n, static_cast<int>(i)));
      heads.level[i] = levels[i].data();
      const auto set = [&](std::uint64_t bit) { levels[i][bit / 64] |= std::uint64_t{1} << (bit % 64); };
      if (i == 0) {
        for (std::uint64_t slot = 0; slot <= n; ++slot)
          if (begins[slot] != 0) set(slot);
      } else {
        for (std::uint64_t word = 0; word < levels[i - 1].size(); ++word)
          if (levels[i - 1][word] != 0) set(word);
      }
    }
    for (std::uint64_t slot = n + 1, next = n; slot-- > 0;) {
      if (begins[slot] != 0) next = slot;
      ASSERT_EQ(heads.next(slot), next);
    }
    for (std::uint64_t slot = 0, last = 0; slot < n; ++slot) {
      if (begins[slot] != 0) last = slot;
      ASSERT_EQ(heads.last(slot), last);
    }
  }
}

} // namespace
} // namespace weft::test
