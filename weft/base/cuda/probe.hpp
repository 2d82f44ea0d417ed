#pragma once

namespace weft::base_detail {

// Runs a small kernel on the CUDA device `index`, waits for it, and leaves that device current. Returns null
// if the result is right, otherwise the reason of the failure.
[[nodiscard]] const char* probe_device(int index);

} // namespace weft::base_detail
