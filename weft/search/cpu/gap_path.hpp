// Operations on paths (edit_script): appending, cutting and turning them around.
#pragma once

#include <cstdint>
#include <string_view>
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

// Moves each insertion or deletion of a path of a and b to the left, over steps along the diagonal, to the
// leftmost point from which the steps that it crosses have as many substitutions as before. It stays behind
// the insertion or deletion before it; one that touches another one does not move. The number of steps of
// each kind stays the same. O(n) for most texts: an insertion or deletion looks no further than `max_shift`
// letters beyond the last such point.
[[nodiscard]] edit_script shift_gaps_left(const edit_script& path, std::string_view a, std::string_view b);

} // namespace weft::search_detail
