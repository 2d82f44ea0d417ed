// A text over dense codes as bit planes: bit i of plane p is bit p of the code of symbol i.
//
//   const bit_planes text = make_bit_planes(std::span(codes), planes_for(4)); // codes 0..3: two planes
//
// Bits past the last symbol are zero. Two texts that are compared have equally many planes; none at all means
// that all symbols are equal. length / 8 bytes a plane.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weft::lcs_core {

struct bit_planes {
  std::uint64_t length = 0;
  std::vector<std::vector<std::uint64_t>> planes; // each of (length + 63) / 64 words

  [[nodiscard]] int count() const noexcept { return static_cast<int>(planes.size()); }
  // Bit i of plane p.
  [[nodiscard]] bool bit(int p, std::uint64_t i) const noexcept {
    return (planes[static_cast<std::size_t>(p)][i / 64] >> (i % 64) & 1) != 0;
  }
};

// Planes that `symbols` distinct codes need.
[[nodiscard]] inline int planes_for(std::uint64_t symbols) noexcept {
  return symbols < 2 ? 0 : static_cast<int>(std::bit_width(symbols - 1));
}

// The planes of codes[0], codes[1], ..., all below 2^count. Reversed: of the last symbol first.
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

// A word's bits in the opposite order.
[[nodiscard]] constexpr std::uint64_t reverse_bits(std::uint64_t x) noexcept {
  x = (x >> 1 & 0x5555555555555555) | (x & 0x5555555555555555) << 1;
  x = (x >> 2 & 0x3333333333333333) | (x & 0x3333333333333333) << 2;
  x = (x >> 4 & 0x0f0f0f0f0f0f0f0f) | (x & 0x0f0f0f0f0f0f0f0f) << 4;
  x = (x >> 8 & 0x00ff00ff00ff00ff) | (x & 0x00ff00ff00ff00ff) << 8;
  x = (x >> 16 & 0x0000ffff0000ffff) | (x & 0x0000ffff0000ffff) << 16;
  return x >> 32 | x << 32;
}

// The text backwards.
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

} // namespace weft::lcs_core
