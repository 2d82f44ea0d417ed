// A window in which a path is walked: its tiles, its memory on the device and on the host, and the walk.
#pragma once

#include <weft/base/cuda/device_memory.hpp>
#include <weft/lcs/cuda/systolic_table.hpp>

namespace weft::lcs_detail {

class path_window {
public:
  path_window() = default;
  // A window for up to `tiles` tiles. `number` is 0 or 1: which of the context's two windows it uses.
  path_window(std::int64_t tiles, std::int64_t tile_bytes, gpu_context& device, int number);

  // The caller sets these before a walk, except for walk.bands and walk.traces, which the window sets.
  int tiles = 0;
  walk_job walk{};
  [[nodiscard]] tile* host_tiles() const { return host_->tiles; }
  [[nodiscard]] slab_band* host_bands() const { return host_->bands; } // walk.slabs of them, from the left

  // Replays the tiles and follows the path through them, in the device's work stream.
  void follow(const kernel_shape& shape, const table_job& job);
  // Waits until it is known where the path has ended. Its runs are then written, beside the device's work.
  [[nodiscard]] walk_end finish(bool edit);
  // Waits for the runs and appends them to the path; called once after each finish().
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

} // namespace weft::lcs_detail
