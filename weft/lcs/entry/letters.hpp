// Letters with a special meaning: wildcards, which equal every letter, and unmatched letters, which equal
// none.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <weft/lcs/entry/engine_basics.hpp>

namespace weft::lcs_detail {

// A set of bytes.
class byte_set {
public:
  explicit byte_set(std::string_view bytes = {}) {
    for (const char c : bytes) contains_[static_cast<std::uint8_t>(c)] = 1;
  }
  [[nodiscard]] bool contains(std::uint8_t byte) const { return contains_[byte] != 0; }
  // Whether a text contains a byte of the set. O(text.size()).
  [[nodiscard]] bool occurs_in(text<std::uint8_t> text) const {
    return std::any_of(text.begin(), text.end(), [this](std::uint8_t byte) { return contains(byte); });
  }

private:
  std::array<std::uint8_t, 256> contains_{};
};

} // namespace weft::lcs_detail
