#include <weft/bwt/cuda/order_suffixes.hpp>

#include <weft/base/memory.hpp>
#include <weft/bwt/cuda/induced_sort.hpp>

namespace weft::bwt_cuda {

namespace {

using gpu::device_buffer;

// Whether to sort a third of the suffixes and to induce the others: there are many for each letter, their
// numbers fit in 32 bits, and they fit in memory.
bool pays_to_induce(const packed_text& text, const suffix_sort_options& options) {
  const std::uint64_t n = text.view().size, least = std::uint64_t{1} << 18;
  return n < one_word && n >= 16 * least && n >= text.letters() * least &&
         gpu::device_memory_allowed(options.memory) / 7 > n;
}

} // namespace

template <class Index>
void order_suffixes(const unsigned char* d_text, std::uint64_t n, Index* d_rows, const row_sink<Index>& sink,
                    const suffix_sort_options& options, cudaStream_t stream) {
  const packed_text text(d_text, n, stream);
  suffix_sort_options sorting = options;
  sorting.memory = memory_left(options.memory, text.memory());
  if constexpr (sizeof(Index) == 4)
    if (pays_to_induce(text, sorting)) {
      induced_sort sorted(text, sorting, stream);
      const device_buffer<Index> rows(d_rows == nullptr ? n : 0, stream);
      if (d_rows == nullptr) d_rows = rows.data();
      const device_buffer<unsigned char> before(n, stream);
      sorted.induce(d_rows, before.data());
      return sink({0, n, d_rows, before.data()});
    }
  sort_suffixes<Index>(text, sink, sorting, stream);
}

template void order_suffixes(const unsigned char*, std::uint64_t, std::uint32_t*,
                             const row_sink<std::uint32_t>&, const suffix_sort_options&, cudaStream_t);
template void order_suffixes(const unsigned char*, std::uint64_t, std::uint64_t*,
                             const row_sink<std::uint64_t>&, const suffix_sort_options&, cudaStream_t);

} // namespace weft::bwt_cuda
