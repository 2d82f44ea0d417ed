// A file's bytes as memory.
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

// Maps a regular file, read-only. Throws io_error. The file must not be made shorter while it is mapped.
[[nodiscard]] mapped_file map_file(const std::string& path);

} // namespace weft::io
