// The inverse transform on the CPU.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <weft/bwt/bwt.hpp>

namespace weft::bwt_detail {

// Returns the text that has this transform. Throws error(invalid_input) if no text has it. Index is uint32_t
// (fewer than 2^31 rows) or uint64_t. `chains` is the maximal number of segments into which the text is cut.
template <class Index>
[[nodiscard]] std::string inverse_by_chains(std::string_view bytes, std::uint64_t primary_index,
                                            bwt_form form, std::uint64_t chains, const run_options& options);

} // namespace weft::bwt_detail
