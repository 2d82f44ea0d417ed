// The Burrows-Wheeler transforms of many texts, as of the blocks of a file, and their suffix arrays.
//
//   const std::vector<std::uint64_t> offsets = {0, 6, 6, 9};
//   weft::bwt_batch("bananaana", offsets);          // == {"annbaaana", {4, 0, 2}}
//
// That is of "banana", "" and "ana".
//
// Texts are text[offsets[i], offsets[i + 1]), each on its own: its bytes and primary index are those of
// weft::bwt (bwt.hpp), its rows those of weft::suffix_array (suffix_array.hpp).
//
// Engines. As bwt.hpp has them. On a CPU each text is transformed by one thread, as many at once as there are
// threads; on a GPU up to 2^25 symbols of whole texts are sorted at once, however many texts these are.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <weft/bwt/bwt.hpp>

namespace weft {

// The transforms of a batch, of one form.
struct bwt_batch_text {
  std::string bytes;                          // text i's: [offsets[i], offsets[i + 1])
  std::vector<std::uint64_t> primary_indexes; // of each text
  bwt_form form = bwt_form::sentinel;         // of all of them
  friend bool operator==(const bwt_batch_text&, const bwt_batch_text&) = default;
};

// Time as weft::bwt of each text. On a CPU the memory of weft::bwt for the largest text, a thread; on a GPU,
// which device auto takes from 2^22 symbols on, as weft::gpu::bwt_batch says, and the texts and transforms
// that are there: those that are too many go one part after another. By ternary-quicksort texts go one by
// one: device auto goes by the largest. Throws std::invalid_argument (offsets do not ascend from 0 to
// text.size()), and what weft::bwt throws.
[[nodiscard]] bwt_batch_text bwt_batch(std::string_view text, std::span<const std::uint64_t> offsets,
                                       bwt_form form = bwt_form::sentinel, const bwt_options& options = {});

// Rows [offsets[i], offsets[i + 1]) are the suffix array of text i: positions in that text. Time and memory
// as bwt_batch with those of weft::suffix_array. Throws std::invalid_argument also if a text is too large for
// Index, which is uint32_t or uint64_t.
template <class Index = std::uint32_t>
[[nodiscard]] std::vector<Index> suffix_array_batch(std::string_view text,
                                                    std::span<const std::uint64_t> offsets,
                                                    const bwt_options& options = {});

} // namespace weft
