// Arrays of numbers in files, sorted by the ranks of a job.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <weft/files/array_sort.hpp>
#include <weft/files/ranks/rank_output.hpp>
#include <weft/io/byte_source.hpp>
#include <weft/multi/communicator.hpp>
#include <weft/sort/sort_options.hpp>

namespace weft::files {

// The numbers of an array that belong to one rank: rank r of p has items [r n / p, (r + 1) n / p).
struct array_share {
  number_array own;
  std::uint64_t count = 0; // items of all ranks
};

// Reads an array as read_array() does, and returns the share of this rank. If `path` is a plain file that
// every rank can read, each rank reads its share; otherwise rank 0 reads all of what open() returns, and
// sends the others theirs. All ranks call it together. Throws the errors of read_array() on all ranks, and
// memory_error if the share of one of them is larger than its `limit` (0: no limit).
[[nodiscard]] array_share read_share(multi::communicator& ranks, const std::string& path,
                                     const std::function<std::unique_ptr<io::byte_source>()>& open,
                                     const std::string& type, std::uint64_t limit);

// Does the task as sort_array() does, and writes the result: each rank writes its part. `values` is null, or
// for array_task::sort_values an array with as many items as `keys`. All ranks call it together.
void sort_share(multi::communicator& ranks, array_share& keys, const array_share* values, array_task task,
                bool descends, const sort_options& options, rank_output& out);

} // namespace weft::files
