// Keeps the sorted runs of an input that does not fit in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>
#include <weft/files/lines/run_file.hpp>
#include <weft/files/lines/sort_settings.hpp>

namespace weft::files {

// Returns how many more files may be opened; at least 3.
[[nodiscard]] std::size_t spare_descriptors();

// A list of sorted runs, in the order of the input. Runs have levels: when there are too many runs of one
// level, they are merged to fewer runs of the next level, `width` runs to one. Therefore few files are open
// at a time, however many runs there are.
class run_list {
public:
  explicit run_list(const sort_settings& settings);

  [[nodiscard]] bool empty() const noexcept { return levels_.empty(); }
  // Returns a file for the next run.
  [[nodiscard]] run_file new_file();
  // Adds a run whose longest line has `longest` bytes. Throws memory_error if a line is too long to be
  // merged.
  void add(run_file run, std::uint64_t longest);
  // Returns whether there are so many runs that some must be merged before another one is added.
  [[nodiscard]] bool is_full() const;
  // Merges runs until the list is not full.
  void merge_until_not_full();
  // Merges adjacent runs until one merge can take all the runs that are left, and then merges these to
  // `sink`.
  void write(const std::function<void(std::string_view)>& sink);

  // Returns how many sources are merged at a time if no line is longer than `longest`.
  [[nodiscard]] std::size_t width(std::uint64_t longest) const;

private:
  void merge(std::span<const run_file> runs, const std::function<void(std::string_view)>& sink) const;
  [[nodiscard]] run_file merge_to_file(std::span<const run_file> runs);
  [[nodiscard]] bool is_level_full(std::size_t level) const;
  // Replaces the oldest runs of a level, as many as are merged at a time, by one run of the next level.
  void merge_oldest(std::size_t level);
  void merge_any();

  const sort_settings& settings_;
  std::size_t max_runs_, next_folder_ = 0, num_runs_ = 0;
  std::uint64_t longest_ = 0;
  std::vector<std::vector<run_file>> levels_; // the last level has the oldest runs
};

} // namespace weft::files
