// weft sort, for lines of text.
#include <algorithm>
#include <cerrno>
#include <cli/line_merge.hpp>
#include <cli/program.hpp>
#include <cli/sort_halves.hpp>
#include <cli/sort_runs.hpp>
#include <cli/sort_settings.hpp>
#include <cli/task.hpp>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <unistd.h>
#include <utility>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/io/output_file.hpp>
#include <weft/sort/line_sort.hpp>

namespace weft::cli {

namespace {

// The output, with records of --csv as they were, or with the marks of --debug.
class line_output {
public:
  line_output(const arguments& given, const line_order& order)
      : file_(given.value("output")), order_(order), csv_(given.has("csv")), debug_(given.has("debug")),
        terminator_(given.has("zero-terminated") ? '\0' : '\n') {}

  void write(std::string_view lines) {
    if (debug_) return file_.write(annotated(lines, terminator_, order_));
    if (!csv_) return file_.write(lines);
    std::string records(lines);
    std::replace(records.begin(), records.end(), '\0', '\n');
    file_.write(records);
  }
  // What is not sorted.
  void write_header(std::string_view lines) {
    std::string header(lines);
    if (csv_) std::replace(header.begin(), header.end(), '\0', '\n');
    file_.write(header);
  }
  void commit() { file_.commit(); }

private:
  io::output_file file_;
  const line_order& order_;
  bool csv_, debug_;
  char terminator_;
};

// Reads until the sorter is full. False at the end of all inputs.
class text_reader {
public:
  explicit text_reader(sort_inputs inputs) : inputs_(std::move(inputs)) {}

  bool fill(line_sorter& sorter) {
    for (;;) {
      const std::span<char> room = sorter.room();
      if (room.empty()) return true;
      if (!source_) {
        if (next_ == inputs_.count()) return false;
        source_ = inputs_.open_text(next_++);
        lines_ = inputs_.num_header_lines();
      }
      const std::size_t got = source_->read(room);
      const std::uint64_t lines = sorter.num_lines();
      sorter.add(got);
      lines_ += sorter.num_lines() - lines;
      bytes_ += got;
      monitor().add(got);
      if (got == 0) {
        sorter.end_text(); // the lines of the next file are its own
        source_ = nullptr;
      }
    }
  }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  // Of the file that is read: its name, and the number of the line that is not complete.
  [[nodiscard]] std::string place() const { return fmt::format("{}:{}", source_->name(), lines_ + 1); }

private:
  sort_inputs inputs_;
  std::size_t next_ = 0;
  std::unique_ptr<io::byte_source> source_;
  std::uint64_t bytes_ = 0, lines_ = 0;
};

// A sorter with twice the memory that goes on with the unfinished line of this one.
void enlarge(std::optional<line_sorter>& sorter, sort_settings& how, const text_reader& reader) {
  if (how.merging.memory > how.memory_limit / 2)
    throw memory_error(fmt::format("{}: the line does not fit {} of memory (--memory)", reader.place(),
                                   format_size(how.memory_limit)));
  how.merging.memory *= 2;
  const std::string unfinished(sorter->unfinished_line());
  sorter.emplace(how.order, how.merging.terminator, how.merging.memory, how.sorting);
  for (std::string_view rest = unfinished; !rest.empty();) {
    const std::span<char> room = sorter->room();
    const std::size_t bytes = rest.copy(room.data(), room.size());
    sorter->add(bytes);
    rest.remove_prefix(bytes);
  }
}

// gpu: on which it has been done, or -1.
std::uint64_t sort_files(sort_inputs inputs, sort_settings& how, line_output& out, int& gpu) {
  text_reader reader(std::move(inputs));
  run_list runs(how);
  {
    std::optional<line_sorter> sorter(std::in_place, how.order, how.merging.terminator, how.merging.memory,
                                      how.sorting);
    for (bool more = true; more;) {
      more = reader.fill(*sorter);
      if (more && sorter->num_lines() == 0) {
        enlarge(sorter, how, reader);
        continue;
      }
      sorter->sort();
      if (!more && runs.empty()) {
        sorter->write([&](std::string_view lines) { out.write(lines); }, how.merging.unique);
      } else if (sorter->num_lines() > 0) {
        run_file file = runs.new_file();
        sorter->write([&](std::string_view lines) { file.write(lines); }, how.merging.unique);
        runs.add(std::move(file), sorter->longest_line());
      }
      sorter->clear();
      if (more && runs.is_full()) {
        sorter->release_memory();
        runs.make_room();
      }
    }
    gpu = sorter->gpu();
  }
  if (!runs.empty()) runs.write([&](std::string_view lines) { out.write(lines); });
  return reader.bytes();
}

// Takes memory that something else needs off the memory for sorting, of which some must be left.
void take_off(std::uint64_t& memory, std::uint64_t other) {
  memory = std::max(memory - std::min(memory, other), std::uint64_t{1} << 16);
}

// `decoder`: the memory that the decompression of one file takes.
std::uint64_t merge_files(sort_inputs inputs, sort_settings& how, std::uint64_t decoder, line_output& out) {
  run_list runs(how);
  std::size_t width = runs.width(0);
  if (decoder > 0) { // half of the memory for decompression
    width = std::clamp<std::size_t>(how.memory_limit / 2 / decoder, 2, width);
    take_off(how.merging.memory, std::min(width, inputs.count()) * decoder);
  }
  const auto open = [&](std::size_t first, std::size_t last) {
    std::vector<std::unique_ptr<io::byte_source>> result;
    for (; first < last; ++first) result.push_back(inputs.open_text(first));
    return result;
  };
  if (inputs.count() <= width) {
    (void)merge_lines(open(0, inputs.count()), how.order, how.merging,
                      [&](std::string_view lines) { out.write(lines); });
    return monitor().done();
  }
  for (std::size_t i = 0; i < inputs.count();) {
    // What is open already leaves fewer files to open.
    const std::size_t count = std::min({width, inputs.count() - i, spare_descriptors() - 1});
    run_file file = runs.new_file();
    const std::uint64_t longest = merge_lines(open(i, i + count), how.order, how.merging,
                                              [&](std::string_view lines) { file.write(lines); });
    runs.add(std::move(file), longest);
    if (runs.is_full()) runs.make_room();
    i += count;
  }
  runs.write([&](std::string_view lines) { out.write(lines); });
  return monitor().done();
}

// 0 if the lines are in order (and, if unique, no two have equal keys), else 1 and a word on standard error.
int check_file(const arguments& given, sort_inputs inputs, const sort_settings& how) {
  if (inputs.count() > 1) throw extra_operand(given, inputs.path(1)); // of --files0-from
  line_reader reader(inputs.open_text(0), how.merging.terminator, std::size_t{1} << 18, how.merging.max_line);
  std::string before;
  for (std::string_view line; reader.next(line); before = line) {
    const int order = reader.number() == 1 ? -1 : how.order.compare(before, line);
    if (order < 0 || (order == 0 && !how.merging.unique)) continue;
    if (given.value("check") == "diagnose-first") { // as sort, a file has the line as it is; else it is escaped
      const std::string message = fmt::format(
          "{}: {}:{}: disorder: {}{}", program_name(given),
          given.as_sort && reader.name() == "<stdin>" ? "-" : reader.name(),
          inputs.num_header_lines() + reader.number(), line, given.has("zero-terminated") ? '\0' : '\n');
      given.as_sort && ::isatty(STDERR_FILENO) == 0 ? say_bytes(message) : say(message);
    }
    return 1;
  }
  return 0;
}

// Before the input is read: a file that cannot be written because there is no folder for it.
void require_folder(const std::string& output) {
  if (output == "-" || ::access(output.c_str(), F_OK) == 0) return;
  std::filesystem::path folder = std::filesystem::path(output).parent_path();
  if (folder.empty()) folder = ".";
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    throw io_error(fmt::format("open failed: {}: {}", output, std::strerror(errno)));
}

} // namespace

void check_line_flags(const arguments& given) {
  if (!given.has("csv")) (void)sort_settings_of(given, {}, {});
}

int run_sort_lines(const arguments& given, sort_inputs inputs, const sort_options& options) {
  sort_settings how =
      sort_settings_of(given, given.has("csv") ? inputs.column_names() : std::vector<std::string>(), options);
  if (given.has("debug")) warn_of_keys(given, how.order);
  if (given.has("check")) return check_file(given, std::move(inputs), how);
  require_folder(given.value("output"));
  const stopwatch time;
  line_output out(given, how.order);
  std::uint64_t bytes = 0;
  int gpu = -1;
  const std::uint64_t decoder = inputs.decoder_memory();
  if (!given.has("merge")) take_off(how.merging.memory, decoder);
  {
    const progress_line progress(given, "weft sort", 1, "bytes");
    out.write_header(inputs.header());
    bytes = given.has("merge") ? merge_files(std::move(inputs), how, decoder, out)
                               : sort_files(std::move(inputs), how, out, gpu);
  }
  out.commit();
  closing_line(given, time.seconds(), with_prefix(static_cast<double>(bytes) / time.seconds()) + "bytes/s",
               given.has("merge") ? "merge" : "words", gpu);
  return 0;
}

} // namespace weft::cli
