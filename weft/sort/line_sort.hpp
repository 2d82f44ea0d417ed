// Sorts the lines of a text that fits in memory.
//
//   const weft::line_order order({}, {"2,2n"});
//   weft::line_sorter sorter(order, '\n', {.run = {.memory = 1 << 20}});
//   std::string_view text = "a 10\nb 9\n";
//   while (!text.empty() && !sorter.full()) {
//     const std::span<char> space = sorter.free_space();
//     const std::size_t bytes = text.copy(space.data(), space.size());
//     sorter.add(bytes);
//     text.remove_prefix(bytes);
//   }
//   sorter.end_text();
//   sorter.sort();
//   std::string sorted;
//   sorter.write([&](std::string_view lines) { sorted += lines; }, false);
//   sorted;                                         // == "b 9\na 10\n"
//
// Memory: the text, 33 bytes for each line, and, for orders with keys, the codes of the keys. Only as much of
// run.memory is taken as is needed. Time: O(bytes that tell lines apart + lines log lines). Stable: lines
// that the order takes as equal stay in the order of the text. A GPU sorts the lines if run.device is gpu, or
// if it is auto and there are at least 2^26 lines. It compares whole lines, or their codes and then the
// lines, if all of these fit its memory together with 32 bytes a line, and if no two lines that it compares
// agree in 4,096 bytes. Otherwise it sorts by the first eight bytes, as 16 bytes a line, and the CPU sorts
// the lines whose first bytes are equal.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <weft/base/device.hpp>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>
#include <weft/base/run.hpp>
#include <weft/sort/core/ordered_bits.hpp>
#include <weft/sort/line_order.hpp>
#include <weft/sort/sort_options.hpp>

namespace weft {

// Returns the engines that sort lines, and whether each can run on this machine.
[[nodiscard]] std::vector<engine_info> line_sort_engines();

// An object that takes text and gives back its lines in order (see above).
class line_sorter {
public:
  // Lines end in `terminator`. The sorter refers to `order` and to the monitor and the report of the options,
  // which must outlive it. run.memory is the memory for the text and all that sorting it takes. Throws
  // error(invalid_input) if it is less than 64 KiB, and for an engine other than "auto" and those of
  // line_sort_engines().
  line_sorter(const line_order& order, char terminator, const sort_options& options);

  // Returns the memory where the caller writes the next bytes of text. Empty if full().
  [[nodiscard]] std::span<char> free_space();
  // Adds the first `bytes` bytes that the caller wrote to free_space() to the text. The caller
  // keeps `num_busy` threads busy meanwhile. If the sorter has five threads or more, it uses `num_busy`
  // fewer, because its threads wait for one another, and so for one that must share a processor.
  void add(std::uint64_t bytes, int num_busy = 0);
  // Returns the memory behind the first `bytes` bytes of free_space(), where a thread can write the text
  // after them while another thread adds them. It is then what free_space() returns. Empty if that text
  // might not fit, whatever its lines are.
  [[nodiscard]] std::span<char> free_space_after(std::uint64_t bytes);
  // Returns whether no more text fits into the memory together with the memory that sorting takes.
  [[nodiscard]] bool full() const noexcept;
  // Ends the text. If its last line lacks a terminator, adds one.
  void end_text();
  [[nodiscard]] std::uint64_t num_lines() const noexcept { return num_lines_; }
  // Returns the size in bytes of the complete lines, with their terminators.
  [[nodiscard]] std::uint64_t size() const noexcept { return complete_size_; }
  // Returns the size in bytes of the longest line since the construction.
  [[nodiscard]] std::uint64_t longest_line() const noexcept { return longest_line_; }

  // Sorts the lines. Throws what weft::sort of numbers throws. Progress: lines that a GPU has sorted, or
  // that are sorted by their first eight bytes. After a cancelled_error, the lines are in an unspecified
  // order. Report: the work is lines, the engine "words".
  void sort();
  // Calls `sink` with the lines in order, each with its terminator, in large pieces, from one thread at a
  // time. If `unique`, writes only the first of lines with equal keys.
  void write(const std::function<void(std::string_view)>& sink, bool unique) const;
  // Does the same, but calls `sink` from several threads at the same time, and in any order, with the
  // positions of the pieces in the output, which count bytes from 0.
  void write_at(const std::function<void(std::uint64_t position, std::string_view)>& sink, bool unique) const;
  // Returns the beginning of the last line, if that line has no terminator yet.
  [[nodiscard]] std::string_view unfinished_line() const {
    return {text_.data() + complete_size_, text_size_ - complete_size_};
  }
  // Forgets the lines. A last line without terminator is kept, and the next text continues it.
  void clear();
  // Returns memory that is not in use to the system, until it is needed again.
  void release_memory() noexcept;

private:
  // Bytes of text that are read, cut into lines or written at once; if there is memory, up to max_block_bytes
  // are read and cut.
  static constexpr std::uint64_t block_bytes = std::uint64_t{1} << 22,
                                 max_block_bytes = std::uint64_t{1} << 25;
  class plain_lines;
  class coded_lines;
  [[nodiscard]] std::uint64_t memory_in_use() const noexcept;
  [[nodiscard]] std::uint64_t max_memory_per_text_byte() const noexcept;
  [[nodiscard]] std::uint64_t max_block() const noexcept;
  // Has threads provide pages for the first `needed` bytes of text, and for some more.
  void provide_text(std::uint64_t needed);
  // Adds entries for the lines whose terminators are in bytes [begin, end) of the text, on up to `workers`
  // threads.
  void add_entries_for_lines_ending_in(std::uint64_t begin, std::uint64_t end, std::uint64_t workers);
  // Makes codes for the lines that entries [first, last) name, on up to `workers` threads; then the entries
  // name the codes.
  void encode(std::uint64_t first, std::uint64_t last, std::uint64_t workers);
  using piece_sink = std::function<void(std::uint64_t position, std::string_view)>;
  void write_pieces(const piece_sink& sink, bool unique, bool in_order) const;
  void append_line(std::uint64_t index, bool unique, std::string& to) const;
  // Calls body(0) .. body(count - 1), each on its own thread.
  void on_threads(std::uint64_t count, const std::function<void(std::uint64_t)>& body);
  // Sorts entries by their first words, and then those of equal words on the CPU.
  void sort_by_words(std::span<uint128> entries, const run_options& options) const;
  void sort_equal_codes(std::span<uint128> entries, int threads) const;
  [[nodiscard]] std::string_view line(std::uint64_t id) const;
  [[nodiscard]] std::string_view code(std::uint64_t id) const;
  [[nodiscard]] bool same_keys(std::uint64_t a, std::uint64_t b) const;

  const line_order& order_;
  char terminator_;
  run_options run_;
  std::uint64_t memory_;
  int threads_;
  kept_team team_;
  reserved_memory text_, entries_, codes_;
  std::uint64_t text_provided_ = 0;                 // bytes for which there are pages
  std::vector<std::string> batch_codes_;            // of encode(), one for each thread
  std::uint64_t text_size_ = 0, complete_size_ = 0; // bytes of text, and of its complete lines
  std::uint64_t num_lines_ = 0, codes_size_ = 0, longest_line_ = 0;
};

} // namespace weft
