// Kernels that mark where groups begin and that list groups (suffix_kernels.hpp).
#include <weft/bwt/cuda/suffix_sort/suffix_kernels.hpp>

#include <weft/base/cuda/device_memory.hpp>
#include <weft/bwt/cuda/suffix_sort/suffix_device.cuh>

namespace weft::bwt_detail {

namespace {

// Each thread decides about one slot; a warp's votes are a half (32 bits) of a word of the lowest level.
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
    mark_level_kernel(const std::uint64_t* below, std::uint64_t words_below, std::uint64_t* words,
                      std::uint64_t num_words) {
  auto* const halves = reinterpret_cast<std::uint32_t*>(words);
  for (std::uint64_t i = first_item(); i < num_words * 64; i += all_threads()) {
    const unsigned all = __ballot_sync(~0U, i < words_below && below[i] != 0);
    if (threadIdx.x % 32 == 0) halves[i / 32] = all;
  }
}

// Lists the groups of two and more slots that begin at the slots slot_of(0), ..., slot_of(size - 1). Each
// block processes whole tiles of slots and adds to the count of each kind only once per tile.
constexpr std::uint64_t list_rows = 8;
template <class SlotOf>
__device__ void list_of_slots(const SlotOf& slot_of, std::uint64_t size, const head_bits& heads,
                              const group_lists& lists) {
  constexpr std::uint64_t tile = list_rows * threads;
  __shared__ std::uint32_t counts[group_kinds], list_offsets[group_kinds];
  for (std::uint64_t begin = blockIdx.x * tile; begin < size; begin += gridDim.x * tile) {
    if (threadIdx.x < group_kinds) counts[threadIdx.x] = 0;
    __syncthreads();
    std::uint32_t slots[list_rows], sizes[list_rows], offset_in_tile[list_rows];
    WEFT_UNROLL
    for (std::uint64_t row = 0; row < list_rows; ++row) {
      const std::uint64_t i = begin + row * threads + threadIdx.x;
      sizes[row] = 0;
      if (i >= size) continue;
      const std::uint64_t slot = slot_of(i);
      if (!heads.at(slot) || heads.at(slot + 1)) continue;
      slots[row] = static_cast<std::uint32_t>(slot);
      sizes[row] = static_cast<std::uint32_t>(heads.next(slot + 1) - slot);
      offset_in_tile[row] = atomicAdd(&counts[kind_of(sizes[row])], 1U);
    }
    __syncthreads();
    if (threadIdx.x < group_kinds && counts[threadIdx.x] > 0)
      list_offsets[threadIdx.x] = atomicAdd(&lists.counts[threadIdx.x], counts[threadIdx.x]);
    __syncthreads();
    WEFT_UNROLL
    for (std::uint64_t row = 0; row < list_rows; ++row) {
      if (sizes[row] == 0) continue;
      const int kind = kind_of(sizes[row]);
      lists.items[kind][list_offsets[kind] + offset_in_tile[row]] = {slots[row], sizes[row]};
    }
    __syncthreads();
  }
}
__global__ void __launch_bounds__(threads) list_groups_kernel(head_bits heads, group_lists lists) {
  list_of_slots([](std::uint64_t i) { return i; }, heads.size, heads, lists);
}
__global__ void __launch_bounds__(threads)
    list_groups_of_items_kernel(const group* groups, const std::uint64_t* offsets, std::uint32_t count,
                                std::uint64_t num_items, head_bits heads, group_lists lists) {
  list_of_slots([&](std::uint64_t i) { return locate_item(groups, offsets, count, i).slot; }, num_items,
                heads, lists);
}

} // namespace

void mark_groups(const bit_text& text, const std::uint64_t* d_keys, const head_bits& heads,
                 cudaStream_t stream) {
  launch(mark_groups_kernel, heads.size + 1, threads, stream, d_keys, text.bits_before(), heads);
  mark_levels(heads, stream);
}

void mark_levels(const head_bits& heads, cudaStream_t stream) {
  for (int i = 1; i < head_levels; ++i) {
    const std::uint64_t below = head_bits::words(heads.size, i - 1), words = head_bits::words(heads.size, i);
    launch(mark_level_kernel, words * 64, threads, stream, heads.level[i - 1], below, heads.level[i], words);
  }
}

void list_groups(const head_bits& heads, const group_lists& lists, cudaStream_t stream) {
  gpu::check(cudaMemsetAsync(lists.counts, 0, group_kinds * sizeof(std::uint32_t), stream), "clear counts");
  launch(list_groups_kernel, heads.size / list_rows + 1, threads, stream, heads, lists);
}

void list_groups_of_items(const group* d_groups, const std::uint64_t* d_offsets, std::uint32_t count,
                          std::uint64_t num_items, const head_bits& heads, const group_lists& lists,
                          cudaStream_t stream) {
  gpu::check(cudaMemsetAsync(lists.counts + large_groups, 0, sizeof(std::uint32_t), stream), "clear counts");
  launch(list_groups_of_items_kernel, num_items / list_rows + 1, threads, stream, d_groups, d_offsets, count,
         num_items, heads, lists);
}

} // namespace weft::bwt_detail
