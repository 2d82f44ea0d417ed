// From the bytes of an index to pointers into them.
#pragma once

#include <memory>
#include <span>
#include <weft/bwt/cpu/fm_view.hpp>

namespace weft::detail {

// Throws error(invalid_input) unless all that reading relies on holds.
[[nodiscard]] std::shared_ptr<const fm_index::view> open_fm_index(std::span<const char> bytes,
                                                                  std::shared_ptr<const void> owner);

} // namespace weft::detail
