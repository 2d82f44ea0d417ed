#include <weft/files/lines/sort_files.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>
#include <weft/files/lines/run_list.hpp>
#include <weft/sort/line_sort.hpp>

namespace weft::files {

namespace {

// Reads the inputs, one after another, into sorters.
class text_reader {
public:
  // Counts the bytes of the inputs. With more than one thread, reads while the text before is cut into lines.
  text_reader(text_sources texts, const sort_settings& settings)
      : texts_(std::move(texts)), monitor_(settings.merging.monitor), after_block_(settings.while_reading),
        threads_(thread_count(settings.sorting.run.threads)) {}

  // Reads until the sorter is full. Returns false at the end of all inputs.
  bool fill(line_sorter& sorter) {
    for (;;) {
      const std::span<char> free_space = sorter.free_space();
      if (free_space.empty()) return true;
      if (!source_) {
        source_ = texts_.next();
        if (!source_) return false;
        lines_ = texts_.num_header_lines;
      }
      const std::uint64_t lines = sorter.num_lines();
      const std::size_t bytes = read_and_add(sorter, read(free_space));
      sorter.add(bytes);
      lines_ += sorter.num_lines() - lines;
      if (bytes == 0) {
        sorter.end_text(); // a line does not continue in the next file
        source_ = nullptr;
      }
    }
  }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  // Returns the name of the current file and the number of its unfinished line, for messages.
  [[nodiscard]] std::string location() const { return fmt::format("{}:{}", source_->name(), lines_ + 1); }

private:
  std::size_t read(std::span<char> to) {
    const std::size_t bytes = source_->read(to);
    bytes_ += bytes;
    count_bytes(monitor_, bytes);
    if (after_block_) after_block_();
    return bytes;
  }

  // Adds the `bytes` bytes that have been read and, meanwhile, reads the next ones, and so on while there is
  // memory. Returns the number of bytes that have been read and not added.
  std::size_t read_and_add(line_sorter& sorter, std::size_t bytes) {
    constexpr std::size_t min_bytes = std::size_t{1} << 20; // less is added sooner than a thread begins
    while (threads_ > 1 && bytes >= min_bytes) {
      const std::span<char> next = sorter.free_space_after(bytes);
      if (next.empty()) break;
      std::size_t next_bytes = 0;
      team_.run(2, [&](int member) { member == 0 ? void(next_bytes = read(next)) : sorter.add(bytes, 1); });
      bytes = next_bytes;
    }
    return bytes;
  }

  text_sources texts_;
  task_monitor* monitor_;
  std::function<void()> after_block_;
  int threads_;
  kept_team team_;
  std::unique_ptr<io::byte_source> source_;
  std::uint64_t bytes_ = 0, lines_ = 0;
};

// Replaces the sorter by one with twice the memory, which continues with the unfinished line. Throws
// memory_error if this exceeds the limit.
void enlarge(std::optional<line_sorter>& sorter, sort_settings& settings, const text_reader& reader) {
  if (settings.merging.memory > settings.memory_limit / 2)
    throw memory_error(fmt::format("{}: the line does not fit in {} of memory (set {} to allow more)",
                                   reader.location(), format_size(settings.memory_limit),
                                   settings.merging.memory_option));
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

// Sorts the lines in the sorter, which counts its progress in `sorting`. The progress of the task is in
// bytes, so what the sorter added to `whole`, the monitor of the task, is subtracted again.
void sort_lines(line_sorter& sorter, const task_monitor& sorting, task_monitor* whole) {
  const std::uint64_t before = sorting.done();
  sorter.sort();
  if (whole != nullptr) whole->take_back(sorting.done() - before);
}

// Writes the sorted lines to the file of a run.
void write_run(const line_sorter& sorter, const sort_settings& settings, run_file& file) {
  const auto check = [&] { count_bytes(settings.merging.monitor, 0); };
  if (file.is_compressed())
    return sorter.write([&](std::string_view lines) { check(), file.write(lines); }, settings.merging.unique);
  const auto write = [&](std::uint64_t position, std::string_view lines) {
    check();
    file.write_at(position, lines);
  };
  sorter.write_at(write, settings.merging.unique);
}

// Subtracts memory that something else needs from the memory for sorting, of which at least 64 KiB are left.
void subtract_memory(std::uint64_t& memory, std::uint64_t other) {
  memory = std::max(memory - std::min(memory, other), std::uint64_t{1} << 16);
}

} // namespace

sort_report sort_files(sort_inputs inputs, sort_settings settings, const line_sink& sink) {
  std::size_t number = 0;
  const auto next = [&]() -> std::unique_ptr<io::byte_source> {
    return number < inputs.count() ? inputs.open_text(number++) : nullptr;
  };
  return sort_texts({next, inputs.num_header_lines()}, std::move(settings), sink);
}

sort_report sort_texts(text_sources texts, sort_settings settings, const line_sink& sink) {
  subtract_memory(settings.merging.memory, settings.decoder_memory);
  text_reader reader(std::move(texts), settings);
  device_choice device{device_kind::cpu};
  run_list runs(settings);
  {
    weft::run_info used;
    task_monitor sorting(settings.merging.monitor);
    settings.sorting.run.monitor = &sorting;
    settings.sorting.run.info = &used;
    settings.sorting.run.memory = settings.merging.memory;
    std::optional<line_sorter> sorter(std::in_place, settings.order, settings.merging.terminator,
                                      settings.sorting);
    // Fills the sorter, sorts, and writes the result if everything fitted, or else another run. A sorter that
    // is full but has no complete line is replaced by one of twice the size.
    for (bool more = true; more;) {
      more = reader.fill(*sorter);
      if (more && sorter->num_lines() == 0) {
        enlarge(sorter, settings, reader);
        continue;
      }
      sort_lines(*sorter, sorting, settings.merging.monitor);
      if (used.on_gpu()) device = used.device;
      if (!more && runs.empty()) {
        sorter->write(sink, settings.merging.unique);
      } else if (sorter->num_lines() > 0) {
        run_file file = runs.new_file(sorter->size());
        write_run(*sorter, settings, file);
        runs.add(std::move(file), sorter->longest_line());
      }
      sorter->clear();
      if (more && runs.is_full()) {
        sorter->release_memory();
        runs.merge_until_not_full();
      }
    }
  }
  if (!runs.empty()) runs.write(sink);
  return {reader.bytes(), device};
}

std::uint64_t merge_files(sort_inputs inputs, sort_settings settings, const line_sink& sink) {
  task_monitor merged(settings.merging.monitor);
  settings.merging.monitor = &merged;
  run_list runs(settings);
  std::size_t width = runs.width(0);
  if (const std::uint64_t decoder = settings.decoder_memory;
      decoder > 0) { // decompression may take half of the memory
    width = std::clamp<std::size_t>(settings.memory_limit / 2 / decoder, 2, width);
    subtract_memory(settings.merging.memory, std::min(width, inputs.count()) * decoder);
  }
  const auto open = [&](std::size_t first, std::size_t last) {
    std::vector<std::unique_ptr<io::byte_source>> result;
    for (; first < last; ++first) result.push_back(inputs.open_text(first));
    return result;
  };
  if (inputs.count() <= width) {
    (void)merge_lines(open(0, inputs.count()), settings.order, settings.merging, sink);
    return merged.done();
  }
  for (std::size_t i = 0; i < inputs.count();) {
    // Files that are open already leave fewer to open.
    const std::size_t count = std::min({width, inputs.count() - i, spare_descriptors() - 1});
    run_file file = runs.new_file(0);
    const std::uint64_t longest = merge_lines(open(i, i + count), settings.order, settings.merging,
                                              [&](std::string_view lines) { file.write(lines); });
    runs.add(std::move(file), longest);
    if (runs.is_full()) runs.merge_until_not_full();
    i += count;
  }
  runs.write(sink);
  return merged.done();
}

std::optional<disorder> find_disorder(sort_inputs inputs, const sort_settings& settings) {
  line_reader reader(inputs.open_text(0), settings.merging.terminator, std::size_t{1} << 18,
                     settings.merging.max_line, settings.merging.memory_option);
  std::string previous;
  for (std::string_view line; reader.next(line); previous = line) {
    const int order = reader.number() == 1 ? -1 : settings.order.compare(previous, line);
    if (order < 0 || (order == 0 && !settings.merging.unique)) continue;
    return disorder{reader.name(), inputs.num_header_lines() + reader.number(), std::string(line)};
  }
  return std::nullopt;
}

} // namespace weft::files
