// The shapes of a sample sort's kernels for each kind of items, as measured best on an H200
// (bench/record/notes-sort.md).
#pragma once

#include <type_traits>
#include <weft/sort/cuda/block_sort.cuh>
#include <weft/sort/cuda/sample_sort_plan.cuh>

namespace weft::sort_detail {

// The shape of each kernel: threads, items per thread, and blocks per multiprocessor. The tiles of `count`
// and `move` have the same size.
template <class Count, class Move, class SpreadSmall, class SpreadLarge, class SortSmall, class SortLarge>
struct sample_sort_shape {
  using count = Count;
  using move = Move;
  using spread_small = SpreadSmall; // used for numbers only
  using spread_large = SpreadLarge;
  using sort_small = SortSmall;
  using sort_large = SortLarge;
  static_assert(Count::size == Move::size && SortSmall::size <= SortLarge::size);
  static_assert(Move::size % tile_alignment == 0);
  static_assert(SpreadSmall::size <= SpreadLarge::size && SpreadLarge::size == SortLarge::size);
  static_assert(SortLarge::size < 1U << 15); // a listed_leaf has 15 bits for the size
};

template <class Order> struct default_sample_sort_shapes {
  static constexpr int items = register_items<typename Order::item>;
  using small = tile_shape<256, items, 2>;
  using large = tile_shape<512, items, 1>;
  using type = sample_sort_shape<large, large, small, large, small, large>;
};
template <class Order>
requires(!Order::numbers && sizeof(typename Order::item) <= 16) struct default_sample_sort_shapes<Order> {
  static constexpr int items = register_items<typename Order::item>;
  using small = tile_shape<256, items, 4>;
  using large = tile_shape<512, items, 2>;
  using type = sample_sort_shape<large, tile_shape<256, 2 * items, 2>, small, large, small, large>;
};
template <class Order>
requires(Order::numbers && sizeof(typename Order::item) <= 8) struct default_sample_sort_shapes<Order> {
  static constexpr int move = sizeof(typename Order::item) <= 4 ? 32 : 24;
  using type =
      sample_sort_shape<tile_shape<512, move / 2, 2>, tile_shape<256, move, 2>, tile_shape<512, 11, 2>,
                        tile_shape<512, 16, 2>, tile_shape<256, 16, 4>, tile_shape<512, 16, 2>>;
};
template <class Order>
requires(Order::numbers && sizeof(typename Order::item) == 16) struct default_sample_sort_shapes<Order> {
  static constexpr bool wide = sizeof(typename Order::key) > 8, in_parts = Order::in_parts && !Order::stable;
  static constexpr int move = wide ? 16 : in_parts ? 24 : 20;
  using count = std::conditional_t<in_parts, tile_shape<384, 16, 2>, tile_shape<512, move / 2, 2>>;
  using type = sample_sort_shape<count, tile_shape<256, move, 2>, tile_shape<512, 8, 2>,
                                 tile_shape<1024, 8, 1>, tile_shape<512, 8, 2>, tile_shape<1024, 8, 1>>;
};

} // namespace weft::sort_detail
