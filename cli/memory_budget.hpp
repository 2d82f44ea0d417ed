// What a verb may take of the memory that --memory allows.
#pragma once

#include <cstdint>
#include <string_view>

namespace weft::cli {

// The memory of one run, handed out piece by piece. The program itself, its threads and its buffers are
// counted as 16 MiB that come on top of the limit, so the whole process stays within the limit and 32 MiB.
class memory_budget {
public:
  // requested: the bytes that --memory names; 0: no limit.
  explicit memory_budget(std::uint64_t requested) : limit_(requested == 0 ? 0 : requested + allowance) {}

  // Bytes that are not held, at least 1; 0 if there is no limit.
  [[nodiscard]] std::uint64_t left() const { return limit_ == 0 ? 0 : limit_ > held_ ? limit_ - held_ : 1; }
  // The largest text that leaves enough for the three copies of it that engines may take; 0 if there is no
  // limit.
  [[nodiscard]] std::uint64_t max_text() const { return limit_ == 0 ? 0 : left() / 4 + 1; }
  // Counts bytes that stay in use. Throws memory_error, with what they are for and how much --memory would
  // suffice, if they are more than is left.
  void hold(std::uint64_t bytes, std::string_view what);
  // As hold(), for bytes that are given back.
  void require(std::uint64_t bytes, std::string_view what) const;

private:
  static constexpr std::uint64_t allowance = std::uint64_t{16} << 20;
  std::uint64_t limit_, held_ = 0;
};

} // namespace weft::cli
