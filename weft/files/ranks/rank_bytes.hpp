// Files that every rank of a job reads whole.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <weft/io/byte_source.hpp>
#include <weft/multi/communicator.hpp>

namespace weft::files {

// Returns whether a path is a regular file. Standard input, which rank 0 alone has, and pipes, whose bytes
// come only once, are none.
[[nodiscard]] bool is_regular(const std::string& path);

// Opens a file on all ranks, as io::open_bytes() does. What is no regular file is read by rank 0 and copied
// to the memory of the other ranks. All ranks call it together. Throws the errors of io::open_bytes(), and
// memory_error if such an input is larger than `memory` (0: no limit).
[[nodiscard]] std::unique_ptr<io::byte_source>
open_on_all_ranks(multi::communicator& ranks, const std::string& path, std::uint64_t memory = 0);

} // namespace weft::files
