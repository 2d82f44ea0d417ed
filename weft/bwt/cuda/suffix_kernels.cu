#include <weft/bwt/cuda/suffix_kernels.hpp>

#include <algorithm>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/bwt/cuda/grid.cuh>

namespace weft::bwt_cuda {

namespace {

constexpr int threads = 256;

__global__ void __launch_bounds__(threads)
    count_bytes_kernel(const unsigned char* text, std::uint64_t n, unsigned long long* counts) {
  __shared__ unsigned int shared[threads];
  shared[threadIdx.x] = 0;
  __syncthreads();
  for (std::uint64_t i = first_item(); i < n; i += all_threads()) atomicAdd(&shared[text[i]], 1U);
  __syncthreads();
  if (shared[threadIdx.x] != 0) atomicAdd(&counts[threadIdx.x], shared[threadIdx.x]);
}

__global__ void __launch_bounds__(threads)
    pack_text_kernel(const unsigned char* text, const std::uint8_t* codes, std::uint64_t* words,
                     std::uint64_t size, std::uint32_t bits, std::uint64_t num_words) {
  __shared__ std::uint8_t table[256];
  table[threadIdx.x] = codes[threadIdx.x];
  __syncthreads();
  for (std::uint64_t w = first_item(); w < num_words; w += all_threads())
    words[w] =
        bwt_core::packed_word(w, size, bits, [&](std::uint64_t i) { return std::uint64_t{table[text[i]]}; });
}

__global__ void __launch_bounds__(threads)
    sample_keys_kernel(bit_text text, std::uint64_t* keys, std::uint32_t count) {
  for (std::uint64_t i = first_item(); i < count; i += all_threads()) {
    std::uint64_t x = (i + 1) * 0x9E3779B97F4A7C15ULL; // the end of SplitMix64
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ x >> 27) * 0x94D049BB133111EBULL;
    keys[i] = text.first_key((x ^ x >> 31) % text.size) & ~text.mask_of_symbol();
  }
}

// A block takes tiles of suffixes. Places are by row of a tile and warp, so that a warp's writes are next to
// each other; one addition a tile to the count of all.
constexpr int select_rows = 16, select_warps = threads / 32;
template <class Index>
__global__ void __launch_bounds__(threads)
    select_suffixes_kernel(bit_text text, std::uint64_t low, std::uint64_t high, std::uint64_t* to_keys,
                           Index* to_suffixes, std::uint64_t room, unsigned long long* count) {
  constexpr std::uint64_t tile = select_rows * threads;
  __shared__ std::uint32_t places[select_rows * select_warps];
  __shared__ unsigned long long tile_place;
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (std::uint64_t begin = blockIdx.x * tile; begin < text.size; begin += gridDim.x * tile) {
    std::uint64_t keys[select_rows];
    std::uint32_t taken = 0;
    WEFT_UNROLL
    for (int row = 0; row < select_rows; ++row) {
      const std::uint64_t suffix = begin + static_cast<std::uint64_t>(row) * threads + threadIdx.x;
      keys[row] = suffix < text.size ? text.first_key(suffix) : 0;
      const bool mine = suffix < text.size && keys[row] >= low && keys[row] <= high;
      taken |= static_cast<std::uint32_t>(mine) << row;
      const unsigned all = __ballot_sync(~0U, mine);
      if (lane == 0) places[row * select_warps + warp] = static_cast<std::uint32_t>(__popc(all));
    }
    __syncthreads();
    if (threadIdx.x < 32) { // the sums of the counts before, four a lane
      std::uint32_t counts[4], sum = 0;
      for (int i = 0; i < 4; ++i) sum += counts[i] = places[threadIdx.x * 4 + i];
      std::uint32_t before = sum;
      for (int step = 1; step < 32; step *= 2) {
        const std::uint32_t other = __shfl_up_sync(~0U, before, step);
        if (lane >= static_cast<unsigned>(step)) before += other;
      }
      if (lane == 31) tile_place = before == 0 ? 0 : atomicAdd(count, before);
      before -= sum;
      for (int i = 0; i < 4; ++i) {
        places[threadIdx.x * 4 + i] = before;
        before += counts[i];
      }
    }
    __syncthreads();
    WEFT_UNROLL
    for (int row = 0; row < select_rows; ++row) {
      const bool mine = (taken >> row & 1) != 0;
      const unsigned all = __ballot_sync(~0U, mine);
      const std::uint64_t place = tile_place + places[row * select_warps + warp] +
                                  static_cast<unsigned>(__popc(all & ((1U << lane) - 1)));
      if (!mine || place >= room) continue;
      to_keys[place] = keys[row];
      to_suffixes[place] =
          static_cast<Index>(begin + static_cast<std::uint64_t>(row) * threads + threadIdx.x);
    }
    __syncthreads();
  }
}
static_assert(select_rows * select_warps == 4 * 32);

template <class Index>
__global__ void __launch_bounds__(threads)
    select_cover_kernel(bit_text text, std::uint64_t* keys, Index* suffixes, std::uint64_t count) {
  for (std::uint64_t i = first_item(); i < count; i += all_threads()) {
    const std::uint64_t suffix = bwt_core::cover_position(i);
    keys[i] = text.first_key(suffix);
    suffixes[i] = static_cast<Index>(suffix);
  }
}

__global__ void __launch_bounds__(threads) number_slots_kernel(std::uint32_t* slots, std::uint64_t count) {
  for (std::uint64_t i = first_item(); i < count; i += all_threads())
    slots[i] = static_cast<std::uint32_t>(i);
}
__global__ void __launch_bounds__(threads)
    permute_kernel(const std::uint64_t* from, const std::uint32_t* slots, std::uint64_t* to,
                   std::uint64_t count) {
  for (std::uint64_t i = first_item(); i < count; i += all_threads()) to[i] = from[slots[i]];
}

// A thread a word of the lowest level, in turns of a warp for each half word.
__global__ void __launch_bounds__(threads)
    mark_groups_kernel(const std::uint64_t* keys, std::uint32_t unordered_bits, head_bits heads) {
  const std::uint64_t padded = head_bits::words(heads.size, 0) * 64;
  auto* const halves = reinterpret_cast<std::uint32_t*>(heads.level[0]);
  for (std::uint64_t i = first_item(); i < padded; i += all_threads()) {
    const bool begins =
        i == heads.size || (i < heads.size && (i == 0 || (keys[i] ^ keys[i - 1]) >> unordered_bits != 0));
    const unsigned all = __ballot_sync(~0U, begins);
    if (threadIdx.x % 32 == 0) halves[i / 32] = all;
  }
}

__global__ void __launch_bounds__(threads)
    unpack_before_kernel(std::uint64_t mask, const unsigned char* bytes, const std::uint64_t* keys,
                         std::uint64_t count, unsigned char* before) {
  __shared__ unsigned char table[256];
  table[threadIdx.x] = bytes[threadIdx.x];
  __syncthreads();
  for (std::uint64_t i = first_item(); i < count; i += all_threads()) before[i] = table[keys[i] & mask];
}

template <class Index>
__global__ void __launch_bounds__(threads)
    read_before_kernel(bit_text text, const unsigned char* bytes, const Index* suffixes, head_bits heads,
                       unsigned char* before) {
  for (std::uint64_t i = first_item(); i < heads.size; i += all_threads())
    if (!heads.at(i) || !heads.at(i + 1)) before[i] = bytes[text.symbol_before(suffixes[i])];
}

__global__ void __launch_bounds__(threads)
    mark_level_kernel(const std::uint64_t* below, std::uint64_t words_below, std::uint64_t* words,
                      std::uint64_t num_words) {
  auto* const halves = reinterpret_cast<std::uint32_t*>(words);
  for (std::uint64_t i = first_item(); i < num_words * 64; i += all_threads()) {
    const unsigned all = __ballot_sync(~0U, i < words_below && below[i] != 0);
    if (threadIdx.x % 32 == 0) halves[i / 32] = all;
  }
}

// A block takes tiles of slots; one addition to the count of each kind a tile.
constexpr std::uint64_t list_rows = 8;
__global__ void __launch_bounds__(threads) list_groups_kernel(head_bits heads, group_lists lists) {
  constexpr std::uint64_t tile = list_rows * threads;
  __shared__ std::uint32_t counts[group_kinds], places[group_kinds];
  for (std::uint64_t begin = blockIdx.x * tile; begin < heads.size; begin += gridDim.x * tile) {
    if (threadIdx.x < group_kinds) counts[threadIdx.x] = 0;
    __syncthreads();
    std::uint32_t sizes[list_rows], in_tile[list_rows];
    WEFT_UNROLL
    for (std::uint64_t row = 0; row < list_rows; ++row) {
      const std::uint64_t slot = begin + row * threads + threadIdx.x;
      sizes[row] = 0;
      if (slot >= heads.size || !heads.at(slot) || heads.at(slot + 1)) continue;
      sizes[row] = static_cast<std::uint32_t>(heads.next(slot + 1) - slot);
      in_tile[row] = atomicAdd(&counts[kind_of(sizes[row])], 1U);
    }
    __syncthreads();
    if (threadIdx.x < group_kinds && counts[threadIdx.x] > 0)
      places[threadIdx.x] = atomicAdd(&lists.counts[threadIdx.x], counts[threadIdx.x]);
    __syncthreads();
    WEFT_UNROLL
    for (std::uint64_t row = 0; row < list_rows; ++row) {
      if (sizes[row] == 0) continue;
      const int kind = kind_of(sizes[row]);
      lists.items[kind][places[kind] + in_tile[row]] = {
          static_cast<std::uint32_t>(begin + row * threads + threadIdx.x), sizes[row]};
    }
    __syncthreads();
  }
}

__device__ void mark(const head_bits& heads, std::uint64_t slot) {
  atomicOr(reinterpret_cast<unsigned long long*>(&heads.level[0][slot / 64]), 1ULL << (slot % 64));
}

template <class Index, class Keys>
__global__ void __launch_bounds__(threads)
    refine_pairs_kernel(const group* groups, std::uint32_t count, Index* suffixes, Keys keys,
                        std::uint32_t first, std::uint32_t end, head_bits heads) {
  for (std::uint64_t g = first_item(); g < count; g += all_threads()) {
    const std::uint32_t begin = groups[g].begin;
    const Index a = suffixes[begin], b = suffixes[begin + 1];
    for (std::uint32_t round = first; round < end; ++round) {
      const std::uint64_t key_a = keys(a, round), key_b = keys(b, round);
      if (key_a == key_b) continue;
      if (key_a > key_b) {
        suffixes[begin] = b;
        suffixes[begin + 1] = a;
      }
      mark(heads, begin + 1);
      break;
    }
  }
}

// Width threads that have a group together: lanes of a warp, or a block.
template <int Width> struct team {
  static constexpr int threads = Width <= 32 ? bwt_cuda::threads : Width; // of a block
  static constexpr std::uint64_t in_block = threads / Width;
  static __device__ std::uint32_t lane() { return threadIdx.x % Width; }
  static __device__ void wait() {
    if constexpr (Width <= 32)
      __syncwarp();
    else
      __syncthreads();
  }
  // Of all teams of a warp, or of the block; and waits.
  static __device__ bool any(bool holds) {
    if constexpr (Width > 32) return __syncthreads_or(holds) != 0;
    const bool some = __any_sync(~0U, holds);
    __syncwarp();
    return some;
  }
};

// A thread a suffix. Suffixes that are not told apart stand side by side; each thread knows where those of
// its own begin and how many they are. Most keys change nothing: then all are as that of the first of them.
template <int Width, class Index, class Keys>
__global__ void __launch_bounds__(team<Width>::threads)
    refine_groups_kernel(const group* groups, std::uint32_t count, Index* suffixes, Keys keys,
                         std::uint32_t first, std::uint32_t end, head_bits heads) {
  using team = team<Width>;
  __shared__ std::uint64_t shared_keys[team::threads];
  __shared__ Index shared_suffixes[team::threads];
  __shared__ std::uint16_t shared_begins[team::threads], shared_sizes[team::threads];
  const std::uint32_t lane = team::lane(), of_team = threadIdx.x - lane;
  for (std::uint64_t base = blockIdx.x * team::in_block; base < count; base += gridDim.x * team::in_block) {
    const std::uint64_t g = base + threadIdx.x / Width;
    const group of = g < count ? groups[g] : group{0, 0};
    const bool mine = lane < of.size;
    Index suffix = mine ? suffixes[of.begin + lane] : Index{0};
    std::uint32_t begin = mine ? 0 : lane, size = mine ? of.size : 1; // of those not told apart from it
    for (std::uint32_t round = first; round < end && team::any(size > 1); ++round) {
      const std::uint64_t key = size > 1 ? keys(suffix, round) : 0;
      shared_keys[threadIdx.x] = key;
      team::wait();
      if (!team::any(size > 1 && key != shared_keys[of_team + begin])) continue;
      std::uint32_t less = 0, equal = 0, ahead = 0;
      for (std::uint32_t j = begin; j < begin + size; ++j) {
        const std::uint64_t other = shared_keys[of_team + j];
        less += static_cast<std::uint32_t>(other < key);
        equal += static_cast<std::uint32_t>(other == key);
        ahead += static_cast<std::uint32_t>(other == key && j < lane);
      }
      const std::uint32_t to = of_team + begin + less + ahead;
      shared_suffixes[to] = suffix;
      shared_begins[to] = static_cast<std::uint16_t>(begin + less);
      shared_sizes[to] = static_cast<std::uint16_t>(equal);
      team::wait();
      suffix = shared_suffixes[threadIdx.x];
      begin = shared_begins[threadIdx.x];
      size = shared_sizes[threadIdx.x];
      team::wait();
    }
    if (!mine) continue;
    suffixes[of.begin + lane] = suffix;
    if (begin == lane && lane > 0) mark(heads, of.begin + lane);
  }
}

template <class Index>
__global__ void __launch_bounds__(threads)
    finish_pairs_kernel(const group* groups, std::uint32_t count, Index* suffixes, cover_ranks ranks) {
  for (std::uint64_t g = first_item(); g < count; g += all_threads()) {
    const std::uint32_t begin = groups[g].begin;
    const Index a = suffixes[begin], b = suffixes[begin + 1];
    if (!ranks.less(b, a)) continue;
    suffixes[begin] = b;
    suffixes[begin + 1] = a;
  }
}

// What a block's threads know of the suffixes of their groups. All positions of the cover within a period
// from a suffix on have ranks side by side, which are read at once; for two residues a table says which of
// each suffix's ranks to compare.
template <int Threads> struct shared_cover {
  std::uint32_t ranks[Threads * bwt_core::cover_size];
  std::uint8_t residues[Threads];
  std::uint8_t pairs[bwt_core::cover_period * bwt_core::cover_period]; // 16 * of the first + of the second

  __device__ void set_pairs() {
    constexpr std::uint32_t period = bwt_core::cover_period;
    for (std::uint32_t i = threadIdx.x; i < period * period; i += Threads) {
      const std::uint32_t a = i / period, b = i % period, shift = bwt_core::cover_shift(a, b);
      pairs[i] =
          static_cast<std::uint8_t>(16 * bwt_core::cover_steps(a, shift) + bwt_core::cover_steps(b, shift));
    }
  }
  template <class Index> __device__ void set(Index suffix, const cover_ranks& all) {
    const Index number = bwt_core::cover_number(suffix);
    for (std::uint32_t k = 0; k < bwt_core::cover_size; ++k)
      ranks[threadIdx.x * bwt_core::cover_size + k] = all.ranks[number + k];
    residues[threadIdx.x] = static_cast<std::uint8_t>(suffix % bwt_core::cover_period);
  }
  // Of the suffixes of two threads, which are not the same.
  __device__ bool less(std::uint32_t a, std::uint32_t b) const {
    const std::uint32_t pair = pairs[residues[a] * bwt_core::cover_period + residues[b]];
    return ranks[a * bwt_core::cover_size + pair / 16] < ranks[b * bwt_core::cover_size + pair % 16];
  }
};

// Each thread counts how many suffixes are less than its own.
template <int Width, class Index>
__global__ void __launch_bounds__(threads)
    finish_groups_kernel(const group* groups, std::uint32_t count, Index* suffixes, cover_ranks ranks) {
  using team = team<Width>;
  __shared__ shared_cover<threads> cover;
  cover.set_pairs();
  __syncthreads();
  const std::uint32_t lane = team::lane(), of_team = threadIdx.x - lane;
  for (std::uint64_t base = blockIdx.x * team::in_block; base < count; base += gridDim.x * team::in_block) {
    const std::uint64_t g = base + threadIdx.x / Width;
    const group of = g < count ? groups[g] : group{0, 0};
    const bool mine = lane < of.size;
    const Index suffix = mine ? suffixes[of.begin + lane] : Index{0};
    if (mine) cover.set(suffix, ranks);
    team::wait();
    std::uint32_t before = 0;
    for (std::uint32_t j = 0; mine && j < of.size; ++j)
      if (j != lane) before += static_cast<std::uint32_t>(cover.less(of_team + j, threadIdx.x));
    if (mine) suffixes[of.begin + before] = suffix;
    team::wait();
  }
}

// A block a group: a bitonic sort (Batcher, AFIPS 1968) of the numbers of its suffixes; what is none is
// greater than all.
template <int Width, class Index>
__global__ void __launch_bounds__(Width)
    finish_blocks_kernel(const group* groups, std::uint32_t count, Index* suffixes, cover_ranks ranks) {
  __shared__ shared_cover<Width> cover;
  __shared__ std::uint8_t order[Width];
  __shared__ Index shared_suffixes[Width];
  cover.set_pairs();
  for (std::uint32_t g = blockIdx.x; g < count; g += gridDim.x) {
    const group of = groups[g];
    const bool mine = threadIdx.x < of.size;
    order[threadIdx.x] = static_cast<std::uint8_t>(threadIdx.x);
    if (mine) {
      shared_suffixes[threadIdx.x] = suffixes[of.begin + threadIdx.x];
      cover.set(shared_suffixes[threadIdx.x], ranks);
    }
    __syncthreads();
    for (std::uint32_t run = 2; run < 2 * of.size; run *= 2)
      for (std::uint32_t step = run / 2; step > 0; step /= 2) {
        const std::uint32_t i = threadIdx.x, j = i ^ step;
        if (j > i && i < run * ((of.size + run - 1) / run)) {
          const std::uint32_t a = order[i], b = order[j];
          const bool rises = (i & run) == 0 || run >= of.size;
          // Whether a is greater than b.
          const bool greater = a >= of.size ? b < of.size : b < of.size && cover.less(b, a);
          const bool smaller = b >= of.size ? a < of.size : a < of.size && !greater;
          if (rises ? greater : smaller) {
            order[i] = static_cast<std::uint8_t>(b);
            order[j] = static_cast<std::uint8_t>(a);
          }
        }
        __syncthreads();
      }
    if (mine) suffixes[of.begin + threadIdx.x] = shared_suffixes[order[threadIdx.x]];
    __syncthreads();
  }
}

// The group of item i, and the item's slot.
struct item_place {
  std::uint32_t in_group;
  std::uint64_t slot;
  std::uint32_t number; // of the group
};
__device__ item_place place_of(const group* groups, const std::uint64_t* offsets, std::uint32_t count,
                               std::uint64_t i) {
  std::uint32_t low = 0, high = count; // offsets[low] <= i < offsets[high]
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    (offsets[middle] <= i ? low : high) = middle;
  }
  const std::uint64_t in_group = i - offsets[low];
  return {static_cast<std::uint32_t>(in_group), groups[low].begin + in_group, low};
}

struct item { // a little-endian number of 128 bits
  std::uint64_t suffix, key;
};

template <class Index, class Keys>
__global__ void __launch_bounds__(threads)
    make_items_kernel(const group* groups, const std::uint64_t* offsets, std::uint32_t count,
                      std::uint64_t num_items, const Index* suffixes, Keys keys, std::uint32_t round,
                      item* items) {
  for (std::uint64_t i = first_item(); i < num_items; i += all_threads()) {
    const std::uint64_t suffix = suffixes[place_of(groups, offsets, count, i).slot];
    items[i] = {suffix, keys(suffix, round)};
  }
}

template <class Index>
__global__ void __launch_bounds__(threads)
    take_items_kernel(const group* groups, const std::uint64_t* offsets, std::uint32_t count,
                      std::uint64_t num_items, const item* items, Index* suffixes, head_bits heads) {
  for (std::uint64_t i = first_item(); i < num_items; i += all_threads()) {
    const item_place at = place_of(groups, offsets, count, i);
    suffixes[at.slot] = static_cast<Index>(items[i].suffix);
    if (at.in_group > 0 && items[i].key != items[i - 1].key) mark(heads, at.slot);
  }
}

template <class Index>
__global__ void __launch_bounds__(threads)
    make_grouped_kernel(const group* groups, const std::uint64_t* offsets, std::uint32_t count,
                        std::uint64_t num_items, const Index* suffixes, grouped_suffix<Index>* items) {
  for (std::uint64_t i = first_item(); i < num_items; i += all_threads()) {
    const item_place at = place_of(groups, offsets, count, i);
    items[i] = {static_cast<Index>(at.number), suffixes[at.slot]};
  }
}

template <class Index>
__global__ void __launch_bounds__(threads)
    take_grouped_kernel(const group* groups, const std::uint64_t* offsets, std::uint32_t count,
                        std::uint64_t num_items, const grouped_suffix<Index>* items, Index* suffixes) {
  for (std::uint64_t i = first_item(); i < num_items; i += all_threads())
    suffixes[place_of(groups, offsets, count, i).slot] = items[i].suffix;
}

template <class Index>
__global__ void __launch_bounds__(threads)
    write_ranks_kernel(const Index* suffixes, head_bits heads, std::uint32_t* ranks) {
  for (std::uint64_t i = first_item(); i < heads.size; i += all_threads())
    ranks[bwt_core::cover_number(suffixes[i])] = static_cast<std::uint32_t>(heads.last(i));
}

__device__ void write_rank(std::uint64_t suffix, std::uint64_t slot, const group& of, const head_bits& heads,
                           std::uint32_t* ranks) {
  const auto rank = static_cast<std::uint32_t>(heads.last(slot));
  if (rank != of.begin) ranks[bwt_core::cover_number(suffix)] = rank; // else it is as before
}
template <int Width, class Index>
__global__ void __launch_bounds__(threads)
    write_ranks_of_groups_kernel(const group* groups, std::uint32_t count, const Index* suffixes,
                                 head_bits heads, std::uint32_t* ranks) {
  for (std::uint64_t i = first_item(); i / Width < count; i += all_threads()) {
    const group of = groups[i / Width];
    const std::uint64_t slot = of.begin + i % Width;
    if (i % Width < of.size) write_rank(suffixes[slot], slot, of, heads, ranks);
  }
}
template <class Index>
__global__ void __launch_bounds__(threads)
    write_ranks_of_items_kernel(const group* groups, const std::uint64_t* offsets, std::uint32_t count,
                                std::uint64_t num_items, const Index* suffixes, head_bits heads,
                                std::uint32_t* ranks) {
  for (std::uint64_t i = first_item(); i < num_items; i += all_threads()) {
    const item_place at = place_of(groups, offsets, count, i);
    write_rank(suffixes[at.slot], at.slot, groups[at.number], heads, ranks);
  }
}

template <class Index>
__global__ void __launch_bounds__(threads)
    find_row_kernel(const Index* suffixes, std::uint64_t count, std::uint64_t first_row, Index wanted,
                    Index period, unsigned long long* row) {
  for (std::uint64_t i = first_item(); i < count; i += all_threads())
    if (suffixes[i] % period == wanted) atomicMin(row, first_row + i);
}

template <class Index>
__global__ void __launch_bounds__(threads)
    bytes_before_kernel(const unsigned char* text, std::uint64_t n, const Index* rows, std::uint64_t count,
                        unsigned char* before) {
  for (std::uint64_t i = first_item(); i < count; i += all_threads())
    before[i] = text[rows[i] == 0 ? n - 1 : rows[i] - 1];
}

__global__ void __launch_bounds__(threads)
    write_sentinel_rows_kernel(const unsigned char* before, std::uint64_t count, std::uint64_t first_row,
                               const unsigned long long* text_row, unsigned char* bwt) {
  const std::uint64_t without = *text_row;
  for (std::uint64_t i = first_item(); i < count; i += all_threads()) {
    const std::uint64_t row = first_row + i;
    if (row != without) bwt[row < without ? row + 1 : row] = before[i];
  }
}

__global__ void __launch_bounds__(threads)
    write_rotation_rows_kernel(const unsigned char* before, std::uint64_t count, std::uint64_t first_row,
                               std::uint64_t times, unsigned char* bwt) {
  for (std::uint64_t i = first_item(); i < count * times; i += all_threads())
    bwt[first_row * times + i] = before[i / times];
}

// Calls launch with the width of a kind of groups, of those from First to the last but large ones, as a
// constant.
template <int First, class Launch> void with_width(int kind, const Launch& launch) {
  if constexpr (First < large_groups) {
    if (kind == First)
      launch(std::integral_constant<int, width_of(First)>());
    else
      with_width<First + 1>(kind, launch);
  }
}

} // namespace

void count_bytes(const unsigned char* d_text, std::uint64_t n, unsigned long long* d_counts,
                 cudaStream_t stream) {
  launch(count_bytes_kernel, std::min<std::uint64_t>(n / 16 + 1, 1 << 19), threads, stream, d_text, n,
         d_counts);
}

void pack_text(const unsigned char* d_text, const std::uint8_t* d_codes, std::uint64_t* d_words,
               const bit_text& text, cudaStream_t stream) {
  const std::uint64_t words = bwt_core::words_of_text(text.size, text.bits);
  launch(pack_text_kernel, words, threads, stream, d_text, d_codes, d_words, text.size, text.bits, words);
}

void sample_keys(const bit_text& text, std::uint64_t* d_keys, std::uint32_t count, cudaStream_t stream) {
  launch(sample_keys_kernel, count, threads, stream, text, d_keys, count);
}

template <class Index>
void select_suffixes(const bit_text& text, std::uint64_t low, std::uint64_t high, std::uint64_t* d_keys,
                     Index* d_suffixes, std::uint64_t room, unsigned long long* d_count,
                     cudaStream_t stream) {
  gpu::check(cudaMemsetAsync(d_count, 0, sizeof(*d_count), stream), "clear a count");
  launch(select_suffixes_kernel<Index>, text.size / select_rows + 1, threads, stream, text, low, high, d_keys,
         d_suffixes, room, d_count);
}

template <class Index>
void select_cover(const bit_text& text, std::uint64_t* d_keys, Index* d_suffixes, std::uint64_t count,
                  cudaStream_t stream) {
  launch(select_cover_kernel<Index>, count, threads, stream, text, d_keys, d_suffixes, count);
}

void number_slots(std::uint32_t* d_slots, std::uint64_t count, cudaStream_t stream) {
  launch(number_slots_kernel, count, threads, stream, d_slots, count);
}

void permute(const std::uint64_t* d_from, const std::uint32_t* d_slots, std::uint64_t* d_to,
             std::uint64_t count, cudaStream_t stream) {
  launch(permute_kernel, count, threads, stream, d_from, d_slots, d_to, count);
}

void mark_groups(const bit_text& text, const std::uint64_t* d_keys, const head_bits& heads,
                 cudaStream_t stream) {
  launch(mark_groups_kernel, heads.size + 1, threads, stream, d_keys, text.bits, heads);
  mark_levels(heads, stream);
}

void unpack_before(const bit_text& text, const unsigned char* d_bytes, const std::uint64_t* d_keys,
                   std::uint64_t count, unsigned char* d_before, cudaStream_t stream) {
  launch(unpack_before_kernel, count, threads, stream, text.mask_of_symbol(), d_bytes, d_keys, count,
         d_before);
}

template <class Index>
void read_before(const bit_text& text, const unsigned char* d_bytes, const Index* d_suffixes,
                 const head_bits& heads, unsigned char* d_before, cudaStream_t stream) {
  launch(read_before_kernel<Index>, heads.size, threads, stream, text, d_bytes, d_suffixes, heads, d_before);
}

void mark_levels(const head_bits& heads, cudaStream_t stream) {
  for (int i = 1; i < bwt_core::head_levels; ++i) {
    const std::uint64_t below = head_bits::words(heads.size, i - 1), words = head_bits::words(heads.size, i);
    launch(mark_level_kernel, words * 64, threads, stream, heads.level[i - 1], below, heads.level[i], words);
  }
}

void list_groups(const head_bits& heads, const group_lists& lists, cudaStream_t stream) {
  gpu::check(cudaMemsetAsync(lists.counts, 0, group_kinds * sizeof(std::uint32_t), stream), "clear counts");
  launch(list_groups_kernel, heads.size / list_rows + 1, threads, stream, heads, lists);
}

template <class Index, class Keys>
void refine_groups(int kind, const group* d_groups, std::uint32_t count, Index* d_suffixes, const Keys& keys,
                   std::uint32_t first, std::uint32_t end, const head_bits& heads, cudaStream_t stream) {
  if (kind == 0)
    return launch(refine_pairs_kernel<Index, Keys>, count, threads, stream, d_groups, count, d_suffixes, keys,
                  first, end, heads);
  with_width<1>(kind, [&](auto width) {
    launch(refine_groups_kernel<width(), Index, Keys>, std::uint64_t{count} * width(), team<width()>::threads,
           stream, d_groups, count, d_suffixes, keys, first, end, heads);
  });
}

template <class Index>
void finish_groups(int kind, const group* d_groups, std::uint32_t count, Index* d_suffixes,
                   const cover_ranks& ranks, cudaStream_t stream) {
  if (kind == 0)
    return launch(finish_pairs_kernel<Index>, count, threads, stream, d_groups, count, d_suffixes, ranks);
  with_width<1>(kind, [&](auto width) {
    constexpr int threads_of_block = team<width()>::threads;
    constexpr std::uint64_t most_blocks = (1U << 18) / threads_of_block; // a block's table is for many groups
    const std::uint64_t in_all = std::min(std::uint64_t{count} * width(), most_blocks * threads_of_block);
    if constexpr (kind_of(width()) >= block_groups)
      launch(finish_blocks_kernel<width(), Index>, in_all, threads_of_block, stream, d_groups, count,
             d_suffixes, ranks);
    else
      launch(finish_groups_kernel<width(), Index>, in_all, threads_of_block, stream, d_groups, count,
             d_suffixes, ranks);
  });
}

template <class Index, class Keys>
void make_items(const group* d_groups, const std::uint64_t* d_offsets, std::uint32_t count,
                std::uint64_t num_items, const Index* d_suffixes, const Keys& keys, std::uint32_t round,
                void* d_items, cudaStream_t stream) {
  launch(make_items_kernel<Index, Keys>, num_items, threads, stream, d_groups, d_offsets, count, num_items,
         d_suffixes, keys, round, static_cast<item*>(d_items));
}

template <class Index>
void take_items(const group* d_groups, const std::uint64_t* d_offsets, std::uint32_t count,
                std::uint64_t num_items, const void* d_items, Index* d_suffixes, const head_bits& heads,
                cudaStream_t stream) {
  launch(take_items_kernel<Index>, num_items, threads, stream, d_groups, d_offsets, count, num_items,
         static_cast<const item*>(d_items), d_suffixes, heads);
}

template <class Index>
void make_grouped(const group* d_groups, const std::uint64_t* d_offsets, std::uint32_t count,
                  std::uint64_t num_items, const Index* d_suffixes, grouped_suffix<Index>* d_items,
                  cudaStream_t stream) {
  launch(make_grouped_kernel<Index>, num_items, threads, stream, d_groups, d_offsets, count, num_items,
         d_suffixes, d_items);
}

template <class Index>
void take_grouped(const group* d_groups, const std::uint64_t* d_offsets, std::uint32_t count,
                  std::uint64_t num_items, const grouped_suffix<Index>* d_items, Index* d_suffixes,
                  cudaStream_t stream) {
  launch(take_grouped_kernel<Index>, num_items, threads, stream, d_groups, d_offsets, count, num_items,
         d_items, d_suffixes);
}

template <class Index>
void write_ranks(const Index* d_suffixes, const head_bits& heads, std::uint32_t* d_ranks,
                 cudaStream_t stream) {
  launch(write_ranks_kernel<Index>, heads.size, threads, stream, d_suffixes, heads, d_ranks);
}

template <class Index>
void write_ranks_of_groups(int kind, const group* d_groups, std::uint32_t count, const Index* d_suffixes,
                           const head_bits& heads, std::uint32_t* d_ranks, cudaStream_t stream) {
  with_width<0>(kind, [&](auto width) {
    launch(write_ranks_of_groups_kernel<width(), Index>, std::uint64_t{count} * width(), threads, stream,
           d_groups, count, d_suffixes, heads, d_ranks);
  });
}

template <class Index>
void write_ranks_of_items(const group* d_groups, const std::uint64_t* d_offsets, std::uint32_t count,
                          std::uint64_t num_items, const Index* d_suffixes, const head_bits& heads,
                          std::uint32_t* d_ranks, cudaStream_t stream) {
  launch(write_ranks_of_items_kernel<Index>, num_items, threads, stream, d_groups, d_offsets, count,
         num_items, d_suffixes, heads, d_ranks);
}

template <class Index>
void find_row(const Index* d_suffixes, std::uint64_t count, std::uint64_t first_row, std::uint64_t wanted,
              std::uint64_t period, unsigned long long* d_row, cudaStream_t stream) {
  launch(find_row_kernel<Index>, count, threads, stream, d_suffixes, count, first_row,
         static_cast<Index>(wanted), static_cast<Index>(period), d_row);
}

template <class Index>
void bytes_before(const unsigned char* d_text, std::uint64_t n, const Index* d_rows, std::uint64_t count,
                  unsigned char* d_before, cudaStream_t stream) {
  launch(bytes_before_kernel<Index>, count, threads, stream, d_text, n, d_rows, count, d_before);
}

void write_sentinel_rows(const unsigned char* d_before, std::uint64_t count, std::uint64_t first_row,
                         const unsigned long long* d_row, unsigned char* d_bwt, cudaStream_t stream) {
  launch(write_sentinel_rows_kernel, count, threads, stream, d_before, count, first_row, d_row, d_bwt);
}

void write_rotation_rows(const unsigned char* d_before, std::uint64_t count, std::uint64_t first_row,
                         std::uint64_t times, unsigned char* d_bwt, cudaStream_t stream) {
  launch(write_rotation_rows_kernel, count * times, threads, stream, d_before, count, first_row, times,
         d_bwt);
}

template void select_suffixes(const bit_text&, std::uint64_t, std::uint64_t, std::uint64_t*, std::uint32_t*,
                              std::uint64_t, unsigned long long*, cudaStream_t);
template void select_cover(const bit_text&, std::uint64_t*, std::uint32_t*, std::uint64_t, cudaStream_t);
template void finish_groups(int, const group*, std::uint32_t, std::uint32_t*, const cover_ranks&,
                            cudaStream_t);
template void take_items(const group*, const std::uint64_t*, std::uint32_t, std::uint64_t, const void*,
                         std::uint32_t*, const head_bits&, cudaStream_t);
template void make_grouped(const group*, const std::uint64_t*, std::uint32_t, std::uint64_t,
                           const std::uint32_t*, grouped_suffix<std::uint32_t>*, cudaStream_t);
template void take_grouped(const group*, const std::uint64_t*, std::uint32_t, std::uint64_t,
                           const grouped_suffix<std::uint32_t>*, std::uint32_t*, cudaStream_t);
template void write_ranks(const std::uint32_t*, const head_bits&, std::uint32_t*, cudaStream_t);
template void write_ranks_of_groups(int, const group*, std::uint32_t, const std::uint32_t*, const head_bits&,
                                    std::uint32_t*, cudaStream_t);
template void write_ranks_of_items(const group*, const std::uint64_t*, std::uint32_t, std::uint64_t,
                                   const std::uint32_t*, const head_bits&, std::uint32_t*, cudaStream_t);
template void read_before(const bit_text&, const unsigned char*, const std::uint32_t*, const head_bits&,
                          unsigned char*, cudaStream_t);
template void bytes_before(const unsigned char*, std::uint64_t, const std::uint32_t*, std::uint64_t,
                           unsigned char*, cudaStream_t);
template void find_row(const std::uint32_t*, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t,
                       unsigned long long*, cudaStream_t);
template void refine_groups(int, const group*, std::uint32_t, std::uint32_t*, const text_keys&, std::uint32_t,
                            std::uint32_t, const head_bits&, cudaStream_t);
template void make_items(const group*, const std::uint64_t*, std::uint32_t, std::uint64_t,
                         const std::uint32_t*, const text_keys&, std::uint32_t, void*, cudaStream_t);
template void refine_groups(int, const group*, std::uint32_t, std::uint32_t*, const rank_keys&, std::uint32_t,
                            std::uint32_t, const head_bits&, cudaStream_t);
template void make_items(const group*, const std::uint64_t*, std::uint32_t, std::uint64_t,
                         const std::uint32_t*, const rank_keys&, std::uint32_t, void*, cudaStream_t);
template void select_suffixes(const bit_text&, std::uint64_t, std::uint64_t, std::uint64_t*, std::uint64_t*,
                              std::uint64_t, unsigned long long*, cudaStream_t);
template void select_cover(const bit_text&, std::uint64_t*, std::uint64_t*, std::uint64_t, cudaStream_t);
template void finish_groups(int, const group*, std::uint32_t, std::uint64_t*, const cover_ranks&,
                            cudaStream_t);
template void take_items(const group*, const std::uint64_t*, std::uint32_t, std::uint64_t, const void*,
                         std::uint64_t*, const head_bits&, cudaStream_t);
template void make_grouped(const group*, const std::uint64_t*, std::uint32_t, std::uint64_t,
                           const std::uint64_t*, grouped_suffix<std::uint64_t>*, cudaStream_t);
template void take_grouped(const group*, const std::uint64_t*, std::uint32_t, std::uint64_t,
                           const grouped_suffix<std::uint64_t>*, std::uint64_t*, cudaStream_t);
template void write_ranks(const std::uint64_t*, const head_bits&, std::uint32_t*, cudaStream_t);
template void write_ranks_of_groups(int, const group*, std::uint32_t, const std::uint64_t*, const head_bits&,
                                    std::uint32_t*, cudaStream_t);
template void write_ranks_of_items(const group*, const std::uint64_t*, std::uint32_t, std::uint64_t,
                                   const std::uint64_t*, const head_bits&, std::uint32_t*, cudaStream_t);
template void read_before(const bit_text&, const unsigned char*, const std::uint64_t*, const head_bits&,
                          unsigned char*, cudaStream_t);
template void bytes_before(const unsigned char*, std::uint64_t, const std::uint64_t*, std::uint64_t,
                           unsigned char*, cudaStream_t);
template void find_row(const std::uint64_t*, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t,
                       unsigned long long*, cudaStream_t);
template void refine_groups(int, const group*, std::uint32_t, std::uint64_t*, const text_keys&, std::uint32_t,
                            std::uint32_t, const head_bits&, cudaStream_t);
template void make_items(const group*, const std::uint64_t*, std::uint32_t, std::uint64_t,
                         const std::uint64_t*, const text_keys&, std::uint32_t, void*, cudaStream_t);
template void refine_groups(int, const group*, std::uint32_t, std::uint64_t*, const rank_keys&, std::uint32_t,
                            std::uint32_t, const head_bits&, cudaStream_t);
template void make_items(const group*, const std::uint64_t*, std::uint32_t, std::uint64_t,
                         const std::uint64_t*, const rank_keys&, std::uint32_t, void*, cudaStream_t);

} // namespace weft::bwt_cuda
