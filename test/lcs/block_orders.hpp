// Runs a block on the host in three orders of its threads.
#pragma once

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>
#include <weft/base/block.hpp>

namespace weft::test {

// Calls f(block) for ascending, descending and shuffled threads.
template <class Body> void for_each_order(int threads, unsigned seed, const Body& f) {
  std::vector<int> shuffled(static_cast<std::size_t>(threads));
  std::iota(shuffled.begin(), shuffled.end(), 0);
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(seed));
  f(host_block{threads, thread_order::ascending, {}});
  f(host_block{threads, thread_order::descending, {}});
  f(host_block{threads, thread_order::ascending, shuffled});
}

} // namespace weft::test
