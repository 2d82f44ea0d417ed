#include "device_array.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <optional>
#include <weft/base/device.hpp>
#include <weft/base/error.hpp>

#include "../bindings.hpp"
#include "../device_arrays.hpp"

namespace weft::python {

namespace {

// The numbers by which DLPack and __cuda_array_interface__ name a stream: 1 is the legacy default stream.
std::uintptr_t number_of(cudaStream_t stream) {
  const auto number = reinterpret_cast<std::uintptr_t>(stream);
  return number == 0 ? 1 : number;
}
cudaStream_t stream_of_number(std::uintptr_t number) { return reinterpret_cast<cudaStream_t>(number); }

// Makes the later work of stream `second` wait for the work that stream `first` has now.
void order(cudaStream_t first, cudaStream_t second) {
  if (number_of(first) == number_of(second)) return;
  gpu::event reached;
  reached.record(first);
  gpu::check(cudaStreamWaitEvent(second, reached.get(), 0), "make a stream wait");
}

// Returns the type of a typestr such as "<u8".
std::optional<io::element_type> type_of(const std::string& typestr) {
  using enum io::element_type;
  for (const auto& [name, type] :
       std::initializer_list<std::pair<const char*, io::element_type>>{{"u1", u8},
                                                                       {"u2", u16},
                                                                       {"u4", u32},
                                                                       {"u8", u64},
                                                                       {"i1", i8},
                                                                       {"i2", i16},
                                                                       {"i4", i32},
                                                                       {"i8", i64},
                                                                       {"f4", f32},
                                                                       {"f8", f64}})
    if (typestr.size() == 3 && typestr[0] != '>' && typestr.substr(1) == name) return type;
  return std::nullopt;
}

std::string typestr_of(io::element_type type) {
  const std::string name(io::name_of(type)); // such as u64
  const std::uint64_t bytes = io::size_of(type);
  return fmt::format("{}{}{}", bytes == 1 ? '|' : '<', name[0], bytes);
}

void require_vector(const char* name, std::uint64_t dimensions, bool is_contiguous) {
  if (dimensions != 1)
    throw nb::value_error(fmt::format("{} must have one dimension, not {}", name, dimensions).c_str());
  if (!is_contiguous)
    throw nb::value_error(fmt::format("{} must be contiguous: pass a contiguous copy", name).c_str());
}

[[noreturn]] void refuse_type(const char* name, const std::string& type) {
  throw nb::type_error(
      fmt::format("{} has items of type {}; accepted types: {}", name, type, number_types.names()).c_str());
}

// Returns the device that holds an array: the current one for an empty array.
int device_of(const void* data) {
  if (data == nullptr) return gpu::current_device();
  cudaPointerAttributes attributes{};
  gpu::check(cudaPointerGetAttributes(&attributes, data), "find the device of an array");
  return attributes.device;
}

// Reads an array through __cuda_array_interface__.
array_argument from_interface(nb::handle value, const char* name, access how, cudaStream_t stream) {
  const nb::dict interface = nb::cast<nb::dict>(value.attr("__cuda_array_interface__"));
  const nb::tuple shape = nb::cast<nb::tuple>(interface["shape"]);
  const nb::tuple data = nb::cast<nb::tuple>(interface["data"]);
  const std::string typestr = nb::cast<std::string>(interface["typestr"]);
  const std::optional<io::element_type> type = type_of(typestr);
  if (!type) refuse_type(name, typestr);
  bool is_contiguous = true;
  if (interface.contains("strides") && !nb::object(interface["strides"]).is_none() && shape.size() == 1)
    is_contiguous =
        nb::cast<std::int64_t>(interface["strides"][0]) == static_cast<std::int64_t>(io::size_of(*type));
  require_vector(name, shape.size(), is_contiguous);
  if (how == access::write && nb::cast<bool>(data[1]))
    throw nb::value_error(fmt::format("{} is read-only, but the result is written to it", name).c_str());
  array_argument array{.type = *type,
                       .data = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(data[0])),
                       .size = nb::cast<std::uint64_t>(shape[0]),
                       .kept = keep_alive(nb::borrow(value))};
  array.device = device_of(array.data);
  if (interface.contains("stream") && !nb::object(interface["stream"]).is_none()) {
    const gpu::device_scope scope(array.device);
    order(stream_of_number(nb::cast<std::uintptr_t>(interface["stream"])), stream);
  }
  return array;
}

// Reads an array through DLPack, which orders the streams.
array_argument from_dlpack(nb::handle value, const char* name, cudaStream_t stream) {
  const nb::object capsule = value.attr("__dlpack__")(nb::arg("stream") = number_of(stream));
  nb::ndarray<> array;
  if (!nb::try_cast(capsule, array))
    throw nb::type_error(fmt::format("{} cannot be read through DLPack", name).c_str());
  const std::optional<io::element_type> type = element_type_of(array.dtype());
  if (!type)
    refuse_type(name,
                nb::hasattr(value, "dtype") ? nb::str(nb::object(value.attr("dtype"))).c_str() : "unknown");
  require_vector(name, array.ndim(), array.ndim() != 1 || array.size() < 2 || array.stride(0) == 1);
  return {.type = *type,
          .data = array.data(),
          .size = array.size(),
          .device = array.device_id(),
          .kept = keep_alive(std::move(array))};
}

// Reads an array that a function of weft has returned.
array_argument from_result(nb::handle value, const char* name, cudaStream_t stream) {
  const device_array& array = nb::cast<const device_array&>(value);
  require_vector(name, array.is_matrix ? 2 : 1, array.stride == 1 || array.size < 2);
  const gpu::device_scope scope(array.device);
  order(array.stream, stream);
  return {.type = array.type,
          .data = array.data,
          .size = array.size,
          .device = array.device,
          .kept = keep_alive(nb::borrow(value))};
}

nb::tuple shape_of(const device_array& array) {
  return array.is_matrix ? nb::make_tuple(array.rows, array.rows) : nb::make_tuple(array.size);
}

nb::object interface_of(const device_array& array) {
  nb::dict interface;
  interface["shape"] = shape_of(array);
  interface["typestr"] = typestr_of(array.type);
  interface["data"] =
      nb::make_tuple(array.size == 0 ? 0 : reinterpret_cast<std::uintptr_t>(array.data), false);
  interface["strides"] =
      array.stride == 1 ? nb::none() : nb::object(nb::make_tuple(array.stride * io::size_of(array.type)));
  interface["version"] = 3;
  interface["stream"] = number_of(array.stream);
  return interface;
}

nb::dlpack::dtype dlpack_type(io::element_type type) {
  return with_number_type(type, [](auto item) { return nb::dtype<decltype(item)>(); });
}

// Returns the DLPack capsule of an array, and makes the stream of the consumer wait for the array's. Throws
// BufferError if the consumer asks for another device or for a copy.
nb::object dlpack_of(const nb::object& self, const nb::object& stream, const nb::object& max_version,
                     const nb::object& dl_device, const nb::object& copy) {
  const device_array& array = nb::cast<const device_array&>(self);
  const nb::tuple own_device = nb::make_tuple(static_cast<int>(nb::device::cuda::value), array.device);
  if (copy.ptr() == Py_True || (!dl_device.is_none() && !dl_device.equal(own_device)))
    throw nb::buffer_error(
        "a weft.DeviceArray is passed on without a copy, on its own GPU; to_numpy() copies it");
  const std::int64_t consumer = stream.is_none() ? 1 : nb::cast<std::int64_t>(stream);
  if (consumer != -1) {
    const gpu::device_scope scope(array.device);
    order(array.stream, stream_of_number(static_cast<std::uintptr_t>(consumer)));
  }
  const bool is_matrix = array.is_matrix;
  const std::size_t shape[] = {static_cast<std::size_t>(is_matrix ? array.rows : array.size),
                               static_cast<std::size_t>(array.rows)};
  const std::int64_t strides[] = {static_cast<std::int64_t>(is_matrix ? array.rows : array.stride), 1};
  const nb::ndarray<nb::array_api> exported(array.data, is_matrix ? 2 : 1, shape, self, strides,
                                            dlpack_type(array.type), nb::device::cuda::value, array.device);
  return nb::cast(exported).attr("__dlpack__")(nb::arg("max_version") = max_version);
}

// Returns a copy in the memory of the host.
numpy_object to_numpy(const device_array& array) {
  auto [copy, data] = new_numpy_array(array.type, array.size);
  const std::uint64_t bytes = io::size_of(array.type);
  if (array.size > 0) {
    const nb::gil_scoped_release released;
    const gpu::device_scope scope(array.device);
    gpu::check(cudaMemcpy2DAsync(data, bytes, array.data, array.stride * bytes, bytes, array.size,
                                 cudaMemcpyDeviceToHost, array.stream),
               "copy an array to the host");
    gpu::check(cudaStreamSynchronize(array.stream), "wait for the GPU");
  }
  if (array.is_matrix) copy = copy.attr("reshape")(array.rows, array.rows);
  return nb::borrow<numpy_object>(copy);
}

} // namespace

device_storage::~device_storage() {
  try {
    const gpu::device_scope scope(device_);
    owner_.reset();
  } catch (const error&) { // the device is lost, and its memory with it
  }
}

call_stream stream_of(const call& started) {
  const nb::handle given = started.stream();
  if (given.is_none()) return {};
  call_stream result{.given = true, .object = nb::borrow(given)};
  nb::object number = result.object;
  if (nb::hasattr(given, "__cuda_stream__"))
    number = nb::object(given.attr("__cuda_stream__")())[1];
  else if (nb::hasattr(given, "cuda_stream"))
    number = given.attr("cuda_stream");
  else if (nb::hasattr(given, "ptr"))
    number = given.attr("ptr");
  std::uintptr_t handle = 0;
  if (!nb::try_cast(number, handle))
    throw nb::type_error("stream must be None, an int, or an object with __cuda_stream__");
  result.handle = stream_of_number(handle);
  return result;
}

void finish(const call_stream& stream) {
  if (stream.given) return;
  const nb::gil_scoped_release released;
  gpu::check(cudaStreamSynchronize(stream.handle), "wait for the GPU");
}

array_argument read_device_array(nb::handle value, const char* name, access how, const call& started) {
  const run_options& run = started.run();
  if (run.device.kind == device_kind::cpu)
    throw nb::value_error(fmt::format("{} is in the memory of a GPU, but device is cpu: leave out device, or "
                                      "copy {} to the host first",
                                      name, name)
                              .c_str());
  require_device({device_kind::gpu, 0});
  const call_stream stream = stream_of(started);
  array_argument array = nb::isinstance<device_array>(value) ? from_result(value, name, stream.handle)
                         : nb::hasattr(value, "__dlpack__")  ? from_dlpack(value, name, stream.handle)
                                                            : from_interface(value, name, how, stream.handle);
  if (run.device.kind == device_kind::gpu && run.device.index != array.device)
    throw nb::value_error(fmt::format("{} is in the memory of GPU {}, but device is gpu:{}: leave out device",
                                      name, array.device, run.device.index)
                              .c_str());
  return array;
}

device_array new_device_array(io::element_type type, std::uint64_t size, int device,
                              const call_stream& stream) {
  const auto bytes = std::make_shared<gpu::device_buffer<std::byte>>(
      std::max<std::uint64_t>(size, 1) * io::size_of(type), stream.handle);
  return {.storage = std::make_shared<device_storage>(bytes, device, stream),
          .data = bytes->data(),
          .size = size,
          .type = type,
          .device = device,
          .stream = stream.handle};
}

void bind_device_array(nb::module_& module) {
  nb::class_<device_array>(
      module, "DeviceArray",
      "An array in the memory of a GPU, which CuPy, PyTorch, Numba and JAX read without a copy.")
      .def_prop_ro("shape", shape_of, "Number of items in each dimension.")
      .def_prop_ro(
          "ndim", [](const device_array& array) { return array.is_matrix ? 2 : 1; }, "Number of dimensions.")
      .def_prop_ro(
          "size", [](const device_array& array) { return array.size; }, "Number of items.")
      .def_prop_ro(
          "dtype",
          [](const device_array& array) {
            return nb::module_::import_("numpy").attr("dtype")(dtype_name(array.type));
          },
          "Type of the items, as a dtype of NumPy.")
      .def_prop_ro(
          "device", [](const device_array& array) { return array.device; },
          "Number of the GPU whose memory holds the items.")
      .def("__len__", [](const device_array& array) { return array.is_matrix ? array.rows : array.size; })
      .def_prop_ro("__cuda_array_interface__", interface_of)
      .def("__dlpack__", dlpack_of, nb::kw_only(), nb::arg("stream").none() = nb::none(),
           nb::arg("max_version").none() = nb::none(), nb::arg("dl_device").none() = nb::none(),
           nb::arg("copy").none() = nb::none())
      .def("__dlpack_device__",
           [](const device_array& array) {
             return nb::make_tuple(static_cast<int>(nb::device::cuda::value), array.device);
           })
      .def("to_numpy", to_numpy, "Return a copy on the host, as a NumPy array.")
      .def("__repr__", [](const device_array& array) {
        return fmt::format("<weft.DeviceArray {} x {} on GPU {}>", array.size, dtype_name(array.type),
                           array.device);
      });
}

} // namespace weft::python
