// A scan whose text and matches are in device memory.
#pragma once

#include <optional>
#include <vector>
#include <weft/scan/cuda/engine_cache.hpp>
#include <weft/scan/cuda/resolve/resolve_kernels.hpp>
#include <weft/scan/cuda/text/resident_text.hpp>

namespace weft::scan_cuda {

class found_search;

// Of one call. All work and memory are the caller's stream's; whoever runs it holds place.busy.
class resident_scan {
public:
  // place has its engine and tables, and belongs to the current device. Matches tell sequences from
  // first_sequence on. Throws memory_error, device_error.
  resident_scan(const motif_set::compiled& motifs, engine_place& place, const gpu::scan_text& text,
                const gpu::scan_device_options& options, cudaStream_t stream,
                std::uint32_t first_sequence = 0);

  // For a text with residues. Waits until the matches are there. Throws as weft::gpu::scan.
  [[nodiscard]] gpu::scan_matches run();

private:
  struct item_buffers { // of what was found
    const std::uint64_t* keys;
    std::uint64_t* values;
    std::uint64_t count;
  };
  struct strand_matches { // as match_sink has them
    gpu::device_buffer<scan_match> matches;
    gpu::device_buffer<std::uint64_t> begins, ends;
  };

  void take_memory(std::uint64_t bytes);
  void make_scratch(std::uint64_t longest);
  void prepare_job(std::uint64_t longest);
  [[nodiscard]] strand_matches scan_strand(found_search& search, bool reverse);
  [[nodiscard]] std::uint64_t find(found_search& search);
  void resolve_items(const item_buffers& items);
  [[nodiscard]] kept apply_rule(const item_buffers& items);
  [[nodiscard]] strand_matches take_matches(const item_buffers& items, kept which, bool reverse);
  [[nodiscard]] gpu::scan_matches sorted(const std::vector<strand_matches>& strands);

  engine_place& place_;
  const gpu::scan_text& from_;
  const gpu::scan_device_options& options_;
  cudaStream_t stream_;
  std::uint32_t first_sequence_;
  std::uint64_t num_motifs_, allowed_, taken_ = 0;
  std::optional<resident_text> text_;
  resolve_job job_{};
  start_motifs from_start_{};
  resolve_scratch scratch_{};
  gpu::device_buffer<scan_detail::flat_choice> choices_;
  gpu::device_buffer<std::uint32_t> failures_;
  gpu::device_buffer<std::uint64_t> states_;
};

} // namespace weft::scan_cuda
