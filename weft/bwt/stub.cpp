// The engines of bwt.
#include <vector>
#include <weft/base/device.hpp>

namespace weft {
std::vector<engine_info> bwt_engines();
std::vector<engine_info> bwt_engines() { return {}; }
} // namespace weft
