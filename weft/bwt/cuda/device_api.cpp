// weft/bwt/bwt.cuh: suffix arrays and transforms.
#include <weft/bwt/bwt.cuh>

#include <fmt/format.h>
#include <string>
#include <type_traits>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/bwt/cuda/api_steps.hpp>
#include <weft/bwt/cuda/suffix_sort/order_suffixes.hpp>
#include <weft/bwt/cuda/suffix_sort/suffix_kernels.hpp>
#include <weft/bwt/cuda/suffix_sort/suffix_sort.hpp>
#include <weft/bwt/cuda/ternary_quicksort/ternary_quicksort.hpp>
#include <weft/bwt/cuda/text/symbol_kernels.hpp>
#include <weft/bwt/cuda/text/text_circle.hpp>
#include <weft/bwt/entry/argument_checks.hpp>

namespace weft::gpu {

namespace {

using namespace bwt_cuda;

template <class Index> void check_arrays(const void* d_text, std::uint64_t n, const Index* d_sa) {
  require_index_for<Index>(n);
  require(n == 0 || (d_text != nullptr && d_sa != nullptr), "a pointer to something is null");
}

template <class Index> row_sink<Index> copied_to(Index* d_sa, cudaStream_t stream) {
  return [=](const row_block<Index>& rows) {
    if (rows.d_suffixes != d_sa + rows.first)
      gpu::copy(d_sa + rows.first, rows.d_suffixes, rows.count, stream, "copy suffixes");
  };
}

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
// d_rows: where rows may stand, or null.
template <class Index>
void order_by_engine(const unsigned char* d_text, std::uint64_t n, Index* d_rows, bool before,
                     const row_sink<Index>& sink, const bwt_device_options& options, cudaStream_t stream) {
  if (weft::detail::is_quicksort(options.engine, "suffix_array"))
    order_rows<Index>(d_text, n, false, n, sink, options, stream);
  else
    order_suffixes<Index>(
        d_text, n, d_rows, sink,
        {.monitor = options.monitor, .memory = options.device_memory, .bytes_before = before}, stream);
}

// As with_index(); but 32 bits are enough for the suffix sort below one_word symbols.
template <class Body>
void with_index_of_engine(std::uint64_t n, const bwt_device_options& options, const Body& body) {
  if (n < one_word && !weft::detail::is_quicksort(options.engine, "bwt"))
    body(static_cast<std::uint32_t*>(nullptr));
  else
    with_index(n, body);
}

// Row of suffix 0 among those of suffixes, as blocks come.
class text_row {
public:
  explicit text_row(cudaStream_t stream) : row_(1, stream) {
    check(cudaMemsetAsync(row_.data(), 0xff, row_.bytes(), stream), "clear a row");
  }
  [[nodiscard]] unsigned long long* data() const noexcept { return row_.data(); }
  [[nodiscard]] std::uint64_t value(cudaStream_t stream) const {
    return downloaded(row_.data(), stream, "transform");
  }

private:
  device_buffer<unsigned long long> row_;
};

std::uint64_t sentinel_form(const unsigned char* d_text, std::uint64_t n, unsigned char* d_bwt,
                            const bwt_device_options& options, cudaStream_t stream) {
  const text_row row(stream);
  gpu::copy(d_bwt, d_text + n - 1, 1, stream, "transform"); // the row of the end mark
  with_index_of_engine(n, options, [&](auto* null) {
    using index = std::remove_pointer_t<decltype(null)>;
    order_by_engine<index>(
        d_text, n, null, true,
        [&](const row_block<index>& rows) {
          find_row(rows.d_suffixes, rows.count, rows.first, 0, n, row.data(), stream);
          write_sentinel_rows(rows.d_before, rows.count, rows.first, row.data(), d_bwt, stream);
        },
        options, stream);
  });
  return row.value(stream) + 1;
}

// The length of the text's shortest root, and, if it is asked for, where the least rotation of that begins.
struct root_and_start {
  std::uint64_t root, start;
};
root_and_start rotation_of(const unsigned char* d_text, std::uint64_t n, bool with_start,
                           const bwt_device_options& options, cudaStream_t stream) {
  if (const std::uint64_t bytes = text_circle::memory(n);
      options.device_memory != 0 && bytes > options.device_memory)
    throw memory_error(fmt::format("the least rotation: {} of the GPU's memory are needed, {} may be taken",
                                   format_size(bytes), format_size(options.device_memory)));
  if (options.monitor != nullptr) options.monitor->check();
  const text_circle circle(d_text, n, stream);
  const std::uint64_t root = circle.shortest_root();
  return {root, with_start ? circle.min_rotation(root) : 0};
}

// By suffixes see bwt.cpp: those of the least rotation of the root are in the order of the root's rotations.
// By the quicksort equal rotations, which begin a multiple of the root apart, come in any order.
std::uint64_t rotation_form(const unsigned char* d_text, std::uint64_t n, unsigned char* d_bwt,
                            const bwt_device_options& options, cudaStream_t stream) {
  const bool quicksort = weft::detail::is_quicksort(options.engine, "bwt");
  const root_and_start rotation = rotation_of(d_text, n, !quicksort, options, stream);
  const std::uint64_t period = rotation.root, start = rotation.start, times = n / period;
  const text_row row(stream);
  if (quicksort) {
    with_index_of_engine(n, options, [&](auto* null) {
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
  bwt_device_options beside = options;
  beside.device_memory = memory_left(options.device_memory, period);
  const device_buffer<unsigned char> least(period, stream);
  gpu::copy(least.data(), d_text + start, period - start, stream, "rotate the text");
  gpu::copy(least.data() + period - start, d_text, start, stream, "rotate the text");
  with_index_of_engine(n, options, [&](auto* null) {
    using index = std::remove_pointer_t<decltype(null)>;
    order_by_engine<index>(
        least.data(), period, null, true,
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

// Symbols: uint16_t or uint32_t, from here on.
template <class Symbol, class Index>
void order_symbols(const Symbol* d_text, std::uint64_t n, const row_sink<Index>& sink,
                   const bwt_device_options& options, cudaStream_t stream) {
  const packed_text text(d_text, n, options.device_memory, stream);
  sort_suffixes<Index>(
      text, sink, {.monitor = options.monitor, .memory = memory_left(options.device_memory, text.memory())},
      stream);
}
void check_engine(const bwt_device_options& options, const char* what) {
  if (weft::detail::is_quicksort(options.engine, what))
    throw error(errc::invalid_input, fmt::format("{}: ternary-quicksort is for texts of bytes", what));
}

template <class Symbol, class Index>
void suffix_array_of_symbols(const Symbol* d_text, std::uint64_t n, Index* d_sa,
                             const bwt_device_options& options, cudaStream_t stream) {
  check_engine(options, "suffix_array");
  check_arrays<Index>(d_text, n, d_sa);
  if (n == 0) return;
  const quiet_at_end quiet(stream);
  order_symbols<Symbol, Index>(d_text, n, copied_to(d_sa, stream), options, stream);
}

template <class Symbol>
std::uint64_t bwt_of_symbols(const Symbol* d_text, std::uint64_t n, Symbol* d_bwt,
                             const bwt_device_options& options, cudaStream_t stream) {
  check_engine(options, "bwt");
  require(n == 0 || (d_text != nullptr && d_bwt != nullptr), "a pointer to something is null");
  if (n == 0) return 0;
  const quiet_at_end quiet(stream);
  const text_row row(stream);
  gpu::copy(d_bwt, d_text + n - 1, 1, stream, "transform"); // the row of the end mark
  with_index_of_engine(n, options, [&](auto* null) {
    using index = std::remove_pointer_t<decltype(null)>;
    order_symbols<Symbol, index>(
        d_text, n,
        [&](const row_block<index>& rows) {
          find_row(rows.d_suffixes, rows.count, rows.first, 0, n, row.data(), stream);
          write_symbol_rows(d_text, n, rows.d_suffixes, rows.count, rows.first, row.data(), d_bwt, stream);
        },
        options, stream);
  });
  return row.value(stream) + 1;
}

} // namespace

template <class Index>
void suffix_array(const unsigned char* d_text, std::uint64_t n, Index* d_sa,
                  const bwt_device_options& options, cudaStream_t stream) {
  (void)weft::detail::is_quicksort(options.engine, "suffix_array"); // a known engine
  check_arrays<Index>(d_text, n, d_sa);
  if (n == 0) return;
  const quiet_at_end quiet(stream);
  order_by_engine<Index>(d_text, n, d_sa, false, copied_to(d_sa, stream), options, stream);
}

template <class Index>
void suffix_array(const std::uint16_t* d_text, std::uint64_t n, Index* d_sa,
                  const bwt_device_options& options, cudaStream_t stream) {
  suffix_array_of_symbols(d_text, n, d_sa, options, stream);
}
template <class Index>
void suffix_array(const std::uint32_t* d_text, std::uint64_t n, Index* d_sa,
                  const bwt_device_options& options, cudaStream_t stream) {
  suffix_array_of_symbols(d_text, n, d_sa, options, stream);
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

std::uint64_t bwt(const std::uint16_t* d_text, std::uint64_t n, std::uint16_t* d_bwt,
                  const bwt_device_options& options, cudaStream_t stream) {
  return bwt_of_symbols(d_text, n, d_bwt, options, stream);
}
std::uint64_t bwt(const std::uint32_t* d_text, std::uint64_t n, std::uint32_t* d_bwt,
                  const bwt_device_options& options, cudaStream_t stream) {
  return bwt_of_symbols(d_text, n, d_bwt, options, stream);
}

template void suffix_array(const unsigned char*, std::uint64_t, std::uint32_t*, const bwt_device_options&,
                           cudaStream_t);
template void suffix_array(const unsigned char*, std::uint64_t, std::uint64_t*, const bwt_device_options&,
                           cudaStream_t);
template void suffix_array(const std::uint16_t*, std::uint64_t, std::uint32_t*, const bwt_device_options&,
                           cudaStream_t);
template void suffix_array(const std::uint16_t*, std::uint64_t, std::uint64_t*, const bwt_device_options&,
                           cudaStream_t);
template void suffix_array(const std::uint32_t*, std::uint64_t, std::uint32_t*, const bwt_device_options&,
                           cudaStream_t);
template void suffix_array(const std::uint32_t*, std::uint64_t, std::uint64_t*, const bwt_device_options&,
                           cudaStream_t);

} // namespace weft::gpu
