// The orders of a sample sort. An order says what is sorted and how it is compared. It has the members
//
//   item      the type that is sorted
//   array     the type of an array of items: a pointer, or a pair of pointers to keys and values
//   key       the type by which items are compared; splitters are keys
//   held      what a leaf keeps of an item in shared memory: the key, if the key determines the item
//   moved     what the moves of a level keep of an item in shared memory at once
//   numbers   whether keys are unsigned numbers in natural order, which allows more than comparisons
//   stable    whether equal items keep their order
//   in_parts  whether items are moved in two parts: first their keys (of type moved), then their values
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <weft/sort/core/ordered_bits.hpp>
#include <weft/sort/cuda/block_sort.cuh>

namespace weft::sort_detail {

template <class T> struct plain_array {
  using array = T*;
  static constexpr std::size_t bytes[2] = {sizeof(T), 0}; // bytes of an item in each part of the array
  static array array_of(void* items, void*) { return static_cast<T*>(items); }
};

// The order of numbers by their ordered bits, which are complemented for a descending order.
template <class T, bool Descending> struct number_order : plain_array<T> {
  using item = T;
  using key = ordered_bits_t<T>;
  using held = key;
  using moved = item;
  static constexpr bool numbers = true, stable = false, in_parts = false;
  __device__ static key key_of(const T& x) {
    const key bits = weft::ordered_bits(x);
    return Descending ? static_cast<key>(~bits) : bits;
  }
  __device__ static held hold(const T& x) { return key_of(x); }
  __device__ static T item_of(const held& k) {
    return weft::number_of_ordered_bits<T>(Descending ? static_cast<key>(~k) : k);
  }
  __device__ bool operator()(const key& a, const key& b) const { return a < b; }
};

// The order of items by a comparator.
template <class T, class Less> struct comparator_order : plain_array<T> {
  using item = T;
  using key = T;
  using held = T;
  using moved = T;
  static constexpr bool numbers = false, stable = false, in_parts = false;
  Less less;
  explicit comparator_order(const Less& given) : less(given) {}
  __device__ static const T& key_of(const T& x) { return x; }
  __device__ static const T& hold(const T& x) { return x; }
  __device__ static const T& item_of(const T& x) { return x; }
  __device__ bool operator()(const T& a, const T& b) const { return less(a, b); }
};

// Two arrays of keys and values, used as one array of pairs.
template <class Key, class Value> class pair_array {
public:
  using item = key_value<Key, Value>;
  class reference {
  public:
    __device__ reference(Key& key, Value& value) : key_(key), value_(value) {}
    __device__ operator item() const { return {key_, value_}; }
    __device__ void operator=(const item& x) const { key_ = x.key, value_ = x.value; }

  private:
    Key& key_;
    Value& value_;
  };
  WEFT_HOST_DEVICE pair_array(Key* keys, Value* values) : keys_(keys), values_(values) {}
  __device__ reference operator[](std::uint64_t i) const { return {keys_[i], values_[i]}; }
  __device__ pair_array operator+(std::uint64_t n) const { return {keys_ + n, values_ + n}; }
  __device__ Key* keys() const { return keys_; }
  __device__ Value* values() const { return values_; }

private:
  Key* keys_;
  Value* values_;
};

// The order of pairs by their keys, which are numbers. A value has at most as many bytes as a key. In shared
// memory both have the same width, so that a pair is read and written in one access.
template <class Key, class Value, bool Descending> struct pair_order {
  using by_key = number_order<Key, Descending>;
  using item = key_value<Key, Value>;
  using key = typename by_key::key;
  using held = key_value<key, key>; // the key's ordered bits, and the value's bytes
  using array = pair_array<Key, Value>;
  static_assert(sizeof(Value) <= sizeof(Key));
  static constexpr bool numbers = true, stable = false, in_parts = sizeof(Value) < sizeof(Key);
  using moved = std::conditional_t<in_parts, Key, item>;
  using value = Value;
  static constexpr std::size_t bytes[2] = {sizeof(Key), sizeof(Value)};
  static array array_of(void* keys, void* values) {
    return {static_cast<Key*>(keys), static_cast<Value*>(values)};
  }
  __device__ static key key_of(const item& x) { return by_key::key_of(x.key); }
  __device__ static held hold(const item& x) {
    held pair{key_of(x), 0};
    std::memcpy(&pair.value, &x.value, sizeof(Value));
    return pair;
  }
  __device__ static item item_of(const held& pair) {
    item x;
    x.key = by_key::item_of(pair.key);
    std::memcpy(&x.value, &pair.value, sizeof(Value));
    return x;
  }
  __device__ bool operator()(const key& a, const key& b) const { return a < b; }
  __device__ bool operator()(const held& a, const held& b) const { return a.key < b.key; }
};

// The order `Order`, with the request to keep the order of equal items.
template <class Order> struct with_stability : Order {
  static constexpr bool stable = true;
  using Order::Order;
};

// Whether the bucket of an item may be looked up twice, to count the item and to move it, which saves memory.
// For all other orders a level keeps the number of each item's bucket, a byte, from the count to the move.
template <class Order>
inline constexpr bool looked_up_twice =
    Order::numbers && !Order::stable && sizeof(typename Order::key) == 8 &&
    std::is_pointer_v<typename Order::array>;

} // namespace weft::sort_detail
