// Kernels that convert large groups to items and back, and kernels that write ranks (suffix_kernels.hpp).
#include <weft/bwt/cuda/suffix_sort/suffix_kernels.hpp>

#include <weft/bwt/cuda/suffix_sort/suffix_device.cuh>

namespace weft::bwt_detail {

namespace {

struct item { // a 128-bit number, little-endian: the key is its high half
  std::uint64_t suffix, key;
};

template <class Index, class Keys>
__global__ void __launch_bounds__(threads)
    make_items_kernel(const group* groups, const std::uint64_t* offsets, std::uint32_t count,
                      std::uint64_t num_items, const Index* suffixes, Keys keys, std::uint32_t round,
                      item* items) {
  for (std::uint64_t i = first_item(); i < num_items; i += all_threads()) {
    const std::uint64_t suffix = suffixes[locate_item(groups, offsets, count, i).slot];
    items[i] = {suffix, keys(suffix, round)};
  }
}

template <class Index>
__global__ void __launch_bounds__(threads)
    take_items_kernel(const group* groups, const std::uint64_t* offsets, std::uint32_t count,
                      std::uint64_t num_items, const item* items, Index* suffixes, head_bits heads) {
  for (std::uint64_t i = first_item(); i < num_items; i += all_threads()) {
    const item_position at = locate_item(groups, offsets, count, i);
    suffixes[at.slot] = static_cast<Index>(items[i].suffix);
    if (at.in_group > 0 && items[i].key != items[i - 1].key) mark_head(heads, at.slot);
  }
}

template <class Index>
__global__ void __launch_bounds__(threads)
    make_grouped_kernel(const group* groups, const std::uint64_t* offsets, std::uint32_t count,
                        std::uint64_t num_items, const Index* suffixes, grouped_suffix<Index>* items) {
  for (std::uint64_t i = first_item(); i < num_items; i += all_threads()) {
    const item_position at = locate_item(groups, offsets, count, i);
    items[i] = {static_cast<Index>(at.number), suffixes[at.slot]};
  }
}

template <class Index>
__global__ void __launch_bounds__(threads)
    take_grouped_kernel(const group* groups, const std::uint64_t* offsets, std::uint32_t count,
                        std::uint64_t num_items, const grouped_suffix<Index>* items, Index* suffixes) {
  for (std::uint64_t i = first_item(); i < num_items; i += all_threads())
    suffixes[locate_item(groups, offsets, count, i).slot] = items[i].suffix;
}

template <class Index>
__global__ void __launch_bounds__(threads)
    write_ranks_kernel(const Index* suffixes, head_bits heads, std::uint32_t* ranks) {
  for (std::uint64_t i = first_item(); i < heads.size; i += all_threads())
    ranks[bwt_detail::cover_number(suffixes[i])] = static_cast<std::uint32_t>(heads.last(i));
}

__device__ void write_rank(std::uint64_t suffix, std::uint64_t slot, const group& own_group,
                           const head_bits& heads, std::uint32_t* ranks) {
  const auto rank = static_cast<std::uint32_t>(heads.last(slot));
  if (rank != own_group.begin)
    ranks[bwt_detail::cover_number(suffix)] = rank; // else the rank has not changed
}
template <int Width, class Index>
__global__ void __launch_bounds__(threads)
    write_ranks_of_groups_kernel(const group* groups, std::uint32_t count, const Index* suffixes,
                                 head_bits heads, std::uint32_t* ranks) {
  for (std::uint64_t i = first_item(); i / Width < count; i += all_threads()) {
    const group own_group = groups[i / Width];
    const std::uint64_t slot = own_group.begin + i % Width;
    if (i % Width < own_group.size) write_rank(suffixes[slot], slot, own_group, heads, ranks);
  }
}
template <class Index>
__global__ void __launch_bounds__(threads)
    write_ranks_of_items_kernel(const group* groups, const std::uint64_t* offsets, std::uint32_t count,
                                std::uint64_t num_items, const Index* suffixes, head_bits heads,
                                std::uint32_t* ranks) {
  for (std::uint64_t i = first_item(); i < num_items; i += all_threads()) {
    const item_position at = locate_item(groups, offsets, count, i);
    write_rank(suffixes[at.slot], at.slot, groups[at.number], heads, ranks);
  }
}

} // namespace

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
template void make_items(const group*, const std::uint64_t*, std::uint32_t, std::uint64_t,
                         const std::uint32_t*, const text_keys&, std::uint32_t, void*, cudaStream_t);
template void make_items(const group*, const std::uint64_t*, std::uint32_t, std::uint64_t,
                         const std::uint32_t*, const further_ranks&, std::uint32_t, void*, cudaStream_t);
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
template void make_items(const group*, const std::uint64_t*, std::uint32_t, std::uint64_t,
                         const std::uint64_t*, const text_keys&, std::uint32_t, void*, cudaStream_t);
template void make_items(const group*, const std::uint64_t*, std::uint32_t, std::uint64_t,
                         const std::uint64_t*, const further_ranks&, std::uint32_t, void*, cudaStream_t);
template void make_items(const group*, const std::uint64_t*, std::uint32_t, std::uint64_t,
                         const std::uint32_t*, const part_keys&, std::uint32_t, void*, cudaStream_t);
template void make_items(const group*, const std::uint64_t*, std::uint32_t, std::uint64_t,
                         const std::uint64_t*, const part_keys&, std::uint32_t, void*, cudaStream_t);

} // namespace weft::bwt_detail
