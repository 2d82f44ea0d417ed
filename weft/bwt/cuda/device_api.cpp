// weft/bwt/bwt.cuh: suffix arrays and transforms.
#include <weft/bwt/bwt.cuh>

#include <string>
#include <type_traits>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/memory.hpp>
#include <weft/bwt/cuda/api_steps.hpp>
#include <weft/bwt/cuda/suffix_kernels.hpp>
#include <weft/bwt/cuda/suffix_sort.hpp>
#include <weft/bwt/cuda/ternary_quicksort.hpp>
#include <weft/bwt/memory_need.hpp>
#include <weft/bwt/rotation.hpp>

namespace weft::gpu {

namespace {

using namespace bwt_cuda;

// The rows of the text, or of its rotations, which are compared in `depth` symbols, in blocks and in order.
template <class Index>
void order_rows(const unsigned char* d_text, std::uint64_t n, bool rotations, std::uint64_t depth,
                const row_sink<Index>& sink, const bwt_device_options& options, cudaStream_t stream) {
  const std::uint64_t memory = memory_left(options.device_memory, n * (sizeof(Index) + 1));
  const device_buffer<Index> rows(n, stream);
  const device_buffer<unsigned char> before(n, stream);
  ternary_quicksort(d_text, n, rotations, depth, rows.data(),
                    {.monitor = options.monitor, .device_memory = memory}, stream);
  bytes_before(d_text, n, rows.data(), n, before.data(), stream);
  sink({0, n, rows.data(), before.data()});
  if (options.monitor != nullptr) options.monitor->add(n);
}
template <class Index>
void order_suffixes(const unsigned char* d_text, std::uint64_t n, bool before, const row_sink<Index>& sink,
                    const bwt_device_options& options, cudaStream_t stream) {
  if (weft::detail::is_quicksort(options.engine, "suffix_array"))
    order_rows<Index>(d_text, n, false, n, sink, options, stream);
  else {
    const packed_text text(d_text, n, stream);
    sort_suffixes<Index>(text, sink,
                         {.monitor = options.monitor,
                          .memory = memory_left(options.device_memory, text.memory()),
                          .bytes_before = before},
                         stream);
  }
}

// Row of suffix 0 among those of suffixes, as blocks come.
class text_row {
public:
  explicit text_row(cudaStream_t stream) : row_(1, stream) {
    check(cudaMemsetAsync(row_.data(), 0xff, row_.bytes(), stream), "clear a row");
  }
  [[nodiscard]] unsigned long long* data() const noexcept { return row_.data(); }
  [[nodiscard]] std::uint64_t value(cudaStream_t stream) const {
    unsigned long long row = 0;
    gpu::copy(&row, row_.data(), 1, stream, "read the primary index");
    check(cudaStreamSynchronize(stream), "transform");
    return row;
  }

private:
  device_buffer<unsigned long long> row_;
};

std::uint64_t sentinel_form(const unsigned char* d_text, std::uint64_t n, unsigned char* d_bwt,
                            const bwt_device_options& options, cudaStream_t stream) {
  const text_row row(stream);
  gpu::copy(d_bwt, d_text + n - 1, 1, stream, "transform"); // the row of the end mark
  with_index(n, [&](auto* null) {
    using index = std::remove_pointer_t<decltype(null)>;
    order_suffixes<index>(
        d_text, n, true,
        [&](const row_block<index>& rows) {
          find_row(rows.d_suffixes, rows.count, rows.first, 0, n, row.data(), stream);
          write_sentinel_rows(rows.d_before, rows.count, rows.first, row.data(), d_bwt, stream);
        },
        options, stream);
  });
  return row.value(stream) + 1;
}

// By suffixes see bwt.cpp: those of the least rotation of the root are in the order of the root's rotations.
// By the quicksort equal rotations, which begin a multiple of the root apart, come in any order.
std::uint64_t rotation_form(const unsigned char* d_text, std::uint64_t n, unsigned char* d_bwt,
                            const bwt_device_options& options, cudaStream_t stream) {
  std::string text(n, '\0');
  gpu::copy(reinterpret_cast<unsigned char*>(text.data()), d_text, n, stream, "read the text");
  check(cudaStreamSynchronize(stream), "read the text");
  const std::uint64_t period = weft::detail::shortest_root(text);
  const text_row row(stream);
  if (weft::detail::is_quicksort(options.engine, "bwt")) {
    with_index(n, [&](auto* null) {
      using index = std::remove_pointer_t<decltype(null)>;
      order_rows<index>(
          d_text, n, true, period,
          [&](const row_block<index>& rows) {
            find_row(rows.d_suffixes, rows.count, rows.first, 0, period, row.data(), stream);
            write_rotation_rows(rows.d_before, rows.count, rows.first, 1, d_bwt, stream);
          },
          options, stream);
    });
    return row.value(stream);
  }
  const std::uint64_t times = n / period,
                      start = weft::detail::least_rotation(std::string_view(text).substr(0, period));
  bwt_device_options beside = options;
  beside.device_memory = memory_left(options.device_memory, period);
  const device_buffer<unsigned char> least(period, stream);
  gpu::copy(least.data(), d_text + start, period - start, stream, "rotate the text");
  gpu::copy(least.data() + period - start, d_text, start, stream, "rotate the text");
  with_index(n, [&](auto* null) {
    using index = std::remove_pointer_t<decltype(null)>;
    order_suffixes<index>(
        least.data(), period, true,
        [&](const row_block<index>& rows) {
          find_row(rows.d_suffixes, rows.count, rows.first, start == 0 ? 0 : period - start, period,
                   row.data(), stream);
          write_rotation_rows(rows.d_before, rows.count, rows.first, times, d_bwt, stream);
        },
        beside, stream);
  });
  if (options.monitor != nullptr) options.monitor->add(n - period);
  return row.value(stream) * times;
}

} // namespace

template <class Index>
void suffix_array(const unsigned char* d_text, std::uint64_t n, Index* d_sa,
                  const bwt_device_options& options, cudaStream_t stream) {
  (void)weft::detail::is_quicksort(options.engine, "suffix_array"); // a known engine
  require(sizeof(Index) == 8 || n < small_text, "texts of 2^31 symbols and more need 64-bit indexes");
  require(n == 0 || (d_text != nullptr && d_sa != nullptr), "a pointer to something is null");
  if (n == 0) return;
  const quiet_at_end quiet(stream);
  order_suffixes<Index>(
      d_text, n, false,
      [&](const row_block<Index>& rows) {
        gpu::copy(d_sa + rows.first, rows.d_suffixes, rows.count, stream, "copy suffixes");
      },
      options, stream);
}

std::uint64_t bwt(const unsigned char* d_text, std::uint64_t n, bwt_form form, unsigned char* d_bwt,
                  const bwt_device_options& options, cudaStream_t stream) {
  (void)weft::detail::is_quicksort(options.engine, "bwt"); // a known engine
  require(n == 0 || (d_text != nullptr && d_bwt != nullptr), "a pointer to something is null");
  if (n == 0) return 0;
  const quiet_at_end quiet(stream);
  return form == bwt_form::sentinel ? sentinel_form(d_text, n, d_bwt, options, stream)
                                    : rotation_form(d_text, n, d_bwt, options, stream);
}

template void suffix_array(const unsigned char*, std::uint64_t, std::uint32_t*, const bwt_device_options&,
                           cudaStream_t);
template void suffix_array(const unsigned char*, std::uint64_t, std::uint64_t*, const bwt_device_options&,
                           cudaStream_t);

} // namespace weft::gpu
