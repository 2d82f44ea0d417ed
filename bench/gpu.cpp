#include <bench/gpu.hpp>

#include <algorithm>
#include <bench/gpu_method.hpp>
#include <weft/base/engines.hpp>
#include <weft/base/error.hpp>
#if defined(WEFT_WITH_CUDA)
#include <bench/gpu_logic.hpp>
#endif

namespace weft::bench {

device_choice first_gpu() { return {device_kind::gpu, base_detail::gpu_index({})}; }

#if defined(WEFT_WITH_CUDA)

double gpu_ceiling(ceiling_kind kind) {
  const gpu::device_scope scope(first_gpu().index);
  const gpu::stream work;
  const std::size_t bytes = std::min<std::uint64_t>(gpu::free_device_memory() / 4, std::uint64_t{1} << 30);
  const gpu::device_buffer<std::byte> from(bytes, work.get()), to(bytes, work.get());
  gpu::check(cudaMemsetAsync(from.data(), 1, bytes, work.get()), "fill memory");
  double best = 0;
  for (int i = 0; i < 6; ++i) { // the first run warms up
    work.wait();
    const double begin = steady_seconds();
    double amount = 2.0 * static_cast<double>(bytes);
    if (kind == ceiling_kind::copy)
      gpu::copy(to.data(), from.data(), bytes, work.get(), "copy memory");
    else
      amount = enqueue_logic(reinterpret_cast<unsigned*>(to.data()), work.get());
    work.wait();
    const double seconds = steady_seconds() - begin;
    if (i > 0) best = std::max(best, amount / seconds);
  }
  return best;
}

#else

double gpu_ceiling(ceiling_kind) { return 0; }

#endif

} // namespace weft::bench
