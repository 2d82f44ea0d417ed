// Suffixes of a text in device memory in order, a block of them at a time.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <functional>
#include <weft/base/monitor.hpp>

namespace weft::bwt_cuda {

// The defaults are good ones; the rest is there to test.
struct suffix_sort_options {
  task_monitor* monitor = nullptr; // work unit: symbols
  std::uint64_t memory = 0;        // bytes that the call may take beside the text; 0: what is free
  std::uint64_t block = 0;         // suffixes that are sorted together, about; 0: by size and memory
  std::uint32_t text_rounds =
      17; // keys of the text before the difference cover: at least those of 32 symbols
};

// Takes suffixes in device memory, those of rows [first_row, first_row + count), by work on the stream. They
// are there until it returns, and for what it enqueues.
template <class Index>
using row_sink = std::function<void(std::uint64_t first_row, const Index* d_suffixes, std::uint64_t count)>;

// Sorts the suffixes of d_text[0 .. n - 1], n >= 1, and gives them to the sink, in order. Index: uint32_t
// (n < 2^32) or uint64_t.
//
// Time          O(n log n) and, for each suffix that shares many symbols with another, the ranks of a
//               difference cover, which take O(n log^2 n) for any text.
// Extra memory  n / 8 bytes a bit of a symbol; some 45 bytes a suffix of the largest block (at most 2^27 of
//               them or, from 2^30 symbols on, an eighth of the text, unless 64 bits of the text do not tell
//               more apart); and for texts with long repeats, while the cover is sorted, 12 bytes a symbol
//               and 16 a suffix of the block, then 0.9 a symbol.
// Waits         for all that is in the stream, and for counts.
// Throws        memory_error (also for 2^31 suffixes that begin with the same 64 bits, and for repeats in a
//               text of 2^31 * 32 / 7 symbols), device_error, cancelled_error. The monitor is then told of
//               what the sink was given.
template <class Index>
void sort_suffixes(const unsigned char* d_text, std::uint64_t n, const row_sink<Index>& sink,
                   const suffix_sort_options& options, cudaStream_t stream);

} // namespace weft::bwt_cuda
