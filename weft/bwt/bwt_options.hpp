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

// Options of transforms, suffix arrays and LCP arrays.
struct bwt_options {
  // The engine is one of bwt_engines(). Device auto takes a GPU for large texts if its memory suffices.
  // The memory of a GPU includes text and result. Work and progress are counted in symbols. Cancelling ends a
  // call within a second, but the engine libdivsufsort cannot be interrupted.
  run_options run = {};
};

// Returns the engines, and whether each can run on this machine.
[[nodiscard]] std::vector<engine_info> bwt_engines();

} // namespace weft
