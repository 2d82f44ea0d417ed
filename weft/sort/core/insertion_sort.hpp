// Insertion sort, for a few items.
#pragma once

#include <weft/base/host_device.hpp>

namespace weft::sort_detail {

// Sorts items[0 .. n-1]. Stable. O(n^2) time.
template <class T, class Index, class Less>
WEFT_HOST_DEVICE void sort_by_insertion(T* items, Index n, Less& less) {
  for (Index i = 1; i < n; ++i) {
    const T item = items[i];
    Index j = i;
    for (; j > 0 && less(item, items[j - 1]); --j) items[j] = items[j - 1];
    items[j] = item;
  }
}

} // namespace weft::sort_detail
