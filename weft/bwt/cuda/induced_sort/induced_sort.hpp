// Sorts all suffixes of a text in device memory by sorting only a third of them and inducing the others.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <optional>
#include <vector>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/bwt/core/bits.hpp>
#include <weft/bwt/core/induced_slots.hpp>
#include <weft/bwt/cuda/suffix_sort/suffix_sort.hpp>
#include <weft/bwt/cuda/text/packed_text.hpp>

namespace weft::bwt_detail {

// A sort of all suffixes in three steps. The constructor sorts the suffixes that must be sorted,
// write_sorted() writes them to their slots, and induce() derives all others. The steps are separate calls,
// so that memory that only one step needs is released before the arrays of the next one are allocated.
//
// Time          O(n), plus the sort of the selected suffixes (at most half of all), plus some launches for
//               each letter and for each length of a letter's runs.
// Extra memory  that of sort_suffixes_in_blocks() for the sorted suffixes, 4 bytes for each of them until
//               write_sorted(), and n / 4 bytes while they are sorted. In induce() an eighth of a byte for
//               each suffix that begins with the most frequent letter, and for texts with runs of 17 and more
//               equal symbols n / 8 bytes, and 16 for each such run of a letter while the letter's suffixes
//               are written.
// Waits         for all earlier work on the stream, and for counts.
// Throws        as sort_suffixes_in_blocks().
class induced_sort {
public:
  // Sorts the selected suffixes of a text of n symbols, 1 <= n < 2^32. The text must outlive this object.
  // Ignores bytes_before, d_chosen and chosen of the options.
  induced_sort(const packed_text& text, const suffix_sort_options& options, cudaStream_t stream);

  // Must each be called once, in this order. write_sorted() writes the sorted suffixes to their slots of the
  // suffix array d_sa[0 .. n-1]; induce() completes d_sa and writes the byte before each suffix to d_before[0
  // .. n-1] (before suffix 0: the last byte of the text).
  void write_sorted(std::uint32_t* d_sa);
  void induce(unsigned char* d_before);

private:
  struct piece {
    std::uint64_t first;
    gpu::device_buffer<std::uint32_t> suffixes;
  };

  void find_last_letter();
  [[nodiscard]] bool has_long_runs() const;
  void find_types(const gpu::device_buffer<std::uint64_t>& types);
  void sort_last_rising(const gpu::device_buffer<std::uint64_t>& last);
  void induce_from_rising(unsigned letter);
  void induce_from_all(unsigned letter);
  void read_bytes(unsigned letter, std::uint64_t begin, std::uint64_t end);
  void add_runs(unsigned letter, bool rise, std::uint64_t begin, std::uint64_t end);
  void add_long_runs(bool rise, std::uint64_t begin, std::uint64_t end);
  void move_suffixes(unsigned letter, bool rise, std::uint64_t begin, std::uint64_t end);

  const packed_text& text_;
  suffix_sort_options options_;
  cudaStream_t stream_;
  gpu::device_buffer<std::uint32_t> row_; // slot of suffix 0
  std::vector<unsigned char> letters_;    // bytes that occur, ascending: their index is the letter
  unsigned last_letter_ = 0;              // the last symbol of the text
  gpu::device_buffer<std::uint64_t> levels_[head_levels];
  head_bits heads_{}; // marks where runs of equal symbols begin
  std::optional<induced_slots> slots_;
  std::vector<piece> sorted_;
  gpu::device_buffer<std::uint32_t> table_; // for each letter, a row of slots indexed by the byte before
  std::uint32_t* d_sa_ = nullptr;
  unsigned char* d_before_ = nullptr;
};

} // namespace weft::bwt_detail
