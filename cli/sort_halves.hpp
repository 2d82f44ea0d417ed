// The two halves of weft sort, lines and arrays, and what they read.
#pragma once

#include <cli/flags.hpp>
#include <memory>
#include <string>
#include <vector>
#include <weft/io/byte_source.hpp>
#include <weft/sort/sort_options.hpp>

namespace weft::cli {

// The files to sort, of which the first has been looked at.
class sort_inputs {
public:
  explicit sort_inputs(const arguments& given);
  [[nodiscard]] bool begins_with_npy() const noexcept { return npy_; }
  [[nodiscard]] std::size_t count() const noexcept { return paths_.size(); }
  [[nodiscard]] const std::string& path(std::size_t i) const { return paths_[i]; }
  // Each once.
  [[nodiscard]] std::unique_ptr<io::byte_source> open(std::size_t i);

private:
  std::vector<std::string> paths_;
  bool decompress_;
  std::unique_ptr<io::byte_source> first_;
  bool npy_ = false;
};

// Throws error(invalid_input) for a flag of lines whose value is none.
void check_line_flags(const arguments& given);
int run_sort_lines(const arguments& given, sort_inputs inputs, const sort_options& options);
int run_sort_array(const arguments& given, sort_inputs inputs, sort_options options);

} // namespace weft::cli
