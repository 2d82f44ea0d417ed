// See batch.hpp. Compiled once per instruction set, chosen at run time.
#include <weft/lcs/cpu/batch.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/lcs/cpu/batch.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace weft::lcs_detail {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using lanes_tag = hn::CappedTag<std::uint64_t, batch_lanes>;

std::size_t vector_words() { return hn::Lanes(hn::ScalableTag<std::uint64_t>()); }

// In the sum S = V + U + c with U = V & M, the carry that leaves is the majority of V, U and ~S in the top
// bit: U | (V & ~S).
void lcs_batch(batch_columns columns, const std::uint8_t* rows, std::size_t m,
               std::uint64_t* HWY_RESTRICT vector) {
  const lanes_tag d;
  for (std::size_t lane = 0; lane < batch_lanes; lane += hn::Lanes(d))
    for (std::size_t i = 0; i < m; ++i) {
      const std::uint64_t* HWY_RESTRICT match = columns.masks + rows[i] * columns.words * batch_lanes + lane;
      auto carry = hn::Zero(d);
      for (std::size_t at = 0; at < columns.words * batch_lanes; at += batch_lanes) {
        const auto v = hn::LoadU(d, vector + at + lane);
        const auto u = hn::And(v, hn::LoadU(d, match + at));
        const auto sum = hn::Add(hn::Add(v, u), carry);
        carry = hn::ShiftRight<63>(hn::Or(u, hn::AndNot(sum, v)));
        hn::StoreU(hn::Or(sum, hn::Xor(v, u)), d, vector + at + lane);
      }
    }
}

void edit_batch(batch_columns columns, const std::uint8_t* rows, std::size_t m,
                std::uint64_t* HWY_RESTRICT plus, std::uint64_t* HWY_RESTRICT minus) {
  const lanes_tag d;
  const auto ones = hn::Set(d, ~std::uint64_t{0});
  for (std::size_t lane = 0; lane < batch_lanes; lane += hn::Lanes(d))
    for (std::size_t i = 0; i < m; ++i) {
      const std::uint64_t* HWY_RESTRICT match = columns.masks + rows[i] * columns.words * batch_lanes + lane;
      auto plus_carry = hn::Set(d, 1), minus_carry = hn::Zero(d);
      for (std::size_t at = 0; at < columns.words * batch_lanes; at += batch_lanes) {
        const auto p = hn::LoadU(d, plus + at + lane), q = hn::LoadU(d, minus + at + lane);
        const auto same = hn::LoadU(d, match + at);
        const auto diagonal = hn::Or(same, q);
        const auto eq = hn::Or(same, minus_carry);
        const auto zero = hn::Or(hn::Xor(hn::Add(hn::And(eq, p), p), p), eq);
        const auto down_plus = hn::Or(q, hn::AndNot(hn::Or(zero, p), ones));
        const auto down_minus = hn::And(p, zero);
        const auto shifted_plus = hn::Or(hn::ShiftLeft<1>(down_plus), plus_carry);
        const auto shifted_minus = hn::Or(hn::ShiftLeft<1>(down_minus), minus_carry);
        plus_carry = hn::ShiftRight<63>(down_plus);
        minus_carry = hn::ShiftRight<63>(down_minus);
        hn::StoreU(hn::Or(shifted_minus, hn::AndNot(hn::Or(diagonal, shifted_plus), ones)), d,
                   plus + at + lane);
        hn::StoreU(hn::And(shifted_plus, diagonal), d, minus + at + lane);
      }
    }
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace weft::lcs_detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::lcs_detail {

HWY_EXPORT(vector_words);
HWY_EXPORT(lcs_batch);
HWY_EXPORT(edit_batch);

std::size_t vector_words() { return HWY_DYNAMIC_DISPATCH(vector_words)(); }

void lcs_batch(batch_columns columns, const std::uint8_t* rows, std::size_t m, std::uint64_t* vector) {
  HWY_DYNAMIC_DISPATCH(lcs_batch)(columns, rows, m, vector);
}

void edit_batch(batch_columns columns, const std::uint8_t* rows, std::size_t m, std::uint64_t* plus,
                std::uint64_t* minus) {
  HWY_DYNAMIC_DISPATCH(edit_batch)(columns, rows, m, plus, minus);
}

} // namespace weft::lcs_detail
#endif
