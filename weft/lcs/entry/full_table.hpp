// Who fills whole tables in place of engine bit-sliced: a GPU, behind an interface that names none.
#pragma once

#include <cstdint>
#include <weft/lcs/entry/engine_basics.hpp>

namespace weft::lcs_detail {

class full_table {
public:
  full_table() = default;
  full_table(const full_table&) = delete;
  full_table& operator=(const full_table&) = delete;
  virtual ~full_table() = default;

  // Whether every table must be filled here.
  [[nodiscard]] virtual bool required() const = 0;
  // If not: whether a table of m n cells would be filled here sooner, if usable(), which can cost a second at
  // its first call.
  [[nodiscard]] virtual bool worth_while(std::uint64_t m, std::uint64_t n, bool path) const = 0;
  [[nodiscard]] virtual bool usable() const = 0;
  // About.
  [[nodiscard]] virtual double cells_a_second(std::uint64_t m, std::uint64_t n) const = 0;

  // Texts: not empty, codes below sigma <= 256.
  [[nodiscard]] virtual std::uint64_t distance(text<std::uint8_t> a, text<std::uint8_t> b,
                                               std::uint64_t sigma) const = 0;
  [[nodiscard]] virtual edit_script path(text<std::uint8_t> a, text<std::uint8_t> b,
                                         std::uint64_t sigma) const = 0;
};

} // namespace weft::lcs_detail
