// Tests transforms, suffix arrays and indexes whose suffixes many ranks sort, against those of one process.
#include <atomic>
#include <gtest/gtest.h>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <test/bwt/suffix_texts.hpp>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/bwt/cpu/suffix_ranges.hpp>
#include <weft/bwt/fm_index.hpp>
#include <weft/multi/suffixes.hpp>
#include <weft/multi/thread_ranks.hpp>

namespace weft::test {

namespace {

using multi::communicator;
using multi::run_ranks;
using multi::suffix_limits;
using multi::suffix_team;

constexpr suffix_limits always{.min_symbols = 1, .min_ranks = 2}; // sorts every text together
constexpr int rank_counts[] = {1, 2, 3, 8};

// Calls work(helpers) on rank 0 of `count` ranks, which all sort suffixes together.
void with_helpers(int count, const std::function<void(bwt_detail::suffix_helpers*)>& work) {
  run_ranks(count, [&](communicator& ranks) {
    suffix_team team(ranks, always);
    if (ranks.rank() != 0) return team.help({.threads = 1});
    work(team.helpers());
    team.dismiss();
  });
}

// Returns the suffix array of a packed text by ranges of at most `max_items` suffixes on many ranks.
std::vector<std::uint32_t> sorted_by_ranks(const bwt_detail::suffix_string& text, std::uint64_t max_items,
                                           bwt_detail::suffix_helpers* helpers) {
  bwt_detail::range_limits limits(0, ~std::uint64_t{0});
  limits.fitting_items = limits.max_items = max_items;
  std::vector<std::uint32_t> sa;
  bwt_detail::sort_in_ranges(text, limits, {.threads = 1}, helpers,
                             [&](const bwt_detail::sorted_range& range) {
                               EXPECT_EQ(range.first_row, sa.size());
                               for (const std::uint64_t item : range.items)
                                 sa.push_back(static_cast<std::uint32_t>(range.layout.position(item)));
                             });
  return sa;
}

TEST(multi_suffixes, texts_of_all_kinds_have_the_suffix_array_of_libdivsufsort) {
  const std::vector<named_text> texts = suffix_texts(1000);
  for (const int count : {2, 5})
    with_helpers(count, [&](bwt_detail::suffix_helpers* helpers) {
      for (const auto& [name, text] : texts) {
        const bwt_detail::suffix_string packed(symbols_of(text), {.threads = 1});
        const std::vector<std::uint32_t> expected = sorted_by_divsufsort(text);
        for (const std::uint64_t max_items : {std::uint64_t{1000}, std::uint64_t{100}})
          ASSERT_EQ(sorted_by_ranks(packed, max_items, helpers), expected)
              << name << ", " << count << " ranks, ranges of " << max_items;
      }
    });
}

TEST(multi_suffixes, short_texts_have_the_suffix_array_of_comparisons) {
  std::mt19937_64 random(seed(1));
  for (const int count : rank_counts)
    with_helpers(count, [&](bwt_detail::suffix_helpers* helpers) {
      for (std::size_t n = 1; n <= 40; ++n) {
        const std::string text = random_letters(random, n, 1 + n % 3);
        const bwt_detail::suffix_string packed(symbols_of(text), {.threads = 1});
        ASSERT_EQ(sorted_by_ranks(packed, 1 + n % 5, helpers), sorted_by_divsufsort(text)) << text;
      }
    });
}

TEST(multi_suffixes, collections_and_wide_symbols_are_sorted) {
  std::mt19937_64 random(seed(2));
  for (const int count : rank_counts)
    with_helpers(count, [&](bwt_detail::suffix_helpers* helpers) {
      for (int i = 0; i < 40; ++i) {
        const text_parts of = random_parts(random, 1 + random() % 9, 200);
        if (of.text.empty()) continue;
        const bwt_detail::suffix_string packed(symbols_of(of.text), {.threads = 1}, of.offsets);
        ASSERT_EQ(sorted_by_ranks(packed, 1 + random() % 300, helpers), sorted_records(of));
        std::vector<std::uint16_t> wide(of.text.size());
        for (std::uint16_t& symbol : wide) symbol = static_cast<std::uint16_t>(random() % 1000);
        const bwt_detail::suffix_string packed_wide(std::span<const std::uint16_t>(wide), {.threads = 1});
        ASSERT_EQ(sorted_by_ranks(packed_wide, 50, helpers),
                  suffix_array<std::uint32_t>(std::span<const std::uint16_t>(wide)));
      }
    });
}

// The functions for users, on all ranks. In little memory, each rank sorts several pieces.
TEST(multi_suffixes, transforms_and_arrays_of_all_ranks_are_those_of_one_process) {
  std::mt19937_64 random(seed(3));
  const std::string text = copies(random, 200000, 60000, 500);
  const bwt_options plain{.run = {.threads = 2}};
  const bwt_text sentinel = bwt(text, bwt_form::sentinel, plain),
                 rotation = bwt(text, bwt_form::rotation, plain);
  const auto [sa, lcp] = suffix_and_lcp_array<std::uint64_t>(text, plain);
  for (const int count : rank_counts)
    run_ranks(count, [&](communicator& ranks) {
      const bool first = ranks.rank() == 0;
      const std::string own = first ? text : "";
      for (const std::uint64_t memory : {std::uint64_t{0}, 5 * std::uint64_t{text.size()}}) {
        const bwt_options options{.run = {.threads = 1, .memory = memory}};
        EXPECT_TRUE(multi::bwt(ranks, own, bwt_form::sentinel, options, always) ==
                    (first ? sentinel : bwt_text{}));
      }
      EXPECT_TRUE(multi::bwt(ranks, own, bwt_form::rotation, plain, always) ==
                  (first ? rotation : bwt_text{}));
      EXPECT_TRUE(multi::suffix_array<std::uint64_t>(ranks, own, plain, always) ==
                  (first ? sa : std::vector<std::uint64_t>()));
      suffix_team team(ranks, always);
      if (!first) return team.help({});
      EXPECT_TRUE((suffix_and_lcp_array<std::uint64_t>(text, {.helpers = team.helpers()}).lcp == lcp));
      team.dismiss();
    });
}

TEST(multi_suffixes, indexes_have_the_bytes_of_one_process) {
  std::mt19937_64 random(seed(4));
  sequences references;
  for (int r = 0; r < 20; ++r) {
    std::string record = random_letters(random, random() % 5000, 4);
    for (char& letter : record) letter = random() % 300 == 0 ? 'N' : "ACGT"[letter - 'a'];
    references.add(record, "r" + std::to_string(r));
  }
  for (const fm_alphabet alphabet : {fm_alphabet::dna, fm_alphabet::bytes}) {
    const fm_build_options plain{.alphabet = alphabet, .contexts = true};
    const fm_index expected = fm_index::build(references, plain);
    for (const int count : rank_counts)
      with_helpers(count, [&](bwt_detail::suffix_helpers* helpers) {
        fm_build_options options = plain;
        options.helpers = helpers;
        const fm_index index = fm_index::build(references, options);
        EXPECT_TRUE(std::ranges::equal(index.bytes(), expected.bytes())) << count;
      });
  }
}

TEST(multi_suffixes, the_text_travels_packed_and_each_suffix_to_its_rank_and_to_rank_0) {
  std::mt19937_64 random(seed(5));
  const std::uint64_t n = std::uint64_t{1} << 20;
  const std::string text = random_letters(random, n, 4);
  for (const int count : {2, 3, 8}) {
    std::atomic<std::uint64_t> bytes{0};
    run_ranks(count, [&](communicator& ranks) {
      suffix_team team(ranks, always);
      if (ranks.rank() == 0) {
        (void)suffix_array<std::uint32_t>(text, {.run = {.threads = 1}, .helpers = team.helpers()});
        team.dismiss();
      } else {
        team.help({.threads = 1});
      }
      bytes += ranks.sent().bytes;
    });
    const std::uint64_t of_others = n - n / static_cast<std::uint64_t>(count);
    EXPECT_NEAR(static_cast<double>(bytes), static_cast<double>(n / 4 + (8 + 4) * of_others), 0.01 * 12 * n);
  }
}

// A symbol of a sentinel transform travels in as few bits as in the text.
TEST(multi_suffixes, transforms_of_other_ranks_travel_packed) {
  std::mt19937_64 random(seed(6));
  const std::uint64_t n = std::uint64_t{1} << 20;
  const std::string text = random_letters(random, n, 4);
  const bwt_text expected = bwt(text, bwt_form::sentinel);
  for (const int count : {2, 3, 8}) {
    std::atomic<std::uint64_t> bytes{0};
    run_ranks(count, [&](communicator& ranks) {
      suffix_team team(ranks, always);
      if (ranks.rank() == 0) {
        EXPECT_TRUE(bwt(text, bwt_form::sentinel, {.run = {.threads = 1}, .helpers = team.helpers()}) ==
                    expected);
        team.dismiss();
      } else {
        team.help({.threads = 1});
      }
      bytes += ranks.sent().bytes;
    });
    const std::uint64_t of_others = n - n / static_cast<std::uint64_t>(count);
    EXPECT_NEAR(static_cast<double>(bytes), static_cast<double>(n / 4 + 8 * of_others + of_others / 4),
                0.01 * 8 * n);
  }
}

TEST(multi_suffixes, transforms_of_all_alphabets_are_those_of_one_process) {
  std::mt19937_64 random(seed(7));
  for (const std::size_t letters : {1, 2, 3, 17, 200, 256}) {
    std::string text(3000 + random() % 100, '\0');
    for (char& byte : text) byte = static_cast<char>(random() % letters);
    const bwt_text expected = bwt(text, bwt_form::sentinel);
    for (const int count : rank_counts)
      with_helpers(count, [&](bwt_detail::suffix_helpers* helpers) {
        EXPECT_TRUE(bwt(text, bwt_form::sentinel, {.helpers = helpers}) == expected) << letters << count;
      });
  }
}

// Calls visit(parts, part, row) for each part of each of `count` ranks, which moves `row` from the first row
// of the part to its end.
template <class Visit>
void visit_parts(int count, const std::string& text, std::uint64_t memory, const Visit& visit) {
  run_ranks(count, [&](communicator& ranks) {
    const std::string own = ranks.rank() == 0 ? text : "";
    multi::suffix_parts parts(ranks, own, {.threads = 1, .memory = memory});
    for (std::uint64_t part = 0; part < parts.count(); ++part) {
      std::uint64_t row = parts.first_row(part);
      parts.exchange(part);
      visit(parts, part, row);
      EXPECT_EQ(row, parts.end_row(part));
    }
  });
}

// Each rank has its parts, in little memory several ones.
TEST(multi_suffixes, parts_of_all_ranks_are_the_suffix_array) {
  std::mt19937_64 random(seed(8));
  const std::vector<std::string> texts = {"a", "banana", std::string(5000, 'x'),
                                          random_letters(random, 100000, 4),
                                          copies(random, 50000, 9000, 100)};
  for (const std::string& text : texts) {
    const auto sa = suffix_array<std::uint64_t>(text);
    for (const int count : {1, 2, 3, 8})
      for (const std::uint64_t memory : {std::uint64_t{0}, 4 * text.size() + 100000}) {
        std::atomic<std::uint64_t> rows{0};
        visit_parts(count, text, memory,
                    [&](multi::suffix_parts& parts, std::uint64_t part, std::uint64_t& row) {
                      parts.sort<std::uint64_t>(part, [&](std::span<const std::uint64_t> some) {
                        ASSERT_LE(row + some.size(), sa.size());
                        EXPECT_TRUE(std::equal(some.begin(), some.end(),
                                               sa.begin() + static_cast<std::ptrdiff_t>(row)));
                        row += some.size();
                        rows += some.size();
                      });
                    });
        EXPECT_EQ(rows, text.size());
      }
  }
}

// The bytes before the suffixes of all parts are the transform with an end mark before the whole text.
TEST(multi_suffixes, bytes_before_the_parts_are_the_transform) {
  std::mt19937_64 random(seed(9));
  std::string all_bytes = random_letters(random, 3000, 26);
  for (int byte = 0; byte < 256; ++byte) all_bytes += static_cast<char>(byte);
  const std::vector<std::string> texts = {"a",
                                          "ba",
                                          "banana",
                                          std::string(5000, 'x'),
                                          random_letters(random, 100000, 4),
                                          all_bytes,
                                          "\xff-",
                                          copies(random, 50000, 9000, 100)};
  for (const std::string& text : texts) {
    const bwt_text expected = bwt(text, bwt_form::sentinel);
    for (const int count : rank_counts)
      for (const std::uint64_t memory : {std::uint64_t{0}, 4 * text.size() + 100000}) {
        std::string before(text.size(), '\0'); // each rank writes other rows
        std::atomic<std::uint64_t> whole{0}, rows{0};
        visit_parts(
            count, text, memory, [&](multi::suffix_parts& parts, std::uint64_t part, std::uint64_t& row) {
              parts.sort_preceding(part, [&](std::string_view some, std::optional<std::uint64_t> whole_row) {
                ASSERT_LE(row + some.size(), text.size());
                some.copy(before.data() + row, some.size());
                if (whole_row) whole = *whole_row;
                row += some.size();
                rows += some.size();
              });
            });
        EXPECT_EQ(rows, text.size());
        EXPECT_EQ(before[whole], text.back());
        before.erase(whole, 1);
        EXPECT_TRUE(text.back() + before == expected.bytes) << count << " ranks, memory " << memory;
        EXPECT_EQ(whole + 1, expected.primary_index);
      }
  }
}

TEST(multi_suffixes, a_failure_of_any_rank_ends_all) {
  const std::string text = repeated("abcab", 5000) + "b";
  for (int failing = 0; failing < 3; ++failing) {
    std::atomic<int> failed{0};
    run_ranks(3, [&](communicator& ranks) {
      suffix_team team(ranks, always);
      task_monitor monitor;
      if (ranks.rank() == failing) monitor.cancel();
      const run_options run{.threads = 1, .monitor = &monitor};
      try {
        if (ranks.rank() == 0)
          (void)suffix_array<std::uint32_t>(text, {.run = run, .helpers = team.helpers()});
        else
          team.help(run);
        if (ranks.rank() == 0) team.dismiss();
      } catch (const error&) {
        ranks.fail(multi::describe_failure(std::current_exception(), ranks.rank()));
        ++failed;
      }
    });
    EXPECT_EQ(failed, 3) << failing;
  }
}

TEST(multi_suffixes, small_texts_and_two_ranks_are_left_to_rank_0) {
  run_ranks(3, [&](communicator& ranks) {
    EXPECT_FALSE(suffix_team(ranks).helpers()->are_worthwhile(1000));
    EXPECT_TRUE(suffix_team(ranks).helpers()->are_worthwhile(std::uint64_t{1} << 24));
  });
  run_ranks(2, [&](communicator& ranks) {
    EXPECT_FALSE(suffix_team(ranks).helpers()->are_worthwhile(std::uint64_t{1} << 40));
  });
}

} // namespace

} // namespace weft::test
