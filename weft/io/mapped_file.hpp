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
// not be made shorter while it is mapped.
[[nodiscard]] mapped_file map_file(const std::string& path);

} // namespace weft::io
