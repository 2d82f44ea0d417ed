// Implements weft/bwt/bwt.cuh: suffix arrays and transforms.
#include <weft/bwt/bwt.cuh>

#include <fmt/format.h>
#include <string>
#include <type_traits>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/bwt/cuda/api_steps.hpp>
#include <weft/bwt/cuda/suffix_sort/suffix_kernels.hpp>
#include <weft/bwt/cuda/suffix_sort/suffix_sort.hpp>
#include <weft/bwt/cuda/text/text_circle.hpp>
#include <weft/bwt/cuda/text/text_kernels.hpp>
#include <weft/bwt/engines.hpp>
#include <weft/bwt/entry/argument_checks.hpp>
#include <weft/bwt/published/cuda/ternary_quicksort.hpp>

namespace weft::gpu {

namespace {

using namespace bwt_detail;

template <class Index> void check_arrays(const void* d_text, std::uint64_t n, const Index* d_sa) {
  weft::bwt_detail::check_index<Index>(n);
  require(n == 0 || (d_text != nullptr && d_sa != nullptr), "a pointer to a non-empty array is null");
}

template <class Index> row_sink<Index> copy_rows_to(Index* d_sa, cudaStream_t stream) {
  return [=](const row_block<Index>& rows) {
    if (rows.d_suffixes != d_sa + rows.first)
      gpu::copy(d_sa + rows.first, rows.d_suffixes, rows.count, stream, "copy suffixes");
  };
}

// Sorts the suffixes of the text, or its rotations, by ternary-quicksort, comparing `depth` symbols, and
// passes them to the sink as one block.
template <class Index>
void sort_by_quicksort(const unsigned char* d_text, std::uint64_t n, bool rotations, std::uint64_t depth,
                       const row_sink<Index>& sink, const bwt_options& options, cudaStream_t stream) {
  const std::uint64_t memory = memory_left(options.run.device_memory, n * (sizeof(Index) + 1));
  const device_buffer<Index> rows(n, stream);
  const device_buffer<unsigned char> before(n, stream);
  ternary_quicksort(d_text, n, rotations, depth, rows.data(),
                    {.monitor = options.run.monitor, .device_memory = memory}, stream);
  write_bytes_before(d_text, n, rows.data(), n, before.data(), stream);
  sink({0, n, rows.data(), before.data()});
  if (options.run.monitor != nullptr) options.run.monitor->add(n);
}
// Sorts the suffixes of the text by the engine of the options. d_rows: memory in which the rows may be made,
// or null. bytes_before: whether the sink also gets the byte before each suffix.
template <class Index>
void sort_by_engine(const unsigned char* d_text, std::uint64_t n, Index* d_rows, bool bytes_before,
                    const row_sink<Index>& sink, const bwt_options& options, cudaStream_t stream) {
  if (weft::bwt_detail::is_ternary_quicksort(options.run.engine))
    sort_by_quicksort<Index>(d_text, n, false, n, sink, options, stream);
  else
    sort_all_suffixes<Index>(
        d_text, n, d_rows, sink,
        {.monitor = options.run.monitor, .memory = options.run.device_memory, .bytes_before = bytes_before},
        stream);
}

// Does what with_index() does, but chooses 32-bit indexes below suffix_32_limit symbols for the suffix sort,
// which needs no more.
template <class Body>
void with_index_of_engine(std::uint64_t n, const bwt_options& options, const Body& body) {
  if (n < suffix_32_limit && !weft::bwt_detail::is_ternary_quicksort(options.run.engine))
    body(static_cast<std::uint32_t*>(nullptr));
  else
    with_index(n, body);
}

// The row of suffix 0 among all suffixes, in device memory; kernels find it while blocks of rows arrive.
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

std::uint64_t transform_to_sentinel_form(const unsigned char* d_text, std::uint64_t n, unsigned char* d_bwt,
                                         const bwt_options& options, cudaStream_t stream) {
  const text_row row(stream);
  gpu::copy(d_bwt, d_text + n - 1, 1, stream, "transform"); // the row of the sentinel
  with_index_of_engine(n, options, [&](auto* type_tag) {
    using index = std::remove_pointer_t<decltype(type_tag)>;
    sort_by_engine<index>(
        d_text, n, /*d_rows=*/static_cast<index*>(nullptr), /*bytes_before=*/true,
        [&](const row_block<index>& rows) {
          find_row(rows.d_suffixes, rows.count, rows.first, 0, n, row.data(), stream);
          write_sentinel_rows(rows.d_before, rows.count, rows.first, row.data(), d_bwt, stream);
        },
        options, stream);
  });
  return row.value(stream) + 1;
}

// The length of the text's shortest root, and the start of the least rotation of the root, or 0 if not
// requested.
struct root_and_start {
  std::uint64_t root, start;
};
root_and_start find_rotation(const unsigned char* d_text, std::uint64_t n, bool with_start,
                             const bwt_options& options, cudaStream_t stream) {
  if (options.run.device_memory != 0)
    require_device_memory(text_circle::memory(n), options.run.device_memory,
                          "looking for the least rotation");
  if (options.run.monitor != nullptr) options.run.monitor->check();
  const text_circle circle(d_text, n, stream);
  const std::uint64_t root = circle.shortest_root();
  return {root, with_start ? circle.min_rotation(root) : 0};
}

// Transforms a text to the rotation form. The suffix sort sorts the suffixes of the least rotation of the
// root, which have the same order as the rotations of the root (see bwt.cpp). The quicksort sorts rotations;
// equal ones, whose starts differ by multiples of the root's length, come in any order.
std::uint64_t transform_to_rotation_form(const unsigned char* d_text, std::uint64_t n, unsigned char* d_bwt,
                                         const bwt_options& options, cudaStream_t stream) {
  const bool quicksort = weft::bwt_detail::is_ternary_quicksort(options.run.engine);
  const root_and_start rotation = find_rotation(d_text, n, !quicksort, options, stream);
  const std::uint64_t period = rotation.root, start = rotation.start, times = n / period;
  const text_row row(stream);
  if (quicksort) {
    with_index_of_engine(n, options, [&](auto* type_tag) {
      using index = std::remove_pointer_t<decltype(type_tag)>;
      sort_by_quicksort<index>(
          d_text, n, true, period,
          [&](const row_block<index>& rows) {
            find_row(rows.d_suffixes, rows.count, rows.first, 0, period, row.data(), stream);
            write_rotation_rows(rows.d_before, rows.count, rows.first, 1, d_bwt, stream);
          },
          options, stream);
    });
    return row.value(stream);
  }
  bwt_options options_beside = options;
  options_beside.run.device_memory = memory_left(options.run.device_memory, period);
  const device_buffer<unsigned char> rotated(period, stream);
  gpu::copy(rotated.data(), d_text + start, period - start, stream, "rotate the text");
  gpu::copy(rotated.data() + period - start, d_text, start, stream, "rotate the text");
  with_index_of_engine(n, options, [&](auto* type_tag) {
    using index = std::remove_pointer_t<decltype(type_tag)>;
    sort_by_engine<index>(
        rotated.data(), period, /*d_rows=*/static_cast<index*>(nullptr), /*bytes_before=*/true,
        [&](const row_block<index>& rows) {
          find_row(rows.d_suffixes, rows.count, rows.first, start == 0 ? 0 : period - start, period,
                   row.data(), stream);
          write_rotation_rows(rows.d_before, rows.count, rows.first, times, d_bwt, stream);
        },
        options_beside, stream);
  });
  if (options.run.monitor != nullptr) options.run.monitor->add(n - period);
  return row.value(stream) * times;
}

// From here on, Symbol is uint16_t or uint32_t.
template <class Symbol, class Index>
void sort_symbols(const Symbol* d_text, std::uint64_t n, const row_sink<Index>& sink,
                  const bwt_options& options, cudaStream_t stream) {
  const packed_text text(d_text, n, options.run.device_memory, stream);
  sort_suffixes_in_blocks<Index>(
      text, sink,
      {.monitor = options.run.monitor, .memory = memory_left(options.run.device_memory, text.memory())},
      stream);
}
void check_engine(const bwt_options& options, const char* what) {
  if (weft::bwt_detail::is_ternary_quicksort(options.run.engine))
    throw error(errc::invalid_input, fmt::format("{}: ternary-quicksort is for texts of bytes", what));
}

template <class Symbol, class Index>
void suffix_array_of_symbols(const Symbol* d_text, std::uint64_t n, Index* d_sa, const bwt_options& options,
                             cudaStream_t stream) {
  check_engine(options, "suffix_array");
  check_arrays<Index>(d_text, n, d_sa);
  device_call call("weft::gpu::suffix_array", options.run, "symbols");
  call.begin("suffix-sort", n);
  if (n == 0) return;
  const quiet_at_end quiet(stream);
  sort_symbols<Symbol, Index>(d_text, n, copy_rows_to(d_sa, stream), options, stream);
}

template <class Symbol>
std::uint64_t bwt_of_symbols(const Symbol* d_text, std::uint64_t n, Symbol* d_bwt, const bwt_options& options,
                             cudaStream_t stream) {
  check_engine(options, "bwt");
  require(n == 0 || (d_text != nullptr && d_bwt != nullptr), "a pointer to a non-empty array is null");
  device_call call("weft::gpu::bwt", options.run, "symbols");
  call.begin("suffix-sort", n);
  if (n == 0) return 0;
  const quiet_at_end quiet(stream);
  const text_row row(stream);
  gpu::copy(d_bwt, d_text + n - 1, 1, stream, "transform"); // the row of the sentinel
  with_index_of_engine(n, options, [&](auto* type_tag) {
    using index = std::remove_pointer_t<decltype(type_tag)>;
    sort_symbols<Symbol, index>(
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
void suffix_array(const unsigned char* d_text, std::uint64_t n, Index* d_sa, const bwt_options& options,
                  cudaStream_t stream) {
  device_call call("weft::gpu::suffix_array", options.run, "symbols");
  call.begin(engine_of(options), n);
  check_arrays<Index>(d_text, n, d_sa);
  if (n == 0) return;
  const quiet_at_end quiet(stream);
  sort_by_engine<Index>(d_text, n, d_sa, /*bytes_before=*/false, copy_rows_to(d_sa, stream), options, stream);
}

template <class Index>
void suffix_array(const std::uint16_t* d_text, std::uint64_t n, Index* d_sa, const bwt_options& options,
                  cudaStream_t stream) {
  suffix_array_of_symbols(d_text, n, d_sa, options, stream);
}
template <class Index>
void suffix_array(const std::uint32_t* d_text, std::uint64_t n, Index* d_sa, const bwt_options& options,
                  cudaStream_t stream) {
  suffix_array_of_symbols(d_text, n, d_sa, options, stream);
}

std::uint64_t bwt(const unsigned char* d_text, std::uint64_t n, bwt_form form, unsigned char* d_bwt,
                  const bwt_options& options, cudaStream_t stream) {
  device_call call("weft::gpu::bwt", options.run, "symbols");
  call.begin(engine_of(options), n);
  require(n == 0 || (d_text != nullptr && d_bwt != nullptr), "a pointer to a non-empty array is null");
  if (n == 0) return 0;
  const quiet_at_end quiet(stream);
  return form == bwt_form::sentinel ? transform_to_sentinel_form(d_text, n, d_bwt, options, stream)
                                    : transform_to_rotation_form(d_text, n, d_bwt, options, stream);
}

std::uint64_t bwt(const std::uint16_t* d_text, std::uint64_t n, std::uint16_t* d_bwt,
                  const bwt_options& options, cudaStream_t stream) {
  return bwt_of_symbols(d_text, n, d_bwt, options, stream);
}
std::uint64_t bwt(const std::uint32_t* d_text, std::uint64_t n, std::uint32_t* d_bwt,
                  const bwt_options& options, cudaStream_t stream) {
  return bwt_of_symbols(d_text, n, d_bwt, options, stream);
}

template void suffix_array(const unsigned char*, std::uint64_t, std::uint32_t*, const bwt_options&,
                           cudaStream_t);
template void suffix_array(const unsigned char*, std::uint64_t, std::uint64_t*, const bwt_options&,
                           cudaStream_t);
template void suffix_array(const std::uint16_t*, std::uint64_t, std::uint32_t*, const bwt_options&,
                           cudaStream_t);
template void suffix_array(const std::uint16_t*, std::uint64_t, std::uint64_t*, const bwt_options&,
                           cudaStream_t);
template void suffix_array(const std::uint32_t*, std::uint64_t, std::uint32_t*, const bwt_options&,
                           cudaStream_t);
template void suffix_array(const std::uint32_t*, std::uint64_t, std::uint64_t*, const bwt_options&,
                           cudaStream_t);

} // namespace weft::gpu
