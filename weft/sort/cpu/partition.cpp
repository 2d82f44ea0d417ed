// The plain version:
//     before = 0
//     for i in 0..n: if items[i] before pivot: swap(items[i], items[before++])
//
// With vectors: first, two groups of vectors are read into a buffer, one from each end, which makes free
// space. Then each step reads a group from the side with less free space, which frees a group there, and
// writes each of its vectors compressed to both ends. Invariants: whenever a group is about to be read, the
// free space on both sides together is two groups, so the group fits on either side after it has been read;
// the free space on the left is [left, read_left), on the right [read_right, right). At the end, the items
// that remain in the middle go through the buffer, together with the two groups.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/sort/cpu/partition.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>
#include <weft/sort/core/ordered_bits.hpp>
#include <weft/sort/cpu/numbers.hpp>

HWY_BEFORE_NAMESPACE();
namespace weft::sort_detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class Number, bool Descending>
HWY_ATTR std::uint64_t partition_vectors(Number* HWY_RESTRICT items, std::uint64_t n, Number pivot) {
  const hn::ScalableTag<Number> d;
  using vector = hn::Vec<decltype(d)>;
  const std::uint64_t lanes = hn::Lanes(d);
  constexpr std::uint64_t unroll = 4;
  const std::uint64_t group = unroll * lanes;
  const vector pivots = hn::Set(d, pivot);
  std::uint64_t left = 0, right = n, read_left = 0, read_right = n;
  constexpr std::uint64_t buffer_items = 3 * unroll * HWY_MAX_BYTES / sizeof(Number);
  HWY_ALIGN Number buffer[buffer_items];
  std::uint64_t buffered = 0;

  if (n >= 2 * group) {
    for (std::uint64_t j = 0; j < group; ++j) buffer[buffered++] = items[j];
    for (std::uint64_t j = 0; j < group; ++j) buffer[buffered++] = items[n - group + j];
    read_left = group;
    read_right = n - group;
    while (read_right - read_left >= group) {
      const bool from_left = read_left - left <= right - read_right;
      const Number* source = items + (from_left ? read_left : read_right - group);
      vector v[unroll];
      for (std::uint64_t j = 0; j < unroll; ++j) v[j] = hn::LoadU(d, source + j * lanes);
      if (from_left)
        read_left += group;
      else
        read_right -= group;
      for (std::uint64_t j = 0; j < unroll; ++j) {
        const auto before = Descending ? hn::Gt(v[j], pivots) : hn::Lt(v[j], pivots);
        // This is not Compress, because Highway 1.0.3 copies a table of 2 KiB to the stack in each call of it
        // for 64-bit lanes.
        const std::uint64_t count = hn::CompressStore(v[j], before, d, items + left);
        left += count;
        right -= lanes - count;
        hn::CompressBlendedStore(v[j], hn::Not(before), d, items + right);
      }
    }
  }
  for (std::uint64_t j = read_left; j < read_right; ++j) buffer[buffered++] = items[j];
  for (std::uint64_t j = 0; j < buffered; ++j)
    if (Descending ? buffer[j] > pivot : buffer[j] < pivot)
      items[left++] = buffer[j];
    else
      items[--right] = buffer[j];
  return left;
}

#define WEFT_PARTITION(NAME, NUMBER)                                                                         \
  std::uint64_t NAME(NUMBER* items, std::uint64_t n, NUMBER pivot, sort_order order) {                       \
    return order == sort_order::descending ? partition_vectors<NUMBER, true>(items, n, pivot)                \
                                           : partition_vectors<NUMBER, false>(items, n, pivot);              \
  }
WEFT_PARTITION(partition_u32, std::uint32_t)
WEFT_PARTITION(partition_u64, std::uint64_t)
WEFT_PARTITION(partition_i32, std::int32_t)
WEFT_PARTITION(partition_i64, std::int64_t)
#undef WEFT_PARTITION

} // namespace weft::sort_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::sort_detail {

HWY_EXPORT(partition_u32);
HWY_EXPORT(partition_u64);
HWY_EXPORT(partition_i32);
HWY_EXPORT(partition_i64);

template <>
std::uint64_t partition_before(std::uint32_t* items, std::uint64_t n, std::uint32_t pivot, sort_order order) {
  return HWY_DYNAMIC_DISPATCH(partition_u32)(items, n, pivot, order);
}
template <>
std::uint64_t partition_before(std::uint64_t* items, std::uint64_t n, std::uint64_t pivot, sort_order order) {
  return HWY_DYNAMIC_DISPATCH(partition_u64)(items, n, pivot, order);
}
template <>
std::uint64_t partition_before(std::int32_t* items, std::uint64_t n, std::int32_t pivot, sort_order order) {
  return HWY_DYNAMIC_DISPATCH(partition_i32)(items, n, pivot, order);
}
template <>
std::uint64_t partition_before(std::int64_t* items, std::uint64_t n, std::int64_t pivot, sort_order order) {
  return HWY_DYNAMIC_DISPATCH(partition_i64)(items, n, pivot, order);
}

// There are no vectors of 128-bit lanes. Two items are swapped whether the item comes before the pivot or
// not, so that there is no branch to predict.
template <> std::uint64_t partition_before(uint128* items, std::uint64_t n, uint128 pivot, sort_order order) {
  std::uint64_t before = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    const uint128 item = items[i];
    items[i] = items[before];
    items[before] = item;
    before += static_cast<std::uint64_t>(order == sort_order::descending ? item > pivot : item < pivot);
  }
  return before;
}

} // namespace weft::sort_detail
#endif
