// The Burrows-Wheeler transform and its inverse, in two forms.
//
//   const weft::bwt_text t = weft::bwt("banana");
//   t;                                              // == {"annbaa", 4}
//   weft::inverse_bwt(t);                           // == "banana"
//
// sentinel
//   Rows are the n + 1 suffixes of the text and an end mark smaller than every byte, in order; the bytes are
//   those before each suffix, without that of row primary_index, the text itself, which the mark precedes. n
//   bytes; primary_index in [1, n] (0 for the empty text). The bytes and index of libdivsufsort's divbwt.
// rotation
//   Rows are the n rotations of the text, in order; the bytes are their last ones. primary_index in [0, n) (0
//   for the empty text) is the row of the text itself, of equal rows the first.
//
// Engines.
//   suffix-sort
//     libdivsufsort; the rotation form through the least rotation of the text's shortest root, each byte of
//     whose transform is written as often as the root occurs. O(n log n), one thread; 4 n bytes (8 n from
//     2^31 bytes on), in the rotation form n more. On a GPU a sort of this library: docs/bwt-gpu.md.
//   ternary-quicksort
//     Ternary quicksort of rotations or suffixes, all segments of a level together, as Yamanaka, Ino &
//     Hagihara run it on a GPU; threaded. O(n (log n + common prefixes)), so that repetitive texts may take
//     O(n^2); rotations of u^k are compared to a depth of |u|. 12 n bytes (24 n).
//   auto
//     suffix-sort.
//
// Sources: Burrows & Wheeler, SRC Research Report 124 (1994); Mori, libdivsufsort; Booth, Inf. Process. Lett.
// 10 (1980) 240-242 (least rotation); Bentley & Sedgewick, SODA 1997 (ternary quicksort); Yamanaka, Ino &
// Hagihara, Fast Burrows-Wheeler Transform with CUDA.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <weft/bwt/bwt_options.hpp>

namespace weft {

// What the rows are (above).
enum class bwt_form { sentinel, rotation };

// A transform, and what it takes to invert it.
struct bwt_text {
  // The transformed bytes, the row of the text, and which rows there are.
  std::string bytes;
  std::uint64_t primary_index = 0;
  bwt_form form = bwt_form::sentinel;
  friend bool operator==(const bwt_text&, const bwt_text&) = default;
};

// On a CPU time and memory are those of the engine. On a GPU, which device auto takes from 2^22 bytes on if
// its memory is enough: none beside the result, and of the GPU's the text, the result and what
// weft::gpu::bwt takes (weft/bwt/bwt.cuh). Throws error (unknown engine), memory_error if options.memory is
// not enough, or the memory of a GPU that is asked for, bad_alloc, unavailable_error (no such GPU),
// device_error, cancelled_error.
[[nodiscard]] bwt_text bwt(std::string_view text, bwt_form form = bwt_form::sentinel,
                           const bwt_options& options = {});

// The text. O(n): chains of random reads, many at a time on each thread; 5 n bytes beside the result (9 n
// from 2^31 bytes on). On a GPU, which device auto takes from 2^25 bytes on if they fit its memory: none
// beside the result, and 7.2 to 8.1 n bytes of the GPU (8.3 n from 3 * 2^30 bytes on). Throws
// error(invalid_input) if no text has this transform, memory_error, bad_alloc, unavailable_error (no such
// GPU), device_error, cancelled_error.
[[nodiscard]] std::string inverse_bwt(const bwt_text& transformed, const bwt_options& options = {});
[[nodiscard]] std::string inverse_bwt(std::string_view bytes, std::uint64_t primary_index, bwt_form form,
                                      const bwt_options& options = {});

} // namespace weft
