// Sorts the suffixes of a text in device memory, block by block (suffix_sort.cpp). sort_all_suffixes() also
// considers induced sorting (sort_all_suffixes.cpp).
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <functional>
#include <weft/base/monitor.hpp>
#include <weft/bwt/core/part_text.hpp>
#include <weft/bwt/cuda/text/packed_text.hpp>

namespace weft::bwt_detail {

// Options of a suffix sort. Callers normally keep the defaults; tests set the others to reach rare code
// paths.
struct suffix_sort_options {
  task_monitor* monitor = nullptr; // work unit: symbols
  std::uint64_t memory = 0;        // bytes a call may take besides the text; 0: all free memory
  std::uint64_t block = 0;         // suffixes per block, about; 0: chosen by text size and memory
  bool bytes_before = false;       // whether row_block::d_before is filled in; only for texts of bytes
  // A bitmap in device memory that selects the suffixes to sort, or null to sort all of them. Suffix i is bit
  // i % 64 of word i / 64; the bitmap also has a bit for the end of the text (i = n). No two adjacent
  // suffixes may be selected. `chosen` is the number of selected suffixes. A selection cannot be combined
  // with bytes_before or with a text in parts.
  const std::uint64_t* d_chosen = nullptr;
  std::uint64_t chosen = 0;
  // How many rounds compare keys of the text before the ranks of the difference cover are used: `text_rounds`
  // for groups of up to 32 suffixes, `deep_rounds` where only a small number of suffixes is left.
  std::uint32_t text_rounds = 17, deep_rounds = 512;
};

// Rows [first, first + count) of the suffix array, in device memory: d_suffixes has the positions where the
// suffixes begin, d_before the bytes before them (before suffix 0: the last byte of the text). d_before is
// null unless the options ask for it.
template <class Index> struct row_block {
  std::uint64_t first, count;
  const Index* d_suffixes;
  const unsigned char* d_before;
};
// A function that receives blocks of rows and reads them by work on the stream. The arrays of a block are
// valid until the function returns, and for all work that the function has enqueued.
template <class Index> using row_sink = std::function<void(const row_block<Index>&)>;

// sort_bytes_each: bytes of device memory for each suffix of a block. min_block: a block has at least this
// number of suffixes, unless the text has fewer.
template <class Index> inline constexpr std::uint64_t sort_bytes_each = 40 + 2 * sizeof(Index);
inline constexpr std::uint64_t min_block = std::uint64_t{1} << 16;

// Sorts the suffixes of a text of n >= 1 symbols and passes them to the sink in ascending order, block by
// block. Index: uint32_t (n < 2^32) or uint64_t.
//
// Time          O(n log n). If many suffixes share a long prefix with another suffix, also the time to rank a
//               difference cover, which is O(n log^2 n) for any text.
// Extra memory  48 bytes (56 with 64-bit indexes) for each suffix of the largest block. A block has n / 12
//               suffixes, but at least 2^25 (or all; from n = 2^26 on, 2 n / 11 if that is less), and at most
//               2^30. Blocks are smaller if there is less memory, down to 2^16 suffixes, and larger if more
//               suffixes begin with the same 64 bits. For texts with long repeats, 5.3 (6.1) bytes per symbol
//               and 16 (20) per suffix of the block while the cover is sorted, and 0.41 bytes per symbol
//               afterwards.
// Waits         for all earlier work on the stream, and for counts.
// Throws        memory_error (also if 2^31 suffixes begin with the same 64 bits, and for a text with repeats
//               that has 2^31 * 128 / 13 symbols or more), device_error, cancelled_error. In every case the
//               monitor's count covers exactly the suffixes that were passed to the sink.
template <class Index>
void sort_suffixes_in_blocks(const packed_text& text, const row_sink<Index>& sink,
                             const suffix_sort_options& options, cudaStream_t stream);

// Does the same for a text in parts: `parts` is a view of `text` in which every suffix ends at the end of its
// part (core/part_text.hpp). The order is that of a batch or of a collection. The byte before the first
// suffix of a part is the byte before the part in the whole text.
template <class Index>
void sort_suffixes_in_blocks(const packed_text& text, const part_text& parts, const row_sink<Index>& sink,
                             const suffix_sort_options& options, cudaStream_t stream);

// The suffixes of texts with fewer symbols than this can be numbered with 32 bits.
inline constexpr std::uint64_t suffix_32_limit = (std::uint64_t{1} << 32) - 1;

// Passes all suffixes of d_text[0 .. n-1], n >= 1, to the sink in ascending order: as one block from
// induced_sort if that is faster, else as the blocks of sort_suffixes_in_blocks(). Ignores the options
// d_chosen and chosen. d_rows: null, or memory for n items in which the rows may be made. Index: uint32_t (n
// < suffix_32_limit) or uint64_t.
//
// induced_sort is used with 32-bit indexes if the text has at least 2^24 symbols and 2^14 for each pair of
// letters, and 7.25 n bytes of device memory are available. If that memory turns out not to be enough,
// sort_suffixes_in_blocks() runs instead. Extra memory besides that of induced_sort: the packed text, n bytes
// for the bytes before suffixes, and 4 n bytes for the rows if d_rows is null. Time, waits and errors are
// those of the method that runs.
template <class Index>
void sort_all_suffixes(const unsigned char* d_text, std::uint64_t n, Index* d_rows,
                       const row_sink<Index>& sink, const suffix_sort_options& options, cudaStream_t stream);

} // namespace weft::bwt_detail
