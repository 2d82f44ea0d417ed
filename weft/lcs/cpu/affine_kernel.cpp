// See affine_kernel.hpp. Compiled once per instruction set, chosen at run time.
#include <weft/lcs/cpu/affine_kernel.hpp>

#include <algorithm>
#include <array>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/lcs/cpu/affine_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// The plain form of a strip, for the cell in row t and column j, with t = -1 for the row above the strip:
//
//   D(t, j) = extend + min(H(t-1, j), D(t-1, j))      the next step deletes, not counting gap_open
//   I(t, j) = extend + min(H(t, j-1), I(t, j-1))      the next step inserts, not counting gap_open
//   H(t, j) = min(S, open + D(t, j), open + I(t, j))
//             with S = H(t-1, j-1) + (symbols match ? 0 : mismatch)
//
// The canonical walk at this cell, after a diagonal step or none, after a deletion, and after an insertion:
//
//   step = H = open + D ? delete : H = S ? diagonal : insert
//   D <= H ? delete : step
//   I < H ? insert : step
//
// The crossings follow the walk: P_H is that of the first case, P_D that of the second, P_I that of the
// third.
//
//   P_H(t, j) = step = delete ? P_D(t-1, j) : step = diagonal ? P_H(t-1, j-1) : P_I(t, j-1)
//   P_D(t, j) = D <= H ? P_D(t-1, j) : P_H(t, j)
//   P_I(t, j) = I < H ? P_I(t, j-1) : P_H(t, j)
//
// Anti-diagonal d has the cells with t + j = d. They depend only on the anti-diagonals d - 1 and d - 2.
// Arrays have a cell of an anti-diagonal at index t, from -1 on.
HWY_BEFORE_NAMESPACE();
namespace weft::lcs_detail {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

enum class output { values, crossings, trace };

// The arrays of a strip. h[0] is that of anti-diagonal d, h[1] that of d - 1, and so on; p_h, p_d and p_i are
// the same for crossings.
template <class Value> struct diagonals {
  std::array<Value*, 3> h, p_h;
  std::array<Value*, 2> d, i, p_d, p_i;

  diagonals(Value* workspace, std::size_t rows) {
    Value* next = workspace + 1;
    const auto take = [&](auto& arrays) {
      for (Value*& array : arrays) array = std::exchange(next, next + rows + 1 + kernel_padding - 1);
    };
    take(h), take(d), take(i), take(p_h), take(p_d), take(p_i);
  }
  // Goes on to the next anti-diagonal.
  void rotate() {
    std::rotate(h.begin(), h.end() - 1, h.end());
    std::rotate(p_h.begin(), p_h.end() - 1, p_h.end());
    for (auto* arrays : {&d, &i, &p_d, &p_i}) std::swap((*arrays)[0], (*arrays)[1]);
  }
  // Sets the cell of column 0 in row t.
  void set_left(const affine_strip<Value>& strip, std::size_t t) {
    d[0][t] = strip.left_deleting + static_cast<Value>(t) * strip.extend;
    h[0][t] = d[0][t] + strip.open;
    i[0][t] = 2 * max_kernel_penalty<Value>;
    p_h[0][t] = p_d[0][t] = p_i[0][t] = 1;
  }
};

// Stores the low bytes of a vector.
template <class D, class V> HWY_INLINE void store_bytes(D d, V v, std::uint8_t* to) {
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    const hn::Rebind<std::int8_t, D> bytes;
    hn::StoreU(hn::DemoteTo(bytes, v), bytes, reinterpret_cast<std::int8_t*>(to));
  } else {
    HWY_ALIGN hn::TFromD<D> values[hn::MaxLanes(D())];
    hn::Store(v, d, values);
    for (std::size_t lane = 0; lane < hn::Lanes(d); ++lane)
      to[lane] = static_cast<std::uint8_t>(values[lane]);
  }
}

// Computes the cells of anti-diagonal `number` in the rows [first, last], and garbage in some rows after
// them.
template <output Output, class Value>
HWY_INLINE void compute_diagonal(const affine_strip<Value>& strip, const diagonals<Value>& at,
                                 std::size_t number, std::size_t first, std::size_t last) {
  const hn::ScalableTag<Value> d;
  const auto open = hn::Set(d, strip.open), extend = hn::Set(d, strip.extend),
             mismatch = hn::Set(d, strip.mismatch), any = hn::Set(d, strip.any_symbol), zero = hn::Zero(d);
  const Value* HWY_RESTRICT const b = strip.b + static_cast<std::ptrdiff_t>(strip.columns - number);
  for (std::size_t t = first; t <= last; t += hn::Lanes(d)) {
    const auto above = static_cast<std::ptrdiff_t>(t) - 1;
    const auto different = hn::Xor(hn::LoadU(d, strip.a + t), hn::LoadU(d, b + t));
    const auto mismatches = hn::And(hn::Gt(different, zero), hn::Lt(different, any));
    const auto deleting =
        hn::Add(extend, hn::Min(hn::LoadU(d, at.h[1] + above), hn::LoadU(d, at.d[1] + above)));
    const auto inserting = hn::Add(extend, hn::Min(hn::LoadU(d, at.h[1] + t), hn::LoadU(d, at.i[1] + t)));
    const auto straight = hn::Add(hn::LoadU(d, at.h[2] + above), hn::IfThenElseZero(mismatches, mismatch));
    const auto open_deleting = hn::Add(open, deleting);
    const auto closed = hn::Min(straight, hn::Min(open_deleting, hn::Add(open, inserting)));
    hn::StoreU(closed, d, at.h[0] + t);
    hn::StoreU(deleting, d, at.d[0] + t);
    hn::StoreU(inserting, d, at.i[0] + t);
    if constexpr (Output != output::values) {
      const auto deletes = hn::Eq(closed, open_deleting), goes_straight = hn::Eq(closed, straight);
      const auto ends_deletion = hn::Lt(closed, deleting), extends_insertion = hn::Lt(inserting, closed);
      if constexpr (Output == output::crossings) {
        const auto p_down = hn::LoadU(d, at.p_d[1] + above), p_right = hn::LoadU(d, at.p_i[1] + t);
        const auto p_closed = hn::IfThenElse(
            deletes, p_down, hn::IfThenElse(goes_straight, hn::LoadU(d, at.p_h[2] + above), p_right));
        hn::StoreU(p_closed, d, at.p_h[0] + t);
        hn::StoreU(hn::IfThenElse(ends_deletion, p_closed, p_down), d, at.p_d[0] + t);
        hn::StoreU(hn::IfThenElse(extends_insertion, p_right, p_closed), d, at.p_i[0] + t);
      } else {
        const auto bits = [&](std::uint8_t value) HWY_ATTR { return hn::Set(d, static_cast<Value>(value)); };
        const auto step =
            hn::IfThenElse(deletes, bits(trace_delete),
                           hn::IfThenElse(goes_straight, bits(trace_diagonal), bits(trace_insert)));
        const auto gaps = hn::Or(hn::IfThenZeroElse(ends_deletion, bits(trace_extends_deletion)),
                                 hn::IfThenElseZero(extends_insertion, bits(trace_extends_insertion)));
        store_bytes(d, hn::Or(step, gaps), strip.trace + number * strip.rows + t);
      }
    }
  }
}

template <output Output, class Value> void compute(const affine_strip<Value>& strip, Value* workspace) {
  constexpr bool crossings = Output == output::crossings;
  const std::size_t rows = strip.rows, columns = strip.columns;
  diagonals<Value> at(workspace, rows);
  at.set_left(strip, 0);
  at.h[1][-1] = strip.closed[0];
  if constexpr (crossings) at.p_h[1][-1] = strip.closed_crossing[0];
  for (std::size_t number = 1; number < columns + rows; ++number) {
    at.rotate();
    if (number <= columns) {
      at.h[1][-1] = strip.closed[number];
      at.d[1][-1] = strip.deleting[number];
      if constexpr (crossings) {
        at.p_h[1][-1] = strip.closed_crossing[number];
        at.p_d[1][-1] = strip.deleting_crossing[number];
      }
    }
    compute_diagonal<Output>(strip, at, number, number > columns ? number - columns : 0,
                             std::min(rows, number) - 1);
    if (number < rows) at.set_left(strip, number);
    if (number >= rows) {
      const std::size_t j = number - rows + 1;
      strip.closed[j] = at.h[0][rows - 1];
      strip.deleting[j] = at.d[0][rows - 1];
      if constexpr (crossings) {
        strip.closed_crossing[j] = at.p_h[0][rows - 1];
        strip.deleting_crossing[j] = at.p_d[0][rows - 1];
      }
    }
  }
  strip.deleting[0] = strip.left_deleting + static_cast<Value>(rows - 1) * strip.extend;
  strip.closed[0] = strip.deleting[0] + strip.open;
  if constexpr (crossings) strip.closed_crossing[0] = strip.deleting_crossing[0] = 1;
}

template <class Value> void compute_any(const affine_strip<Value>& strip, Value* workspace) {
  if (strip.trace != nullptr)
    compute<output::trace>(strip, workspace);
  else if (strip.closed_crossing != nullptr)
    compute<output::crossings>(strip, workspace);
  else
    compute<output::values>(strip, workspace);
}

void compute_narrow(const affine_strip<std::int32_t>& strip, std::int32_t* workspace) {
  compute_any(strip, workspace);
}
void compute_wide(const affine_strip<std::int64_t>& strip, std::int64_t* workspace) {
  compute_any(strip, workspace);
}
std::size_t count_lanes() { return hn::Lanes(hn::ScalableTag<std::int32_t>()); }

} // namespace
} // namespace HWY_NAMESPACE
} // namespace weft::lcs_detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::lcs_detail {

HWY_EXPORT(compute_narrow);
HWY_EXPORT(compute_wide);
HWY_EXPORT(count_lanes);

void compute_strip(const affine_strip<std::int32_t>& strip, std::int32_t* workspace) {
  HWY_DYNAMIC_DISPATCH(compute_narrow)(strip, workspace);
}
void compute_strip(const affine_strip<std::int64_t>& strip, std::int64_t* workspace) {
  HWY_DYNAMIC_DISPATCH(compute_wide)(strip, workspace);
}
std::size_t affine_lanes() { return HWY_DYNAMIC_DISPATCH(count_lanes)(); }

} // namespace weft::lcs_detail
#endif
