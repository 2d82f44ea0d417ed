// The sorted runs of an input that does not fit in memory: the file of a run (run_file.cpp), the merge of
// runs on several threads (run_merge.cpp), and the list of runs that decides which of them are merged when
// (run_list.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <weft/files/lines/line_merge.hpp>
#include <weft/io/byte_source.hpp>
#include <weft/io/temporary_file.hpp>
#include <weft/sort/line_order.hpp>

namespace weft::files {

// The file of a sorted run: a temporary file of lines that is written once, and then read; compressed by a
// program if the user asks for one. The functions throw io_error, also if the program cannot be run or fails.
class run_file {
public:
  // `folder` is where the file is made. `program` is empty, or a program that compresses its standard input
  // to its standard output, and decompresses if its argument is -d. The file has `num_segments` segments, one
  // if there is a program, and is expected to have `bytes` bytes.
  run_file(const std::string& folder, const std::string& program, std::size_t num_segments,
           std::uint64_t bytes);
  ~run_file();
  run_file(run_file&&) noexcept;
  run_file& operator=(run_file&&) noexcept;

  void write(std::string_view bytes);
  // Writes at a position, as temporary_file::write_at() does. The run must not be compressed.
  void write_at(std::uint64_t position, std::string_view bytes) { file_.write_at(position, bytes); }
  // Ends writing, and waits for the program.
  void finish();
  [[nodiscard]] bool is_compressed() const noexcept { return !program_.empty(); }
  [[nodiscard]] std::size_t num_segments() const noexcept { return num_segments_; }
  // Returns the file with the lines, if they are not compressed.
  [[nodiscard]] const io::temporary_file& file() const noexcept { return file_; }
  // Returns a source of the lines, decompressed. May be called once.
  [[nodiscard]] std::unique_ptr<io::byte_source> open() const;

private:
  class child;
  std::size_t num_segments_;
  io::temporary_file file_;
  std::string program_;
  std::unique_ptr<child> compressor_;
};

// Merges runs of sorted lines to the same output as merge_lines. No line may be longer than `longest`.
// O(lines log runs). Each range of keys is merged by one thread. Takes options.memory in all; runs on one
// thread if that is small. Discards the runs while they are merged.
void merge_runs(std::span<const io::temporary_file> runs, const line_order& order,
                const merge_options& options, std::uint64_t longest, int threads,
                const std::function<void(std::string_view)>& sink);

// Returns how many more files may be opened; at least 3.
[[nodiscard]] std::size_t spare_descriptors();

// A list of sorted runs, in the order of the input. Runs have levels: when there are too many runs of one
// level, they are merged to fewer runs of the next level, `width` runs to one. Therefore few files are open
// at a time, however many runs there are.
class run_list {
public:
  explicit run_list(const sort_settings& settings);

  [[nodiscard]] bool empty() const noexcept { return levels_.empty(); }
  // Returns a file for the next run, which will have about `bytes` bytes. A large run gets a file of several
  // segments, if there are enough descriptors.
  [[nodiscard]] run_file new_file(std::uint64_t bytes);
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
  std::size_t max_segments_, next_folder_ = 0;
  std::size_t num_segments_ = 0; // of all runs; each takes a descriptor
  std::uint64_t longest_ = 0;
  std::vector<std::vector<run_file>> levels_; // the last level has the oldest runs
};

} // namespace weft::files
