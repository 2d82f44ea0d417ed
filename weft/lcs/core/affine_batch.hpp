// Computes all pairs of a batch of short sequences with affine gaps, two pairs in each lane
// (affine_pairs.hpp): what the kernels of engine affine-batch do for a lane, and the layout of their data.
//
// Sequences, called items, are sorted by descending length. The pairs of item p as rows with the items
// q < p, none of which is shorter, as columns are computed by warps: a task is an item p and a chunk of 64
// items, two for each of 32 lanes. So all lanes read the same letter of a row, and their tables have about
// the same size.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/lcs/core/affine_pairs.hpp>

namespace weft::lcs_detail {

inline constexpr int affine_lanes_of_task = 32, affine_chunk_items = 2 * affine_lanes_of_task;

// A sequence.
struct affine_item {
  std::int64_t begin; // where its letters begin in the text
  int length;
};

// A chunk of items as columns.
struct affine_chunk {
  std::int64_t begin;   // where the words of its columns begin: [column][lane]
  int stripes, columns; // of a stripe
};

// Describes a piece of the batch: rows with all their columns.
struct affine_job {
  const std::uint32_t* row_letters;    // of the text, and one more word
  const std::uint32_t* column_letters; // of the chunks
  const affine_item* items;
  const affine_chunk* chunks;
  const std::int64_t* begins; // the position of the values of item p among all values
  int first, last;            // the items of this piece that are rows
  int max_chunks;             // tasks for each item
  affine_pair_costs costs;
  int extend;
  int border_rows;          // for each lane
  affine_border* borders;   // [warp][row][lane]
  unsigned* ticket;         // launch_affine_batch() resets it
  std::uint32_t* values;    // of this piece
  const volatile int* stop; // host memory: a value other than 0 ends the piece, whose values are then void

  [[nodiscard]] WEFT_HOST_DEVICE unsigned num_tasks() const {
    return static_cast<unsigned>(last - first) * static_cast<unsigned>(max_chunks);
  }
  // Return the item with the rows of a task, and the first item of its columns.
  [[nodiscard]] WEFT_HOST_DEVICE int rows_of(unsigned task) const {
    return first + static_cast<int>(task / static_cast<unsigned>(max_chunks));
  }
  [[nodiscard]] WEFT_HOST_DEVICE int columns_of(unsigned task) const {
    return static_cast<int>(task % static_cast<unsigned>(max_chunks)) * affine_chunk_items;
  }
  [[nodiscard]] WEFT_HOST_DEVICE bool has_pairs(unsigned task) const {
    return columns_of(task) < rows_of(task);
  }
};

// Returns a word of memory that no thread of the kernel writes.
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint32_t constant_word(const std::uint32_t* word) {
#if defined(__CUDA_ARCH__)
  return __ldg(word);
#else
  return *word;
#endif
}

// The Lane of compute_affine_pairs().
struct affine_lane {
  const std::uint32_t* rows;    // the words of the rows
  const std::uint32_t* columns; // of this lane, with a stride of 32
  affine_border* borders;       // of this lane, with a stride of 32
  int lengths[2];

  [[nodiscard]] WEFT_HOST_DEVICE std::uint32_t row_letter(int i) const { return constant_word(rows + i); }
  [[nodiscard]] WEFT_HOST_DEVICE std::uint32_t column_letters(int j) const {
    return constant_word(columns + std::int64_t{j} * affine_lanes_of_task);
  }
  [[nodiscard]] WEFT_HOST_DEVICE affine_border border(int i) const {
    return borders[i * affine_lanes_of_task];
  }
  WEFT_HOST_DEVICE void keep(int i, const affine_border& border) {
    borders[i * affine_lanes_of_task] = border;
  }
  [[nodiscard]] WEFT_HOST_DEVICE int length(int half) const { return lengths[half]; }
};

// The tables of a lane, for with_stripe_columns().
template <letter_form Form> struct affine_tables {
  affine_lane& lane;
  int rows, stripes;
  const affine_pair_costs& costs;
  template <int Columns> [[nodiscard]] WEFT_HOST_DEVICE std::uint32_t run() const {
    return compute_affine_pairs<Columns, Form>(lane, rows, stripes, costs);
  }
};

// Computes and writes the values of a lane of a task that has pairs. `warp` is the number of the warp in the
// grid.
template <letter_form Form>
WEFT_HOST_DEVICE void compute_affine_lane(const affine_job& job, unsigned task, std::int64_t warp,
                                          int lane_index) {
  const int p = job.rows_of(task), first = job.columns_of(task), q = first + 2 * lane_index;
  const affine_item rows = job.items[p];
  const affine_chunk chunk = job.chunks[first / affine_chunk_items];
  affine_lane lane{job.row_letters + rows.begin,
                   job.column_letters + chunk.begin + lane_index,
                   job.borders + warp * job.border_rows * affine_lanes_of_task + lane_index,
                   {q < p ? job.items[q].length : 0, q + 1 < p ? job.items[q + 1].length : 0}};
  const std::uint32_t ends =
      with_stripe_columns(chunk.columns, affine_tables<Form>{lane, rows.length, chunk.stripes, job.costs});
  std::uint32_t* const values = job.values + (job.begins[p] - job.begins[job.first]);
  for (int half = 0; half < 2; ++half)
    if (q + half < p)
      values[q + half] =
          static_cast<std::uint32_t>(half_of(ends, half) + (rows.length + lane.lengths[half]) * job.extend);
}

// Returns word i of the rows, which are the letters of a text of `size` letters.
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint32_t row_word(const std::uint8_t* text, std::int64_t size,
                                                             const affine_codes& codes, std::int64_t i) {
  return i < size ? codes.row[text[i]] : 0;
}
// Returns word i of chunk `number` of `count` items: column i / 32 of lane i % 32.
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint32_t column_word(const std::uint8_t* text,
                                                                const affine_item* items, int count,
                                                                int number, const affine_codes& codes,
                                                                int i) {
  std::uint32_t word = 0;
  for (int half = 0; half < 2; ++half) {
    const int q = number * affine_chunk_items + i % affine_lanes_of_task * 2 + half;
    const int column = i / affine_lanes_of_task;
    if (q < count && column < items[q].length)
      word |= codes.column[text[items[q].begin + column]] << (half * codes.second_shift);
  }
  return word;
}

} // namespace weft::lcs_detail
