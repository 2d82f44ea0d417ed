#include <weft/lcs/cuda/systolic_window.hpp>

#include <algorithm>

namespace weft::lcs_detail {

namespace {

constexpr std::string_view copying = "copy a window";

template <class T> void grow(gpu::device_buffer<T>& buffer, std::int64_t count, cudaStream_t stream) {
  if (static_cast<std::int64_t>(buffer.size()) >= count) return;
  buffer = {};
  buffer = {static_cast<std::size_t>(count), stream};
}

} // namespace

path_window::path_window(std::int64_t tile_count, std::int64_t tile_bytes, gpu_context& device, int number)
    : device_(&device), host_(device.windows.data() + number), number_(number),
      tiles_(max_tiles, device.work.get()), bands_(max_slabs, device.work.get()),
      traces_(static_cast<std::size_t>(tile_count * tile_bytes / 4), device.work.get()),
      counts_(max_slabs, device.work.get()), entries_(max_slabs, device.work.get()),
      first_run_(max_slabs, device.work.get()), end_(1, device.work.get()) {}

// Returns 0 if the window has too few slabs for scouts to be worth their time.
int path_window::count_scouts() const {
  constexpr int worth_scouts = 4;
  std::int64_t widest = 0;
  for (int slab = 0; slab < walk.slabs; ++slab)
    widest = std::max<std::int64_t>(widest, host_->bands[slab].last - host_->bands[slab].first);
  return walk.slabs < worth_scouts ? 0 : static_cast<int>(widest * rows_of_lane() / scout_spacing) + 2;
}

void path_window::follow(const kernel_shape& shape, const table_job& job) {
  const cudaStream_t stream = device_->work.get();
  gpu::copy(tiles_.data(), host_->tiles, tiles, stream, copying);
  gpu::copy(bands_.data(), host_->bands, walk.slabs, stream, copying);
  walk.bands = bands_.data();
  walk.traces = traces_.data();
  gpu::check(cudaMemsetAsync(job.ticket, 0, sizeof(unsigned), stream), "start a replay");
  gpu::check(
      launch_replay(shape, job, tiles_.data(), tiles, traces_.data(), device_->multiprocessors, stream),
      "replay tiles");
  const int scouts = count_scouts();
  if (scouts > 0) {
    grow(ends_, std::int64_t{scouts} * walk.slabs, stream);
    gpu::check(launch_scouts(shape.edit, walk, scouts, ends_.data(), stream), "start the path search");
  }
  gpu::check(launch_compose(shape.edit, walk, scouts, scouts > 0 ? ends_.data() : nullptr, entries_.data(),
                            first_run_.data(), end_.data(), stream),
             "follow the path");
  gpu::copy(&host_->end, end_.data(), 1, stream, copying);
  gpu::copy(host_->first_run, first_run_.data(), walk.slabs, stream, copying);
}

walk_end path_window::finish(bool edit) {
  const cudaStream_t stream = device_->download_stream.get();
  device_->work.wait();
  const walk_end end = host_->end;
  const std::int64_t run_capacity = walk.x - end.x + walk.y - end.y + end.slabs; // of runs
  grow(runs_, run_capacity, device_->work.get());
  // The runs are written in another stream, which must not begin before their memory is allocated.
  device_->work.wait();
  gpu::check(launch_runs(edit, walk, entries_.data(), first_run_.data(), end_.data(), runs_.data(),
                         counts_.data(), stream),
             "write the path");
  gpu::pinned_buffer<std::uint32_t>& runs = device_->runs[number_];
  if (static_cast<std::int64_t>(runs.size()) < run_capacity)
    runs = gpu::pinned_buffer<std::uint32_t>(static_cast<std::size_t>(run_capacity + run_capacity / 2));
  gpu::copy(host_->counts, counts_.data(), end.slabs, stream, copying);
  gpu::copy(runs.data(), runs_.data(), run_capacity, stream, copying);
  runs_to_take_ = true;
  return end;
}

void path_window::take(edit_script& path) {
  if (!runs_to_take_) return;
  constexpr edit_op ops[] = {edit_op::match, edit_op::substitute, edit_op::insert, edit_op::remove};
  device_->download_stream.wait();
  const std::uint32_t* const runs = device_->runs[number_].data();
  std::uint64_t totals[4] = {};
  for (int slab = 0; slab < host_->end.slabs; ++slab)
    for (const std::uint32_t *run = runs + host_->first_run[slab], *last = run + host_->counts[slab];
         run < last; ++run) {
      const edit_op op = ops[*run & 3];
      totals[*run & 3] += *run >> 2;
      if (!path.runs.empty() && path.runs.back().op == op)
        path.runs.back().length += *run >> 2;
      else
        path.runs.push_back({op, *run >> 2});
    }
  path.matches += totals[0], path.substitutions += totals[1];
  path.insertions += totals[2], path.deletions += totals[3];
  runs_to_take_ = false;
}

} // namespace weft::lcs_detail
