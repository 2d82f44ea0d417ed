// Comparisons, transforms, searches and scans of texts in the memory of a GPU.
#include "../device_functions.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/bwt/bwt.cuh>
#include <weft/bwt/fm_index.cuh>
#include <weft/lcs/lcs.cuh>
#include <weft/scan/scan.cuh>

#include "device_kernels.cuh"
#include "device_work.hpp"

namespace weft::python {

namespace {

// Texts may have any bytes.
constexpr int sigma = 256;

const std::uint8_t* bytes_of(const array_argument& text) {
  return static_cast<const std::uint8_t*>(text.data);
}

gpu::sequences_view view_of(const sequences_argument& batch) {
  return {static_cast<const char*>(batch.data.data), static_cast<const std::uint64_t*>(batch.offsets.data),
          batch.count(), batch.data.size};
}

// Throws ValueError unless the offsets of a batch ascend from 0 to its size.
void check_offsets(const sequences_argument& batch, const device_work& work) {
  const gpu::sequences_view view = view_of(batch);
  if (batch.offsets.size == 0 || counted(work, [&](std::uint64_t* d_count) {
                                   count_wrong_offsets(view, d_count, work.stream.handle);
                                 }) > 0)
    throw std::invalid_argument("offsets must ascend from 0 to the size of data");
}

// Returns an array that takes over a buffer of the library.
template <class T>
device_array take_over(gpu::device_buffer<T> buffer, io::element_type type, const device_work& work) {
  const auto owner = std::make_shared<gpu::device_buffer<T>>(std::move(buffer));
  return {.storage = std::make_shared<device_storage>(owner, work.device, work.stream),
          .data = owner->data(),
          .size = owner->size(),
          .type = type,
          .device = work.device,
          .stream = work.stream.handle};
}

// Returns a column of records that `records` holds: the member at `offset`, of `size` records.
template <class Record>
device_array column_of(const device_array& records, std::uint64_t size, std::uint64_t offset,
                       io::element_type type) {
  device_array column = records;
  column.data = static_cast<char*>(records.data) + offset;
  column.size = size;
  column.stride = sizeof(Record) / io::size_of(type);
  column.type = type;
  return column;
}

} // namespace

std::uint64_t device_lcs_value(const call& started, const array_argument& a, const array_argument& b,
                               lcs_metric metric) {
  const device_work work(started, a.device);
  const double cells = static_cast<double>(a.size) * static_cast<double>(b.size);
  return work.execute(started, cells / 1e4, 1, [&](const run_options&) {
    const auto function = metric == lcs_metric::lcs ? static_cast<decltype(&gpu::lcs_length)>(gpu::lcs_length)
                          : metric == lcs_metric::indel ? &gpu::indel_distance
                                                        : &gpu::edit_distance;
    return function(bytes_of(a), a.size, bytes_of(b), b.size, sigma, work.stream.handle);
  });
}

edit_script device_lcs_path(const call& started, const array_argument& a, const array_argument& b,
                            const lcs_options& options) {
  if (!options.wildcards.empty() || !options.unmatched.empty())
    throw unavailable_error("wildcards and unmatched can be used only with texts in the memory of the host");
  const device_work work(started, a.device);
  const double cells = static_cast<double>(a.size) * static_cast<double>(b.size);
  return work.execute(started, cells / 1e4, static_cast<std::uint64_t>(cells / (1 << 20)) + 1,
                      [&](const run_options& run) {
                        return gpu::lcs(bytes_of(a), a.size, bytes_of(b), b.size, sigma,
                                        {.metric = options.metric, .run = run}, work.stream.handle);
                      });
}

nb::object device_all_pairs(const call& started, const sequences_argument& batch, const lcs_options& options,
                            bool condensed) {
  if (!options.wildcards.empty() || !options.unmatched.empty())
    throw unavailable_error("wildcards and unmatched can be used only with texts in the memory of the host");
  const device_work work(started, batch.data.device);
  const std::uint64_t count = batch.count(), num_pairs = count < 2 ? 0 : count * (count - 1) / 2;
  device_array result = new_device_array(io::element_type::u64, condensed ? num_pairs : count * count,
                                         work.device, work.stream);
  result.is_matrix = !condensed;
  result.rows = count;
  const double cells = 0.5 * static_cast<double>(batch.data.size) * static_cast<double>(batch.data.size);
  work.execute(started, cells / 1e4, static_cast<std::uint64_t>(cells / (1 << 20)) + 1,
               [&](const run_options& run) {
                 const cudaStream_t stream = work.stream.handle;
                 check_offsets(batch, work);
                 const gpu::device_buffer<std::uint64_t> lower(num_pairs, stream);
                 gpu::lcs_all_pairs(view_of(batch), sigma, lower.data(),
                                    {.metric = options.metric, .run = run}, stream);
                 arrange_pairs(lower.data(), view_of(batch), condensed, options.metric == lcs_metric::lcs,
                               result.items<std::uint64_t>(), stream);
               });
  finish(work.stream);
  return nb::cast(std::move(result));
}

nb::object device_suffix_array(const call& started, const array_argument& text, bool wide) {
  const device_work work(started, text.device);
  const bool is_small = !wide && text.size < (std::uint64_t{1} << 31);
  device_array sa = new_device_array(is_small ? io::element_type::u32 : io::element_type::u64, text.size,
                                     text.device, work.stream);
  work.execute(started, static_cast<double>(text.size), text.size, [&](const run_options& run) {
    const auto sort_to = [&](auto* d_sa) {
      const auto sort_text = [&](const auto* d_text) {
        gpu::suffix_array(d_text, text.size, d_sa, {.run = run}, work.stream.handle);
      };
      text.type == io::element_type::u8    ? sort_text(bytes_of(text))
      : text.type == io::element_type::u16 ? sort_text(static_cast<const std::uint16_t*>(text.data))
                                           : sort_text(static_cast<const std::uint32_t*>(text.data));
    };
    is_small ? sort_to(sa.items<std::uint32_t>()) : sort_to(sa.items<std::uint64_t>());
  });
  finish(work.stream);
  return nb::cast(std::move(sa));
}

nb::object device_lcp_array(const call& started, const array_argument& text, const array_argument& sa) {
  const device_work work(started, text.device);
  device_array lcp = new_device_array(sa.type, text.size, text.device, work.stream);
  work.execute(started, static_cast<double>(text.size), text.size, [&](const run_options& run) {
    const auto compute = [&](auto* d_lcp) {
      gpu::lcp_array(bytes_of(text), text.size, static_cast<decltype(d_lcp)>(sa.data), d_lcp, {.run = run},
                     work.stream.handle);
    };
    sa.type == io::element_type::u32 ? compute(lcp.items<std::uint32_t>())
                                     : compute(lcp.items<std::uint64_t>());
  });
  finish(work.stream);
  return nb::cast(std::move(lcp));
}

nb::tuple device_bwt(const call& started, const array_argument& text, bwt_form form) {
  const device_work work(started, text.device);
  device_array data = new_device_array(io::element_type::u8, text.size, text.device, work.stream);
  const std::uint64_t primary_index =
      work.execute(started, static_cast<double>(text.size), text.size, [&](const run_options& run) {
        return gpu::bwt(bytes_of(text), text.size, form, data.items<unsigned char>(), {.run = run},
                        work.stream.handle);
      });
  finish(work.stream);
  return nb::make_tuple(std::move(data), primary_index);
}

nb::object device_inverse_bwt(const call& started, const array_argument& data, std::uint64_t primary_index,
                              bwt_form form) {
  const device_work work(started, data.device);
  device_array text = new_device_array(io::element_type::u8, data.size, data.device, work.stream);
  work.execute(started, static_cast<double>(data.size), data.size, [&](const run_options& run) {
    gpu::inverse_bwt(bytes_of(data), data.size, primary_index, form, text.items<unsigned char>(),
                     {.run = run}, work.stream.handle);
  });
  finish(work.stream);
  return nb::cast(std::move(text));
}

namespace {

// Returns the copy of an index on the device of a call. Waits for the copy, so that all streams can use it.
const gpu::device_fm_index& copy_of(const fm_index& index, device_index_copies& copies, int device) {
  std::shared_ptr<const void>& copy = copies[device];
  if (!copy) {
    copy = std::make_shared<const gpu::device_fm_index>(index, nullptr);
    gpu::check(cudaStreamSynchronize(nullptr), "copy an index");
  }
  return *static_cast<const gpu::device_fm_index*>(copy.get());
}

} // namespace

nb::object device_count(const call& started, const fm_index& index, device_index_copies& copies,
                        const sequences_argument& patterns) {
  const device_work work(started, patterns.data.device);
  const gpu::device_fm_index& copy = copy_of(index, copies, work.device);
  device_array counts = new_device_array(io::element_type::u64, patterns.count(), work.device, work.stream);
  work.execute(started, 0, patterns.count(), [&](const run_options&) {
    check_offsets(patterns, work);
    gpu::count(copy.view(), view_of(patterns), counts.items<std::uint64_t>(), work.stream.handle);
  });
  finish(work.stream);
  return nb::cast(std::move(counts));
}

nb::tuple device_locate(const call& started, const fm_index& index, device_index_copies& copies,
                        const sequences_argument& patterns, std::uint64_t max_hits) {
  const device_work work(started, patterns.data.device);
  const gpu::device_fm_index& copy = copy_of(index, copies, work.device);
  gpu::fm_device_hits hits = work.execute(started, 0, patterns.count(), [&](const run_options& run) {
    check_offsets(patterns, work);
    return gpu::locate(copy.view(), view_of(patterns), {.max_hits = max_hits, .run = run},
                       work.stream.handle);
  });
  finish(work.stream);
  const device_array records = take_over(std::move(hits.hits), io::element_type::u64, work);
  const auto column = [&](std::uint64_t offset) {
    return column_of<fm_hit>(records, records.size, offset, io::element_type::u64);
  };
  return nb::make_tuple(column(offsetof(fm_hit, record)), column(offsetof(fm_hit, begin)),
                        take_over(std::move(hits.offsets), io::element_type::u64, work),
                        take_over(std::move(hits.totals), io::element_type::u64, work));
}

nb::tuple device_scan(const call& started, const motif_set& motifs, const sequences_argument& batch,
                      const scan_options& options) {
  const device_work work(started, batch.data.device);
  auto found = std::make_shared<gpu::scan_matches>(
      work.execute(started, 0, batch.data.size, [&](const run_options& run) {
        scan_options with_run = options;
        with_run.run = run;
        return gpu::scan(motifs, view_of(batch), with_run, work.stream.handle);
      }));
  finish(work.stream);
  const device_array records{.storage = std::make_shared<device_storage>(found, work.device, work.stream),
                             .data = const_cast<scan_match*>(found->data()),
                             .size = found->count(),
                             .type = io::element_type::u64,
                             .device = work.device,
                             .stream = work.stream.handle};
  const auto column = [&](std::uint64_t offset, io::element_type type) {
    return column_of<scan_match>(records, records.size, offset, type);
  };
  return nb::make_tuple(column(offsetof(scan_match, sequence), io::element_type::u32),
                        column(offsetof(scan_match, motif), io::element_type::u32),
                        column(offsetof(scan_match, begin), io::element_type::u64),
                        column(offsetof(scan_match, end), io::element_type::u64),
                        column(offsetof(scan_match, strand), io::element_type::u8));
}

} // namespace weft::python
