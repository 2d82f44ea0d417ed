// Sorts the suffixes of the text of an FM-index, and passes its rows on in order: all at once as a suffix
// array, or in batches that are copied from sorted ranges of suffixes.
#include <algorithm>
#include <bit>
#include <vector>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>
#include <weft/bwt/cpu/fm_build.hpp>
#include <weft/bwt/cpu/fm_rows.hpp>
#include <weft/bwt/cpu/suffix_ranges.hpp>
#include <weft/bwt/cpu/suffix_sort.hpp>
#include <weft/bwt/entry/argument_checks.hpp>
#include <weft/bwt/suffix_array.hpp>

namespace weft::bwt_detail {

namespace {

constexpr std::uint64_t copied_rows = std::uint64_t{1} << 16; // that a thread copies at a time

// Returns the number of rows of a batch: about a sixteenth of all rows in whole chunks, but at most 64
// chunks.
std::uint64_t batch_rows(std::uint64_t num_rows) {
  const std::uint64_t chunks = std::clamp<std::uint64_t>(num_rows / (16 * scan_chunk), 1, 64);
  return std::min(num_rows, chunks * scan_chunk);
}

// Returns the bytes that sorting by ranges takes while it sorts, beside the items and the anchors: the packed
// text, a batch of rows, the counts of buckets, and the codes of the transform of other alphabets.
template <class Index> std::uint64_t held_by_ranges(std::uint64_t num_rows, unsigned num_codes, bool dna) {
  const std::uint64_t bits = std::max(1U, static_cast<unsigned>(std::bit_width(num_codes - 1)));
  return suffix_string::memory_for(num_rows, bits) + batch_rows(num_rows) * sizeof(Index) + num_rows / 128 +
         (dna ? 0 : num_rows * (num_codes > 256 ? 2 : 1));
}

// Returns the bytes that the open rows and their positions take until they are written.
std::uint64_t bytes_of_open_rows(std::uint64_t num_segments) {
  return 2 * sizeof(std::uint64_t) * num_segments;
}

// Collects rows to batches.
template <class Index> class row_collector {
public:
  row_collector(std::uint64_t num_rows, const run_options& run,
                const std::function<void(const fm_row_batch<Index>&)>& take)
      : num_rows_(num_rows), run_(run), take_(take) {
    allocate(rows_, batch_rows(num_rows));
  }
  void add(const sorted_range& range) {
    for (std::uint64_t done = 0; done < range.items.size();) {
      const std::uint64_t count = std::min(rows_.size() - size_, range.items.size() - done);
      parallel_for(0, count, copied_rows, run_, [&](std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t k = first; k < last; ++k)
          rows_[size_ + k] = static_cast<Index>(range.layout.position(range.items[done + k]));
      });
      done += count;
      size_ += count;
      if (size_ < rows_.size() && first_row_ + size_ < num_rows_) continue;
      take_({first_row_, std::span<const Index>(rows_).first(size_), first_row_ + size_ == num_rows_});
      first_row_ += size_;
      size_ = 0;
    }
  }

private:
  std::uint64_t num_rows_;
  const run_options& run_;
  const std::function<void(const fm_row_batch<Index>&)>& take_;
  unwritten_vector<Index> rows_;
  std::uint64_t first_row_ = 0, size_ = 0; // of the batch that is being filled
};

// Returns the suffix array of symbols of one byte.
template <class Index> std::vector<Index> sort_symbols(const fm_row_task<Index>& task) {
  bwt_options options = {task.options.run};
  options.run.engine = "auto";
  options.run.device = {device_kind::cpu};
  options.run.info = nullptr;
  return suffix_array<Index>({reinterpret_cast<const char*>(task.symbols.data()), task.symbols.size()},
                             options);
}

template <class Index> void free_symbols_of_dna(const fm_row_task<Index>& task) {
  if (task.dna()) fm_symbols().swap(task.symbols);
}

} // namespace

suffix_string packed_symbols(const fm_symbols& symbols, unsigned num_codes,
                             std::span<const fm_segment> segments, const run_options& run) {
  if (num_codes <= 256) return suffix_string(std::span<const unsigned char>(symbols), run);
  unwritten_vector<std::uint16_t> wide;
  allocate(wide, symbols.size());
  std::transform(symbols.begin(), symbols.end(), wide.begin(),
                 [](unsigned char code) { return static_cast<std::uint16_t>(code == 0 ? 256 : code); });
  for (const fm_segment& segment : segments)
    if (segment.start > 0) wide[segment.start - 1] = 0;
  wide.back() = 0;
  return suffix_string(std::span<const std::uint16_t>(wide), run);
}

template <class Index>
fm_row_memory memory_for_rows(std::uint64_t num_rows, unsigned num_codes, bool dna,
                              std::uint64_t num_segments) {
  const std::uint64_t n = num_rows, open_rows = bytes_of_open_rows(num_segments);
  const std::uint64_t code_bytes = num_codes > 256 ? 2 : 1, held = held_by_ranges<Index>(n, num_codes, dna),
                      sorting = held + range_limits::min_bytes(n);
  // While it packs the text, DNA has its symbols as well, and symbols of two bytes have a copy.
  const std::uint64_t packing = held + (num_codes > 256 ? 2 * n : 0);
  const std::uint64_t by_ranges = dna ? std::max(packing, sorting - std::min(sorting, n))
                                      : std::max({packing, sorting, 2 * code_bytes * n});
  const std::uint64_t with_array =
      num_codes > 256 ? ~std::uint64_t{0} : n * sizeof(Index) + memory_to_induce(n) + open_rows;
  return {with_array, by_ranges + open_rows};
}

template <class Index>
void visit_rows(const fm_row_task<Index>& task, const std::function<void(const fm_row_batch<Index>&)>& take) {
  const run_options& run = task.options.run;
  const std::uint64_t n = task.num_rows, segments = task.segments.size();
  const fm_row_memory memory = memory_for_rows<Index>(n, task.num_codes, task.dna(), segments);
  if (!are_shared(task.options.helpers, n) && fits_memory(memory.with_array, run.memory)) {
    const std::vector<Index> suffix_array = sort_symbols(task);
    free_symbols_of_dna(task);
    return take({0, suffix_array, true});
  }
  const suffix_string text = packed_symbols(task.symbols, task.num_codes, task.segments, run);
  const std::uint64_t freed = task.dna() ? n : 0;
  free_symbols_of_dna(task);
  const std::uint64_t held =
      held_by_ranges<Index>(n, task.num_codes, task.dna()) + bytes_of_open_rows(segments);
  row_collector<Index> rows(n, run, take);
  sort_in_ranges(text, range_limits(n, memory_limit(run.memory) + freed - held), run, task.options.helpers,
                 [&](const sorted_range& range) { rows.add(range); });
}

template fm_row_memory memory_for_rows<std::uint32_t>(std::uint64_t, unsigned, bool, std::uint64_t);
template fm_row_memory memory_for_rows<std::uint64_t>(std::uint64_t, unsigned, bool, std::uint64_t);
template void visit_rows(const fm_row_task<std::uint32_t>&,
                         const std::function<void(const fm_row_batch<std::uint32_t>&)>&);
template void visit_rows(const fm_row_task<std::uint64_t>&,
                         const std::function<void(const fm_row_batch<std::uint64_t>&)>&);

} // namespace weft::bwt_detail
