#include <weft/lcs/cuda/systolic_kernels.hpp>

#include <algorithm>
#include <weft/base/cuda/kernel_limits.hpp>
#include <weft/lcs/cuda/sweep.cuh>
#include <weft/lcs/cuda/walk.cuh>

namespace weft::lcs_detail {

namespace {

// A shape of kernels at compile time.
template <class Column, int Words, int Tables> struct shaped {
  using column = Column;
  static constexpr int words = Words, tables = Tables;
};

// Calls use(shaped<...>) for the shape, if kernels exist for it.
template <class Use> cudaError_t with_shape(const kernel_shape& shape, const Use& use) {
  const auto of_words = [&]<class Column, int Tables>() {
    switch (shape.words) {
    case 2:
      return use(shaped<Column, 2, Tables>());
    case 4:
      return use(shaped<Column, 4, Tables>());
    case 8:
      return use(shaped<Column, 8, Tables>());
    default:
      if constexpr (Column::vectors == 1 && Tables == 1)
        if (shape.words == 16) return use(shaped<Column, 16, Tables>());
      return cudaErrorInvalidValue;
    }
  };
  if (shape.edit)
    return shape.tables == 1 ? of_words.template operator()<edit_column, 1>()
                             : of_words.template operator()<edit_column, 2>();
  return shape.tables == 1 ? of_words.template operator()<lcs_column, 1>()
                           : of_words.template operator()<lcs_column, 2>();
}

__global__ void reverse_kernel(const std::uint8_t* from, std::uint8_t* to, std::int64_t n) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
    to[i] = from[n - 1 - i];
}

template <int Tables>
__global__ void encode_kernel(const std::uint8_t* symbols, std::int64_t n, int sigma, std::uint32_t* columns,
                              std::int64_t total) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < total; i += stride) {
    const std::int64_t j = i - columns_before;
    const unsigned symbol = j >= 0 && j < n ? symbols[j] : static_cast<unsigned>(sigma);
    columns[i] = mask_layout<1, Tables>::column(symbol, sigma);
  }
}

template <class Column>
__global__ void start_kernel(unsigned long long* link, int words, const std::uint32_t* tops, int kept_words,
                             unsigned* ticket) {
  if (blockIdx.x == 0 && threadIdx.x == 0) *ticket = 0;
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < words; i += stride)
#pragma unroll
    for (int x = 0; x < Column::vectors; ++x)
      link[std::int64_t{x} * words + i] =
          tops == nullptr ? Column::top(x) : tops[std::int64_t{x} * kept_words + i];
}

__global__ void sum_kernel(bool edit, const unsigned long long* link, int words, std::int64_t n,
                           long long* sum) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  long long mine = 0;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < words; i += stride) {
    const std::int64_t columns = n - i * 32; // the first column is the top bit
    const std::uint32_t used = columns >= 32 ? ~0U : columns <= 0 ? 0 : ~0U << (32 - columns);
    mine += __popc(static_cast<std::uint32_t>(link[i]) & used);
    if (edit) mine -= __popc(static_cast<std::uint32_t>(link[words + i]) & used);
  }
  for (int step = 16; step > 0; step /= 2) mine += __shfl_down_sync(all_lanes, mine, step);
  if (threadIdx.x % warp_lanes == 0)
    atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<unsigned long long>(mine));
}

__global__ void value_kernel(std::uint64_t base, std::int64_t factor, const long long* sum,
                             std::uint64_t* value) {
  *value = base + (sum == nullptr ? 0 : static_cast<std::uint64_t>(factor * *sum));
}

} // namespace

cudaError_t launch_sweep(const kernel_shape& shape, const table_job& job, const launch_shape& launch,
                         cudaStream_t stream) {
  if (shape.planes > 0) return launch_sliced(shape, job, launch, stream);
  return with_shape(shape, [&]<class Shape>(Shape) {
    const auto kernel = sweep_kernel<typename Shape::column, Shape::words, Shape::tables>;
    const auto shared = static_cast<int>(launch.warps * shape.mask_bytes(job.sigma));
    if (const cudaError_t status = base_detail::allow_shared_memory(kernel, static_cast<std::size_t>(shared)))
      return status;
    kernel<<<launch.blocks, launch.warps * warp_lanes, shared, stream>>>(job);
    return cudaGetLastError();
  });
}

cudaError_t launch_replay(const kernel_shape& shape, const table_job& job, const tile* tiles, int count,
                          std::uint32_t* traces, int multiprocessors, cudaStream_t stream) {
  return with_shape(shape, [&]<class Shape>(Shape) {
    const auto kernel = replay_kernel<typename Shape::column, Shape::words, Shape::tables>;
    const std::int64_t bytes =
        shape.mask_bytes(job.sigma) +
        static_cast<std::int64_t>(sizeof(replay_memory<typename Shape::column, Shape::words>));
    std::size_t max_shared = 0;
    if (const cudaError_t status = base_detail::shared_memory_limit(max_shared)) return status;
    const int warps = std::clamp(std::min((count + multiprocessors - 1) / multiprocessors,
                                          static_cast<int>(static_cast<std::int64_t>(max_shared) / bytes)),
                                 1, max_replay_warps);
    const auto shared = static_cast<int>(warps * bytes);
    if (const cudaError_t status = base_detail::allow_shared_memory(kernel, static_cast<std::size_t>(shared)))
      return status;
    kernel<<<(count + warps - 1) / warps, warps * warp_lanes, shared, stream>>>(job, tiles, count, traces);
    return cudaGetLastError();
  });
}

cudaError_t launch_encode(const kernel_shape& shape, const std::uint8_t* symbols, std::int64_t n, int sigma,
                          std::uint32_t* columns, cudaStream_t stream) {
  const std::int64_t total = encoded_size(shape, n);
  if (shape.planes > 0) return launch_encode_sliced(shape.planes, symbols, n, columns, total, stream);
  const auto kernel = shape.tables == 1 ? encode_kernel<1> : encode_kernel<2>;
  kernel<<<plain_blocks(total), plain_threads, 0, stream>>>(symbols, n, sigma, columns, total);
  return cudaGetLastError();
}

cudaError_t launch_reverse(const std::uint8_t* from, std::uint8_t* to, std::int64_t n, cudaStream_t stream) {
  reverse_kernel<<<plain_blocks(n), plain_threads, 0, stream>>>(from, to, n);
  return cudaGetLastError();
}

cudaError_t launch_start(bool edit, unsigned long long* link, int words, const std::uint32_t* tops,
                         int kept_words, unsigned* ticket, cudaStream_t stream) {
  const auto kernel = edit ? start_kernel<edit_column> : start_kernel<lcs_column>;
  kernel<<<plain_blocks(words), plain_threads, 0, stream>>>(link, words, tops, kept_words, ticket);
  return cudaGetLastError();
}

cudaError_t launch_sum(bool edit, const unsigned long long* link, int words, std::int64_t n, long long* sum,
                       cudaStream_t stream) {
  if (const cudaError_t status = cudaMemsetAsync(sum, 0, sizeof *sum, stream)) return status;
  sum_kernel<<<plain_blocks(words), plain_threads, 0, stream>>>(edit, link, words, n, sum);
  return cudaGetLastError();
}

cudaError_t launch_value(std::uint64_t base, std::int64_t factor, const long long* sum, std::uint64_t* value,
                         cudaStream_t stream) {
  value_kernel<<<1, 1, 0, stream>>>(base, factor, sum, value);
  return cudaGetLastError();
}

cudaError_t launch_scouts(bool edit, const walk_job& job, int scouts, std::int64_t* ends,
                          cudaStream_t stream) {
  const auto kernel = edit ? scout_kernel<true> : scout_kernel<false>;
  constexpr int threads = 64;
  const dim3 blocks(static_cast<unsigned>((scouts + threads - 1) / threads),
                    static_cast<unsigned>(job.slabs));
  kernel<<<blocks, threads, 0, stream>>>(job, scouts, ends);
  return cudaGetLastError();
}

cudaError_t launch_compose(bool edit, const walk_job& job, int scouts, const std::int64_t* ends,
                           std::int64_t* entries, std::int64_t* first_run, walk_end* end,
                           cudaStream_t stream) {
  const auto kernel = edit ? compose_kernel<true> : compose_kernel<false>;
  kernel<<<1, 1, 0, stream>>>(job, scouts, ends, entries, first_run, end);
  return cudaGetLastError();
}

cudaError_t launch_runs(bool edit, const walk_job& job, const std::int64_t* entries,
                        const std::int64_t* first_run, const walk_end* end, std::uint32_t* runs,
                        std::uint32_t* counts, cudaStream_t stream) {
  const auto kernel = edit ? run_kernel<true> : run_kernel<false>;
  kernel<<<job.slabs, 1, 0, stream>>>(job, entries, first_run, end, runs, counts);
  return cudaGetLastError();
}

} // namespace weft::lcs_detail
