// Files that every rank of a job reads whole.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <weft/io/byte_source.hpp>
#include <weft/multi/communicator.hpp>

namespace weft::files {

// Opens a file on all ranks, as io::open_bytes() does. Standard input ("-"), which rank 0 alone has, is read
// by rank 0 and copied to the memory of the other ranks. All ranks call it together. Throws the errors of
// io::open_bytes(), and memory_error if standard input is larger than `memory` (0: no limit).
[[nodiscard]] std::unique_ptr<io::byte_source>
open_on_all_ranks(multi::communicator& ranks, const std::string& path, std::uint64_t memory = 0);

} // namespace weft::files
