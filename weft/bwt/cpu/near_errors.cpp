#include <weft/bwt/cpu/near_errors.hpp>

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <tuple>
#include <utility>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>

namespace weft::bwt_detail {

namespace {

constexpr std::uint64_t letters_at_once = 1 << 14; // letters of a region that are read at a time

constexpr std::uint64_t unknown_begin = ~std::uint64_t{0};

// Returns the index of a base in column_word::contains; `set` has one bit or none.
unsigned base_of(std::uint8_t set) {
  constexpr std::array<std::uint8_t, 9> bases = {4, 0, 1, 4, 2, 4, 4, 4, 3};
  return bases[set];
}

} // namespace

double column_cost(const near_strand& strand) {
  constexpr double word_cost = 3, cell_cost = 2; // nanoseconds
  const std::uint64_t num_words = (strand.size + 63) / 64;
  return strand.exact_prefix + strand.exact_suffix > 0 ? cell_cost * static_cast<double>(strand.size)
                                                       : word_cost * static_cast<double>(num_words);
}

void error_search::add(const stretch& found) {
  constexpr std::size_t always_allowed = 1
                                         << 12; // so that the limit, which takes a while, is seldom asked for
  if (found_.size() >= always_allowed && max_stretches_ == 0)
    max_stretches_ = memory_limit(options_.run.memory) / (2 * sizeof(stretch) + 2 * sizeof(near_hit));
  if (found_.size() >= std::max<std::uint64_t>(always_allowed, max_stretches_))
    throw memory_error(
        fmt::format("the stretches of a record with up to {} errors do not fit in {} of memory",
                    max_distance_, format_size(memory_limit(options_.run.memory))));
  found_.push_back(found);
}

void error_search::read_letters(std::uint64_t record, std::uint64_t begin, std::uint64_t end) {
  letters_.assign(end - begin, 0);
  std::uint64_t s =
      count_leading(index_.segments.items, index_.segments.count, [&](const fm_segment& segment) {
        return segment.record < record || (segment.record == record && segment.begin <= begin);
      });
  if (s > 0) --s;
  for (; s < index_.segments.size() && index_.segments[s].record <= record; ++s) {
    const fm_segment& segment = index_.segments[s];
    if (segment.record < record) continue;
    if (segment.begin >= end) break;
    const std::uint64_t segment_end = segment.begin + segment_size(index_, s);
    const std::uint64_t from = std::max(begin, segment.begin), to = std::min(end, segment_end);
    for (std::uint64_t i = from; i < to; i += 32) {
      std::uint64_t text = text_letters(index_.packed_text, segment.start + (i - segment.begin));
      for (std::uint64_t j = i; j < std::min(to, i + 32); ++j, text >>= 2)
        letters_[j - begin] = static_cast<std::uint8_t>(1U << (text & 3));
    }
  }
}

void error_search::prepare(const near_strand& strand) {
  words_.assign((strand.size + 63) / 64, {});
  for (std::uint64_t i = 0; i < strand.size; ++i)
    for (unsigned base = 0; base < 4; ++base)
      words_[i / 64].contains[base] |= static_cast<std::uint64_t>(strand.sets[i] >> base & 1) << (i % 64);
  for (column_word& word : words_) word.plus = ~std::uint64_t{0};
}

void error_search::find_ends(const near_strand& strand, const near_region& region) {
  prepare(strand);
  const std::uint64_t last_row = std::uint64_t{1} << ((strand.size - 1) % 64), top = std::uint64_t{1} << 63;
  std::uint64_t errors = strand.size;
  for (std::uint64_t first = region.begin; first < region.end; first += letters_at_once) {
    const std::uint64_t last = std::min(region.end, first + letters_at_once);
    base_detail::check_cancelled(options_.run);
    read_letters(region.record, first, last);
    for (std::uint64_t at = first; at < last; ++at) {
      const unsigned base = base_of(letters_[at - first]);
      std::uint64_t plus_in = 0, minus_in = 0; // how the row above the word changes
      for (std::size_t w = 0; w < words_.size(); ++w) {
        column_word& word = words_[w];
        const std::uint64_t equal = word.contains[base] | minus_in;
        const std::uint64_t vertical = word.contains[base] | word.minus;
        const std::uint64_t horizontal = (((equal & word.plus) + word.plus) ^ word.plus) | equal;
        const std::uint64_t plus = word.minus | ~(horizontal | word.plus), minus = word.plus & horizontal;
        const std::uint64_t row = w + 1 == words_.size() ? last_row : top;
        const std::uint64_t plus_out = (plus & row) != 0, minus_out = (minus & row) != 0;
        const std::uint64_t plus_below = plus << 1 | plus_in, minus_below = minus << 1 | minus_in;
        word.plus = minus_below | ~(vertical | plus_below);
        word.minus = plus_below & vertical;
        plus_in = plus_out;
        minus_in = minus_out;
      }
      errors += plus_in - minus_in;
      if (errors <= max_distance_) add({unknown_begin, at + 1, static_cast<unsigned>(errors)});
    }
  }
}

std::uint64_t error_search::begin_of(const near_strand& strand, const near_region& region, std::uint64_t end,
                                     unsigned distance) {
  // cells[k] is the distance of the last i letters of the strand and the last i + k - distance letters
  // before `end`.
  const std::uint64_t size = strand.size, k_max = distance;
  const std::uint64_t available = std::min(end - region.begin, size + k_max);
  read_letters(region.record, end - available, end);
  constexpr unsigned width = 2 * max_near_distance + 1;
  constexpr std::uint8_t none = 100; // more than any distance that is asked for
  std::array<std::uint8_t, width + 2> band;
  band.fill(none);
  std::uint8_t* const cells = band.data() + 1; // cells[-1] and cells[width] stay `none`
  for (std::uint64_t k = k_max; k <= 2 * k_max && k - k_max <= available; ++k)
    cells[k] = static_cast<std::uint8_t>(k - k_max);
  for (std::uint64_t i = 1; i <= size; ++i) {
    const std::uint8_t set = strand.sets[size - i];
    std::uint8_t before = none; // the cell of this row with one text letter less
    for (std::uint64_t k = 0; k <= 2 * k_max; ++k) {
      const std::uint64_t letters = i + k; // text letters + k_max
      if (letters < k_max || letters - k_max > available) {
        cells[k] = before = none;
        continue;
      }
      const std::uint64_t j = letters - k_max;
      const bool match = j > 0 && (set & letters_[available - j]) != 0;
      const unsigned diagonal = j > 0 ? cells[k] + (match ? 0U : 1U) : none;
      const unsigned skipped = (k < 2 * k_max ? cells[k + 1] : none) + 1U;
      before = static_cast<std::uint8_t>(std::min({diagonal, skipped, before + 1U, unsigned{none}}));
      cells[k] = before;
    }
  }
  for (std::uint64_t k = 2 * k_max + 1; k-- > 0;)
    if (cells[k] == distance) return end - (size + k - k_max);
  return end; // not reached: some alignment has the least distance
}

void error_search::find_exact_ends(const near_strand& strand, const near_region& region) {
  // A cell is the least number of errors, and the leftmost begin with it.
  using cell = std::pair<unsigned, std::uint64_t>;
  const cell none{100, 0};
  const std::uint64_t size = strand.size;
  std::vector<cell> column(size + 1, none);
  const auto plus_one = [&](const cell& from) {
    return cell{std::min(from.first + 1, none.first), from.second};
  };
  const auto fill = [&](cell diagonal, std::uint8_t letter, std::uint64_t at) {
    column[0] = {0, at};
    for (std::uint64_t i = 1; i <= size; ++i) {
      const bool exact = strand.is_exact(i - 1);
      const cell left = column[i];
      cell best = (strand.sets[i - 1] & letter) != 0 ? diagonal : exact ? none : plus_one(diagonal);
      if (!exact) best = std::min(best, plus_one(column[i - 1]));
      if (!strand.is_inside_exact(i)) best = std::min(best, plus_one(left));
      diagonal = left;
      column[i] = best.first >= none.first ? none : best;
    }
  };
  fill(none, 0, region.begin);
  for (std::uint64_t first = region.begin; first < region.end; first += letters_at_once) {
    const std::uint64_t last = std::min(region.end, first + letters_at_once);
    base_detail::check_cancelled(options_.run);
    read_letters(region.record, first, last);
    for (std::uint64_t at = first; at < last; ++at) {
      fill(column[0], letters_[at - first], at + 1);
      if (column[size].first <= max_distance_) add({column[size].second, at + 1, column[size].first});
    }
  }
}

void error_search::find_begins(const near_strand& strand, const near_region& region, std::size_t first,
                               std::size_t last) {
  for (std::size_t i = first; i < last; ++i)
    if (found_[i].begin == unknown_begin)
      found_[i].begin = begin_of(strand, region, found_[i].end, found_[i].distance);
}

void error_search::drop_overlapping(const near_strand& strand, const near_region& region) {
  std::sort(found_.begin(), found_.end(), [](const stretch& a, const stretch& b) {
    return std::tie(a.distance, a.end) < std::tie(b.distance, b.end);
  });
  std::map<std::uint64_t, std::uint64_t> kept; // ends by begins
  const std::uint64_t longest = strand.size + max_distance_;
  // Returns whether a kept stretch overlaps `certain` by more than half of `size`, or of its own size.
  const auto overlaps = [&](const stretch& certain, std::uint64_t size) {
    for (auto at = kept.lower_bound(certain.begin - std::min(certain.begin, longest)); at != kept.end();
         ++at) {
      if (at->first >= certain.end) break;
      const std::uint64_t begin = std::max(at->first, certain.begin), end = std::min(at->second, certain.end);
      if (begin < end && 2 * (end - begin) > std::min(size, at->second - at->first)) return true;
    }
    return false;
  };
  std::size_t num_kept = 0;
  for (std::size_t first = 0, last = 0; first < found_.size(); first = last) { // those of the same distance
    const auto group = found_.begin() + static_cast<std::ptrdiff_t>(first);
    while (last < found_.size() && found_[last].distance == found_[first].distance) ++last;
    // A stretch that overlaps too much for every possible begin is dropped before its begin is computed.
    const auto end =
        std::remove_if(group, found_.begin() + static_cast<std::ptrdiff_t>(last), [&](stretch each) {
          if (each.begin != unknown_begin) return false;
          const std::uint64_t last_begin = each.end - (strand.size - each.distance);
          return overlaps({last_begin, each.end, each.distance}, strand.size + each.distance);
        });
    find_begins(strand, region, first, static_cast<std::size_t>(end - found_.begin()));
    std::sort(group, end, [](const stretch& a, const stretch& b) {
      return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
    });
    for (auto each = group; each != end; ++each)
      if (!overlaps(*each, each->end - each->begin)) {
        kept.emplace(each->begin, each->end);
        found_[num_kept++] = *each;
      }
  }
  found_.resize(num_kept);
}

void error_search::search_region(const near_strand& strand, const near_region& region,
                                 std::vector<near_hit>& hits) {
  found_.clear();
  if (strand.exact_prefix + strand.exact_suffix > 0)
    find_exact_ends(strand, region);
  else
    find_ends(strand, region);
  if (options_.all_ends)
    find_begins(strand, region, 0, found_.size());
  else
    drop_overlapping(strand, region);
  for (const stretch& each : found_)
    hits.push_back({strand.pattern, region.record, each.begin, each.end,
                    static_cast<std::uint8_t>(each.distance), strand.reverse});
}

void error_search::search(const near_strand& strand, std::vector<near_region>& regions,
                          std::vector<near_hit>& hits) {
  std::sort(regions.begin(), regions.end(), [](const near_region& a, const near_region& b) {
    return std::tie(a.record, a.begin) < std::tie(b.record, b.begin);
  });
  for (std::size_t i = 0; i < regions.size();) {
    near_region merged = regions[i];
    for (++i; i < regions.size() && regions[i].record == merged.record && regions[i].begin <= merged.end; ++i)
      merged.end = std::max(merged.end, regions[i].end);
    search_region(strand, merged, hits);
  }
}

void error_search::search_all(const near_strand& strand, near_collector& to) {
  std::vector<near_hit> hits;
  for (std::uint64_t record = 0; record + 1 < index_.record_offsets.size(); ++record) {
    search_region(strand, {record, 0, index_.record_offsets[record + 1] - index_.record_offsets[record]},
                  hits);
    to.add(hits);
  }
}

} // namespace weft::bwt_detail
