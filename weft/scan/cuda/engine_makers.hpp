// The functions that make the GPU form of each engine. Every engine has a GPU form.
#pragma once

#include <weft/scan/cuda/gpu_engine.hpp>
#include <weft/scan/entry/engine_choice.hpp>

namespace weft::scan_cuda {

[[nodiscard]] gpu_engine_maker maker_of(scan_detail::engine id);

} // namespace weft::scan_cuda
