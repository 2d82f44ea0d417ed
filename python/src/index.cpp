// weft::fm_index: how an index is built, opened, saved and pickled, and what it says about its records.
#include "index.hpp"
#include "names.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <nanobind/stl/string.h>
#include <optional>
#include <span>
#include <string>
#include <vector>
#include <weft/base/device.hpp>
#include <weft/base/engines.hpp>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/files/find/index_files.hpp>
#include <weft/files/find/patterns.hpp>
#include <weft/io/output_file.hpp>

#include "bindings.hpp"
#include "device_arrays.hpp"
#include "integers.hpp"
#include "names.hpp"
#include "sequences.hpp"

namespace weft::python {

const index_object::name_map& index_object::records_by_name() const {
  std::call_once(is_collected_, [this] {
    for (std::uint64_t record = 0; record < index_.num_records(); ++record) {
      const auto [found, is_new] = records_by_name_.try_emplace(index_.name(record), record, false);
      if (!is_new) found->second.second = true;
    }
  });
  return records_by_name_;
}

namespace {

// Rough costs of building, for a symbol, and of checking a file, for a byte, in nanoseconds.
constexpr double build_cost = 200, check_cost = 0.3;

// Throws a Python exception. `format` has a %R for the record. Unlike the exceptions of nanobind, whose
// messages must be UTF-8, the exception can name a record whose name is not.
[[noreturn]] void raise_for(PyObject* type, const char* format, nb::handle record) {
  PyErr_Format(type, format, record.ptr());
  throw nb::python_error();
}

const char* name_of(fm_alphabet alphabet) {
  return alphabet == fm_alphabet::dna ? "dna" : alphabet == fm_alphabet::protein ? "protein" : "bytes";
}

// The keyword arguments of a build. Without an alphabet, it is guessed.
struct build_arguments {
  std::optional<fm_alphabet> alphabet;
  fm_build_options options;

  // `choices` is the tuple (alphabet, sa_sample_rate, bidirectional).
  explicit build_arguments(const nb::tuple& choices) {
    const std::string name = read_str(choices[0], "alphabet");
    for (const fm_alphabet known : {fm_alphabet::dna, fm_alphabet::protein, fm_alphabet::bytes})
      if (name == name_of(known)) alphabet = known;
    if (!alphabet && name != "auto")
      throw nb::value_error(
          fmt::format("alphabet must be \"auto\", \"dna\", \"protein\" or \"bytes\", not \"{}\"", name)
              .c_str());
    options.sa_sample_rate = static_cast<std::uint32_t>(read_integer(choices[1], "sa_sample_rate", 1024));
    options.contexts = nb::cast<bool>(choices[2]);
  }

  // Returns the options for the references, as the command `weft index` chooses them.
  [[nodiscard]] fm_build_options options_for(std::string_view references, const run_options& run) const {
    fm_build_options result = options;
    result.run = run;
    result.alphabet = alphabet ? *alphabet : files::guess_alphabet(references, run.threads);
    if (result.contexts && result.alphabet != fm_alphabet::dna)
      throw error(errc::invalid_input,
                  fmt::format("bidirectional can be used only with DNA, but the alphabet is "
                              "{}: pass alphabet=\"dna\" if the sequences are DNA",
                              name_of(result.alphabet)));
    return result;
  }
};

index_object build(nb::handle sequences, nb::handle names, const nb::tuple& choices,
                   const nb::tuple& arguments) {
  call started(arguments);
  sequences_argument batch = read_sequences(sequences, "seqs", started);
  if (batch.on_gpu) refuse_device_array("weft.FMIndex.build");
  if (!names.is_none()) {
    if (PyUnicode_Check(names.ptr()) != 0)
      throw nb::type_error("names must be a list of str, not a str: put a single name in a list");
    batch.names.clear();
    for (const nb::handle name : nb::borrow<nb::object>(names)) batch.names.push_back(bytes_of(name));
    if (batch.names.size() != batch.count())
      throw nb::value_error(
          fmt::format("there are {} names for {} sequences; give as many names as sequences",
                      batch.names.size(), batch.count())
              .c_str());
  }
  const std::uint64_t size = batch.data.size;
  const build_arguments given(choices);
  return index_object(
      started.execute(static_cast<double>(size) * build_cost, size, [&](const run_options& run) {
        sequences_view references = batch.view();
        const fm_build_options options = given.options_for(references.data, run);
        std::string as_dna;
        if (options.alphabet == fm_alphabet::dna && files::has_u(references.data)) {
          as_dna = references.data;
          files::replace_u_by_t(as_dna, run.threads);
          references.data = as_dna;
        }
        return fm_index::build(references, options);
      }));
}

// `paths` is a list of bytes. The build may be left running, because a pipe may have to be waited for.
index_object build_from_files(const nb::list& paths, const nb::tuple& choices, const nb::tuple& arguments) {
  call started(arguments);
  started.refuse_stream("a file");
  std::vector<std::string> names;
  for (const nb::handle path : paths) names.push_back(path_of(nb::cast<nb::bytes>(path)));
  const double unknown_cost = 1e9;
  return index_object(started.execute(
      unknown_cost, 0,
      [names = std::move(names), given = build_arguments(choices)](const run_options& run) {
        const bool on_gpu = base_detail::has_usable_gpu(run.device);
        files::reference_set references = files::read_references(names, memory_limit(0), on_gpu);
        if (run.monitor != nullptr) run.monitor->set_total(references.text.size());
        const fm_build_options options = given.options_for(references.text, run);
        if (options.alphabet == fm_alphabet::dna) files::replace_u_by_t(references.text, run.threads);
        return fm_index::build(references, options);
      },
      when_cancelled::leave));
}

index_object open(const nb::bytes& path, const nb::tuple& arguments) {
  call started(arguments);
  std::string name = path_of(path);
  std::error_code failure;
  const std::uintmax_t size = std::filesystem::file_size(name, failure);
  return index_object(started.execute(
      failure ? 0 : static_cast<double>(size) * check_cost, 0,
      [name = std::move(name)](const run_options&) { return files::open_index(name); },
      when_cancelled::leave));
}

// Writes the index in pieces, between which the call can be interrupted.
void save(const index_object& self, const nb::bytes& path, const nb::tuple& arguments) {
  call started(arguments);
  const std::string name = path_of(path);
  if (name.empty() || name == "-")
    throw nb::value_error("path must be the name of a file, not empty or \"-\"");
  const std::span<const char> bytes = self.index().bytes();
  started.execute(static_cast<double>(bytes.size()), bytes.size(), [&](const run_options& run) {
    constexpr std::size_t piece = std::size_t{1} << 24;
    io::output_file out(name);
    for (std::size_t begin = 0; begin < bytes.size(); begin += piece) {
      const std::size_t size = std::min(piece, bytes.size() - begin);
      out.write({bytes.data() + begin, size});
      if (run.monitor == nullptr) continue;
      run.monitor->add(size);
      run.monitor->check();
    }
    out.commit();
  });
}

// Returns the bytes of the index as a read-only array of uint8, which keeps the index alive.
numpy_object index_bytes(const index_object& self) {
  auto* const held = new fm_index(self.index());
  const nb::capsule owner(held, [](void* index) noexcept { delete static_cast<fm_index*>(index); });
  const std::span<const char> bytes = held->bytes();
  return nb::borrow<numpy_object>(nb::cast(nb::ndarray<nb::numpy, const std::uint8_t>(
      reinterpret_cast<const std::uint8_t*>(bytes.data()), {bytes.size()}, owner)));
}

// Returns the index in `data`, which must not change. Copies bytes that are not aligned.
index_object from_bytes(nb::handle data, const nb::tuple& arguments) {
  call started(arguments);
  array_argument bytes = read_array(data, "data", {io::element_type::u8}, access::read, started);
  if (bytes.on_gpu()) refuse_device_array("weft.FMIndex.from_bytes");
  const auto size = static_cast<std::size_t>(bytes.size);
  if (reinterpret_cast<std::uintptr_t>(bytes.data) % sizeof(std::uint64_t) != 0) {
    const auto copy = std::make_shared<std::vector<std::uint64_t>>(size / sizeof(std::uint64_t) + 1);
    std::memcpy(copy->data(), bytes.data, size);
    bytes.data = copy->data();
    bytes.kept = copy;
  }
  return index_object(started.execute(
      static_cast<double>(size) * check_cost, 0,
      [bytes, size](const run_options&) {
        return fm_index::from_bytes({static_cast<const char*>(bytes.data), size}, bytes.kept);
      },
      when_cancelled::leave));
}

// Returns letters [begin, end) of a record; None as `end` is the end of the record.
nb::bytes extract(const index_object& self, nb::handle record, nb::handle begin, nb::handle end) {
  constexpr std::uint64_t piece = std::uint64_t{1} << 24;
  const std::uint64_t number = self.record_of(record), length = self.index().length(number);
  const std::uint64_t last = end.is_none() ? length : read_integer(end, "end", length);
  const std::uint64_t first = read_integer(begin, "begin", last);
  nb::bytes result =
      nb::steal<nb::bytes>(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(last - first)));
  if (!result.is_valid()) throw nb::python_error();
  char* const letters = PyBytes_AsString(result.ptr());
  for (std::uint64_t at = first; at < last; at += piece) {
    if (at > first && PyErr_CheckSignals() != 0) throw nb::python_error();
    std::optional<nb::gil_scoped_release> released;
    if (last - first > piece / 1024) released.emplace();
    const std::string part = self.index().extract(number, at, std::min(last, at + piece));
    std::copy(part.begin(), part.end(), letters + (at - first));
  }
  return result;
}

nb::tuple names_of(const index_object& self) {
  const std::uint64_t count = self.index().num_records();
  nb::list names;
  for (std::uint64_t record = 0; record < count; ++record) names.append(str_of(self.index().name(record)));
  return nb::tuple(names);
}

numpy_object lengths_of(const index_object& self) {
  std::vector<std::uint64_t> lengths(self.index().num_records());
  for (std::uint64_t record = 0; record < lengths.size(); ++record)
    lengths[record] = self.index().length(record);
  return numpy_array(std::move(lengths));
}

} // namespace

std::uint64_t index_object::record_of(nb::handle record) const {
  if (PyUnicode_Check(record.ptr()) != 0) {
    const std::string name = bytes_of(record);
    const auto found = records_by_name().find(name);
    if (found == records_by_name().end()) raise_for(PyExc_KeyError, "no record has the name %R", record);
    if (found->second.second)
      raise_for(PyExc_ValueError, "several records have the name %R: give the number of the record", record);
    return found->second.first;
  }
  if (PyIndex_Check(record.ptr()) == 0)
    throw nb::type_error("record must be the name or the number of a record");
  const std::uint64_t count = index_.num_records();
  const nb::object number = nb::steal(PyNumber_Index(record.ptr()));
  if (!number.is_valid()) throw nb::python_error();
  const unsigned long long result = PyLong_AsUnsignedLongLong(number.ptr());
  const bool is_out_of_range = PyErr_Occurred() != nullptr;
  PyErr_Clear();
  if (is_out_of_range || result >= count)
    throw nb::index_error(
        count == 0
            ? "the index has no records"
            : fmt::format("record must be from 0 to {}: the index has {} records", count - 1, count).c_str());
  return result;
}

bool index_object::has_name(nb::handle name) const {
  return PyUnicode_Check(name.ptr()) != 0 && records_by_name().contains(bytes_of(name));
}

void bind_index(nb::module_& module) {
  nb::class_<index_object> index(module, "FMIndex");
  index.def_static("build", build, nb::arg("seqs").none(), nb::arg("names").none(), nb::arg("choices"),
                   nb::arg("run"));
  index.def_static("build_from_files", build_from_files, nb::arg("paths"), nb::arg("choices"),
                   nb::arg("run"));
  index.def_static("open", open, nb::arg("path"), nb::arg("run"));
  index.def_static("from_bytes", from_bytes, nb::arg("data"), nb::arg("run"));
  index.def("save", save, nb::arg("path"), nb::arg("run"));
  index.def("as_array", index_bytes);
  index.def("extract", extract, nb::arg("record"), nb::arg("begin"), nb::arg("end").none());
  index.def("names", names_of);
  index.def("lengths", lengths_of);
  index.def("has_name", &index_object::has_name, nb::arg("name").none());
  index.def("alphabet", [](const index_object& self) { return name_of(self.index().alphabet()); });
  index.def("num_records", [](const index_object& self) { return self.index().num_records(); });
  index.def("num_symbols", [](const index_object& self) { return self.index().num_symbols(); });
  index.def("sa_sample_rate", [](const index_object& self) { return self.index().sa_sample_rate(); });
  index.def("has_contexts", [](const index_object& self) { return self.index().has_contexts(); });
  bind_index_search(index);
}

} // namespace weft::python
