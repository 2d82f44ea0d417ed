// Merge Path (Odeh, Green, Mwassi, Shmueli & Birk, IPDPSW 2012): cuts a merge into slices of equal output.
//
// The stable merge of sorted a and b is a path of |a| + |b| steps, each of which takes an item of a or of b
// (of equal items, those of a first). The path crosses the diagonal i + j = d at the only i for which
//     a[i - 1] is not after b[j] (or i == 0 or j == |b|), and b[j - 1] is before a[i] (or j == 0 or i ==
//     |a|).
// Binary search finds this i, so that outputs [d, d + n) can be merged without merging the outputs before d.
// If `less` is not a strict weak order, results are arbitrary, but nothing outside of a and b is read. a and
// b are pointers, or any other objects for which a[i] is an item.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>

namespace weft::sort_detail {

// Returns how many of the first `diagonal` items of the merge come from a. diagonal <= a_size + b_size. O(log
// min(a_size, b_size, diagonal)) comparisons.
template <class A, class B, class Index, class Less>
WEFT_HOST_DEVICE Index merge_path(A a, Index a_size, B b, Index b_size, Index diagonal, Less& less) {
  Index low = diagonal > b_size ? diagonal - b_size : 0;
  Index high = diagonal < a_size ? diagonal : a_size;
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (less(b[diagonal - 1 - middle], a[middle]))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

// Merges `count` items, starting with a[i] and b[j], into to[0 .. count-1]. i + j + count <= a_size + b_size.
template <class T, class Index, class Less>
WEFT_HOST_DEVICE void serial_merge(const T* a, Index a_size, const T* b, Index b_size, Index i, Index j,
                                   Index count, T* to, Less& less) {
  T* const end = to + count;
  while (to != end && i < a_size && j < b_size) {
    const bool take_b = less(b[j], a[i]);
    *to++ = *(take_b ? b + j : a + i);
    j += take_b;
    i += !take_b;
  }
  while (to != end && i < a_size) *to++ = a[i++];
  while (to != end) *to++ = b[j++];
}

// Writes outputs [begin, end) of the merge of a and b to to[0 .. end-begin-1].
template <class T, class Index, class Less>
WEFT_HOST_DEVICE void merge_slice(const T* a, Index a_size, const T* b, Index b_size, Index begin, Index end,
                                  T* to, Less& less) {
  const Index i = merge_path(a, a_size, b, b_size, begin, less);
  serial_merge(a, a_size, b, b_size, i, begin - i, end - begin, to, less);
}

} // namespace weft::sort_detail
