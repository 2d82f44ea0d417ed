// An allocator whose containers leave value-initialised items unwritten. So a large vector can get its size
// at once, and several threads can then write its items, each item once. Memory for 2 MiB and more goes back
// to the system when it is freed; malloc() would keep up to 32 MiB for later, beside what is allocated then.
//
//   weft::unwritten_vector<int> squares;
//   squares.resize(10000);                       // no page of it has been touched
//   for (int i = 0; i < 10000; ++i) squares[i] = i * i;
//   squares.back();                              // == 99980001
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>
#include <weft/base/memory.hpp>

namespace weft {

// An allocator for trivially copyable types. vector(count), resize(count) and emplace_back() leave the new
// items with indeterminate values; everything else behaves as with std::allocator.
template <class T> struct unwritten_allocator : std::allocator<T> {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  template <class U> struct rebind { using other = unwritten_allocator<U>; };
  // Returns memory for `count` items, of 2 MiB and more directly from the system. Throws bad_alloc.
  [[nodiscard]] T* allocate(std::size_t count) {
    if (count < min_mapped) return std::allocator<T>::allocate(count);
    if (count > max_count) throw std::bad_array_new_length();
    return static_cast<T*>(base_detail::map_memory(count * sizeof(T)));
  }
  // Frees the memory of allocate(count).
  void deallocate(T* memory, std::size_t count) noexcept {
    if (count < min_mapped)
      std::allocator<T>::deallocate(memory, count);
    else
      base_detail::unmap_memory(memory, count * sizeof(T));
  }
  // Without arguments, construct() leaves the item unwritten; with arguments, it constructs the item as
  // usual.
  template <class U> void construct(U*) noexcept {}
  template <class U, class First, class... Others> void construct(U* at, First&& first, Others&&... others) {
    std::construct_at(at, std::forward<First>(first), std::forward<Others>(others)...);
  }

private:
  static constexpr std::size_t min_mapped = ((std::size_t{1} << 21) - 1) / sizeof(T) + 1,
                               max_count = ~std::size_t{0} / 2 / sizeof(T);
};

// A vector whose resize(count) leaves the new items unwritten.
template <class T> using unwritten_vector = std::vector<T, unwritten_allocator<T>>;

// Gives an empty vector its size, on large pages if the system has them.
template <class T, class Allocator> void allocate(std::vector<T, Allocator>& vector, std::uint64_t size) {
  vector.reserve(size);
  prefer_large_pages(vector.data(), size * sizeof(T));
  vector.resize(size);
}

} // namespace weft
