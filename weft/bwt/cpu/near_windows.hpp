// Search with mismatches by windows of a pattern and the contexts of rows (core/near_context.hpp), for
// patterns of at most 32 letters. The plain version:
//     for each window of the strand, with at most `max_mismatches` of its own:
//         for each string that differs from the window in so many letters at most:
//             for each row that begins with the string:
//                 compare the context of the row with the strand
//                 if there are not too many mismatches: look up the row, compare the whole strand with the
//                 text, and report it, unless an earlier window finds it too
//     compare the strand wherever the text has letters that are no bases
// The windows do not overlap, and no occurrence has too many mismatches in all of them: if they may have t_1,
// t_2, ..., the sum of all t_i + 1 is greater than the mismatches that are allowed. (For an index without
// contexts, a tree of the index extends windows letter by letter: near_tree.hpp.)
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>
#include <weft/bwt/cpu/fm_view.hpp>
#include <weft/bwt/cpu/near_patterns.hpp>

namespace weft::bwt_detail {

constexpr double near_context_cost = 0.5; // nanoseconds to compare the context of a row

// Letters [begin, begin + size) of a strand, which are searched with at most max_mismatches.
struct near_window {
  std::uint32_t begin, size;
  unsigned max_mismatches;
};

// The windows of a strand, and the nanoseconds that searching them takes in a random text; infinity if there
// are none.
struct near_windows {
  std::vector<near_window> windows;
  double cost = 0;
};

// A window_text holds the properties of a text and its index that the time of a search by windows depends on:
// the number of rows, the letters of a k-mer, and the share of the rows whose contexts are incomplete.
struct window_text {
  double num_rows;
  std::uint32_t kmer_size;
  double incomplete_share;
};

// Returns the windows that take the least time. `strand` must have more letters than max_distance.
[[nodiscard]] near_windows choose_windows(const near_strand& strand, unsigned max_distance,
                                          const window_text& text);

// Returns a text that is equal for strands for which choose_windows() returns the same.
[[nodiscard]] std::string shape_of(const near_strand& strand);

// A string that is searched: its k-mers [first, last], and the rows that begin with it.
struct window_string {
  std::uint32_t first, last;
  std::uint32_t filter;     // index of a context_filter
  std::uint32_t mismatches; // letters in which the string differs from its window
  std::uint64_t low = 0, high = 0;
};

// How contexts are compared with a strand: as in near_word, bit 2 s of contains[b] says whether the letter in
// slot s matches base b. Slots outside of the strand match all bases.
struct context_filter {
  std::uint64_t contains[4];
  std::uint64_t exact; // bit 2 s is set if the letter in slot s must match
  unsigned max_distance;
};

// Returns the filter of a window of a strand.
[[nodiscard]] context_filter make_filter(const near_strand& strand, const near_window& window,
                                         unsigned max_distance);

// Appends the strings of a window. `filter` is the index of its filter.
void list_strings(const near_strand& strand, const near_window& window, std::uint32_t kmer_size,
                  std::uint32_t filter, std::vector<window_string>& strings);

// Sets the rows of strings.
void find_rows(const fm_index::view& index, std::span<window_string> strings);

// A row that passed a filter.
struct context_match {
  std::uint64_t row;
  std::uint32_t filter;
};

// Appends the rows of strings [first, last) whose contexts pass the filters of the strings, and the rows
// whose contexts are incomplete. Returns false once there are more than max_matches, which are then not all.
[[nodiscard]] bool filter_rows(const fm_index::view& index, std::span<const window_string> strings,
                               std::size_t first, std::size_t last, std::span<const context_filter> filters,
                               std::size_t max_matches, std::vector<context_match>& matches);

} // namespace weft::bwt_detail
