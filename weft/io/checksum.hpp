// Checksums of file contents: XXH3 with 64 bits, as files keep them (little-endian, seed 0).
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace weft::io {

// Of all the bytes at once.
[[nodiscard]] std::uint64_t checksum(std::string_view bytes);

// The same over bytes that come in pieces.
class running_checksum {
public:
  running_checksum();
  ~running_checksum();
  // The next piece, and the checksum of all so far.
  void add(std::string_view bytes);
  [[nodiscard]] std::uint64_t value() const;

private:
  struct state;
  std::unique_ptr<state> state_;
};

} // namespace weft::io
