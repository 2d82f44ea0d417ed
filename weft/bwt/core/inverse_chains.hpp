// The inverse transform as many independent chains of steps: the part that one lane of the GPU executes.
//
// The plain version:
//     mark one row of every stretch of 2^shift rows; in first_row's stretch mark first_row itself
//     from each marked row, follow links to the next marked row: the bytes on the path are a piece of the
//         text, last byte first; the chain of the marked row that ends the path continues before that piece
//     sum the lengths from first_row's chain on: the sums say where in the text each piece belongs
//
// - Which row of a stretch is marked is pseudo-random. If marked rows were evenly spaced, a text made of
//   copies of one unit could have all rows of one copy marked and none of hundreds of other copies. Whether a
//   row is marked is computed, not looked up.
// - A lane takes another chain when its own has ended. It writes the bytes of its chains one after another,
//   downwards from the top of each chunk of memory, so the bytes are in reading order; only the order of the
//   pieces differs from the text. A chunk that begins inside a chain records which chain it is, and how many
//   of the chain's bytes are in earlier chunks.
// - Chains are ordered by pointer doubling (Wyllie, 1979). Chains of cycles that do not pass through
//   first_row never reach an end, and are not copied.
#pragma once

#include <cstdint>
#include <weft/bwt/core/inverse_links.hpp>

namespace weft::bwt_detail {

inline constexpr std::uint32_t no_chain = 0xffffffffU;

WEFT_HOST_DEVICE constexpr std::uint32_t scatter(std::uint32_t x) { // lowbias32, by Wellons
  x = (x ^ x >> 16) * 0x7feb352dU;
  x = (x ^ x >> 15) * 0x846ca68bU;
  return x ^ x >> 16;
}

// The rows at which chains start: one in each stretch, except that the last stretch may lack its row.
template <class Index> class chain_starts {
public:
  // There must be at least one row, and fewer than 2^32 stretches.
  constexpr chain_starts(Index rows, Index first_row, int shift)
      : rows_(rows), mask_(static_cast<Index>((Index{1} << shift) - 1)),
        key_(static_cast<Index>(scatter(static_cast<std::uint32_t>(first_row >> shift)) ^ first_row)),
        shift_(shift) {}

  // Returns the number of stretches, which is the number of chains.
  [[nodiscard]] WEFT_HOST_DEVICE constexpr std::uint32_t count() const { return chain_of(rows_ - 1) + 1; }
  [[nodiscard]] WEFT_HOST_DEVICE constexpr Index rows() const { return rows_; }
  [[nodiscard]] WEFT_HOST_DEVICE constexpr std::uint32_t chain_of(Index row) const {
    return static_cast<std::uint32_t>(row >> shift_);
  }
  [[nodiscard]] WEFT_HOST_DEVICE constexpr Index row_of(std::uint32_t chain) const { // >= rows(): none
    return static_cast<Index>((static_cast<Index>(chain) << shift_) + ((scatter(chain) ^ key_) & mask_));
  }
  [[nodiscard]] WEFT_HOST_DEVICE constexpr bool is_start(Index row) const {
    return ((scatter(chain_of(row)) ^ key_ ^ row) & mask_) == 0;
  }

private:
  Index rows_, mask_, key_;
  int shift_;
};

// Where a chain's bytes are stored: below `top` in the pool, continued in chunks whose owner is the chain.
template <class Index> struct chain_bytes { Index top, length; };

// The state of a chain while chains are ordered: `sum` is the length of the chain and of the chains that
// continue it, up to but not including chain `next`.
template <class Index> struct chain_sum {
  Index sum;
  std::uint32_t next; // no_chain: up to the beginning of the text
};

// The chain inside which a chunk begins, or no_chain, and how many of that chain's bytes are in earlier
// chunks.
template <class Index> struct chunk_owner {
  std::uint32_t chain;
  Index done;
};

struct walk_counters {
  std::uint32_t chains, chunks; // numbers that lanes have taken so far
};

template <class Links> struct chain_walk {
  using index = typename Links::index;
  Links links;
  chain_starts<index> starts;
  index primary, chunk_bytes; // see row_after(); a power of two, at least 8
  std::uint32_t first_chain;  // the chain that begins at the end of the text
  unsigned char* pool;        // aligned to 8
  chain_bytes<index>* chains;
  chain_sum<index>* sums;
  chunk_owner<index>* owners;
  walk_counters* counters;
};

// Takes the next chain that has a marked row, and sets `row` to it. Returns no_chain if no chain is left.
template <class Links, class Take>
WEFT_HOST_DEVICE std::uint32_t take_chain(const chain_walk<Links>& walk, typename Links::index& row,
                                          const Take& take) {
  for (;;) {
    const std::uint32_t chain = take(&walk.counters->chains);
    if (chain >= walk.starts.count()) return no_chain;
    row = walk.starts.row_of(chain);
    if (row < walk.starts.rows()) return chain;
    walk.chains[chain] = {0, 0};
    walk.sums[chain] = {0, no_chain};
  }
}

// Follows chains, as one lane, until none is left. take(counter) returns the counter's value and increments
// it. A lane takes as many chunks as its bytes fill, and one more.
template <class Links, class Take>
WEFT_HOST_DEVICE void follow_chains(const chain_walk<Links>& walk,
                                    const first_bytes<typename Links::index>& bytes, const Take& take) {
  using index = typename Links::index;
  // Takes a chunk, and returns the pool offset above its highest byte.
  const auto new_chunk = [&](std::uint32_t chain, index done) {
    const std::uint32_t chunk = take(&walk.counters->chunks);
    walk.owners[chunk] = {chain, done};
    return static_cast<index>((static_cast<index>(chunk) + 1) * walk.chunk_bytes);
  };
  index row = 0;
  std::uint32_t chain = take_chain(walk, row, take);
  if (chain == no_chain) return;
  index at = new_chunk(no_chain, 0), top = at, length = 0, link = walk.links[row];
  std::uint64_t word = 0; // the most recent bytes, the latest in the lowest byte
  for (;;) {
    const index next = row_after(link, walk.primary), link_of_next = walk.links[next];
    word = word << 8 | bytes.of(link);
    --at;
    ++length;
    if (at % 8 == 0) {
      *reinterpret_cast<std::uint64_t*>(walk.pool + at) = word;
      if ((at & (walk.chunk_bytes - 1)) == 0) at = new_chunk(chain, length);
    }
    link = link_of_next;
    if (!walk.starts.is_start(next)) continue;
    const std::uint32_t found = walk.starts.chain_of(next);
    walk.chains[chain] = {top, length};
    walk.sums[chain] = {length, found == walk.first_chain ? no_chain : found};
    chain = take_chain(walk, row, take);
    if (chain == no_chain) break;
    top = at;
    length = 0;
    link = walk.links[row];
  }
  if (at % 8 != 0) *reinterpret_cast<std::uint64_t*>(walk.pool + (at & ~index{7})) = word << at % 8 * 8;
}

// Returns the state of a chain after one step of pointer doubling, which doubles the distance covered by the
// sum.
template <class Index>
WEFT_HOST_DEVICE chain_sum<Index> jump(const chain_sum<Index>* sums, std::uint32_t chain) {
  const chain_sum<Index> own = sums[chain];
  if (own.next == no_chain) return own;
  const chain_sum<Index> other = sums[own.next];
  return {static_cast<Index>(own.sum + other.sum), other.next};
}

// Returns how many steps of pointer doubling `chains` chains need.
constexpr int num_jumps(std::uint32_t chains) { return static_cast<int>(std::bit_width(chains - 1)); }

// A run of bytes that are contiguous in the pool and in the text.
template <class Index> struct piece { Index from, to, length; };

// Returns the piece of a chain that lies in the chunk in which the chain begins. It is empty if the chain is
// not part of the text.
template <class Links>
WEFT_HOST_DEVICE piece<typename Links::index> piece_of_chain(const chain_walk<Links>& walk,
                                                             std::uint32_t chain) {
  using index = typename Links::index;
  const chain_bytes<index> own = walk.chains[chain];
  const chain_sum<index> total = walk.sums[chain];
  if (own.length == 0 || total.next != no_chain) return {0, 0, 0};
  const index below = static_cast<index>(((own.top - 1) & (walk.chunk_bytes - 1)) + 1),
              length = own.length < below ? own.length : below;
  return {static_cast<index>(own.top - length), static_cast<index>(total.sum - length), length};
}

// Returns the piece at the top of a chunk, if the chunk begins inside a chain that is part of the text;
// otherwise an empty piece.
template <class Links>
WEFT_HOST_DEVICE piece<typename Links::index> piece_of_chunk(const chain_walk<Links>& walk,
                                                             std::uint32_t chunk) {
  using index = typename Links::index;
  const chunk_owner<index> owner = walk.owners[chunk];
  if (owner.chain == no_chain) return {0, 0, 0};
  const chain_sum<index> total = walk.sums[owner.chain];
  if (total.next != no_chain) return {0, 0, 0};
  const index left = static_cast<index>(walk.chains[owner.chain].length - owner.done),
              length = left < walk.chunk_bytes ? left : walk.chunk_bytes;
  return {static_cast<index>((static_cast<index>(chunk) + 1) * walk.chunk_bytes - length),
          static_cast<index>(total.sum - owner.done - length), length};
}

} // namespace weft::bwt_detail
