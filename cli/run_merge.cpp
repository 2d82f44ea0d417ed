// Runs are cut into parts by ranges of keys:
//
//     splitters = every 16th of the codes of lines at regular distances in all runs, in order
//     part p    = of each run, the lines from the first that is not before splitter p - 1 to that of
//     splitter p
//
// so that lines of equal keys are in one part, and the merged parts, in order, are the merged runs. Threads
// claim parts in order, merge them into a buffer, and write them when their turn comes. A part that does not
// fit its buffer (one key may have any number of lines) waits for its turn, and from then on is written piece
// by piece: the thread whose turn it is never waits, so there is no deadlock.
//
// A splitter is the beginning of a code: any string is as good as any other, only parts may be uneven.
#include <cli/run_merge.hpp>

#include <algorithm>
#include <cli/task.hpp>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>
#include <vector>
#include <weft/base/parallel.hpp>

namespace weft::cli {

namespace {

constexpr std::uint64_t page = 1 << 12;
constexpr std::uint64_t max_of_part = 1 << 24;
constexpr std::uint64_t samples_of_part = 16;
constexpr std::size_t max_of_code = 256; // of a splitter

bool before(const line_order& order, std::string_view code, std::string_view splitter) {
  return order.plain() && order.reverse() ? code > splitter : code < splitter;
}

// The lines of a run by their places.
class run_lines {
public:
  run_lines(const io::temporary_file& file, const line_order& order, char terminator)
      : file_(file), order_(order), terminator_(terminator) {}

  [[nodiscard]] std::uint64_t size() const noexcept { return file_.size(); }
  // The first line that begins at `place` or behind it: where it begins; size() if there is none.
  [[nodiscard]] std::uint64_t line_from(std::uint64_t place) const {
    return place == 0 ? 0 : end_of_line(place - 1, nullptr);
  }
  // The code of the line that begins at `place`; returns where the next line begins.
  std::uint64_t code_at(std::uint64_t place, std::string& code) const {
    std::string line;
    const std::uint64_t next = end_of_line(place, &line);
    code.clear();
    if (order_.plain())
      code = std::move(line);
    else
      order_.append_code(line, code);
    return next;
  }

  // The first line from `low`, where a line begins, that is not before the splitter.
  [[nodiscard]] std::uint64_t lower_bound(std::uint64_t low, std::string_view splitter) const {
    std::uint64_t high = size(), step = page;
    std::string code;
    // Lines that begin before low are before the splitter, those that begin at high or behind it are not.
    while (low < high) {
      const bool far = high - low > 2 * step; // not known yet how far to look
      const std::uint64_t middle = far ? low + step : low + (high - low) / 2, place = line_from(middle);
      if (place >= high) {
        high = middle; // no line begins behind it
      } else if (const std::uint64_t next = code_at(place, code); before(order_, code, splitter)) {
        low = next;
      } else {
        high = place;
      }
      step *= 2;
    }
    return low;
  }

private:
  // The place behind the first terminator at `place` or behind it; the bytes before that go to `line`.
  std::uint64_t end_of_line(std::uint64_t place, std::string* line) const {
    char bytes[page];
    for (;;) {
      const std::size_t got = file_.read(place, bytes);
      if (got == 0) return place;
      const void* found = std::memchr(bytes, terminator_, got);
      const std::size_t use =
          found == nullptr ? got : static_cast<std::size_t>(static_cast<const char*>(found) - bytes);
      if (line != nullptr) line->append(bytes, use);
      place += use;
      if (found != nullptr) return place + 1;
    }
  }

  const io::temporary_file& file_;
  const line_order& order_;
  char terminator_;
};

// Of all parts but the last.
std::vector<std::string> splitters_of(std::span<const run_lines> runs, const line_order& order,
                                      std::uint64_t part, std::uint64_t memory) {
  std::uint64_t total = 0;
  for (const run_lines& run : runs) total += run.size();
  const std::uint64_t most = std::max<std::uint64_t>(memory / 4096, 2 * samples_of_part);
  const std::uint64_t distance = std::max(part / samples_of_part, total / most) + 1;
  std::vector<std::string> samples;
  std::uint64_t place = distance / 2; // in all runs, end to end
  for (const run_lines& run : runs) {
    for (; place < run.size(); place += distance) {
      const std::uint64_t line = run.line_from(place);
      if (line == run.size()) continue;
      std::string code;
      (void)run.code_at(line, code);
      if (code.size() > max_of_code) code.resize(max_of_code);
      code.shrink_to_fit();
      samples.push_back(std::move(code));
    }
    place -= run.size();
  }
  std::sort(samples.begin(), samples.end(),
            [&](const std::string& a, const std::string& b) { return before(order, a, b); });
  std::vector<std::string> splitters;
  for (std::size_t s = samples_of_part; s < samples.size(); s += samples_of_part)
    if (splitters.empty() || splitters.back() != samples[s]) splitters.push_back(std::move(samples[s]));
  return splitters;
}

class parts_merger {
public:
  parts_merger(std::span<const io::temporary_file> runs, const line_order& order,
               const merge_options& options, std::uint64_t part,
               const std::function<void(std::string_view)>& sink)
      : runs_(runs), order_(order), options_(options), part_(part), sink_(sink), begins_(runs.size(), 0) {
    for (const io::temporary_file& run : runs) lines_.emplace_back(run, order, options.terminator);
    splitters_ = splitters_of(lines_, order, part, options.memory);
  }

  // What each thread does.
  void work() {
    try {
      std::vector<std::unique_ptr<io::byte_source>> sources;
      for (std::uint64_t number; (number = claim(sources)) <= splitters_.size();)
        merge(std::exchange(sources, {}), number);
    } catch (const stopped&) { // what has failed is thrown by the thread that it failed on
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failed_ = true;
      changed_.notify_all();
      throw;
    }
  }

private:
  struct stopped {}; // another thread has failed

  // The next part's number, and what it takes of each run; numbers behind the last part take nothing.
  std::uint64_t claim(std::vector<std::unique_ptr<io::byte_source>>& sources) {
    const std::lock_guard lock(claiming_);
    const std::uint64_t number = claimed_++;
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      const std::uint64_t begin = begins_[r];
      const std::uint64_t end =
          number < splitters_.size() ? lines_[r].lower_bound(begin, splitters_[number]) : lines_[r].size();
      if (begin < end) sources.push_back(runs_[r].read_back(begin, end));
      begins_[r] = end;
    }
    return number;
  }

  void merge(std::vector<std::unique_ptr<io::byte_source>> sources, std::uint64_t number) {
    const std::uint64_t buffer = std::max(part_ / std::max<std::size_t>(sources.size(), 1), page);
    merge_pieces(std::move(sources), order_, options_, {buffer, part_}, [&](std::string& out) {
      wait_for_turn(number);
      monitor().add(out.size());
      sink_(out);
      out.clear();
    });
    wait_for_turn(number);
    const std::lock_guard lock(mutex_);
    ++turn_;
    changed_.notify_all();
  }
  void wait_for_turn(std::uint64_t number) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return turn_ == number || failed_; });
    if (failed_) throw stopped();
  }

  std::span<const io::temporary_file> runs_;
  const line_order& order_;
  const merge_options& options_;
  std::uint64_t part_;
  const std::function<void(std::string_view)>& sink_;
  std::vector<run_lines> lines_;
  std::vector<std::string> splitters_;
  std::mutex claiming_; // what comes to the next part
  std::vector<std::uint64_t> begins_;
  std::uint64_t claimed_ = 0;
  std::mutex mutex_; // whose turn it is
  std::condition_variable changed_;
  std::uint64_t turn_ = 0;
  bool failed_ = false;
};

} // namespace

void merge_runs(std::span<const io::temporary_file> runs, const line_order& order,
                const merge_options& options, std::uint64_t longest, int threads,
                const std::function<void(std::string_view)>& sink) {
  const std::uint64_t each = 4 * runs.size() * std::max(page, longest); // thread
  const auto members = static_cast<int>(std::min(options.memory / std::max<std::uint64_t>(each, 1),
                                                 static_cast<std::uint64_t>(thread_count(threads))));
  if (members < 2) {
    std::vector<std::unique_ptr<io::byte_source>> sources;
    for (const io::temporary_file& run : runs) sources.push_back(run.read_back(0, run.size()));
    merge_lines(std::move(sources), order, options, sink);
    return;
  }
  // A thread holds the lines of a part twice, as read and as merged.
  const std::uint64_t part =
      std::min(options.memory / (2 * static_cast<std::uint64_t>(members) + 2), max_of_part);
  parts_merger merger(runs, order, options, part, sink);
  run_team(members, [&](int) { merger.work(); });
}

} // namespace weft::cli
