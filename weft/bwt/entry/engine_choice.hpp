// The engines by name, the width of their indexes, and the memory that a transform takes.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <weft/bwt/bwt.hpp>

namespace weft::detail {

// Fewer symbols than that have indexes of 32 bits.
inline constexpr std::uint64_t small_text = std::uint64_t{1} << 31;

// Throws std::invalid_argument if Index is too narrow for so many symbols.
template <class Index> void check_index(std::uint64_t symbols) {
  if (sizeof(Index) == 4 && symbols >= small_text)
    throw std::invalid_argument("texts of 2^31 symbols and more need 64-bit indexes");
}

// Whether options.engine names ternary-quicksort; throws error(invalid_input) if it names no engine.
[[nodiscard]] bool is_quicksort(std::string_view engine, const char* what = "bwt");

// What `auto` takes, or the engine that is named.
[[nodiscard]] std::string engine_of(const bwt_options& options);

// Bytes that the CPU takes for the transform of so many symbols, itself included.
[[nodiscard]] std::uint64_t transform_memory(std::uint64_t symbols, bwt_form form,
                                             const bwt_options& options);

} // namespace weft::detail
