// The comparators whose order of numbers engines know.
#pragma once

#include <concepts>
#include <cuda/std/functional>
#include <type_traits>
#include <weft/sort/core/ordered_bits.hpp>

namespace weft::gpu::detail {

// Of floats cuda::std::less takes -0 and +0 as equal.
template <class T, class Less, template <class> class Known>
constexpr bool orders_integers =
    !std::floating_point<T> && (std::is_same_v<Less, Known<void>> || std::is_same_v<Less, Known<T>>);
template <class T, class Less>
constexpr bool is_ascending = std::is_same_v<Less, ascending> || orders_integers<T, Less, cuda::std::less>;
template <class T, class Less>
constexpr bool is_descending =
    std::is_same_v<Less, descending> || orders_integers<T, Less, cuda::std::greater>;

// Numbers in their own order: those that neither is before are the same bits.
template <class T, class Less>
constexpr bool in_known_order = number<T> && (is_ascending<T, Less> || is_descending<T, Less>);

} // namespace weft::gpu::detail
