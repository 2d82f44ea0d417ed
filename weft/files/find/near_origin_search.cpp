#include <weft/files/find/near_origin_search.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <utility>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>

namespace weft::files {

namespace {

constexpr std::uint64_t bytes_of_letter = 20; // memory of an index of windows while it is built
constexpr std::uint64_t min_build_memory = std::uint64_t{8} << 20; // also an index of few letters takes 1 MiB
constexpr std::uint64_t copies_of_hit = 4; // of each stretch in a window, while it is compared with others
constexpr std::uint64_t min_window_letters = 64; // of each side of the origin

// Returns the number of letters of each side of an origin that are searched first, for stretches of up to
// `max_size` letters. It suffices if no stretch extends over some position within three such stretches.
std::uint64_t first_side(std::uint64_t max_size, bool all_ends) {
  return all_ends ? max_size : std::max(4 * max_size, min_window_letters);
}

// Returns the hits of a strand in record `record`; `at` is the first hit in it or behind it, and becomes the
// first one behind it.
std::vector<near_stretch> hits_of_record(const near_hits& hits, std::uint64_t record, std::uint64_t& at) {
  std::vector<near_stretch> result;
  for (; at < hits.record.size() && hits.record[at] == record; ++at)
    result.push_back({record, hits.begin[at], hits.reverse[at] != 0, hits.end[at], hits.distance[at]});
  return result;
}

std::vector<near_stretch> strand_of(const std::vector<near_stretch>& hits, bool reverse) {
  std::vector<near_stretch> result;
  std::copy_if(hits.begin(), hits.end(), std::back_inserter(result),
               [&](const near_stretch& hit) { return hit.reverse == reverse; });
  return result;
}

// Returns for each of the positions between `size` letters whether a stretch extends over it.
std::vector<bool> covered_positions(const std::vector<near_stretch>& stretches, std::uint64_t size) {
  std::vector<int> changes(size + 1);
  for (const near_stretch& stretch : stretches) {
    if (stretch.end - stretch.begin < 2) continue;
    ++changes[stretch.begin + 1];
    --changes[stretch.end];
  }
  std::vector<bool> covered(size + 1);
  int num_over = 0;
  for (std::uint64_t i = 0; i <= size; ++i) {
    num_over += changes[i];
    covered[i] = num_over > 0;
  }
  return covered;
}

// Appends the hits of `from` that are not in `without`; both are sorted.
void append_difference(std::vector<near_stretch>& to, const std::vector<near_stretch>& from,
                       const std::vector<near_stretch>& without) {
  std::set_difference(from.begin(), from.end(), without.begin(), without.end(), std::back_inserter(to));
}

} // namespace

near_hits near_origin_search::locate(const sequences_view& patterns, const near_options& options) {
  const std::vector<near_changes> changes = find_changes(patterns, options);
  std::uint64_t max_removed = 0;
  bool changed = false;
  for (const near_changes& of_pattern : changes) {
    max_removed = std::max<std::uint64_t>(max_removed, of_pattern.removed.size());
    changed = changed || !of_pattern.removed.empty() || !of_pattern.added.empty();
  }
  if (!changed) return index_.locate_near(patterns, options);
  near_options linear = options;
  if (options.max_hits > 0) // otherwise the hits are only counted
    linear.max_hits += std::min(max_removed, std::numeric_limits<std::uint64_t>::max() - options.max_hits);
  return apply_changes(index_.locate_near(patterns, linear), changes, options);
}

std::vector<near_changes> near_origin_search::find_changes(const sequences_view& patterns,
                                                           const near_options& options) {
  const bool with_errors = options.metric == near_metric::errors;
  options_ = options;
  options_.best = false;
  options_.all_ends = with_errors;
  options_.max_hits = std::numeric_limits<std::uint64_t>::max();
  options_.run.device = {device_kind::cpu}; // there are few letters around the origins
  options_.run.info = nullptr;
  all_ends_ = options.all_ends;
  max_letters_ = memory_limit(options.run.memory) / 2 / bytes_of_letter;
  std::vector<near_changes> changes(patterns.count());
  for (const origin_search::level_patterns& level :
       junctions_.group_patterns(patterns.data, patterns.offsets, with_errors ? options.max_distance : 0)) {
    const near_hits found = level.junctions->locate_near({level.text, level.offsets}, options_);
    for (std::size_t i = 0; i < level.numbers.size(); ++i) {
      near_changes& of_pattern = changes[level.numbers[i]];
      std::vector<candidate> candidates;
      for (std::uint64_t h = found.offsets[i]; h < found.offsets[i + 1]; ++h) {
        const std::uint64_t record = found.record[h], length = index_.length(record),
                            before = std::min(length, level.side), begin = found.begin[h],
                            size = found.end[h] - begin;
        if (begin >= before || begin + size <= before) continue;
        const bool reverse = found.reverse[h] != 0;
        if (with_errors) {
          if (candidates.empty() || candidates.back().record != record) candidates.push_back({record, 0});
          candidates.back().strands |= reverse ? 2U : 1U;
        } else if (size <= length) {
          const std::uint64_t in_record = length - before + begin;
          of_pattern.added.push_back({record, in_record, reverse, in_record + size, found.distance[h]});
        }
      }
      if (!candidates.empty()) add_changes(patterns[level.numbers[i]], std::move(candidates), of_pattern);
    }
  }
  return changes;
}

void near_origin_search::add_changes(std::string_view pattern, std::vector<candidate> candidates,
                                     near_changes& to) {
  max_size_ = pattern.size() + options_.max_distance;
  for (std::uint64_t side = first_side(max_size_, all_ends_); !candidates.empty(); side *= 2) {
    std::vector<candidate> left;
    for (std::size_t first = 0; first < candidates.size();)
      first = search_windows(pattern, candidates, first, side, left, to);
    candidates = std::move(left);
  }
}

// Returns the letters that a window takes of each side: `side`, or the whole record if the window and a
// stretch before it could have the same letters twice.
std::uint64_t near_origin_search::window_side(std::uint64_t record, std::uint64_t side) const {
  const std::uint64_t length = index_.length(record);
  return 2 * side + max_size_ > length ? length : side;
}

std::size_t near_origin_search::search_windows(std::string_view pattern,
                                               const std::vector<candidate>& candidates, std::size_t first,
                                               std::uint64_t side, std::vector<candidate>& left,
                                               near_changes& to) {
  sequences texts; // two for each candidate: its window, and the part of this from the origin on
  std::uint64_t letters = 0;
  std::size_t last = first;
  for (; last < candidates.size(); ++last) {
    const std::uint64_t record = candidates[last].record, taken = window_side(record, side),
                        length = index_.length(record);
    letters += 3 * taken;
    if (letters > max_letters_ && last > first) break;
    if (letters > max_letters_)
      throw memory_error(fmt::format("the {} letters around the origin of a circular record do not fit in {} "
                                     "of memory",
                                     3 * taken, format_size(memory_limit(options_.run.memory))));
    const std::string front = index_.extract(record, 0, taken);
    texts.add(index_.extract(record, length - taken, length) + front);
    texts.add(front);
  }
  const near_hits found = locate_ends(pattern, texts);
  std::uint64_t at = 0;
  for (std::size_t c = first; c < last; ++c) {
    const std::uint64_t record = candidates[c].record;
    const window here{record, window_side(record, side), index_.length(record)};
    const std::vector<near_stretch> circular = hits_of_record(found, 2 * (c - first), at),
                                    linear = hits_of_record(found, 2 * (c - first) + 1, at);
    candidate again{record, 0};
    for (const bool reverse : {false, true}) {
      const unsigned strand = reverse ? 2 : 1;
      if ((candidates[c].strands & strand) == 0) continue;
      std::vector<near_stretch> of_strand = strand_of(circular, reverse);
      if (here.is_whole()) shorten(pattern, here, of_strand);
      if (!compare_ends(here, std::move(of_strand), strand_of(linear, reverse), to)) again.strands |= strand;
    }
    if (again.strands != 0) left.push_back(again);
  }
  return last;
}

bool near_origin_search::compare_ends(const window& at, std::vector<near_stretch> circular,
                                      const std::vector<near_stretch>& linear, near_changes& to) const {
  // The ends in (first, last] are compared. Outside of them, circular and linear records have the same
  // stretches, none of which extends over `first` or `last`.
  std::uint64_t first = at.side, last = 2 * at.side;
  if (!at.is_whole() && all_ends_) {
    last = at.side + max_size_; // ends are hits whatever they overlap
  } else if (!at.is_whole()) {
    const std::vector<bool> covered = covered_positions(circular, 2 * at.side);
    while (first >= max_size_ && covered[first]) --first;
    last = at.side + max_size_;
    while (last + max_size_ <= 2 * at.side && covered[last]) ++last;
    if (first < max_size_ || last + max_size_ > 2 * at.side) return false;
  }
  std::vector<near_stretch> on_circle, on_line; // the stretches of the circular and the linear record
  for (const near_stretch& stretch : circular) {
    if (stretch.end <= first || stretch.end > last) continue;
    const std::uint64_t begin =
        stretch.begin >= at.side ? stretch.begin - at.side : at.length - at.side + stretch.begin;
    on_circle.push_back(
        {at.record, begin, stretch.reverse, begin + (stretch.end - stretch.begin), stretch.distance});
    if (stretch.end <= at.side) on_line.push_back(on_circle.back());
  }
  for (const near_stretch& stretch : linear)
    if (stretch.end <= last - at.side)
      on_line.push_back({at.record, stretch.begin, stretch.reverse, stretch.end, stretch.distance});
  if (!all_ends_) {
    on_circle = select_hits(std::move(on_circle), at.length);
    on_line = select_hits(std::move(on_line), at.length);
  }
  std::sort(on_circle.begin(), on_circle.end());
  std::sort(on_line.begin(), on_line.end());
  append_difference(to.added, on_circle, on_line);
  append_difference(to.removed, on_line, on_circle);
  return true;
}

void near_origin_search::shorten(std::string_view pattern, const window& at,
                                 std::vector<near_stretch>& circular) const {
  const auto is_long = [&](const near_stretch& stretch) {
    return stretch.end > at.length && stretch.end - stretch.begin > at.length;
  };
  const auto first_long = std::stable_partition(circular.begin(), circular.end(),
                                                [&](const auto& each) { return !is_long(each); });
  std::vector<near_stretch> longer(first_long, circular.end());
  circular.erase(first_long, circular.end());
  if (longer.empty()) return;
  const std::string record = index_.extract(at.record, 0, at.length), twice = record + record;
  const std::uint64_t batch = std::max<std::uint64_t>(1, max_letters_ / at.length);
  for (std::size_t first = 0, last = 0; first < longer.size(); first = last) {
    last = std::min<std::size_t>(longer.size(), first + batch);
    sequences turned; // the record, turned so that it ends where the stretch ends
    for (std::size_t i = first; i < last; ++i)
      turned.add(std::string_view(twice).substr(longer[i].end - at.length, at.length));
    const near_hits found = locate_ends(pattern, turned);
    for (std::uint64_t h = 0; h < found.record.size(); ++h) {
      const near_stretch& old = longer[first + found.record[h]];
      if (found.end[h] == at.length && (found.reverse[h] != 0) == old.reverse)
        circular.push_back(
            {old.record, old.end - at.length + found.begin[h], old.reverse, old.end, found.distance[h]});
    }
  }
}

near_hits near_origin_search::locate_ends(std::string_view pattern, const sequences& texts) const {
  const std::uint64_t memory = memory_limit(options_.run.memory);
  const run_options run{.device = {device_kind::cpu}, .threads = 1, .memory = memory / copies_of_hit};
  run_options build_run = run;
  build_run.memory = std::max(memory, min_build_memory);
  sequences one;
  one.add(pattern);
  near_options options = options_;
  options.run = run;
  return fm_index::build(texts, {.run = build_run}).locate_near(one, options);
}

} // namespace weft::files
