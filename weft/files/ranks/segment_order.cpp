#include <weft/files/ranks/segment_order.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/bwt/suffix_array.hpp>

namespace weft::files {

namespace {

using numbers = std::vector<std::uint64_t>;

// On rank 0, while the order is found: of each group of segments, and of each segment.
constexpr std::uint64_t bytes_of_group = 120, bytes_of_segment = 48;

// Returns, for each suffix of a list, its rank among them, from 1 on.
template <class Index>
numbers ranks_of_suffixes(std::span<const std::uint32_t> names, const run_options& run) {
  bwt_options options;
  options.run.device = {device_kind::cpu};
  options.run.threads = run.threads;
  options.run.memory = run.memory;
  const std::vector<Index> order = suffix_array<Index>(names, options);
  numbers ranks(order.size());
  for (std::uint64_t rank = 0; rank < order.size(); ++rank) ranks[order[rank]] = rank + 1;
  return ranks;
}

} // namespace

segment_order::segment_order(multi::communicator& ranks, letter_order& letters, const segment_text& own,
                             const run_options& run)
    : ranks_(ranks), own_(own) {
  std::vector<text_stretch> own_groups;
  multi::call_together(ranks, [&] {
    own_groups = group_segments(letters.own_begin());
    sort_ends();
  });
  const std::uint64_t limit = memory_limit(run.memory),
                      num_groups = multi::reduce_number(ranks, own_groups.size(), multi::reduction::sum),
                      num_all = multi::reduce_number(ranks, own.num_segments(), multi::reduction::sum);
  multi::call_together(ranks, [&] {
    const std::uint64_t bytes = num_groups * bytes_of_group + num_all * bytes_of_segment;
    if (num_groups > std::numeric_limits<std::uint32_t>::max() || (ranks.rank() == 0 && bytes > limit))
      throw memory_error(fmt::format("finding the first occurrences of a pattern takes {} on rank 0, because "
                                     "there are {} stretches of letters, but {} is allowed: list all "
                                     "occurrences, or allow more memory",
                                     format_size(bytes), num_all, format_size(limit)));
  });
  numbers num_segments;
  const std::vector<std::uint32_t> names = name_segments(letters, own_groups, num_segments, limit / 4);
  numbers order;
  multi::call_together(ranks, [&] {
    if (ranks.rank() == 0)
      order = num_all < (std::uint64_t{1} << 31) ? ranks_of_suffixes<std::uint32_t>(names, run)
                                                 : ranks_of_suffixes<std::uint64_t>(names, run);
  });
  if (ranks.rank() != 0) {
    multi::receive_items(ranks, ranks_behind_, 0);
    multi::receive_items(ranks, names_, 0);
    return;
  }
  order.push_back(0);
  auto behind = order.begin() + 1;
  auto name = names.begin();
  for (int rank = 0; rank < ranks.size(); ++rank) {
    const auto end = behind + static_cast<std::ptrdiff_t>(num_segments[static_cast<std::size_t>(rank)]);
    const auto name_end = name + (end - behind);
    const numbers part(behind, end);
    const std::vector<std::uint32_t> part_names(name, name_end);
    if (rank == 0) {
      ranks_behind_ = part;
      names_ = part_names;
    } else {
      multi::send_items(ranks, part, rank);
      multi::send_items(ranks, part_names, rank);
    }
    behind = end;
    name = name_end;
  }
}

std::vector<text_stretch> segment_order::group_segments(std::uint64_t text_begin) {
  std::vector<text_stretch> groups;
  for (std::uint64_t i = 0; i < own_.num_segments(); ++i) {
    const std::uint64_t s = own_.sorted_segment(i), length = own_.length_of(s);
    std::uint64_t shared = 0;
    if (i > 0) {
      const std::uint64_t before = sorted_.back(), max = std::min(length, own_.length_of(before));
      shared = own_.common_prefix(own_.begin_of(before), own_.begin_of(s), max);
      if (shared == length && own_.length_of(before) == length) {
        sorted_.push_back(s);
        continue;
      }
    }
    group_begins_.push_back(i);
    groups.push_back({text_begin + own_.begin_of(s), shared});
    sorted_.push_back(s);
  }
  group_begins_.push_back(sorted_.size());
  return groups;
}

void segment_order::sort_ends() {
  by_end_.resize(group_begins_.size() - 1);
  std::iota(by_end_.begin(), by_end_.end(), std::uint64_t{0});
  std::sort(by_end_.begin(), by_end_.end(), [&](std::uint64_t a, std::uint64_t b) {
    const std::uint64_t s = sorted_[group_begins_[b]], size = own_.length_of(s);
    const int compared = compare_end(a, own_.end_of(s), size);
    return compared < 0; // if it is 0, then b is an end of a
  });
}

int segment_order::compare_end(std::uint64_t group, std::uint64_t end, std::uint64_t size) const {
  const std::uint64_t s = sorted_[group_begins_[group]], length = own_.length_of(s),
                      max = std::min(length, size), equal = own_.common_suffix(own_.end_of(s), end, max);
  if (equal == size) return 0;
  if (equal == length) return -1;
  const auto letter_before = [&](std::uint64_t position) {
    return static_cast<unsigned char>(own_.letter(position - equal - 1));
  };
  return letter_before(own_.end_of(s)) < letter_before(end) ? -1 : 1;
}

std::vector<std::uint32_t> segment_order::name_segments(letter_order& letters,
                                                        const std::vector<text_stretch>& own_groups,
                                                        numbers& num_segments, std::uint64_t memory) {
  std::vector<std::uint32_t> groups(own_.num_segments()); // of the segments of a rank
  for (std::uint32_t g = 0; g + 1 < group_begins_.size(); ++g)
    for (std::uint64_t i = group_begins_[g]; i < group_begins_[g + 1]; ++i) groups[sorted_[i]] = g;
  if (ranks_.rank() != 0) {
    multi::send_items(ranks_, own_groups, 0);
    multi::send_items(ranks_, groups, 0);
    letters.help(0);
    return {};
  }
  std::vector<text_stretch> all = own_groups, more;
  std::vector<std::uint32_t> names = groups; // first the groups
  num_segments = {groups.size()};
  for (int rank = 1; rank < ranks_.size(); ++rank) {
    multi::receive_items(ranks_, more, rank);
    multi::receive_items(ranks_, groups, rank);
    const auto num_before = static_cast<std::uint32_t>(all.size());
    for (const std::uint32_t group : groups) names.push_back(num_before + group);
    all.insert(all.end(), more.begin(), more.end());
    num_segments.push_back(groups.size());
  }
  const stretch_order order = letters.sort(all, {{0, all.size()}}, true, memory);
  std::vector<std::uint32_t> name_of_group(all.size());
  for (std::uint32_t i = 0; i < all.size(); ++i) name_of_group[order.numbers[i]] = i;
  for (const stretch_range& equal : order.equal)
    for (std::uint64_t i = equal.begin; i < equal.end; ++i)
      name_of_group[order.numbers[i]] = static_cast<std::uint32_t>(equal.begin);
  for (std::uint32_t& name : names) name = name_of_group[name];
  return names;
}

numbers segment_order::first_with_end(std::uint64_t s, std::uint64_t size, std::uint64_t count) const {
  const std::uint64_t end = own_.end_of(s);
  const auto first = std::partition_point(
      by_end_.begin(), by_end_.end(), [&](std::uint64_t group) { return compare_end(group, end, size) < 0; });
  const auto last = std::partition_point(
      first, by_end_.end(), [&](std::uint64_t group) { return compare_end(group, end, size) == 0; });
  numbers result;
  for (auto group = first; group != last; ++group)
    result.insert(result.end(), sorted_.begin() + static_cast<std::ptrdiff_t>(group_begins_[*group]),
                  sorted_.begin() + static_cast<std::ptrdiff_t>(group_begins_[*group + 1]));
  count = std::min<std::uint64_t>(count, result.size());
  std::partial_sort(result.begin(), result.begin() + static_cast<std::ptrdiff_t>(count), result.end(),
                    [&](std::uint64_t a, std::uint64_t b) { return ranks_behind_[a] < ranks_behind_[b]; });
  result.resize(count);
  return result;
}

} // namespace weft::files
