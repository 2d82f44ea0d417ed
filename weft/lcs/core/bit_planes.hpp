// A text over dense codes as bit planes: bit i of plane p is bit p of the code of symbol i.
//
//   const bit_planes text = make_bit_planes(std::span(codes), planes_for(4)); // codes 0..3: two planes
//
// Bits past the last symbol are zero. Two texts that are compared have the same number of planes; if they
// have no planes, all symbols are equal. A plane takes length / 8 bytes.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weft::lcs_detail {

// A text of `length` symbols as bit planes.
struct bit_planes {
  std::uint64_t length = 0;
  std::vector<std::vector<std::uint64_t>> planes; // each has (length + 63) / 64 words

  [[nodiscard]] int count() const noexcept { return static_cast<int>(planes.size()); }
  // Returns bit i of plane p.
  [[nodiscard]] bool bit(int p, std::uint64_t i) const noexcept {
    return (planes[static_cast<std::size_t>(p)][i / 64] >> (i % 64) & 1) != 0;
  }
};

// Returns the number of planes that `symbols` distinct codes need.
[[nodiscard]] inline int planes_for(std::uint64_t symbols) noexcept {
  return symbols < 2 ? 0 : static_cast<int>(std::bit_width(symbols - 1));
}

// Returns the planes of codes[0], codes[1], ..., which are all below 2^count. If `reversed`, bit 0 is the
// last symbol.
template <class Code>
[[nodiscard]] bit_planes make_bit_planes(std::span<const Code> codes, int count, bool reversed = false) {
  bit_planes text;
  text.length = codes.size();
  text.planes.assign(static_cast<std::size_t>(count), std::vector<std::uint64_t>((codes.size() + 63) / 64));
  std::uint64_t words[64];
  for (std::size_t first = 0; first < codes.size(); first += 64) {
    for (int p = 0; p < count; ++p) words[p] = 0;
    for (std::size_t i = first; i < codes.size() && i < first + 64; ++i) {
      const auto code = static_cast<std::uint64_t>(codes[reversed ? codes.size() - 1 - i : i]);
      for (int p = 0; p < count; ++p) words[p] |= (code >> p & 1) << (i - first);
    }
    for (int p = 0; p < count; ++p) text.planes[static_cast<std::size_t>(p)][first / 64] = words[p];
  }
  return text;
}

// Returns the bits of a word in the opposite order.
[[nodiscard]] constexpr std::uint64_t reverse_bits(std::uint64_t x) noexcept {
  x = (x >> 1 & 0x5555555555555555) | (x & 0x5555555555555555) << 1;
  x = (x >> 2 & 0x3333333333333333) | (x & 0x3333333333333333) << 2;
  x = (x >> 4 & 0x0f0f0f0f0f0f0f0f) | (x & 0x0f0f0f0f0f0f0f0f) << 4;
  x = (x >> 8 & 0x00ff00ff00ff00ff) | (x & 0x00ff00ff00ff00ff) << 8;
  x = (x >> 16 & 0x0000ffff0000ffff) | (x & 0x0000ffff0000ffff) << 16;
  return x >> 32 | x << 32;
}

// Returns the text backwards.
[[nodiscard]] inline bit_planes reversed(const bit_planes& text) {
  bit_planes result;
  result.length = text.length;
  const int spare = static_cast<int>((64 - text.length % 64) % 64);
  for (const std::vector<std::uint64_t>& plane : text.planes) {
    std::vector<std::uint64_t> mirror(plane.size());
    for (std::size_t w = 0; w < plane.size(); ++w) mirror[w] = reverse_bits(plane[plane.size() - 1 - w]);
    if (spare != 0)
      for (std::size_t w = 0; w < mirror.size(); ++w)
        mirror[w] = mirror[w] >> spare | (w + 1 < mirror.size() ? mirror[w + 1] << (64 - spare) : 0);
    result.planes.push_back(std::move(mirror));
  }
  return result;
}

} // namespace weft::lcs_detail
