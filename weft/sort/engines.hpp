// What the engines of sort solve: one call of a function of weft/sort/sort.hpp, its types erased.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>
#include <weft/base/run.hpp>
#include <weft/sort/core/number_key.hpp>
#include <weft/sort/core/ordered_bits.hpp>

namespace weft::sort_detail {

enum class sort_task : std::uint8_t { sort, argsort, top_k, segments };

// A sort_problem is a call with its types erased: what it reads, and where its result goes. For numbers in a
// natural order, `type` gives their type and direction, and `items` is the array. For all other items, the
// types of the items and of the comparator are known only where the call is compiled, and so the problem has
// the code of the engines that can sort them: `merge`, and `sample_merge`, which is empty if it cannot do the
// task or cannot move the items.
struct sort_problem {
  sort_task task;
  const run_options& run;
  std::uint64_t num_items = 0;
  bool stable = false;                                 // whether equal items keep their order
  std::optional<number_type> type = {};                // set for numbers in a natural order
  void* items = nullptr;                               // the numbers; argsort and top_k only read them
  std::span<const std::uint64_t> offsets = {};         // of segments
  std::uint64_t k = 0;                                 // of top_k; at most num_items
  void* top_items = nullptr;                           // top_k of numbers writes k numbers here
  std::vector<std::uint64_t>* order = nullptr;         // argsort of numbers writes the order here
  std::function<void()> merge = {}, sample_merge = {}; // solve the problem by the engines of these names
};

// Returns whether sorting all of n items costs no more than selecting the first k.
constexpr bool is_full_sort_cheaper(std::uint64_t k, std::uint64_t n) { return k >= n / 8; }

// Device auto uses a GPU for at least this many items, of 32 bits or more. A CPU sorts fewer items before
// they could be copied to the GPU and back, and the first call of a process spends a quarter of a second on
// initializing the GPU.
inline constexpr std::uint64_t min_gpu_items = std::uint64_t{1} << 26;

// Throws std::invalid_argument unless the offsets ascend from 0 to num_items, or are empty if there are no
// items.
void check_segments(std::uint64_t num_items, std::span<const std::uint64_t> offsets);

// Solves the problem by the engine that its options choose, and writes the report. Throws what weft::sort
// throws.
void solve_sort(sort_problem& problem);

// Returns whether there are numbers to sort and the options choose a GPU for them, as sort_in_pieces() needs.
// Throws as it does.
[[nodiscard]] bool is_for_gpu(const sort_problem& problem);

// Takes sorted numbers: the bytes of a piece, and their offset among the bytes of all numbers. Called on
// several threads, for pieces in unspecified order.
using piece_taker = std::function<void(std::uint64_t offset, std::span<const std::byte> bytes)>;

// Sorts numbers as solve_sort() does, but only reads `problem.items`, and hands the sorted numbers to `take`.
// No array of them is then needed in the memory of the host. Only a GPU can do this, if the numbers fit its
// memory at once. Returns false if the options choose another engine or the memory does not suffice; `take`
// may have been called before that.
[[nodiscard]] bool sort_in_pieces(const sort_problem& problem, const piece_taker& take);

// Lines that are sorted by their entries (core/line_entry.hpp): the entries with the words of depth 0, the
// text, and the codes, which are empty if the entries name lines. Text and codes lie in aligned memory.
struct line_sort_problem {
  std::span<uint128> entries;
  std::string_view text, codes;
  bool by_lines = false; // lines of equal codes are ordered by their bytes
  bool reversed = false; // in descending order
};

// Sorts the lines by all of their bytes, on a GPU. Returns false, with the entries as they were, if the
// options choose the CPU for so many numbers, if the GPU's memory does not suffice, or if lines agree in very
// many bytes. Writes the report and throws as solve_sort() does.
[[nodiscard]] bool sort_lines(const line_sort_problem& problem, const run_options& run);

} // namespace weft::sort_detail
