// What the inverse transform refuses, on every device.
#pragma once

#include <cstdint>
#include <weft/bwt/bwt.hpp>

namespace weft::detail {

// Throws error(invalid_input), naming the range, if n bytes have no such primary index.
void check_primary_index(std::uint64_t n, std::uint64_t primary_index, bwt_form form);

// Throws error(invalid_input): no text has this transform.
[[noreturn]] void refuse_transform();

} // namespace weft::detail
