// Host functions that launch the kernels of a search with differences (core/near_batch_steps.hpp and
// core/near_region_steps.hpp have the work of a thread). All functions enqueue, and throw device_error if
// they cannot.
//
// Kernels append to lists in the order in which threads happen to run. Lists of hits and regions are sorted
// afterwards, so that results do not depend on this order.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/bwt/core/near_batch_steps.hpp>
#include <weft/bwt/core/near_region_steps.hpp>

namespace weft::bwt_detail {

// The strings of a batch, and their rows: string i has the rows [intervals[i].low, intervals[i].high), which
// have the numbers [starts[i], starts[i + 1]) among the rows of all strings.
struct near_strings {
  near_string* strings = nullptr;
  fm_interval* intervals = nullptr;
  std::uint64_t* starts = nullptr; // count + 1 entries
  std::uint64_t count = 0;         // 1 or more
};

// A list of some rows and their strings, whose length is *count.
struct near_row_list {
  std::uint64_t* rows = nullptr;
  std::uint32_t* strings = nullptr;
  unsigned long long* count = nullptr;
};

// A list of hits. `count` becomes the number of all hits, of which at most `capacity` are stored.
struct near_hit_list {
  std::uint64_t* keys = nullptr;
  unsigned long long* count = nullptr;
  std::uint64_t capacity = 0;
};

// Writes the words of all strands.
void write_strand_words(const near_batch& batch, cudaStream_t stream);
// Sets numbers[s] to the number of strings of strand s if its plan has changes as stated, else to 0. The
// entry behind the last strand becomes 0.
void count_strings(const near_batch& batch, bool with_changes, std::uint64_t* d_numbers, cudaStream_t stream);
// Finds the strings and their rows. Strand s has the strings [d_first[s], d_first[s + 1]). Does not set
// `starts`.
void find_string_rows(const near_batch& batch, const std::uint64_t* d_first, const near_strings& strings,
                      cudaStream_t stream);
// Sets filter s * max_windows + w to that of window w of strand s.
void make_row_filters(const near_batch& batch, unsigned max_windows, near_row_filter* d_filters,
                      cudaStream_t stream);

// Makes a list of the rows with the numbers [first, last), in order, or of those among them whose contexts
// pass the filters, in any order. The list has room for last - first rows.
void list_rows(const near_strings& strings, std::uint64_t first, std::uint64_t last,
               const near_row_list& list, cudaStream_t stream);
void filter_rows(const near_batch& batch, const near_strings& strings, const near_row_filter* d_filters,
                 unsigned max_windows, std::uint64_t first, std::uint64_t last, const near_row_list& list,
                 cudaStream_t stream);

// Compares strands where the rows of a list lead to, and appends the hits. *d_damaged becomes 1 if a row
// leads to no position, here and below.
void compare_rows(const near_batch& batch, const near_strings& strings, const near_row_list& list,
                  const near_hit_list& hits, std::uint32_t* d_damaged, cudaStream_t stream);
// Sets d_regions[i] to the region around row i of a list of `count` rows (region_at()).
void find_regions(const near_batch& batch, const near_strings& strings, const near_row_list& list,
                  std::uint64_t count, std::uint64_t* d_regions, std::uint32_t* d_damaged,
                  cudaStream_t stream);
// Merges sorted regions, and appends them to d_tasks, of which there are *d_num_tasks then. d_is_left[p]
// becomes 1 if a region of pattern p is too large, here and below.
void merge_regions(const near_batch& batch, const std::uint64_t* d_regions, std::uint64_t count,
                   near_region_task* d_tasks, unsigned long long* d_num_tasks, std::uint8_t* d_is_left,
                   cudaStream_t stream);
// Searches merged regions, and appends the hits. No strand has more than max_letters letters, at most
// max_error_letters.
void search_regions(const near_batch& batch, std::uint64_t max_letters, const near_region_task* d_tasks,
                    const unsigned long long* d_num_tasks, const near_hit_list& hits, std::uint8_t* d_is_left,
                    cudaStream_t stream);

// Writes the contexts of all rows.
void write_row_contexts(const fm_parts& index, std::uint64_t* d_contexts, std::uint32_t* d_damaged,
                        cudaStream_t stream);
// Sorts numbers in place.
void sort_keys(std::uint64_t* d_keys, std::uint64_t count, cudaStream_t stream);

} // namespace weft::bwt_detail
