// Checks that a list of matches that arrive piece by piece keeps them in order, and needs little additional
// memory.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <thread>
#include <weft/scan/entry/match_list.hpp>

namespace {

using weft::match_vector;
using weft::scan_match;
using weft::scan_detail::match_list;

match_vector some_matches(std::uint64_t first, std::uint64_t count) {
  match_vector matches(count);
  for (std::uint64_t i = 0; i < count; ++i)
    matches[i] = {static_cast<std::uint32_t>(first + i), static_cast<std::uint32_t>(i % 7), i, first};
  return matches;
}

void append(match_list& list, std::uint64_t residues, const match_vector& matches) {
  const std::span<scan_match> appended = list.append(residues, matches.size());
  ASSERT_EQ(appended.size(), matches.size());
  std::copy(matches.begin(), matches.end(), appended.begin());
}

// Returns the matches of pieces of 1,000 residues; piece i has counts[i] matches.
match_vector joined(const std::vector<std::uint64_t>& counts) {
  match_list list(1000 * counts.size(), 2);
  std::uint64_t first = 0;
  for (const std::uint64_t count : counts) {
    const match_vector matches = some_matches(first, count);
    append(list, 1000, matches);
    first += count;
  }
  return list.take();
}

TEST(match_list, of_one_piece_has_no_more_room) {
  for (const std::uint64_t count : {0U, 1U, 12'345U}) {
    const match_vector all = joined({count});
    EXPECT_EQ(all, some_matches(0, count));
    EXPECT_EQ(all.capacity(), count);
  }
}

TEST(match_list, of_pieces_is_in_order) {
  std::mt19937_64 random(48);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::uint64_t> counts(1 + random() % 20);
    match_vector want;
    std::uint64_t first = 0;
    for (std::uint64_t& count : counts) {
      count = random() % 3 == 0 ? 0 : random() % (random() % 4 == 0 ? 50'000 : 50);
      const match_vector matches = some_matches(first, count);
      want.insert(want.end(), matches.begin(), matches.end());
      first += count;
    }
    ASSERT_EQ(joined(counts), want);
  }
}

TEST(match_list, uses_the_memory_of_a_spare) {
  match_vector spare = some_matches(5, 1000);
  const scan_match* const memory = spare.data();
  match_list list(2000, 2, std::move(spare));
  append(list, 1000, some_matches(0, 600));
  append(list, 500, some_matches(600, 400));
  match_vector all = list.take();
  EXPECT_EQ(all.data(), memory);
  EXPECT_EQ(all, joined({600, 400}));
  match_list larger(2000, 2, std::move(all)); // the spare is too small
  append(larger, 1000, some_matches(0, 600));
  append(larger, 1000, some_matches(600, 800));
  EXPECT_EQ(larger.take(), joined({600, 800}));
}

// All pieces have about the same number of matches, so the first piece predicts the total.
TEST(match_list, has_room_at_once_for_what_the_first_piece_tells) {
  match_list list(50'000, 2);
  const scan_match* address = nullptr;
  for (std::uint64_t piece = 0; piece < 50; ++piece) {
    const match_vector matches = some_matches(piece, 20'000 + piece % 3);
    append(list, 1000, matches);
  }
  match_vector all = list.take();
  address = all.data();
  EXPECT_EQ(all.size(), 1'000'049U);
  EXPECT_LT(all.capacity(), all.size() * 6 / 5);
  for (std::uint64_t piece = 0, at = 0; piece < 50; at += 20'000 + piece % 3, ++piece)
    ASSERT_EQ(address[at].sequence, piece);
}

std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * 4096;
}

// The first piece predicts more matches than any machine can hold. That memory must not be allocated or
// touched.
TEST(match_list, may_expect_too_much) {
  const match_vector matches = some_matches(0, 1'000'000);
  [[maybe_unused]] const std::uint64_t before = resident_bytes();
  match_list list(1'000'000, 2);
  append(list, 1, matches);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
#if !defined(__SANITIZE_THREAD__) // it keeps several bytes for each byte of the program
  EXPECT_LT(resident_bytes() - before, matches.size() * sizeof(scan_match) + (std::uint64_t{160} << 20));
#endif
  append(list, 999'999, matches);
  match_vector all = list.take();
  ASSERT_EQ(all.size(), 2'000'000U);
  EXPECT_TRUE(std::equal(matches.begin(), matches.end(), all.begin()));
  EXPECT_TRUE(std::equal(matches.begin(), matches.end(), all.begin() + 1'000'000));
}

} // namespace
