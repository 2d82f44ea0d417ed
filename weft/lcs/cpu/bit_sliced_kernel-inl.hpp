// The kernels of bit_sliced_kernel.hpp for one instruction set. foreach_target.h includes this file once
// for each set.
#if defined(WEFT_LCS_BIT_SLICED_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_LCS_BIT_SLICED_INL
#undef WEFT_LCS_BIT_SLICED_INL
#else
#define WEFT_LCS_BIT_SLICED_INL
#endif

#include <hwy/highway.h>
#include <weft/lcs/cpu/bit_sliced_kernel.hpp>

HWY_BEFORE_NAMESPACE();
namespace weft::lcs_detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using tag = hn::CappedTag<std::uint64_t, 8>;
using vec = hn::Vec<tag>;
inline constexpr tag d;
inline constexpr int vector_words =
    static_cast<int>(HWY_LANES(std::uint64_t) < 8 ? HWY_LANES(std::uint64_t) : 8);
inline constexpr int lanes = 64 * vector_words;

#include <weft/lcs/core/bit_sliced_step-inl.hpp>

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
// Three-input logic in one instruction; Table has the result bit for each combination of input bits.
template <int Table> HWY_INLINE vec ternary(vec a, vec b, vec c) {
  return vec{_mm512_ternarylogic_epi64(a.raw, b.raw, c.raw, Table)};
}
struct vector_ops {
  static HWY_INLINE vec xor_(vec a, vec b) { return hn::Xor(a, b); }
  static HWY_INLINE vec or_xor(vec x, vec a, vec b) { return ternary<0xf6>(x, a, b); }
  static HWY_INLINE vec not_and_xor(vec x, vec a, vec b) { return ternary<0x06>(x, a, b); }
  static HWY_INLINE vec or_(vec a, vec b) { return hn::Or(a, b); }
  static HWY_INLINE vec and_not(vec a, vec b) { return hn::AndNot(b, a); }
  static HWY_INLINE vec and_not_or(vec a, vec b, vec c) { return ternary<0xba>(a, b, c); }
  static HWY_INLINE vec or_and(vec a, vec b, vec c) { return ternary<0xa8>(a, b, c); }
  static HWY_INLINE vec or_and_not(vec a, vec b, vec c) { return ternary<0x54>(a, b, c); }
  static HWY_INLINE vec or_nor(vec a, vec b, vec c) { return ternary<0xf1>(a, b, c); }
};
#else
struct vector_ops {
  static HWY_INLINE vec xor_(vec a, vec b) { return hn::Xor(a, b); }
  static HWY_INLINE vec or_xor(vec x, vec a, vec b) { return hn::Or(x, hn::Xor(a, b)); }
  static HWY_INLINE vec not_and_xor(vec x, vec a, vec b) { return hn::AndNot(x, hn::Xor(a, b)); }
  static HWY_INLINE vec or_(vec a, vec b) { return hn::Or(a, b); }
  static HWY_INLINE vec and_not(vec a, vec b) { return hn::AndNot(b, a); }
  static HWY_INLINE vec and_not_or(vec a, vec b, vec c) { return hn::Or(hn::AndNot(b, a), c); }
  static HWY_INLINE vec or_and(vec a, vec b, vec c) { return hn::And(hn::Or(a, b), c); }
  static HWY_INLINE vec or_and_not(vec a, vec b, vec c) { return hn::AndNot(c, hn::Or(a, b)); }
  static HWY_INLINE vec or_nor(vec a, vec b, vec c) { return hn::Or(a, hn::Not(hn::Or(b, c))); }
};
#endif

// Returns (high : low) >> count for each 64-bit part, 0 <= count < 64.
#if HWY_TARGET <= HWY_AVX3_DL && HWY_ARCH_X86
struct shift_count {
  vec count;
  explicit HWY_INLINE shift_count(int by) : count(hn::Set(d, static_cast<std::uint64_t>(by))) {}
  HWY_INLINE vec operator()(vec low, vec high) const {
    return vec{_mm512_shrdv_epi64(low.raw, high.raw, count.raw)};
  }
};
HWY_INLINE vec shift_one(vec low, vec high) { return vec{_mm512_shrdi_epi64(low.raw, high.raw, 1)}; }
#else
struct shift_count {
  int right;
  explicit HWY_INLINE shift_count(int by) : right(by) {}
  HWY_INLINE vec operator()(vec low, vec high) const {
    return hn::Or(hn::ShiftRightSame(low, right), hn::ShiftLeftSame(hn::ShiftLeft<1>(high), 63 - right));
  }
};
HWY_INLINE vec shift_one(vec low, vec high) {
  return hn::Or(hn::ShiftRight<1>(low), hn::ShiftLeft<63>(high));
}
#endif

// Moves the 64-bit parts of x down by one part; the lowest part of `above` becomes the top part.
HWY_INLINE vec next_words(vec x, vec above) {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  return vec{_mm512_alignr_epi64(above.raw, x.raw, 1)};
#elif HWY_TARGET == HWY_AVX2
  return vec{_mm256_alignr_epi8(_mm256_permute2x128_si256(x.raw, above.raw, 0x21), x.raw, 8)};
#elif HWY_TARGET == HWY_SCALAR
  (void)x;
  return above;
#else
  return hn::CombineShiftRightBytes<8>(d, above, x);
#endif
}

HWY_INLINE vec load(const std::uint64_t* from) { return hn::LoadU(d, from); }

// Stores a part of v only: a path stays in a few lanes for long, and half the words are half the memory
// traffic.
inline constexpr int trace_words = vector_words < 4 ? vector_words : 4;
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
struct trace_window {
  __m512i index;
  explicit HWY_INLINE trace_window(int first)
      : index(_mm512_add_epi64(_mm512_set1_epi64(first), _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0))) {}
  HWY_INLINE void store(vec v, std::uint64_t* to) const {
    const __m512i moved = _mm512_permutexvar_epi64(index, v.raw);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_castsi512_si256(moved));
  }
};
#else
struct trace_window {
  explicit HWY_INLINE trace_window(int) {}
  HWY_INLINE void store(vec v, std::uint64_t* to) const { hn::StoreU(v, d, to); }
};
#endif

// The state of a strip in registers: v and h, and one block of `in` and `out`.
template <class Cell, int W> struct strip_state {
  vec v[W * Cell::words], h[Cell::words], in[Cell::words], out[Cell::words];
};

// Returns the match s of register w. Planes = 0: run.planes tells their number, and b is in memory.
template <int Planes>
HWY_INLINE vec matches(const strip_run& run, int w, const vec* b, const std::uint64_t* b_memory) {
  const int planes = Planes > 0 ? Planes : run.planes;
  const std::uint64_t* a = run.a + w * planes * vector_words;
  const auto a_plane = [&](int p) HWY_ATTR { return load(a + p * vector_words); };
  const auto b_plane = [&](int p) HWY_ATTR {
    if constexpr (Planes > 0)
      return b[p];
    else
      return load(b_memory + p * vector_words);
  };
  const vec s = vector_ops::xor_(a_plane(0), b_plane(0));
  if (planes == 1) return s;
  vec other = s;
  for (int p = 1; p < planes - 1; ++p) other = vector_ops::or_xor(other, a_plane(p), b_plane(p));
  return vector_ops::not_and_xor(other, a_plane(planes - 1), b_plane(planes - 1));
}

// Whether two rows are computed at once. This pays off where the processor has unused operations while it
// waits for h, which is so with three-input logic.
template <class Cell> inline constexpr bool in_pairs = lanes == 512 && Cell::words == 1;

// Computes one step of the registers w to W - 1.
template <class Cell, int W, int Planes, bool Traced, int w>
HWY_INLINE void run_registers(const strip_run& run, const vec* b, const std::uint64_t* b_memory,
                              strip_state<Cell, W>& strip, const trace_window& window,
                              std::uint64_t*& trace) {
  if constexpr (w < W) {
    constexpr int rows = in_pairs<Cell> && w + 1 < W ? 2 : 1;
    vec* v = strip.v + w * Cell::words;
    if constexpr (Traced && Cell::words == 2) window.store(v[1], trace + trace_words);
    const vec s = matches<Planes>(run, w, b, b_memory);
    if constexpr (rows == 2)
      Cell::template two_steps<vector_ops>(v, strip.h, s, matches<Planes>(run, w + 1, b, b_memory));
    else
      Cell::template step<vector_ops>(v, strip.h, s);
    if constexpr (Traced) {
      for (int row = 0; row < rows; ++row) {
        window.store(v[row], trace);
        trace += Cell::words * trace_words;
      }
    }
    run_registers<Cell, W, Planes, Traced, w + rows>(run, b, b_memory, strip, window, trace);
  }
}

// Computes the blocks of a strip, with W registers.
template <class Cell, int W, int Planes, bool Traced> void run_strip(const strip_run& run) {
  constexpr int fixed = Planes > 0 ? Planes : 1;
  strip_state<Cell, W> strip;
  for (int k = 0; k < W * Cell::words; ++k) strip.v[k] = load(run.state + k * vector_words);
  for (int k = 0; k < Cell::words; ++k) strip.h[k] = load(run.state + (W * Cell::words + k) * vector_words);
  std::uint64_t* trace = run.trace;
  const trace_window window(run.trace_word);
  HWY_ALIGN std::uint64_t b_memory[Planes > 0 ? 1 : 32 * vector_words];
  for (std::uint64_t block = run.first; block < run.last; ++block) {
    for (int k = 0; k < Cell::words; ++k) {
      strip.in[k] = hn::Set(d, run.in[k][block]);
      strip.out[k] = hn::Zero(d);
    }
    const shift_count last_row(static_cast<int>(run.unused_lanes % 64));
    for (int i = 0; i < 64; ++i) {
      const shift_count shift(i);
      vec b[fixed];
      if constexpr (Planes > 0) {
        for (int p = 0; p < Planes; ++p) b[p] = shift(load(run.b[p] + block), load(run.b[p] + block + 1));
      } else {
        b[0] = hn::Zero(d);
        for (int p = 0; p < run.planes; ++p)
          hn::StoreU(shift(load(run.b[p] + block), load(run.b[p] + block + 1)), d,
                     b_memory + p * vector_words);
      }
      for (int k = 0; k < Cell::words; ++k) {
        strip.out[k] = shift_one(strip.out[k], W == 1 ? last_row(strip.h[k], strip.h[k]) : strip.h[k]);
        strip.h[k] = shift_one(strip.h[k], next_words(strip.h[k], strip.in[k]));
        strip.in[k] = hn::ShiftRight<1>(strip.in[k]);
      }
      run_registers<Cell, W, Planes, Traced, 0>(run, b, b_memory, strip, window, trace);
    }
    for (int k = 0; k < Cell::words; ++k) {
      HWY_ALIGN std::uint64_t out[vector_words];
      hn::StoreU(strip.out[k], d, out);
      run.out[k][block] = out[W == 1 ? run.unused_lanes / 64 : 0];
    }
  }
  for (int k = 0; k < W * Cell::words; ++k) hn::StoreU(strip.v[k], d, run.state + k * vector_words);
  for (int k = 0; k < Cell::words; ++k)
    hn::StoreU(strip.h[k], d, run.state + (W * Cell::words + k) * vector_words);
}

// Returns the kernel for W registers. Kernels with a fixed number of planes keep the planes of b in
// registers.
template <class Cell, int W> strip_kernel find_planes(int planes, bool traced) {
  switch (planes) {
  case 1:
    return traced ? run_strip<Cell, W, 1, true> : run_strip<Cell, W, 1, false>;
  case 2:
    return traced ? run_strip<Cell, W, 2, true> : run_strip<Cell, W, 2, false>;
  case 3:
    return traced ? run_strip<Cell, W, 3, true> : run_strip<Cell, W, 3, false>;
  case 4:
    return traced ? run_strip<Cell, W, 0, true> : run_strip<Cell, W, 4, false>;
  case 5:
    return traced ? run_strip<Cell, W, 0, true> : run_strip<Cell, W, 5, false>;
  case 6:
    return traced ? run_strip<Cell, W, 0, true> : run_strip<Cell, W, 6, false>;
  case 7:
    return traced ? run_strip<Cell, W, 0, true> : run_strip<Cell, W, 7, false>;
  case 8:
    return traced ? run_strip<Cell, W, 0, true> : run_strip<Cell, W, 8, false>;
  default:
    return traced ? run_strip<Cell, W, 0, true> : run_strip<Cell, W, 0, false>;
  }
}

template <class Cell> strip_kernel find_kernel(int registers, int planes, bool traced) {
  switch (registers) {
  case 1:
    return find_planes<Cell, 1>(planes, traced);
  case 2:
    return find_planes<Cell, 2>(planes, traced);
  case 4:
    return find_planes<Cell, 4>(planes, traced);
  case 8:
    return find_planes<Cell, 8>(planes, traced);
  default:
    return find_planes<Cell, 16>(planes, traced);
  }
}

} // namespace weft::lcs_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
