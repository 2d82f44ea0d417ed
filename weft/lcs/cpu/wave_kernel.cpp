// The inner loop of wave_ring.hpp. Compiled once per instruction set, chosen at run time.
#include <weft/lcs/cpu/wave_ring.hpp>

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/lcs/cpu/wave_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace weft::lcs_detail {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// The plain form, which also computes what is left after the last vector.
//
//   top = max(0, -k)                        the first row of diagonal k in the table
//   D(k) = max(min(M(k-1), D(k-1)) - 1, top)      of the level before by gap_extend
//   I(k) = max(min(M(k+1), I(k+1)), top)          of the same level
//   M(k) = max(min(M(k) - 1, D(k), I(k)), top)    of the levels before by mismatch, gap_open, gap_open
template <class Index> void compute_diagonal(const wave_step<Index>& step, std::size_t t) {
  const auto at = static_cast<std::ptrdiff_t>(t);
  const Index top = std::max<Index>(0, -(step.first_diagonal + static_cast<Index>(t)));
  step.to_d[at] = std::max<Index>(std::min(step.open[at - 1], step.deleting[at - 1]) - 1, top);
  step.to_i[at] = std::max<Index>(std::min(step.open[at + 1], step.inserting[at + 1]), top);
  step.to_m[at] = std::max<Index>(std::min({static_cast<Index>(step.mismatched[at] - 1),
                                            step.closed_deleting[at], step.closed_inserting[at]}),
                                  top);
}

template <class Index> HWY_INLINE void compute_level(const wave_step<Index>& step) {
  const hn::ScalableTag<Index> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto one = hn::Set(d, 1), zero = hn::Zero(d);
  std::size_t t = 0;
  if (step.count >= lanes) {
    // The last vector overlaps the one before it, which changes nothing, because no output is an input of
    // another diagonal.
    for (;;) {
      const auto at = static_cast<std::ptrdiff_t>(t);
      const auto diagonals = hn::Iota(d, step.first_diagonal + static_cast<Index>(t));
      const auto top = hn::Max(zero, hn::Neg(diagonals));
      const auto deleted = hn::Max(
          hn::Sub(hn::Min(hn::LoadU(d, step.open + at - 1), hn::LoadU(d, step.deleting + at - 1)), one), top);
      const auto inserted =
          hn::Max(hn::Min(hn::LoadU(d, step.open + at + 1), hn::LoadU(d, step.inserting + at + 1)), top);
      hn::StoreU(deleted, d, step.to_d + at);
      hn::StoreU(inserted, d, step.to_i + at);
      const auto closed =
          hn::Min(hn::LoadU(d, step.closed_deleting + at), hn::LoadU(d, step.closed_inserting + at));
      hn::StoreU(hn::Max(hn::Min(hn::Sub(hn::LoadU(d, step.mismatched + at), one), closed), top), d,
                 step.to_m + at);
      if (t + lanes == step.count) return;
      t = std::min(t + lanes, step.count - lanes);
    }
  }
  for (; t < step.count; ++t) compute_diagonal(step, t);
}

void compute_narrow(const wave_step<std::int32_t>& step) { compute_level(step); }
void compute_wide(const wave_step<std::int64_t>& step) { compute_level(step); }

} // namespace
} // namespace HWY_NAMESPACE
} // namespace weft::lcs_detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::lcs_detail {

HWY_EXPORT(compute_narrow);
HWY_EXPORT(compute_wide);

void compute_wave(const wave_step<std::int32_t>& step) { HWY_DYNAMIC_DISPATCH(compute_narrow)(step); }
void compute_wave(const wave_step<std::int64_t>& step) { HWY_DYNAMIC_DISPATCH(compute_wide)(step); }

} // namespace weft::lcs_detail
#endif
