#include "arrays.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <optional>

#include "device_arrays.hpp"

namespace weft::python {

namespace {

[[noreturn]] void raise_type_error(const std::string& message) { throw nb::type_error(message.c_str()); }
[[noreturn]] void raise_value_error(const std::string& message) { throw nb::value_error(message.c_str()); }

std::string python_type_of(nb::handle value) {
  return nb::str(nb::object(nb::handle(value.type()).attr("__name__"))).c_str();
}

// Returns what NumPy calls the items of an array, or else their format.
std::string describe_items(nb::handle value, const char* format) {
  if (nb::hasattr(value, "dtype")) return nb::str(nb::object(value.attr("dtype"))).c_str();
  return format == nullptr ? "unknown" : std::string("'") + format + "'";
}

// Returns the type of items with a format of the struct module, or nothing if it is no number of the
// machine's byte order.
std::optional<io::element_type> type_of(const char* format, Py_ssize_t item_size) {
  using enum io::element_type;
  std::string_view code = format == nullptr ? "B" : format;
  if (!code.empty() && (code[0] == '@' || code[0] == '=' || code[0] == '<')) code.remove_prefix(1);
  if (code.size() == 2 && code[0] == '1' && code[1] == 's') return u8; // characters, such as NumPy's S1
  if (code.size() == 2 && item_size == 1 && (code[0] == '>' || code[0] == '!')) code.remove_prefix(1);
  if (code.size() != 1) return std::nullopt;
  const auto by_size = [&](const std::array<io::element_type, 4>& types) -> std::optional<io::element_type> {
    switch (item_size) {
    case 1:
      return types[0];
    case 2:
      return types[1];
    case 4:
      return types[2];
    case 8:
      return types[3];
    default:
      return std::nullopt;
    }
  };
  if (std::string_view("BHILQNc").find(code[0]) != std::string_view::npos)
    return by_size({u8, u16, u32, u64});
  if (std::string_view("bhilqn").find(code[0]) != std::string_view::npos) return by_size({i8, i16, i32, i64});
  if (code[0] == 'f') return f32;
  if (code[0] == 'd') return f64;
  return std::nullopt;
}

// Releases a Py_buffer; may run on any thread, as an owner's deleter.
struct held_buffer {
  Py_buffer view{};
  std::vector<char> copy; // the items, if they are not contiguous or not aligned in the view
  held_buffer() = default;
  held_buffer(const held_buffer&) = delete;
  held_buffer& operator=(const held_buffer&) = delete;
  ~held_buffer() {
    if (view.obj != nullptr) with_gil([this] { PyBuffer_Release(&view); });
  }
};

void require_one_dimension(const char* name, Py_ssize_t dimensions) {
  if (dimensions != 1) raise_value_error(fmt::format("{} must have one dimension, not {}", name, dimensions));
}

array_argument read_buffer(nb::handle value, const char* name, type_set accepted, access how) {
  const auto held = std::make_shared<held_buffer>();
  if (PyObject_GetBuffer(value.ptr(), &held->view, PyBUF_FULL_RO) != 0) {
    // NumPy has items, such as dates, that its buffers cannot describe. Other objects say what is wrong.
    nb::python_error failure;
    if (!nb::hasattr(value, "dtype")) throw std::move(failure);
    raise_type_error(fmt::format("{} has items of type {}; accepted types: {}", name,
                                 describe_items(value, nullptr), accepted.names()));
  }
  Py_buffer& view = held->view;
  const std::optional<io::element_type> type = type_of(view.format, view.itemsize);
  if (!type || !accepted.contains(*type))
    raise_type_error(fmt::format("{} has items of type {}; accepted types: {}", name,
                                 describe_items(value, view.format), accepted.names()));
  require_one_dimension(name, view.ndim);
  if (how == access::write && view.readonly != 0)
    raise_value_error(fmt::format("{} is read-only, but the result is written to it", name));
  void* data = view.buf;
  const bool is_aligned =
      reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(view.itemsize) == 0;
  if (PyBuffer_IsContiguous(&view, 'C') == 0 || !is_aligned) {
    if (how == access::write)
      raise_value_error(fmt::format("{} must be {}, because the result is written to it", name,
                                    is_aligned ? "contiguous" : "aligned to the size of its items"));
    held->copy.resize(static_cast<std::size_t>(view.len));
    if (PyBuffer_ToContiguous(held->copy.data(), &view, view.len, 'C') != 0) throw nb::python_error();
    data = held->copy.data();
  }
  return {.type = *type,
          .data = data,
          .size = static_cast<std::uint64_t>(view.len / view.itemsize),
          .kept = held};
}

// Reads an array of the host through DLPack, such as a tensor of PyTorch.
array_argument read_dlpack(nb::handle value, const char* name, type_set accepted, access how) {
  nb::ndarray<nb::ro> array;
  nb::ndarray<> writable;
  const bool is_read = how == access::write ? nb::try_cast(value, writable) : nb::try_cast(value, array);
  if (!is_read)
    raise_type_error(fmt::format("{} is a {} that cannot be read through DLPack{}", name,
                                 python_type_of(value), how == access::write ? " and written to" : ""));
  if (how == access::write) array = nb::ndarray<nb::ro>(writable);
  const std::optional<io::element_type> type = element_type_of(array.dtype());
  if (!type || !accepted.contains(*type))
    raise_type_error(fmt::format("{} has items of type {}; accepted types: {}", name,
                                 describe_items(value, nullptr), accepted.names()));
  require_one_dimension(name, static_cast<Py_ssize_t>(array.ndim()));
  if (array.size() > 1 && array.stride(0) != 1)
    raise_value_error(fmt::format("{} must be contiguous: pass a contiguous copy", name));
  if (reinterpret_cast<std::uintptr_t>(array.data()) % io::size_of(*type) != 0)
    raise_value_error(fmt::format("{} must be aligned to the size of its items: pass a copy", name));
  return {.type = *type,
          .data = const_cast<void*>(static_cast<const void*>(array.data())),
          .size = array.size(),
          .kept = keep_alive(nb::ndarray<>(array))};
}

} // namespace

std::optional<io::element_type> element_type_of(nb::dlpack::dtype type) {
  using enum io::element_type;
  if (type.lanes != 1) return std::nullopt;
  for (const auto& [code, bits, found] :
       std::initializer_list<std::tuple<nb::dlpack::dtype_code, int, io::element_type>>{
           {nb::dlpack::dtype_code::UInt, 8, u8},
           {nb::dlpack::dtype_code::UInt, 16, u16},
           {nb::dlpack::dtype_code::UInt, 32, u32},
           {nb::dlpack::dtype_code::UInt, 64, u64},
           {nb::dlpack::dtype_code::Int, 8, i8},
           {nb::dlpack::dtype_code::Int, 16, i16},
           {nb::dlpack::dtype_code::Int, 32, i32},
           {nb::dlpack::dtype_code::Int, 64, i64},
           {nb::dlpack::dtype_code::Float, 32, f32},
           {nb::dlpack::dtype_code::Float, 64, f64}})
    if (type.code == static_cast<std::uint8_t>(code) && type.bits == bits) return found;
  return std::nullopt;
}

memory_owner keep_alive(nb::ndarray<> array) {
  return {new nb::ndarray<>(std::move(array)),
          [](nb::ndarray<>* held) { with_gil([held] { delete held; }); }};
}

std::string type_set::names() const {
  std::string names;
  for (const io::element_type type :
       {io::element_type::u8, io::element_type::u16, io::element_type::u32, io::element_type::u64,
        io::element_type::i8, io::element_type::i16, io::element_type::i32, io::element_type::i64,
        io::element_type::f32, io::element_type::f64})
    if (contains(type)) names += (names.empty() ? "" : ", ") + std::string(dtype_name(type));
  return names;
}

array_argument read_array(nb::handle value, const char* name, type_set accepted, access how,
                          const call& started) {
  if (is_device_array(value)) {
    array_argument array = read_device_array(value, name, how, started);
    if (!accepted.contains(array.type))
      raise_type_error(fmt::format("{} has items of type {}; accepted types: {}", name,
                                   dtype_name(array.type), accepted.names()));
    return array;
  }
  if (PyObject_CheckBuffer(value.ptr()) != 0) {
    started.refuse_stream(name);
    return read_buffer(value, name, accepted, how);
  }
  if (nb::hasattr(value, "__dlpack__")) {
    started.refuse_stream(name);
    return read_dlpack(value, name, accepted, how);
  }
  raise_type_error(fmt::format("{} must be an array (of NumPy, CuPy, PyTorch, or any object with a buffer or "
                               "__dlpack__), not {}",
                               name, python_type_of(value)));
}

text_argument read_text(nb::handle value, const char* name, type_set accepted, const call& started) {
  using enum io::element_type;
  if (PyUnicode_Check(value.ptr())) {
    started.refuse_stream(name);
    Py_ssize_t size = 0;
    const char* const text = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
    PyErr_Clear(); // a str with lone surrogates has no UTF-8
    if (text == nullptr || size != PyUnicode_GetLength(value.ptr()))
      raise_value_error(
          fmt::format("{} must be ASCII; encode other text first, as with {}.encode()", name, name));
    return {{.type = u8,
             .data = const_cast<char*>(text),
             .size = static_cast<std::uint64_t>(size),
             .kept = keep_alive(nb::borrow(value))},
            text_kind::str};
  }
  if (PyBytes_Check(value.ptr())) {
    started.refuse_stream(name);
    return {{.type = u8,
             .data = PyBytes_AsString(value.ptr()),
             .size = static_cast<std::uint64_t>(PyBytes_Size(value.ptr())),
             .kept = keep_alive(nb::borrow(value))},
            text_kind::bytes};
  }
  if (PyObject_CheckBuffer(value.ptr()) == 0 && !nb::hasattr(value, "__dlpack__") && !is_device_array(value))
    raise_type_error(fmt::format("{} must be a str, bytes or an array, not {}", name, python_type_of(value)));
  array_argument symbols = read_array(value, name, accepted.with(i8), access::read, started);
  if (symbols.type == i8) symbols.type = u8;
  const bool is_array = nb::hasattr(value, "dtype");
  return {std::move(symbols), is_array ? text_kind::array : text_kind::bytes};
}

nb::object text_result(std::string text, text_kind kind) {
  if (kind != text_kind::array) return nb::bytes(text.data(), text.size());
  auto* const held = new std::string(std::move(text));
  const nb::capsule owner(held, [](void* bytes) noexcept { delete static_cast<std::string*>(bytes); });
  return nb::cast(nb::ndarray<nb::numpy, std::uint8_t>(held->data(), {held->size()}, owner));
}

std::pair<nb::object, void*> new_numpy_array(io::element_type type, std::uint64_t size) {
  nb::object array = nb::module_::import_("numpy").attr("empty")(size, dtype_name(type));
  held_buffer held;
  if (PyObject_GetBuffer(array.ptr(), &held.view, PyBUF_WRITABLE) != 0) throw nb::python_error();
  return {array, held.view.buf}; // the array keeps its memory when the buffer is released
}

const char* dtype_name(io::element_type type) {
  switch (type) {
  case io::element_type::u8:
    return "uint8";
  case io::element_type::u16:
    return "uint16";
  case io::element_type::u32:
    return "uint32";
  case io::element_type::u64:
    return "uint64";
  case io::element_type::i8:
    return "int8";
  case io::element_type::i16:
    return "int16";
  case io::element_type::i32:
    return "int32";
  case io::element_type::i64:
    return "int64";
  case io::element_type::f32:
    return "float32";
  case io::element_type::f64:
    return "float64";
  case io::element_type::i128:
    break;
  }
  return "int128";
}

} // namespace weft::python
