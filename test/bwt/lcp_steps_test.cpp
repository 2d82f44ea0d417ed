// Runs the steps of the LCP array on a GPU (weft/bwt/core/lcp_steps.hpp) in the order of the kernels, with
// limits so low that single blocks and the whole grid get work.
#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <weft/bwt/core/lcp_steps.hpp>
#include <weft/bwt/suffix_array.hpp>

#include "bwt_cases.hpp"

namespace weft::test {

namespace {

using namespace bwt_detail;

// Holds a text in its own memory, with nothing after it, starting `moved` bytes after an aligned address.
class moved_text {
public:
  explicit moved_text(const std::string& text, std::size_t moved)
      : memory_(new unsigned char[text.size() + moved]), text_{memory_.get() + moved,
                                                               memory_.get() + moved + text.size()} {
    std::copy(text.begin(), text.end(), memory_.get() + moved);
  }
  [[nodiscard]] const readable_letters& view() const { return text_; }

private:
  std::unique_ptr<unsigned char[]> memory_;
  readable_letters text_;
};

constexpr const char* one_long = "b and many a";

struct teams {
  std::uint64_t thread_limit = 8, block_limit = 64;
  unsigned threads = 2, blocks = 3;
  bool last_first = false;
};

// Runs the kernels as loops.
template <class Index> class lcp_by_steps {
public:
  lcp_by_steps(const readable_letters& text, const teams& with)
      : text_(text), n_(static_cast<std::uint64_t>(text.end - text.begin)), with_(with), plcp_(n_) {}

  std::vector<Index> run(const std::vector<Index>& sa) {
    for (std::uint64_t row = 0; row < n_; ++row)
      plcp_[sa[row]] = row == 0 ? static_cast<Index>(~Index{0}) : sa[row - 1];
    for_each_level(n_, [&](const lcp_level& level) {
      std::vector<lcp_item<Index>> longer, longest;
      for (std::uint64_t i = 0; i < level.count; ++i)
        compare_position(text_, plcp_.data(), level.back,
                         level.position(with_.last_first ? level.count - 1 - i : i), with_.thread_limit,
                         [&](const lcp_item<Index>& item) { longer.push_back(item); });
      for (const lcp_item<Index>& item : longer) by_block(item, longest);
      for (const lcp_item<Index>& item : longest) by_all(item);
      max_longer = std::max<std::uint64_t>(max_longer, longer.size());
      max_longest = std::max<std::uint64_t>(max_longest, longest.size());
    });
    std::vector<Index> lcp;
    for (const Index suffix : sa) lcp.push_back(plcp_[suffix]);
    return lcp;
  }
  std::uint64_t max_longer = 0, max_longest = 0; // numbers of items of a level

private:
  void by_block(lcp_item<Index> item, std::vector<lcp_item<Index>>& longest) {
    const std::uint64_t max_length = item.max_common(n_),
                        end = std::min(max_length, item.common + with_.block_limit);
    std::uint64_t known = item.common, smallest = max_length;
    while (known < end && smallest == max_length) {
      for (unsigned t = 0; t < with_.threads; ++t)
        smallest = std::min(smallest, first_difference(text_, item, known, max_length, t, with_.threads));
      known += window_symbols(with_.threads);
    }
    plcp_[item.at] = static_cast<Index>(smallest);
    if (smallest < max_length || known >= max_length) return;
    item.common = static_cast<Index>(known);
    longest.push_back(item);
  }
  void by_all(const lcp_item<Index>& item) {
    const std::uint64_t window = window_symbols(with_.threads);
    for (unsigned b = 0; b < with_.blocks; ++b)
      for (unsigned t = 0; t < with_.threads; ++t) {
        const std::uint64_t block = with_.last_first ? with_.blocks - 1 - b : b;
        for (std::uint64_t known = item.common + block * window;; known += with_.blocks * window) {
          const std::uint64_t smallest = plcp_[item.at];
          if (known >= smallest) break;
          const std::uint64_t own = first_difference(text_, item, known, smallest, t, with_.threads);
          plcp_[item.at] = std::min(plcp_[item.at], static_cast<Index>(own));
        }
      }
  }

  readable_letters text_;
  std::uint64_t n_;
  teams with_;
  std::vector<Index> plcp_;
};

template <class Index>
void expect_lcp(const std::string& text, const std::string& name, std::size_t moved, const teams& with) {
  const auto sa = suffix_array<Index>(text, {.run = {.device = {device_kind::cpu, 0}}});
  const auto expected = lcp_array<Index>(text, std::span<const Index>(sa),
                                         {.run = {.device = {device_kind::cpu, 0}, .threads = 1}});
  const moved_text moved_copy(text, moved);
  lcp_by_steps<Index> steps(moved_copy.view(), with);
  ASSERT_EQ(steps.run(sa), expected) << name << ", " << text.size() << " symbols";
  ASSERT_LE(steps.max_longer, lcp_list_capacity(text.size(), with.thread_limit)) << name;
  ASSERT_LE(steps.max_longest, lcp_list_capacity(text.size(), with.block_limit)) << name;
  if (name == one_long) { // the whole grid has had work
    ASSERT_EQ(steps.max_longest, 1U);
  }
}

TEST(lcp_steps, levels_have_each_position_once) {
  for (std::uint64_t n = 1; n < 300; ++n) {
    std::vector<int> seen(n, -1);
    int number = 0;
    for_each_level(n, [&](const lcp_level& level) {
      for (std::uint64_t i = 0; i < level.count; ++i) {
        const std::uint64_t at = level.position(i);
        ASSERT_LT(at, n);
        ASSERT_EQ(seen[at], -1);
        seen[at] = number;
        if (level.back > 0) {
          ASSERT_GE(seen[at - level.back], 0);
          ASSERT_LT(seen[at - level.back], number); // its value is known by then
        }
      }
      ++number;
    });
    ASSERT_EQ(std::count(seen.begin(), seen.end(), -1), 0) << n;
  }
}

TEST(lcp_steps, symbols_from_any_address) {
  const std::string text = "0123456789abcdefghijklmnop";
  for (std::size_t moved = 0; moved < 9; ++moved)
    for (std::size_t n = 1; n <= text.size(); ++n) {
      const moved_text moved_copy(text.substr(0, n), moved);
      for (std::size_t at = 0; at <= n; ++at) {
        std::uint64_t expected = 0;
        for (std::size_t i = std::min(n, at + 8); i-- > at;)
          expected = expected << 8 | static_cast<unsigned char>(text[i]);
        ASSERT_EQ(eight_symbols(moved_copy.view(), at), expected) << moved << ' ' << n << ' ' << at;
      }
    }
}

TEST(lcp_steps, common_symbols_up_to_a_limit) {
  std::string text(200, 'a');
  text[90] = 'b';
  text[190] = 'c';
  for (std::size_t moved = 0; moved < 8; ++moved) {
    const moved_text moved_copy(text, moved);
    for (std::uint64_t a = 0; a < 90; ++a)
      for (const std::uint64_t known : {std::uint64_t{0}, (90 - a) / 2, 90 - a}) {
        const std::uint64_t b = a + 100, max_length = 200 - b;
        ASSERT_EQ(common_symbols(moved_copy.view(), a, b, known, max_length, 1000), 90 - a);
        ASSERT_EQ(common_symbols(moved_copy.view(), b, a, known, max_length, 1000), 90 - a);
        const std::uint64_t some = common_symbols(moved_copy.view(), a, b, known, max_length, 10);
        ASSERT_LE(some, 90 - a);
        ASSERT_TRUE(some == 90 - a || (some >= known + 10 && some < known + 18));
      }
    // the result is limited to the maximum asked for
    ASSERT_EQ(common_symbols(moved_copy.view(), 0, 3, 0, 87, 1000), 87U);
    ASSERT_EQ(common_symbols(moved_copy.view(), 191, 193, 0, 7, 1000), 7U); // the suffix ends with the text
  }
}

TEST(lcp_steps, of_every_short_text) {
  for_all_texts(2, 12, [](const std::string& text) {
    if (!text.empty()) expect_lcp<std::uint32_t>(text, text, 0, {});
  });
  for_all_texts(3, 7, [](const std::string& text) {
    if (!text.empty()) expect_lcp<std::uint64_t>(text, text, text.size() % 8, {.last_first = true});
  });
}

TEST(lcp_steps, of_difficult_texts) {
  for (const std::size_t n : {31, 32, 33, 64, 65, 1000, 1023, 1024, 1025, 4097, 20'000})
    for (const auto& [name, text] : texts(n)) {
      expect_lcp<std::uint32_t>(text, name, n % 8, {});
      expect_lcp<std::uint32_t>(text, name, 3, {.threads = 1, .blocks = 1});
      expect_lcp<std::uint64_t>(text, name, 5,
                                {.thread_limit = 24, .block_limit = 8, .blocks = 7, .last_first = true});
      expect_lcp<std::uint32_t>(text, name, 0, {.thread_limit = 1024, .block_limit = 1U << 20U});
    }
}

// Uses one letter and another one at the front, so that each level compares one pair of suffixes to the end.
TEST(lcp_steps, one_long_comparison_a_level) {
  for (const std::size_t n : {1000, 5000}) {
    const std::string text = 'b' + std::string(n, 'a');
    expect_lcp<std::uint32_t>(text, one_long, 0, {});
    expect_lcp<std::uint32_t>(text, one_long, 1, {.last_first = true});
  }
}

// Checks that positions in range that form no suffix array cause no read out of range and no value that is
// too large.
TEST(lcp_steps, of_what_is_no_suffix_array) {
  std::mt19937_64 random(1);
  for (const auto& [name, text] : texts(500))
    for (int round = 0; round < 5; ++round) {
      std::vector<std::uint32_t> wrong(text.size());
      for (std::uint32_t& suffix : wrong) suffix = static_cast<std::uint32_t>(random() % text.size());
      const moved_text moved_copy(text, 1);
      lcp_by_steps<std::uint32_t> steps(moved_copy.view(), {});
      const std::vector<std::uint32_t> lcp = steps.run(wrong);
      for (std::size_t row = 0; row < lcp.size(); ++row)
        ASSERT_LE(lcp[row], text.size() - wrong[row]) << name;
    }
}

} // namespace
} // namespace weft::test
