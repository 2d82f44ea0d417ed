// The records of a file, split among the ranks of a job, and the index of the records of each rank.
//
// All ranks read the file in pieces (rank_input.hpp), whose records come in rounds. Then they exchange
// letters, so that each rank has a contiguous range of records, and rank r has those before the records of
// rank r + 1. The middle letter of a record decides: of n letters, those from r * n / ranks on belong to rank
// r. So the letters of a rank differ from its equal share by at most a record. Every letter travels once.
//
// Memory: a rank holds the letters that it has read and then, beside the ones that have come, the same
// letters in the order of their records: twice its share. Building the index, which follows, takes more.
//
//   weft::files::rank_of_record(0, 60, 100, 2);     // == 0
//   weft::files::rank_of_record(60, 100, 100, 2);   // == 1
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>
#include <weft/bwt/fm_index.hpp>
#include <weft/files/find/index_files.hpp>
#include <weft/multi/communicator.hpp>

namespace weft::files {

// Returns the number of the rank that gets a record with letters [begin, end) of `total` letters.
[[nodiscard]] std::uint64_t rank_of_record(std::uint64_t begin, std::uint64_t end, std::uint64_t total,
                                           int num_ranks);

// Returns the records of this rank. All ranks call it together. An index of them shall fit in `memory` bytes:
// throws memory_error as soon as it is clear that one of some rank does not, and the errors of the reader.
[[nodiscard]] reference_set read_own_records(multi::communicator& ranks, const std::string& path,
                                             std::uint64_t memory);

// Returns the index of the records of this rank, whose alphabet is guessed from the letters of all ranks; it
// has no records if there are fewer than ranks. All ranks call it together. Building takes at most `memory`
// bytes on each rank, with the records (0: memory_limit(0)). Throws error(invalid_input) if the file is an
// index, memory_error, and the errors of the reader and of fm_index::build().
[[nodiscard]] fm_index build_own_index(multi::communicator& ranks, const std::string& path,
                                       fm_build_options options, std::uint64_t memory);

} // namespace weft::files
