// The options of the functions of weft/sort/sort.hpp and weft/sort/line_sort.hpp.
//
//   #include <weft/sort/sort.hpp>
//   std::vector<int> items = {3, 1, 2};
//   weft::run_info info;
//   weft::sort(items, weft::descending(), {.run = {.engine = "merge", .threads = 2, .info = &info}});
//   items;                                          // == {3, 2, 1}
//   info.engine;                                    // == "merge"
//   info.work;                                      // == 3
#pragma once

#include <weft/base/run.hpp>

namespace weft {

// Options of every function of weft/sort/sort.hpp and weft/sort/line_sort.hpp, which say how they use each
// option of a run. The unit of work and of progress is items; for lines of text it is lines.
struct sort_options {
  run_options run = {}; // how the call runs, and the report of how it ran
};

} // namespace weft
