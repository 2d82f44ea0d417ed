// Sorting the lines of a text that fits in memory.
//
//   const weft::line_order order({}, {"2,2n"});
//   weft::line_sorter sorter(order, '\n', 1 << 20, {});
//   std::string_view text = "a 10\nb 9\n";
//   while (!text.empty() && !sorter.full()) {
//     const std::span<char> room = sorter.room();
//     const std::size_t bytes = text.copy(room.data(), room.size());
//     sorter.add(bytes);
//     text.remove_prefix(bytes);
//   }
//   sorter.end_text();
//   sorter.sort();
//   std::string sorted;
//   sorter.write([&](std::string_view lines) { sorted += lines; }, false);
//   sorted;                                         // == "b 9\na 10\n"
//
// Memory: the text, 33 bytes a line, and for orders with keys the codes of the keys; of `memory` as much as
// is needed. Time: O(bytes that tell lines apart + lines log lines). Stable where the order is. On a GPU, if
// options.device says so, lines are sorted by their first eight bytes, or those of their codes, as 16 bytes a
// line; what is equal there goes on on the CPU.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <weft/base/reserved_memory.hpp>
#include <weft/sort/core/ordered_bits.hpp>
#include <weft/sort/line_order.hpp>
#include <weft/sort/sort_options.hpp>

namespace weft {

// Takes text, and gives back its lines in order (above).
class line_sorter {
public:
  // Lines end in `terminator`. The sorter refers to `order`, which must outlive it. Of the options count
  // device, device_memory and threads. Throws error(invalid_input) if memory is less than 64 KiB.
  line_sorter(const line_order& order, char terminator, std::uint64_t memory, const sort_options& options);

  // Where the next bytes of text go; empty if full().
  [[nodiscard]] std::span<char> room();
  // Says how many were put there.
  void add(std::uint64_t bytes);
  // No more text fits beside what sorting takes.
  [[nodiscard]] bool full() const noexcept;
  // The text is complete: if its last line lacks a terminator, gives it one.
  void end_text();
  [[nodiscard]] std::uint64_t num_lines() const noexcept { return num_lines_; }
  // Bytes of the longest line there has been.
  [[nodiscard]] std::uint64_t longest_line() const noexcept { return longest_line_; }

  // Throws what weft::sort of numbers throws.
  void sort();
  // The GPU that lines have been sorted on, or -1.
  [[nodiscard]] int gpu() const noexcept { return gpu_; }
  // The lines in order, each with its terminator, in large pieces; if `unique`, of lines with equal keys the
  // first only.
  void write(const std::function<void(std::string_view)>& sink, bool unique) const;
  // What there is of a last line without terminator.
  [[nodiscard]] std::string_view unfinished_line() const {
    return {text_.data() + indexed_, text_size_ - indexed_};
  }
  // Forgets the lines. A last line without terminator is kept: the next text goes on with it.
  void clear();
  // Gives memory that is not in use back to the system, until it is needed again.
  void release_memory() noexcept;

private:
  class plain_lines;
  class coded_lines;
  [[nodiscard]] std::uint64_t max_cost_of_byte() const noexcept;
  void index(std::uint64_t begin, std::uint64_t end);
  void encode(std::span<const std::uint64_t> lines);
  void order_equal(std::span<uint128> entries, int threads) const;
  [[nodiscard]] std::string_view line(std::uint64_t id) const;
  [[nodiscard]] std::string_view code(std::uint64_t id) const;
  [[nodiscard]] bool same_keys(std::uint64_t a, std::uint64_t b) const;

  const line_order& order_;
  char terminator_;
  std::uint64_t memory_, device_memory_;
  device_choice device_;
  int threads_, gpu_ = -1;
  reserved_memory text_, entries_, codes_;
  std::uint64_t text_size_ = 0, indexed_ = 0; // bytes; those in complete lines
  std::uint64_t num_lines_ = 0, codes_size_ = 0, longest_line_ = 0;
};

} // namespace weft
