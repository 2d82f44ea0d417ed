// Helpers of gpu_transform.cpp and gpu_batch.cpp, which copy texts from host memory to a GPU and results
// back. Needs the CUDA runtime's headers, but not nvcc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <weft/base/if_it_fits.hpp>
#include <weft/base/memory.hpp>
#include <weft/bwt/bwt.cuh>
#include <weft/bwt/cuda/host_context.hpp>
#include <weft/bwt/entry/engine_choice.hpp>
#include <weft/bwt/entry/gpu_choice.hpp>

namespace weft::detail {

using bwt_cuda::host_context;

// Chooses a GPU for `symbols` symbols, and returns what work(context) returns on it. Sets options.used to the
// GPU and the engine. Returns nothing if no GPU is chosen, for example because there are fewer than
// `min_symbols` symbols, or if device is auto and the GPU's memory is too small.
template <class Work>
[[nodiscard]] auto run_on_gpu(std::uint64_t symbols, std::uint64_t min_symbols, const std::string& engine,
                              const bwt_options& options, const Work& work)
    -> std::optional<std::invoke_result_t<Work, host_context&>> {
  const int gpu = gpu_for(options, symbols, min_symbols);
  if (gpu < 0) return std::nullopt;
  auto result = base_detail::if_it_fits(options.device.kind == device_kind::gpu, options.monitor, [&] {
    const gpu::device_scope scope(gpu);
    auto& context = gpu::context_of<host_context>(gpu);
    const gpu::quiet_at_end quiet(context.work.get());
    return work(context);
  });
  if (result && options.used != nullptr) *options.used = {engine, gpu};
  return result;
}

// A text in device memory, with a buffer for the `items` result items that are computed from it. The
// constructor throws memory_error if text and result take all memory that the call may take.
template <class Item> class device_text {
public:
  device_text(std::string_view text, std::uint64_t items, host_context& context, const bwt_options& requested)
      : context_(context), threads_(requested.threads),
        options_(options_beside(text.size() + items * sizeof(Item), requested)),
        d_text_(text.size(), stream()), d_result_(items, stream()) {
    context.staging.to_device(d_text_.data(), text.data(), text.size(), stream(), threads_);
  }
  [[nodiscard]] cudaStream_t stream() const { return context_.work.get(); }
  [[nodiscard]] const unsigned char* text() const { return d_text_.data(); }
  [[nodiscard]] Item* result() const { return d_result_.data(); }
  // Returns the options of calls for this text: text and result are already subtracted from the memory limit.
  [[nodiscard]] const gpu::bwt_device_options& options() const { return options_; }
  void write_result(const Item* from) const {
    context_.staging.to_device(d_result_.data(), from, d_result_.bytes(), stream(), threads_);
  }
  void read_result(Item* to) const {
    context_.staging.from_device(to, d_result_.data(), d_result_.bytes(), stream(), threads_);
  }

private:
  static gpu::bwt_device_options options_beside(std::uint64_t bytes, const bwt_options& requested) {
    check_device_memory(requested.device_memory, bytes);
    return {requested.engine, memory_left(requested.device_memory, bytes), requested.monitor};
  }

  host_context& context_;
  int threads_;
  gpu::bwt_device_options options_;
  gpu::device_buffer<unsigned char> d_text_;
  gpu::device_buffer<Item> d_result_;
};

} // namespace weft::detail
