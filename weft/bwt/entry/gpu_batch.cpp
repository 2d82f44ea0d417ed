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

// All texts of a batch are sorted together; by ternary-quicksort one after another.
std::uint64_t symbols_to_choose_by(std::span<const std::uint64_t> offsets, const bwt_options& options) {
  return is_quicksort(options.engine) ? largest_of(offsets) : offsets.back();
}

// As many texts at a time as there is memory for: work(there, offsets of this piece, its first text), whose
// results, an item a symbol, are read to `to`.
template <class Item, class Work>
void in_pieces(std::string_view text, std::span<const std::uint64_t> offsets, host_context& context,
               const bwt_options& options, Item* to, const Work& work) {
  const std::uint64_t texts = offsets.size() - 1, // symbols of a piece: they take up to half of the memory
      most = gpu::device_memory_allowed(options.device_memory) / (7 + sizeof(Item));
  for (std::uint64_t first = 0, last = 0; first < texts; first = last) {
    std::vector<std::uint64_t> here = {0};
    while (last == first || (last < texts && offsets[last + 1] - offsets[first] <= most))
      here.push_back(offsets[++last] - offsets[first]);
    if (here.back() == 0) continue;
    const text_there<Item> there(text.substr(offsets[first], here.back()), here.back(), context, options);
    work(there, std::span<const std::uint64_t>(here), first);
    there.read_result(to + offsets[first]);
  }
}

} // namespace

std::optional<bwt_batch_text> bwt_batch_on_gpu(std::string_view text, std::span<const std::uint64_t> offsets,
                                               bwt_form form, const bwt_options& options) {
  return on_gpu(symbols_to_choose_by(offsets, options), gpu_symbols, engine_of(options), options,
                [&](host_context& context) {
                  bwt_batch_text result{std::string(text.size(), '\0'),
                                        std::vector<std::uint64_t>(offsets.size() - 1), form};
                  in_pieces(
                      text, offsets, context, options, reinterpret_cast<unsigned char*>(result.bytes.data()),
                      [&](const text_there<unsigned char>& there, std::span<const std::uint64_t> here,
                          std::uint64_t first) {
                        gpu::bwt_batch(there.text(), here, form, there.result(),
                                       std::span(result.primary_indexes).subspan(first, here.size() - 1),
                                       there.options(), there.stream());
                      });
                  return result;
                });
}

template <class Index>
std::optional<std::vector<Index>> suffix_array_batch_on_gpu(std::string_view text,
                                                            std::span<const std::uint64_t> offsets,
                                                            const bwt_options& options) {
  return on_gpu(
      symbols_to_choose_by(offsets, options), gpu_symbols, engine_of(options), options,
      [&](host_context& context) {
        std::vector<Index> sa(text.size());
        in_pieces(text, offsets, context, options, sa.data(),
                  [&](const text_there<Index>& there, std::span<const std::uint64_t> here, std::uint64_t) {
                    gpu::suffix_array_batch(there.text(), here, there.result(), there.options(),
                                            there.stream());
                  });
        return sa;
      });
}

template <class Index>
std::optional<std::vector<Index>> collection_suffix_array_on_gpu(std::string_view text,
                                                                 std::span<const std::uint64_t> offsets,
                                                                 const bwt_options& options) {
  return on_gpu(text.size(), gpu_symbols, "suffix-sort", options, [&](host_context& context) {
    std::vector<Index> sa(text.size());
    const text_there<Index> there(text, text.size(), context, options);
    gpu::collection_suffix_array(there.text(), offsets, there.result(), there.options(), there.stream());
    there.read_result(sa.data());
    return sa;
  });
}

std::optional<collection_bwt_text> collection_bwt_on_gpu(std::string_view text,
                                                         std::span<const std::uint64_t> offsets,
                                                         const bwt_options& options) {
  return on_gpu(text.size(), gpu_symbols, "suffix-sort", options, [&](host_context& context) {
    collection_bwt_text result{std::string(text.size(), '\0'),
                               std::vector<std::uint64_t>(offsets.size() - 1)};
    const text_there<unsigned char> there(text, text.size(), context, options);
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
