// weft sort for lines of text.
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

// The output. Writes records of --csv with their newlines, and adds the marks of --debug.
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
  // Writes lines that are not sorted.
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

// Reads the inputs, one after another, into sorters.
class text_reader {
public:
  explicit text_reader(sort_inputs inputs) : inputs_(std::move(inputs)) {}

  // Reads until the sorter is full. Returns false at the end of all inputs.
  bool fill(line_sorter& sorter) {
    for (;;) {
      const std::span<char> free_space = sorter.free_space();
      if (free_space.empty()) return true;
      if (!source_) {
        if (next_ == inputs_.count()) return false;
        source_ = inputs_.open_text(next_++);
        lines_ = inputs_.num_header_lines();
      }
      const std::size_t bytes_read = source_->read(free_space);
      const std::uint64_t lines = sorter.num_lines();
      sorter.add(bytes_read);
      lines_ += sorter.num_lines() - lines;
      bytes_ += bytes_read;
      monitor().add(bytes_read);
      if (bytes_read == 0) {
        sorter.end_text(); // a line does not continue in the next file
        source_ = nullptr;
      }
    }
  }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  // Returns the name of the current file and the number of its unfinished line, for messages.
  [[nodiscard]] std::string location() const { return fmt::format("{}:{}", source_->name(), lines_ + 1); }

private:
  sort_inputs inputs_;
  std::size_t next_ = 0;
  std::unique_ptr<io::byte_source> source_;
  std::uint64_t bytes_ = 0, lines_ = 0;
};

// Replaces the sorter by one with twice the memory, which continues with the unfinished line. Throws
// memory_error if this exceeds the limit.
void enlarge(std::optional<line_sorter>& sorter, sort_settings& settings, const text_reader& reader) {
  if (settings.merging.memory > settings.memory_limit / 2)
    throw memory_error(fmt::format("{}: the line does not fit in {} of memory (set --memory to allow "
                                   "more)",
                                   reader.location(), format_size(settings.memory_limit)));
  settings.merging.memory *= 2;
  const std::string unfinished(sorter->unfinished_line());
  settings.sorting.run.memory = settings.merging.memory;
  sorter.emplace(settings.order, settings.merging.terminator, settings.sorting);
  for (std::string_view rest = unfinished; !rest.empty();) {
    const std::span<char> free_space = sorter->free_space();
    const std::size_t bytes = rest.copy(free_space.data(), free_space.size());
    sorter->add(bytes);
    rest.remove_prefix(bytes);
  }
}

// Sorts the lines of all inputs. Sets `gpu` to the GPU that has sorted, or to -1. Returns the number of bytes
// read.
std::uint64_t sort_files(sort_inputs inputs, sort_settings& settings, line_output& out, int& gpu) {
  text_reader reader(std::move(inputs));
  gpu = -1;
  run_list runs(settings);
  {
    weft::run_info used;
    settings.sorting.run.monitor = nullptr; // the progress is in bytes
    settings.sorting.run.info = &used;
    settings.sorting.run.memory = settings.merging.memory;
    std::optional<line_sorter> sorter(std::in_place, settings.order, settings.merging.terminator,
                                      settings.sorting);
    for (bool more = true; more;) {
      more = reader.fill(*sorter);
      if (more && sorter->num_lines() == 0) {
        enlarge(sorter, settings, reader);
        continue;
      }
      sorter->sort();
      gpu = std::max(gpu, gpu_of(used));
      if (!more && runs.empty()) {
        sorter->write([&](std::string_view lines) { out.write(lines); }, settings.merging.unique);
      } else if (sorter->num_lines() > 0) {
        run_file file = runs.new_file();
        sorter->write([&](std::string_view lines) { file.write(lines); }, settings.merging.unique);
        runs.add(std::move(file), sorter->longest_line());
      }
      sorter->clear();
      if (more && runs.is_full()) {
        sorter->release_memory();
        runs.merge_until_not_full();
      }
    }
  }
  if (!runs.empty()) runs.write([&](std::string_view lines) { out.write(lines); });
  return reader.bytes();
}

// Subtracts memory that something else needs from the memory for sorting, of which at least 64 KiB are left.
void subtract_memory(std::uint64_t& memory, std::uint64_t other) {
  memory = std::max(memory - std::min(memory, other), std::uint64_t{1} << 16);
}

// Merges sorted inputs. `decoder` is the memory that the decompression of one file takes. Returns the number
// of bytes merged.
std::uint64_t merge_files(sort_inputs inputs, sort_settings& settings, std::uint64_t decoder,
                          line_output& out) {
  run_list runs(settings);
  std::size_t width = runs.width(0);
  if (decoder > 0) { // decompression may take half of the memory
    width = std::clamp<std::size_t>(settings.memory_limit / 2 / decoder, 2, width);
    subtract_memory(settings.merging.memory, std::min(width, inputs.count()) * decoder);
  }
  const auto open = [&](std::size_t first, std::size_t last) {
    std::vector<std::unique_ptr<io::byte_source>> result;
    for (; first < last; ++first) result.push_back(inputs.open_text(first));
    return result;
  };
  if (inputs.count() <= width) {
    (void)merge_lines(open(0, inputs.count()), settings.order, settings.merging,
                      [&](std::string_view lines) { out.write(lines); });
    return monitor().done();
  }
  for (std::size_t i = 0; i < inputs.count();) {
    // Files that are open already leave fewer to open.
    const std::size_t count = std::min({width, inputs.count() - i, spare_descriptors() - 1});
    run_file file = runs.new_file();
    const std::uint64_t longest = merge_lines(open(i, i + count), settings.order, settings.merging,
                                              [&](std::string_view lines) { file.write(lines); });
    runs.add(std::move(file), longest);
    if (runs.is_full()) runs.merge_until_not_full();
    i += count;
  }
  runs.write([&](std::string_view lines) { out.write(lines); });
  return monitor().done();
}

// Checks that the lines are in order (and, if unique, that no two have equal keys). Returns 0 if so, and
// otherwise 1. Reports the first line out of order on standard error, unless the check is quiet.
int check_file(const arguments& given, sort_inputs inputs, const sort_settings& settings) {
  if (inputs.count() > 1) throw extra_operand(given, inputs.path(1)); // from --files0-from
  line_reader reader(inputs.open_text(0), settings.merging.terminator, std::size_t{1} << 18,
                     settings.merging.max_line);
  std::string previous;
  for (std::string_view line; reader.next(line); previous = line) {
    const int order = reader.number() == 1 ? -1 : settings.order.compare(previous, line);
    if (order < 0 || (order == 0 && !settings.merging.unique)) continue;
    if (given.value("check") == "diagnose-first") { // escaped, but as `sort` a file gets it unchanged
      const std::string message = fmt::format(
          "{}: {}:{}: disorder: {}{}", program_name(given),
          given.as_sort && reader.name() == "<stdin>" ? "-" : reader.name(),
          inputs.num_header_lines() + reader.number(), line, given.has("zero-terminated") ? '\0' : '\n');
      given.as_sort&& ::isatty(STDERR_FILENO) == 0 ? say_bytes(message) : say(message);
    }
    return 1;
  }
  return 0;
}

// Throws io_error if the output cannot be written because its folder is missing or closed to writing. Called
// before the input is read, so that no work is lost.
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
  sort_settings settings =
      sort_settings_of(given, given.has("csv") ? inputs.column_names() : std::vector<std::string>(), options);
  if (given.has("debug")) warn_of_keys(given, settings.order);
  if (given.has("check")) return check_file(given, std::move(inputs), settings);
  require_folder(given.value("output"));
  const stopwatch time;
  line_output out(given, settings.order);
  std::uint64_t bytes = 0;
  int gpu = -1;
  const std::uint64_t decoder = inputs.decoder_memory();
  if (!given.has("merge")) subtract_memory(settings.merging.memory, decoder);
  {
    const progress_line progress(given, "weft sort", 1, "bytes");
    out.write_header(inputs.header());
    bytes = given.has("merge") ? merge_files(std::move(inputs), settings, decoder, out)
                               : sort_files(std::move(inputs), settings, out, gpu);
  }
  out.commit();
  closing_line(given, time.seconds(), with_prefix(static_cast<double>(bytes) / time.seconds()) + "bytes/s",
               given.has("merge") ? "merge" : "words", gpu);
  return 0;
}

} // namespace weft::cli
