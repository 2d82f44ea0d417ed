#pragma once

#include <cstdint>

namespace weft::detail {

// Throws memory_error, naming both figures, if `what` needs more bytes than memory_limit(requested).
void need_memory(std::uint64_t bytes, std::uint64_t requested, const char* what);

} // namespace weft::detail
