// The options of the functions of bwt.
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

// What computed a result: the engine, and its GPU.
struct bwt_used {
  // The name of the engine, and the number of the CUDA device, or -1 for the CPU.
  std::string engine;
  int gpu = -1;
};

// Options of transforms, suffix arrays and LCP arrays.
struct bwt_options {
  std::string engine = "auto";     // one of bwt_engines()
  device_choice device = {};       // where to run; auto: large texts on a GPU if its memory suffices
  int threads = 0;                 // 0: all; suffix-sort sorts on one thread of a CPU
  std::uint64_t memory = 0;        // host memory in bytes that the call may take; 0: memory_limit(0)
  std::uint64_t device_memory = 0; // GPU memory in bytes, including text and result; 0: what is free
  task_monitor* monitor = nullptr; // work unit: symbols; libdivsufsort cannot be cancelled once it has begun
  bwt_used* used = nullptr;        // if not null, every call that can run on a GPU sets it
};

// Returns the engines, and whether each can run on this machine.
[[nodiscard]] std::vector<engine_info> bwt_engines();

} // namespace weft
