// Computes many small tables at once: one lane (a thread) computes the whole table of a pair, column by
// column, in bands of 32 * Words rows. The steps are those of column_step.hpp, but a column is computed
// word by word, from the first row to the last, so that a lane holds v, the masks of one column, and little
// else:
//
//   for each word: use its mask; load the mask of the next column into its register; add, with the carry
//   of the word above; store the new v
//
// A column is a 16-bit symbol; symbols are loaded eight at a time. A column whose symbol matches no row,
// without a difference above it, leaves v of lcs_pair as it is, so lanes whose texts are shorter than
// others continue with such columns. It does not leave v of edit_pair as it is; there the value is the sum
// of the differences below the columns that exist.
//
// Every band but the first takes the horizontal differences at its upper edge from the band above: one word
// for each 32 columns, whose top bit is the first column. It passes on the differences at its lower edge in
// the same form.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/lcs/core/column_step.hpp>

namespace weft::lcs_detail {

inline constexpr int block_columns = 8;                 // symbols that are loaded together
inline constexpr int group_blocks = 32 / block_columns; // blocks that fill one word of differences

// A block of eight columns: 16-bit symbols, two in each word.
struct alignas(16) column_block {
  std::uint32_t pairs[block_columns / 2];
  [[nodiscard]] WEFT_HOST_DEVICE std::uint32_t symbol(int k) const {
    return k % 2 == 0 ? pairs[k / 2] & 0xffffU : pairs[k / 2] >> 16;
  }
};

// Adds long numbers word by word. On the device the carry is the condition code: volatile asm statements
// keep their order, and no instruction that the compiler puts between them changes the condition code.
class carry_chain {
public:
  // Takes the top bit of `in`, which is shifted out, as the carry that enters.
  WEFT_HOST_DEVICE void enter([[maybe_unused]] std::uint32_t& in) {
#if defined(__CUDA_ARCH__)
    asm volatile("add.cc.u32 %0, %0, %0;" : "+r"(in));
#else
    carry_ = in >> 31;
    in <<= 1;
#endif
  }
  // Returns the sum of two words and the carry. `first`: no carry enters. `last`: the carry that leaves is
  // lost.
  WEFT_HOST_DEVICE std::uint32_t sum(std::uint32_t a, std::uint32_t b, [[maybe_unused]] bool first,
                                     [[maybe_unused]] bool last) {
#if defined(__CUDA_ARCH__)
    std::uint32_t sum;
    if (first && last)
      sum = a + b;
    else if (first)
      asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
    else if (last)
      asm volatile("addc.u32 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
    else
      asm volatile("addc.cc.u32 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
    return sum;
#else
    if (first) carry_ = 0;
    carry_ += std::uint64_t{a} + b;
    const auto sum = static_cast<std::uint32_t>(carry_);
    carry_ >>= 32;
    return sum;
#endif
  }
  // Shifts the carry that leaves into `out`.
  WEFT_HOST_DEVICE void leave(std::uint32_t& out) {
#if defined(__CUDA_ARCH__)
    asm volatile("addc.u32 %0, %0, %0;" : "+r"(out));
#else
    out = out << 1 | static_cast<std::uint32_t>(carry_);
#endif
  }

private:
#if !defined(__CUDA_ARCH__)
  std::uint64_t carry_ = 0;
#endif
};

// The step of lcs_column, word by word. When the last of four words of `match` has been used, next(w) loads
// the masks of the next column into `match` from word w on, four words. If not Linked, there is no
// difference above, and none is passed on below.
struct lcs_pair {
  static constexpr int vectors = 1;
  using column = lcs_column;

  template <bool Linked, int Words, class Next>
  WEFT_HOST_DEVICE static void step(std::uint32_t (&v)[1][Words], const std::uint32_t (&match)[Words],
                                    std::uint32_t (&in)[1], std::uint32_t (&out)[1], const Next& next) {
    carry_chain chain;
    if constexpr (Linked) chain.enter(in[0]);
    WEFT_UNROLL
    for (int w = 0; w < Words; ++w) {
      const std::uint32_t matching = v[0][w] & match[w], others = v[0][w] & ~match[w];
      v[0][w] = chain.sum(v[0][w], matching, !Linked && w == 0, !Linked && w == Words - 1) | others;
      if (w % 4 == 3) next(w - 3);
    }
    if constexpr (Linked) chain.leave(out[0]);
  }
};

// The step of edit_column, word by word. It is always linked.
struct edit_pair {
  static constexpr int vectors = 2;
  using column = edit_column;

  template <bool Linked, int Words, class Next>
  WEFT_HOST_DEVICE static void step(std::uint32_t (&v)[2][Words], const std::uint32_t (&match)[Words],
                                    std::uint32_t (&in)[2], std::uint32_t (&out)[2], const Next& next) {
    static_assert(Linked);
    carry_chain chain;
    std::uint32_t plus_below = in[0], minus_below = in[1];
    WEFT_UNROLL
    for (int w = 0; w < Words; ++w) {
      const std::uint32_t equal = w == 0 ? match[0] | in[1] >> 31 : match[w];
      const std::uint32_t sum = chain.sum(v[0][w], v[0][w] & equal, w == 0, w == Words - 1);
      const std::uint32_t zero = (sum ^ v[0][w]) | equal;
      const std::uint32_t diagonal = match[w] | v[1][w];
      const std::uint32_t plus = v[1][w] | ~(zero | v[0][w]), minus = v[0][w] & zero;
      const std::uint32_t down_plus = shift_in(plus_below, plus), down_minus = shift_in(minus_below, minus);
      plus_below = plus, minus_below = minus;
      v[0][w] = down_minus | ~(diagonal | down_plus);
      v[1][w] = down_plus & diagonal;
      if (w % 4 == 3) next(w - 3);
    }
    in[0] <<= 1, in[1] <<= 1;
    out[0] = shift_in(plus_below, out[0]), out[1] = shift_in(minus_below, out[1]);
  }
};

// Sets v to its values left of the first column, in a band whose first `above` rows do not exist (`above`
// may exceed the number of rows).
template <class Pair, int Words>
WEFT_HOST_DEVICE void start_band(std::uint32_t (&v)[Pair::vectors][Words], std::int64_t above) {
  WEFT_UNROLL
  for (int w = 0; w < Words; ++w) {
    const std::int64_t missing = above - w * 32;
    const std::uint32_t rows = missing <= 0 ? ~0U : missing >= 32 ? 0 : ~0U << missing;
    WEFT_UNROLL
    for (int x = 0; x < Pair::vectors; ++x) v[x][w] = Pair::column::left(x, rows);
  }
}

// Moves a lane through `blocks` blocks of columns of a band. A Lane provides:
//   column_block block(k)         the columns of block k; columns past the end (also block `blocks`) match
//                                 nothing
//   row(symbol)                   a handle of the masks of a symbol
//   masks_of(row, w, words)       loads the masks of words w .. w + 3 of that row
//   above(g, in), below(g, out)   take and pass on the differences of columns 32 g .. 32 g + 31 (if Linked;
//                                 the bits of columns that do not exist are zero)
template <class Pair, bool Linked, int Words, class Lane>
WEFT_HOST_DEVICE void run_band(Lane& lane, int blocks, std::uint32_t (&v)[Pair::vectors][Words]) {
  static_assert(Words % 4 == 0);
  std::uint32_t match[Words], in[Pair::vectors] = {}, out[Pair::vectors] = {};
  column_block here = lane.block(0);
  const auto first = lane.row(here.symbol(0));
  WEFT_UNROLL
  for (int w = 0; w < Words; w += 4) lane.masks_of(first, w, match + w);
  for (int k = 0; k < blocks; ++k) {
    if constexpr (Linked)
      if (k % group_blocks == 0) lane.above(k / group_blocks, in);
    const column_block ahead = lane.block(k + 1);
    WEFT_UNROLL
    for (int c = 0; c < block_columns; ++c) {
      const auto row = lane.row(c + 1 < block_columns ? here.symbol(c + 1) : ahead.symbol(0));
      Pair::template step<Linked>(v, match, in, out, [&](int w) { lane.masks_of(row, w, match + w); });
    }
    here = ahead;
    if constexpr (Linked)
      if (k % group_blocks == group_blocks - 1 || k == blocks - 1) {
        const int missing = (group_blocks - 1 - k % group_blocks) * block_columns;
        WEFT_UNROLL
        for (int x = 0; x < Pair::vectors; ++x) out[x] <<= missing;
        lane.below(k / group_blocks, out);
      }
  }
}

} // namespace weft::lcs_detail
