// Splitters of numbers in shared memory, with a table that shortens the search.
//
// A number's probe, 32 bits of it, falls into one of some 16 cells a bucket, and the table has how many
// splitters are in the cells before. Where no cell has two splitters, one comparison does the rest: a third
// of the instructions of the search tree, which is for what crowds.
#pragma once

#include <cstdint>
#include <type_traits>
#include <weft/sort/cuda/sample_sort_orders.cuh>
#include <weft/sort/cuda/shared_splitters.cuh>

namespace weft::gpu::detail {

inline constexpr std::uint32_t cells_per_bucket = 16, max_cells = cells_per_bucket * max_buckets;

// In global memory, of each segment from its first bucket on: what a block has made of its splitters, for
// other blocks. Where there is no probe, in place 0, how they lie.
struct splitter_tables {
  std::uint32_t *probes, *tree;
  uint4* cells; // a bucket's
};

struct shift_to_all_cells {
  __device__ operator std::uint32_t() const { return 20; }
  static_assert(max_cells == 1U << (32 - 20));
};

template <class Order> struct splitter_cells {
  using key = typename Order::key;
  using in_tree = shared_splitters<Order>;
  static constexpr bool has_cells = !in_tree::map::exact; // else there is the tree alone
  struct search_params : in_tree::search_params {
    // Of a probe, to its cell. A table that others read has no more cells than its buckets have.
    std::conditional_t<looked_up_twice<Order>, std::uint32_t, shift_to_all_cells> shift;
  };
  in_tree tree;
  alignas(16) std::uint8_t before[has_cells ? max_cells : 16]; // each cell, of all splitters but the last

  // splitters[1 .. num_buckets - 1] ascend. For the whole block, synchronised at the end.
  __device__ search_params set(std::uint32_t num_buckets, const key* splitters, const Order& order) {
    search_params params{tree.set(num_buckets, splitters, order), {}};
    if constexpr (has_cells) {
      if constexpr (looked_up_twice<Order>) params.shift = shift_to_cell(num_buckets);
      bool close = params.kind == splitter_kind::equal;
      for (std::uint32_t b = threadIdx.x; b < num_buckets; b += blockDim.x)
        close |= b > 1 && tree.probes[b - 1] >> params.shift == tree.probes[b] >> params.shift;
      if (__syncthreads_or(close) == 0) {
        params.kind = splitter_kind::apart;
        set_cells(num_buckets, params.shift);
        __syncthreads();
      }
    }
    return params;
  }
  // After set, for the whole block.
  __device__ void keep(const splitter_tables& tables, std::uint32_t first_bucket, std::uint32_t num_buckets,
                       const search_params& params) const {
    for (std::uint32_t b = threadIdx.x; b < num_buckets; b += blockDim.x) {
      tables.probes[first_bucket + b] = b > 0 ? tree.probes[b] : static_cast<std::uint32_t>(params.kind);
      if (params.kind == splitter_kind::apart)
        tables.cells[first_bucket + b] = reinterpret_cast<const uint4*>(before)[b];
      else if (b > 0)
        tables.tree[first_bucket + b] = tree.tree[b];
    }
  }
  // What set has returned, of splitters that keep has kept.
  __device__ static search_params load_search(const splitter_tables& tables, std::uint32_t first_bucket,
                                              std::uint32_t num_buckets, const key* splitters) {
    search_params params;
    params.to_probe.set(splitters[1], splitters[num_buckets - 1]);
    params.kind = static_cast<splitter_kind>(tables.probes[first_bucket]);
    params.shift = shift_to_cell(num_buckets);
    return params;
  }
  // And what find, or where they lie apart find_apart, needs. Not synchronised.
  __device__ void load(const splitter_tables& tables, std::uint32_t first_bucket, std::uint32_t num_buckets,
                       const key* splitters, const search_params& params) {
    for (std::uint32_t b = threadIdx.x; b < num_buckets; b += blockDim.x) {
      if (b > 0) tree.sorted[b] = splitters[b], tree.probes[b] = tables.probes[first_bucket + b];
      if (params.kind == splitter_kind::apart)
        reinterpret_cast<uint4*>(before)[b] = tables.cells[first_bucket + b];
      else if (b > 0)
        tree.tree[b] = tables.tree[first_bucket + b];
    }
  }

  // x that are not in the tile: any.
  template <int Items>
  __device__ void find(std::uint32_t num_buckets, const search_params& params, const key (&x)[Items],
                       std::uint32_t (&bucket)[Items], const Order& order) const {
    tree.find(num_buckets, params, x, bucket, order);
  }
  // The same where splitters lie apart.
  template <int Items>
  __device__ void find_apart(const search_params& params, const key (&x)[Items],
                             std::uint32_t (&bucket)[Items]) const {
    std::uint32_t probe[Items], next[Items]; // next: splitter
    WEFT_UNROLL
    for (int i = 0; i < Items; ++i) {
      probe[i] = params.to_probe(x[i]);
      bucket[i] = before[probe[i] >> params.shift];
    }
    WEFT_UNROLL
    for (int i = 0; i < Items; ++i) next[i] = tree.probes[bucket[i] + 1];
    bool tie = false;
    WEFT_UNROLL
    for (int i = 0; i < Items; ++i) {
      tie |= probe[i] == next[i];
      if (probe[i] >= next[i]) ++bucket[i];
    }
    if (!tie) return;
    WEFT_UNROLL
    for (int i = 0; i < Items; ++i)
      if (probe[i] == next[i] && x[i] < tree.sorted[bucket[i]]) --bucket[i];
  }

private:
  __device__ static std::uint32_t shift_to_cell(std::uint32_t num_buckets) {
    return static_cast<std::uint32_t>(__clz(static_cast<int>(cells_per_bucket * num_buckets))) + 1U;
  }
  // A few cells of a thread at once. The last splitter is not counted: there is always a next one to compare.
  __device__ void set_cells(std::uint32_t num_buckets, std::uint32_t shift) {
    constexpr int batch = 4;
    const std::uint32_t num_cells = 1U << (32 - shift);
    const auto less = [](std::uint32_t a, std::uint32_t b) { return a < b; };
    for (std::uint32_t first = threadIdx.x; first < num_cells; first += batch * blockDim.x) {
      std::uint32_t last_before[batch], count[batch];
      const auto cell = [&](int i) { return first + static_cast<std::uint32_t>(i) * blockDim.x; };
      WEFT_UNROLL
      for (int i = 0; i < batch; ++i) last_before[i] = (cell(i) << shift) - 1;
      find_buckets(tree.tree, num_buckets, last_before, count, less);
      WEFT_UNROLL
      for (int i = 0; i < batch; ++i)
        if (cell(i) < num_cells)
          before[cell(i)] = cell(i) == 0 ? 0 : static_cast<std::uint8_t>(min(count[i], num_buckets - 2));
    }
  }
};

} // namespace weft::gpu::detail
