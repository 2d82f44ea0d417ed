#include <bench/sort/gpu_sorts.hpp>

#include <weft/sort/published/cuda/sample_merge.cuh>
#include <weft/sort/sort.cuh>

namespace weft::bench {

namespace {

using sort_detail::device_engine;

template <class Item>
cudaError_t sort_items_by(gpu_sort how, const sample_merge_switches& switches, void* d_temp,
                          std::size_t& bytes, void* d_items, std::uint64_t n, cudaStream_t stream) {
  auto* const items = static_cast<Item*>(d_items);
  switch (how) {
  case gpu_sort::cub_radix:
    return sort_detail::sort_device_items<device_engine::radix>(d_temp, bytes, items, n, ascending(), stream);
  case gpu_sort::cub_merge:
    return sort_detail::sort_device_items<device_engine::merge>(d_temp, bytes, items, n, ascending(), stream);
  default:
    if constexpr (sizeof(Item) <= 8) {
      gpu::sample_merge_options options;
      options.num_buckets = switches.num_buckets;
      options.transpose = switches.transpose;
      options.align = switches.align;
      return gpu::sample_merge_sort(d_temp, bytes, items, n, ascending(), stream, options);
    } else {
      return cudaErrorNotSupported;
    }
  }
}

// The steps of sample_merge for items of type `Item`.
template <class Item> class steps_of : public sample_merge_steps {
public:
  steps_of(std::uint32_t num_buckets, void* d_items, std::uint64_t n, cudaStream_t stream)
      : sort_(static_cast<Item*>(d_items), n, num_buckets, ascending(), {}, stream) {}

  cudaError_t set_memory(void* d_temp, std::size_t& bytes) noexcept override {
    return sort_.set_memory(d_temp, bytes);
  }
  cudaError_t run(sort_step step) noexcept override {
    const bool splits = sort_.num_buckets() > 1;
    switch (step) {
    case sort_step::splitters:
      return splits ? sort_.choose_splitters() : cudaSuccess;
    case sort_step::bucket_sizes:
      return splits ? sort_.count_buckets() : cudaSuccess;
    case sort_step::prefix_sum:
      return splits ? sort_.sum_counts() : cudaSuccess;
    case sort_step::bucket_offsets:
      return sort_.lay_out_buckets();
    case sort_step::transposition:
      return splits ? sort_.transpose() : cudaSuccess;
    case sort_step::relocation:
      return splits ? sort_.relocate() : cudaSuccess;
    case sort_step::tile_sort:
      return sort_.sort_tiles();
    default:
      cudaError_t status = cudaSuccess;
      for (std::uint32_t pass = 0; pass < sort_.max_passes() && status == cudaSuccess; ++pass)
        status = sort_.merge(pass);
      return status;
    }
  }

private:
  sort_detail::sample_merge<Item, std::uint32_t, ascending, sort_detail::default_shape<Item>> sort_;
};

// Mixes each word with its index and adds up the results.
__global__ void fingerprint_kernel(const std::uint32_t* words, std::uint64_t num_words,
                                   unsigned long long* sum) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  unsigned long long own = 0;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < num_words; i += stride)
    own += weft::base_detail::mixed(weft::base_detail::mixed(i) + words[i]);
  atomicAdd(sum, own);
}

} // namespace

cudaError_t sort_by(gpu_sort how, const sample_merge_switches& switches, std::size_t item_bytes,
                    void* d_temp_storage, std::size_t& temp_storage_bytes, void* d_items, std::uint64_t n,
                    cudaStream_t stream) noexcept {
  const auto sort = item_bytes == 4   ? sort_items_by<std::uint32_t>
                    : item_bytes == 8 ? sort_items_by<std::uint64_t>
                                      : sort_items_by<uint128>;
  return sort(how, switches, d_temp_storage, temp_storage_bytes, d_items, n, stream);
}

cudaError_t enqueue_fingerprint(const std::uint32_t* d_words, std::uint64_t num_words,
                                unsigned long long* d_sum, cudaStream_t stream) noexcept {
  fingerprint_kernel<<<1024, 256, 0, stream>>>(d_words, num_words, d_sum);
  return cudaGetLastError();
}

std::unique_ptr<sample_merge_steps> make_sample_merge_steps(std::uint32_t num_buckets, std::size_t item_bytes,
                                                            void* d_items, std::uint64_t n,
                                                            cudaStream_t stream) {
  if (item_bytes == 4) return std::make_unique<steps_of<std::uint32_t>>(num_buckets, d_items, n, stream);
  return std::make_unique<steps_of<std::uint64_t>>(num_buckets, d_items, n, stream);
}

} // namespace weft::bench
