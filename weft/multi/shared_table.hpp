// A table of two texts that the ranks of a job fill together; weft/multi/lcs.hpp says how.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>
#include <weft/lcs/cpu/band_sweep.hpp>
#include <weft/lcs/engines.hpp>
#include <weft/multi/communicator.hpp>

namespace weft::multi_detail {

// How ranks divide a table: the smallest number of rows of a rank, and the number of words of 64 columns that
// travel together.
struct table_division {
  std::uint64_t min_rows, piece_words;
};

// The ranks that fill tables, one after another. Rank 0 calls distance() or path() for each table, and then
// dismiss(); the other ranks call help().
class shared_table {
public:
  // All ranks call it together.
  explicit shared_table(multi::communicator& ranks);

  [[nodiscard]] const multi::communicator& ranks() const noexcept { return ranks_; }
  // Return what bit_sliced_distance() and bit_sliced_path() return. Throw memory_error if the memory of the
  // call is too small for the task; then the ranks can go on with other tables. After any other error, and if
  // memory runs out while the ranks depend on each other, the exchange of the job has failed.
  [[nodiscard]] std::uint64_t distance(const lcs_detail::bit_planes& a, const lcs_detail::bit_planes& b,
                                       const lcs_detail::lcs_call& call, const table_division& division);
  [[nodiscard]] edit_script path(const lcs_detail::bit_planes& a, const lcs_detail::bit_planes& b,
                                 const lcs_detail::lcs_call& call, const table_division& division);
  // Does what table_helpers::sweep_half() says, with rank 1 as the other process.
  [[nodiscard]] std::vector<std::uint32_t>
  sweep_half(const lcs_detail::half_shape& shape, lcs_detail::text<std::uint8_t> a,
             lcs_detail::text<std::uint8_t> b, std::uint64_t memory,
             const std::function<void(const lcs_detail::sweep_check& check)>& own);
  void help(const run_options& run);
  void dismiss();

private:
  // A task is all that a rank knows of a table.
  struct task {
    const lcs_detail::bit_planes &a, &b;
    const lcs_detail::lcs_call& call;
    table_division division;
  };
  // The rows [row, row + rows) and columns [column, column + columns) of the table, which belong to the ranks
  // [first, first + count).
  struct part {
    std::uint64_t row, rows, column, columns;
    int first, count;
  };
  // Rank 0 broadcasts an order before each action of the ranks, which says what they do next.
  enum class action : std::uint64_t { end, find_distance, find_path, sweep_half };
  struct order;

  // Sends the texts of a table to all ranks.
  void begin(action next, const task& table);
  // Does the part of this rank for a table of rank 0.
  void follow(const order& what, const run_options& run);
  [[nodiscard]] part whole(const task& table) const;
  [[nodiscard]] int count_bands(const task& table, const part& which) const;
  [[nodiscard]] lcs_detail::meeting meet(const task& table, const part& which, int count);
  void sweep_own_band(const task& table, const part& which, std::uint64_t middle, int member, int upper,
                      int count, lcs_detail::row_differences& row);
  [[nodiscard]] part find_own_part(const task& table);
  [[nodiscard]] edit_script solve_own_part(const task& table, const part& own);
  [[nodiscard]] edit_script gather(const task& table, edit_script own);
  // Returns the channel for the border below the band of a rank.
  [[nodiscard]] multi::communicator& border_below(int rank) { return *borders_[rank % 2]; }

  multi::communicator& ranks_;
  // A rank takes a border and passes on another one by two threads at the same time.
  std::unique_ptr<multi::communicator> borders_[2];
};

} // namespace weft::multi_detail
