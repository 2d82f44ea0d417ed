// The interface of an implementation that fills whole tables instead of engine bit-sliced. The library's
// implementation uses a GPU, but the interface does not depend on it.
#pragma once

#include <cstdint>
#include <weft/lcs/entry/engine_basics.hpp>

namespace weft::lcs_detail {

// Fills whole tables of two texts.
class full_table {
public:
  full_table() = default;
  full_table(const full_table&) = delete;
  full_table& operator=(const full_table&) = delete;
  virtual ~full_table() = default;

  // Whether every table must be filled by this object.
  [[nodiscard]] virtual bool required() const = 0;
  // If it is not required: whether this object fills a table of m n cells faster, provided that it is
  // usable().
  [[nodiscard]] virtual bool is_worthwhile(std::uint64_t m, std::uint64_t n, bool path) const = 0;
  // Whether the device works. The first call can take a second.
  [[nodiscard]] virtual bool usable() const = 0;
  // Returns the approximate speed.
  [[nodiscard]] virtual double cells_per_second(std::uint64_t m, std::uint64_t n) const = 0;

  // Texts are not empty; their codes are below sigma <= 256.
  [[nodiscard]] virtual std::uint64_t distance(text<std::uint8_t> a, text<std::uint8_t> b,
                                               std::uint64_t sigma) const = 0;
  [[nodiscard]] virtual edit_script path(text<std::uint8_t> a, text<std::uint8_t> b,
                                         std::uint64_t sigma) const = 0;
};

} // namespace weft::lcs_detail
