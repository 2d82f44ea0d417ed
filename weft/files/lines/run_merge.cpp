// Runs are cut into parts by ranges of keys:
//
//     splitters = every 16th of the sorted codes of lines at regular distances in all runs
//     part p    = of each run, the lines that are not before splitter p - 1, but before splitter p
//
// Lines of equal keys are therefore in one part, and the merged parts, in order, are the merged runs. Threads
// claim parts in order, merge them into a buffer, and write them when their turn comes. If a part does not
// fit its buffer (one key may have any number of lines), its thread waits for its turn, and then writes the
// part piece by piece. The thread whose turn it is never waits, so there is no deadlock.
//
// A splitter is the beginning of a code. Every string would be a correct splitter; a bad one only makes the
// parts uneven.
#include <weft/files/lines/run_list.hpp>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>
#include <vector>
#include <weft/base/parallel.hpp>
#include <weft/base/turns.hpp>

namespace weft::files {

namespace {

constexpr std::uint64_t page_bytes = 1 << 12;
constexpr std::uint64_t max_part_bytes = 1 << 24;
constexpr std::uint64_t samples_per_part = 16;
constexpr std::size_t max_splitter_bytes = 256; // longer codes are cut

// Returns whether the line with this code comes before the splitter.
bool comes_before(const line_order& order, std::string_view code, std::string_view splitter) {
  return order.plain() && order.reverse() ? code > splitter : code < splitter;
}

// Finds the lines of a run by their offsets in the file.
class run_lines {
public:
  run_lines(const io::temporary_file& file, const line_order& order, char terminator)
      : file_(file), order_(order), terminator_(terminator) {}

  [[nodiscard]] std::uint64_t size() const noexcept { return file_.size(); }
  // Returns the offset of the first line that begins at `offset` or behind it, or size() if there is none.
  [[nodiscard]] std::uint64_t line_from(std::uint64_t offset) const {
    return offset == 0 ? 0 : end_of_line(offset - 1, nullptr);
  }
  // Sets `code` to the code of the line that begins at `offset`. Returns the offset of the next line.
  std::uint64_t code_at(std::uint64_t offset, std::string& code) const {
    std::string line;
    const std::uint64_t next = end_of_line(offset, &line);
    code.clear();
    if (order_.plain())
      code = std::move(line);
    else
      order_.append_code(line, code);
    return next;
  }

  // Returns the offset of the first line that begins at `low` or behind it and is not before the splitter. A
  // line must begin at `low`. Does not read the bytes before `low`, which may have been discarded.
  [[nodiscard]] std::uint64_t lower_bound(std::uint64_t low, std::string_view splitter) const {
    std::uint64_t high = size(), step = page_bytes;
    std::string code;
    // Lines that begin before `low` are before the splitter; lines that begin at `high` or behind it are not.
    while (low < high) {
      const bool far = high - low > 2 * step; // looks near `low` first, at growing distances
      const std::uint64_t middle = far ? low + step : low + (high - low) / 2;
      const std::uint64_t offset = middle == low ? low : line_from(middle);
      if (offset >= high) {
        high = middle; // no line begins in [middle, high)
      } else if (const std::uint64_t next = code_at(offset, code); comes_before(order_, code, splitter)) {
        low = next;
      } else {
        high = offset;
      }
      step *= 2;
    }
    return low;
  }

private:
  // Returns the offset behind the first terminator at `offset` or behind it, or the size of the file if there
  // is none. Appends the bytes before the terminator to `line` unless it is null.
  std::uint64_t end_of_line(std::uint64_t offset, std::string* line) const {
    char bytes[page_bytes];
    for (;;) {
      const std::size_t bytes_read = file_.read(offset, bytes);
      if (bytes_read == 0) return offset;
      const void* found = std::memchr(bytes, terminator_, bytes_read);
      const std::size_t line_bytes =
          found == nullptr ? bytes_read : static_cast<std::size_t>(static_cast<const char*>(found) - bytes);
      if (line != nullptr) line->append(bytes, line_bytes);
      offset += line_bytes;
      if (found != nullptr) return offset + 1;
    }
  }

  const io::temporary_file& file_;
  const line_order& order_;
  char terminator_;
};

// Returns the splitters. There is one for each part but the last.
std::vector<std::string> choose_splitters(std::span<const run_lines> runs, const line_order& order,
                                          std::uint64_t part_bytes, std::uint64_t memory) {
  std::uint64_t total = 0;
  for (const run_lines& run : runs) total += run.size();
  const std::uint64_t max_samples = std::max<std::uint64_t>(memory / 4096, 2 * samples_per_part);
  const std::uint64_t distance = std::max(part_bytes / samples_per_part, total / max_samples) + 1;
  std::vector<std::string> samples;
  std::uint64_t offset = distance / 2; // in the concatenation of all runs
  for (const run_lines& run : runs) {
    for (; offset < run.size(); offset += distance) {
      const std::uint64_t line = run.line_from(offset);
      if (line == run.size()) continue;
      std::string code;
      (void)run.code_at(line, code);
      if (code.size() > max_splitter_bytes) code.resize(max_splitter_bytes);
      code.shrink_to_fit();
      samples.push_back(std::move(code));
    }
    offset -= run.size();
  }
  std::sort(samples.begin(), samples.end(),
            [&](const std::string& a, const std::string& b) { return comes_before(order, a, b); });
  std::vector<std::string> splitters;
  for (std::size_t s = samples_per_part; s < samples.size(); s += samples_per_part)
    if (splitters.empty() || splitters.back() != samples[s]) splitters.push_back(std::move(samples[s]));
  return splitters;
}

// Merges the parts of runs on several threads.
class parts_merger {
public:
  parts_merger(std::span<const io::temporary_file> runs, const line_order& order,
               const merge_options& options, std::uint64_t part_bytes,
               const std::function<void(std::string_view)>& sink)
      : runs_(runs), order_(order), options_(options), part_bytes_(part_bytes), sink_(sink),
        begins_(runs.size(), 0) {
    for (const io::temporary_file& run : runs) lines_.emplace_back(run, order, options.terminator);
    splitters_ = choose_splitters(lines_, order, part_bytes, options.memory);
  }

  // Claims, merges and writes parts until there are no more. Each thread calls this function once.
  void work() {
    try {
      merge_buffers buffers{0, part_bytes_};
      for (part next; claim(next);) merge(next, buffers);
    } catch (const turns::stopped&) { // the thread that failed throws its error
    } catch (...) {
      turns_.fail();
      throw;
    }
  }

private:
  // A part: its number, a source for each run that has lines in it, and where it ends in all runs.
  struct part {
    std::uint64_t number = 0;
    std::vector<std::unique_ptr<io::byte_source>> sources;
    std::vector<std::uint64_t> ends;
  };

  // Claims the next part. Returns false if there is none.
  bool claim(part& next) {
    const std::lock_guard lock(claim_mutex_);
    next.number = claimed_++;
    if (next.number > splitters_.size()) return false;
    next.sources.clear();
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      const std::uint64_t begin = begins_[r];
      const std::uint64_t end = next.number < splitters_.size()
                                    ? lines_[r].lower_bound(begin, splitters_[next.number])
                                    : lines_[r].size();
      if (begin < end) next.sources.push_back(runs_[r].read_back(begin, end));
      begins_[r] = end;
    }
    next.ends = begins_;
    return true;
  }

  // Merges a part, and writes it when its turn comes. Then no thread reads the parts up to it any more.
  void merge(part& merged, merge_buffers& buffers) {
    buffers.read_bytes = std::max(part_bytes_ / std::max<std::size_t>(merged.sources.size(), 1), page_bytes);
    merge_pieces(std::exchange(merged.sources, {}), order_, options_, buffers, [&](std::string& out) {
      turns_.wait(merged.number);
      count_bytes(options_.monitor, out.size());
      sink_(out);
      out.clear();
    });
    turns_.wait(merged.number);
    for (std::size_t r = 0; r < runs_.size(); ++r) runs_[r].discard_before(merged.ends[r]);
    turns_.end();
  }

  std::span<const io::temporary_file> runs_;
  const line_order& order_;
  const merge_options& options_;
  std::uint64_t part_bytes_;
  const std::function<void(std::string_view)>& sink_;
  std::vector<run_lines> lines_;
  std::vector<std::string> splitters_;
  std::mutex claim_mutex_; // guards begins_ and claimed_
  std::vector<std::uint64_t> begins_;
  std::uint64_t claimed_ = 0;
  turns turns_;
};

} // namespace

void merge_runs(std::span<const io::temporary_file> runs, const line_order& order,
                const merge_options& options, std::uint64_t longest, int threads,
                const std::function<void(std::string_view)>& sink) {
  const std::uint64_t memory_per_thread = 4 * runs.size() * std::max(page_bytes, longest); // bytes
  const auto num_threads =
      static_cast<int>(std::min(options.memory / std::max<std::uint64_t>(memory_per_thread, 1),
                                static_cast<std::uint64_t>(thread_count(threads))));
  if (num_threads < 2) {
    std::vector<std::unique_ptr<io::byte_source>> sources;
    for (const io::temporary_file& run : runs) sources.push_back(run.read_once());
    merge_lines(std::move(sources), order, options, sink);
    return;
  }
  // A thread holds the lines of a part twice: as they were read, and merged.
  const std::uint64_t part_bytes =
      std::min(options.memory / (2 * static_cast<std::uint64_t>(num_threads) + 2), max_part_bytes);
  parts_merger merger(runs, order, options, part_bytes, sink);
  run_team(num_threads, [&](int) { merger.work(); });
}

} // namespace weft::files
