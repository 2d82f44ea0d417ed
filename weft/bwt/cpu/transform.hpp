// From a text to its transform.
#pragma once

#include <string_view>
#include <weft/bwt/bwt.hpp>

namespace weft::detail {

// Index is uint32_t (fewer than 2^31 bytes) or uint64_t. The text is not empty; the engine is a known one.
template <class Index>
[[nodiscard]] bwt_text transform(std::string_view text, bwt_form form, const bwt_options& options);
// Index: as the text needs it.
[[nodiscard]] bwt_text transform(std::string_view text, bwt_form form, const bwt_options& options);

} // namespace weft::detail
