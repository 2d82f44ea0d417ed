// Conditional-sum addition (Sklansky 1960) of numbers of up to 2^30 digits of 32 bits, with one thread for
// each digit.
//
//   each digit i: s0, c0 = x[i] + y[i];  s1, c1 = x[i] + y[i] + 1        (sum and carry out)
//   for half = 1, 2, 4, ..: in each group of 2 half digits, every digit of the upper half, with l0 and l1
//       the carries out of the top digit of the lower half:
//       s0, c0 = l0 ? (s1, c1) : (s0, c0);   s1, c1 = l1 ? (s1, c1) : (s0, c0)
//
// Invariant: before the step `half`, s0 and c0 of a digit are right if nothing is carried into its group of
// `half` digits, and s1 and c1 are right if a one is carried into the group. So after the last step they
// are right for the whole number: the carry into the number, which may become known later, selects one of
// the two sums.
//
// One barrier for each step is enough, because a step reads carries of lower halves and writes carries of
// upper halves. If the last group is incomplete, either its lower half is complete, or it has no upper
// half.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>

namespace weft::lcs_detail {

// A digit of a sum, for both values of the carry into its group.
struct conditional_digit {
  std::uint32_t without, with; // the digit of the sum if nothing, and if a one, is carried into its group
  std::uint32_t carries;       // out of this digit: bit 0 without, bit 1 with a carry into its group
};

// Returns the sum of two digits before the first combining step.
WEFT_HOST_DEVICE inline conditional_digit add_digits(std::uint32_t x, std::uint32_t y) {
  const std::uint32_t without = x + y, with = without + 1;
  const std::uint32_t carry = without < x ? 1 : 0;
  return {without, with, carry | (carry | (with == 0 ? 1U : 0U)) << 1};
}

// Returns a digit of an upper half after a combining step. `lower` holds the carries out of its lower half.
WEFT_HOST_DEVICE inline conditional_digit select_digit(const conditional_digit& digit, std::uint32_t lower) {
  const bool l0 = (lower & 1) != 0, l1 = (lower & 2) != 0;
  return {l0 ? digit.with : digit.without, l1 ? digit.with : digit.without,
          (l0 ? digit.carries >> 1 : digit.carries & 1) |
              (l1 ? digit.carries & 2 : (digit.carries & 1) << 1)};
}

// Runs the combining steps, which are 5 for 32 threads. digit_of(t) returns a reference to the digit of
// thread t, which only thread t uses. carries[t], which all threads see, must already be the carries of the
// digit.
template <class Block, class DigitOf>
WEFT_HOST_DEVICE inline void combine_digits(const Block& block, const DigitOf& digit_of,
                                            std::uint32_t* carries) {
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (int half = 1; half < block.threads; half *= 2)
    block.phase([&](int t) {
      if ((t & half) == 0) return;
      conditional_digit& digit = digit_of(t);
      digit = select_digit(digit, carries[(t & -half) - 1]);
      carries[t] = digit.carries;
    });
}

} // namespace weft::lcs_detail
