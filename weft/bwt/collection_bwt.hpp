// The Burrows-Wheeler transform of a collection of records, and its inverse.
//
//   const std::vector<std::uint64_t> offsets = {0, 3, 6};
//   const weft::collection_bwt_text t = weft::collection_bwt("banana", offsets);
//   t;                                              // == {"nanbaa", {5, 4}}
//   weft::inverse_collection_bwt(t);                // == {"ban", "ana"}
//
// Each record ends in a sentinel of its own, smaller than every byte, that of record r smaller than that of
// record s for r < s (suffix_array.hpp). Rows are the suffixes of all records: first the sentinels alone, row
// r that of record r, then the others in order. The bytes are those before each suffix, without the rows of
// whole records, which a sentinel precedes: starts[r] is the row of record r. Of one record these are the
// bytes and the primary index of the sentinel form (bwt.hpp). The empty collection has no rows.
//
// Sources: Mantaci, Restivo, Rosone & Sciortino, Theor. Comput. Sci. 387 (2007) 298-312 (collections); Bauer,
// Cox & Rosone, Theor. Comput. Sci. 483 (2013) 134-148 (a sentinel for each record).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <weft/bwt/bwt_options.hpp>

namespace weft {

// The transform of a collection, and what it takes to invert it.
struct collection_bwt_text {
  std::string bytes;                 // before each suffix
  std::vector<std::uint64_t> starts; // of each record
  friend bool operator==(const collection_bwt_text&, const collection_bwt_text&) = default;
};

// Records are text[offsets[r], offsets[r + 1]); offsets ascend from 0 to text.size(), else
// std::invalid_argument. Time and memory of collection_suffix_array, also on a GPU, which then makes the
// bytes. Throws memory_error, unavailable_error (no such GPU), device_error, cancelled_error.
[[nodiscard]] collection_bwt_text collection_bwt(std::string_view text,
                                                 std::span<const std::uint64_t> offsets,
                                                 const bwt_options& options = {});

// The records. O(n), a chain of random reads for each record, threaded; 9 bytes for each symbol and record
// beside the result. Throws error(invalid_input) if no collection has this transform, memory_error.
[[nodiscard]] std::vector<std::string> inverse_collection_bwt(const collection_bwt_text& transformed,
                                                              const bwt_options& options = {});

} // namespace weft
