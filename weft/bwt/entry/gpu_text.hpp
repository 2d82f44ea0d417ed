// Texts in host memory on their way through a GPU, for gpu_transform.cpp and gpu_batch.cpp. Needs the CUDA
// runtime's headers, not nvcc.
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

// What work(context), on the GPU that is to take so many symbols, returns; options.used becomes that GPU and
// the engine. Nothing: none is to, as there are not `enough` or for another reason, or device is auto and its
// memory too little.
template <class Work>
[[nodiscard]] auto on_gpu(std::uint64_t symbols, std::uint64_t enough, const std::string& engine,
                          const bwt_options& options, const Work& work)
    -> std::optional<std::invoke_result_t<Work, host_context&>> {
  const int gpu = gpu_for(options, symbols, enough);
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

// A text there in device memory, with so many items that are to come of it. Throws memory_error where these
// are all that the call may take of it.
template <class Item> class text_there {
public:
  text_there(std::string_view text, std::uint64_t items, host_context& context, const bwt_options& asked)
      : context_(context), threads_(asked.threads), there_(beside(text.size() + items * sizeof(Item), asked)),
        d_text_(text.size(), stream()), d_result_(items, stream()) {
    context.staging.to_device(d_text_.data(), text.data(), text.size(), stream(), threads_);
  }
  [[nodiscard]] cudaStream_t stream() const { return context_.work.get(); }
  [[nodiscard]] const unsigned char* text() const { return d_text_.data(); }
  [[nodiscard]] Item* result() const { return d_result_.data(); }
  [[nodiscard]] const gpu::bwt_device_options& options() const { return there_; } // for what takes these
  void write_result(const Item* from) const {
    context_.staging.to_device(d_result_.data(), from, d_result_.bytes(), stream(), threads_);
  }
  void read_result(Item* to) const {
    context_.staging.from_device(to, d_result_.data(), d_result_.bytes(), stream(), threads_);
  }

private:
  static gpu::bwt_device_options beside(std::uint64_t bytes, const bwt_options& asked) {
    check_device_memory(asked.device_memory, bytes);
    return {asked.engine, memory_left(asked.device_memory, bytes), asked.monitor};
  }

  host_context& context_;
  int threads_;
  gpu::bwt_device_options there_;
  gpu::device_buffer<unsigned char> d_text_;
  gpu::device_buffer<Item> d_result_;
};

} // namespace weft::detail
