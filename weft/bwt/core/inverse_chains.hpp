// The inverse transform as many chains of steps at once: what a lane of the GPU does.
//
// The plain version:
//     of every stretch of 2^shift rows one is marked, and of first_row's stretch that row itself
//     from each marked row follow links to the next marked one: the bytes on the way are a piece of the text,
//     the last one first; the chain of the row that is found goes on before it
//     sums of the lengths from first_row's chain on tell where each piece belongs
//
// - Which row of a stretch is marked is scattered: of rows evenly apart, texts that are copies of one unit
//   mark all rows of one copy and none of hundreds of others. Nothing is looked up for it.
// - A lane takes the next chain when its own has ended, and writes the bytes of one behind those of the
//   other, from the top of chunks down: text lies there as it reads, but for the order of its pieces. A chunk
//   that begins inside a chain says which, and how much of it came before.
// - Chains are put in order by pointer doubling (Wyllie, 1979). Those of cycles that do not pass through
//   first_row never come to an end, and are not copied.
#pragma once

#include <cstdint>
#include <weft/bwt/core/inverse_links.hpp>

namespace weft::bwt_core {

inline constexpr std::uint32_t no_chain = 0xffffffffU;

WEFT_HOST_DEVICE constexpr std::uint32_t scatter(std::uint32_t x) { // Wellons, lowbias32
  x = (x ^ x >> 16) * 0x7feb352dU;
  x = (x ^ x >> 15) * 0x846ca68bU;
  return x ^ x >> 16;
}

// Which rows chains start at: one in each stretch, but that the last stretch's may not be there.
template <class Index> class chain_starts {
public:
  // rows: at least one; fewer than 2^32 stretches.
  constexpr chain_starts(Index rows, Index first_row, int shift)
      : rows_(rows), mask_(static_cast<Index>((Index{1} << shift) - 1)),
        key_(static_cast<Index>(scatter(static_cast<std::uint32_t>(first_row >> shift)) ^ first_row)),
        shift_(shift) {}

  // Stretches, and with it chains.
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

// Where a chain's bytes lie: below `top` in the pool, and on in chunks that say that they are its.
template <class Index> struct chain_bytes { Index top, length; };

// While chains are put in order: bytes from a chain on, up to `next`.
template <class Index> struct chain_sum {
  Index sum;
  std::uint32_t next; // no_chain: up to the end
};

// The chain that a chunk begins inside of, or none, and how many of its bytes are elsewhere before.
template <class Index> struct chunk_owner {
  std::uint32_t chain;
  Index done;
};

struct walk_counters {
  std::uint32_t chains, chunks; // taken so far
};

template <class Links> struct chain_walk {
  using index = typename Links::index;
  Links links;
  chain_starts<index> starts;
  index primary, chunk_bytes; // see row_after; a power of two, at least 8
  std::uint32_t first_chain;  // where the text's end is
  unsigned char* pool;        // aligned to 8
  chain_bytes<index>* chains;
  chain_sum<index>* sums;
  chunk_owner<index>* owners;
  walk_counters* counters;
};

// The next chain that has a row, which is returned in `row`; no_chain: there is none.
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

// A lane: chains until there are no more. take(counter): its number, which is one more from then on. A lane
// takes as many chunks as its bytes fill, and one.
template <class Links, class Take>
WEFT_HOST_DEVICE void follow_chains(const chain_walk<Links>& walk,
                                    const first_bytes<typename Links::index>& bytes, const Take& take) {
  using index = typename Links::index;
  const auto new_chunk = [&](std::uint32_t chain, index done) { // the place above its highest byte
    const std::uint32_t chunk = take(&walk.counters->chunks);
    walk.owners[chunk] = {chain, done};
    return static_cast<index>((static_cast<index>(chunk) + 1) * walk.chunk_bytes);
  };
  index row = 0;
  std::uint32_t chain = take_chain(walk, row, take);
  if (chain == no_chain) return;
  index at = new_chunk(no_chain, 0), top = at, length = 0, link = walk.links[row];
  std::uint64_t word = 0; // the last bytes, the latest lowest
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

// Twice as far.
template <class Index>
WEFT_HOST_DEVICE chain_sum<Index> jump(const chain_sum<Index>* sums, std::uint32_t chain) {
  const chain_sum<Index> own = sums[chain];
  if (own.next == no_chain) return own;
  const chain_sum<Index> other = sums[own.next];
  return {static_cast<Index>(own.sum + other.sum), other.next};
}

// So many times are enough for so many chains.
constexpr int num_jumps(std::uint32_t chains) { return static_cast<int>(std::bit_width(chains - 1)); }

// Bytes that lie together in the pool and in the text.
template <class Index> struct piece { Index from, to, length; };

// A chain's bytes in the chunk it begins in.
template <class Links>
WEFT_HOST_DEVICE piece<typename Links::index> piece_of_chain(const chain_walk<Links>& walk,
                                                             std::uint32_t chain) {
  using index = typename Links::index;
  const chain_bytes<index> own = walk.chains[chain];
  const chain_sum<index> place = walk.sums[chain];
  if (own.length == 0 || place.next != no_chain) return {0, 0, 0};
  const index below = static_cast<index>(((own.top - 1) & (walk.chunk_bytes - 1)) + 1),
              length = own.length < below ? own.length : below;
  return {static_cast<index>(own.top - length), static_cast<index>(place.sum - length), length};
}

// What a chunk begins with.
template <class Links>
WEFT_HOST_DEVICE piece<typename Links::index> piece_of_chunk(const chain_walk<Links>& walk,
                                                             std::uint32_t chunk) {
  using index = typename Links::index;
  const chunk_owner<index> owner = walk.owners[chunk];
  if (owner.chain == no_chain) return {0, 0, 0};
  const chain_sum<index> place = walk.sums[owner.chain];
  if (place.next != no_chain) return {0, 0, 0};
  const index left = static_cast<index>(walk.chains[owner.chain].length - owner.done),
              length = left < walk.chunk_bytes ? left : walk.chunk_bytes;
  return {static_cast<index>((static_cast<index>(chunk) + 1) * walk.chunk_bytes - length),
          static_cast<index>(place.sum - owner.done - length), length};
}

} // namespace weft::bwt_core
