// Operations on paths (edit_script): appending, cutting and turning them around.
#pragma once

#include <cstdint>
#include <utility>
#include <weft/lcs/lcs.hpp>

namespace weft::search_detail {

// Letters of A and of B.
struct letter_counts {
  std::uint64_t a = 0, b = 0;
};

// Returns the letters that a run or a path takes of A and of B.
[[nodiscard]] letter_counts count_letters(const edit_run& run);
[[nodiscard]] letter_counts count_letters(const edit_script& path);

// Append a run or a path to a path, and count the steps.
void append(edit_script& path, edit_op op, std::uint64_t length);
void append(edit_script& path, const edit_script& tail);

// Returns a path from its end to its begin.
[[nodiscard]] edit_script reversed(const edit_script& path);

// Divides a path behind its first b_letters letters of B. Deletions at that point are in the first part.
[[nodiscard]] std::pair<edit_script, edit_script> split_path(const edit_script& path,
                                                             std::uint64_t b_letters);

} // namespace weft::search_detail
