#include <weft/search/cpu/gap_path.hpp>

#include <algorithm>

namespace weft::search_detail {

letter_counts count_letters(const edit_run& run) {
  return {run.op == edit_op::insert ? 0 : run.length, run.op == edit_op::remove ? 0 : run.length};
}

letter_counts count_letters(const edit_script& path) {
  const std::uint64_t both = path.matches + path.substitutions;
  return {both + path.deletions, both + path.insertions};
}

void append(edit_script& path, edit_op op, std::uint64_t length) {
  if (length == 0) return;
  (op == edit_op::match        ? path.matches
   : op == edit_op::substitute ? path.substitutions
   : op == edit_op::insert     ? path.insertions
                               : path.deletions) += length;
  if (!path.runs.empty() && path.runs.back().op == op)
    path.runs.back().length += length;
  else
    path.runs.push_back({op, length});
}

void append(edit_script& path, const edit_script& tail) {
  for (const edit_run& run : tail.runs) append(path, run.op, run.length);
}

edit_script reversed(const edit_script& path) {
  edit_script result = path;
  std::reverse(result.runs.begin(), result.runs.end());
  return result;
}

std::pair<edit_script, edit_script> split_path(const edit_script& path, std::uint64_t b_letters) {
  std::pair<edit_script, edit_script> parts;
  for (const edit_run& run : path.runs) {
    const std::uint64_t of_run = count_letters(run).b;
    const std::uint64_t first =
        of_run == 0 ? (parts.second.runs.empty() ? run.length : 0) : std::min(of_run, b_letters);
    append(parts.first, run.op, first);
    append(parts.second, run.op, run.length - first);
    b_letters -= of_run == 0 ? 0 : first;
  }
  return parts;
}

} // namespace weft::search_detail
