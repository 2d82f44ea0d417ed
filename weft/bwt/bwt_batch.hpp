// The Burrows-Wheeler transforms, and the suffix arrays, of many texts at once, for example of the blocks of
// a file.
//
//   weft::sequences texts;
//   for (const char* text : {"banana", "", "ana"}) texts.add(text);
//   weft::bwt_batch(texts);                         // == {"annbaaana", {4, 0, 2}}
//
// Each text is transformed on its own: its bytes and its primary index are those of weft::bwt (bwt.hpp), its
// rows those of weft::suffix_array (suffix_array.hpp).
//
// Engines: those of bwt.hpp. On a CPU, one thread transforms each text, and as many texts are processed at
// once as there are threads. If a text is larger than its share of all symbols, suffix-sort sorts one text
// after another, each on all threads. On a GPU, up to 2^25 symbols of whole texts are sorted at once, however
// many texts these are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>
#include <weft/base/sequences.hpp>
#include <weft/bwt/bwt.hpp>

namespace weft {

// The transforms of a batch, all of the same form.
struct bwt_batch_text {
  std::string bytes;                          // transform i is where text i was
  std::vector<std::uint64_t> primary_indexes; // one for each text
  bwt_form form = bwt_form::sentinel;         // the form of all transforms
  friend bool operator==(const bwt_batch_text&, const bwt_batch_text&) = default;
};

// Returns the transforms of all texts. Time is that of weft::bwt for each text. On a CPU, takes the memory of
// weft::bwt for the largest text, for each text that is processed at once. On a GPU, takes the memory that
// weft::gpu::bwt_batch states, and that of the texts and transforms that are on the GPU; if all do not fit,
// they are processed in parts. Device auto takes a GPU for 2^23 symbols or more. With ternary-quicksort,
// texts are processed one by one, and device auto decides by the largest text. Throws std::invalid_argument
// as check_sequences(), and what weft::bwt throws.
[[nodiscard]] bwt_batch_text bwt_batch(const sequences_view& texts, bwt_form form = bwt_form::sentinel,
                                       const bwt_options& options = {});

// Returns the suffix arrays of all texts: where text i was in texts.data is its suffix array, that is,
// positions in that text. Time and memory are as for bwt_batch, with those of weft::suffix_array. Throws
// std::invalid_argument also if a text is too large for Index, which is uint32_t or uint64_t.
template <class Index = std::uint32_t>
[[nodiscard]] std::vector<Index> suffix_array_batch(const sequences_view& texts,
                                                    const bwt_options& options = {});

} // namespace weft
