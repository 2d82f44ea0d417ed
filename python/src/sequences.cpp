#include "sequences.hpp"

#include <fmt/format.h>

#include "arrow.hpp"
#include "device_arrays.hpp"
#include "names.hpp"

namespace weft::python {

namespace {

// Returns the offsets as numbers of 64 bits. Copies other integers.
array_argument read_offsets(nb::handle value, const call& started) {
  using enum io::element_type;
  array_argument offsets = read_array(value, "offsets", {u64, i64, u32, i32}, access::read, started);
  if (offsets.on_gpu()) {
    if (offsets.type != u64 && offsets.type != i64)
      throw nb::type_error("offsets on a GPU must have items of type uint64 or int64");
    return offsets;
  }
  if (offsets.type == u32 || offsets.type == i32) {
    const auto wide = std::make_shared<std::vector<std::uint64_t>>(offsets.size);
    for (std::uint64_t i = 0; i < offsets.size; ++i)
      (*wide)[i] = offsets.type == u32 ? offsets.items<std::uint32_t>()[i]
                                       : static_cast<std::uint64_t>(offsets.items<std::int32_t>()[i]);
    offsets.data = wide->data();
    offsets.kept = wide;
  }
  offsets.type = u64; // a negative number becomes one that check_sequences() refuses
  return offsets;
}

sequences_argument from_parts(nb::handle data, nb::handle offsets, const char* name, const call& started) {
  sequences_argument result;
  result.data = read_text(data, "data", {io::element_type::u8}, started).symbols;
  result.offsets = read_offsets(offsets, started);
  result.on_gpu = result.data.on_gpu();
  if (result.on_gpu != result.offsets.on_gpu())
    throw nb::value_error("data and offsets must be in the memory of the same device");
  if (!result.on_gpu) check_sequences(result.view(), name);
  return result;
}

// Copies the items of a Python sequence.
sequences_argument from_items(nb::handle value, const char* name, const call& started) {
  struct copies {
    std::string bytes;
    std::vector<std::uint64_t> offsets{0};
  };
  const auto copied = std::make_shared<copies>();
  for (const nb::handle item : nb::borrow<nb::object>(value)) {
    const text_argument text = read_text(item, name, {io::element_type::u8}, started);
    if (text.symbols.on_gpu())
      throw nb::type_error(
          fmt::format("{} has an item in the memory of a GPU: pass a batch on a GPU as (data, offsets)", name)
              .c_str());
    copied->bytes += text.bytes();
    copied->offsets.push_back(copied->bytes.size());
  }
  sequences_argument result;
  result.data = {.type = io::element_type::u8,
                 .data = copied->bytes.data(),
                 .size = copied->bytes.size(),
                 .kept = copied};
  result.offsets = {.type = io::element_type::u64,
                    .data = copied->offsets.data(),
                    .size = copied->offsets.size(),
                    .kept = copied};
  return result;
}

bool is_pair(nb::handle value) {
  if (PyTuple_Check(value.ptr()) == 0 || PyTuple_Size(value.ptr()) != 2) return false;
  PyObject* const second = PyTuple_GetItem(value.ptr(), 1);
  // A pair of strings is a batch of two sequences; offsets are an array of numbers.
  return PyUnicode_Check(second) == 0 && PyBytes_Check(second) == 0 && PyByteArray_Check(second) == 0 &&
         nb::hasattr(second, "dtype");
}

} // namespace

bool is_device_batch(nb::handle value) {
  return PyTuple_Check(value.ptr()) != 0 && PyTuple_Size(value.ptr()) == 2 &&
         is_device_array(PyTuple_GetItem(value.ptr(), 0));
}

sequences_argument read_sequences(nb::handle value, const char* name, const call& started) {
  if (is_pair(value))
    return from_parts(PyTuple_GetItem(value.ptr(), 0), PyTuple_GetItem(value.ptr(), 1), name, started);
  if (is_arrow(value)) {
    started.refuse_stream(name);
    return read_arrow(value, name);
  }
  if (nb::hasattr(value, "data") && nb::hasattr(value, "offsets") && nb::hasattr(value, "names")) {
    sequences_argument result = from_parts(value.attr("data"), value.attr("offsets"), name, started);
    result.names = strings_of(value.attr("names"));
    if (!result.names.empty() && result.names.size() != result.count())
      throw nb::value_error(fmt::format("there are {} names for {} sequences; give as many, or none",
                                        result.names.size(), result.count())
                                .c_str());
    return result;
  }
  const bool is_text = PyUnicode_Check(value.ptr()) != 0 || PyObject_CheckBuffer(value.ptr()) != 0;
  if (is_text || PySequence_Check(value.ptr()) == 0) {
    const bool is_array = nb::hasattr(value, "dtype");
    const std::string advice = is_array  ? "; pass the rows or items of an array as a list: list(array)"
                               : is_text ? fmt::format("; put a single sequence in a list: [{}]", name)
                                         : "";
    throw nb::type_error(
        fmt::format(
            "{} must be a batch of sequences: weft.Sequences, a list of str or bytes, an Arrow array of "
            "strings, or (data, offsets){}",
            name, advice)
            .c_str());
  }
  return from_items(value, name, started);
}

} // namespace weft::python
