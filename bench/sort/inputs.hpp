// Makes items for the benchmarks of sort on the CPU. They are seeded: the same type, distribution and number
// always give the same items.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <type_traits>
#include <vector>
#include <weft/sort/core/ordered_bits.hpp>

namespace weft::bench {

// An item of 16 bytes that is compared by its key.
struct record {
  std::uint64_t key, payload;
};
inline constexpr auto by_key = [](const record& a, const record& b) { return a.key < b.key; };

// Scales x from [0, 1) to the range of 64 bits. Other numbers are moved to the nearest end of the interval.
inline std::uint64_t scaled_to_64_bits(double x) {
  return static_cast<std::uint64_t>(std::clamp(x, 0.0, 1 - 0x1p-53) * 0x1p64);
}
inline double above_zero(std::mt19937_64& random) { // returns a number in (0, 1]
  return static_cast<double>((random() >> 11) + 1) * 0x1p-53;
}

inline std::uint64_t random_number(const std::string& distribution, std::mt19937_64& random) {
  if (distribution == "normal") { // mean 1/2, deviation 1/8 of the range
    const double radius = std::sqrt(-2 * std::log(above_zero(random)));
    return scaled_to_64_bits(0.5 + radius * std::cos(2 * 3.14159265358979324 * above_zero(random)) / 8);
  }
  if (distribution == "exponential")
    return scaled_to_64_bits(-std::log(above_zero(random)) / 16); // mean 1/16 of the range
  if (distribution == "16 values") return random() % 16;
  if (distribution == "zipf") return 1'000'000'000 / (random() % 1'000'000'000 + 1);
  if (distribution == "entropy 0.2") return random() & random() & random() & random() & random();
  return random();
}

template <class T> std::vector<T> random_items(const std::string& distribution, std::size_t n) {
  std::mt19937_64 random(1);
  std::vector<T> items(n);
  for (T& item : items) {
    const std::uint64_t x = random_number(distribution, random);
    if constexpr (std::is_same_v<T, record>)
      item = {x, n};
    else if constexpr (std::is_same_v<T, double>)
      item = static_cast<double>(static_cast<std::int64_t>(x)) / 1e6;
    else if constexpr (std::is_same_v<T, weft::uint128>)
      item = static_cast<weft::uint128>(x) << 64 | random();
    else
      item = static_cast<T>(x);
  }
  return items;
}

} // namespace weft::bench
