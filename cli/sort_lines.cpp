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
  void begin_turn(std::optional<std::uint64_t> size) { file_.begin_turn(size); }
  void end_turn() {
    file_.end_turn();
    file_.wait_for_turns();
  }
  void fail(const std::exception_ptr& fault) noexcept { file_.fail(fault); }
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

// Sorts the lines of the inputs that belong to this rank, and writes them in its turn.
files::sort_report sort_share(files::sort_inputs& inputs, const files::sort_settings& settings,
                              line_output& out) {
  const files::rank_lines::settings how{
      .order = settings.order, .terminator = settings.merging.terminator, .unique = settings.merging.unique};
  try {
    files::rank_lines lines(ranks(), inputs, how);
    bool has_begun = false;
    // The size is known when all lines have come, unless some are left out.
    const auto begin = [&] {
      if (!has_begun) out.begin_turn(how.unique ? std::nullopt : std::optional(lines.received_bytes()));
      has_begun = true;
    };
    std::unique_ptr<io::byte_source> text = lines.open();
    files::sort_report done =
        sort_texts({[&] { return std::exchange(text, nullptr); }}, settings, [&](std::string_view sorted) {
          begin();
          out.write(sorted);
        });
    begin();
    out.end_turn();
    done.bytes = multi::reduce_number(ranks(), done.bytes, multi::reduction::sum);
    return done;
  } catch (...) {
    out.fail(std::current_exception());
    throw;
  }
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

int run_sort_lines(const arguments& given, files::sort_inputs inputs, const sort_options& options) {
  files::sort_settings settings =
      sort_settings_of(given, given.has("csv") ? inputs.column_names() : std::vector<std::string>(), options);
  if (given.has("debug")) warn_of_keys(given, settings.order);
  if (given.has("check")) return check_file(given, std::move(inputs), settings);
  require_folder(given.value("output"));
  const stopwatch time;
  line_output out(given, settings.order);
  files::sort_report done;
  settings.decoder_memory = inputs.decoder_memory();
  {
    const progress_line progress(given, "weft sort", 1, "bytes");
    out.write_header(inputs.header());
    const auto write = [&](std::string_view lines) { out.write(lines); };
    if (ranks().size() > 1)
      done = sort_share(inputs, settings, out);
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
