// All suffixes of a text in device memory in order, by sorting a third of them.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <optional>
#include <vector>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/bwt/core/head_bits.hpp>
#include <weft/bwt/core/induced_slots.hpp>
#include <weft/bwt/cuda/suffix_sort/suffix_sort.hpp>
#include <weft/bwt/cuda/text/packed_text.hpp>

namespace weft::bwt_cuda {

// In steps, so that what only one of them needs is gone when the arrays of the next are made: first some of
// the suffixes are sorted, then they get their places, and then the others follow.
//
// Time          O(n) beside the sort of the suffixes that are sorted, at most half of all, and some launches
//               for each of the letters and each length of a letter's runs.
// Extra memory  what sort_suffixes() takes for them, 4 bytes for each until they are placed, and n / 4 bytes
//               while they are sorted; then an eighth of a byte for each suffix that begins with the most
//               frequent letter, and for texts with runs of 17 equal symbols and more n / 8, and 16 for each
//               such run of a letter while these are written.
// Waits         for all that is in the stream, and for counts.
// Throws        as sort_suffixes().
class induced_sort {
public:
  // Of a text of n symbols, 1 <= n < 2^32, that outlives this. The options' bytes_before, d_chosen and chosen
  // are its own.
  induced_sort(const packed_text& text, const suffix_sort_options& options, cudaStream_t stream);

  // Once, one after the other: d_sa[0 .. n-1] becomes the suffix array, d_before[0 .. n-1] the bytes before
  // its suffixes (before the whole text: its last).
  void place(std::uint32_t* d_sa);
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
  void move(unsigned letter, bool rise, std::uint64_t begin, std::uint64_t end);

  const packed_text& text_;
  suffix_sort_options options_;
  cudaStream_t stream_;
  gpu::device_buffer<std::uint32_t> row_; // of the whole text
  std::vector<unsigned char> letters_;    // in use
  unsigned last_letter_ = 0;              // of the text
  gpu::device_buffer<std::uint64_t> levels_[bwt_core::head_levels];
  bwt_core::head_bits heads_{}; // runs of equal symbols begin
  std::optional<bwt_core::induced_slots> slots_;
  std::vector<piece> sorted_;
  gpu::device_buffer<std::uint32_t> table_; // a row of slots by byte for each letter
  std::uint32_t* d_sa_ = nullptr;
  unsigned char* d_before_ = nullptr;
};

} // namespace weft::bwt_cuda
