// The plain version:
//     sort(segment, depth):  if it has one row, or depth = depth_limit: return
//                            pivot = a symbol at `depth` of some row
//                            sort(rows <, depth);  sort(rows =, depth + 1);  sort(rows >, depth)
//
// Here, as on a GPU, all segments of one level of the recursion are split together, in two steps over all of
// their tiles (published/ternary_partition.hpp), from one array of rows into another. A segment that is
// sorted is copied so that both arrays contain it.
//
// - Small segments are sorted at once by comparing the rest of their rows. Otherwise they would be most of a
//   level's work, and their lists most of its memory.
// - Each level advances a part by one symbol, or excludes at least the pivot from the part's symbols. So
//   there are at most 257 times depth_limit levels, and the sort ends for every text.
#include <weft/bwt/published/ternary_quicksort.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>
#include <weft/base/block.hpp>
#include <weft/base/parallel.hpp>
#include <weft/bwt/core/min_rotation.hpp>
#include <weft/bwt/published/ternary_partition.hpp>

namespace weft::bwt_detail {

namespace {

constexpr std::uint64_t small_segment = 32, tile_rows = 4096;

template <class Index> class level_sorter {
public:
  level_sorter(std::string_view text, bool cyclic, std::uint64_t depth_limit, std::span<Index> rows,
               const run_options& options)
      : text_{reinterpret_cast<const unsigned char*>(text.data()), static_cast<Index>(text.size()), cyclic},
        depth_limit_(static_cast<Index>(depth_limit)), options_(options), from_(rows), other_(text.size()),
        to_(other_) {
    for (std::uint64_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<Index>(i);
    std::copy(rows.begin(), rows.end(), to_.begin());
    if (!finish({0, text_.size, 0, 0})) segments_.push_back({0, text_.size, 0, 0});
  }

  // Sorts the rows. Both arrays contain every sorted segment, so it does not matter which of them is from_ at
  // the end.
  void run() {
    while (!segments_.empty()) {
      if (options_.monitor != nullptr) options_.monitor->check();
      cut_into_tiles();
      for_tiles([&](tile& each) {
        const segment& of = segments_[each.of];
        part_numbers<Index> scratch;
        bwt_detail::count_parts(host_block{}, text_, from_.data(),
                                {each.first, each.last, of.depth, of.pivot}, &scratch, &each.parts);
      });
      assign_offsets();
      for_tiles([&](tile& each) {
        const segment& of = segments_[each.of];
        part_numbers<Index> scratch;
        bwt_detail::scatter_parts(host_block{}, text_, from_.data(), to_.data(),
                                  {each.first, each.last, of.depth, of.pivot}, &scratch, each.parts);
      });
      std::swap(from_, to_);
      next_level();
    }
  }

private:
  struct segment {
    Index begin, end, depth, pivot;
  };
  struct tile {
    std::uint64_t of;
    Index first, last;
    part_numbers<Index> parts; // sizes of the tile's parts, later the offsets to write them to
  };

  template <class Body> void for_tiles(const Body& body) {
    parallel_for(0, tiles_.size(), 64, options_.threads, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i < last; ++i) body(tiles_[i]);
    });
  }

  // Cuts all segments into tiles, and chooses each segment's pivot: the median of the symbols of three rows.
  void cut_into_tiles() {
    tiles_.clear();
    for (std::uint64_t i = 0; i < segments_.size(); ++i) {
      segment& each = segments_[i];
      const auto symbol = [&](Index at) { return text_.symbol(from_[at], each.depth); };
      const Index a = symbol(each.begin), b = symbol(each.begin + (each.end - each.begin) / 2),
                  c = symbol(each.end - 1);
      each.pivot = std::max(std::min(a, b), std::min(std::max(a, b), c));
      for (Index first = each.begin; first < each.end;) {
        const Index size = std::min<Index>(each.end - first, tile_rows);
        tiles_.push_back({i, first, first + size, {}});
        first += size;
      }
    }
  }

  // Replaces the part sizes of the tiles by offsets: a segment has first the '<' rows of its tiles in order,
  // then the '=' rows, then the '>' rows. Writes the three segments of the next level to parts_, three for
  // each segment of this level.
  void assign_offsets() {
    parts_.clear();
    for (std::uint64_t t = 0; t < tiles_.size();) {
      const segment& of = segments_[tiles_[t].of];
      const std::uint64_t first_tile = t;
      part_numbers<Index> next{of.begin, of.begin, of.begin};
      for (; t < tiles_.size() && tiles_[t].of == tiles_[first_tile].of; ++t) {
        next.equal += tiles_[t].parts.less;
        next.greater += tiles_[t].parts.less + tiles_[t].parts.equal;
      }
      parts_.push_back({next.less, next.equal, of.depth, 0});
      parts_.push_back({next.equal, next.greater, of.depth + 1, 0});
      parts_.push_back({next.greater, of.end, of.depth, 0});
      for (std::uint64_t i = first_tile; i < t; ++i) {
        const part_numbers<Index> sizes = tiles_[i].parts;
        tiles_[i].parts = next;
        next = {next.less + sizes.less, next.equal + sizes.equal, next.greater + sizes.greater};
      }
    }
  }

  void next_level() {
    parallel_for(0, parts_.size(), 256, options_.threads, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i < last; ++i)
        if (finish(parts_[i])) parts_[i].end = parts_[i].begin;
    });
    segments_.clear();
    std::copy_if(parts_.begin(), parts_.end(), std::back_inserter(segments_),
                 [](const segment& each) { return each.end > each.begin; });
  }

  // Sorts a small segment of from_, and copies a sorted segment to to_. Returns false if the segment must be
  // split further.
  bool finish(const segment& each) {
    const auto begin = from_.begin() + static_cast<std::ptrdiff_t>(each.begin),
               end = from_.begin() + static_cast<std::ptrdiff_t>(each.end);
    if (each.depth < depth_limit_) {
      if (each.end - each.begin > small_segment) return false;
      std::sort(begin, end, [&](Index a, Index b) { return less(a, b, each.depth); });
    }
    std::copy(begin, end, to_.begin() + static_cast<std::ptrdiff_t>(each.begin));
    return true;
  }

  // Returns whether row a is less than row b, given that they agree in `depth` symbols. The rows are compared
  // in pieces that end where either row reaches the end of the text.
  [[nodiscard]] bool less(Index a, Index b, Index depth) const {
    const Index n = text_.size;
    if (a == b) return false;
    while (depth < depth_limit_) {
      if (!text_.cyclic && std::max(a, b) + depth >= n) return a > b; // a suffix that has ended comes first
      const Index p = a + depth < n ? a + depth : a + depth - n,
                  q = b + depth < n ? b + depth : b + depth - n;
      const Index length = std::min<Index>(depth_limit_ - depth, n - std::max(p, q));
      const int order = std::memcmp(text_.bytes + p, text_.bytes + q, length);
      if (order != 0) return order < 0;
      depth += length;
    }
    return false;
  }

  row_text<Index> text_;
  Index depth_limit_;
  const run_options& options_;
  std::span<Index> from_;
  std::vector<Index> other_;
  std::span<Index> to_;
  std::vector<segment> segments_, parts_;
  std::vector<tile> tiles_;
};

} // namespace

template <class Index>
void ternary_quicksort(std::string_view text, bool cyclic, std::uint64_t depth_limit, std::span<Index> rows,
                       const run_options& options) {
  if (!text.empty()) level_sorter<Index>(text, cyclic, depth_limit, rows, options).run();
}

template void ternary_quicksort(std::string_view, bool, std::uint64_t, std::span<std::uint32_t>,
                                const run_options&);
template void ternary_quicksort(std::string_view, bool, std::uint64_t, std::span<std::uint64_t>,
                                const run_options&);

// Equal rotations begin at positions whose distance is a multiple of the root's length.
template <class Index>
bwt_text transform_by_quicksort(std::string_view text, bwt_form form, const run_options& run) {
  const bool sentinel = form == bwt_form::sentinel;
  const std::uint64_t n = text.size(), period = sentinel ? n : shortest_root(text);
  std::vector<Index> rows(n);
  ternary_quicksort<Index>(text, !sentinel, period, rows, run);
  bwt_text result{"", n, form};
  result.bytes.reserve(n);
  if (sentinel) result.bytes += text.back(); // the byte before the end mark
  for (std::uint64_t row = 0; row < n; ++row) {
    constexpr std::uint64_t rows_between_checks = std::uint64_t{1} << 20; // of whether the call is cancelled
    if (row % rows_between_checks == 0) base_detail::check_cancelled(run);
    const std::uint64_t at = rows[row];
    if (at != 0 || !sentinel) result.bytes += text[at == 0 ? n - 1 : at - 1];
    if (at % period == 0) result.primary_index = std::min(result.primary_index, row + (sentinel ? 1 : 0));
  }
  return result;
}

template bwt_text transform_by_quicksort<std::uint32_t>(std::string_view, bwt_form, const run_options&);
template bwt_text transform_by_quicksort<std::uint64_t>(std::string_view, bwt_form, const run_options&);

} // namespace weft::bwt_detail
