#include <weft/bwt/cuda/suffix_sort/suffix_sort.hpp>

#include <algorithm>
#include <optional>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/bwt/cuda/induced_sort/induced_sort.hpp>

namespace weft::bwt_detail {

namespace {

using gpu::device_buffer;

// Returns whether inducing most suffixes from a sorted third of them is expected to be faster than sorting
// all. Inducing takes 0.1 to 0.4 ms per letter even for short texts, and it gains little for random text over
// many letters, whose suffixes already differ in their first symbols. The text must therefore be long in
// relation to the number of pairs of letters (measured: bench/record/notes-bwt.md). Positions must fit in 32
// bits. Memory must hold 29/4 bytes per symbol: 4 for the suffix array, 2 for the sorted suffixes (at most
// half of all), 1 for the byte before each suffix, and 1/4 for marks.
bool should_induce(const packed_text& text, const suffix_sort_options& options) {
  const std::uint64_t n = text.view().size, pairs = text.letters() * text.letters();
  return n < suffix_32_limit && n >= std::uint64_t{1} << 24 && n >> 14 >= pairs &&
         std::min(gpu::device_memory_allowed(options.memory), gpu::free_device_memory()) / 29 * 4 > n;
}

struct induced_rows {
  device_buffer<std::uint32_t> rows; // empty if the caller provides memory for the rows
  device_buffer<unsigned char> before;
};
// Returns nullopt if device memory turns out to be too small; the progress that was reported is then taken
// back.
std::optional<induced_rows> try_to_induce(const packed_text& text, std::uint32_t* d_rows,
                                          const suffix_sort_options& options, cudaStream_t stream) {
  const std::uint64_t n = text.view().size,
                      done_before = options.monitor != nullptr ? options.monitor->done() : 0;
  try {
    induced_rows result;
    induced_sort sorted(text, options, stream);
    if (d_rows == nullptr) result.rows = {n, stream};
    sorted.write_sorted(d_rows == nullptr ? result.rows.data() : d_rows);
    result.before = {n, stream};
    sorted.induce(result.before.data());
    return result;
  } catch (const memory_error&) {
    if (options.monitor != nullptr) options.monitor->take_back(options.monitor->done() - done_before);
    return std::nullopt;
  }
}

} // namespace

template <class Index>
void sort_all_suffixes(const unsigned char* d_text, std::uint64_t n, Index* d_rows,
                       const row_sink<Index>& sink, const suffix_sort_options& options, cudaStream_t stream) {
  const packed_text text(d_text, n, stream);
  suffix_sort_options sorting = options;
  sorting.memory = memory_left(options.memory, text.memory());
  if constexpr (sizeof(Index) == 4)
    if (should_induce(text, sorting))
      if (const auto induced = try_to_induce(text, d_rows, sorting, stream))
        return sink({0, n, d_rows != nullptr ? d_rows : induced->rows.data(),
                     options.bytes_before ? induced->before.data() : nullptr});
  sort_suffixes_in_blocks<Index>(text, sink, sorting, stream);
}

template void sort_all_suffixes(const unsigned char*, std::uint64_t, std::uint32_t*,
                                const row_sink<std::uint32_t>&, const suffix_sort_options&, cudaStream_t);
template void sort_all_suffixes(const unsigned char*, std::uint64_t, std::uint64_t*,
                                const row_sink<std::uint64_t>&, const suffix_sort_options&, cudaStream_t);

} // namespace weft::bwt_detail
