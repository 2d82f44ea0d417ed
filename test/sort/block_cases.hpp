// Runs blocks on the host with several numbers and orders of threads, and enumerates small inputs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <vector>
#include <weft/base/block.hpp>

namespace weft::test {

// Calls f(block) for 1, 2, 3 and 32 threads in ascending, descending and shuffled order.
template <class Body> void for_each_block(const Body& f) {
  static const auto permutation_of = [](int threads) {
    std::vector<int> permutation(static_cast<std::size_t>(threads));
    std::iota(permutation.begin(), permutation.end(), 0);
    std::shuffle(permutation.begin(), permutation.end(), std::mt19937(7));
    return permutation;
  };
  static const std::map<int, std::vector<int>> permutations = {
      {2, permutation_of(2)}, {3, permutation_of(3)}, {32, permutation_of(32)}};
  f(host_block{1, thread_order::ascending, {}});
  for (const auto& [threads, permutation] : permutations) {
    f(host_block{threads, thread_order::ascending, {}});
    f(host_block{threads, thread_order::descending, {}});
    f(host_block{threads, thread_order::ascending, permutation});
  }
}

// An item that records its original index.
struct placed {
  int key, origin;
  bool operator==(const placed&) const = default;
};
struct by_key {
  bool operator()(const placed& a, const placed& b) const { return a.key < b.key; }
};

inline std::vector<placed> with_origins(const std::vector<int>& keys, int first = 0) {
  std::vector<placed> items;
  for (const int key : keys) items.push_back({key, first++});
  return items;
}

// Calls f(keys) for all sequences of exactly n keys in [0, sigma).
template <class Body> void for_each_sequence(int n, int sigma, const Body& f) {
  std::vector<int> keys(static_cast<std::size_t>(n), 0);
  for (;;) {
    f(static_cast<const std::vector<int>&>(keys));
    std::size_t i = 0;
    while (i < keys.size() && ++keys[i] == sigma) keys[i++] = 0;
    if (i == keys.size()) return;
  }
}

// Calls f(keys) for all ascending sequences of n keys in [0, sigma).
template <class Body> void for_each_sorted(int n, int sigma, const Body& f) {
  for_each_sequence(n, sigma, [&](const std::vector<int>& keys) {
    if (std::is_sorted(keys.begin(), keys.end())) f(keys);
  });
}

} // namespace weft::test
