#include <cli/bench/gpu_sorts.hpp>

#include <weft/sort/sort.cuh>

namespace weft::cli::bench {

namespace {

using gpu::detail::device_engine;

template <class Item>
cudaError_t sort_items_by(gpu_sort how, void* d_temp, std::size_t& bytes, void* d_items, std::uint64_t n,
                          cudaStream_t stream) {
  auto* const items = static_cast<Item*>(d_items);
  switch (how) {
  case gpu_sort::cub_radix:
    return gpu::detail::sort_items<device_engine::radix>(d_temp, bytes, items, n, ascending(), stream);
  case gpu_sort::cub_merge:
    return gpu::detail::sort_items<device_engine::merge>(d_temp, bytes, items, n, ascending(), stream);
  default:
    return gpu::detail::sort_items<device_engine::sample_merge>(d_temp, bytes, items, n, ascending(), stream);
  }
}

} // namespace

cudaError_t sort_by(gpu_sort how, std::size_t item_bytes, void* d_temp_storage,
                    std::size_t& temp_storage_bytes, void* d_items, std::uint64_t n,
                    cudaStream_t stream) noexcept {
  return item_bytes == 4
             ? sort_items_by<std::uint32_t>(how, d_temp_storage, temp_storage_bytes, d_items, n, stream)
             : sort_items_by<std::uint64_t>(how, d_temp_storage, temp_storage_bytes, d_items, n, stream);
}

} // namespace weft::cli::bench
