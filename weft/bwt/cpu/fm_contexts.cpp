// Writes the contexts of an index. They follow from the finished index, so that this code serves an index
// whichever device built it.
#include <algorithm>
#include <vector>
#include <weft/base/parallel.hpp>
#include <weft/bwt/core/near_context.hpp>
#include <weft/bwt/cpu/fm_build.hpp>
#include <weft/bwt/cpu/fm_search.hpp>

namespace weft::bwt_detail {

void write_contexts(const fm_index::view& index, std::span<std::uint64_t> contexts, const run_options& run) {
  constexpr std::uint64_t chunk = 1 << 14; // rows that a thread looks up at a time
  constexpr std::uint64_t ahead = 16;
  // To find_positions(), the rows are those of an empty pattern.
  const std::vector<std::uint64_t> offsets(2, 0);
  const fm_patterns empty(index, "", offsets);
  const std::vector<fm_interval> interval(1);
  parallel_for(0, index.num_rows, chunk, run, [&](std::uint64_t first, std::uint64_t last) {
    base_detail::check_cancelled(run);
    std::vector<fm_candidate> candidates(last - first);
    std::vector<std::uint64_t> positions(last - first);
    for (std::uint64_t i = 0; i < candidates.size(); ++i) candidates[i] = {first + i, 0};
    find_positions(index, empty, interval, candidates, positions);
    for (std::uint64_t i = 0; i < positions.size(); ++i) {
      if (i + ahead < positions.size()) __builtin_prefetch(index.packed_text + positions[i + ahead] / 32);
      const fm_segment& segment = index.segment_of(positions[i]);
      const auto number = static_cast<std::uint64_t>(&segment - index.segments.begin());
      const std::uint64_t next =
          number + 1 < index.segments.size() ? index.segments[number + 1].start : index.num_rows;
      contexts[first + i] = make_context(index.packed_text, positions[i], segment.start, next - 1);
    }
  });
}

} // namespace weft::bwt_detail
