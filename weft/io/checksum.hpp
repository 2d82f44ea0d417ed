// Checksums of file contents: XXH3 with 64 bits, as files keep them (little-endian, seed 0).
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace weft::io {

[[nodiscard]] std::uint64_t checksum(std::string_view bytes);

// The same over bytes that come in pieces.
class running_checksum {
public:
  running_checksum();
  ~running_checksum();
  void add(std::string_view bytes);
  [[nodiscard]] std::uint64_t value() const;

private:
  struct state;
  std::unique_ptr<state> state_;
};

} // namespace weft::io
