// What the functions of sort take.
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

// What computed a result: the engine that sorted, and its GPU, or -1 for the CPU. Of segments, of the first
// k items, and where all stood in order already, it is the engine as asked for.
struct sort_used {
  // Its name, and the CUDA device.
  std::string engine;
  int gpu = -1;
};

// Of every function of weft/sort/sort.hpp.
struct sort_options {
  std::string engine = "auto";     // see sort_engines()
  device_choice device = {};       // where it may run
  int threads = 0;                 // 0: all
  std::uint64_t device_memory = 0; // bytes of the GPU; 0: what is free
  task_monitor* monitor = nullptr; // work unit: items
  sort_used* used = nullptr;       // if not null, set by each call
};

} // namespace weft
