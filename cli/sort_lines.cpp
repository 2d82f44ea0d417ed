// weft sort for lines of text.
#include <algorithm>
#include <cerrno>
#include <cli/program.hpp>
#include <cli/ranks.hpp>
#include <cli/sort_verb.hpp>
#include <cli/task.hpp>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <unistd.h>
#include <utility>
#include <weft/base/error.hpp>
#include <weft/files/lines/sort_files.hpp>
#include <weft/files/ranks/rank_lines.hpp>
#include <weft/files/ranks/rank_output.hpp>

namespace weft::cli {

namespace {

// The output. Writes records of --csv with their newlines, and adds the marks of --debug.
class line_output {
public:
  line_output(const arguments& given, const line_order& order)
      : file_(ranks(), given.value("output")), order_(order), csv_(given.has("csv")),
        debug_(given.has("debug")), terminator_(given.has("zero-terminated") ? '\0' : '\n') {}

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
    file_.write_header(header);
  }
  [[nodiscard]] files::rank_output& file() noexcept { return file_; }
  void commit() { file_.commit(); }

private:
  files::rank_output file_;
  const line_order& order_;
  bool csv_, debug_;
  char terminator_;
};

// Checks that the lines are in order (and, if unique, that no two have equal keys). Returns 0 if so, and
// otherwise 1. Reports the first line out of order on standard error, unless the check is quiet.
int check_file(const arguments& given, files::sort_inputs inputs, const files::sort_settings& settings) {
  if (inputs.count() > 1) throw extra_operand(given, inputs.path(1)); // from --files0-from
  const std::optional<files::disorder> found = find_disorder(std::move(inputs), settings);
  if (!found) return 0;
  if (given.value("check") == "diagnose-first") { // escaped, but as `sort` a file gets it unchanged
    const std::string message =
        fmt::format("{}: {}:{}: disorder: {}{}", program_name(given),
                    given.as_sort && found->file == "<stdin>" ? "-" : found->file, found->line, found->text,
                    given.has("zero-terminated") ? '\0' : '\n');
    given.as_sort&& ::isatty(STDERR_FILENO) == 0 ? say_bytes(message) : say(message);
  }
  return 1;
}

// Returns the names of the columns of --csv on all ranks. Rank 0 reads them.
std::vector<std::string> column_names(files::sort_inputs& inputs) {
  std::string list; // each name with a zero byte, which no name has
  multi::run_together(ranks(), [&] {
    if (ranks().rank() == 0)
      for (const std::string& name : inputs.column_names()) list.append(name).push_back('\0');
  });
  multi::broadcast_text(ranks(), list, 0);
  std::vector<std::string> names;
  for (std::size_t at = 0, end = 0; at < list.size(); at = end + 1) {
    end = list.find('\0', at);
    names.push_back(list.substr(at, end - at));
  }
  return names;
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

int run_sort_lines(const arguments& given, files::sort_inputs inputs, const sort_options& options,
                   const gpu_start& start) {
  files::sort_settings settings =
      sort_settings_of(given, given.has("csv") ? column_names(inputs) : std::vector<std::string>(), options);
  if (given.has("debug")) warn_of_keys(given, settings.order);
  if (given.has("check")) return check_file(given, std::move(inputs), settings);
  require_folder(given.value("output"));
  const stopwatch time;
  line_output out(given, settings.order);
  files::sort_report done;
  settings.decoder_memory = inputs.decoder_memory();
  settings.while_reading = [&start] { start.check(); }; // reports soon that there is no GPU
  {
    const progress_line progress(given, "weft sort", 1, "bytes");
    if (ranks().rank() == 0) out.write_header(inputs.header());
    const auto write = [&](std::string_view lines) { out.write(lines); };
    if (ranks().size() > 1)
      done = sort_files(ranks(), inputs, settings, out.file(), write);
    else if (given.has("merge"))
      done.bytes = merge_files(std::move(inputs), settings, write);
    else
      done = sort_files(std::move(inputs), settings, write);
  }
  out.commit();
  closing_line(given, time.seconds(),
               with_prefix(static_cast<double>(done.bytes) / time.seconds()) + "bytes/s",
               given.has("merge") ? "merge" : "words", done.device);
  return 0;
}

} // namespace weft::cli
