#include <weft/files/lines/run_list.hpp>

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <sys/resource.h>
#include <system_error>
#include <utility>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>

namespace weft::files {

std::size_t spare_descriptors() {
  constexpr std::size_t min_spare = 3, reserve = 4, max_spare = 1 << 12;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return min_spare;
  std::error_code none;
  std::size_t open = 0;
  for (std::filesystem::directory_iterator entry("/proc/self/fd", none), end; !none && entry != end;
       entry.increment(none))
    ++open;
  if (open == 0) open = 16; // an assumption, if there is no /proc
  const std::size_t allowed = limit.rlim_cur == RLIM_INFINITY
                                  ? max_spare
                                  : static_cast<std::size_t>(std::min<rlim_t>(limit.rlim_cur, max_spare));
  return allowed > open + reserve + min_spare ? allowed - open - reserve : min_spare;
}

run_list::run_list(const sort_settings& settings) : settings_(settings), max_segments_(spare_descriptors()) {
  // Reading a compressed run takes a pipe in addition to its file, and a process.
  if (!settings.compress_program.empty()) max_segments_ = std::max<std::size_t>(max_segments_ / 2, 3);
  --max_segments_; // the file that runs are merged to takes one
}

// Half of the descriptors are left for runs of one segment, so that a small limit does not lead to more
// merges.
run_file run_list::new_file(std::uint64_t bytes) {
  constexpr std::size_t segments = 8;
  constexpr std::uint64_t min_segment_bytes = std::uint64_t{1} << 20;
  const bool several = bytes >= segments * min_segment_bytes && num_segments_ + segments <= max_segments_ / 2;
  return {settings_.folders[next_folder_++ % settings_.folders.size()], settings_.compress_program,
          several ? segments : 1, bytes};
}

std::size_t run_list::width(std::uint64_t longest) const {
  constexpr std::size_t max_processes = 16;
  const std::size_t files = std::min(merge_width(settings_.merging.memory, longest), max_segments_);
  const std::size_t runs = settings_.compress_program.empty() ? files : std::min(files, max_processes);
  return std::max<std::size_t>(std::min<std::uint64_t>(runs, settings_.batch_size), 2);
}

void run_list::add(run_file run, std::uint64_t longest) {
  run.finish();
  longest_ = std::max(longest_, longest);
  if (longest_ > settings_.merging.max_line)
    throw memory_error(fmt::format(
        "a line of {} is too long to be merged in {} of memory: use at least {} {}", format_size(longest_),
        format_size(settings_.memory_limit), settings_.merging.memory_option, format_size(16 * longest_)));
  if (levels_.empty()) levels_.emplace_back();
  num_segments_ += run.num_segments();
  levels_.front().push_back(std::move(run));
}

bool run_list::is_full() const { return num_segments_ >= max_segments_ || is_level_full(0); }

bool run_list::is_level_full(std::size_t level) const {
  return level < levels_.size() && levels_[level].size() >= std::max<std::size_t>(2 * width(longest_), 8);
}

void run_list::merge_until_not_full() {
  for (std::size_t level = 0; is_level_full(level); ++level)
    while (levels_[level].size() > width(longest_)) merge_oldest(level);
  while (num_segments_ >= max_segments_) merge_any();
}

void run_list::merge(std::span<const run_file> runs,
                     const std::function<void(std::string_view)>& sink) const {
  if (!settings_.compress_program.empty()) {
    std::vector<std::unique_ptr<io::byte_source>> sources;
    for (const run_file& run : runs) sources.push_back(run.open());
    merge_lines(std::move(sources), settings_.order, settings_.merging, sink);
    return;
  }
  std::vector<io::temporary_file> files;
  for (const run_file& run : runs) files.push_back(run.file());
  merge_runs(files, settings_.order, settings_.merging, longest_, settings_.sorting.run.threads, sink);
}

run_file run_list::merge_to_file(std::span<const run_file> runs) {
  std::uint64_t bytes = 0;
  for (const run_file& run : runs) bytes += run.file().size();
  run_file file = new_file(bytes);
  merge(runs, [&](std::string_view lines) { file.write(lines); });
  file.finish();
  for (const run_file& run : runs) num_segments_ -= run.num_segments();
  num_segments_ += file.num_segments();
  return file;
}

void run_list::merge_oldest(std::size_t level) {
  if (level + 1 == levels_.size()) levels_.emplace_back();
  std::vector<run_file>& runs = levels_[level];
  const std::size_t count = std::min(runs.size(), width(longest_));
  levels_[level + 1].push_back(merge_to_file(std::span(runs).first(count)));
  runs.erase(runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(count)); // deletes their files
}

// Merges runs of the lowest level that has several, or else the newest two runs.
void run_list::merge_any() {
  for (std::size_t level = 0; level < levels_.size(); ++level)
    if (levels_[level].size() > 1) return merge_oldest(level);
  std::vector<std::vector<run_file>*> filled;
  for (std::vector<run_file>& level : levels_)
    if (!level.empty()) filled.push_back(&level);
  std::vector<run_file> pair;
  pair.push_back(std::move(filled[1]->front()));
  pair.push_back(std::move(filled[0]->front()));
  filled[0]->clear();
  filled[1]->front() = merge_to_file(pair);
}

void run_list::write(const std::function<void(std::string_view)>& sink) {
  std::vector<run_file> runs;
  for (; !levels_.empty(); levels_.pop_back()) // higher levels have earlier runs
    std::move(levels_.back().begin(), levels_.back().end(), std::back_inserter(runs));
  while (runs.size() > width(longest_)) {
    std::vector<run_file> fewer;
    for (auto first = runs.begin(); first != runs.end();) {
      const auto last =
          first + std::min<std::ptrdiff_t>(runs.end() - first, static_cast<std::ptrdiff_t>(width(longest_)));
      fewer.push_back(last - first == 1 ? std::move(*first) : merge_to_file({first, last}));
      first = runs.erase(runs.begin(), last);
    }
    runs = std::move(fewer);
  }
  merge(runs, sink);
}

} // namespace weft::files
