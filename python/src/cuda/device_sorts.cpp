// The sorts of arrays in the memory of a GPU.
#include <algorithm>
#include <functional>

#include "../device_functions.hpp"
#include "device_kernels.cuh"
#include "device_work.hpp"

namespace weft::python {

namespace {

// Returns a new array with the items of another one.
device_array copy_of(const array_argument& x, const device_work& work) {
  device_array copy = new_device_array(x.type, x.size, x.device, work.stream);
  if (x.size > 0)
    gpu::check(cudaMemcpyAsync(copy.data, x.data, x.size * io::size_of(x.type), cudaMemcpyDeviceToDevice,
                               work.stream.handle),
               "copy an array");
  return copy;
}

device_numbers numbers_of(const device_array& x) { return {x.type, x.data, x.size}; }
device_numbers numbers_of(const array_argument& x) { return {x.type, x.data, x.size}; }

void copy_items(const void* from, void* to, std::uint64_t bytes, const device_work& work) {
  gpu::check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, work.stream.handle), "copy an array");
}

// Copies the items of x to out, unless they are the same array. The two may overlap.
void copy_to(const array_argument& x, const array_argument& out, const device_work& work) {
  const std::uint64_t bytes = x.size * io::size_of(x.type);
  const auto *const from = static_cast<const char*>(x.data), *const to = static_cast<const char*>(out.data);
  if (from == to || bytes == 0) return;
  if (std::less()(from, to + bytes) && std::less()(to, from + bytes)) {
    const gpu::device_buffer<char> copy(bytes, work.stream.handle);
    copy_items(x.data, copy.data(), bytes, work);
    copy_items(copy.data(), out.data, bytes, work);
  } else {
    copy_items(x.data, out.data, bytes, work);
  }
}

} // namespace

void device_sort(const call& started, const array_argument& x, bool descending, const array_argument& out) {
  const device_work work(started, x.device);
  work.execute(started, 0, 1, [&](const run_options&) {
    copy_to(x, out, work);
    sort_numbers(numbers_of(out), descending, work.stream.handle);
  });
  finish(work.stream);
}

void device_segmented_sort(const call& started, const array_argument& x, const array_argument& offsets,
                           bool descending, const array_argument& out) {
  const device_work work(started, x.device);
  work.execute(started, 0, 1, [&](const run_options&) {
    copy_to(x, out, work);
    if (x.size > 0)
      sort_segments(numbers_of(out), static_cast<const std::uint64_t*>(offsets.data), offsets.size - 1,
                    descending, work.stream.handle);
  });
  finish(work.stream);
}

nb::object device_sorted(const call& started, const array_argument& x, bool descending) {
  const device_work work(started, x.device);
  device_array result = copy_of(x, work);
  work.execute(started, 0, 1,
               [&](const run_options&) { sort_numbers(numbers_of(result), descending, work.stream.handle); });
  finish(work.stream);
  return nb::cast(std::move(result));
}

nb::object device_segmented_sorted(const call& started, const array_argument& x,
                                   const array_argument& offsets, bool descending) {
  const device_work work(started, x.device);
  device_array result = copy_of(x, work);
  work.execute(started, 0, 1, [&](const run_options&) {
    if (x.size > 0)
      sort_segments(numbers_of(result), static_cast<const std::uint64_t*>(offsets.data), offsets.size - 1,
                    descending, work.stream.handle);
  });
  finish(work.stream);
  return nb::cast(std::move(result));
}

nb::object device_argsort(const call& started, const array_argument& x, bool descending) {
  const device_work work(started, x.device);
  device_array order = new_device_array(io::element_type::i64, x.size, x.device, work.stream);
  work.execute(started, 0, 1, [&](const run_options&) {
    order_numbers(numbers_of(x), descending, order.items<std::uint64_t>(), work.stream.handle);
  });
  finish(work.stream);
  return nb::cast(std::move(order));
}

nb::object device_top_k(const call& started, const array_argument& x, std::uint64_t k, bool descending) {
  const device_work work(started, x.device);
  device_array top = new_device_array(x.type, std::min(k, x.size), x.device, work.stream);
  const device_array sorted = copy_of(x, work);
  work.execute(started, 0, 1, [&](const run_options&) {
    sort_numbers(numbers_of(sorted), descending, work.stream.handle);
    if (top.size > 0)
      gpu::check(cudaMemcpyAsync(top.data, sorted.data, top.size * io::size_of(x.type),
                                 cudaMemcpyDeviceToDevice, work.stream.handle),
                 "copy an array");
  });
  finish(work.stream);
  return nb::cast(std::move(top));
}

nb::tuple device_sort_by_key(const call& started, const array_argument& keys, const array_argument& values,
                             bool descending) {
  const device_work work(started, keys.device);
  device_array sorted_keys = new_device_array(keys.type, keys.size, keys.device, work.stream);
  device_array sorted_values = new_device_array(values.type, keys.size, keys.device, work.stream);
  work.execute(started, 0, 1, [&](const run_options&) {
    const cudaStream_t stream = work.stream.handle;
    const gpu::device_buffer<std::uint64_t> order(keys.size, stream);
    order_numbers(numbers_of(keys), descending, order.data(), stream);
    gather(keys.data, order.data(), sorted_keys.data, keys.size, io::size_of(keys.type), stream);
    gather(values.data, order.data(), sorted_values.data, keys.size, io::size_of(values.type), stream);
  });
  finish(work.stream);
  return nb::make_tuple(std::move(sorted_keys), std::move(sorted_values));
}

bool device_is_sorted(const call& started, const array_argument& x, bool descending) {
  const device_work work(started, x.device);
  return work.execute(started, 0, 1, [&](const run_options&) {
    return counted(work, [&](std::uint64_t* d_count) {
             count_disorder(numbers_of(x), descending, d_count, work.stream.handle);
           }) == 0;
  });
}

} // namespace weft::python
