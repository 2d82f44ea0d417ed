#include <weft/bwt/cuda/suffix_sort/order_suffixes.hpp>

#include <algorithm>
#include <optional>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/bwt/cuda/induced_sort/induced_sort.hpp>

namespace weft::bwt_cuda {

namespace {

using gpu::device_buffer;

// Whether to sort a third of the suffixes and to induce the others. That takes 0.1 to 0.4 ms a letter however
// few symbols there are, and gains little where random symbols of many letters are told apart at once: there
// have to be many for each pair of letters (measured: docs/bwt-gpu.md). Numbers have to fit in 32 bits, and
// these in memory: suffixes, those that are sorted (at most half), bytes before and a quarter of a byte each.
bool pays_to_induce(const packed_text& text, const suffix_sort_options& options) {
  const std::uint64_t n = text.view().size, pairs = text.letters() * text.letters();
  return n < one_word && n >= std::uint64_t{1} << 24 && n >> 14 >= pairs &&
         std::min(gpu::device_memory_allowed(options.memory), gpu::free_device_memory()) / 29 * 4 > n;
}

struct induced_rows {
  device_buffer<std::uint32_t> rows; // if they are to stand nowhere else
  device_buffer<unsigned char> before;
};
// Nothing if memory is too small after all.
std::optional<induced_rows> induce(const packed_text& text, std::uint32_t* d_rows,
                                   const suffix_sort_options& options, cudaStream_t stream) {
  const std::uint64_t n = text.view().size, told = options.monitor != nullptr ? options.monitor->done() : 0;
  try {
    induced_rows result;
    induced_sort sorted(text, options, stream);
    if (d_rows == nullptr) result.rows = {n, stream};
    sorted.place(d_rows == nullptr ? result.rows.data() : d_rows);
    result.before = {n, stream};
    sorted.induce(result.before.data());
    return result;
  } catch (const memory_error&) {
    if (options.monitor != nullptr) options.monitor->take_back(options.monitor->done() - told);
    return std::nullopt;
  }
}

} // namespace

template <class Index>
void order_suffixes(const unsigned char* d_text, std::uint64_t n, Index* d_rows, const row_sink<Index>& sink,
                    const suffix_sort_options& options, cudaStream_t stream) {
  const packed_text text(d_text, n, stream);
  suffix_sort_options sorting = options;
  sorting.memory = memory_left(options.memory, text.memory());
  if constexpr (sizeof(Index) == 4)
    if (pays_to_induce(text, sorting))
      if (const auto all = induce(text, d_rows, sorting, stream))
        return sink({0, n, d_rows != nullptr ? d_rows : all->rows.data(),
                     options.bytes_before ? all->before.data() : nullptr});
  sort_suffixes<Index>(text, sink, sorting, stream);
}

template void order_suffixes(const unsigned char*, std::uint64_t, std::uint32_t*,
                             const row_sink<std::uint32_t>&, const suffix_sort_options&, cudaStream_t);
template void order_suffixes(const unsigned char*, std::uint64_t, std::uint64_t*,
                             const row_sink<std::uint64_t>&, const suffix_sort_options&, cudaStream_t);

} // namespace weft::bwt_cuda
