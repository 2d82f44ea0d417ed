// Compares two sequences, or all pairs of a batch, by all ranks of a job.
//
//   #include <weft/multi/thread_ranks.hpp>
//   std::vector<std::uint64_t> lengths(3);
//   weft::multi::run_ranks(3, [&](weft::multi::communicator& ranks) {
//     lengths[static_cast<std::size_t>(ranks.rank())] =
//         weft::multi::lcs_value(ranks, ranks.rank() == 0 ? "ABCBDAB" : "", "BDCABA");
//   });
//   lengths;                                        // == {4, 4, 4}
//
// Pairs. Rank 0 compares the two texts as weft/lcs/lcs.hpp says, and the other ranks wait until it has to
// fill a large table. Then all ranks fill it together. So values and paths are those of one process. Small
// tables, similar texts, metric affine and wildcards are the work of rank 0 alone, and so is every engine but
// auto, bit-sliced and systolic. So are tables that a GPU fills, except for values on two GPUs.
//
// Values on two GPUs. If the options of rank 0 and those of rank 1 name a GPU (run_options::device), rank 1
// sweeps half of a large table on its GPU while rank 0 sweeps the other half, for the value of metric lcs or
// indel by engine auto or systolic. Other ranks take no part. If rank 1 has too little memory, rank 0
// computes the value alone. For texts of m and n symbols, rank 1 gets m + n / 2 or n + m / 2 of them, as
// bytes, and returns one bit for each row of its half.
//
// A table of m rows and n columns is cut below a row. Half of the ranks compute the upper part from the first
// row down, and the other ranks compute the lower part from the last row up. In each part the ranks have
// bands of rows, and pass the differences at the lower border of a band to the next rank, in pieces of a few
// columns, while they compute. The column in which both parts meet with the smallest sum is a point of the
// canonical path, if it is the smallest such column (Hirschberg). The sum is the distance. For a path, the
// ranks then divide the two parts of the table that the path crosses among themselves in the same manner;
// once a part belongs to one rank, that rank computes its path by engine bit-sliced.
//
// Cost on R ranks: a value takes m n / R cells of each rank; a path takes about 2 m n / R. Every rank keeps
// the texts as bit planes (2 bits a symbol for DNA). Traffic of a table with n columns that g ranks fill: the
// bit planes, which rank 0 broadcasts; g - 1 borders of n bits (metric edit: 2 n bits), in words of 64 bits;
// and 16 bytes for each of g - 1 ranks. A path then also has the tables of the smaller parts, and each rank
// sends its runs to rank 0.
//
// All pairs. Every rank has the batch and computes a part of the pairs with about as many cells as those of
// the other ranks. Traffic: the values.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>
#include <weft/lcs/lcs.hpp>
#include <weft/multi/communicator.hpp>

namespace weft::multi {

// When and how ranks share tables.
struct table_limits {
  std::uint64_t min_cells = std::uint64_t{1} << 34; // of a table that is shared
  std::uint64_t min_rows = 8192;                    // of each rank
  std::uint64_t piece_words = 0; // words of 64 columns that travel together; 0: by the number of columns
  // The smallest number of cells of a table whose value two GPUs compute together: about 1.4 M x 1.4 M, which
  // the plans of engine systolic expect to take an H200 30 ms, and two of them 19 ms and the exchange of the
  // texts.
  std::uint64_t min_gpu_cells = std::uint64_t{1} << 41;
  bool may_share_gpu = false; // for tests: whether two ranks may fill a table on the same GPU
};

// The ranks of a job that fill tables together. Rank 0 compares texts with the options `helpers` =
// team.helpers(), as often as it likes, and then calls dismiss(); meanwhile the other ranks are in help().
// Only rank 0 decides what is computed. If sharing a table fails on any rank, exchanges of the job fail
// (communicator::fail()).
class lcs_team {
public:
  // All ranks call it together. The communicator must outlive the team.
  explicit lcs_team(communicator& ranks, const table_limits& limits = {});
  ~lcs_team();
  lcs_team(const lcs_team&) = delete;
  lcs_team& operator=(const lcs_team&) = delete;

  // Returns what rank 0 sets as lcs_options::helpers.
  [[nodiscard]] lcs_detail::table_helpers* helpers() noexcept;
  // Fills tables together with rank 0 until rank 0 calls dismiss(). Uses run.threads, and run.monitor for the
  // cells of this rank and to be cancelled. Rank 1 also uses run.device and run.device_memory.
  void help(const run_options& run);
  // Ends help() of the other ranks.
  void dismiss();

private:
  class state;
  std::unique_ptr<state> state_;
};

// Returns, on all ranks, weft::lcs_value() of the texts and the options of rank 0. The other ranks ignore
// their texts, and of the options they use what lcs_team::help() names. If rank 0 throws, all ranks do.
[[nodiscard]] std::uint64_t lcs_value(communicator& ranks, std::string_view a, std::string_view b,
                                      const lcs_options& options = {}, const table_limits& limits = {});
// Returns weft::lcs() on rank 0, and an empty path on the other ranks.
[[nodiscard]] edit_script lcs(communicator& ranks, std::string_view a, std::string_view b,
                              const lcs_options& options = {}, const table_limits& limits = {});

// Returns weft::lcs_all_pairs() on all ranks, which all have the same batch and options. If a rank throws, it
// has to end the exchange (communicator::fail()).
[[nodiscard]] std::vector<std::uint64_t> lcs_all_pairs(communicator& ranks, const sequences_view& batch,
                                                       lcs_options options = {});

} // namespace weft::multi
