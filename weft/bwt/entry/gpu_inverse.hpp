// Runs the inverse transform of bytes in host memory on a GPU, for bwt.cpp. Compiles also without a CUDA
// toolkit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <weft/bwt/bwt.hpp>

namespace weft::detail {

// The number of bytes from which device auto takes a GPU: to initialize a GPU takes a process a quarter of a
// second.
inline constexpr std::uint64_t gpu_inverse_bytes = std::uint64_t{1} << 25;

// Returns the text; bytes must not be empty, and the index must be in range. Returns nothing if device is
// auto and the GPU's memory is too small.
[[nodiscard]] std::optional<std::string> inverse_on_gpu(int gpu, std::string_view bytes,
                                                        std::uint64_t primary_index, bwt_form form,
                                                        const bwt_options& options);

} // namespace weft::detail
