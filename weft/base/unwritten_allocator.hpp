// An allocator whose containers do not write items that they make of nothing: a large vector can be given its
// size at once, and its items then be written by several threads, each once.
//
//   std::vector<int, weft::unwritten_allocator<int>> squares;
//   squares.resize(10000);                       // no page of it has been touched
//   for (int i = 0; i < 10000; ++i) squares[i] = i * i;
//   squares.back();                              // == 99980001
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace weft {

// For types that copying bytes copies. vector(count), resize(count) and emplace_back() leave items with
// whatever value; all else is as with std::allocator.
template <class T> struct unwritten_allocator : std::allocator<T> {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  template <class U> struct rebind { using other = unwritten_allocator<U>; };
  // An item of nothing is not written; any other is, as always.
  template <class U> void construct(U*) noexcept {}
  template <class U, class First, class... Others> void construct(U* at, First&& first, Others&&... others) {
    std::construct_at(at, std::forward<First>(first), std::forward<Others>(others)...);
  }
};

} // namespace weft
