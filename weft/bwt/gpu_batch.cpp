#include <weft/bwt/gpu_batch.hpp>

#include <weft/bwt/gpu_choice.hpp>
#include <weft/bwt/gpu_transform.hpp>

#if defined(WEFT_WITH_CUDA)
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>
#include <weft/base/memory.hpp>
#include <weft/bwt/bwt_batch.cuh>
#include <weft/bwt/cuda/host_context.hpp>

namespace weft::detail {

namespace {

using bwt_cuda::host_context;

// What work(context), on the GPU that is to take so many symbols, returns. Nothing: none is to, or device is
// auto and its memory too little.
template <class Work>
[[nodiscard]] auto on_gpu(std::uint64_t symbols, const char* engine, const bwt_options& options,
                          const Work& work) -> std::optional<std::invoke_result_t<Work, host_context&>> {
  const int gpu = gpu_for(options, symbols, gpu_symbols);
  if (gpu < 0) return std::nullopt;
  auto result = or_for_the_cpu(options.device, options.monitor, [&] {
    const gpu::device_scope scope(gpu);
    auto& context = gpu::context_of<host_context>(gpu);
    const gpu::quiet_at_end quiet(context.work.get());
    return work(context);
  });
  if (result && options.used != nullptr) *options.used = {engine, gpu};
  return result;
}

// A text on its way through the GPU: there in device memory, with so many items that are to come of it.
template <class Item> class text_there {
public:
  text_there(std::string_view text, host_context& context, const bwt_options& asked)
      : context_(context), threads_(asked.threads), d_text_(text.size(), context.work.get()),
        d_result_(text.size(), context.work.get()), there_{asked.engine,
                                                           memory_left(asked.device_memory,
                                                                       d_text_.bytes() + d_result_.bytes()),
                                                           asked.monitor} {
    context.staging.to_device(d_text_.data(), text.data(), text.size(), stream(), threads_,
                              [](std::uint64_t) {});
  }
  [[nodiscard]] cudaStream_t stream() const { return context_.work.get(); }
  [[nodiscard]] const unsigned char* text() const { return d_text_.data(); }
  [[nodiscard]] Item* result() const { return d_result_.data(); }
  [[nodiscard]] const gpu::bwt_device_options& options() const { return there_; }
  void read_result(Item* to) const {
    context_.staging.from_device(d_result_.data(), d_result_.bytes(), stream(), threads_,
                                 [&](std::uint64_t at, std::span<const std::byte> piece) {
                                   std::memcpy(reinterpret_cast<std::byte*>(to) + at, piece.data(),
                                               piece.size());
                                 });
  }

private:
  host_context& context_;
  int threads_;
  gpu::device_buffer<unsigned char> d_text_;
  gpu::device_buffer<Item> d_result_;
  gpu::bwt_device_options there_;
};

// Texts [first, last) of the batch.
void transform_piece(std::string_view text, std::span<const std::uint64_t> offsets, std::uint64_t first,
                     std::uint64_t last, host_context& context, const bwt_options& options,
                     bwt_batch_text& to) {
  std::vector<std::uint64_t> here;
  for (std::uint64_t i = first; i <= last; ++i) here.push_back(offsets[i] - offsets[first]);
  if (here.back() == 0) return;
  const text_there<unsigned char> there(text.substr(offsets[first], here.back()), context, options);
  gpu::bwt_batch(there.text(), here, to.form, there.result(),
                 std::span(to.primary_indexes).subspan(first, last - first), there.options(), there.stream());
  there.read_result(reinterpret_cast<unsigned char*>(to.bytes.data()) + offsets[first]);
}

} // namespace

std::optional<bwt_batch_text> bwt_batch_on_gpu(std::string_view text, std::span<const std::uint64_t> offsets,
                                               bwt_form form, const bwt_options& options) {
  const char* const engine = options.engine == "auto" ? "suffix-sort" : options.engine.c_str();
  return on_gpu(text.size(), engine, options, [&](host_context& context) {
    const std::uint64_t texts = offsets.size() - 1,
                        most = gpu::device_memory_allowed(options.device_memory) / 4; // symbols at a time
    bwt_batch_text result{std::string(text.size(), '\0'), std::vector<std::uint64_t>(texts), form};
    for (std::uint64_t first = 0, last = 0; first < texts; first = last) {
      do ++last;
      while (last < texts && offsets[last + 1] - offsets[first] <= most);
      transform_piece(text, offsets, first, last, context, options, result);
    }
    return result;
  });
}

template <class Index>
std::optional<std::vector<Index>> collection_suffix_array_on_gpu(std::string_view text,
                                                                 std::span<const std::uint64_t> offsets,
                                                                 const bwt_options& options) {
  return on_gpu(text.size(), "suffix-sort", options, [&](host_context& context) {
    std::vector<Index> sa(text.size());
    const text_there<Index> there(text, context, options);
    gpu::collection_suffix_array(there.text(), offsets, there.result(), there.options(), there.stream());
    there.read_result(sa.data());
    return sa;
  });
}

std::optional<collection_bwt_text> collection_bwt_on_gpu(std::string_view text,
                                                         std::span<const std::uint64_t> offsets,
                                                         const bwt_options& options) {
  return on_gpu(text.size(), "suffix-sort", options, [&](host_context& context) {
    collection_bwt_text result{std::string(text.size(), '\0'),
                               std::vector<std::uint64_t>(offsets.size() - 1)};
    const text_there<unsigned char> there(text, context, options);
    gpu::collection_bwt(there.text(), offsets, there.result(), result.starts, there.options(),
                        there.stream());
    there.read_result(reinterpret_cast<unsigned char*>(result.bytes.data()));
    return result;
  });
}

#else

namespace weft::detail {

// gpu_for() throws where a GPU is required.
std::optional<bwt_batch_text> bwt_batch_on_gpu(std::string_view text, std::span<const std::uint64_t>,
                                               bwt_form, const bwt_options& options) {
  (void)gpu_for(options, text.size(), gpu_symbols);
  return std::nullopt;
}

template <class Index>
std::optional<std::vector<Index>> collection_suffix_array_on_gpu(std::string_view text,
                                                                 std::span<const std::uint64_t>,
                                                                 const bwt_options& options) {
  (void)gpu_for(options, text.size(), gpu_symbols);
  return std::nullopt;
}

std::optional<collection_bwt_text>
collection_bwt_on_gpu(std::string_view text, std::span<const std::uint64_t>, const bwt_options& options) {
  (void)gpu_for(options, text.size(), gpu_symbols);
  return std::nullopt;
}

#endif

template std::optional<std::vector<std::uint32_t>>
collection_suffix_array_on_gpu(std::string_view, std::span<const std::uint64_t>, const bwt_options&);
template std::optional<std::vector<std::uint64_t>>
collection_suffix_array_on_gpu(std::string_view, std::span<const std::uint64_t>, const bwt_options&);

} // namespace weft::detail
