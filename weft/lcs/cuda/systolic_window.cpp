#include <weft/lcs/cuda/systolic_window.hpp>

#include <algorithm>

namespace weft::lcs_cuda {

namespace {

template <class T> void copy_to(T* to, const T* from, std::int64_t count, cudaStream_t stream) {
  gpu::check(
      cudaMemcpyAsync(to, from, static_cast<std::size_t>(count) * sizeof(T), cudaMemcpyDefault, stream),
      "copy a window");
}

template <class T> void grow(gpu::device_buffer<T>& buffer, std::int64_t count, cudaStream_t stream) {
  if (static_cast<std::int64_t>(buffer.size()) >= count) return;
  buffer = {};
  buffer = {static_cast<std::size_t>(count), stream};
}

} // namespace

window_memory::window_memory(std::int64_t tile_count, std::int64_t tile_bytes, gpu_context& device)
    : host(device.window.data()), tiles(most_tiles, device.work.get()), bands(most_slabs, device.work.get()),
      traces(static_cast<std::size_t>(tile_count * tile_bytes / 4), device.work.get()),
      counts(most_slabs, device.work.get()), entries(most_slabs, device.work.get()),
      first_run(most_slabs, device.work.get()), end(1, device.work.get()), device_(&device) {}

void window_memory::upload(int tile_count, int slab_count) {
  copy_to(tiles.data(), host->tiles, tile_count, device_->work.get());
  copy_to(bands.data(), host->bands, slab_count, device_->work.get());
}

void window_memory::grow_ends(std::int64_t count) { grow(ends, count, device_->work.get()); }
void window_memory::grow_runs(std::int64_t count) { grow(runs, count, device_->work.get()); }

void window_memory::download() {
  const cudaStream_t stream = device_->work.get();
  copy_to(&host->end, end.data(), 1, stream);
  copy_to(host->counts, counts.data(), most_slabs, stream);
  copy_to(host->first_run, first_run.data(), most_slabs, stream);
  device_->work.wait();
  if (host->end.slabs == 0) return;
  const std::int64_t used = host->first_run[host->end.slabs - 1] + host->counts[host->end.slabs - 1];
  if (static_cast<std::int64_t>(device_->runs.size()) < used)
    device_->runs = gpu::pinned_buffer<std::uint32_t>(static_cast<std::size_t>(used + used / 4));
  copy_to(device_->runs.data(), runs.data(), used, stream);
  device_->work.wait();
}

const std::uint32_t* window_memory::host_runs() const { return device_->runs.data(); }

} // namespace weft::lcs_cuda
