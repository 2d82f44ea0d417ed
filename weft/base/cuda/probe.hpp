#pragma once

namespace weft::base_detail {

// Runs a small kernel on CUDA device `index`, and makes that device current. Null if it ran and was right,
// else why not. Synchronises.
[[nodiscard]] const char* probe_device(int index);

} // namespace weft::base_detail
