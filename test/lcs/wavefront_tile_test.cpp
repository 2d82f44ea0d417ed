// Tests engine wavefront without a GPU, against engine bit-parallel: the body of its kernel on a block of the
// host, and its recursion with such blocks in place of launches.
#include "block_orders.hpp"
#include <gtest/gtest.h>
#include <string>
#include <test/lcs/lcs_cases.hpp>
#include <weft/lcs/published/cuda/wavefront_recursion.hpp>
#include <weft/lcs/published/wavefront_tile.hpp>

namespace {

using namespace weft::lcs_detail;
using weft::lcs_detail::codes;
using weft_test::random_symbols;
using vector_words = std::vector<std::uint32_t>;

const weft::lcs_options bit_parallel{.run = {.engine = "bit-parallel"}};

codes codes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}
std::string text_of(codes text) { return {reinterpret_cast<const char*>(text.data()), text.size()}; }

// Does what a launch for each anti-diagonal does, with the tiles one after another in random order. Memory
// that must be written before it is read is filled with garbage.
template <bool Backward, int Planes>
vector_words sweep(codes rows, codes columns, const weft::host_block& block, std::mt19937& random) {
  const std::size_t words = wavefront_tiles(columns.size()) * wavefront_tile_words;
  vector_words vector(words, 0x5a5a5a5a), carries(2 * words, 0xa5a5a5a5);
  const wavefront_sweep work{columns.data(), columns.size(), rows.data(),
                             rows.size(),    vector.data(),  carries.data()};
  for (std::uint64_t d = 0; d < wavefront_diagonals(work); ++d) {
    const wavefront_range range = wavefront_diagonal(work, d);
    EXPECT_LT(range.first, range.last);
    std::vector<std::uint64_t> tiles(range.last - range.first);
    std::iota(tiles.begin(), tiles.end(), range.first);
    std::shuffle(tiles.begin(), tiles.end(), random);
    for (const std::uint64_t tile : tiles) {
      wavefront_thread<Planes> threads[wavefront_threads];
      wavefront_shared shared;
      std::fill_n(reinterpret_cast<std::uint8_t*>(&shared), sizeof shared, 0xc3);
      compute_wavefront_tile<Backward, Planes>(
          block, [&](int t) -> wavefront_thread<Planes>& { return threads[t]; }, shared, work, d, tile);
    }
  }
  return vector;
}

template <bool Backward>
vector_words sweep(codes rows, codes columns, unsigned sigma, const weft::host_block& block,
                   std::mt19937& random) {
  if (sigma <= 4) return sweep<Backward, 2>(rows, columns, block, random);
  if (sigma <= 32) return sweep<Backward, 5>(rows, columns, block, random);
  return sweep<Backward, 8>(rows, columns, block, random);
}

void check_sweeps(const std::string& a, const std::string& b, unsigned sigma, const weft::host_block& block,
                  std::mt19937& random) {
  const vector_words forward = sweep<false>(codes_of(a), codes_of(b), sigma, block, random);
  const vector_words backward = sweep<true>(codes_of(a), codes_of(b), sigma, block, random);
  for (const std::size_t k : {b.size(), b.size() / 2, random() % (b.size() + 1)}) {
    ASSERT_EQ(count_zero_bits(forward.data(), k), weft::lcs_length(a, b.substr(0, k), bit_parallel));
    ASSERT_EQ(count_zero_bits(backward.data(), k), weft::lcs_length(a, b.substr(b.size() - k), bit_parallel));
  }
  for (std::size_t i = b.size(); i < 32 * forward.size(); ++i) {
    ASSERT_EQ(zero_bit(forward.data(), i), 0U) << "a column that does not exist matches";
    ASSERT_EQ(zero_bit(backward.data(), i), 0U);
  }
}

TEST(wavefront_tile, random_texts) {
  std::mt19937 random(1);
  for (const unsigned sigma : {1U, 2U, 4U, 20U, 256U})
    for (unsigned round = 0; round < 4; ++round) {
      const std::string a = random_symbols(random, 1 + random() % 3000, sigma);
      const std::string b = random_symbols(random, 1 + random() % 3000, sigma);
      weft::test::for_each_order(wavefront_threads, round, [&](const weft::host_block& block) {
        check_sweeps(a, b, sigma, block, random);
      });
    }
}

TEST(wavefront_tile, sizes_around_words_and_tiles) {
  std::mt19937 random(2);
  const weft::host_block block{wavefront_threads};
  const std::size_t sizes[] = {1, 2, 31, 32, 33, 1023, 1024, 1025, 2048, 2049};
  for (const unsigned sigma : {1U, 3U, 256U})
    for (const std::size_t m : sizes)
      for (const std::size_t n : sizes)
        check_sweeps(random_symbols(random, m, sigma), random_symbols(random, n, sigma), sigma, block,
                     random);
}

// Checks carries into every tile in every row, a carry that passes through all of a tile, and no carries.
TEST(wavefront_tile, carries_between_tiles) {
  std::mt19937 random(3);
  const weft::host_block block{wavefront_threads};
  const std::string same(2500, 'x'), other(2500, 'y'), text = random_symbols(random, 2500, 256);
  check_sweeps(same, same, 256, block, random);
  check_sweeps(same, other, 256, block, random);
  check_sweeps(text, text, 256, block, random);
  check_sweeps(text, text.substr(1200) + text.substr(0, 1200), 256, block, random);
  // Every row matches only in the first and in the last column.
  check_sweeps(same, "x" + other + "x", 256, block, random);
  check_sweeps("y" + same, other + "x", 256, block, random);
}

TEST(wavefront_tile, a_diagonal_is_all_tiles_of_its_number) {
  for (std::uint64_t across = 1; across <= 5; ++across)
    for (std::uint64_t down = 1; down <= 5; ++down) {
      const wavefront_sweep work{nullptr, across * 1024 - 1023, nullptr, down * 1024, nullptr, nullptr};
      std::uint64_t tiles = 0;
      for (std::uint64_t d = 0; d < wavefront_diagonals(work); ++d) {
        const wavefront_range range = wavefront_diagonal(work, d);
        for (std::uint64_t c = range.first; c < range.last; ++c, ++tiles) {
          ASSERT_LT(c, across);
          ASSERT_LE(c, d);
          ASSERT_LT(d - c, down);
        }
      }
      ASSERT_EQ(tiles, across * down);
    }
}

// Checks the split against its definition, from the prefix counts of both vectors.
TEST(wavefront_tile, smallest_best_split) {
  std::mt19937 random(4);
  for (int round = 0; round < 300; ++round) {
    const std::uint64_t n = random() % 100;
    vector_words forward(4), backward(4);
    for (std::size_t i = 0; i < 4; ++i) {
      forward[i] = random() | random();
      backward[i] = random() | random();
    }
    std::uint64_t best = 0, best_k = 0;
    for (std::uint64_t k = 0; k <= n; ++k) {
      const std::uint64_t sum = count_zero_bits(forward.data(), k) + count_zero_bits(backward.data(), n - k);
      if (k > 0 && sum <= best) continue;
      best = sum;
      best_k = k;
    }
    ASSERT_EQ(smallest_best_split(forward.data(), backward.data(), n), best_k);
  }
}

// Runs the engine's recursion down to `smallest`, with sweeps on the host.
weft::edit_script path(codes a, codes b, unsigned sigma, std::uint64_t smallest, std::mt19937& random) {
  using weft::lcs_detail::wavefront_part;
  const weft::host_block block{wavefront_threads, weft::thread_order::descending};
  const auto split = [&](const wavefront_part& part) {
    const codes rows = a.subspan(part.a_first, part.m), columns = b.subspan(part.b_first, part.n);
    const std::size_t mid = rows.size() / 2;
    const vector_words forward = sweep<false>(rows.first(mid), columns, sigma, block, random);
    const vector_words backward = sweep<true>(rows.subspan(mid), columns, sigma, block, random);
    return smallest_best_split(forward.data(), backward.data(), columns.size());
  };
  const auto small = [&](const wavefront_part& part) {
    EXPECT_LT(std::min(part.m, part.n), smallest);
    return weft::lcs(text_of(a.subspan(part.a_first, part.m)), text_of(b.subspan(part.b_first, part.n)),
                     bit_parallel);
  };
  weft::edit_script script;
  weft::lcs_detail::divide({0, a.size(), 0, b.size()}, smallest, split, small, script);
  return script;
}

void check_path(const std::string& a, const std::string& b, unsigned sigma, std::uint64_t smallest,
                std::mt19937& random) {
  const weft::edit_script script = path(codes_of(a), codes_of(b), sigma, smallest, random);
  const weft::edit_script expected = weft::lcs(a, b, bit_parallel);
  ASSERT_EQ(script.runs.size(), expected.runs.size());
  for (std::size_t i = 0; i < script.runs.size(); ++i) {
    ASSERT_EQ(script.runs[i].op, expected.runs[i].op) << i;
    ASSERT_EQ(script.runs[i].length, expected.runs[i].length) << i;
  }
  ASSERT_EQ(script.matches, expected.matches);
  ASSERT_EQ(script.insertions, expected.insertions);
  ASSERT_EQ(script.deletions, expected.deletions);
}

TEST(wavefront_recursion, canonical_path) {
  std::mt19937 random(5);
  for (const unsigned sigma : {1U, 2U, 4U, 256U}) {
    check_path(random_symbols(random, 2500, sigma), random_symbols(random, 2100, sigma), sigma, 600, random);
    for (int round = 0; round < 6; ++round)
      check_path(random_symbols(random, random() % 300, sigma), random_symbols(random, random() % 300, sigma),
                 sigma, 16, random);
    for (int round = 0; round < 20; ++round)
      check_path(random_symbols(random, random() % 20, sigma), random_symbols(random, random() % 20, sigma),
                 sigma, 2, random);
  }
}

TEST(wavefront_recursion, empty_and_unequal) {
  std::mt19937 random(6);
  const std::string none, one = "a", text = random_symbols(random, 1100, 4), other(1100, 'z');
  for (const std::string& a : {none, one, text, other})
    for (const std::string& b : {none, one, text, other}) check_path(a, b, 256, 300, random);
}

} // namespace
