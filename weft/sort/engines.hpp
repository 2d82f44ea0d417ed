// The engines of sort.
#pragma once

#include <vector>
#include <weft/base/device.hpp>

namespace weft {

[[nodiscard]] std::vector<engine_info> sort_engines();

} // namespace weft
