// Engine furthest-reaching on two texts, for a limited time if the caller has a faster way for texts that
// differ much.
#pragma once

#include <optional>
#include <weft/lcs/entry/engine_basics.hpp>

namespace weft::lcs_cpu {

inline constexpr std::uint64_t unlimited_steps = ~std::uint64_t{0};

// Returns whether 32-bit indices suffice for the search. With wildcards they must.
template <class Symbol> [[nodiscard]] bool is_narrow(text<Symbol> a, text<Symbol> b) {
  return a.size() + b.size() < std::uint64_t{1} << 29;
}

// Return the distance or the canonical path. Return nothing if the search is not expected to end within
// max_steps, or, with a limit of steps, if the memory of a path does not suffice. Without a limit they throw
// memory_error in that case. A step visits a diagonal at one distance. Symbols are bytes or 32-bit numbers.
template <class Symbol>
[[nodiscard]] std::optional<std::uint64_t> near_distance(text<Symbol> a, text<Symbol> b, const lcs_call& call,
                                                         std::uint64_t max_steps = unlimited_steps);
template <class Symbol>
[[nodiscard]] std::optional<edit_script> near_path(text<Symbol> a, text<Symbol> b, const lcs_call& call,
                                                   std::uint64_t max_steps = unlimited_steps);

} // namespace weft::lcs_cpu
