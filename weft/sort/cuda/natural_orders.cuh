// The natural orders of numbers, ascending and descending by value, which engines sort by without calling the
// comparator; and the types as which keys and values are sorted.
#pragma once

#include <concepts>
#include <cuda/std/functional>
#include <type_traits>
#include <weft/sort/core/ordered_bits.hpp>

namespace weft::sort_detail {

// Whether `Less` is the comparator `Known` of integers. For floats, cuda::std::less treats -0 and +0 as
// equal, so it is not a natural order of floats.
template <class T, class Less, template <class> class Known>
constexpr bool orders_integers =
    !std::floating_point<T> && (std::is_same_v<Less, Known<void>> || std::is_same_v<Less, Known<T>>);
template <class T, class Less>
constexpr bool is_ascending = std::is_same_v<Less, ascending> || orders_integers<T, Less, cuda::std::less>;
template <class T, class Less>
constexpr bool is_descending =
    std::is_same_v<Less, descending> || orders_integers<T, Less, cuda::std::greater>;

// Whether `Less` is a natural order of T. Two numbers of which neither comes before the other then have the
// same bits.
template <class T, class Less>
constexpr bool is_in_natural_order = number<T> && (is_ascending<T, Less> || is_descending<T, Less>);

template <class T, class Less>
using natural_less = std::conditional_t<is_descending<T, Less>, descending, ascending>;

// The type as which keys of T are sorted. Integers of up to 64 bits are sorted as the fixed-width integer of
// their size and sign, so that `long` and `long long` share their functions; all other keys as themselves.
template <class T> struct sorted_key { using type = T; };
template <std::integral T>
requires(sizeof(T) <= 8 && !std::same_as<T, bool>) struct sorted_key<T> {
  using type =
      std::conditional_t<std::is_signed_v<T>, std::make_signed_t<ordered_bits_t<T>>, ordered_bits_t<T>>;
};
template <class T> auto* sorted_keys(T* keys) {
  return reinterpret_cast<typename sorted_key<T>::type*>(keys);
}

// The type as which values of T are moved: integers of up to 64 bits as the unsigned integer of their size.
template <class T> struct moved_value { using type = T; };
template <std::integral T>
requires(sizeof(T) <= 8) struct moved_value<T> {
  using type = typename unsigned_of<sizeof(T)>::type;
};
template <class T> auto* moved_values(T* values) {
  return reinterpret_cast<typename moved_value<T>::type*>(values);
}

} // namespace weft::sort_detail
