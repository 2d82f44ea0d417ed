// Checks keys of types that are known only at run time: they have the order of the type, and can be converted
// back.
#include <cstring>
#include <gtest/gtest.h>
#include <type_traits>
#include <weft/sort/core/number_key.hpp>

#include "sort_number_cases.hpp"

namespace weft::test {

namespace {

template <class T>
using key_of_type = std::conditional_t<sizeof(T) <= 4, std::uint32_t,
                                       std::conditional_t<sizeof(T) == 8, std::uint64_t, uint128>>;

template <class T> key_of_type<T> bits_of(T item) {
  ordered_bits_t<T> bits = 0;
  std::memcpy(&bits, &item, sizeof(T));
  return bits;
}

template <class T, class Less> void check_keys(const std::vector<T>& items, Less less) {
  using key = key_of_type<T>;
  constexpr number_type type = number_type_of<T>(std::is_same_v<Less, descending>);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const key a = sort_detail::key_of<key>(bits_of(items[i]), type);
    ASSERT_TRUE(sort_detail::bits_of_key<key>(a, type) == bits_of(items[i])) << i;
    if (sort_detail::is_plain(type)) {
      ASSERT_TRUE(a == bits_of(items[i])) << i;
    }
    for (const std::size_t j : {i, (i + 1) % items.size(), i * 7919 % items.size()}) {
      const key b = sort_detail::key_of<key>(bits_of(items[j]), type);
      ASSERT_EQ(a < b, less(items[i], items[j])) << i << ", " << j;
    }
  }
}

template <class T> struct number_keys : testing::Test {};
TYPED_TEST_SUITE(number_keys, number_types);

TYPED_TEST(number_keys, are_in_the_order_of_the_type) {
  for (const auto& [name, values] : distributions(5000)) {
    std::vector<TypeParam> items = as<TypeParam>(values);
    if constexpr (std::floating_point<TypeParam>)
      for (const TypeParam item : special_floats<TypeParam>()) items.push_back(item);
    check_keys(items, ascending());
    check_keys(items, descending());
  }
}

TEST(number_keys_of_16_bits, are_a_permutation) {
  for (const number_kind kind : {number_kind::unsigned_integer, number_kind::signed_integer})
    for (const std::uint32_t bytes : {1U, 2U})
      for (const bool descending : {false, true}) {
        const number_type type{bytes, kind, descending};
        const std::uint32_t values = 1U << (8 * bytes);
        for (std::uint32_t bits = 0; bits < values; ++bits) {
          const std::uint32_t key = sort_detail::key_of<std::uint32_t>(bits, type);
          ASSERT_LT(key, values);
          ASSERT_EQ(sort_detail::bits_of_key<std::uint32_t>(key, type), bits);
        }
      }
}

} // namespace
} // namespace weft::test
