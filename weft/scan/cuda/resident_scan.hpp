// A scan whose text and matches are both in device memory.
#pragma once

#include <optional>
#include <vector>
#include <weft/scan/cuda/resolve/resolve_kernels.hpp>
#include <weft/scan/cuda/searcher_cache.hpp>
#include <weft/scan/cuda/text/resident_text.hpp>

namespace weft::scan_detail {

class occurrence_search;

// One call of weft::gpu::scan, or the scan of one piece of a batch. Enqueues all work in the caller's stream
// and allocates all memory in the order of that stream. Whoever runs it holds `busy` of the context.
class resident_scan {
public:
  // The context must be ready (searcher and tables made) and belong to the current device. The sequence
  // numbers of matches start at `first_sequence`. Throws memory_error, device_error.
  resident_scan(const motif_set::compiled& motifs, searcher_context& context, const gpu::sequences_view& text,
                const scan_options& options, cudaStream_t stream, std::uint32_t first_sequence = 0);

  // Scans the text, waits, and returns the matches. Throws as weft::gpu::scan does.
  [[nodiscard]] gpu::scan_matches run();

private:
  // The occurrences of one strand as keys, and the value of each key (see resolve_steps.hpp).
  struct item_buffers {
    const std::uint64_t* keys;
    std::uint64_t* values;
    std::uint64_t count;
  };
  // The matches of one strand, in one of the two forms of match_sink.
  struct strand_matches {
    gpu::device_buffer<scan_match> matches;
    gpu::device_buffer<std::uint64_t> begins, ends;
  };

  // Counts `bytes` bytes of device memory as taken; allocates nothing. Throws memory_error if the options do
  // not allow so much.
  void count_memory(std::uint64_t bytes);
  void allocate_scratch(std::uint64_t longest);
  void prepare_job(std::uint64_t longest);
  [[nodiscard]] strand_matches scan_strand(occurrence_search& search, bool reverse);
  [[nodiscard]] std::uint64_t find(occurrence_search& search);
  void resolve_items(const item_buffers& items);
  [[nodiscard]] match_filter apply_rule(const item_buffers& items);
  [[nodiscard]] strand_matches extract_matches(const item_buffers& items, match_filter which, bool reverse);
  [[nodiscard]] gpu::scan_matches sort_matches(const std::vector<strand_matches>& strands);

  searcher_context& context_;
  const gpu::sequences_view& source_;
  const scan_options& options_;
  cudaStream_t stream_;
  std::uint32_t first_sequence_;
  std::uint64_t num_motifs_, allowed_, counted_bytes_ = 0;
  std::optional<resident_text> text_;
  resolve_job job_{};
  optional_start_motifs optional_start_motifs_{};
  resolve_scratch scratch_{};
  gpu::device_buffer<walk_choice> choices_;
  gpu::device_buffer<std::uint32_t> failures_;
  gpu::device_buffer<std::uint64_t> states_;
};

} // namespace weft::scan_detail
