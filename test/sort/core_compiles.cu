// Checks that the bodies of the sample-merge sort compile for a device, with 32-bit and 64-bit positions.
// Launches nothing.
#include <weft/sort/published/cooperative_merge.hpp>
#include <weft/sort/published/sample_partition.hpp>

namespace weft::test {

namespace {

using namespace weft::sort_detail;

struct key_less {
  WEFT_HOST_DEVICE bool operator()(std::uint32_t a, std::uint32_t b) const { return a < b; }
};
constexpr std::uint32_t num_buckets = 128, tile_size = 1024, oversampling = 64;

__device__ device_block this_block() { return {static_cast<int>(blockDim.x)}; }

template <class Index>
__global__ void choose_splitters_kernel(const std::uint32_t* items, Index num_items, std::uint32_t* tree) {
  __shared__ std::uint32_t samples[oversampling * num_buckets];
  key_less less;
  choose_splitters(this_block(), items, num_items, num_buckets, oversampling, 1, samples, tree, less);
}

template <class Index>
__global__ void count_buckets_kernel(tiled_items<std::uint32_t, Index> input, const std::uint32_t* tree,
                                     Index* counts) {
  __shared__ std::uint32_t shared[num_buckets];
  key_less less;
  count_buckets(this_block(), static_cast<Index>(blockIdx.x), input, tree, num_buckets, shared, counts,
                atomic_add(), less);
}

template <class Index>
__global__ void lay_out_buckets_kernel(const Index* counts, Index* sums, bucket_offsets<Index> offsets,
                                       bucket_table<Index> table) {
  __shared__ Index square[square_size * (square_size + 1)];
  transpose(this_block(), static_cast<Index>(blockIdx.x), counts, static_cast<Index>(num_buckets),
            offsets.num_tiles, sums, square);
  lay_out_buckets(this_block(), offsets, tile_size, 32, table);
}

template <class Index>
__global__ void relocate_kernel(tiled_items<std::uint32_t, Index> input, const std::uint32_t* tree,
                                bucket_offsets<Index> offsets, bucket_table<Index> table, std::uint32_t* to) {
  __shared__ std::uint32_t items[tile_size], counts[num_buckets], scratch[num_buckets];
  __shared__ std::uint16_t buckets[tile_size];
  __shared__ Index shifts[num_buckets];
  key_less less;
  relocate(this_block(), static_cast<Index>(blockIdx.x), input, tree, offsets, table,
           relocation_workspace<std::uint32_t, Index>{items, buckets, counts, scratch, shifts}, to,
           atomic_add(), less);
}

template <class Index>
__global__ void merge_kernel(bucket_table<Index> table, Index width, bucket_space<std::uint32_t> from,
                             bucket_space<std::uint32_t> to) {
  __shared__ std::uint32_t items[tile_size], other[tile_size];
  __shared__ Index splits[2];
  const merge_workspace<std::uint32_t, Index> shared{items, other, splits};
  const Index tile = blockIdx.x;
  key_less less;
  if (tile >= table.first_tile[table.num_buckets]) return;
  if (width < tile_size)
    sort_tile(this_block(), tile, table, tile_size, shared, from, to, true, less);
  else
    merge_tile(this_block(), tile, table, tile_size, width, shared, from, to, true, less);
}

} // namespace

// Takes the address of every kernel, so that each is compiled.
template <class Index> struct kernels {
  const void* all[5] = {reinterpret_cast<const void*>(choose_splitters_kernel<Index>),
                        reinterpret_cast<const void*>(count_buckets_kernel<Index>),
                        reinterpret_cast<const void*>(lay_out_buckets_kernel<Index>),
                        reinterpret_cast<const void*>(relocate_kernel<Index>),
                        reinterpret_cast<const void*>(merge_kernel<Index>)};
};
template struct kernels<std::uint32_t>;
template struct kernels<std::uint64_t>;
extern const kernels<std::uint32_t> kernels_32;
extern const kernels<std::uint64_t> kernels_64;
const kernels<std::uint32_t> kernels_32;
const kernels<std::uint64_t> kernels_64;

} // namespace weft::test
