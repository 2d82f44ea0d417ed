// The Burrows-Wheeler transform and its inverse, in two forms.
//
//   const weft::bwt_text t = weft::bwt("banana");
//   t;                                              // == {"annbaa", 4}
//   weft::inverse_bwt(t);                           // == "banana"
//
// sentinel
//   The rows are the n + 1 suffixes of the text followed by an end mark that is smaller than every byte, in
//   order. The bytes are those before each suffix. Row primary_index, which is the whole text, has no byte,
//   because only the end mark precedes it. So there are n bytes, and primary_index is in [1, n] (0 for the
//   empty text). Bytes and index are those of libdivsufsort's divbwt.
// rotation
//   The rows are the n rotations of the text, in order, and the bytes are their last bytes. primary_index, in
//   [0, n) (0 for the empty text), is the row of the text itself, or the first of several equal rows.
//
// Engines
//   suffix-sort
//     Sorts at most every second suffix by its next bits, on all threads, and derives the others from them:
//     docs/design/bwt.md. The rotation form sorts the least rotation of the text's shortest root, and writes
//     each byte of the root's transform as often as the text repeats the root. Expected O(n log n). On a CPU,
//     it takes 9 n bytes (13 n from 2^31 bytes on), and n more for the rotation form. With less memory, the
//     sentinel form is made from ranges of the suffixes, which takes O(n) more time for each range. That
//     takes at least 0.2 n bytes, up to 3 n more if the text repeats itself in long stretches, and the packed
//     text: n times the bits that number the distinct bytes of the text.
//   libdivsufsort
//     The library of this name, on one thread of a CPU. O(n log n). It takes 4 n bytes (8 n from 2^31 bytes
//     on), and n more for the rotation form. It cannot be cancelled while it sorts.
//   ternary-quicksort
//     Ternary quicksort of rotations or suffixes, with all segments of a level processed together, as
//     Yamanaka, Ino & Hagihara do on a GPU; on several threads. O(n (log n + common prefixes)), which may be
//     O(n^2) for repetitive texts; rotations of u^k are compared to a depth of |u|. It takes 12 n bytes (24
//     n).
//   auto
//     suffix-sort; libdivsufsort if only that has enough memory, which it may have for the rotation form.
//
// Sources: Burrows & Wheeler, SRC Research Report 124 (1994); Itoh & Tanaka, SPIRE 1999 (inducing);
// Schleimer, Wilkerson & Aiken, SIGMOD 2003 (the choice of suffixes whose ranks decide about repeats);
// Kempa & Kociumaka, STOC 2019 (such a choice as a sample of suffixes); Mori, libdivsufsort; Booth, Inf.
// Process. Lett. 10 (1980) 240-242 (least rotation); Bentley & Sedgewick, SODA 1997 (ternary quicksort);
// Yamanaka, Ino & Hagihara, Fast Burrows-Wheeler Transform with CUDA.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>
#include <weft/bwt/bwt_options.hpp>

namespace weft {

// The form of a transform. The top of this header says what the rows of each form are.
enum class bwt_form { sentinel, rotation };

// A transform, with the information that its inversion needs.
struct bwt_text {
  // The transformed bytes, the row of the whole text, and the form.
  std::string bytes;
  std::uint64_t primary_index = 0;
  bwt_form form = bwt_form::sentinel;
  friend bool operator==(const bwt_text&, const bwt_text&) = default;
};

// Returns the transform of a text. On a CPU, time and memory are those of the engine. On a GPU, the call
// takes no host memory beside the result, and of the GPU's memory the text, the result and what
// weft::gpu::bwt takes (weft/bwt/bwt.cuh). Device auto takes a GPU for 2^23 bytes or more if its memory
// suffices. Throws error for an unknown engine, memory_error if run.memory or the memory of a requested
// GPU is too small, bad_alloc, unavailable_error if the requested GPU does not exist, device_error,
// cancelled_error.
[[nodiscard]] bwt_text bwt(std::string_view text, bwt_form form = bwt_form::sentinel,
                           const bwt_options& options = {});

// Returns the text of a transform. O(n): many chains of random reads at a time on each thread. On a CPU,
// takes 5 n bytes beside the result (9 n from 2^31 bytes on). On a GPU, takes no host memory beside the
// result, and 7.2 n to 8.1 n bytes of the GPU (8.3 n from 3 * 2^30 bytes on). Device auto takes a GPU for
// 2^25 bytes or more if they fit its memory. Throws error(invalid_input) if no text has this transform,
// memory_error, bad_alloc, unavailable_error if the requested GPU does not exist, device_error,
// cancelled_error.
[[nodiscard]] std::string inverse_bwt(const bwt_text& transformed, const bwt_options& options = {});
[[nodiscard]] std::string inverse_bwt(std::string_view bytes, std::uint64_t primary_index, bwt_form form,
                                      const bwt_options& options = {});

// Returns the engines of inverse_bwt, and whether each can run on this machine.
[[nodiscard]] std::vector<engine_info> inverse_bwt_engines();

} // namespace weft
