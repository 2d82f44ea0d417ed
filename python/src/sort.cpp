// The functions of weft/sort/sort.hpp on arrays of numbers.
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <utility>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/base/parallel.hpp>
#include <weft/sort/cpu/numbers.hpp>
#include <weft/sort/engines.hpp>
#include <weft/sort/sort.hpp>

#include "bindings.hpp"
#include "device_functions.hpp"
#include "integers.hpp"

namespace weft::python {

namespace {

using sort_detail::sort_problem;
using sort_detail::sort_task;

// Rough costs in nanoseconds an item.
constexpr double sort_cost = 5, argsort_cost = 50, selection_cost = 2, check_cost = 0.5;

double cost_of(const array_argument& items, double cost) { return cost * static_cast<double>(items.size); }

// Returns the type and the direction as the engines of sort take them.
number_type sort_type(const array_argument& items, bool descending) {
  return with_number_type(items.type,
                          [&](auto number) { return number_type_of<decltype(number)>(descending); });
}

// Returns an array of numbers that is only read. Throws InputError for an array on a GPU with an engine,
// because the functions on such arrays choose it.
array_argument read_numbers(nb::handle value, const char* name, const call& started) {
  array_argument items = read_array(value, name, number_types, access::read, started);
  if (items.on_gpu()) started.refuse_engine(name);
  return items;
}

// Throws TypeError or ValueError unless `target` can hold the items of `source`.
void require_equal_arrays(const array_argument& source, const array_argument& target) {
  if (target.device != source.device)
    throw nb::value_error("x and out must be in the memory of the same device");
  if (target.type != source.type)
    throw nb::type_error(
        fmt::format("out has items of type {}, but x has items of type {}: the types must be equal",
                    dtype_name(target.type), dtype_name(source.type))
            .c_str());
  if (target.size != source.size)
    throw nb::value_error(
        fmt::format("out must have {} items, as many as x, not {}", source.size, target.size).c_str());
}

// Returns the argument `out` for an array x on a GPU, or nothing if the result is a new array.
std::optional<array_argument> read_device_out(nb::handle out, const array_argument& source,
                                              const call& started) {
  if (out.is_none()) return std::nullopt;
  array_argument target = read_array(out, "out", number_types, access::write, started);
  require_equal_arrays(source, target);
  return target;
}

// Returns whether the items of an object with the buffer protocol are apart from one another.
bool is_strided(nb::handle value) {
  Py_buffer view{};
  if (PyObject_CheckBuffer(value.ptr()) == 0) return false;
  if (PyObject_GetBuffer(value.ptr(), &view, PyBUF_FULL_RO) != 0) {
    PyErr_Clear(); // read_array() reports the error
    return false;
  }
  const bool strided = PyBuffer_IsContiguous(&view, 'C') == 0;
  PyBuffer_Release(&view);
  return strided;
}

// A sorted_array is the array that a function sorts in place: its argument `out`, or a new array. `source` is
// where the items come from, which is `target` if they need not be copied.
struct sorted_array {
  nb::object result;
  array_argument source, target;
};

// Returns the array on the host in which the items of `x` are sorted. Throws TypeError and ValueError for an
// `out` that cannot hold them.
sorted_array array_to_sort(nb::handle x, nb::handle out, const call& started) {
  if (out.is_none() && is_strided(x)) {
    nb::object copy = nb::module_::import_("numpy").attr("ascontiguousarray")(x);
    const array_argument items = read_array(copy, "x", number_types, access::write, started);
    return {std::move(copy), items, items};
  }
  if (x.is(out)) {
    const array_argument items = read_array(x, "out", number_types, access::write, started);
    return {nb::borrow(out), items, items};
  }
  array_argument source = read_numbers(x, "x", started);
  array_argument target = source;
  if (out.is_none()) {
    auto [result, data] = new_numpy_array(source.type, source.size);
    target.data = data;
    return {std::move(result), std::move(source), std::move(target)};
  }
  target = read_array(out, "out", number_types, access::write, started);
  require_equal_arrays(source, target);
  return {nb::borrow(out), std::move(source), std::move(target)};
}

// Copies the items of `from` to `to`, on all threads unless the two overlap.
void copy_items(const array_argument& from, const array_argument& to, const run_options& run) {
  const std::uint64_t bytes = from.size * io::size_of(from.type);
  const auto* const source = static_cast<const char*>(from.data);
  auto* const target = static_cast<char*>(to.data);
  if (source == target || bytes == 0) return;
  if (std::less()(source, target + bytes) && std::less()(target, source + bytes)) {
    std::memmove(target, source, bytes);
    return;
  }
  constexpr std::uint64_t grain = std::uint64_t{1} << 22;
  parallel_for(0, bytes, grain, run, [&](std::uint64_t first, std::uint64_t last) {
    std::memcpy(target + first, source + first, last - first);
  });
}

numpy_object sort(nb::handle x, bool descending, bool stable, nb::handle out, const nb::tuple& arguments) {
  call started(arguments);
  if (is_device_array(x)) {
    const array_argument items = read_numbers(x, "x", started);
    const std::optional<array_argument> target = read_device_out(out, items, started);
    if (!target) return nb::borrow<numpy_object>(device_sorted(started, items, descending));
    device_sort(started, items, descending, *target);
    return nb::borrow<numpy_object>(out);
  }
  sorted_array array = array_to_sort(x, out, started);
  const number_type type = sort_type(array.target, descending);
  started.execute(cost_of(array.target, sort_cost), array.target.size, [&](const run_options& run) {
    copy_items(array.source, array.target, run);
    sort_problem problem{.task = sort_task::sort,
                         .run = run,
                         .num_items = array.target.size,
                         .stable = stable,
                         .type = type,
                         .items = array.target.data};
    sort_detail::solve_sort(problem);
  });
  return nb::borrow<numpy_object>(array.result);
}

numpy_object segmented_sort(nb::handle x, nb::handle offsets, bool descending, nb::handle out,
                            const nb::tuple& arguments) {
  call started(arguments);
  const array_argument bounds =
      read_array(offsets, "offsets", {io::element_type::u64, io::element_type::i64}, access::read, started);
  if (is_device_array(x)) {
    const array_argument items = read_numbers(x, "x", started);
    if (bounds.device != items.device || bounds.size == 0)
      throw nb::value_error(
          "offsets must be in the memory of the same device as x, and have at least one item");
    const std::optional<array_argument> target = read_device_out(out, items, started);
    if (!target) return nb::borrow<numpy_object>(device_segmented_sorted(started, items, bounds, descending));
    device_segmented_sort(started, items, bounds, descending, *target);
    return nb::borrow<numpy_object>(out);
  }
  if (bounds.on_gpu()) throw nb::value_error("offsets must be in the memory of the same device as x");
  sorted_array array = array_to_sort(x, out, started);
  const std::span<const std::uint64_t> segments = bounds.items<const std::uint64_t>();
  sort_detail::check_segments(array.target.size, segments);
  const number_type type = sort_type(array.target, descending);
  started.execute(cost_of(array.target, sort_cost), array.target.size, [&](const run_options& run) {
    copy_items(array.source, array.target, run);
    sort_problem problem{.task = sort_task::segments,
                         .run = run,
                         .num_items = array.target.size,
                         .stable = true,
                         .type = type,
                         .items = array.target.data,
                         .offsets = segments};
    sort_detail::solve_sort(problem);
  });
  return nb::borrow<numpy_object>(array.result);
}

// Returns the positions of the items in sorted order.
std::vector<std::uint64_t> order_of(const array_argument& items, bool descending, const run_options& run) {
  std::vector<std::uint64_t> order;
  sort_problem problem{.task = sort_task::argsort,
                       .run = run,
                       .num_items = items.size,
                       .stable = true,
                       .type = sort_type(items, descending),
                       .items = items.data,
                       .order = &order};
  sort_detail::solve_sort(problem);
  return order;
}

// Returns int64, NumPy's type of positions.
numpy_object argsort(nb::handle x, bool descending, const nb::tuple& arguments) {
  call started(arguments);
  const array_argument items = read_numbers(x, "x", started);
  if (items.on_gpu()) return nb::borrow<numpy_object>(device_argsort(started, items, descending));
  std::vector<std::uint64_t> order =
      started.execute(cost_of(items, argsort_cost), items.size,
                      [&](const run_options& run) { return order_of(items, descending, run); });
  return nb::borrow<numpy_object>(numpy_array(std::move(order)).attr("view")("int64"));
}

// Sets the items of `to` to those of `from` in the order.
void gather(const array_argument& from, void* to, const std::vector<std::uint64_t>& order,
            const run_options& run) {
  const auto gather_as = [&](auto number) {
    using T = decltype(number);
    const T* const source = static_cast<const T*>(from.data);
    T* const target = static_cast<T*>(to);
    constexpr std::uint64_t grain = std::uint64_t{1} << 18;
    parallel_for(0, order.size(), grain, run, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i < last; ++i) target[i] = source[order[i]];
    });
  };
  switch (io::size_of(from.type)) {
  case 1:
    return gather_as(std::uint8_t{});
  case 2:
    return gather_as(std::uint16_t{});
  case 4:
    return gather_as(std::uint32_t{});
  default:
    return gather_as(std::uint64_t{});
  }
}

// Returns (keys, values).
nb::typed<nb::tuple, numpy_object, numpy_object> sort_by_key(nb::handle keys, nb::handle values,
                                                             bool descending, const nb::tuple& arguments) {
  call started(arguments);
  const array_argument key_items = read_numbers(keys, "keys", started);
  const array_argument value_items = read_numbers(values, "values", started);
  if (key_items.size != value_items.size)
    throw nb::value_error(fmt::format("keys and values must have the same size: {} keys, but {} values",
                                      key_items.size, value_items.size)
                              .c_str());
  if (key_items.device != value_items.device)
    throw nb::value_error("keys and values must be in the memory of the same device");
  if (key_items.on_gpu())
    return nb::borrow<nb::typed<nb::tuple, numpy_object, numpy_object>>(
        device_sort_by_key(started, key_items, value_items, descending));
  auto [sorted_keys, key_data] = new_numpy_array(key_items.type, key_items.size);
  auto [sorted_values, value_data] = new_numpy_array(value_items.type, value_items.size);
  started.execute(cost_of(key_items, argsort_cost), key_items.size,
                  [&, key_target = key_data, value_target = value_data](const run_options& run) {
                    const std::vector<std::uint64_t> order = order_of(key_items, descending, run);
                    gather(key_items, key_target, order, run);
                    gather(value_items, value_target, order, run);
                  });
  return nb::borrow<nb::typed<nb::tuple, numpy_object, numpy_object>>(
      nb::make_tuple(sorted_keys, sorted_values));
}

numpy_object top_k(nb::handle x, nb::handle k, bool largest, const nb::tuple& arguments) {
  call started(arguments);
  const array_argument items = read_numbers(x, "x", started);
  const std::uint64_t count = std::min(read_integer(k, "k"), items.size);
  if (items.on_gpu()) return nb::borrow<numpy_object>(device_top_k(started, items, count, largest));
  auto [result, data] = new_numpy_array(items.type, count);
  const double item_cost = sort_detail::is_full_sort_cheaper(count, items.size) ? sort_cost : selection_cost;
  started.execute(cost_of(items, item_cost), items.size, [&, target = data](const run_options& run) {
    sort_problem problem{.task = sort_task::top_k,
                         .run = run,
                         .num_items = items.size,
                         .stable = true,
                         .type = sort_type(items, largest),
                         .items = items.data,
                         .k = count,
                         .top_items = target};
    sort_detail::solve_sort(problem);
  });
  return nb::borrow<numpy_object>(result);
}

bool is_sorted(nb::handle x, bool descending, const nb::tuple& arguments) {
  call started(arguments);
  const array_argument items = read_numbers(x, "x", started);
  if (items.on_gpu()) return device_is_sorted(started, items, descending);
  if (started.run().engine != "auto") check_sort_options({.run = started.run()});
  if (started.run().device.kind == device_kind::gpu)
    throw error(errc::invalid_input, "is_sorted runs only on the CPU: leave out device");
  return started.execute(cost_of(items, check_cost), items.size, [&](const run_options& run) {
    return sort_detail::numbers_in_order(items.data, items.size, sort_type(items, descending), run);
  });
}

} // namespace

void bind_sort(nb::module_& module) {
  module.def("sort", sort, nb::arg("x").none(), nb::arg("descending"), nb::arg("stable"),
             nb::arg("out").none(), nb::arg("run"));
  module.def("argsort", argsort, nb::arg("x").none(), nb::arg("descending"), nb::arg("run"));
  module.def("sort_by_key", sort_by_key, nb::arg("keys").none(), nb::arg("values").none(),
             nb::arg("descending"), nb::arg("run"));
  module.def("segmented_sort", segmented_sort, nb::arg("x").none(), nb::arg("offsets").none(),
             nb::arg("descending"), nb::arg("out").none(), nb::arg("run"));
  module.def("top_k", top_k, nb::arg("x").none(), nb::arg("k").none(), nb::arg("largest"), nb::arg("run"));
  module.def("is_sorted", is_sorted, nb::arg("x").none(), nb::arg("descending"), nb::arg("run"));
}

} // namespace weft::python
