// Checksums of file contents: 64-bit XXH3 with seed 0, which files store as little-endian numbers.
//
//   weft::io::running_checksum sum;
//   sum.add("GATT");
//   sum.add("ACA");
//   sum.value();                                    // == weft::io::checksum("GATTACA")
//   weft::io::running_checksum other;
//   other.restore(sum.save());
//   other.value();                                  // == weft::io::checksum("GATTACA")
//
// Source: Collet, xxHash (https://github.com/Cyan4973/xxHash).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace weft::io {

// Returns the checksum of `bytes`. O(bytes), at about the speed of memory; takes no memory.
[[nodiscard]] std::uint64_t checksum(std::string_view bytes);

// Computes the checksum of bytes that come in pieces of any sizes. Takes 600 bytes. Not thread-safe.
class running_checksum {
public:
  // Starts with no bytes. Throws bad_alloc.
  running_checksum();
  ~running_checksum();
  // add() appends the next piece in O(its bytes); value() returns the checksum of all bytes so far in O(1).
  void add(std::string_view bytes);
  [[nodiscard]] std::uint64_t value() const;
  // save() returns the state of the object, from which another one, which may be of another process of the
  // same program with the same libxxhash, goes on after restore(). Throws std::invalid_argument if `saved`
  // has another size.
  [[nodiscard]] std::string save() const;
  void restore(std::string_view saved);

private:
  struct state;
  std::unique_ptr<state> state_;
};

} // namespace weft::io
