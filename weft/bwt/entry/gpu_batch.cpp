#include <weft/bwt/entry/gpu_batch.hpp>

#include <weft/bwt/entry/gpu_choice.hpp>
#include <weft/bwt/entry/gpu_transform.hpp>

#if defined(WEFT_WITH_CUDA)
#include <string>
#include <utility>
#include <vector>
#include <weft/bwt/bwt_batch.cuh>
#include <weft/bwt/entry/argument_checks.hpp>
#include <weft/bwt/entry/gpu_text.hpp>

namespace weft::detail {

namespace {

// Returns the number of symbols by which device auto decides. All texts of a batch are sorted together, but
// by ternary-quicksort one after another.
std::uint64_t symbols_sorted_at_once(std::span<const std::uint64_t> offsets, const bwt_options& options) {
  return is_quicksort(options.engine) ? largest_text_size(offsets) : offsets.back();
}

// Processes as many texts at a time as the GPU's memory allows: calls work(on_device, offsets of this piece,
// its first text), and copies the results, an item a symbol, to `to`.
template <class Item, class Work>
void run_in_pieces(std::string_view text, std::span<const std::uint64_t> offsets, host_context& context,
                   const bwt_options& options, Item* to, const Work& work) {
  const std::uint64_t texts = offsets.size() - 1, // symbols of a piece, which takes up to half of the memory
      max_symbols = gpu::device_memory_allowed(options.device_memory) / (7 + sizeof(Item));
  for (std::uint64_t first = 0, last = 0; first < texts; first = last) {
    std::vector<std::uint64_t> piece_offsets = {0};
    while (last == first || (last < texts && offsets[last + 1] - offsets[first] <= max_symbols))
      piece_offsets.push_back(offsets[++last] - offsets[first]);
    if (piece_offsets.back() == 0) continue;
    const device_text<Item> on_device(text.substr(offsets[first], piece_offsets.back()), piece_offsets.back(),
                                      context, options);
    work(on_device, std::span<const std::uint64_t>(piece_offsets), first);
    on_device.read_result(to + offsets[first]);
  }
}

} // namespace

std::optional<bwt_batch_text> bwt_batch_on_gpu(std::string_view text, std::span<const std::uint64_t> offsets,
                                               bwt_form form, const bwt_options& options) {
  return run_on_gpu(
      symbols_sorted_at_once(offsets, options), gpu_symbols, engine_name(options), options,
      [&](host_context& context) {
        bwt_batch_text result{std::string(text.size(), '\0'), std::vector<std::uint64_t>(offsets.size() - 1),
                              form};
        run_in_pieces(text, offsets, context, options, reinterpret_cast<unsigned char*>(result.bytes.data()),
                      [&](const device_text<unsigned char>& on_device,
                          std::span<const std::uint64_t> piece_offsets, std::uint64_t first) {
                        gpu::bwt_batch(
                            on_device.text(), piece_offsets, form, on_device.result(),
                            std::span(result.primary_indexes).subspan(first, piece_offsets.size() - 1),
                            on_device.options(), on_device.stream());
                      });
        return result;
      });
}

template <class Index>
std::optional<std::vector<Index>> suffix_array_batch_on_gpu(std::string_view text,
                                                            std::span<const std::uint64_t> offsets,
                                                            const bwt_options& options) {
  return run_on_gpu(symbols_sorted_at_once(offsets, options), gpu_symbols, engine_name(options), options,
                    [&](host_context& context) {
                      std::vector<Index> sa(text.size());
                      run_in_pieces(text, offsets, context, options, sa.data(),
                                    [&](const device_text<Index>& on_device,
                                        std::span<const std::uint64_t> piece_offsets, std::uint64_t) {
                                      gpu::suffix_array_batch(on_device.text(), piece_offsets,
                                                              on_device.result(), on_device.options(),
                                                              on_device.stream());
                                    });
                      return sa;
                    });
}

template <class Index>
std::optional<std::vector<Index>> collection_suffix_array_on_gpu(std::string_view text,
                                                                 std::span<const std::uint64_t> offsets,
                                                                 const bwt_options& options) {
  return run_on_gpu(text.size(), gpu_symbols, "suffix-sort", options, [&](host_context& context) {
    std::vector<Index> sa(text.size());
    const device_text<Index> on_device(text, text.size(), context, options);
    gpu::collection_suffix_array(on_device.text(), offsets, on_device.result(), on_device.options(),
                                 on_device.stream());
    on_device.read_result(sa.data());
    return sa;
  });
}

std::optional<collection_bwt_text> collection_bwt_on_gpu(std::string_view text,
                                                         std::span<const std::uint64_t> offsets,
                                                         const bwt_options& options) {
  return run_on_gpu(text.size(), gpu_symbols, "suffix-sort", options, [&](host_context& context) {
    collection_bwt_text result{std::string(text.size(), '\0'),
                               std::vector<std::uint64_t>(offsets.size() - 1)};
    const device_text<unsigned char> on_device(text, text.size(), context, options);
    gpu::collection_bwt(on_device.text(), offsets, on_device.result(), result.starts, on_device.options(),
                        on_device.stream());
    on_device.read_result(reinterpret_cast<unsigned char*>(result.bytes.data()));
    return result;
  });
}

#else

namespace weft::detail {

// gpu_for() throws if a GPU is required.
std::optional<bwt_batch_text> bwt_batch_on_gpu(std::string_view text, std::span<const std::uint64_t>,
                                               bwt_form, const bwt_options& options) {
  (void)gpu_for(options, text.size(), gpu_symbols);
  return std::nullopt;
}

template <class Index>
std::optional<std::vector<Index>>
suffix_array_batch_on_gpu(std::string_view text, std::span<const std::uint64_t>, const bwt_options& options) {
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
suffix_array_batch_on_gpu(std::string_view, std::span<const std::uint64_t>, const bwt_options&);
template std::optional<std::vector<std::uint64_t>>
suffix_array_batch_on_gpu(std::string_view, std::span<const std::uint64_t>, const bwt_options&);
template std::optional<std::vector<std::uint32_t>>
collection_suffix_array_on_gpu(std::string_view, std::span<const std::uint64_t>, const bwt_options&);
template std::optional<std::vector<std::uint64_t>>
collection_suffix_array_on_gpu(std::string_view, std::span<const std::uint64_t>, const bwt_options&);

} // namespace weft::detail
