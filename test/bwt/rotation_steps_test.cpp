// Runs the steps of the search for roots and smallest rotations in the order of a GPU's kernels: windows,
// then rounds of pairs that are compared in pieces.
#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <weft/bwt/core/min_rotation.hpp>
#include <weft/bwt/core/rotation_steps.hpp>

#include "bwt_cases.hpp"

namespace weft::test {

namespace {

using namespace bwt_detail;

class circle {
public:
  explicit circle(const std::string& text) : words_(circular_text::words_for(text.size())) {
    std::string round = text;
    while (round.size() < words_.size() * 8) round += text;
    std::memcpy(words_.data(), round.data(), words_.size() * 8);
  }
  [[nodiscard]] circular_text view(std::uint64_t size) const { return {words_.data(), size}; }

private:
  std::vector<std::uint64_t> words_;
};

std::uint64_t root_of(const std::string& text) {
  const circle of(text);
  return root_length(text.size(), [&](std::uint64_t root, std::uint64_t part) {
    const circular_text view = of.view(root);
    for (std::uint64_t number = 0; number < (root + 7) / 8; ++number)
      if (!word_repeats(view, number, part)) return false;
    return true;
  });
}

// Searches each piece up to its own first difference, as if all pieces were compared at the same time.
std::uint64_t first_difference(const circular_text& text, std::uint64_t i, std::uint64_t j,
                               std::uint64_t piece) {
  std::uint64_t first = no_difference;
  for (std::uint64_t begin = 0; begin < j - i; begin += piece)
    for (std::uint64_t at = begin; at < std::min(begin + piece, j - i); at += 8)
      if (const std::uint64_t difference = difference_at(text, i, j, at); difference != no_difference) {
        first = std::min(first, difference);
        break;
      }
  return first;
}

std::uint64_t min_by_tournament(const std::string& text, std::uint64_t root, std::uint64_t window,
                                std::uint64_t piece) {
  const circle of(text);
  const circular_text view = of.view(root);
  tournament_round round{(root + window - 1) / window};
  std::vector<std::uint64_t> candidates(round.windows);
  for (std::uint64_t k = 0; k < round.windows; ++k)
    candidates[k] = candidate_of_window(view, k * window, std::min((k + 1) * window, root));
  for (; round.windows > 1; round = round.next())
    for (std::uint64_t pair = 0; pair < round.pairs(); ++pair) {
      const std::uint64_t i = candidates[round.left(pair)], j = candidates[round.right(pair)];
      EXPECT_LT(i, j);
      EXPECT_LT(j - i, 2 * round.stride * window);
      candidates[round.left(pair)] = winner_of_duel(view, i, j, first_difference(view, i, j, piece));
    }
  return candidates.front();
}

void expect_same(const std::string& text, const std::vector<std::uint64_t>& windows) {
  const std::uint64_t root = root_of(text);
  ASSERT_EQ(root, bwt_detail::shortest_root(text)) << text.substr(0, 100);
  const std::uint64_t expected = bwt_detail::min_rotation(std::string_view(text).substr(0, root));
  for (const std::uint64_t window : windows)
    for (const std::uint64_t piece : {8, 64})
      ASSERT_EQ(min_by_tournament(text, root, window, piece), expected)
          << text.substr(0, 100) << ", " << text.size() << " symbols, windows of " << window;
}

TEST(rotation_steps, of_every_short_text) {
  const auto check = [](const std::string& text) {
    if (!text.empty()) expect_same(text, {1, 2, 3, 8, 64});
  };
  for_all_texts(2, 16, check);
  for_all_texts(3, 10, check);
}

TEST(rotation_steps, of_difficult_texts) {
  for (const std::size_t n : {17, 63, 64, 65, 127, 129, 1000, 5000})
    for (const auto& [name, text] : texts(n)) expect_same(text, {1, 5, 64});
}

TEST(rotation_steps, of_powers) {
  std::mt19937_64 random(1);
  for (const std::size_t length : {1, 2, 3, 7, 8, 9, 64, 100})
    for (const int times : {2, 3, 4, 12, 49}) {
      std::string unit(length, ' '), text;
      for (char& c : unit) c = "ab"[random() % 2];
      for (int i = 0; i < times; ++i) text += unit;
      expect_same(text, {1, 64});
      text.back() = 'c';
      expect_same(text, {1, 64});
    }
}

TEST(rotation_steps, of_equal_bytes_but_one) {
  for (const std::size_t n : {2, 9, 64, 200, 1000})
    for (const char other : {'\0', '\xff'})
      for (const std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
        std::string text(n, 'a');
        text[at] = other;
        expect_same(text, {1, 3, 64});
      }
}

} // namespace
} // namespace weft::test
