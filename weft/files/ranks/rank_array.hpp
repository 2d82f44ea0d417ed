// Arrays of numbers in files, sorted by the ranks of a job.
#pragma once

#include <cstdint>
#include <string>
#include <weft/files/array_sort.hpp>
#include <weft/files/lines/sort_inputs.hpp>
#include <weft/files/ranks/rank_output.hpp>
#include <weft/multi/communicator.hpp>
#include <weft/sort/sort_options.hpp>

namespace weft::files {

// The numbers of an array that belong to one rank: rank r of p has items [r n / p, (r + 1) n / p).
struct array_share {
  number_array own;
  std::uint64_t count = 0; // items of all ranks
};

// Reads the first input as read_array() does, and returns the share of this rank. If it is a plain file that
// every rank can read, each rank reads its share; otherwise rank 0 reads all and sends the others theirs. All
// ranks call it together. Throws the errors of read_array() on all ranks.
[[nodiscard]] array_share read_share(multi::communicator& ranks, sort_inputs& inputs, const std::string& type,
                                     std::uint64_t limit);

// Sorts the array, or finds its order, as sort_array() does, and writes it: each rank writes its part. All
// ranks call it together.
void sort_share(multi::communicator& ranks, array_share& share, bool finds_order, bool descends,
                const sort_options& options, rank_output& out);

} // namespace weft::files
