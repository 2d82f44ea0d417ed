// sort_file: sorts files of lines and arrays of numbers as the command weft sort does.
#include <algorithm>
#include <cerrno>
#include <cli/sort_verb.hpp>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/files/array_sort.hpp>
#include <weft/files/lines/sort_files.hpp>
#include <weft/io/output_file.hpp>
#include <weft/sort/sort.hpp>

#include "arrays.hpp"
#include "bindings.hpp"

namespace weft::python {

namespace {

constexpr std::uint64_t min_memory = std::uint64_t{1} << 16;

// A file_sort holds the keyword arguments of sort_file, parsed.
struct file_sort {
  files::sort_input_options inputs;
  std::string destination;
  std::vector<std::string> keys;
  line_order_options order;
  std::vector<std::string> folders;
  std::string dtype;
  bool merge = false;
  bool has_header = false;
  std::string line_option; // an argument for lines of text that was given, or empty
};

// Returns the characters of a str or a path, which Python passes as bytes.
std::string text_of(nb::handle value, const char* name) {
  if (PyBytes_Check(value.ptr()))
    return {PyBytes_AsString(value.ptr()), static_cast<std::size_t>(PyBytes_Size(value.ptr()))};
  std::string text;
  if (!nb::try_cast(value, text)) throw nb::type_error(fmt::format("{} must be a str", name).c_str());
  return text;
}

// Returns the path of a file. The name "-" is that of a file here.
std::string path_of(nb::handle value, const char* name) {
  std::string path = text_of(value, name);
  if (path.empty()) throw io_error("open", path, ENOENT);
  if (path.find('\0') != std::string::npos)
    throw nb::value_error(fmt::format("{} must not contain zero bytes", name).c_str());
  return path == "-" ? "./-" : path;
}

// Reads the keyword arguments, which a dictionary holds.
class option_reader {
public:
  option_reader(const nb::dict& options, file_sort& task) : options_(options), task_(task) {}

  // Returns the argument, or None. An argument other than None and False that is for `lines` is noted.
  nb::object get(const char* name, bool lines = true) {
    nb::object value = options_[name];
    if (lines && !value.is_none() && value.ptr() != Py_False) task_.line_option = name;
    return value;
  }
  bool flag(const char* name, bool lines = true) {
    const nb::object value = get(name, lines);
    if (!PyBool_Check(value.ptr())) throw nb::type_error(fmt::format("{} must be a bool", name).c_str());
    return value.ptr() == Py_True;
  }
  std::string text(const char* name, bool lines = true) {
    const nb::object value = get(name, lines);
    return value.is_none() ? std::string() : text_of(value, name);
  }
  std::vector<std::string> texts(const char* name) {
    std::vector<std::string> result;
    const nb::object values = get(name);
    if (values.is_none()) return result;
    for (const nb::handle value : values) result.push_back(text_of(value, name));
    return result;
  }

private:
  const nb::dict& options_;
  file_sort& task_;
};

// Returns the number of bytes that the argument `memory` stands for; 0: not given.
std::uint64_t memory_of(nb::handle value) {
  if (value.is_none()) return 0;
  std::uint64_t bytes = 0;
  if (PyIndex_Check(value.ptr()) == 0) return parse_size(text_of(value, "memory"));
  if (!nb::try_cast(value, bytes) || bytes == 0)
    throw nb::value_error("memory must be a positive number of bytes, or a str such as \"256M\"");
  return bytes;
}

// Returns the byte that separates fields, or -1 for blanks.
int separator_of(nb::handle value, bool csv) {
  if (value.is_none()) return csv ? ',' : -1;
  const std::string text = text_of(value, "field_separator");
  if (text.size() != 1)
    throw nb::value_error(fmt::format("field_separator must be one byte, not '{}'", text).c_str());
  const char byte = text[0];
  if (csv && (byte == '"' || byte == '\n' || byte == '\0'))
    throw nb::value_error("with csv, field_separator must not be a quote, a newline or a zero byte");
  return static_cast<unsigned char>(byte);
}

line_order_options order_of(option_reader& options) {
  line_order_options order;
  order.ignore_blanks = options.flag("ignore_leading_blanks");
  order.dictionary = options.flag("dictionary_order");
  order.fold_case = options.flag("ignore_case");
  order.printable = options.flag("ignore_nonprinting");
  order.numeric = options.flag("numeric");
  order.general_numeric = options.flag("general_numeric");
  order.human_numeric = options.flag("human_numeric");
  order.month = options.flag("month");
  order.random = options.flag("random");
  order.version = options.flag("version");
  order.unique = options.flag("unique");
  order.csv = options.flag("csv");
  order.reverse = options.flag("reverse", false);
  order.stable = options.flag("stable", false);
  order.separator = separator_of(options.get("field_separator"), order.csv);
  return order;
}

// Returns the name of a type as the files of arrays have it: "u64" for "u64" and for "uint64".
std::string element_name(const std::string& name) {
  for (const io::element_type type :
       {io::element_type::u8, io::element_type::u16, io::element_type::u32, io::element_type::u64,
        io::element_type::i8, io::element_type::i16, io::element_type::i32, io::element_type::i64,
        io::element_type::f32, io::element_type::f64})
    if (name == dtype_name(type)) return std::string(io::name_of(type));
  if (!name.empty()) (void)io::parse_element_type(name); // throws for a name that is unknown
  return name;
}

file_sort read_task(nb::handle sources, nb::handle destination, const nb::dict& arguments) {
  file_sort task;
  option_reader options(arguments, task);
  for (const nb::handle source : sources) task.inputs.paths.push_back(path_of(source, "src"));
  if (task.inputs.paths.empty()) throw nb::value_error("src must name at least one file");
  task.destination = path_of(destination, "dst");
  task.order = order_of(options);
  task.keys = options.texts("key");
  task.folders = options.texts("temporary_directory");
  if (task.folders.empty()) task.folders.emplace_back();
  task.merge = options.flag("merge");
  task.dtype = element_name(options.text("dtype", false));
  task.inputs.decompress = options.flag("decompress", false);
  task.inputs.csv = task.order.csv;
  task.inputs.zero_terminated = options.flag("zero_terminated");
  if (task.inputs.csv && task.inputs.zero_terminated)
    throw nb::value_error("csv cannot be combined with zero_terminated, because records end with newlines");
  if (task.inputs.csv) task.inputs.separator = static_cast<char>(task.order.separator);
  task.inputs.header_lines = task.inputs.csv ? 1 : 0;
  if (const nb::object header = options.get("header"); !header.is_none()) {
    if (PyBool_Check(header.ptr()) || !nb::try_cast(header, task.inputs.header_lines))
      throw nb::type_error("header must be None or a number of lines, at least 0");
  }
  task.inputs.memory = memory_of(options.get("memory", false));
  return task;
}

// Returns the size of all inputs together, for the progress.
std::uint64_t total_size(const std::vector<std::string>& paths) {
  std::uint64_t total = 0;
  for (const std::string& path : paths) {
    std::error_code fault;
    const std::uintmax_t size = std::filesystem::file_size(path, fault);
    if (!fault) total += size;
  }
  return total;
}

// Throws io_error, with the number of the error, if a file does not exist or may not be read. Called before
// anything is read, so that no work is lost.
void require_files(const std::vector<std::string>& paths) {
  for (const std::string& path : paths)
    if (::access(path.c_str(), R_OK) != 0) throw io_error("read", path, errno);
}

// Throws io_error if a file cannot be created because its folder is missing or closed to writing.
void require_folder(const std::string& path) {
  if (::access(path.c_str(), F_OK) == 0) return;
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) folder = ".";
  if (::access(folder.c_str(), W_OK | X_OK) != 0) throw io_error("write", path, errno);
}

files::sort_settings settings_of(const file_sort& task, line_order order, const run_options& run) {
  const std::uint64_t limit =
      std::max(task.inputs.memory > 0 ? task.inputs.memory : memory_limit(0) / 8 * 5, min_memory);
  const std::uint64_t max_line = std::max(limit / 16, std::uint64_t{1} << 21); // a merge has up to 16 buffers
  const char terminator = task.inputs.zero_terminated || task.inputs.csv ? '\0' : '\n';
  files::sort_settings settings{std::move(order),
                                {terminator, task.order.unique, limit, max_line, run.monitor, "memory"},
                                limit,
                                {.run = run},
                                task.folders,
                                {},
                                ~std::uint64_t{0}};
  settings.sorting.run.engine = "auto"; // `words` is the engine of lines, which numbers do not have
  return settings;
}

void sort_lines(const file_sort& task, files::sort_inputs inputs, const run_options& run) {
  if (run.engine != "auto" && run.engine != "words")
    throw error(
        errc::invalid_input,
        fmt::format("engine {} is for arrays of numbers: for lines of text, pass \"words\" or \"auto\"",
                    run.engine));
  if (task.merge && run.device.kind == device_kind::gpu)
    throw error(errc::invalid_input, "merge runs only on the CPU: leave out device");
  line_order order(task.order, task.order.csv ? cli::csv_keys(task.keys, inputs.column_names()) : task.keys);
  files::sort_settings settings = settings_of(task, std::move(order), run);
  settings.decoder_memory = inputs.decoder_memory();
  io::output_file out(task.destination);
  const auto write = [&](std::string_view lines) {
    base_detail::check_cancelled(run);
    if (!task.inputs.csv) return out.write(lines);
    std::string records(lines); // whose ends are zero bytes
    std::replace(records.begin(), records.end(), '\0', '\n');
    out.write(records);
  };
  write(inputs.header());
  if (task.merge)
    (void)merge_files(std::move(inputs), std::move(settings), write);
  else
    (void)sort_files(std::move(inputs), std::move(settings), write);
  base_detail::check_cancelled(run);
  out.commit();
}

void sort_numbers(const file_sort& task, files::sort_inputs inputs, const run_options& run) {
  if (!task.line_option.empty())
    throw error(errc::invalid_input,
                fmt::format("{} can be used only for lines of text, not for arrays", task.line_option));
  if (inputs.count() > 1) throw error(errc::invalid_input, "sort_file can sort only one array at a time");
  const std::uint64_t limit = memory_limit(task.inputs.memory);
  files::number_array numbers = files::read_array(inputs.open_array(0), inputs.path(0), task.dtype, limit);
  base_detail::check_cancelled(run);
  if (run.monitor != nullptr) run.monitor->set_total(numbers.count);
  const files::array_task kind = task.order.stable ? files::array_task::stable_sort : files::array_task::sort;
  files::require_sort_memory(numbers, nullptr, kind, {.run = run}, limit);
  (void)files::sort_array(numbers, nullptr, kind, task.order.reverse, {.run = run});
  io::output_file out(task.destination);
  if (numbers.npy) out.write(io::npy_header({numbers.type, numbers.count}));
  constexpr std::size_t piece = std::size_t{1} << 24;
  for (std::string_view rest = numbers.bytes; !rest.empty();
       rest.remove_prefix(std::min(piece, rest.size()))) {
    base_detail::check_cancelled(run);
    out.write(rest.substr(0, piece));
  }
  base_detail::check_cancelled(run);
  out.commit();
}

void sort_file(nb::handle sources, nb::handle destination, const nb::dict& options,
               const nb::tuple& arguments) {
  call started(arguments);
  started.refuse_stream("a file");
  file_sort task = read_task(sources, destination, options);
  if (!task.order.csv) (void)line_order(task.order, task.keys); // reports errors before anything is read
  constexpr double unknown_cost = 1e9;
  const std::uint64_t total = total_size(task.inputs.paths);
  started.execute(
      unknown_cost, total,
      [task = std::move(task)](const run_options& run) {
        run_options checked = run;
        if (checked.engine == "words") checked.engine = "auto";
        check_sort_options({.run = checked});
        require_files(task.inputs.paths);
        files::sort_inputs inputs(task.inputs);
        const bool array =
            !task.dtype.empty() || task.inputs.paths.front().ends_with(".npy") || inputs.begins_with_npy();
        require_folder(task.destination);
        array ? sort_numbers(task, std::move(inputs), run) : sort_lines(task, std::move(inputs), run);
      },
      when_cancelled::leave);
}

// A cancelled call may leave work on a thread of its own. If the process ends before that work, the temporary
// files of this process are deleted here. A child process after fork() deletes nothing.
const pid_t loading_process = ::getpid();
void delete_temporaries() {
  if (::getpid() == loading_process) io::remove_temporaries();
}

} // namespace

void bind_sort_file(nb::module_& module) {
  std::atexit(delete_temporaries);
  module.def("sort_file", sort_file, nb::arg("sources"), nb::arg("destination"), nb::arg("options"),
             nb::arg("run"));
}

} // namespace weft::python
