// Files of sequences, and the columns of a batch of sequences.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <mutex>
#include <nanobind/stl/string.h>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>
#include <weft/io/sequence_reader.hpp>

#include "bindings.hpp"
#include "device_arrays.hpp"
#include "names.hpp"
#include "sequences.hpp"

namespace weft::python {

namespace {

// A source that reports to a monitor which part of the file has been read, and stops when it is cancelled.
class monitored_source final : public io::byte_source {
public:
  explicit monitored_source(std::unique_ptr<io::byte_source> source) : source_(std::move(source)) {}
  // Sets the monitor for the following reads; null: none.
  void set_monitor(task_monitor* monitor) noexcept { monitor_ = monitor; }

  std::size_t read(std::span<char> out) override {
    if (monitor_ == nullptr) return source_->read(out);
    monitor_->check();
    const std::uint64_t before = source_->position();
    const std::size_t size = source_->read(out);
    monitor_->check();
    monitor_->add(source_->position() - before);
    return size;
  }
  const std::string& name() const noexcept override { return source_->name(); }
  io::compression kind() const noexcept override { return source_->kind(); }
  std::uint64_t position() const noexcept override { return source_->position(); }
  std::uint64_t size() const noexcept override { return source_->size(); }

private:
  std::unique_ptr<io::byte_source> source_;
  task_monitor* monitor_ = nullptr;
};

// A file of sequences that is being read.
class file_reader {
public:
  explicit file_reader(const std::string& path) : file_reader(open(path)) {}

  // Reads as sequence_reader::read().
  bool read(io::sequence_chunk& chunk, std::uint64_t residues, const run_options& run) {
    source_->set_monitor(run.monitor);
    const bool more = reader_.read(chunk, residues);
    source_->set_monitor(nullptr);
    return more;
  }
  [[nodiscard]] std::uint64_t size() const { return source_->size(); }

private:
  explicit file_reader(std::unique_ptr<monitored_source> source)
      : source_(source.get()), reader_(std::move(source)) {}
  static std::unique_ptr<monitored_source> open(const std::string& path) {
    return std::make_unique<monitored_source>(io::open_bytes(path));
  }

  monitored_source* source_; // owned by reader_
  io::sequence_reader reader_;
};

// Returns an array that cannot be written. `kept` keeps the memory alive.
template <class T> nb::object constant_array(const void* items, std::uint64_t size, memory_owner kept) {
  static constexpr T none{};
  auto* const held = new memory_owner(std::move(kept));
  const nb::capsule owner(held, [](void* pointer) noexcept { delete static_cast<memory_owner*>(pointer); });
  const T* const first = size == 0 ? &none : static_cast<const T*>(items);
  return nb::cast(nb::ndarray<nb::numpy, const T>(first, {static_cast<std::size_t>(size)}, owner));
}

// Returns (data, offsets, names, descriptions). The arrays take over the residues and the offsets.
nb::tuple columns_of(io::sequence_chunk chunk) {
  const nb::list names = list_of(chunk.names), descriptions = list_of(chunk.descriptions);
  const auto kept = std::make_shared<io::sequence_chunk>(std::move(chunk));
  return nb::make_tuple(constant_array<std::uint8_t>(kept->residues.data(), kept->residues.size(), kept),
                        constant_array<std::uint64_t>(kept->offsets.data(), kept->offsets.size(), kept),
                        names, descriptions);
}

// Returns the size of a regular file, and 0 for a pipe and for a file that cannot be read.
std::uint64_t size_of(const std::string& path) {
  std::error_code fault;
  if (path == "-" || !std::filesystem::is_regular_file(path, fault)) return 0;
  const std::uint64_t size = std::filesystem::file_size(path, fault);
  return fault ? 0 : size;
}

// Returns a rough time for reading bytes of a file of this size, in nanoseconds. A pipe, which has the size
// 0, may keep the reader waiting for any time.
double read_cost(std::uint64_t bytes, std::uint64_t size) {
  return size == 0 ? 1e9 : 30.0 * static_cast<double>(std::min(bytes, size));
}

// Returns the file at a path. Opening a file reads its first bytes, for which a pipe may have to be waited
// for.
std::shared_ptr<file_reader> open_file(const std::string& path, call& started) {
  return started.execute(
      read_cost(1, size_of(path)), 0,
      [path](const run_options&) { return std::make_shared<file_reader>(path); }, when_cancelled::leave);
}

// Reads the next chunk of a file, of at least one record. Returns nothing at the end. The file must not be
// used after an exception, because the task that reads it may still run.
std::optional<io::sequence_chunk> read_chunk(const std::shared_ptr<file_reader>& file, std::uint64_t residues,
                                             call& started) {
  return started.execute(
      read_cost(residues, file->size()), file->size(),
      [file, residues](const run_options& run) {
        std::optional<io::sequence_chunk> chunk(std::in_place);
        if (!file->read(*chunk, residues, run)) chunk.reset();
        return chunk;
      },
      when_cancelled::leave);
}

nb::tuple read_file(const nb::bytes& path, const nb::tuple& arguments) {
  call started(arguments), opening(nb::make_tuple("auto", "auto", 0, nb::none(), nb::none()));
  const std::shared_ptr<file_reader> file = open_file(path_of(path), opening);
  std::optional<io::sequence_chunk> chunk = read_chunk(file, ~std::uint64_t{0}, started);
  return columns_of(chunk ? std::move(*chunk) : io::sequence_chunk());
}

// The chunks of a file, one after another.
class chunk_stream {
public:
  chunk_stream(const nb::bytes& path, const nb::tuple& arguments) {
    call opening(arguments);
    file_ = open_file(path_of(path), opening);
  }

  // Returns the columns of the next chunk, or None at the end and after an exception.
  nb::object next(std::uint64_t residues, const nb::tuple& arguments) {
    call started(arguments);
    const std::shared_ptr<file_reader> file = exchange(nullptr);
    if (!file) return nb::none();
    std::optional<io::sequence_chunk> chunk = read_chunk(file, residues, started);
    if (!chunk) return nb::none();
    (void)exchange(file);
    return columns_of(std::move(*chunk));
  }

private:
  std::shared_ptr<file_reader> exchange(std::shared_ptr<file_reader> file) {
    const std::lock_guard lock(mutex_);
    return std::exchange(file_, std::move(file));
  }

  std::mutex mutex_;
  std::shared_ptr<file_reader> file_; // null while a thread reads, at the end, and after an exception
};

// Returns (data, offsets, names) of a batch. If `single`, a str, bytes or array of bytes is one sequence.
nb::tuple sequence_columns(nb::handle value, const char* name, bool single, const nb::tuple& arguments) {
  call started(arguments);
  if (is_device_array(value)) refuse_device_array("weft.Sequences");
  if (single && (PyUnicode_Check(value.ptr()) != 0 || PyObject_CheckBuffer(value.ptr()) != 0)) {
    const text_argument text = read_text(value, name, {io::element_type::u8}, started);
    const auto offsets = std::make_shared<std::vector<std::uint64_t>>();
    *offsets = {0, text.symbols.size};
    return nb::make_tuple(
        constant_array<std::uint8_t>(text.symbols.data, text.symbols.size, text.symbols.kept),
        constant_array<std::uint64_t>(offsets->data(), 2, offsets), nb::list());
  }
  sequences_argument batch = read_sequences(value, name, started);
  if (batch.on_gpu) refuse_device_array("weft.Sequences");
  static constexpr std::uint64_t zero = 0;
  if (batch.offsets.size == 0) {
    batch.offsets.data = const_cast<std::uint64_t*>(&zero);
    batch.offsets.size = 1;
  }
  return nb::make_tuple(
      constant_array<std::uint8_t>(batch.data.data, batch.data.size, batch.data.kept),
      constant_array<std::uint64_t>(batch.offsets.data, batch.offsets.size, batch.offsets.kept),
      list_of(batch.names));
}

} // namespace

void bind_sequence_files(nb::module_& module) {
  module.def("read_sequences", read_file, nb::arg("path"), nb::arg("run"));
  module.def("sequence_columns", sequence_columns, nb::arg("value").none(), nb::arg("name"),
             nb::arg("single"), nb::arg("run"));
  nb::class_<chunk_stream>(module, "SequenceChunks")
      .def(nb::init<const nb::bytes&, const nb::tuple&>(), nb::arg("path"), nb::arg("run"))
      .def("next", &chunk_stream::next, nb::arg("residues"), nb::arg("run"));
}

} // namespace weft::python
