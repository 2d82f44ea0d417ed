// Maps a file into memory.
//
//   const weft::io::mapped_file file = weft::io::map_file("proteins.fa");
//   file.bytes.front();                             // == '>'
#pragma once

#include <memory>
#include <span>
#include <string>

namespace weft::io {

// A file in memory. The bytes are valid as long as `owner` or a copy of it lives.
struct mapped_file {
  std::shared_ptr<const void> owner; // unmaps the file when the last copy is destroyed
  std::span<const char> bytes;       // begin at the start of a page
};

// Maps a regular file, read-only. O(1), because pages are read when they are first touched. Throws io_error.
// The file must not become shorter while it is mapped: reading past its new end raises SIGBUS.
[[nodiscard]] mapped_file map_file(const std::string& path);

// Returns the path of the mapped file that holds `address`, or null if none of up to 16 files that are
// registered at a time does. Async-signal-safe: a handler of SIGBUS can name the file that became shorter or
// cannot be read.
[[nodiscard]] const char* mapped_path(const void* address) noexcept;

} // namespace weft::io
