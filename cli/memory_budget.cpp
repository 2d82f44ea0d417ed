#include <cli/memory_budget.hpp>

#include <fmt/format.h>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>

namespace weft::cli {

void memory_budget::require(std::uint64_t bytes, std::string_view what) const {
  if (limit_ == 0 || bytes <= limit_ - held_) return;
  throw memory_error(fmt::format("{} need {} of memory, but --memory leaves only {}: use at least "
                                 "--memory {}M",
                                 what, format_size(bytes), format_size(limit_ - held_),
                                 (held_ + bytes - allowance + (1 << 20) - 1) >> 20));
}

void memory_budget::hold(std::uint64_t bytes, std::string_view what) {
  require(bytes, what);
  held_ += bytes;
}

} // namespace weft::cli
