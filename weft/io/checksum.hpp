// Checksums of file contents: XXH3 with 64 bits, as files keep them (little-endian, seed 0).
//
//   weft::io::running_checksum sum;
//   sum.add("GATT");
//   sum.add("ACA");
//   sum.value();                                    // == weft::io::checksum("GATTACA")
//
// Source: Collet, xxHash (https://github.com/Cyan4973/xxHash).
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace weft::io {

// Of all the bytes at once. O(bytes), at about the speed of memory; no memory of its own.
[[nodiscard]] std::uint64_t checksum(std::string_view bytes);

// The same over bytes that come in pieces, however they are cut. Takes 600 bytes. Not thread-safe.
class running_checksum {
public:
  // Of no bytes yet. The constructor throws bad_alloc.
  running_checksum();
  ~running_checksum();
  // The next piece, O(its bytes), and the checksum of all so far, O(1).
  void add(std::string_view bytes);
  [[nodiscard]] std::uint64_t value() const;

private:
  struct state;
  std::unique_ptr<state> state_;
};

} // namespace weft::io
