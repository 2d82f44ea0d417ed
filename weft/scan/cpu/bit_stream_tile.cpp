// The vector code of bit_stream.hpp for one tile of text: bit planes, class streams, filters. Compiled once
// for each instruction set; the best one is chosen at run time.
#include <algorithm>
#include <cstring>
#include <weft/scan/cpu/bit_stream.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/scan/cpu/bit_stream_tile.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace weft::scan_detail {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using lanes_tag = hn::CappedTag<std::uint64_t, 8>;

// Transposes the 64 x 64 bit matrices rows[w * lanes + l], w = 0 .. 63, for each lane l: bit b of row r moves
// to bit r of row b. Swaps halves, then quarters, and so on: Warren, Hacker's Delight, 7-3.
void transpose(std::uint64_t* HWY_RESTRICT rows, std::uint32_t lanes) {
  const lanes_tag d;
  const std::uint32_t step = std::min<std::uint32_t>(static_cast<std::uint32_t>(hn::Lanes(d)), lanes);
  std::uint64_t mask = 0x00000000ffffffffU;
  for (std::uint32_t j = 32; j != 0; j >>= 1, mask ^= mask << j) {
    const auto keep = hn::Set(d, mask);
    for (std::uint32_t w = 0; w < 64; w = ((w | j) + 1) & ~j)
      for (std::uint32_t l = 0; l < lanes; l += step) {
        std::uint64_t* low = rows + w * lanes + l;
        std::uint64_t* high = rows + (w | j) * lanes + l;
        if (step == hn::Lanes(d)) {
          const auto a = hn::LoadU(d, low), b = hn::LoadU(d, high);
          const auto t = hn::And(hn::Xor(hn::ShiftRightSame(a, static_cast<int>(j)), b), keep);
          hn::StoreU(hn::Xor(b, t), d, high);
          hn::StoreU(hn::Xor(a, hn::ShiftLeftSame(t, static_cast<int>(j))), d, low);
        } else {
          for (std::uint32_t i = 0; i < step; ++i) {
            const std::uint64_t t = ((low[i] >> j) ^ high[i]) & mask;
            high[i] ^= t;
            low[i] ^= t << j;
          }
        }
      }
  }
}

// Fills the words 64 .. 127 of a plane with the same residues, shifted by one bit. The last bit of the last
// lane comes from `past`, the residues after the tile.
void extend(std::uint64_t* HWY_RESTRICT plane, std::uint32_t lanes, std::uint64_t past) {
  std::uint64_t* halo = plane + tile_words * lanes;
  for (std::uint32_t w = 0; w < max_halo; ++w)
    for (std::uint32_t l = 0; l < lanes; ++l) {
      const std::uint64_t next = l + 1 < lanes ? plane[w * lanes + l + 1] : past >> w;
      halo[w * lanes + l] = (plane[w * lanes + l] >> 1) | (next << 63);
    }
}

void fill_planes(const unsigned char* HWY_RESTRICT text, std::uint32_t lanes, const std::uint64_t* starts,
                 std::uint64_t* HWY_RESTRICT planes) {
  [[maybe_unused]] const hn::CappedTag<std::uint8_t, 64> d;
  const std::uint32_t stride = (tile_words + max_halo) * lanes, rows = 64 * lanes;
  std::uint64_t past[9] = {};
  past[8] = starts[rows];
  for (std::uint32_t i = 0; i <= rows; ++i) {
    std::uint64_t bits[8] = {};
#if HWY_TARGET == HWY_SCALAR // masks of this target do not fill a byte
    for (unsigned x = 0; x < 64; ++x)
      for (unsigned b = 0; b < 8; ++b) bits[b] |= std::uint64_t{(text[i * 64 + x] >> b) & 1U} << x;
#else
    for (std::size_t x = 0; x < 64; x += hn::Lanes(d)) {
      const auto bytes = hn::LoadU(d, text + i * 64 + x);
      for (unsigned b = 0; b < 8; ++b)
        hn::StoreMaskBits(d, hn::TestBit(bytes, hn::Set(d, static_cast<std::uint8_t>(1U << b))),
                          reinterpret_cast<std::uint8_t*>(bits + b) + x / 8);
    }
#endif
    for (unsigned b = 0; b < 8; ++b)
      (i < rows ? planes[b * stride + (i & 63) * lanes + (i >> 6)] : past[b]) = bits[b];
    if (i < rows) planes[8 * stride + (i & 63) * lanes + (i >> 6)] = starts[i];
  }
  for (unsigned b = 0; b < 9; ++b) {
    transpose(planes + b * stride, lanes);
    extend(planes + b * stride, lanes, past[b]);
  }
}

void fill_tile(const bit_stream_plan& plan, std::uint32_t lanes, const unsigned char* text,
               const std::uint64_t* starts, std::uint64_t* arena) {
  fill_planes(text, lanes, starts, arena + std::size_t{plan.plane_words} * lanes);
  const lanes_tag d;
  const stream_step* last = plan.steps.data() + plan.steps.size();
  for (std::uint32_t word = 0; word < tile_words + max_halo; word += step_words) {
    while (last != plan.steps.data() && last[-1].words <= word) --last;
    const auto at = [&](std::uint32_t address) {
      const std::uint32_t moved =
          address & stream_step::moving ? (address ^ stream_step::moving) + word : address;
      return arena + std::size_t{moved} * lanes;
    };
    for (const stream_step* s = plan.steps.data(); s != last; ++s) {
      const std::uint64_t *a = at(s->a), *b = at(s->b), *c = at(s->c);
      std::uint64_t* to = at(s->dst);
      const auto each = [&](auto&& body) HWY_ATTR {
        for (std::size_t i = 0; i < step_words * lanes; i += hn::Lanes(d)) hn::StoreU(body(i), d, to + i);
      };
      const auto load = [d](const std::uint64_t* from) HWY_ATTR { return hn::LoadU(d, from); };
      switch (s->operation) {
      case stream_operation::both:
        each([&](std::size_t i) HWY_ATTR { return hn::And(load(a + i), load(b + i)); });
        break;
      case stream_operation::either:
        each([&](std::size_t i) HWY_ATTR { return hn::Or(load(a + i), load(b + i)); });
        break;
      case stream_operation::any_of_three:
        each([&](std::size_t i) HWY_ATTR { return hn::Or(hn::Or(load(a + i), load(b + i)), load(c + i)); });
        break;
      case stream_operation::both_or:
        each([&](std::size_t i) HWY_ATTR { return hn::OrAnd(load(c + i), load(a + i), load(b + i)); });
        break;
      case stream_operation::not_a:
        each([&](std::size_t i) HWY_ATTR { return hn::Not(load(a + i)); });
        break;
      }
    }
  }
}

// The next free entries of stream_hits, where blocks of four vectors are collected without a branch: each
// block is written there, but the pointers only move on if a bit of the block is set.
struct block_list {
  std::uint64_t* lanes;
  std::uint64_t* variant_and_lane;
};

// ANDs Count streams over the tile (if Count is 8: `filters` streams) and appends the nonzero blocks to
// `out`.
template <int Count>
HWY_INLINE block_list run_filter(const std::uint32_t* elements, unsigned filters, std::uint32_t lanes,
                                 const std::uint64_t* arena, std::uint64_t variant, block_list out) {
  const lanes_tag d;
  const std::uint64_t* p[Count];
  for (int k = 0; k < Count; ++k) p[k] = arena + std::size_t{elements[k]} * lanes;
  const std::size_t n = hn::Lanes(d), total = std::size_t{tile_words} * lanes;
  for (std::size_t i = 0; i < total; i += 4 * n) {
    auto v0 = hn::LoadU(d, p[0] + i), v1 = hn::LoadU(d, p[0] + i + n);
    auto v2 = hn::LoadU(d, p[0] + i + 2 * n), v3 = hn::LoadU(d, p[0] + i + 3 * n);
    const auto narrow = [&](const std::uint64_t* q) HWY_ATTR {
      v0 = hn::And(v0, hn::LoadU(d, q + i));
      v1 = hn::And(v1, hn::LoadU(d, q + i + n));
      v2 = hn::And(v2, hn::LoadU(d, q + i + 2 * n));
      v3 = hn::And(v3, hn::LoadU(d, q + i + 3 * n));
    };
    for (int k = 1; k < Count; ++k) narrow(p[k]);
    if constexpr (Count == 8)
      for (unsigned k = 8; k < filters; ++k) narrow(arena + std::size_t{elements[k]} * lanes);
    hn::StoreU(v0, d, out.lanes);
    hn::StoreU(v1, d, out.lanes + n);
    hn::StoreU(v2, d, out.lanes + 2 * n);
    hn::StoreU(v3, d, out.lanes + 3 * n);
    *out.variant_and_lane = variant << 32 | i;
    const auto any = hn::Or(hn::Or(v0, v1), hn::Or(v2, v3));
    const std::size_t found = hn::AllTrue(d, hn::Eq(any, hn::Zero(d))) ? 0 : 1;
    out.lanes += found * 4 * n;
    out.variant_and_lane += found;
  }
  return out;
}

// Notes which lanes of each block are not zero.
void note_nonzero_lanes(stream_hits& hits) {
  const lanes_tag d;
  const std::size_t n = hn::Lanes(d);
  const std::uint64_t* v = hits.lanes.data();
  for (std::size_t b = 0; b < hits.count; ++b) {
    std::uint32_t nonzero = 0;
    for (std::size_t k = 0; k < 4 * n; k += n, v += n) {
      std::uint8_t bits[8] = {};
      hn::StoreMaskBits(d, hn::Ne(hn::LoadU(d, v), hn::Zero(d)), bits);
      nonzero |= std::uint32_t{bits[0]} << k;
    }
    hits.nonzero_lanes[b] = nonzero;
  }
}

std::uint32_t run_filters(const bit_stream_plan& plan, std::uint32_t lanes, const std::uint64_t* arena,
                          std::uint32_t first, stream_hits& hits) {
  const std::size_t block = 4 * hn::Lanes(lanes_tag()), capacity = 4U * tile_words * lanes;
  hits.block_lanes = static_cast<std::uint32_t>(block);
  hits.lanes.resize(capacity + block);
  hits.variant_and_lane.resize(capacity / block + 1);
  hits.nonzero_lanes.resize(capacity / block);
  block_list out{hits.lanes.data(), hits.variant_and_lane.data()};
  const std::uint64_t* const full = hits.lanes.data() + capacity - tile_words * lanes;
  std::uint32_t v = first;
  for (; v < plan.variants.size() && out.lanes <= full; ++v) {
    const unsigned filters = plan.variants[v].filters;
    const std::uint32_t* elements = plan.elements.data() + plan.variants[v].first_element;
    switch (filters) {
    case 1:
      out = run_filter<1>(elements, 1, lanes, arena, v, out);
      break;
    case 2:
      out = run_filter<2>(elements, 2, lanes, arena, v, out);
      break;
    case 3:
      out = run_filter<3>(elements, 3, lanes, arena, v, out);
      break;
    case 4:
      out = run_filter<4>(elements, 4, lanes, arena, v, out);
      break;
    case 5:
      out = run_filter<5>(elements, 5, lanes, arena, v, out);
      break;
    case 6:
      out = run_filter<6>(elements, 6, lanes, arena, v, out);
      break;
    case 7:
      out = run_filter<7>(elements, 7, lanes, arena, v, out);
      break;
    default:
      out = run_filter<8>(elements, filters, lanes, arena, v, out);
      break;
    }
  }
  hits.count = static_cast<std::size_t>(out.variant_and_lane - hits.variant_and_lane.data());
  note_nonzero_lanes(hits);
  return v;
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace weft::scan_detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::scan_detail {

HWY_EXPORT(fill_tile);
HWY_EXPORT(run_filters);

void prepare_arena(const bit_stream_plan& plan, std::uint32_t lanes, std::uint64_t* arena) {
  std::fill_n(arena + std::size_t{plan.zero_words} * lanes, step_words * lanes, std::uint64_t{0});
}

void fill_tile(const bit_stream_plan& plan, std::uint32_t lanes, const unsigned char* text,
               const std::uint64_t* starts, std::uint64_t* arena) {
  HWY_DYNAMIC_DISPATCH(fill_tile)(plan, lanes, text, starts, arena);
}

std::uint32_t run_filters(const bit_stream_plan& plan, std::uint32_t lanes, const std::uint64_t* arena,
                          std::uint32_t first, stream_hits& hits) {
  return HWY_DYNAMIC_DISPATCH(run_filters)(plan, lanes, arena, first, hits);
}

} // namespace weft::scan_detail
#endif
