// Divides the memory that --memory allows.
#pragma once

#include <cstdint>
#include <string_view>

namespace weft::cli {

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
  void hold(std::uint64_t bytes, std::string_view what);
  // Throws as hold() does if the bytes exceed the memory left, but does not count them.
  void require(std::uint64_t bytes, std::string_view what) const;

private:
  static constexpr std::uint64_t allowance = std::uint64_t{16} << 20;
  std::uint64_t limit_, held_ = 0;
};

} // namespace weft::cli
