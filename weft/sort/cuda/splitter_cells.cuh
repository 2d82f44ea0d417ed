// Splitters of numbers in shared memory, with a table that shortens the search.
//
// A number's probe (32 bits of the number, see shared_splitters.cuh) falls into one of about 16 cells per
// bucket. The table holds the number of splitters in the cells before each cell. If no cell has two
// splitters, one comparison completes the search, with a third of the instructions of the search tree. The
// tree is used where splitters are denser.
#pragma once

#include <cstdint>
#include <type_traits>
#include <weft/sort/cuda/sample_sort_orders.cuh>
#include <weft/sort/cuda/shared_splitters.cuh>

namespace weft::sort_detail {

inline constexpr std::uint32_t cells_per_bucket = 16, max_cells = cells_per_bucket * max_buckets;

// The tables that a block makes from its splitters for other blocks, in global memory. The entries of a
// segment are at the indices of its buckets. The first bucket has no probe; its entry holds the
// splitter_kind.
struct splitter_tables {
  std::uint32_t *probes, *tree;
  uint4* cells; // the cells of a bucket
};

struct shift_to_all_cells {
  __device__ operator std::uint32_t() const { return 20; }
  static_assert(max_cells == 1U << (32 - 20));
};

template <class Order> struct splitter_cells {
  using key = typename Order::key;
  using in_tree = shared_splitters<Order>;
  static constexpr bool has_cells = !in_tree::map::exact; // without cells, only the tree is used
  struct search_params : in_tree::search_params {
    // Shift from a probe to its cell. A table that other blocks read has only the cells of the buckets that
    // exist.
    std::conditional_t<looked_up_twice<Order>, std::uint32_t, shift_to_all_cells> shift;
  };
  in_tree tree;
  // the number of splitters, except the last one, in the cells before each cell
  alignas(16) std::uint8_t before[has_cells ? max_cells : 16];

  // Sets the splitters from splitters[1 .. num_buckets - 1], which ascend. All threads of the block must call
  // this function, which ends with a barrier.
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
  // Stores the tables in global memory. All threads of the block must call this function after `set`.
  __device__ void store(const splitter_tables& tables, std::uint32_t first_bucket, std::uint32_t num_buckets,
                        const search_params& params) const {
    for (std::uint32_t b = threadIdx.x; b < num_buckets; b += blockDim.x) {
      tables.probes[first_bucket + b] = b > 0 ? tree.probes[b] : static_cast<std::uint32_t>(params.kind);
      if (params.kind == splitter_kind::apart)
        tables.cells[first_bucket + b] = reinterpret_cast<const uint4*>(before)[b];
      else if (b > 0)
        tables.tree[first_bucket + b] = tree.tree[b];
    }
  }
  // Returns what `set` has returned for splitters whose tables `store` has stored.
  __device__ static search_params load_search(const splitter_tables& tables, std::uint32_t first_bucket,
                                              std::uint32_t num_buckets, const key* splitters) {
    search_params params;
    params.to_probe.set(splitters[1], splitters[num_buckets - 1]);
    params.kind = static_cast<splitter_kind>(tables.probes[first_bucket]);
    params.shift = shift_to_cell(num_buckets);
    return params;
  }
  // Loads the tables that `find` needs, or find_apart if the splitters are `apart`. Does not end with a
  // barrier.
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

  // Finds the buckets of `x`. Items of `x` that are not in the tile may have any value.
  template <int Items>
  __device__ void find(std::uint32_t num_buckets, const search_params& params, const key (&x)[Items],
                       std::uint32_t (&bucket)[Items], const Order& order) const {
    tree.find(num_buckets, params, x, bucket, order);
  }
  // Finds the buckets of `x` if the splitters are `apart`.
  template <int Items>
  __device__ void find_apart(const search_params& params, const key (&x)[Items],
                             std::uint32_t (&bucket)[Items]) const {
    std::uint32_t probe[Items], next[Items]; // next: the probe of the next splitter
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
  // Fills the table, for several cells of a thread at once. The last splitter is not counted, so that there
  // is always a next splitter to compare with.
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

} // namespace weft::sort_detail
