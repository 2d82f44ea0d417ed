// A file's bytes as memory.
//
//   const weft::io::mapped_file file = weft::io::map_file("proteins.fa");
//   file.bytes.front();                             // == '>'
#pragma once

#include <memory>
#include <span>
#include <string>

namespace weft::io {

// A file in memory, for as long as `owner` or a copy of it lives.
struct mapped_file {
  std::shared_ptr<const void> owner; // unmaps when the last copy goes
  std::span<const char> bytes;       // at the start of a page
};

// Maps a regular file, read-only: O(1), pages are read as they are touched. Throws io_error. The file must
// not be made shorter while it is mapped: reading behind its new end raises SIGBUS.
[[nodiscard]] mapped_file map_file(const std::string& path);

// Returns the path of the mapped file that holds this address, null if none of the first 16 does.
// Async-signal-safe: for a handler of SIGBUS, to name the file that became shorter or cannot be read.
[[nodiscard]] const char* mapped_path(const void* address) noexcept;

} // namespace weft::io
