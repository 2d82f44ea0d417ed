// Writes the contexts of the rows of an index: on the CPU from the sorted suffixes, which an engine of a GPU
// does not return; then from the finished index, which takes some ten times longer.
#include <algorithm>
#include <numeric>
#include <vector>
#include <weft/base/parallel.hpp>
#include <weft/bwt/core/near_context.hpp>
#include <weft/bwt/cpu/fm_build.hpp>
#include <weft/bwt/cpu/fm_search.hpp>

namespace weft::bwt_detail {

namespace {

// Writes the contexts of rows whose suffixes begin at `positions`.
template <class Position>
void write_some_contexts(std::span<const Position> positions, std::span<const fm_segment> segments,
                         std::span<const std::uint64_t> packed_text, std::uint64_t num_rows,
                         std::span<std::uint64_t> contexts) {
  constexpr std::uint64_t ahead = 32;
  for (std::uint64_t i = 0; i < positions.size(); ++i) {
    if (i + ahead < positions.size()) {
      const std::uint64_t next = positions[i + ahead];
      __builtin_prefetch(packed_text.data() + (next - std::min<std::uint64_t>(next, context_left)) / 32);
      __builtin_prefetch(packed_text.data() + (next + letters_left_out) / 32);
    }
    const std::uint64_t position = positions[i];
    const auto after =
        std::upper_bound(segments.begin(), segments.end(), position,
                         [](std::uint64_t at, const fm_segment& segment) { return at < segment.start; });
    const std::uint64_t end = after == segments.end() ? num_rows : after->start; // behind the separator
    contexts[i] = make_context(packed_text.data(), position, (after - 1)->start, end - 1);
  }
}

} // namespace

template <class Index>
void write_contexts(const fm_row_task<Index>& task, std::uint64_t num_symbols, std::uint64_t first_row,
                    std::span<const Index> suffixes) {
  if (task.contexts.empty()) return;
  parallel_for(0, suffixes.size(), 1 << 16, task.options.run, [&](std::uint64_t first, std::uint64_t last) {
    write_some_contexts<Index>(suffixes.subspan(first, last - first), task.segments, task.packed_text,
                               num_symbols, task.contexts.subspan(first_row + first, last - first));
  });
}

template void write_contexts(const fm_row_task<std::uint32_t>&, std::uint64_t, std::uint64_t,
                             std::span<const std::uint32_t>);
template void write_contexts(const fm_row_task<std::uint64_t>&, std::uint64_t, std::uint64_t,
                             std::span<const std::uint64_t>);

void write_contexts(const fm_index::view& index, std::span<std::uint64_t> contexts, const run_options& run) {
  constexpr std::uint64_t chunk = 1 << 14; // rows that a thread looks up at a time
  parallel_for(0, index.num_rows, chunk, run, [&](std::uint64_t first, std::uint64_t last) {
    std::vector<std::uint64_t> rows(last - first), positions(last - first);
    std::iota(rows.begin(), rows.end(), first);
    find_positions_of_rows(index, rows, positions);
    write_some_contexts<std::uint64_t>(positions, {index.segments.data(), index.segments.size()},
                                       {index.packed_text, index.num_rows / 32 + 2}, index.num_rows,
                                       contexts.subspan(first, last - first));
  });
}

} // namespace weft::bwt_detail
