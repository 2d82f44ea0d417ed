// Memory of the windows in which a path is walked, on the device and on the host.
#pragma once

#include <weft/base/cuda/device_memory.hpp>
#include <weft/lcs/cuda/systolic_table.hpp>

namespace weft::lcs_cuda {

class window_memory {
public:
  window_memory() = default;
  // For windows of up to `tiles` tiles.
  window_memory(std::int64_t tiles, std::int64_t tile_bytes, gpu_context& device);

  window_staging* host = nullptr; // of the context
  gpu::device_buffer<tile> tiles;
  gpu::device_buffer<slab_band> bands;
  gpu::device_buffer<std::uint32_t> traces, runs, counts;
  gpu::device_buffer<std::int64_t> ends, entries, first_run;
  gpu::device_buffer<walk_end> end;

  void upload(int tile_count, int slab_count); // host->tiles and bands
  void grow_ends(std::int64_t count);
  void grow_runs(std::int64_t count);
  // host->end, counts and first_run, and host_runs(); waits.
  void download();
  [[nodiscard]] const std::uint32_t* host_runs() const;

private:
  gpu_context* device_ = nullptr;
};

} // namespace weft::lcs_cuda
