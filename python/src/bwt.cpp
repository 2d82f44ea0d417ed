// The functions of weft/bwt/suffix_array.hpp and weft/bwt/bwt.hpp.
#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <string>
#include <vector>
#include <weft/base/parallel.hpp>
#include <weft/bwt/bwt.hpp>
#include <weft/bwt/suffix_array.hpp>

#include "bindings.hpp"
#include "device_functions.hpp"
#include "integers.hpp"
#include "sequences.hpp"

namespace weft::python {

namespace {

using enum io::element_type;

// Rough costs of a symbol, in nanoseconds.
constexpr double sort_cost = 100, lcp_cost = 20, inverse_cost = 20;

bwt_form form_of(nb::handle value) {
  const std::string name = read_str(value, "form");
  if (name == "sentinel") return bwt_form::sentinel;
  if (name == "rotation") return bwt_form::rotation;
  throw nb::value_error(fmt::format("form must be \"sentinel\" or \"rotation\", not \"{}\"", name).c_str());
}

// Calls body(Index{}) with the type of positions that `index_type` names: uint32 or uint64 or, if it is
// empty, the smallest type for `size` symbols.
template <class Body>
numpy_object with_index_type(const std::string& index_type, std::uint64_t size, Body body) {
  constexpr std::uint64_t limit = std::uint64_t{1} << 31;
  if (index_type == "uint64" || (index_type.empty() && size >= limit)) return body(std::uint64_t{});
  if (!index_type.empty() && index_type != "uint32")
    throw nb::value_error(fmt::format("index_type must be uint32 or uint64, not {}", index_type).c_str());
  if (size >= limit)
    throw nb::value_error(
        fmt::format(
            "index_type must be uint64, because x has {} symbols: uint32 is for fewer than 2**31 symbols",
            size)
            .c_str());
  return body(std::uint32_t{});
}

numpy_object suffix_array_of(nb::handle x, const std::string& index_type, const nb::tuple& arguments) {
  call started(arguments);
  text_argument text = read_text(x, "x", {u8, u16, u32}, started);
  const array_argument& symbols = text.symbols;
  const std::uint64_t size = symbols.size;
  return with_index_type(index_type, size, [&]<class Index>(Index) {
    if (symbols.on_gpu())
      return nb::borrow<numpy_object>(
          device_suffix_array(started, symbols, sizeof(Index) == sizeof(std::uint64_t)));
    return numpy_array(
        started.execute(static_cast<double>(size) * sort_cost, size, [&](const run_options& run) {
          const bwt_options options{.run = run};
          if (symbols.type == u16)
            return suffix_array<Index>(std::span<const std::uint16_t>(symbols.items<std::uint16_t>()),
                                       options);
          if (symbols.type == u32)
            return suffix_array<Index>(std::span<const std::uint32_t>(symbols.items<std::uint32_t>()),
                                       options);
          return suffix_array<Index>(text.bytes(), options);
        }));
  });
}

numpy_object collection_suffix_array_of(nb::handle seqs, const std::string& index_type,
                                        const nb::tuple& arguments) {
  call started(arguments);
  const sequences_argument batch = read_sequences(seqs, "seqs", started);
  if (batch.on_gpu) refuse_device_array("weft.collection_suffix_array");
  const std::uint64_t size = batch.data.size;
  return with_index_type(index_type, size, [&]<class Index>(Index) {
    return numpy_array(
        started.execute(static_cast<double>(size) * sort_cost, size, [&](const run_options& run) {
          return collection_suffix_array<Index>(batch.view(), {.run = run});
        }));
  });
}

// Throws ValueError if an entry is no position of a text of `size` symbols: the library would read beside the
// text.
template <class Index>
void check_positions(std::span<const Index> sa, std::uint64_t size, const run_options& run) {
  std::atomic<bool> is_wrong = false;
  parallel_for(0, sa.size(), std::uint64_t{1} << 20, run.threads,
               [&](std::uint64_t first, std::uint64_t last) {
                 const auto begin = sa.begin() + static_cast<std::ptrdiff_t>(first);
                 const auto end = sa.begin() + static_cast<std::ptrdiff_t>(last);
                 if (*std::max_element(begin, end) >= size) is_wrong = true;
               });
  if (is_wrong)
    throw std::invalid_argument(
        "sa must be the suffix array of x, but has an entry that is not from 0 to len(x) - 1");
}

numpy_object lcp_array_of(nb::handle x, nb::handle sa, const nb::tuple& arguments) {
  call started(arguments);
  text_argument text = read_text(x, "x", {u8}, started);
  array_argument positions = read_array(sa, "sa", {u32, u64, i32, i64}, access::read, started);
  const bool is_wide = positions.type == u64 || positions.type == i64;
  positions.type = is_wide ? u64 : u32; // a negative number becomes one that is out of range
  if (text.symbols.device != positions.device)
    throw nb::value_error("x and sa must be in the memory of the same device");
  const std::uint64_t size = text.symbols.size;
  if (positions.size != size)
    throw nb::value_error(
        fmt::format("sa must have one entry for each symbol of x: {}, not {}", size, positions.size).c_str());
  if (text.symbols.on_gpu())
    return nb::borrow<numpy_object>(device_lcp_array(started, text.symbols, positions));
  return with_index_type(is_wide ? "uint64" : "uint32", size, [&]<class Index>(Index) {
    return numpy_array(
        started.execute(static_cast<double>(size) * lcp_cost, size, [&](const run_options& run) {
          const std::span<const Index> entries = positions.items<Index>();
          check_positions(entries, size, run);
          return lcp_array<Index>(text.bytes(), entries, {.run = run});
        }));
  });
}

// Returns (data, primary_index).
nb::tuple transform(nb::handle x, nb::handle form_name, const nb::tuple& arguments) {
  call started(arguments);
  const bwt_form form = form_of(form_name);
  text_argument text = read_text(x, "x", {u8}, started);
  if (text.symbols.on_gpu()) return device_bwt(started, text.symbols, form);
  const std::uint64_t size = text.symbols.size;
  bwt_text result = started.execute(static_cast<double>(size) * sort_cost, size, [&](const run_options& run) {
    return bwt(text.bytes(), form, {.run = run});
  });
  return nb::make_tuple(text_result(std::move(result.bytes), text.kind), result.primary_index);
}

nb::object inverse(nb::handle data, nb::handle primary_index, nb::handle form_name,
                   const nb::tuple& arguments) {
  call started(arguments);
  const bwt_form form = form_of(form_name);
  text_argument text = read_text(data, "data", {u8}, started);
  const std::uint64_t primary = read_integer(primary_index, "primary_index");
  if (text.symbols.on_gpu()) return device_inverse_bwt(started, text.symbols, primary, form);
  const std::uint64_t size = text.symbols.size;
  std::string result =
      started.execute(static_cast<double>(size) * inverse_cost, size, [&](const run_options& run) {
        return inverse_bwt(text.bytes(), primary, form, {.run = run});
      });
  return text_result(std::move(result), text.kind);
}

} // namespace

void bind_bwt(nb::module_& module) {
  module.def("suffix_array", suffix_array_of, nb::arg("x").none(), nb::arg("index_type"), nb::arg("run"));
  module.def("collection_suffix_array", collection_suffix_array_of, nb::arg("seqs").none(),
             nb::arg("index_type"), nb::arg("run"));
  module.def("lcp_array", lcp_array_of, nb::arg("x").none(), nb::arg("sa").none(), nb::arg("run"));
  module.def("bwt", transform, nb::arg("x").none(), nb::arg("form").none(), nb::arg("run"));
  module.def("inverse_bwt", inverse, nb::arg("data").none(), nb::arg("primary_index"), nb::arg("form").none(),
             nb::arg("run"));
}

} // namespace weft::python
