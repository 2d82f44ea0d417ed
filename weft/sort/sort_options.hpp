#pragma once

#include <string>
#include <weft/base/monitor.hpp>

namespace weft {

struct sort_options {
  std::string engine = "auto";     // see sort_engines()
  int threads = 0;                 // 0: all
  task_monitor* monitor = nullptr; // work unit: items
};

} // namespace weft
