#include <weft/bwt/inverse_checks.hpp>

#include <fmt/format.h>
#include <weft/base/error.hpp>

namespace weft::detail {

void check_primary_index(std::uint64_t n, std::uint64_t primary_index, bwt_form form) {
  const std::uint64_t least = form == bwt_form::sentinel && n > 0 ? 1 : 0;
  if (primary_index < least || (primary_index >= n + least && !(n == 0 && primary_index == 0)))
    throw error(errc::invalid_input, fmt::format("primary index {} is out of range: {} to {} for {} bytes",
                                                 primary_index, least, n + least - (n > 0 ? 1 : 0), n));
}

void refuse_transform() {
  throw error(errc::invalid_input,
              "these bytes and this primary index are not the Burrows-Wheeler transform of any "
              "text");
}

} // namespace weft::detail
