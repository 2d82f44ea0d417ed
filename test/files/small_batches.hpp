// Patterns in batches that are so small that a search has many of them.
#pragma once

#include <cstdint>
#include <string>
#include <weft/files/find/patterns.hpp>
#include <weft/io/byte_source.hpp>
#include <weft/io/pattern_reader.hpp>

namespace weft::test {

// A pattern_source that returns batches of so many bytes, whatever the caller asks for.
class small_batches final : public files::pattern_source {
public:
  small_batches(const std::string& path, std::uint64_t bytes)
      : pattern_source(io::pattern_reader(io::open_bytes(path))), bytes_(bytes) {}
  [[nodiscard]] bool next(io::pattern_chunk& chunk, std::uint64_t) override {
    return pattern_source::next(chunk, bytes_);
  }

private:
  std::uint64_t bytes_;
};

} // namespace weft::test
