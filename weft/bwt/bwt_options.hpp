// What the functions of bwt take.
//
//   #include <weft/bwt/suffix_array.hpp>
//   weft::bwt_used used;
//   const weft::bwt_options options{.engine = "ternary-quicksort", .threads = 1, .used = &used};
//   weft::suffix_array("banana", options);          // == {5, 3, 1, 0, 4, 2}
//   used.engine;                                    // == "ternary-quicksort"
#pragma once

#include <cstdint>
#include <string>
#include <vector>
#include <weft/base/device.hpp>
#include <weft/base/monitor.hpp>

namespace weft {

// What computed a result: the engine, and its GPU, or -1 for the CPU.
struct bwt_used {
  // Its name, and the CUDA device.
  std::string engine;
  int gpu = -1;
};

// Of transforms, suffix arrays and LCP arrays.
struct bwt_options {
  std::string engine = "auto";     // see bwt_engines()
  device_choice device = {};       // where it may run; auto: a GPU that has room, for large texts
  int threads = 0;                 // 0: all; on a CPU suffix sorting itself runs on one
  std::uint64_t memory = 0;        // bytes that the call may take; 0: memory_limit(0)
  std::uint64_t device_memory = 0; // bytes of the GPU, with text and result; 0: what is free
  task_monitor* monitor = nullptr; // work unit: symbols; libdivsufsort does not stop once it has begun
  bwt_used* used = nullptr;        // if not null, set by each call that can run on a GPU
};

// The engines, and whether each can run here.
[[nodiscard]] std::vector<engine_info> bwt_engines();

} // namespace weft
