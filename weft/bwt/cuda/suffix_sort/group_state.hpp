// The groups of suffixes that a suffix sort has not told apart yet, in device memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/bwt/cuda/suffix_sort/suffix_kernels.hpp>

namespace weft::bwt_detail {

// The groups of a set of partially sorted suffixes: the bits that mark where groups begin, and lists of the
// groups by kind.
class group_state {
public:
  group_state(std::uint64_t size, cudaStream_t stream) : stream_(stream), counts_(group_kinds, stream) {
    heads.size = size;
    for (int i = 0; i < head_levels; ++i) {
      levels_[static_cast<std::size_t>(i)] = {head_bits::words(size, i), stream};
      heads.level[i] = levels_[static_cast<std::size_t>(i)].data();
    }
    lists.counts = counts_.data();
    for (int k = 0; k < group_kinds; ++k) {
      const std::uint64_t min_size = k == 0 ? 2 : width_of(k - 1) + 1; // smallest group of this kind
      lists_[static_cast<std::size_t>(k)] = {size / min_size + 1, stream};
      lists.items[k] = lists_[static_cast<std::size_t>(k)].data();
    }
  }

  // Lists the current groups. Returns whether there are any.
  bool update_lists() {
    list_groups(heads, lists, stream_);
    return read_counts();
  }
  // Does the same after a round in which only large groups have changed. d_offsets and items describe the
  // large groups listed before that round.
  bool update_lists_of_large(const std::uint64_t* d_offsets, std::uint64_t items) {
    const std::uint32_t groups = count(large_groups);
    gpu::device_buffer<group> before(lists_[large_groups].size(), stream_);
    std::swap(before, lists_[large_groups]);
    lists.items[large_groups] = lists_[large_groups].data();
    list_groups_of_items(before.data(), d_offsets, groups, items, heads, lists, stream_);
    return read_counts();
  }
  bool read_counts() {
    counts = gpu::downloaded(counts_.data(), group_kinds, stream_, "sort suffixes");
    return std::any_of(counts.begin(), counts.end(), [](std::uint32_t count) { return count > 0; });
  }
  [[nodiscard]] std::uint32_t count(int kind) const { return counts[static_cast<std::size_t>(kind)]; }
  // Returns an upper bound on the number of suffixes in groups that are not large.
  [[nodiscard]] std::uint64_t max_in_small_groups() const {
    std::uint64_t sum = 0;
    for (int kind = 0; kind < large_groups; ++kind) sum += std::uint64_t{count(kind)} * width_of(kind);
    return sum;
  }

  head_bits heads{};
  group_lists lists{};
  std::vector<std::uint32_t> counts; // lengths of the lists

private:
  cudaStream_t stream_;
  std::array<gpu::device_buffer<std::uint64_t>, head_levels> levels_;
  std::array<gpu::device_buffer<group>, group_kinds> lists_;
  gpu::device_buffer<std::uint32_t> counts_;
};

} // namespace weft::bwt_detail
