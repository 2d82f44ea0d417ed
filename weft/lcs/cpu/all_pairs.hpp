// All pairs of a batch: threads over pairs.
#pragma once

#include <cmath>
#include <vector>
#include <weft/base/parallel.hpp>
#include <weft/lcs/cpu/common.hpp>

namespace weft::lcs_cpu {

// value(i, j, options) for all j < i < sizes.size(), in the order of the strictly lower triangle.
template <class Value>
std::vector<std::uint64_t> all_pairs(const std::vector<std::uint64_t>& sizes, const lcs_options& options,
                                     const Value& value) {
  const std::uint64_t count = sizes.size(), pairs = count < 2 ? 0 : cells(count, count - 1) / 2;
  require_memory("all pairs", cells(pairs, 8), options.memory);
  std::vector<std::uint64_t> values(pairs);
  std::uint64_t total = 0, before = 0;
  for (const std::uint64_t size : sizes) {
    total += cells(size, before);
    before += size;
  }
  progress work(options.monitor, total);
  lcs_options inner = options;
  inner.threads = 1;
  inner.monitor = nullptr;
  parallel_for(0, count, 1, options.threads, [&](std::uint64_t i, std::uint64_t) {
    for (std::uint64_t j = 0; j < i; ++j) {
      values[i * (i - 1) / 2 + j] = value(i, j, inner);
      work.add(cells(sizes[i], sizes[j]));
    }
  });
  return values;
}

} // namespace weft::lcs_cpu
