// The options of the functions of bwt.
//
//   #include <weft/bwt/suffix_array.hpp>
//   weft::run_info info;
//   const weft::bwt_options options{.run = {.engine = "ternary-quicksort", .threads = 1, .info = &info}};
//   weft::suffix_array("banana", options);          // == {5, 3, 1, 0, 4, 2}
//   info.engine;                                    // == "ternary-quicksort"
//   info.work;                                      // == 6
#pragma once

#include <vector>
#include <weft/base/device.hpp>
#include <weft/base/run.hpp>

namespace weft {

namespace bwt_detail {
class suffix_helpers;
class suffix_string;
} // namespace bwt_detail

// Options of transforms, suffix arrays and LCP arrays.
struct bwt_options {
  // The engine is one of bwt_engines(). Device auto takes a GPU for large texts if its memory suffices.
  // The memory of a GPU includes text and result. Work and progress are counted in symbols. Cancelling ends a
  // call within a second, but the engine libdivsufsort cannot be interrupted.
  run_options run = {};
  // Other processes that sort suffixes together with this one, or null: multi::suffix_team
  // (weft/multi/suffixes.hpp). bwt() and suffix_array() of one text of bytes use them by the engine
  // suffix-sort on a CPU. No two threads may use the same helpers at the same time.
  bwt_detail::suffix_helpers* helpers = nullptr;
};

// Returns the engines, and whether each can run on this machine.
[[nodiscard]] std::vector<engine_info> bwt_engines();

} // namespace weft
