#include <weft/bwt/entry/gpu_transform.hpp>

#include <weft/bwt/entry/gpu_choice.hpp>

#if defined(WEFT_WITH_CUDA)
#include <weft/bwt/entry/gpu_text.hpp>

namespace weft::detail {

template <class Index>
bool suffix_array_on_gpu(std::string_view text, std::span<Index> sa, std::vector<Index>* lcp,
                         const bwt_options& options) {
  const std::uint64_t n = text.size();
  return run_on_gpu(n, gpu_symbols, engine_name(options), options,
                    [&](host_context& context) {
                      const device_text<Index> on_device(text, n, context, options);
                      gpu::suffix_array(on_device.text(), n, on_device.result(), on_device.options(),
                                        on_device.stream());
                      on_device.read_result(sa.data());
                      if (lcp == nullptr) return true;
                      const auto made =
                          base_detail::if_it_fits(options.device.kind == device_kind::gpu, nullptr, [&] {
                            gpu::lcp_array(on_device.text(), n, on_device.result(), on_device.result(),
                                           on_device.options(), on_device.stream());
                            lcp->resize(n);
                            on_device.read_result(lcp->data());
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
  const std::uint64_t n = text.size();
  return run_on_gpu(n, gpu_lcp_symbols, lcp_engine, options,
                    [&](host_context& context) {
                      const device_text<Index> on_device(text, n, context, options);
                      on_device.write_result(sa.data()); // the LCP array then replaces it
                      gpu::lcp_array(on_device.text(), n, on_device.result(), on_device.result(),
                                     on_device.options(), on_device.stream());
                      on_device.read_result(lcp.data());
                      return true;
                    })
      .has_value();
}

template <class Index, class Symbol>
bool symbols_sorted_on_gpu(std::span<const Symbol> text, std::span<Index> sa, const bwt_options& options) {
  const std::string_view bytes(reinterpret_cast<const char*>(text.data()), text.size_bytes());
  return run_on_gpu(bytes.size(), gpu_symbols, engine_name(options), options,
                    [&](host_context& context) {
                      const device_text<Index> on_device(bytes, text.size(), context, options);
                      gpu::suffix_array(reinterpret_cast<const Symbol*>(on_device.text()), text.size(),
                                        on_device.result(), on_device.options(), on_device.stream());
                      on_device.read_result(sa.data());
                      return true;
                    })
      .has_value();
}

std::optional<bwt_text> bwt_on_gpu(std::string_view text, bwt_form form, const bwt_options& options) {
  return run_on_gpu(text.size(), gpu_symbols, engine_name(options), options, [&](host_context& context) {
    const device_text<unsigned char> on_device(text, text.size(), context, options);
    const std::uint64_t index = gpu::bwt(on_device.text(), text.size(), form, on_device.result(),
                                         on_device.options(), on_device.stream());
    bwt_text result{std::string(text.size(), '\0'), index, form};
    on_device.read_result(reinterpret_cast<unsigned char*>(result.bytes.data()));
    return result;
  });
}

#else

namespace weft::detail {

// gpu_for() throws if a GPU is required.
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
