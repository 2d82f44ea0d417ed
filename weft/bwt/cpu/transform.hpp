// The Burrows-Wheeler transform on the CPU.
#pragma once

#include <string_view>
#include <weft/bwt/bwt.hpp>

namespace weft::detail {

// Returns the transform of a text. Index is uint32_t (fewer than 2^31 bytes) or uint64_t. The text must not
// be empty, and the engine must be a known one.
template <class Index>
[[nodiscard]] bwt_text transform(std::string_view text, bwt_form form, const bwt_options& options);
// Returns the transform of a text, with indexes of the width that the text needs.
[[nodiscard]] bwt_text transform(std::string_view text, bwt_form form, const bwt_options& options);

} // namespace weft::detail
