// The part of a search that one thread does (pattern_search.hpp): searches batches of patterns and formats
// their occurrences within a share of the memory.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <weft/bwt/fm_index.hpp>
#include <weft/files/find/pattern_search.hpp>
#include <weft/files/find/searched_index.hpp>
#include <weft/files/formats/find_formats.hpp>
#include <weft/files/ordered_output.hpp>
#include <weft/io/pattern_reader.hpp>

namespace weft::files {

// The shares into which the limit on memory is divided.
struct memory_shares {
  explicit memory_shares(const find_options& options);

  int threads;               // threads that search batches
  std::uint64_t batch_bytes; // size of a batch of patterns
  std::uint64_t block_hits;  // hits of a block of patterns in the first round
  std::uint64_t thread_hits; // hits of the patterns that a thread locates again
  std::uint64_t large_hits;  // hits of the single pattern with more occurrences than thread_hits
};

// The state that all threads of a search share.
struct shared_search {
  searched_index& index;
  const find_options& options;
  const memory_shares shares;
  ordered_output output;
  std::atomic<int> num_busy{0}; // number of threads that have a batch

  // Returns the number of threads that a large task of a busy thread may use: its own thread and the threads
  // without a batch.
  [[nodiscard]] int free_threads() const;
};

// A batch_search searches batches of patterns for one thread.
//
// The number of occurrences of a pattern is unknown before the search. So a block of patterns is first
// located with at most max_first_hits_ hits each, and the patterns with more hits are located again, together
// as long as their hits fit the thread's share of the memory. A single pattern with more hits than a share
// uses the other half of the memory, in the batch whose turn it is to be written.
class batch_search {
public:
  explicit batch_search(shared_search& shared);

  // Searches batch `number` and passes its text to the output. Returns the totals of the batch.
  find_totals run(const io::pattern_chunk& chunk, std::uint64_t number);

private:
  // The occurrences of patterns [first, ...) within records, on the forward and the reverse strand; a strand
  // that is not searched has none.
  struct located {
    std::uint64_t first = 0;
    std::array<fm_hits, 2> within;
  };
  // Occurrences on one strand, ordered by record and position.
  struct sorted_hits {
    const fm_hit *at, *end;
    bool reverse;
  };

  [[nodiscard]] unsigned num_strands() const { return options_.both_strands ? 2 : 1; }
  [[nodiscard]] std::uint64_t search_limit() const { return options_.search.max_hits; }

  // Counts pattern p as impossible if it can never match. With options_.strict, throws instead; then it is
  // called for all patterns before the search. Otherwise it is called only for patterns without occurrences,
  // because a pattern with an occurrence is possible.
  void check_letters(std::uint64_t p);
  // Sets letters_: converts RNA to DNA, and makes the reverse complements.
  void prepare_strands();
  // Returns the offsets of patterns [first, last), relative to the first one.
  [[nodiscard]] std::vector<std::uint64_t> offsets(std::uint64_t first, std::uint64_t last) const;
  // Returns the letters of patterns [first, last) on a strand.
  [[nodiscard]] std::string_view letters(unsigned strand, std::uint64_t first, std::uint64_t last) const;

  void count_patterns();
  // Calls each(first, last) for blocks of patterns whose candidates over origins together fit the memory.
  template <class Each> void each_origin_block(std::uint64_t first, std::uint64_t last, const Each& each);
  void list_block(std::uint64_t first, std::uint64_t last);
  // Lists patterns [first, last). `over` contains their occurrences over origins.
  void list_patterns(std::uint64_t first, std::uint64_t last, const std::array<fm_hits, 2>& over);
  // Lists a pattern whose occurrences exceed the thread's share of the memory. Waits until the earlier
  // batches are written, so that only one thread at a time does this.
  void list_large(std::uint64_t p, std::uint64_t hits, const std::array<fm_hits, 2>& over,
                  std::uint64_t first);
  // Throws memory_error if `hits` occurrences of pattern p are more than `limit`.
  void check_memory(std::uint64_t p, std::uint64_t hits, std::uint64_t limit) const;
  [[nodiscard]] located locate(std::uint64_t first, std::uint64_t last, std::uint64_t max_hits);

  // num_to_list() returns the number of occurrences of a pattern within records that shall be listed;
  // is_complete() returns whether all of them have been located.
  [[nodiscard]] std::uint64_t num_to_list(const located& hits, std::uint64_t p) const;
  [[nodiscard]] bool is_complete(const located& hits, std::uint64_t p) const;

  // Formats the occurrences of pattern p in the order of records and positions, + before -.
  void append_pattern(const located& from, const std::array<fm_hits, 2>& over, std::uint64_t first_over,
                      std::uint64_t p);
  // Merges the lists and formats the first `count` occurrences.
  void write_rows(std::span<sorted_hits> lists, std::uint64_t count);
  void write_if_long();

  shared_search& shared_;
  searched_index& index_;
  const find_options& options_;
  fm_search_options search_;
  hit_writer writer_;
  find_totals found_;
  const io::pattern_chunk* chunk_ = nullptr;
  std::uint64_t number_ = 0;
  std::string as_dna_, reversed_, text_;
  std::array<std::string_view, 2> letters_; // the letters of the patterns on each strand
  // Maximum hits of a pattern in the first round. It grows if many patterns have more, and shrinks if few do.
  std::uint64_t max_first_hits_;
};

} // namespace weft::files
