// Suffixes of a text in device memory in order, a block of them at a time.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <functional>
#include <weft/base/monitor.hpp>
#include <weft/bwt/core/part_text.hpp>
#include <weft/bwt/cuda/text/packed_text.hpp>

namespace weft::bwt_cuda {

// The defaults are good ones; the rest is there to test.
struct suffix_sort_options {
  task_monitor* monitor = nullptr; // work unit: symbols
  std::uint64_t memory = 0;        // bytes that the call may take beside the text; 0: what is free
  std::uint64_t block = 0;         // suffixes that are sorted together, about; 0: by size and memory
  bool bytes_before = false;       // whether the sink wants them; of texts of bytes
  // In device memory, a bit of each suffix (bit i % 64 of word i / 64, and of the end of the text): those
  // that are sorted, no two of them next to each other, and how many they are (without bytes_before, and not
  // in parts). Null: all.
  const std::uint64_t* d_chosen = nullptr;
  std::uint64_t chosen = 0;
  // Keys of the text before the difference cover, for groups of up to 32; and where few suffixes are left.
  std::uint32_t text_rounds = 17, deep_rounds = 512;
};

// Rows [first, first + count) of all, in device memory: where their suffixes begin, and the bytes before them
// (before the whole text: its last), null if they were not asked for.
template <class Index> struct row_block {
  std::uint64_t first, count;
  const Index* d_suffixes;
  const unsigned char* d_before;
};
// Takes rows by work on the stream. They are there until it returns, and for what it enqueues.
template <class Index> using row_sink = std::function<void(const row_block<Index>&)>;

// Bytes of the device for each suffix of a block; and suffixes that a block has at least, or all.
template <class Index> inline constexpr std::uint64_t sort_bytes_each = 40 + 2 * sizeof(Index);
inline constexpr std::uint64_t min_block = std::uint64_t{1} << 16;

// Sorts the suffixes of a text of n >= 1 symbols and gives them to the sink, in order. Index: uint32_t
// (n < 2^32) or uint64_t.
//
// Time          O(n log n) and, for each suffix that shares many symbols with another, the ranks of a
//               difference cover, which take O(n log^2 n) for any text.
// Extra memory  48 bytes (56 with 64-bit indexes) a suffix of the largest block: as many as a twelfth of the
//               symbols, but at least 2^25 (or all), and at most 2^30; fewer where there is less memory, down
//               to 2^16; more where more begin with the same 64 bits. For texts with long repeats, while the
//               cover is sorted, 5.3 (6.1) bytes a symbol and 16 (20) a suffix of the block, then 0.41 a
//               symbol.
// Waits         for all that is in the stream, and for counts.
// Throws        memory_error (also for 2^31 suffixes that begin with the same 64 bits, and for repeats in a
//               text of 2^31 * 128 / 13 symbols), device_error, cancelled_error. The monitor is then told of
//               what the sink was given.
template <class Index>
void sort_suffixes(const packed_text& text, const row_sink<Index>& sink, const suffix_sort_options& options,
                   cudaStream_t stream);

// The same of a text in parts, a view of this text whose suffixes end with their parts (core/part_text.hpp):
// in the order of batches or of collections. The byte before a part's first suffix is that before it in the
// text.
template <class Index>
void sort_suffixes(const packed_text& text, const bwt_core::part_text& parts, const row_sink<Index>& sink,
                   const suffix_sort_options& options, cudaStream_t stream);

} // namespace weft::bwt_cuda
