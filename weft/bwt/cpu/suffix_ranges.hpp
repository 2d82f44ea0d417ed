// Sorting all suffixes of a text, range by range of their buckets: in little memory, or by many processes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <weft/base/run.hpp>
#include <weft/bwt/cpu/suffix_buckets.hpp>
#include <weft/bwt/cpu/suffix_string.hpp>

namespace weft::bwt_detail {

// Suffixes in order: those of the rows [first_row, first_row + items.size()).
struct sorted_range {
  std::uint64_t first_row;
  std::span<const std::uint64_t> items; // layout.position(items[k]) is a suffix
  item_layout layout;
};

using take_range = std::function<void(const sorted_range&)>;

// The symbols before the suffixes of the rows [first_row, first_row + codes.size()), by their codes
// (suffix_string::codes()). The last symbol of the text is before the whole text, whose suffix is that of row
// `whole_row` if the range has it.
struct preceding_range {
  std::uint64_t first_row;
  std::span<const std::uint8_t> codes;
  std::optional<std::uint64_t> whole_row;
};

using take_preceding = std::function<void(const preceding_range&)>;

// How much memory sort_in_ranges() may take beside the packed text, and how large its ranges are.
struct range_limits {
  // Chooses the size of ranges for a text of so many symbols and for `bytes`, at least min_bytes(symbols).
  range_limits(std::uint64_t symbols, std::uint64_t bytes);

  // Returns what suffices for a text whose suffixes do not agree in long stretches.
  [[nodiscard]] static std::uint64_t min_bytes(std::uint64_t symbols);

  std::uint64_t bytes;         // for the suffixes that are sorted, and for the anchors if they are needed
  std::uint64_t fitting_items; // suffixes that can be sorted at the same time
  std::uint64_t max_items;     // suffixes that are sorted at the same time, which may be fewer
};

// Returns how many items can be sent, received and sorted in the memory in which `fitting_items` can be
// sorted.
[[nodiscard]] std::uint64_t max_copied_items(std::uint64_t fitting_items);

// Other processes that sort suffixes together with this one, which asks them to.
class suffix_helpers {
public:
  // Returns whether it is faster to sort the suffixes of a text of so many symbols together.
  [[nodiscard]] virtual bool are_worthwhile(std::uint64_t symbols) const = 0;
  // Does what sort_in_ranges() does, but the monitor of `run` counts only the suffixes that this process
  // sorts.
  virtual void sort(const suffix_string& text, const range_limits& limits, const run_options& run,
                    const take_range& take) = 0;
  // Does the same for a text of bytes, and passes on the symbols before the suffixes.
  virtual void transform(const suffix_string& text, const range_limits& limits, const run_options& run,
                         const take_preceding& take) = 0;

protected:
  ~suffix_helpers() = default;
};

// Returns whether the suffixes of a text of so many symbols are sorted together with `helpers`, if not null.
[[nodiscard]] inline bool are_shared(const suffix_helpers* helpers, std::uint64_t symbols) {
  return helpers != nullptr && helpers->are_worthwhile(symbols);
}

// Writes the codes of the symbols before the suffixes of a range to `codes`. Returns the row of the whole
// text, if the range has it.
std::optional<std::uint64_t> write_preceding(const suffix_string& text, const sorted_range& range,
                                             std::span<std::uint8_t> codes, const run_options& run);

// The suffixes of a text, divided into pieces of about as many adjacent rows. Pieces end where buckets do, so
// suffixes that agree in their first bits belong to one piece, and pieces may be empty.
class suffix_pieces {
public:
  // Divides the suffixes into `count` pieces. O(n) time, divided by the number of processes that share the
  // positions, if `sharing` is not null. The object refers to the text, the options and `sharing`.
  suffix_pieces(const suffix_string& text, std::uint64_t count, const range_limits& limits,
                const run_options& run, position_sharing* sharing = nullptr);
  ~suffix_pieces();
  suffix_pieces(const suffix_pieces&) = delete;
  suffix_pieces& operator=(const suffix_pieces&) = delete;

  // Returns the first row of a piece, or n for piece `count`.
  [[nodiscard]] std::uint64_t first_row(std::uint64_t piece) const;
  // Sorts a piece, and passes its suffixes to take() range by range, as sort_in_ranges() does. Takes O(n)
  // time for each range beside the sort.
  void sort(std::uint64_t piece, const take_range& take);

  // Processes that share the positions can send each other their items instead. Returns the buckets, of which
  // this process has counted its share, and the first bucket of a piece.
  [[nodiscard]] const suffix_buckets& buckets() const;
  [[nodiscard]] std::uint64_t first_bucket(std::uint64_t piece) const;
  // Returns how many items can be sorted at the same time beside the anchors, if these have been sorted.
  [[nodiscard]] std::uint64_t fitting_items() const;
  // Sorts a piece whose items are given, bucket by bucket, as far as that takes no anchors. Returns whether
  // the anchors are needed and have not been sorted.
  [[nodiscard]] bool start_items(std::uint64_t piece, unwritten_vector<std::uint64_t>&& items);
  // Returns whether the anchors fit into the memory beside these items.
  [[nodiscard]] bool anchors_fit() const;
  // Frees these items.
  void drop_items();
  // Sorts the anchors. All processes that share the positions call it together.
  void sort_anchors();
  // Sorts these items completely, passes their suffixes to take(), and frees them.
  void finish_items(std::uint64_t piece, const take_range& take);

private:
  class state;
  std::unique_ptr<state> state_;
};

// Sorts all suffixes of a text, and passes them to take() range by range, in order. Ranges have at most
// limits.max_items suffixes, unless more of them agree in 72 symbols (in 512 bits, if these are fewer). Adds
// n to the work that the monitor of `run` counts. Takes O(n) time for each range beside the sort. If anchors
// are needed and do not fit beside the range, sorts them before it starts the range again; the next ranges
// are then smaller. If the helpers are worthwhile, they sort parts of the suffixes. Throws memory_error if
// the anchors take more than limits.bytes.
void sort_in_ranges(const suffix_string& text, const range_limits& limits, const run_options& run,
                    suffix_helpers* helpers, const take_range& take);

// Writes the suffix array of a text by sort_in_ranges(), which sorts half of the suffixes at a time, or fewer
// if there is less memory. Index is uint32_t (fewer than 2^31 symbols) or uint64_t. Throws memory_error if
// run.memory does not suffice for the array, the packed text and a range.
template <class Index>
void sort_by_ranges(const suffix_string& text, std::span<Index> sa, const run_options& run,
                    suffix_helpers* helpers);

} // namespace weft::bwt_detail
