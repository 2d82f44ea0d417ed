// Tests comparisons of genomes by many ranks, against those of one process.
#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <sstream>
#include <string>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/multi/thread_ranks.hpp>
#include <weft/multi/variants.hpp>
#include <weft/search/cpu/comparison_helpers.hpp>

namespace weft::test {

namespace {

using multi::communicator;
using multi::comparison_limits;
using multi::comparison_team;
using multi::run_ranks;

constexpr comparison_limits always{.min_letters = 1, .min_gap_letters = 1};
constexpr std::array rank_counts{1, 2, 3, 5, 8};

struct genome_pair {
  sequences a, b;
};

std::string random_letters(std::mt19937_64& random, std::size_t size, std::string_view alphabet = "ACGT") {
  std::string letters(size, 'A');
  for (char& letter : letters) letter = alphabet[random() % alphabet.size()];
  return letters;
}

std::string reverse_complement(std::string letters) {
  std::reverse(letters.begin(), letters.end());
  for (char& letter : letters) letter = std::string_view("TGCAN")[std::string_view("ACGTN").find(letter)];
  return letters;
}

// Returns a copy with a letter replaced, removed or doubled in about every `distance` letters.
std::string mutated(std::mt19937_64& random, const std::string& letters, std::size_t distance) {
  std::string result;
  for (const char letter : letters) {
    const std::size_t kind = random() % (3 * distance);
    if (kind != 0) result += kind == 1 ? "ACGT"[random() % 4] : letter;
    if (kind == 2) result += letter;
  }
  return result;
}

genome_pair small_genomes(std::mt19937_64& random) {
  const std::string_view alphabet = std::array<std::string_view, 4>{"AC", "ACGT", "ACN", "AT"}[random() % 4];
  genome_pair pair;
  std::vector<std::string> records;
  for (std::size_t i = random() % 4; i > 0; --i)
    records.push_back(random_letters(random, random() % 300, alphabet));
  for (const std::string& each : records) pair.a.add(each, "a");
  for (std::size_t i = random() % 4; i > 0; --i) {
    std::string letters = records.empty() ? random_letters(random, random() % 300, alphabet)
                                          : mutated(random, records[random() % records.size()], 20);
    if (random() % 3 == 0) letters = reverse_complement(letters);
    pair.b.add(letters, "b");
  }
  return pair;
}

// Genomes of several chunks, with arrays of short repeats, copies of one element, an inverted, a moved and an
// unrelated stretch, and a second record.
genome_pair large_genomes(std::mt19937_64& random) {
  const std::string unit = random_letters(random, 171), element = random_letters(random, 1200);
  std::string a = random_letters(random, 600'000);
  for (std::size_t at = 5000; at < 600'000; at += 9000) a.insert(at, mutated(random, element, 300));
  for (int i = 0; i < 150; ++i) a.insert(400'000, mutated(random, unit, 200));
  std::string b = mutated(random, a, 40);
  const std::string inverted = reverse_complement(b.substr(100'000, 30'000)),
                    moved = b.substr(300'000, 20'000);
  b.replace(100'000, inverted.size(), inverted);
  b.erase(300'000, moved.size());
  b.insert(500'000, moved);
  b.replace(200'000, 5000, random_letters(random, 7000));
  genome_pair pair;
  pair.a.add(a, "a");
  pair.b.add(b, "b");
  const std::string plasmid = random_letters(random, 60'000);
  pair.a.add(plasmid, "plasmid");
  pair.b.add(reverse_complement(mutated(random, plasmid, 100)), "plasmid");
  return pair;
}

// Returns everything that a comparison has found.
std::string text_of(const genome_comparison& found) {
  std::ostringstream text;
  for (const genome_block& each : found.blocks) {
    text << "block " << static_cast<int>(each.kind) << ' ' << each.a_record << ' ' << each.a_begin << ' '
         << each.a_end << ' ' << each.b_record << ' ' << each.b_begin << ' ' << each.b_end << each.reverse;
    for (const edit_run& run : each.path.runs) text << ' ' << run.length << static_cast<char>(run.op);
    text << ' ' << each.path.matches << ' ' << each.path.substitutions << ' ' << each.path.insertions << ' '
         << each.path.deletions << '\n';
  }
  for (const genome_variant& each : found.variants)
    text << "variant " << each.block << ' ' << each.a_record << ' ' << each.begin << ' ' << each.b_begin
         << ' ' << each.reference << '>' << each.alternative << '\n';
  for (const std::vector<genome_stretch>* stretches : {&found.missing, &found.added})
    for (const genome_stretch& each : *stretches)
      text << "stretch " << each.record << ' ' << each.begin << ' ' << each.end << '\n';
  for (const genome_placement& each : found.placements)
    text << "placement " << each.is_placed << each.reverse << each.is_partner << ' ' << each.a_record << ' '
         << each.origin << '\n';
  return text.str();
}

// Returns what many ranks find, where only rank 0 has the genomes.
std::string found_by_ranks(int count, const genome_pair& genomes, const comparison_options& options) {
  std::string text;
  run_ranks(count, [&](communicator& ranks) {
    const bool first = ranks.rank() == 0;
    const genome_comparison found = multi::compare_genomes(ranks, first ? genomes.a : sequences(),
                                                           first ? genomes.b : sequences(), options, always);
    if (first)
      text = text_of(found);
    else
      EXPECT_TRUE(text_of(found).empty());
  });
  return text;
}

TEST(multi_variants, small_genomes_have_the_result_of_one_process) {
  std::mt19937_64 random(1);
  std::vector<genome_pair> pairs(1); // the first pair is empty
  for (int i = 0; i < 200; ++i) pairs.push_back(small_genomes(random));
  std::vector<std::string> expected;
  const comparison_options options{.min_match = 9, .min_block = 5, .run = {.threads = 1}};
  for (const genome_pair& each : pairs) expected.push_back(text_of(compare_genomes(each.a, each.b, options)));
  for (const int count : rank_counts)
    run_ranks(count, [&](communicator& ranks) {
      comparison_team team(ranks, always);
      if (ranks.rank() != 0) return team.help(options.run);
      comparison_options together = options;
      together.helpers = team.helpers();
      for (std::size_t i = 0; i < pairs.size(); ++i)
        EXPECT_EQ(text_of(compare_genomes(pairs[i].a, pairs[i].b, together)), expected[i])
            << count << " ranks, pair " << i;
      team.dismiss();
    });
}

TEST(multi_variants, large_genomes_have_the_result_of_one_process) {
  std::mt19937_64 random(2);
  const genome_pair genomes = large_genomes(random);
  const genome_comparison one = compare_genomes(genomes.a, genomes.b, {.run = {.threads = 1}});
  for (const block_kind kind : {block_kind::collinear, block_kind::inverted, block_kind::moved})
    EXPECT_TRUE(std::any_of(one.blocks.begin(), one.blocks.end(),
                            [kind](const genome_block& each) { return each.kind == kind; }));
  for (const int count : rank_counts)
    EXPECT_TRUE(found_by_ranks(count, genomes, {.run = {.threads = 1}}) == text_of(one)) << count;
  EXPECT_TRUE(found_by_ranks(3, genomes, {.run = {.threads = 2}}) == text_of(one));
}

TEST(multi_variants, every_penalty_reaches_the_other_ranks) {
  std::mt19937_64 random(3);
  const std::string a = random_letters(random, 20'000);
  genome_pair genomes;
  genomes.a.add(a, "a");
  genomes.b.add(mutated(random, a, 6), "b");
  for (const affine_penalties& penalties :
       {affine_penalties{1, 1, 9}, affine_penalties{40, 1, 1}, affine_penalties{0, 7, 3}}) {
    const comparison_options options{.min_match = 11, .penalties = penalties, .run = {.threads = 1}};
    EXPECT_EQ(found_by_ranks(3, genomes, options), text_of(compare_genomes(genomes.a, genomes.b, options)));
  }
}

// The work that the monitors of all ranks count is that of one process.
TEST(multi_variants, progress_of_all_ranks_is_the_total) {
  std::mt19937_64 random(4);
  const genome_pair genomes = large_genomes(random);
  for (const int count : {1, 3}) {
    std::atomic<std::uint64_t> done{0}, total{0};
    run_ranks(count, [&](communicator& ranks) {
      task_monitor monitor;
      const comparison_options options{.run = {.threads = 1, .monitor = &monitor}};
      (void)multi::compare_genomes(ranks, genomes.a, genomes.b, options, always);
      done += monitor.done();
      total += monitor.total();
      EXPECT_GT(monitor.done(), 0u);
    });
    EXPECT_EQ(done, total) << count;
  }
}

// Both texts, each bucket and each sampled k-mer travel once, and each anchor of the other ranks.
TEST(multi_variants, traffic_of_anchors) {
  std::mt19937_64 random(5);
  const std::string letters = random_letters(random, 1'000'000);
  genome_pair genomes;
  genomes.a.add(letters, "a");
  genomes.b.add(mutated(random, letters, 200), "b");
  constexpr std::uint64_t order = 64, k = 15, buckets = 1 << 20, chunk = 1 << 18;
  const std::uint64_t a_text = genomes.a.view().data.size() + 24, b_text = genomes.b.view().data.size() + 24;
  for (const int count : {2, 3, 8}) {
    std::atomic<std::uint64_t> bytes{0};
    run_ranks(count, [&](communicator& ranks) {
      comparison_team team(ranks, {.min_letters = 1, .min_gap_letters = ~std::uint64_t{0}});
      if (ranks.rank() == 0) {
        (void)compare_genomes(genomes.a, genomes.b,
                              {.min_match = k, .run = {.threads = 1}, .helpers = team.helpers()});
        team.dismiss();
      } else {
        team.help({.threads = 1});
      }
      bytes += ranks.sent().bytes;
    });
    const auto others = static_cast<std::uint64_t>(count - 1);
    const std::uint64_t kmers = letters.size() - k + 1, numbers = 16 * (others + 1) + 16 * others,
                        fixed = 2 * order + 2 * (16 + 16) + a_text + b_text + 8 * (buckets + kmers) + numbers;
    ASSERT_GE(bytes, fixed);
    const std::uint64_t anchors = (bytes - fixed) / 24;
    EXPECT_EQ((bytes - fixed) % 24, 0u);
    // An anchor is about as long as the distance of the differences; some are by chance, or of two chunks.
    const std::uint64_t chunks = (genomes.b.view().data.size() - 1) / chunk + 1;
    const double share =
        static_cast<double>(chunks - (chunks - 1) / (others + 1) - 1) / static_cast<double>(chunks);
    EXPECT_NEAR(static_cast<double>(anchors), share * 5000, 1500) << count;
  }
}

TEST(multi_variants, traffic_of_gaps) {
  std::mt19937_64 random(6);
  const std::string a = random_letters(random, 100'000);
  genome_pair genomes;
  genomes.a.add(a, "a");
  genomes.b.add(mutated(random, a, 20), "b");
  for (const int count : {2, 3, 8}) {
    std::atomic<std::uint64_t> of_first{0}, of_others{0};
    run_ranks(count, [&](communicator& ranks) {
      comparison_team team(ranks, {.min_letters = ~std::uint64_t{0}, .min_gap_letters = 1});
      if (ranks.rank() == 0) {
        (void)compare_genomes(genomes.a, genomes.b, {.run = {.threads = 1}, .helpers = team.helpers()});
        team.dismiss();
        of_first = ranks.sent().bytes;
      } else {
        team.help({.threads = 1});
        of_others += ranks.sent().bytes;
      }
    });
    EXPECT_LT(of_first, 2 * 100'000 + 40 * 100'000 / 20) << count;
    EXPECT_LT(of_others, 3 * 100'000 / 10) << count;
    EXPECT_GT(of_others, 1000) << count;
  }
}

// Compares on three ranks, whose options options_of(rank) returns; all of them must fail with this error.
void expect_failure(errc code, const genome_pair& genomes,
                    const std::function<comparison_options(int)>& options_of) {
  std::atomic<int> failed{0};
  run_ranks(3, [&](communicator& ranks) {
    comparison_team team(ranks, always);
    comparison_options options = options_of(ranks.rank());
    options.helpers = team.helpers();
    try {
      if (ranks.rank() != 0) return team.help(options.run);
      (void)compare_genomes(genomes.a, genomes.b, options);
      team.dismiss();
    } catch (const error& fault) {
      EXPECT_EQ(fault.code(), code) << fault.what();
      ranks.fail(multi::describe_failure(std::current_exception(), ranks.rank()));
      ++failed;
    }
  });
  EXPECT_EQ(failed, 3);
}

TEST(multi_variants, a_cancelled_rank_ends_all) {
  std::mt19937_64 random(7);
  const genome_pair genomes = large_genomes(random);
  task_monitor cancelled;
  cancelled.cancel();
  for (int failing = 0; failing < 3; ++failing)
    expect_failure(errc::cancelled, genomes, [&](int rank) {
      return comparison_options{.run = {.threads = 1, .monitor = rank == failing ? &cancelled : nullptr}};
    });
}

TEST(multi_variants, memory_limits_hold_for_every_rank) {
  std::mt19937_64 random(8);
  const std::string letters = random_letters(random, 300'000);
  genome_pair genomes;
  genomes.a.add(letters, "a");
  genomes.b.add(mutated(random, letters, 30), "b");
  const std::uint64_t texts =
      search_detail::memory_of_texts(genomes.a.view().data.size(), genomes.b.view().data.size());
  for (int failing = 0; failing < 3; ++failing) // too little for the texts
    expect_failure(errc::out_of_memory, genomes, [&](int rank) {
      return comparison_options{.run = {.threads = 1, .memory = rank == failing ? texts - 1 : 0}};
    });
  // The limit of rank 0 allows fewer matches than all ranks find, but more than any rank finds.
  expect_failure(errc::out_of_memory, genomes, [&](int rank) {
    return comparison_options{.run = {.threads = 1, .memory = rank == 0 ? texts + 144 * 6000 : 0}};
  });
  EXPECT_FALSE(found_by_ranks(3, genomes, {.run = {.threads = 1, .memory = texts + 144 * 20'000}}).empty());
}

TEST(multi_variants, small_genomes_are_left_to_rank_0) {
  run_ranks(3, [&](communicator& ranks) {
    comparison_team team(ranks);
    EXPECT_FALSE(team.helpers()->are_worthwhile(1000));
    EXPECT_TRUE(team.helpers()->are_worthwhile(std::uint64_t{1} << 20));
    std::vector<search_detail::anchor_gap> gaps(3);
    EXPECT_FALSE(team.helpers()->are_worthwhile(gaps));
    gaps[1].b.end = 1 << 16;
    EXPECT_TRUE(team.helpers()->are_worthwhile(gaps));
  });
  run_ranks(1, [&](communicator& ranks) {
    comparison_team team(ranks, always);
    EXPECT_FALSE(team.helpers()->are_worthwhile(std::uint64_t{1} << 40));
  });
}

} // namespace

} // namespace weft::test
