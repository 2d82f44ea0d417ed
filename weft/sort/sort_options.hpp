// The options of the functions of weft/sort/sort.hpp.
//
//   #include <weft/sort/sort.hpp>
//   std::vector<int> items = {3, 1, 2};
//   weft::sort_used used;
//   weft::sort(items, weft::descending(), {.engine = "merge", .threads = 2, .used = &used});
//   items;                                          // == {3, 2, 1}
//   used.engine;                                    // == "merge"
#pragma once

#include <cstdint>
#include <string>
#include <weft/base/device.hpp>
#include <weft/base/monitor.hpp>

namespace weft {

// The engine that sorted, and its GPU, or -1 for the CPU. For segmented_sort, for a top_k that selects on the
// CPU, and for items that merge finds in order already, it is the engine as it was asked for.
struct sort_used {
  // The name of the engine, and the index of the CUDA device.
  std::string engine;
  int gpu = -1;
};

// Options of every function of weft/sort/sort.hpp.
struct sort_options {
  std::string engine = "auto";     // see sort_engines()
  device_choice device = {};       // the device that the engine may use
  int threads = 0;                 // 0: all processors
  std::uint64_t device_memory = 0; // bytes of GPU memory to use; 0: all that is free
  task_monitor* monitor = nullptr; // work unit: items
  sort_used* used = nullptr;       // if not null, set by each call
};

} // namespace weft
