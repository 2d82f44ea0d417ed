// Checks conditional-sum addition against addition digit by digit.
#include "block_orders.hpp"
#include <array>
#include <gtest/gtest.h>
#include <weft/lcs/core/conditional_sum.hpp>

namespace {

using namespace weft::lcs_detail;
using number = std::vector<std::uint32_t>;

// Returns the digits of x + y + carry, followed by the carry out.
number plain_sum(const number& x, const number& y, std::uint32_t carry) {
  number sum;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::uint64_t digit = std::uint64_t{x[i]} + y[i] + carry;
    sum.push_back(static_cast<std::uint32_t>(digit));
    carry = static_cast<std::uint32_t>(digit >> 32);
  }
  sum.push_back(carry);
  return sum;
}

// Returns both sums of one run of the body: for carry in 0 and for carry in 1.
std::array<number, 2> conditional_sums(const weft::host_block& block, const number& x, const number& y) {
  std::vector<conditional_digit> digits(x.size());
  std::vector<std::uint32_t> carries(x.size());
  block.phase([&](int t) {
    const auto i = static_cast<std::size_t>(t);
    digits[i] = add_digits(x[i], y[i]);
    carries[i] = digits[i].carries;
  });
  combine_digits(
      block, [&](int t) -> conditional_digit& { return digits[static_cast<std::size_t>(t)]; },
      carries.data());
  std::array<number, 2> sums;
  for (const conditional_digit& digit : digits) {
    sums[0].push_back(digit.without);
    sums[1].push_back(digit.with);
  }
  sums[0].push_back(digits.back().carries & 1);
  sums[1].push_back(digits.back().carries >> 1);
  return sums;
}

void check(const number& x, const number& y) {
  weft::test::for_each_order(static_cast<int>(x.size()), x[0], [&](const weft::host_block& block) {
    const std::array<number, 2> sums = conditional_sums(block, x, y);
    ASSERT_EQ(sums[0], plain_sum(x, y, 0));
    ASSERT_EQ(sums[1], plain_sum(x, y, 1));
  });
}

TEST(conditional_sum, one_digit) {
  const std::uint32_t corners[] = {0, 1, 2, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
  for (const std::uint32_t x : corners)
    for (const std::uint32_t y : corners) check({x}, {y});
}

// Adds all numbers whose digits generate a carry, propagate a carry, or do neither.
TEST(conditional_sum, every_kind_of_four_digits) {
  const std::uint32_t kinds[] = {0, 0xfffffffe, 0xffffffff};
  for (unsigned code = 0; code < 6561; ++code) {
    number x, y;
    for (unsigned rest = code, i = 0; i < 4; ++i, rest /= 9) {
      x.push_back(kinds[rest % 3]);
      y.push_back(kinds[rest / 3 % 3]);
    }
    check(x, y);
  }
}

TEST(conditional_sum, random_digits) {
  std::mt19937 random(1);
  for (const std::size_t size : {1, 2, 3, 5, 8, 31, 32, 33})
    for (int round = 0; round < 100; ++round) {
      number x(size), y(size);
      for (std::size_t i = 0; i < size; ++i) {
        x[i] = random();
        y[i] = random();
      }
      check(x, y);
    }
}

// Adds runs of ones, which propagate a carry from any digit to any later one.
TEST(conditional_sum, carry_chains) {
  for (std::size_t first = 0; first < 32; ++first)
    for (std::size_t last = first; last < 32; ++last) {
      number x(32, 0), y(32, 0);
      for (std::size_t i = first; i <= last; ++i) x[i] = ~std::uint32_t{0};
      check(x, y);
      y[first] = 1;
      check(x, y);
    }
  check(number(32, ~std::uint32_t{0}), number(32, ~std::uint32_t{0}));
}

TEST(conditional_sum, digits_that_generate_propagate_or_stop) {
  std::mt19937 random(2);
  for (int round = 0; round < 1000; ++round) {
    number x(32), y(32);
    for (std::size_t i = 0; i < 32; ++i) {
      x[i] = random();
      const std::uint32_t kind = random() % 8;
      y[i] = kind == 0 ? random() : kind == 1 ? 0 - x[i] : ~x[i];
    }
    check(x, y);
  }
}

} // namespace
