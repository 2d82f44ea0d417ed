// The output of the chunks of a scan of files: counts of matches, or rows that all threads format.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>
#include <weft/base/parallel.hpp>
#include <weft/base/run.hpp>
#include <weft/files/formats/scan_formats.hpp>
#include <weft/files/ordered_output.hpp>
#include <weft/files/scan/match_collector.hpp>
#include <weft/io/sequence_reader.hpp>
#include <weft/scan/scanner.hpp>

namespace weft::files {

// A sequence_counts counts the matches of the parts that scanner::feed() visits.
class sequence_counts {
public:
  // Adds the matches of a part.
  void add(const scan_part& part);
  // Appends the lines of the ordered counts, and clears the counts.
  void append_lines(std::string& lines, const match_writer& format, const io::sequence_chunk& chunk);

private:
  struct count {
    std::uint32_t sequence, motif;
    std::uint64_t matches;
  };
  // Orders the counts, and adds up those of the same sequence and motif.
  void merge();

  std::vector<count> counts_;
  std::size_t merged_ = 0; // number of counts after the last merge()
};

// A slice_writer formats the matches of chunks, block by block on several threads. The calling thread writes
// the blocks in order. write() is called by one thread at a time.
class slice_writer {
public:
  // Keeps at most `num_blocks` blocks of text, and formats on the threads of `run`. All arguments must
  // outlive the object. write() throws cancelled_error if the monitor of `run` has been cancelled.
  slice_writer(const match_writer& format, std::size_t num_blocks, const run_options& run,
               ordered_output& out)
      : format_(format), texts_(num_blocks), run_(run), out_(out) {}

  // Writes the lines of a slice of the matches of chunk `number`. Formats what the blocks hold before it is
  // the turn of the chunk.
  void write(const io::sequence_chunk& chunk, std::uint64_t number, const match_slice& slice);

private:
  // A block of matches. A block that is alone ends with a match that has very much text or needs very much
  // temporary memory: it is formatted when all blocks before it have been written, and no other block of the
  // chunk is formatted meanwhile. The caller's thread does it, since each thread would keep as much freed
  // memory for itself.
  struct block {
    std::size_t first, last;
    bool is_alone;
  };
  // The text of a block: blocks whose numbers differ by the number of texts use the same one.
  struct text_slot {
    std::string text;
    bool is_ready = false; // formatted, but not written
  };
  // The slice that write() writes.
  struct current_slice {
    const io::sequence_chunk& chunk;
    std::uint64_t number; // of the chunk
    const match_slice& matches;
  };

  // Calls body(member) on all threads, but at most max_members.
  void run_team(std::size_t max_members, const std::function<void(int member)>& body);
  // Cuts the slice into blocks, by all threads.
  void cut_blocks(const current_slice& of);
  // Returns the blocks of matches[first, last).
  [[nodiscard]] std::vector<block> blocks_of(const io::sequence_chunk& chunk, const match_vector& matches,
                                             std::size_t first, std::size_t last) const;
  [[nodiscard]] text_slot& slot_of(std::size_t number) { return texts_[number % texts_.size()]; }
  [[nodiscard]] bool may_format_next(bool is_caller) const;
  // The work of one thread, until a thread fails: formats blocks until all have been taken. The caller's
  // thread formats when it has nothing to write, and ends when all have been written.
  void work(const current_slice& of, bool is_caller);
  void write_next(std::unique_lock<std::mutex>& lock, const current_slice& of);
  void format_next(std::unique_lock<std::mutex>& lock, const current_slice& of);

  const match_writer& format_;
  std::vector<text_slot> texts_;
  std::vector<block> blocks_;
  const run_options& run_;
  ordered_output& out_;
  kept_team team_;
  std::mutex mutex_; // guards the members below, and `is_ready` of the texts
  // The caller waits for one, and the other threads for the other.
  std::condition_variable can_write_, can_format_;
  std::size_t num_taken_ = 0, num_written_ = 0; // blocks that a thread formats or has formatted; written ones
  bool has_failed_ = false;
};

} // namespace weft::files
