// Kernels of a search with differences. Rows that contexts can exclude are read by warps, 32 rows of a string
// at a time, because they lie side by side. All other work is one thread per strand, string, row or region.
#include <weft/bwt/cuda/fm/near_kernels.hpp>

#include <algorithm>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/cuda/grid.cuh>
#include <weft/sort/sort.cuh>

namespace weft::bwt_detail {

using gpu::all_threads, gpu::blocks_for, gpu::first_item, gpu::this_thread;

namespace {

constexpr unsigned block_threads = 256, warp_threads = 32;
constexpr std::uint64_t tile_items = 4 * block_threads; // strings or rows of a block
constexpr std::uint64_t warp_rows = 1024;               // rows of a warp that reads contexts
constexpr unsigned list_blocks = 132 * 16; // of kernels that read how many items there are, for an H200

__device__ std::uint64_t append_index(unsigned long long* count) { return atomicAdd(count, 1ULL); }

__device__ void append(const near_hit_list& hits, std::uint64_t key) {
  const std::uint64_t i = append_index(hits.count);
  if (i < hits.capacity) hits.keys[i] = key;
}

// Calls each(group, item) for the items [first + blockIdx.x * tile_items, ...), at most until `last`. Group g
// has the items [starts[g], starts[g + 1]). The groups of the first and the last item of the block are
// searched for among all groups; those of the others lie between these two.
template <class Each>
__device__ void for_each_grouped(const std::uint64_t* starts, std::uint64_t groups, std::uint64_t first,
                                 std::uint64_t last, const Each& each) {
  __shared__ std::uint64_t bounds[2];
  const std::uint64_t begin = first + std::uint64_t{blockIdx.x} * tile_items,
                      end = begin + tile_items < last ? begin + tile_items : last;
  if (threadIdx.x < 2)
    bounds[threadIdx.x] = pattern_of_row(starts + 1, 0, groups - 1, threadIdx.x == 0 ? begin : end - 1);
  __syncthreads();
  for (std::uint64_t i = begin + threadIdx.x; i < end; i += block_threads)
    each(pattern_of_row(starts + 1, bounds[0], bounds[1], i), i);
}

__global__ void __launch_bounds__(block_threads)
    write_strand_words_kernel(const __grid_constant__ near_batch batch) {
  const std::uint64_t s = this_thread();
  if (s < batch.num_patterns * batch.num_strands && batch.plan_of[s] != 0) write_words(batch, s);
}

__global__ void __launch_bounds__(block_threads)
    count_strings_kernel(const __grid_constant__ near_batch batch, bool with_changes,
                         std::uint64_t* numbers) {
  const std::uint64_t s = this_thread(), strands = batch.num_patterns * batch.num_strands;
  if (s > strands) return;
  numbers[s] = s < strands && batch.plan(s).has_changes == with_changes ? batch.plan(s).num_strings : 0;
}

__global__ void __launch_bounds__(block_threads)
    find_string_rows_kernel(const __grid_constant__ near_batch batch, const std::uint64_t* first,
                            const near_strings strings) {
  for_each_grouped(first, batch.num_patterns * batch.num_strands, 0, strings.count,
                   [&](std::uint64_t strand, std::uint64_t i) {
                     near_string string;
                     strings.intervals[i] =
                         rows_of_string(batch, strand, static_cast<std::uint32_t>(i - first[strand]), string);
                     strings.strings[i] = string;
                   });
}

__global__ void __launch_bounds__(block_threads)
    make_row_filters_kernel(const __grid_constant__ near_batch batch, unsigned max_windows,
                            near_row_filter* filters) {
  const std::uint64_t s = this_thread();
  if (s >= batch.num_patterns * batch.num_strands) return;
  const near_plan& plan = batch.plan(s);
  for (unsigned w = 0; w < plan.num_windows && w < max_windows; ++w)
    filters[s * max_windows + w] = make_row_filter(batch.letters(s), plan.windows[w]);
}

__global__ void __launch_bounds__(block_threads)
    list_rows_kernel(const near_strings strings, std::uint64_t first, std::uint64_t last,
                     const near_row_list list) {
  if (this_thread() == 0) *list.count = last - first;
  for_each_grouped(strings.starts, strings.count, first, last, [&](std::uint64_t s, std::uint64_t i) {
    list.rows[i - first] = strings.intervals[s].low + (i - strings.starts[s]);
    list.strings[i - first] = static_cast<std::uint32_t>(s);
  });
}

__global__ void __launch_bounds__(block_threads)
    filter_rows_kernel(const std::uint64_t* __restrict__ contexts, unsigned max_distance,
                       const near_strings strings, const near_row_filter* __restrict__ filters,
                       unsigned max_windows, std::uint64_t first, std::uint64_t last,
                       const near_row_list list) {
  const unsigned lane = threadIdx.x % warp_threads;
  const std::uint64_t begin = first + this_thread() / warp_threads * warp_rows,
                      end = begin + warp_rows < last ? begin + warp_rows : last;
  if (begin >= last) return; // the whole warp
  std::uint64_t s = pattern_of_row(strings.starts + 1, 0, strings.count - 1, begin);
  for (std::uint64_t at = begin; at < end; ++s) {
    const std::uint64_t behind = strings.starts[s + 1] < end ? strings.starts[s + 1] : end;
    if (behind <= at) continue; // a string without rows
    const near_string string = strings.strings[s];
    const near_row_filter filter = filters[std::uint64_t{string.strand} * max_windows + string.window];
    const unsigned limit = max_distance - string.changes;
    const std::uint64_t row_of_0 = strings.intervals[s].low - strings.starts[s]; // may be less than 0
    for (; at < behind; at += warp_threads) {
      const std::uint64_t row = row_of_0 + at + lane;
      const bool passes = at + lane < behind && filter.passes(__ldg(contexts + row), limit);
      const unsigned passing = __ballot_sync(~0U, passes);
      if (passing == 0) continue;
      unsigned long long to = 0;
      if (lane == 0) to = atomicAdd(list.count, static_cast<unsigned long long>(__popc(passing)));
      to = __shfl_sync(~0U, to, 0) + static_cast<unsigned>(__popc(passing & ((1U << lane) - 1)));
      if (passes) {
        list.rows[to] = row;
        list.strings[to] = static_cast<std::uint32_t>(s);
      }
    }
    at = behind;
  }
}

__global__ void __launch_bounds__(block_threads)
    compare_rows_kernel(const __grid_constant__ near_batch batch, const near_strings strings,
                        const near_row_list list, const near_hit_list hits, std::uint32_t* damaged) {
  const std::uint64_t count = *list.count;
  for (std::uint64_t i = first_item(); i < count; i += all_threads()) {
    const std::uint64_t position = position_of<true>(batch.index, list.rows[i]);
    if (position >= batch.index.num_rows) {
      *damaged = 1;
      continue;
    }
    const std::uint32_t s = list.strings[i];
    const std::uint64_t key = hit_at(batch, strings.strings[s], strings.intervals[s].unmatched, position);
    if (key != no_near_key) append(hits, key);
  }
}

__global__ void __launch_bounds__(block_threads)
    find_regions_kernel(const __grid_constant__ near_batch batch, const near_strings strings,
                        const near_row_list list, std::uint64_t count, std::uint64_t* regions,
                        std::uint32_t* damaged) {
  const std::uint64_t i = this_thread();
  if (i >= count) return;
  const std::uint64_t position = position_of<true>(batch.index, list.rows[i]);
  const std::uint32_t s = list.strings[i];
  if (position >= batch.index.num_rows) {
    *damaged = 1;
    regions[i] = no_near_key;
  } else {
    regions[i] = region_at(batch, strings.strings[s], strings.intervals[s].unmatched, position);
  }
}

__global__ void __launch_bounds__(block_threads)
    merge_regions_kernel(const __grid_constant__ near_batch batch, const std::uint64_t* regions,
                         std::uint64_t count, near_region_task* tasks, unsigned long long* num_tasks,
                         std::uint8_t* is_left) {
  const std::uint64_t i = this_thread();
  if (i >= count) return;
  bool is_large = false;
  const near_region_task task = merged_region(batch, regions, count, i, is_large);
  if (is_large) is_left[task.strand / batch.num_strands] = 1;
  if (task.size > 0) tasks[append_index(num_tasks)] = task;
}

template <unsigned Words>
__global__ void __launch_bounds__(128)
    search_regions_kernel(const __grid_constant__ near_batch batch, const near_region_task* tasks,
                          const unsigned long long* num_tasks, const near_hit_list hits,
                          std::uint8_t* is_left) {
  const std::uint64_t count = *num_tasks;
  for (std::uint64_t i = first_item(); i < count; i += all_threads()) {
    const near_region_task task = tasks[i];
    region_search<Words> search(batch, task);
    if (!search.run([&](std::uint64_t key) { append(hits, key); }))
      is_left[task.strand / batch.num_strands] = 1;
  }
}

__global__ void __launch_bounds__(block_threads)
    write_row_contexts_kernel(const __grid_constant__ fm_parts index, std::uint64_t* contexts,
                              std::uint32_t* damaged) {
  for (std::uint64_t row = first_item(); row < index.num_rows; row += all_threads()) {
    const std::uint64_t position = position_of<true>(index, row);
    if (position >= index.num_rows) {
      *damaged = 1;
      contexts[row] = context_flag;
      continue;
    }
    const fm_segment& segment = index.segment_of(position);
    const std::uint64_t size =
        segment_size(index, static_cast<std::uint64_t>(&segment - index.segments.begin()));
    contexts[row] = make_context(index.packed_text, position, segment.start, segment.start + size);
  }
}

} // namespace

void write_strand_words(const near_batch& batch, cudaStream_t stream) {
  const std::uint64_t strands = batch.num_patterns * batch.num_strands;
  write_strand_words_kernel<<<blocks_for(strands, block_threads), block_threads, 0, stream>>>(batch);
  gpu::check(cudaGetLastError(), "pack patterns");
}

void count_strings(const near_batch& batch, bool with_changes, std::uint64_t* d_numbers,
                   cudaStream_t stream) {
  const std::uint64_t strands = batch.num_patterns * batch.num_strands;
  count_strings_kernel<<<blocks_for(strands + 1, block_threads), block_threads, 0, stream>>>(
      batch, with_changes, d_numbers);
  gpu::check(cudaGetLastError(), "count strings");
}

void find_string_rows(const near_batch& batch, const std::uint64_t* d_first, const near_strings& strings,
                      cudaStream_t stream) {
  find_string_rows_kernel<<<blocks_for(strings.count, tile_items), block_threads, 0, stream>>>(batch, d_first,
                                                                                               strings);
  gpu::check(cudaGetLastError(), "narrow the rows of strings");
}

void make_row_filters(const near_batch& batch, unsigned max_windows, near_row_filter* d_filters,
                      cudaStream_t stream) {
  const std::uint64_t strands = batch.num_patterns * batch.num_strands;
  make_row_filters_kernel<<<blocks_for(strands, block_threads), block_threads, 0, stream>>>(
      batch, max_windows, d_filters);
  gpu::check(cudaGetLastError(), "make filters");
}

void list_rows(const near_strings& strings, std::uint64_t first, std::uint64_t last,
               const near_row_list& list, cudaStream_t stream) {
  list_rows_kernel<<<blocks_for(last - first, tile_items), block_threads, 0, stream>>>(strings, first, last,
                                                                                       list);
  gpu::check(cudaGetLastError(), "list rows");
}

void filter_rows(const near_batch& batch, const near_strings& strings, const near_row_filter* d_filters,
                 unsigned max_windows, std::uint64_t first, std::uint64_t last, const near_row_list& list,
                 cudaStream_t stream) {
  gpu::check(cudaMemsetAsync(list.count, 0, sizeof *list.count, stream), "clear memory");
  const std::uint64_t warps = (last - first + warp_rows - 1) / warp_rows;
  filter_rows_kernel<<<blocks_for(warps * warp_threads, block_threads), block_threads, 0, stream>>>(
      batch.contexts, batch.max_distance, strings, d_filters, max_windows, first, last, list);
  gpu::check(cudaGetLastError(), "filter rows");
}

void compare_rows(const near_batch& batch, const near_strings& strings, const near_row_list& list,
                  const near_hit_list& hits, std::uint32_t* d_damaged, cudaStream_t stream) {
  compare_rows_kernel<<<list_blocks, block_threads, 0, stream>>>(batch, strings, list, hits, d_damaged);
  gpu::check(cudaGetLastError(), "compare patterns");
}

void find_regions(const near_batch& batch, const near_strings& strings, const near_row_list& list,
                  std::uint64_t count, std::uint64_t* d_regions, std::uint32_t* d_damaged,
                  cudaStream_t stream) {
  find_regions_kernel<<<blocks_for(count, block_threads), block_threads, 0, stream>>>(
      batch, strings, list, count, d_regions, d_damaged);
  gpu::check(cudaGetLastError(), "look up positions");
}

void merge_regions(const near_batch& batch, const std::uint64_t* d_regions, std::uint64_t count,
                   near_region_task* d_tasks, unsigned long long* d_num_tasks, std::uint8_t* d_is_left,
                   cudaStream_t stream) {
  merge_regions_kernel<<<blocks_for(count, block_threads), block_threads, 0, stream>>>(
      batch, d_regions, count, d_tasks, d_num_tasks, d_is_left);
  gpu::check(cudaGetLastError(), "merge regions");
}

void search_regions(const near_batch& batch, std::uint64_t max_letters, const near_region_task* d_tasks,
                    const unsigned long long* d_num_tasks, const near_hit_list& hits, std::uint8_t* d_is_left,
                    cudaStream_t stream) {
  const auto kernel = max_letters <= 64    ? search_regions_kernel<1>
                      : max_letters <= 128 ? search_regions_kernel<2>
                      : max_letters <= 192 ? search_regions_kernel<3>
                      : max_letters <= 320 ? search_regions_kernel<5>
                                           : search_regions_kernel<max_error_letters / 64>;
  kernel<<<2 * list_blocks, 128, 0, stream>>>(batch, d_tasks, d_num_tasks, hits, d_is_left);
  gpu::check(cudaGetLastError(), "search regions");
}

void write_row_contexts(const fm_parts& index, std::uint64_t* d_contexts, std::uint32_t* d_damaged,
                        cudaStream_t stream) {
  gpu::launch(write_row_contexts_kernel, index.num_rows, block_threads, stream, index, d_contexts, d_damaged);
}

void sort_keys(std::uint64_t* d_keys, std::uint64_t count, cudaStream_t stream) {
  gpu::sort(d_keys, count, ascending{}, stream);
}

} // namespace weft::bwt_detail
