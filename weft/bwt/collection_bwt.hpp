// The Burrows-Wheeler transform of a collection of records, and its inverse.
//
//   weft::sequences records;
//   for (const char* record : {"ban", "ana"}) records.add(record);
//   const weft::collection_bwt_text t = weft::collection_bwt(records);
//   t;                                              // == {"nanbaa", {5, 4}}
//   weft::inverse_collection_bwt(t)[1];             // == "ana"
//
// Each record ends in its own sentinel, which is smaller than every byte; the sentinel of record r is smaller
// than that of record s for r < s (suffix_array.hpp). The rows are the suffixes of all records, in order:
// first the sentinels alone, row r being the sentinel of record r, then the other suffixes. The bytes are
// those before each suffix. The rows of whole records have no byte, because a sentinel precedes them:
// starts[r] is the row of record r. For a single record, these are the bytes and the primary index of the
// sentinel form (bwt.hpp). The empty collection has no rows.
//
// Sources: Mantaci, Restivo, Rosone & Sciortino, Theor. Comput. Sci. 387 (2007) 298-312 (collections); Bauer,
// Cox & Rosone, Theor. Comput. Sci. 483 (2013) 134-148 (a sentinel for each record).
#pragma once

#include <cstdint>
#include <string>
#include <vector>
#include <weft/base/sequences.hpp>
#include <weft/bwt/bwt_options.hpp>

namespace weft {

// The transform of a collection, with the information that its inversion needs.
struct collection_bwt_text {
  std::string bytes;                 // the bytes before the suffixes
  std::vector<std::uint64_t> starts; // the row of each record
  friend bool operator==(const collection_bwt_text&, const collection_bwt_text&) = default;
};

// Returns the transform of the records. Throws std::invalid_argument as check_sequences(). Time and memory
// are those of collection_suffix_array, also on a GPU, which then computes the bytes as well. Throws
// memory_error, unavailable_error if the requested GPU does not exist, device_error, cancelled_error.
[[nodiscard]] collection_bwt_text collection_bwt(const sequences_view& records,
                                                 const bwt_options& options = {});

// Returns the records of a transform. O(n), a chain of random reads for each record, on several threads of
// the CPU. Takes 10 bytes for each symbol, and 42 for each record, beside the result. Throws
// error(invalid_input) if no collection has this transform, memory_error, unavailable_error if a GPU is
// requested, cancelled_error.
[[nodiscard]] sequences inverse_collection_bwt(const collection_bwt_text& transformed,
                                               const bwt_options& options = {});

} // namespace weft
