// The inverse transform of bytes of host memory on a GPU, as bwt.cpp uses it; compiles also where there is no
// CUDA toolkit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <weft/bwt/bwt.hpp>

namespace weft::detail {

// From so many bytes on device auto takes a GPU: to take one up costs a process a quarter of a second.
inline constexpr std::uint64_t gpu_inverse_bytes = std::uint64_t{1} << 25;

// The text, of bytes that are not empty and an index that is in range. Nothing where device is auto and the
// GPU's memory is too small for it.
[[nodiscard]] std::optional<std::string> inverse_on_gpu(int gpu, std::string_view bytes,
                                                        std::uint64_t primary_index, bwt_form form,
                                                        const bwt_options& options);

} // namespace weft::detail
