// The Burrows-Wheeler transforms, and the suffix arrays, of many texts at once, for example of the blocks of
// a file.
//
//   const std::vector<std::uint64_t> offsets = {0, 6, 6, 9};
//   weft::bwt_batch("bananaana", offsets);          // == {"annbaaana", {4, 0, 2}}
//
// The three texts are "banana", "" and "ana".
//
// The texts are text[offsets[i], offsets[i + 1]). Each is transformed on its own: its bytes and its primary
// index are those of weft::bwt (bwt.hpp), its rows those of weft::suffix_array (suffix_array.hpp).
//
// Engines: those of bwt.hpp. On a CPU, one thread transforms each text, and as many texts are processed at
// once as there are threads. On a GPU, up to 2^25 symbols of whole texts are sorted at once, however many
// texts these are.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <weft/bwt/bwt.hpp>

namespace weft {

// The transforms of a batch, all of the same form.
struct bwt_batch_text {
  std::string bytes;                          // transform i is [offsets[i], offsets[i + 1])
  std::vector<std::uint64_t> primary_indexes; // one for each text
  bwt_form form = bwt_form::sentinel;         // the form of all transforms
  friend bool operator==(const bwt_batch_text&, const bwt_batch_text&) = default;
};

// Returns the transforms of all texts. Time is that of weft::bwt for each text. On a CPU, takes the memory of
// weft::bwt for the largest text, for each thread. On a GPU, takes the memory that weft::gpu::bwt_batch
// states, and that of the texts and transforms that are on the GPU; if all do not fit, they are processed in
// parts. Device auto takes a GPU for 2^22 symbols or more. With ternary-quicksort, texts are processed one by
// one, and device auto decides by the largest text. Throws std::invalid_argument if offsets do not ascend
// from 0 to text.size(), and what weft::bwt throws.
[[nodiscard]] bwt_batch_text bwt_batch(std::string_view text, std::span<const std::uint64_t> offsets,
                                       bwt_form form = bwt_form::sentinel, const bwt_options& options = {});

// Returns the suffix arrays of all texts: entries [offsets[i], offsets[i + 1]) are the suffix array of text
// i, that is, positions in that text. Time and memory are as for bwt_batch, with those of weft::suffix_array.
// Throws std::invalid_argument also if a text is too large for Index, which is uint32_t or uint64_t.
template <class Index = std::uint32_t>
[[nodiscard]] std::vector<Index> suffix_array_batch(std::string_view text,
                                                    std::span<const std::uint64_t> offsets,
                                                    const bwt_options& options = {});

} // namespace weft
