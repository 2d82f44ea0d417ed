// The body of the kernels of nfa-array and shift-and: a block of threads scans one block of text for one
// group of motifs, each thread for one motif (nfa_lanes.hpp). Tests run the same body on the host.
//
// Positions count in the direction of the scan: position u is residue u of the text (edge::ends), or residue
// size - 1 - u (edge::starts, with the automata of the reversed motifs). "First" and "last" are meant in that
// direction.
//
//   A block of text [from, to) reports the occurrences whose match has its last residue at a position u with
//     from <= u < to.
//   The warm-up begins longest - 1 residues before `from`, or at the start of the sequence that contains
//     `from` if matches have no bound. The warm-up may begin inside a sequence, because no match is longer
//     than `longest`.
//   The text is processed in tiles of tile_residues residues. A tile's text is translated into entries, which
//     are offsets into the motifs' rows. Behind the last residue of each sequence there is one more entry,
//     the border, whose rows are 0: the state becomes 0 without a branch or a mask. Each thread runs over all
//     entries, and all threads read the same entry at the same time.
//
// Occurrences are collected in shared memory and written once for each tile, so that the global count is
// increased once for all of them.
#pragma once

#include <weft/scan/core/nfa_lanes.hpp>
#include <weft/scan/core/occurrences.hpp>

namespace weft::scan_detail {

// The parameters of a scan: motifs, text, and where occurrences are written.
struct nfa_job {
  nfa_class_view motifs;
  device_text text;
  const std::uint32_t* code_of; // codes of the 256 bytes
  std::uint64_t begin, end;     // positions u
  std::uint64_t block;          // residues in a block of text
  bool reversed;
  std::uint64_t* found; // the codes of the occurrences
  std::uint64_t capacity;
  unsigned long long* count;
  unsigned char* scratch; // Lane::scratch_bytes() bytes for each block of threads
};

WEFT_HOST_DEVICE inline std::uint64_t nfa_items(const nfa_job& job) {
  return job.end <= job.begin ? 0 : ((job.end - job.begin - 1) / job.block + 1) * job.motifs.groups;
}

inline constexpr int tile_residues = 512; // a multiple of 32
inline constexpr int tile_entries = 2 * tile_residues;
inline constexpr unsigned stage_size = 128;

// Four entries, which a thread reads with one 16-byte load.
struct alignas(16) row_quad {
  std::uint32_t at[4];
};

// The shared memory of a block, except for the masks.
struct nfa_shared {
  row_quad rows[tile_entries / 4 + 1]; // entries; behind the last there is one more that is not 0
  std::uint16_t residue_of[tile_entries];
  std::uint32_t borders[tile_residues / 32]; // bit k of word w: residue 32 w + k is the last of its sequence
  std::uint32_t entries_before[tile_residues / 32 + 1]; // number of entries before those of word w
  std::uint32_t row_of[256];
  std::uint64_t stage[stage_size];
  unsigned staged;
  unsigned long long stage_begin; // index in `found` of the first staged occurrence
};

WEFT_HOST_DEVICE inline std::uint32_t reverse_bits(std::uint32_t x) {
#if defined(__CUDA_ARCH__)
  return __brev(x);
#else
  std::uint32_t y = 0;
  for (int i = 0; i < 32; ++i) y |= (x >> i & 1) << (31 - i);
  return y;
#endif
}
WEFT_HOST_DEVICE inline std::uint32_t count_bits(std::uint32_t x) {
#if defined(__CUDA_ARCH__)
  return static_cast<std::uint32_t>(__popc(x));
#else
  return static_cast<std::uint32_t>(__builtin_popcount(x));
#endif
}

// Increments *counter for each thread that calls it, and returns the value before the thread's increment. The
// threads of a warp that call it together use one atomic addition.
template <class T> WEFT_HOST_DEVICE inline T reserve_slot(T* counter) {
#if defined(__CUDA_ARCH__)
  const unsigned together = __activemask(), lane = threadIdx.x % 32;
  const int leader = __ffs(static_cast<int>(together)) - 1;
  T first = 0;
  if (static_cast<int>(lane) == leader) first = atomicAdd(counter, static_cast<T>(__popc(together)));
  first = __shfl_sync(together, first, leader);
  return first + static_cast<T>(__popc(together & ((1U << lane) - 1)));
#else
  return (*counter)++;
#endif
}
template <class T> WEFT_HOST_DEVICE inline T reserve_slots(T* counter, T slots) {
#if defined(__CUDA_ARCH__)
  return atomicAdd(counter, slots);
#else
  const T before = *counter;
  *counter += slots;
  return before;
#endif
}

// Returns a word whose bit k says that a sequence begins at residue first + k.
WEFT_HOST_DEVICE inline std::uint32_t start_bits_from(const device_text& text, std::uint64_t first) {
  const std::uint32_t* const word = text.starts + first / 32;
  const auto shift = static_cast<unsigned>(first % 32);
  return shift == 0 ? word[0] : word[0] >> shift | word[1] << (32 - shift);
}

// Returns a word whose bit k says that position u + k < size is the last of its sequence.
WEFT_HOST_DEVICE inline std::uint32_t border_bits_from(const nfa_job& job, std::uint64_t u) {
  if (!job.reversed) return start_bits_from(job.text, u + 1);
  const std::uint64_t i = job.text.size - 1 - u;
  return reverse_bits(i >= 31 ? start_bits_from(job.text, i - 31)
                              : start_bits_from(job.text, 0) << static_cast<unsigned>(31 - i));
}
WEFT_HOST_DEVICE inline bool is_first(const nfa_job& job, std::uint64_t u) {
  return u == 0 || (border_bits_from(job, u - 1) & 1) != 0;
}

// Returns the position where a group must begin to scan to find all occurrences from position `from` on.
WEFT_HOST_DEVICE inline std::uint64_t warm_up_begin(const nfa_job& job, std::uint64_t group,
                                                    std::uint64_t from) {
  const std::uint64_t longest = job.motifs.longest[group];
  if (longest != ~std::uint64_t{0}) {
    const std::uint64_t before = longest == 0 ? 0 : longest - 1;
    return from < before ? 0 : from - before;
  }
  const std::uint64_t i = job.reversed ? job.text.size - 1 - from : from;
  // Searches the last sequence that begins at or before residue i.
  std::uint64_t low = 0, high = job.text.sequences;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (job.text.offsets[middle] <= i ? low : high) = middle;
  }
  return job.reversed ? job.text.size - job.text.offsets[low + 1] : job.text.offsets[low];
}

// One block of text and one group of motifs, and the tile that is being processed.
struct nfa_item {
  std::uint64_t group, from, to;
  std::uint64_t tile; // position where the tile begins
  int residues;       // number of residues in the tile
  WEFT_HOST_DEVICE nfa_item(const nfa_job& job, std::uint64_t index)
      : group(index % job.motifs.groups), from(job.begin + index / job.motifs.groups * job.block),
        to(job.end - from < job.block ? job.end : from + job.block), tile(warm_up_begin(job, group, from)) {
    set_residues();
  }
  WEFT_HOST_DEVICE void set_residues() {
    residues = tile >= to ? 0 : to - tile < tile_residues ? static_cast<int>(to - tile) : tile_residues;
  }
};

WEFT_HOST_DEVICE inline void report_match(const nfa_job& job, const nfa_item& item, nfa_shared& shared,
                                          std::uint32_t motif, int entry) {
  const std::uint64_t u = item.tile + shared.residue_of[entry];
  if (u < item.from) return;
  const std::uint64_t position = job.reversed ? job.text.size - 1 - u : u + 1;
  const std::uint64_t value = static_cast<std::uint64_t>(motif) << position_bits | position;
  if (const unsigned slot = reserve_slot(&shared.staged); slot < stage_size) {
    shared.stage[slot] = value;
    return;
  }
  const unsigned long long slot = reserve_slot(job.count);
  if (slot < job.capacity) job.found[slot] = value;
}

// Translates the tile's text into entries, in three phases. Also writes the occurrences that were staged for
// the tile before it.
template <class Block>
WEFT_HOST_DEVICE inline void make_tile(const Block& block, const nfa_job& job, const nfa_item& item,
                                       nfa_shared& shared) {
  const int words = (item.residues + 31) / 32;
  block.phase([&](int t) {
    for (int w = t; w < words; w += block.threads) {
      const int left = item.residues - 32 * w;
      const std::uint32_t in_tile = left >= 32 ? ~0U : (1U << left) - 1;
      shared.borders[w] = border_bits_from(job, item.tile + static_cast<unsigned>(32 * w)) & in_tile;
    }
    if (t == 0) {
      if (shared.staged > stage_size) shared.staged = stage_size;
      if (shared.staged > 0)
        shared.stage_begin = reserve_slots(job.count, static_cast<unsigned long long>(shared.staged));
    }
  });
  block.phase([&](int t) {
    for (unsigned k = static_cast<unsigned>(t); k < shared.staged; k += static_cast<unsigned>(block.threads))
      if (shared.stage_begin + k < job.capacity) job.found[shared.stage_begin + k] = shared.stage[k];
    if (t != 0) return;
    std::uint32_t entries = 0;
    for (int w = 0; w < words; ++w) {
      shared.entries_before[w] = entries;
      entries += 32 + count_bits(shared.borders[w]);
    }
    if (item.residues % 32 != 0) entries -= static_cast<std::uint32_t>(32 - item.residues % 32);
    shared.entries_before[words] = entries;
    shared.rows[entries / 4].at[entries % 4] = 1;
  });
  block.phase([&](int t) {
    if (t == 0) shared.staged = 0;
    for (int k = t; k < item.residues; k += block.threads) {
      const std::uint64_t u = item.tile + static_cast<unsigned>(k);
      const unsigned char c = job.text.residues[job.reversed ? job.text.size - 1 - u : u];
      const std::uint32_t borders = shared.borders[k / 32], bit = 1U << (k % 32);
      const std::uint32_t entry = shared.entries_before[k / 32] + static_cast<std::uint32_t>(k % 32) +
                                  count_bits(borders & (bit - 1));
      shared.rows[entry / 4].at[entry % 4] = shared.row_of[c];
      shared.residue_of[entry] = static_cast<std::uint16_t>(k);
      if ((borders & bit) == 0) continue;
      shared.rows[(entry + 1) / 4].at[(entry + 1) % 4] = 0;
      shared.residue_of[entry + 1] = static_cast<std::uint16_t>(k);
    }
  });
}

// Runs a thread's automaton over the tile, and calls found(entry) for each entry with which a match ends.
template <class Lane, class Found>
WEFT_HOST_DEVICE inline void run_tile(Lane& lane, const unsigned char* masks, std::size_t threads,
                                      const nfa_shared& shared, int entries, bool first, const Found& found) {
  if constexpr (Lane::edges) {
    for (int e = 0; e < entries; ++e) {
      const std::uint32_t row = shared.rows[e / 4].at[e % 4];
      const bool last = shared.rows[(e + 1) / 4].at[(e + 1) % 4] == 0;
      if (lane.step(masks, row, threads, first, last && row != 0) && row != 0) found(e);
      first = row == 0;
    }
  } else {
    using Word = typename Lane::Word;
    constexpr int unrolled = Lane::unrolled;
    int e = 0;
    for (; e + unrolled <= entries; e += unrolled) {
      Word ends[unrolled], any = 0;
      WEFT_UNROLL
      for (int q = 0; q < unrolled / 4; ++q) {
        const row_quad rows = shared.rows[e / 4 + q];
        WEFT_UNROLL
        for (int k = 0; k < 4; ++k) {
          ends[4 * q + k] = lane.step(row_words<Word>(masks, rows.at[k], threads));
          any |= ends[4 * q + k];
        }
      }
      if ((any & lane.accepting()) == 0) continue;
      unsigned ending = 0;
      WEFT_UNROLL
      for (int k = 0; k < unrolled; ++k)
        if ((ends[k] & lane.accepting()) != 0) ending |= 1U << k;
      for (; ending != 0; ending &= ending - 1) // the warp repeats this for the thread with the most matches
        found(e + static_cast<int>(count_bits((ending & (0 - ending)) - 1)));
    }
    WEFT_ROLL
    for (; e < entries; ++e)
      if ((lane.step(row_words<Word>(masks, shared.rows[e / 4].at[e % 4], threads)) & lane.accepting()) != 0)
        found(e);
  }
}

// Scans one item: one block of text for one group of motifs. `masks`: memory for the masks of a group, shared
// by the threads of the block; used only if `InShared`, else the masks are read from the tables. `number`:
// index of the block, which selects its scratch memory.
template <class Lane, bool InShared, class Block, class LaneOf>
WEFT_HOST_DEVICE inline void scan_item(const Block& block, const LaneOf& lane_of, nfa_shared& shared,
                                       typename Lane::Word* masks, const nfa_job& job, std::uint64_t index,
                                       std::uint64_t number) {
  using Word = typename Lane::Word;
  const nfa_class_view& motifs = job.motifs;
  nfa_item item(job, index);
  const std::size_t bytes = Lane::has_masks ? masks_bytes<Word>(motifs) : 0;
  const unsigned char* const rows = Lane::has_masks ? motifs.rows + item.group * bytes : nullptr;
  block.phase([&](int t) {
    const auto stride = static_cast<unsigned>(block.threads);
    for (auto c = static_cast<unsigned>(t); c < 256; c += stride)
      shared.row_of[c] = job.code_of[c] * Lane::row_bytes(motifs);
    if constexpr (InShared)
      for (auto i = static_cast<std::size_t>(t); i < bytes / sizeof(Word); i += stride)
        masks[i] = reinterpret_cast<const Word*>(rows)[i];
    lane_of(t).load(
        {&motifs, item.group, static_cast<unsigned>(t), job.scratch + number * Lane::scratch_bytes(motifs)});
    if (t == 0) shared.staged = 0;
  });
  for (; item.residues > 0; item.tile += tile_residues, item.set_residues()) {
    make_tile(block, job, item, shared);
    block.phase([&](int t) {
      const std::uint32_t motif = motifs.motifs[item.group * motifs.threads + static_cast<unsigned>(t)];
      if (motif == no_motif) return;
      const std::size_t mine = static_cast<std::size_t>(t) * sizeof(Word);
      const auto entries =
          static_cast<int>(shared.entries_before[static_cast<unsigned>(item.residues + 31) / 32]);
      const auto found = [&](int entry) { report_match(job, item, shared, motif, entry); };
      const bool first = Lane::edges && is_first(job, item.tile);
      if constexpr (InShared)
        run_tile(lane_of(t), reinterpret_cast<const unsigned char*>(masks) + mine, motifs.threads, shared,
                 entries, first, found);
      else
        run_tile(lane_of(t), rows + mine, motifs.threads, shared, entries, first, found);
    });
  }
  make_tile(block, job, item, shared); // the tile is empty: only writes the staged occurrences
}

} // namespace weft::scan_detail
