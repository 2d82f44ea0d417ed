#include <weft/bwt/entry/gpu_inverse.hpp>

#if defined(WEFT_WITH_CUDA)
#include <cstring>
#include <fmt/format.h>
#include <future>
#include <weft/base/error.hpp>
#include <weft/base/if_it_fits.hpp>
#include <weft/base/memory.hpp>
#include <weft/bwt/cuda/host_context.hpp>
#include <weft/bwt/cuda/inverse/inverse.hpp>

namespace weft::detail {

namespace {

// Returns a string of n bytes, whose memory the system has provided: that takes as long as the GPU takes for
// everything else.
std::string allocate_text(std::uint64_t n) {
  std::string text;
  text.reserve(n);
  prefer_large_pages(text.data(), n);
  text.resize(n);
  return text;
}

std::string invert_on_gpu(int gpu, std::string_view bytes, std::uint64_t primary_index, bwt_form form,
                          const bwt_options& options) {
  const gpu::device_scope scope(gpu);
  auto& context = gpu::context_of<bwt_cuda::host_context>(gpu);
  const cudaStream_t stream = context.work.get();
  const std::uint64_t n = bytes.size(), allowed = gpu::device_memory_allowed(options.device_memory),
                      needed = 2 * n + bwt_cuda::inverse_memory(n, {});
  if (needed > allowed)
    throw memory_error(
        fmt::format("the inverse transform of {} bytes needs {} of device memory, {} is allowed", n,
                    format_size(needed), format_size(allowed)));
  std::future<std::string> allocated = std::async(std::launch::async | std::launch::deferred, allocate_text,
                                                  n); // runs later, in get(), if no thread can be started
  const gpu::device_buffer<unsigned char> d_bytes(n, stream), d_text(n, stream);
  context.staging.to_device(d_bytes.data(), bytes.data(), n, stream, options.threads, [&](std::uint64_t) {
    if (options.monitor != nullptr) options.monitor->check();
  });
  bwt_cuda::invert_transform(d_bytes.data(), n, primary_index, form, d_text.data(),
                             {.device_memory = allowed - 2 * n, .monitor = options.monitor}, stream);
  std::string text = allocated.get();
  context.staging.from_device(d_text.data(), n, stream, options.threads,
                              [&](std::uint64_t at, std::span<const std::byte> piece) {
                                if (options.monitor != nullptr) options.monitor->check();
                                std::memcpy(text.data() + at, piece.data(), piece.size());
                              });
  if (options.monitor != nullptr) options.monitor->add(n);
  return text;
}

} // namespace

std::optional<std::string> inverse_on_gpu(int gpu, std::string_view bytes, std::uint64_t primary_index,
                                          bwt_form form, const bwt_options& options) {
  return base_detail::if_it_fits(options.device.kind == device_kind::gpu, options.monitor,
                                 [&] { return invert_on_gpu(gpu, bytes, primary_index, form, options); });
}

} // namespace weft::detail

#else

namespace weft::detail {

std::optional<std::string> inverse_on_gpu(int, std::string_view, std::uint64_t, bwt_form,
                                          const bwt_options&) {
  return std::nullopt; // gpu_for() has thrown if a GPU is required
}

} // namespace weft::detail

#endif
