// Collects in host memory the rows that the suffix sort on a GPU passes to its sink.
#pragma once

#include <cstdint>
#include <gtest/gtest.h>
#include <vector>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/bwt/cuda/suffix_sort/suffix_sort.hpp>

namespace weft::test {

// Calls sort(sink) and returns the rows. Checks that blocks of rows arrive one directly after another, `n`
// rows in all.
template <class Index, class Sort>
std::vector<Index> collected_rows(std::uint64_t n, const gpu::stream& work, const Sort& sort) {
  std::vector<Index> rows(n);
  std::uint64_t next = 0;
  sort([&](const bwt_detail::row_block<Index>& block) {
    EXPECT_EQ(block.first, next);
    gpu::copy(rows.data() + block.first, block.d_suffixes, block.count, work.get(), "download");
    work.wait();
    next += block.count;
  });
  EXPECT_EQ(next, n);
  return rows;
}

} // namespace weft::test
