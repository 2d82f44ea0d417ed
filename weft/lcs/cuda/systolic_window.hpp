// A window in which a path is walked: which tiles it has, its memory on the device and on the host, its walk.
#pragma once

#include <weft/base/cuda/device_memory.hpp>
#include <weft/lcs/cuda/systolic_table.hpp>

namespace weft::lcs_cuda {

class path_window {
public:
  path_window() = default;
  // For up to `tiles` tiles; number: 0 or 1, of the context's two.
  path_window(std::int64_t tiles, std::int64_t tile_bytes, gpu_context& device, int number);

  // What is filled in before a walk. walk.bands and walk.traces are the window's own.
  int tiles = 0;
  walk_job walk{};
  [[nodiscard]] tile* host_tiles() const { return host_->tiles; }
  [[nodiscard]] slab_band* host_bands() const { return host_->bands; } // walk.slabs of them, from the left

  // Replays the tiles and follows the path through them, behind the device's work.
  void follow(const kernel_shape& shape, const table_job& job);
  // Waits for where the path has come to; its runs are then written, beside the device's work.
  [[nodiscard]] walk_end finish(bool edit);
  // Waits for the runs and adds them to the path, once after each finish().
  void take(edit_script& path);

private:
  [[nodiscard]] std::int64_t rows_of_lane() const { return 32LL << walk.words_shift; }
  [[nodiscard]] int count_scouts() const;

  gpu_context* device_ = nullptr;
  window_staging* host_ = nullptr;
  int number_ = 0;
  bool runs_to_take_ = false;
  gpu::device_buffer<tile> tiles_;
  gpu::device_buffer<slab_band> bands_;
  gpu::device_buffer<std::uint32_t> traces_, runs_, counts_;
  gpu::device_buffer<std::int64_t> ends_, entries_, first_run_;
  gpu::device_buffer<walk_end> end_;
};

} // namespace weft::lcs_cuda
