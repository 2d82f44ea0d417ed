#include <weft/bwt/gpu_transform.hpp>

#include <weft/bwt/gpu_choice.hpp>

#if defined(WEFT_WITH_CUDA)
#include <cstring>
#include <type_traits>
#include <weft/base/memory.hpp>
#include <weft/bwt/bwt.cuh>
#include <weft/bwt/cuda/host_context.hpp>

namespace weft::detail {

namespace {

using bwt_cuda::host_context;

// What work(context, d_text, what else to tell weft::gpu) returns, with the text on the GPU that is to take
// it, for arrays of so many bytes. Nothing: none is to, as there are not `enough` symbols or for another
// reason, or device is auto and the memory too little.
template <class Work>
[[nodiscard]] auto with_text_on_gpu(std::string_view text, std::uint64_t result_bytes, std::uint64_t enough,
                                    const bwt_options& options, const Work& work)
    -> std::optional<
        std::invoke_result_t<Work, host_context&, const unsigned char*, const gpu::bwt_device_options&>> {
  const int gpu = gpu_for(options, text.size(), enough);
  if (gpu < 0) return std::nullopt;
  auto result = or_for_the_cpu(options.device, options.monitor, [&] {
    check_device_memory(options.device_memory, text.size() + result_bytes);
    const gpu::bwt_device_options there = {
        options.engine, memory_left(options.device_memory, text.size() + result_bytes), options.monitor};
    const gpu::device_scope scope(gpu);
    auto& context = gpu::context_of<host_context>(gpu);
    const cudaStream_t stream = context.work.get();
    const gpu::device_buffer<unsigned char> d_text(text.size(), stream);
    const gpu::quiet_at_end quiet(stream);
    context.staging.to_device(d_text.data(), text.data(), text.size(), stream, options.threads,
                              [](std::uint64_t) {});
    return work(context, d_text.data(), there);
  });
  if (result && options.used != nullptr) options.used->gpu = gpu;
  return result;
}

void read_back(host_context& context, const void* d_from, std::uint64_t bytes, void* to,
               const bwt_options& options) {
  context.staging.from_device(d_from, bytes, context.work.get(), options.threads,
                              [&](std::uint64_t at, std::span<const std::byte> piece) {
                                std::memcpy(static_cast<std::byte*>(to) + at, piece.data(), piece.size());
                              });
}

} // namespace

template <class Index>
bool suffix_array_on_gpu(std::string_view text, std::span<Index> sa, std::vector<Index>* lcp,
                         const bwt_options& options) {
  return with_text_on_gpu(
             text, text.size() * sizeof(Index), gpu_symbols, options,
             [&](host_context& context, const unsigned char* d_text, const gpu::bwt_device_options& there) {
               const cudaStream_t stream = context.work.get();
               const gpu::device_buffer<Index> d_sa(text.size(), stream);
               gpu::suffix_array(d_text, text.size(), d_sa.data(), there, stream);
               read_back(context, d_sa.data(), d_sa.bytes(), sa.data(), options);
               if (lcp == nullptr) return true;
               const auto made = or_for_the_cpu(options.device, nullptr, [&] {
                 gpu::lcp_array(d_text, text.size(), d_sa.data(), d_sa.data(), there, stream);
                 lcp->resize(text.size());
                 read_back(context, d_sa.data(), d_sa.bytes(), lcp->data(), options);
                 return true;
               });
               if (!made) lcp->clear();
               return true;
             })
      .has_value();
}

template <class Index>
bool lcp_array_on_gpu(std::string_view text, std::span<const Index> sa, std::span<Index> lcp,
                      const bwt_options& options) {
  return with_text_on_gpu(
             text, text.size() * sizeof(Index), gpu_lcp_symbols, options,
             [&](host_context& context, const unsigned char* d_text, const gpu::bwt_device_options& there) {
               const cudaStream_t stream = context.work.get();
               const gpu::device_buffer<Index> d_sa(text.size(), stream); // and then the LCP array
               context.staging.to_device(d_sa.data(), sa.data(), d_sa.bytes(), stream, options.threads,
                                         [](std::uint64_t) {});
               gpu::lcp_array(d_text, text.size(), d_sa.data(), d_sa.data(), there, stream);
               read_back(context, d_sa.data(), d_sa.bytes(), lcp.data(), options);
               return true;
             })
      .has_value();
}

template <class Index, class Symbol>
bool symbols_sorted_on_gpu(std::span<const Symbol> text, std::span<Index> sa, const bwt_options& options) {
  const std::string_view bytes(reinterpret_cast<const char*>(text.data()), text.size_bytes());
  return with_text_on_gpu(
             bytes, sa.size_bytes(), gpu_symbols, options,
             [&](host_context& context, const unsigned char* d_text, const gpu::bwt_device_options& there) {
               const gpu::device_buffer<Index> d_sa(text.size(), context.work.get());
               gpu::suffix_array(reinterpret_cast<const Symbol*>(d_text), text.size(), d_sa.data(), there,
                                 context.work.get());
               read_back(context, d_sa.data(), d_sa.bytes(), sa.data(), options);
               return true;
             })
      .has_value();
}

std::optional<bwt_text> bwt_on_gpu(std::string_view text, bwt_form form, const bwt_options& options) {
  return with_text_on_gpu(
      text, text.size(), gpu_symbols, options,
      [&](host_context& context, const unsigned char* d_text, const gpu::bwt_device_options& there) {
        const gpu::device_buffer<unsigned char> d_bwt(text.size(), context.work.get());
        const std::uint64_t index =
            gpu::bwt(d_text, text.size(), form, d_bwt.data(), there, context.work.get());
        bwt_text result{std::string(text.size(), '\0'), index, form};
        read_back(context, d_bwt.data(), d_bwt.bytes(), result.bytes.data(), options);
        return result;
      });
}

#else

namespace weft::detail {

// gpu_for() throws where a GPU is required.
template <class Index>
bool suffix_array_on_gpu(std::string_view text, std::span<Index>, std::vector<Index>*,
                         const bwt_options& options) {
  (void)gpu_for(options, text.size(), gpu_symbols);
  return false;
}

template <class Index>
bool lcp_array_on_gpu(std::string_view text, std::span<const Index>, std::span<Index>,
                      const bwt_options& options) {
  (void)gpu_for(options, text.size(), gpu_lcp_symbols);
  return false;
}

template <class Index, class Symbol>
bool symbols_sorted_on_gpu(std::span<const Symbol> text, std::span<Index>, const bwt_options& options) {
  (void)gpu_for(options, text.size_bytes(), gpu_symbols);
  return false;
}

std::optional<bwt_text> bwt_on_gpu(std::string_view text, bwt_form, const bwt_options& options) {
  (void)gpu_for(options, text.size(), gpu_symbols);
  return std::nullopt;
}

#endif

template bool suffix_array_on_gpu(std::string_view, std::span<std::uint32_t>, std::vector<std::uint32_t>*,
                                  const bwt_options&);
template bool suffix_array_on_gpu(std::string_view, std::span<std::uint64_t>, std::vector<std::uint64_t>*,
                                  const bwt_options&);
template bool lcp_array_on_gpu(std::string_view, std::span<const std::uint32_t>, std::span<std::uint32_t>,
                               const bwt_options&);
template bool lcp_array_on_gpu(std::string_view, std::span<const std::uint64_t>, std::span<std::uint64_t>,
                               const bwt_options&);
template bool symbols_sorted_on_gpu(std::span<const std::uint16_t>, std::span<std::uint32_t>,
                                    const bwt_options&);
template bool symbols_sorted_on_gpu(std::span<const std::uint16_t>, std::span<std::uint64_t>,
                                    const bwt_options&);
template bool symbols_sorted_on_gpu(std::span<const std::uint32_t>, std::span<std::uint32_t>,
                                    const bwt_options&);
template bool symbols_sorted_on_gpu(std::span<const std::uint32_t>, std::span<std::uint64_t>,
                                    const bwt_options&);

} // namespace weft::detail
