// The engines by name, the width of their indexes, and the memory that a transform takes.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <weft/bwt/bwt.hpp>

namespace weft::detail {

// Texts with fewer symbols have 32-bit indexes.
inline constexpr std::uint64_t index_32_limit = std::uint64_t{1} << 31;

// Throws std::invalid_argument if Index is too narrow for `symbols` symbols.
template <class Index> void check_index(std::uint64_t symbols) {
  if (sizeof(Index) == 4 && symbols >= index_32_limit)
    throw std::invalid_argument("texts of 2^31 symbols and more need 64-bit indexes");
}

// Returns whether `engine` is ternary-quicksort. Throws error(invalid_input) if no engine has this name.
[[nodiscard]] bool is_quicksort(std::string_view engine, const char* what = "bwt");

// Returns the name of the engine that is used: the named one, or the choice of `auto`.
[[nodiscard]] std::string engine_name(const bwt_options& options);

// Returns the bytes that the CPU takes for the transform of `symbols` symbols, including the transform
// itself.
[[nodiscard]] std::uint64_t transform_memory(std::uint64_t symbols, bwt_form form,
                                             const bwt_options& options);

} // namespace weft::detail
