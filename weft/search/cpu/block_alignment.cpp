#include <weft/search/cpu/block_alignment.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <weft/base/parallel.hpp>
#include <weft/search/cpu/comparison_helpers.hpp>

namespace weft::search_detail {

namespace {

constexpr std::uint64_t max_cells = std::uint64_t{1} << 22; // of a gap that is aligned as a whole
constexpr std::uint64_t window = 500;                       // letters that an extension aligns at once
constexpr std::int64_t max_drop = 100; // of the score of a path, before the stretch counts as not similar
constexpr std::int64_t min_score = 30; // of a similar stretch between two others
constexpr std::int64_t anchored = 2 * max_drop; // score of what lies beside a gap

// Returns by how much a run changes the score of a path: a match is worth 1, and the rest costs what it does
// in minimap2's preset for sequences of 80 % identity.
std::int64_t score_of(const edit_run& run) {
  const auto length = static_cast<std::int64_t>(run.length);
  switch (run.op) {
  case edit_op::match:
    return length;
  case edit_op::substitute:
    return -2 * length;
  default:
    return -4 - length;
  }
}

// Returns the part of a path with the highest score among those that begin with its first step.
edit_script best_prefix(const edit_script& path) {
  std::int64_t score = 0, best = 0;
  std::size_t best_runs = 0;
  for (std::size_t i = 0; i < path.runs.size(); ++i) {
    score += score_of(path.runs[i]);
    if (score > best) best = score, best_runs = i + 1;
  }
  edit_script prefix;
  for (std::size_t i = 0; i < best_runs; ++i) append(prefix, path.runs[i].op, path.runs[i].length);
  return prefix;
}

// Returns the path with its stretches that are not similar replaced by deletions and insertions. A stretch
// lies between two similar ones, and the score drops by more than max_drop in it. What comes before and
// behind the path is similar.
edit_script replace_dissimilar(const edit_script& path) {
  struct run_range {
    std::size_t begin, end;
  };
  std::vector<run_range> similar;
  run_range current{0, 0}; // [begin, end): the runs up to the highest score
  std::int64_t score = anchored, best = anchored;
  for (std::size_t i = 0; i < path.runs.size(); ++i) {
    score += score_of(path.runs[i]);
    if (score > best) {
      best = score, current.end = i + 1;
    } else if (best - score > max_drop || score <= 0) {
      if (best >= min_score) similar.push_back(current);
      current = {i + 1, i + 1};
      score = best = 0;
    }
  }
  // What comes behind the path belongs to the last stretch if the score does not drop before it.
  if (similar.empty() && current.begin == 0) return path;
  similar.push_back({current.begin, path.runs.size()});
  edit_script result;
  std::size_t done = 0;
  for (const run_range& stretch : similar) {
    letter_counts dropped;
    for (; done < stretch.begin; ++done) {
      const letter_counts letters = count_letters(path.runs[done]);
      dropped.a += letters.a, dropped.b += letters.b;
    }
    append(result, edit_op::remove, dropped.a);
    append(result, edit_op::insert, dropped.b);
    for (; done < stretch.end; ++done) append(result, path.runs[done].op, path.runs[done].length);
  }
  return result;
}

// Aligns the gaps between anchors.
class gap_aligner {
public:
  gap_aligner(std::string_view a, std::string_view b, const affine_penalties& penalties) : a_(a), b_(b) {
    options_.metric = lcs_metric::affine;
    options_.penalties = penalties;
    options_.run.threads = 1;
    options_.run.device = {device_kind::cpu, 0};
  }

  [[nodiscard]] edit_script close(const anchor_gap& gap) const {
    switch (gap.covers) {
    case anchor_gap::cover::last:
      return extend_left(gap.a, gap.b);
    case anchor_gap::cover::first:
      return extend_right(gap.a, gap.b);
    default:
      return close(gap.a, gap.b);
    }
  }

private:
  // Returns a path of all letters of both ranges.
  [[nodiscard]] edit_script close(text_range a, text_range b) const {
    if (const auto path = close_small(a, b)) return *path;
    edit_script left = extend_right(a, b);
    const letter_counts of_left = count_letters(left);
    a.begin += of_left.a, b.begin += of_left.b;
    if (auto path = close_small(a, b)) {
      append(left, *path);
      return left;
    }
    const edit_script right = extend_left(a, b);
    const letter_counts of_right = count_letters(right);
    append(left, edit_op::remove, a.size() - of_right.a);
    append(left, edit_op::insert, b.size() - of_right.b);
    append(left, right);
    return left;
  }

  // Returns a path of the first letters of both ranges, as far as they are similar.
  [[nodiscard]] edit_script extend_right(text_range a, text_range b) const {
    return extend(a, b, [this](text_range in_a, text_range in_b) {
      return align(a_.substr(in_a.begin, std::min(in_a.size(), window)),
                   b_.substr(in_b.begin, std::min(in_b.size(), window)));
    });
  }
  // Returns a path of the last letters of both ranges, as far as they are similar.
  [[nodiscard]] edit_script extend_left(text_range a, text_range b) const {
    // Aligns the texts backwards: what was taken from the front of a range is taken from its end instead.
    const text_range whole_a = a, whole_b = b;
    return reversed(extend(a, b, [&](text_range in_a, text_range in_b) {
      return align(backwards(a_, whole_a.end - (in_a.begin - whole_a.begin), in_a.size()),
                   backwards(b_, whole_b.end - (in_b.begin - whole_b.begin), in_b.size()));
    }));
  }

  [[nodiscard]] edit_script align(std::string_view a, std::string_view b) const {
    return lcs(a, b, options_);
  }

  // Returns up to `window` of the `size` letters before `end`, the last one first.
  [[nodiscard]] static std::string backwards(std::string_view text, std::uint64_t end, std::uint64_t size) {
    const std::uint64_t length = std::min(size, window);
    const std::string_view letters = text.substr(end - length, length);
    return {letters.rbegin(), letters.rend()};
  }

  // Returns whether no letter is A, C, G or T.
  [[nodiscard]] static bool is_unknown(std::string_view letters) {
    return letters.find_first_of("ACGT") == std::string_view::npos;
  }

  // Returns the path, or nothing if the gap is too large to be aligned as a whole.
  [[nodiscard]] std::optional<edit_script> close_small(text_range a, text_range b) const {
    edit_script path;
    if (a.size() == 0 || b.size() == 0) {
      append(path, edit_op::remove, a.size());
      append(path, edit_op::insert, b.size());
      return path;
    }
    if (a.size() == 1 && b.size() == 1) {
      append(path, a_[a.begin] == b_[b.begin] ? edit_op::match : edit_op::substitute, 1);
      return path;
    }
    if (a.size() == b.size() && is_unknown(a_.substr(a.begin, a.size())) &&
        is_unknown(b_.substr(b.begin, b.size()))) {
      append(path, edit_op::substitute, a.size());
      return path;
    }
    if (a.size() > max_cells / b.size()) return std::nullopt;
    return align(a_.substr(a.begin, a.size()), b_.substr(b.begin, b.size()));
  }

  // Aligns a window of both ranges after the other and keeps the best prefix, until it is much shorter than
  // the window.
  template <class Align>
  [[nodiscard]] edit_script extend(text_range a, text_range b, const Align& align) const {
    edit_script path;
    while (a.size() > 0 && b.size() > 0) {
      const std::uint64_t letters = std::min({a.size(), b.size(), window});
      const edit_script part = best_prefix(align(a, b));
      const letter_counts taken = count_letters(part);
      append(path, part);
      a.begin += taken.a, b.begin += taken.b;
      if (taken.a == 0 || taken.a < letters * 3 / 4) break;
    }
    return path;
  }

  std::string_view a_, b_;
  lcs_options options_;
};

// Makes anchors that follow each other disjoint in both texts. Where the diagonal changes, takes some letters
// off both, so that the alignment decides at which letter it does.
void separate_anchors(std::vector<anchor>& anchors) {
  constexpr std::uint64_t max_slack = 12;
  std::vector<anchor> result;
  for (anchor each : anchors) {
    if (!result.empty()) {
      anchor& before = result.back();
      const std::uint64_t overlap = std::max(before.a_end() - std::min(before.a_end(), each.a),
                                             before.b_end() - std::min(before.b_end(), each.b));
      const bool changes = before.diagonal() != each.diagonal();
      const std::uint64_t off = overlap + (changes ? std::min(max_slack, each.length / 4) : 0);
      if (off >= each.length) continue;
      if (changes) before.length -= std::min(max_slack, before.length / 4);
      each = {each.b + off, each.a + off, each.length - off};
    }
    result.push_back(each);
  }
  anchors = std::move(result);
}

} // namespace

std::vector<edit_script> close_gaps(std::span<const anchor_gap> gaps, std::string_view a, std::string_view b,
                                    const affine_penalties& penalties, const run_options& run) {
  const gap_aligner aligner(a, b, penalties);
  std::vector<edit_script> paths(gaps.size());
  parallel_for(0, gaps.size(), 16, run, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i) {
      base_detail::check_cancelled(run);
      paths[i] = aligner.close(gaps[i]);
    }
  });
  return paths;
}

std::uint64_t time_to_close(const anchor_gap& gap) {
  constexpr std::uint64_t of_any_gap = 1000;
  const bool has_cells = gap.a.size() > 0 && gap.b.size() > 0;
  return of_any_gap + (!has_cells                                ? 0
                       : gap.a.size() < max_cells / gap.b.size() ? gap.a.size() * gap.b.size()
                                                                 : max_cells);
}

aligned_ranges align_along(std::vector<anchor> anchors, std::string_view a, std::string_view b,
                           text_range a_range, text_range b_range, alignment_extent extent,
                           const comparison_options& options) {
  separate_anchors(anchors);
  std::vector<anchor_gap> gaps(anchors.size() + 1); // gap i is before anchor i
  for (std::size_t i = 0; i < anchors.size(); ++i) {
    gaps[i].a.end = anchors[i].a, gaps[i].b.end = anchors[i].b;
    gaps[i + 1].a.begin = anchors[i].a_end(), gaps[i + 1].b.begin = anchors[i].b_end();
  }
  gaps.front().a.begin = a_range.begin, gaps.front().b.begin = b_range.begin;
  gaps.back().a.end = a_range.end, gaps.back().b.end = b_range.end;
  if (extent == alignment_extent::similar)
    gaps.front().covers = anchor_gap::cover::last, gaps.back().covers = anchor_gap::cover::first;
  std::vector<edit_script> paths =
      options.helpers != nullptr && options.helpers->are_worthwhile(gaps)
          ? options.helpers->close_gaps(gaps, a, b, options.penalties, options.run)
          : close_gaps(gaps, a, b, options.penalties, options.run);
  edit_script path;
  const letter_counts before = count_letters(paths.front());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    append(path, paths[i]);
    if (i < anchors.size()) append(path, edit_op::match, anchors[i].length);
  }
  aligned_ranges result{{anchors.front().a - before.a, 0}, {anchors.front().b - before.b, 0}, {}};
  result.path = shift_gaps_left(replace_dissimilar(path), a.substr(result.a.begin), b.substr(result.b.begin));
  const letter_counts letters = count_letters(result.path);
  result.a.end = result.a.begin + letters.a;
  result.b.end = result.b.begin + letters.b;
  return result;
}

} // namespace weft::search_detail
