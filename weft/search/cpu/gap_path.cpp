#include <weft/search/cpu/gap_path.hpp>

#include <algorithm>

namespace weft::search_detail {

namespace {

// Removes the last steps of a path, which lead along the diagonal.
void cut_diagonal(edit_script& path, std::uint64_t steps) {
  while (steps > 0) {
    edit_run& last = path.runs.back();
    const std::uint64_t cut = std::min(steps, last.length);
    (last.op == edit_op::match ? path.matches : path.substitutions) -= cut;
    steps -= cut;
    if ((last.length -= cut) == 0) path.runs.pop_back();
  }
}

// Appends the steps along the diagonal of two texts of one size.
void append_diagonal(edit_script& path, std::string_view a, std::string_view b) {
  for (std::size_t t = 0; t < a.size(); ++t)
    append(path, a[t] == b[t] ? edit_op::match : edit_op::substitute, 1);
}

} // namespace

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

edit_script shift_gaps_left(const edit_script& path, std::string_view a, std::string_view b) {
  constexpr std::uint64_t max_shift = 64;
  edit_script result;
  std::uint64_t i = 0, j = 0; // letters that the result has taken
  std::uint64_t diagonal = 0; // steps along the diagonal at the end of the result
  const auto is_gap = [&](std::size_t t) {
    return t < path.runs.size() && (path.runs[t].op == edit_op::insert || path.runs[t].op == edit_op::remove);
  };
  for (std::size_t t = 0; t < path.runs.size(); ++t) {
    const edit_run& run = path.runs[t];
    const letter_counts letters = count_letters(run);
    if (!is_gap(t)) {
      append(result, run.op, run.length);
      diagonal += run.length;
    } else if (is_gap(t + 1) || (t > 0 && is_gap(t - 1))) {
      append(result, run.op, run.length);
      diagonal = 0;
    } else {
      // Crossing the step before it, the gap pairs the letter of the other text with its own last letter.
      std::int64_t more = 0; // substitutions if the gap moves, minus those if it stays
      std::uint64_t best = 0;
      for (std::uint64_t shift = 1; shift <= std::min(diagonal, best + max_shift); ++shift) {
        const char in_a = a[i + letters.a - shift], in_b = b[j + letters.b - shift];
        more +=
            static_cast<std::int64_t>(in_a != in_b) - static_cast<std::int64_t>(a[i - shift] != b[j - shift]);
        if (more == 0) best = shift;
      }
      cut_diagonal(result, best);
      append(result, run.op, run.length);
      append_diagonal(result, a.substr(i + letters.a - best, best), b.substr(j + letters.b - best, best));
      diagonal = best;
    }
    i += letters.a, j += letters.b;
  }
  return result;
}

} // namespace weft::search_detail
