// Divides the memory that a comparison may take (--memory of the command).
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <string_view>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>

namespace weft::files {

// The memory of one run, which is assigned piece by piece. The program itself, its threads and its buffers
// are allowed 16 MiB in addition to the limit, so that the whole process stays within the limit plus 32 MiB.
class memory_budget {
public:
  // `requested` is the number of bytes that --memory names; 0: no limit.
  explicit memory_budget(std::uint64_t requested) : limit_(requested == 0 ? 0 : requested + allowance) {}

  // Returns the bytes that are not held, at least 1, or 0 if there is no limit.
  [[nodiscard]] std::uint64_t left() const { return limit_ == 0 ? 0 : limit_ > held_ ? limit_ - held_ : 1; }
  // Returns the size of the largest text that leaves enough memory for the three copies of it that engines
  // may take, or 0 if there is no limit.
  [[nodiscard]] std::uint64_t max_text() const { return limit_ == 0 ? 0 : left() / 4 + 1; }
  // Counts bytes that stay in use. If they exceed the memory left, throws memory_error that says what they
  // are for (`what`) and which --memory would suffice.
  void hold(std::uint64_t bytes, std::string_view what) {
    require(bytes, what);
    held_ += bytes;
  }
  // Throws as hold() does if the bytes exceed the memory left, but does not count them.
  void require(std::uint64_t bytes, std::string_view what) const {
    if (limit_ == 0 || bytes <= limit_ - held_) return;
    throw memory_error(fmt::format("{} need {} of memory, but --memory leaves only {}: use at least "
                                   "--memory {}M",
                                   what, format_size(bytes), format_size(limit_ - held_),
                                   (held_ + bytes - allowance + (1 << 20) - 1) >> 20));
  }

private:
  static constexpr std::uint64_t allowance = std::uint64_t{16} << 20;
  std::uint64_t limit_, held_ = 0;
};

} // namespace weft::files
