// weft sort, for lines of text.
#include <algorithm>
#include <charconv>
#include <cli/line_merge.hpp>
#include <cli/program.hpp>
#include <cli/run_merge.hpp>
#include <cli/sort_halves.hpp>
#include <cli/task.hpp>
#include <fmt/format.h>
#include <iterator>
#include <utility>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>
#include <weft/io/output_file.hpp>
#include <weft/io/temporary_file.hpp>
#include <weft/sort/line_sort.hpp>

namespace weft::cli {

namespace {

using sources = std::vector<std::unique_ptr<io::byte_source>>;

struct settings {
  line_order order;
  merge_options merging;
  sort_options sorting;
  std::string folder; // for temporary files
};

// As GNU sort reads -S: a number of KiB, or with a suffix: b bytes, K .. T powers of 1024, % of the machine's
// memory.
std::uint64_t buffer_size(const std::string& text) {
  std::uint64_t number = 0;
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view suffix(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
  const std::string_view letter = suffix.empty() ? "K" : suffix;
  const std::size_t power =
      std::min(std::string_view("bKMGT").find(letter), std::string_view("bkmgt").find(letter));
  if (status == std::errc() && suffix == "%" && number > 0 && number <= 100)
    return available_memory() / 100 * number;
  if (status != std::errc() || suffix.size() > 1 || power == std::string_view::npos || number == 0 ||
      number > ~std::uint64_t{0} >> (10 * power))
    throw error(
        errc::invalid_input,
        fmt::format("--buffer-size is a number of KiB, or a number with b, K, M, G, T or %, not '{}'", text));
  return number << (10 * power);
}

std::uint64_t memory_of(const arguments& given) {
  std::uint64_t memory = given.has("memory") ? given.size("memory") : memory_limit(0) / 8 * 5;
  if (given.has("buffer-size")) memory = std::min(memory, buffer_size(given.value("buffer-size")));
  return std::max<std::uint64_t>(memory, std::uint64_t{1} << 16);
}

int separator_of(const arguments& given) {
  if (!given.has("field-separator")) return -1;
  const std::string text = given.value("field-separator");
  if (text == "\\0") return 0;
  if (text.size() != 1)
    throw error(errc::invalid_input, fmt::format("--field-separator is one character, not '{}'", text));
  return static_cast<unsigned char>(text[0]);
}

settings settings_of(const arguments& given, const sort_options& sorting) {
  line_order_options options;
  options.ignore_blanks = given.has("ignore-leading-blanks");
  options.dictionary = given.has("dictionary-order");
  options.fold_case = given.has("ignore-case");
  options.printable = given.has("ignore-nonprinting");
  options.numeric = given.has("numeric-sort");
  options.reverse = given.has("reverse");
  options.stable = given.has("stable");
  options.unique = given.has("unique");
  options.separator = separator_of(given);
  return {line_order(options, given.values("key")),
          {given.has("zero-terminated") ? '\0' : '\n', options.unique, memory_of(given)},
          sorting,
          given.value("temporary-directory")};
}

io::temporary_file sorted_run(const line_sorter& sorter, const settings& how) {
  io::temporary_file file(how.folder);
  sorter.write([&](std::string_view lines) { file.write(lines); }, how.merging.unique);
  return file;
}

// Sorted runs in the order of the input. When there are many of a level they are merged to fewer of the next:
// each level is `width` times as large as the one before, so that few files are open at a time, however many
// runs there are.
class run_list {
public:
  explicit run_list(const settings& how) : how_(how) {}

  [[nodiscard]] bool empty() const noexcept { return levels_.empty(); }

  // No line of the run is longer than `longest`.
  void add(io::temporary_file run, std::uint64_t longest) {
    longest_ = std::max(longest_, longest);
    if (levels_.empty()) levels_.emplace_back();
    levels_.front().push_back(std::move(run));
    for (std::size_t level = 0; levels_[level].size() >= std::max<std::size_t>(2 * width(), 8); ++level) {
      if (level + 1 == levels_.size()) levels_.emplace_back();
      for (io::temporary_file& merged : merge_once(std::exchange(levels_[level], {})))
        levels_[level + 1].push_back(std::move(merged));
    }
  }

  // Merges neighbouring runs until one merge can take all that are left.
  void write(io::output_file& out) {
    std::vector<io::temporary_file> runs;
    for (; !levels_.empty(); levels_.pop_back()) // later runs are in lower levels
      std::move(levels_.back().begin(), levels_.back().end(), std::back_inserter(runs));
    while (runs.size() > width()) runs = merge_once(std::move(runs));
    merge(runs, [&](std::string_view lines) { out.write(lines); });
  }

private:
  [[nodiscard]] std::size_t width() const { return merge_width(how_.merging.memory, longest_); }

  void merge(std::span<const io::temporary_file> runs,
             const std::function<void(std::string_view)>& sink) const {
    merge_runs(runs, how_.order, how_.merging, longest_, how_.sorting.threads, sink);
  }
  [[nodiscard]] std::vector<io::temporary_file> merge_once(std::vector<io::temporary_file> runs) const {
    std::vector<io::temporary_file> fewer;
    while (!runs.empty()) { // files that have been merged are gone at once
      const auto last = runs.begin() + static_cast<std::ptrdiff_t>(std::min(runs.size(), width()));
      io::temporary_file file(how_.folder);
      merge({runs.begin(), last}, [&](std::string_view lines) { file.write(lines); });
      fewer.push_back(std::move(file));
      runs.erase(runs.begin(), last);
    }
    return fewer;
  }

  const settings& how_;
  std::uint64_t longest_ = 0;
  std::vector<std::vector<io::temporary_file>> levels_;
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
        source_ = inputs_.open(next_++);
        lines_ = 0;
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

// gpu: on which it has been done, or -1.
std::uint64_t sort_files(sort_inputs inputs, const settings& how, io::output_file& out, int& gpu) {
  text_reader reader(std::move(inputs));
  run_list runs(how);
  {
    line_sorter sorter(how.order, how.merging.terminator, how.merging.memory, how.sorting);
    for (bool more = true; more;) {
      more = reader.fill(sorter);
      if (more && sorter.num_lines() == 0)
        throw memory_error(fmt::format("{}: the line does not fit {} of memory (--memory, --buffer-size)",
                                       reader.place(), format_size(how.merging.memory)));
      sorter.sort();
      if (!more && runs.empty())
        sorter.write([&](std::string_view lines) { out.write(lines); }, how.merging.unique);
      else if (sorter.num_lines() > 0)
        runs.add(sorted_run(sorter, how), sorter.longest_line());
      sorter.clear();
    }
    gpu = sorter.gpu();
  }
  if (!runs.empty()) runs.write(out);
  return reader.bytes();
}

std::uint64_t merge_files(sort_inputs inputs, const settings& how, io::output_file& out) {
  const std::size_t width = merge_width(how.merging.memory);
  const auto open = [&](std::size_t first, std::size_t last) {
    sources result;
    for (; first < last; ++first) result.push_back(inputs.open(first));
    return result;
  };
  if (inputs.count() <= width) {
    (void)merge_lines(open(0, inputs.count()), how.order, how.merging,
                      [&](std::string_view lines) { out.write(lines); });
    return monitor().done();
  }
  run_list runs(how);
  for (std::size_t i = 0; i < inputs.count(); i += width) {
    io::temporary_file file(how.folder);
    const std::uint64_t longest =
        merge_lines(open(i, std::min(inputs.count(), i + width)), how.order, how.merging,
                    [&](std::string_view lines) { file.write(lines); });
    runs.add(std::move(file), longest);
  }
  runs.write(out);
  return monitor().done();
}

// 0 if the lines are in order (and, if unique, no two have equal keys), else 1 and a word on standard error.
int check_file(const arguments& given, sort_inputs inputs, const settings& how) {
  if (given.has("check") && given.has("check-quiet"))
    throw error(errc::invalid_input, "--check says where, --check-quiet does not: only one of them");
  if (given.has("output"))
    throw error(errc::invalid_input, "--check writes nothing: it goes without --output");
  if (inputs.count() > 1)
    throw error(errc::invalid_input, "--check takes one file: sortedness of several is that of their merge");
  line_reader reader(inputs.open(0), how.merging.terminator, std::size_t{1} << 18, how.merging.memory);
  std::string before;
  for (std::string_view line; reader.next(line); before = line) {
    const int order = reader.number() == 1 ? -1 : how.order.compare(before, line);
    if (order < 0 || (order == 0 && !how.merging.unique)) continue;
    if (!given.has("check-quiet"))
      say(fmt::format("weft: {}:{}: disorder: {}\n", reader.name(), reader.number(), line));
    return 1;
  }
  return 0;
}

} // namespace

void check_line_flags(const arguments& given) { (void)settings_of(given, {}); }

int run_sort_lines(const arguments& given, sort_inputs inputs, const sort_options& options) {
  const settings how = settings_of(given, options);
  if (given.has("check") || given.has("check-quiet")) return check_file(given, std::move(inputs), how);
  const stopwatch time;
  io::output_file out(given.value("output"));
  std::uint64_t bytes = 0;
  int gpu = -1;
  {
    const progress_line progress(given, "weft sort", 1, "bytes");
    bytes = given.has("merge") ? merge_files(std::move(inputs), how, out)
                               : sort_files(std::move(inputs), how, out, gpu);
  }
  out.commit();
  closing_line(given, time.seconds(), with_prefix(static_cast<double>(bytes) / time.seconds()) + "bytes/s",
               given.has("merge") ? "merge" : "words", gpu);
  return 0;
}

} // namespace weft::cli
