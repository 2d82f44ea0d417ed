// What the tests of sorts of many ranks share: items, their division among ranks, and ranks that are threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>
#include <weft/multi/communicator.hpp>
#include <weft/multi/thread_ranks.hpp>
#include <weft/sort/sort.hpp>

namespace weft::test {

// The items of each rank.
template <class T> using parts_of = std::vector<std::vector<T>>;

template <class T> std::vector<T> joined(const parts_of<T>& parts) {
  std::vector<T> all;
  for (const std::vector<T>& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

template <class T> bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

// Calls body(ranks, part of the rank) on as many ranks as there are parts, and returns the parts afterwards.
template <class T>
parts_of<T> on_ranks(parts_of<T> parts,
                     const std::function<void(multi::communicator&, std::vector<T>&)>& body) {
  multi::run_ranks(static_cast<int>(parts.size()), [&](multi::communicator& ranks) {
    body(ranks, parts[static_cast<std::size_t>(ranks.rank())]);
  });
  return parts;
}

// Returns the items [begin, end).
template <class T> std::vector<T> slice(const std::vector<T>& items, std::size_t begin, std::size_t end) {
  return {items.begin() + static_cast<std::ptrdiff_t>(begin),
          items.begin() + static_cast<std::ptrdiff_t>(end)};
}

// Cuts items into parts of random sizes, some of which are empty.
template <class T>
parts_of<T> cut(const std::vector<T>& items, std::size_t num_ranks, std::mt19937_64& random) {
  std::vector<std::size_t> bounds = {0, items.size()};
  for (std::size_t r = 1; r < num_ranks; ++r) bounds.push_back(random() % (items.size() + 1));
  std::sort(bounds.begin(), bounds.end());
  parts_of<T> parts;
  for (std::size_t r = 0; r < num_ranks; ++r) parts.push_back(slice(items, bounds[r], bounds[r + 1]));
  return parts;
}

// A key and a mark that shows in which order equal keys come.
struct marked {
  int key;
  std::uint32_t mark;
};
inline constexpr auto by_key = [](const marked& a, const marked& b) { return a.key < b.key; };

inline std::vector<marked> marked_items(const std::vector<int>& keys) {
  std::vector<marked> items;
  for (const int key : keys) items.push_back({key, static_cast<std::uint32_t>(items.size())});
  return items;
}

// Returns numbers of a type: random bits, of which some are equal and some special.
template <class T> std::vector<T> numbers_of(std::size_t count, std::mt19937_64& random) {
  std::vector<T> items(count);
  for (T& item : items) {
    const uint128 bits = (uint128{random()} << 64) + random();
    std::memcpy(&item, &bits, sizeof item);
    if (random() % 4 == 0) item = static_cast<T>(random() % 3);
    if constexpr (std::is_floating_point_v<T>)
      if (random() % 8 == 0) item = random() % 2 == 0 ? -T{0} : std::numeric_limits<T>::quiet_NaN();
  }
  return items;
}

} // namespace weft::test
