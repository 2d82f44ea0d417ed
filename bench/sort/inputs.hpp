// Makes items for the benchmarks of sort. They are seeded: the same type, distribution and number always give
// the same items.
#pragma once

#include <algorithm>
#include <bench/kept_input.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <vector>
#include <weft/base/host_device.hpp>
#include <weft/base/mixed.hpp>
#include <weft/sort/core/ordered_bits.hpp>

namespace weft::bench {

// An item of 16 bytes that is compared by its key. The payload is its position in the input.
struct record {
  std::uint64_t key, payload;
};
struct by_key {
  WEFT_HOST_DEVICE bool operator()(const record& a, const record& b) const { return a.key < b.key; }
};

// Scales x from [0, 1) to the range of 64 bits. Other numbers are moved to the nearest end of the interval.
inline std::uint64_t scaled_to_64_bits(double x) {
  return static_cast<std::uint64_t>(std::clamp(x, 0.0, 1 - 0x1p-53) * 0x1p64);
}
inline double above_zero(std::mt19937_64& random) { // returns a number in (0, 1]
  return static_cast<double>((random() >> 11) + 1) * 0x1p-53;
}

// Returns the AND of random words: each bit is set with a probability of 1 / 2^num_words.
inline std::uint64_t sparse_bits(std::mt19937_64& random, int num_words) {
  std::uint64_t bits = random();
  for (int i = 1; i < num_words; ++i) bits &= random();
  return bits;
}

// Returns number i of n. The distributions:
//   uniform, normal, exponential          of 64 bits
//   sorted, reversed                      as far apart as possible
//   entropy 0.5, entropy 0.2              bits that are set with a probability of 1/8 and 1/32: 0.544 and
//                                         0.201 bits of entropy for each bit
//   zipf, 16 values, all equal            small numbers: at most 10^9
//   misleading                            uniform, but the numbers that the engine sample-merge samples are
//                                         zero (see random_items)
inline std::uint64_t random_number(std::string_view distribution, std::uint64_t i, std::uint64_t n,
                                   std::mt19937_64& random) {
  if (distribution == "normal") { // mean 1/2, deviation 1/8 of the range
    const double radius = std::sqrt(-2 * std::log(above_zero(random)));
    return scaled_to_64_bits(0.5 + radius * std::cos(2 * 3.14159265358979324 * above_zero(random)) / 8);
  }
  if (distribution == "exponential")
    return scaled_to_64_bits(-std::log(above_zero(random)) / 16); // mean 1/16 of the range
  if (distribution == "16 values") return random() % 16;
  if (distribution == "zipf") return 1'000'000'000 / (random() % 1'000'000'000 + 1);
  if (distribution == "all equal") return 7;
  if (distribution == "entropy 0.5") return sparse_bits(random, 3);
  if (distribution == "entropy 0.2") return sparse_bits(random, 5);
  if (distribution == "sorted") return i * (~std::uint64_t{0} / n);
  if (distribution == "reversed") return (n - 1 - i) * (~std::uint64_t{0} / n);
  return random();
}

// Sets the items to zero that the engine sample-merge samples with its default seed (choose_splitters in
// weft/sort/published/sample_partition.hpp).
template <class T> void mislead(std::vector<T>& items) {
  constexpr std::uint64_t max_samples = 1 << 14;
  for (std::uint64_t i = 0; i < max_samples; ++i)
    items[weft::base_detail::mixed(weft::base_detail::mixed(1) ^ i) % items.size()] = T{};
}

template <class T> std::vector<T> random_items(std::string_view distribution, std::size_t n) {
  // The upper half of these numbers tells their order.
  const bool is_ordered = distribution == "sorted" || distribution == "reversed",
             is_upper = is_ordered || distribution == "normal" || distribution == "exponential",
             is_small = distribution == "zipf" || distribution == "16 values" || distribution == "all equal";
  std::mt19937_64 random(1);
  std::vector<T> items(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t x = random_number(distribution, i, n, random);
    if constexpr (std::is_same_v<T, double>)
      items[i] = static_cast<double>(static_cast<std::int64_t>(x)) / 1e6;
    else if constexpr (std::is_same_v<T, weft::uint128>)
      items[i] = is_small
                     ? T{x}
                     : static_cast<T>(x) << 64 | (is_ordered ? 0 : random_number(distribution, i, n, random));
    else
      items[i] = static_cast<T>(sizeof(T) == 4 && is_upper ? x >> 32 : x);
  }
  if (distribution == "misleading") mislead(items);
  return items;
}

// Returns the items, which are kept if the last input was the same.
template <class T>
std::shared_ptr<const std::vector<T>> kept_items(std::string_view distribution, std::size_t n) {
  const std::string key = std::string(typeid(T).name()) + " " + std::string(distribution) + " ";
  return input_of<std::vector<T>>(key + std::to_string(n), [&] { return random_items<T>(distribution, n); });
}

// Returns true if the items are in order and each key of the input is among them once, with its position as
// payload; and, if `stable`, equal keys are in the order of the input.
template <class Key, class Item>
bool are_sorted_pairs(std::span<const Key> input, std::span<const Item> items, bool stable) {
  if (items.size() != input.size()) return false;
  std::vector<bool> seen(input.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto position = static_cast<std::size_t>(items[i].payload);
    if (position >= input.size() || seen[position] || input[position] != items[i].key) return false;
    seen[position] = true;
    if (i == 0) continue;
    if (items[i].key < items[i - 1].key) return false;
    if (stable && items[i].key == items[i - 1].key && position < items[i - 1].payload) return false;
  }
  return true;
}

} // namespace weft::bench
