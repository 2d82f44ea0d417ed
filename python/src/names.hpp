// Names of sequences, motifs and files: str objects of Python, and bytes, which need not be UTF-8.
#pragma once

#include <nanobind/nanobind.h>
#include <string>
#include <string_view>
#include <vector>

namespace weft::python {

namespace nb = nanobind;

// Returns the str of a name. Bytes that are not UTF-8 become lone surrogates, as in os.fsdecode().
[[nodiscard]] inline nb::object str_of(std::string_view bytes) {
  PyObject* const text =
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "surrogateescape");
  if (text == nullptr) throw nb::python_error();
  return nb::steal(text);
}

// Returns the bytes of a str that str_of() may have returned. Throws TypeError for any other object.
[[nodiscard]] inline std::string bytes_of(nb::handle name) {
  if (PyUnicode_Check(name.ptr()) == 0) throw nb::type_error("names and patterns must be str");
  Py_ssize_t size = 0;
  if (const char* const text = PyUnicode_AsUTF8AndSize(name.ptr(), &size); text != nullptr)
    return {text, static_cast<std::size_t>(size)};
  PyErr_Clear();
  PyObject* const encoded = PyUnicode_AsEncodedString(name.ptr(), "utf-8", "surrogateescape");
  if (encoded == nullptr) throw nb::python_error();
  const nb::bytes bytes = nb::steal<nb::bytes>(encoded);
  return {bytes.c_str(), bytes.size()};
}

// Returns the path of a file. Throws ValueError for a path with a zero byte, as open() of Python does.
[[nodiscard]] inline std::string path_of(const nb::bytes& path) {
  std::string name(path.c_str(), path.size());
  if (name.find('\0') != std::string::npos) throw nb::value_error("path must not contain zero bytes");
  return name;
}

// Returns a list of str.
[[nodiscard]] inline nb::list list_of(const std::vector<std::string>& names) {
  nb::list list;
  for (const std::string& name : names) list.append(str_of(name));
  return list;
}

// Returns the bytes of each str of an iterable object.
[[nodiscard]] inline std::vector<std::string> strings_of(nb::handle names) {
  std::vector<std::string> strings;
  for (const nb::handle name : nb::borrow<nb::object>(names)) strings.push_back(bytes_of(name));
  return strings;
}

} // namespace weft::python
