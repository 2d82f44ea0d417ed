// From a transform back to the text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <weft/bwt/bwt.hpp>

namespace weft::detail {

// Index is uint32_t (fewer than 2^31 rows) or uint64_t. chains: how many segments the text is cut into, at
// most.
template <class Index>
[[nodiscard]] std::string inverse_by_chains(std::string_view bytes, std::uint64_t primary_index,
                                            bwt_form form, std::uint64_t chains, const bwt_options& options);

} // namespace weft::detail
