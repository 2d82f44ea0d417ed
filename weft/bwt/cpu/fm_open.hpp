// Opens the bytes of an FM-index for reading.
#pragma once

#include <memory>
#include <span>
#include <weft/bwt/cpu/fm_view.hpp>

namespace weft::detail {

// Returns a view of an index that points into `bytes`. Throws error(invalid_input) unless the bytes satisfy
// everything that reading relies on.
[[nodiscard]] std::shared_ptr<const fm_index::view> open_fm_index(std::span<const char> bytes,
                                                                  std::shared_ptr<const void> owner);

} // namespace weft::detail
