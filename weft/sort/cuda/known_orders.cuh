// The comparators of numbers that the engines know, so that they can sort the numbers without calling them.
#pragma once

#include <concepts>
#include <cuda/std/functional>
#include <type_traits>
#include <weft/sort/core/ordered_bits.hpp>

namespace weft::sort_detail {

// Whether `Less` is the comparator `Known` of integers. For floats, cuda::std::less treats -0 and +0 as
// equal, so it is not a known order of them.
template <class T, class Less, template <class> class Known>
constexpr bool orders_integers =
    !std::floating_point<T> && (std::is_same_v<Less, Known<void>> || std::is_same_v<Less, Known<T>>);
template <class T, class Less>
constexpr bool is_ascending = std::is_same_v<Less, ascending> || orders_integers<T, Less, cuda::std::less>;
template <class T, class Less>
constexpr bool is_descending =
    std::is_same_v<Less, descending> || orders_integers<T, Less, cuda::std::greater>;

// Whether `Less` orders numbers in their own order. Two numbers of which neither comes before the other then
// have the same bits.
template <class T, class Less>
constexpr bool is_in_known_order = number<T> && (is_ascending<T, Less> || is_descending<T, Less>);

} // namespace weft::sort_detail
