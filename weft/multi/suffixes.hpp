// Sorts the suffixes of a text by all ranks of a job: for transforms, suffix arrays and indexes.
//
//   #include <weft/multi/thread_ranks.hpp>
//   std::vector<std::uint32_t> rows;
//   weft::multi::run_ranks(3, [&](weft::multi::communicator& ranks) {
//     const std::string text = ranks.rank() == 0 ? "banana" : "";
//     const std::vector<std::uint32_t> sa = weft::multi::suffix_array(ranks, text);
//     if (ranks.rank() == 0) rows = sa;
//   });
//   rows;                                           // == {5, 3, 1, 0, 4, 2}
//   std::vector<std::vector<std::uint32_t>> parts(3);
//   weft::multi::run_ranks(3, [&](weft::multi::communicator& ranks) {
//     weft::multi::suffix_parts own(ranks, "banana");
//     own.exchange(0);
//     own.sort<std::uint32_t>(0, [&](std::span<const std::uint32_t> own_rows) {
//       parts[static_cast<std::size_t>(ranks.rank())].assign(own_rows.begin(), own_rows.end());
//     });
//   });
//   parts[0];                                       // == {5, 3, 1, 0}
//   parts[1].empty();                               // == true
//   parts[2];                                       // == {4, 2}
//   std::vector<std::string> bytes(3);              // before the suffixes of each rank
//   std::uint64_t row_of_text = 0;
//   weft::multi::run_ranks(3, [&](weft::multi::communicator& ranks) {
//     weft::multi::suffix_parts own(ranks, "banana");
//     own.exchange(0);
//     own.sort_preceding(0, [&](std::string_view own_bytes, std::optional<std::uint64_t> whole_row) {
//       bytes[static_cast<std::size_t>(ranks.rank())].append(own_bytes);
//       if (whole_row) row_of_text = *whole_row;
//     });
//   });
//   bytes[0];                                       // == "nnba"
//   bytes[2];                                       // == "aa"
//   row_of_text;                                    // == 3
//
// Rank 0 calls weft::bwt(), weft::suffix_array() or weft::fm_index::build(), and the other ranks wait until
// it has to sort the suffixes of a large text on a CPU by the engine suffix-sort. Then rank 0 sends the text
// to all ranks, packed into as few bits a symbol as its letters need. The suffixes are divided by their first
// bits into pieces of about as many rows, of which each of R ranks sorts every R-th one. Every rank reads a
// share of the text, and sends the suffixes of it to the ranks that sort them. Rank 0 receives what it needs
// of the sorted pieces in their order, writes what follows from them, and has the result. With suffix_parts,
// each rank keeps its pieces, or the bytes before their suffixes.
//
// Cost on R ranks: every rank reads and sorts n / R suffixes. Suffixes that agree in long stretches are
// ordered by anchors, about n / 32 at most, which all ranks sort together if one of them needs them. A rank
// that has no memory for copies of suffixes reads the whole text, and may sort the anchors by itself.
// Traffic: the packed text, from rank 0 (2 bits a symbol for DNA); 8 bytes for each suffix that another rank
// sorts; and for each suffix of another rank than rank 0, to rank 0, as many bits as a symbol has in a
// sentinel transform, and else 4 bytes (8 from 2^32 symbols on), but nothing with suffix_parts; and with
// anchors, of all ranks together, 3 n / 8 bytes, 16 bytes for each anchor, and 8 bytes for each that changes
// its rank in a round of their sort. Memory of another rank: the packed text, 28 bytes for each suffix of a
// piece, and up to 1.7 n bytes while anchors are sorted, 0.8 n afterwards; there are more pieces if the
// memory of rank 0 is too small for the suffixes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>
#include <weft/bwt/bwt.hpp>
#include <weft/bwt/suffix_array.hpp>
#include <weft/multi/communicator.hpp>

namespace weft::multi {

// When ranks sort suffixes together. By ranges, a suffix takes about twice the time that it takes by
// induction, which one rank can do alone; therefore two ranks are too few.
struct suffix_limits {
  std::uint64_t min_symbols = std::uint64_t{1} << 24; // of the text
  int min_ranks = 3;                                  // of the job
  // Returns whether so many ranks sort the suffixes of so many symbols together: two ranks or more, and a
  // symbol or more, whatever the limits are.
  [[nodiscard]] bool allow(int ranks, std::uint64_t symbols) const noexcept;
};

// The ranks of a job that sort suffixes together. Rank 0 calls functions of bwt with the options `helpers` =
// team.helpers(), as often as it likes, and then dismiss(); meanwhile the other ranks are in help(). If
// sorting fails on any rank, exchanges of the job fail (communicator::fail()).
class suffix_team {
public:
  // All ranks construct it together. The communicator must outlive the team.
  explicit suffix_team(communicator& ranks, const suffix_limits& limits = {});
  ~suffix_team();
  suffix_team(const suffix_team&) = delete;
  suffix_team& operator=(const suffix_team&) = delete;

  // Returns what rank 0 sets as bwt_options::helpers or fm_build_options::helpers.
  [[nodiscard]] bwt_detail::suffix_helpers* helpers() noexcept;
  // Sorts together with rank 0 until rank 0 calls dismiss(). Uses run.threads, and run.monitor for the
  // suffixes of this rank and to be cancelled. The monitor of rank 0 counts those of rank 0.
  void help(const run_options& run);
  // Ends help() of the other ranks.
  void dismiss();

private:
  class state;
  std::unique_ptr<state> state_;
};

// A suffix array, or a transform, in parts, which the ranks of a job sort and keep. The parts are in the
// order of (part, rank): part 0 of rank 0, part 0 of rank 1, and so on to the last rank; then part 1 of rank
// 0. So ranks that write their parts in turns write the whole array.
class suffix_parts {
public:
  // Packs the text of rank 0, which must not be empty, sends it to all ranks, and divides its suffixes. All
  // ranks construct the object together; the communicator must outlive it. Uses run.threads and run.monitor
  // of each rank, and run.memory of rank 0, which excludes the text, for every rank. Throws memory_error if
  // that is too small, and std::invalid_argument.
  suffix_parts(communicator& ranks, std::string_view text, const run_options& run = {});
  // Does the same for a text that pack() returns on rank 0, and which has one part.
  suffix_parts(communicator& ranks, const std::function<bwt_detail::suffix_string()>& pack,
               const run_options& run);
  ~suffix_parts();
  suffix_parts(const suffix_parts&) = delete;
  suffix_parts& operator=(const suffix_parts&) = delete;

  // Returns the number of parts of each rank, which is the same for all. A part may be empty.
  [[nodiscard]] std::uint64_t count() const noexcept;
  // Return the first row of a part of this rank or of another one, and the row behind its last one.
  [[nodiscard]] std::uint64_t first_row(std::uint64_t part) const { return first_row(part, ranks_.rank()); }
  [[nodiscard]] std::uint64_t end_row(std::uint64_t part) const { return end_row(part, ranks_.rank()); }
  [[nodiscard]] std::uint64_t first_row(std::uint64_t part, int rank) const;
  [[nodiscard]] std::uint64_t end_row(std::uint64_t part, int rank) const;
  // Returns the packed text, for the library's own use.
  [[nodiscard]] const bwt_detail::suffix_string& text() const noexcept;
  // Gives each rank the suffixes of a part, sorted as far as all ranks do that together. All ranks call it
  // together, for one part after another, each before they sort it.
  void exchange(std::uint64_t part);
  // Sorts a part of this rank, and passes its suffixes to take() in order, many at a time. Index is
  // std::uint32_t, for up to 2^32 symbols, or std::uint64_t. If it fails, exchanges of the job fail.
  template <class Index>
  void sort(std::uint64_t part, const std::function<void(std::span<const Index>)>& take);
  // Does the same, but passes on the bytes before the suffixes, and the row of the whole text if its suffix
  // is among them. The byte before the whole text is the last one of the text.
  void sort_preceding(std::uint64_t part,
                      const std::function<void(std::string_view, std::optional<std::uint64_t>)>& take);

private:
  struct state;
  communicator& ranks_;
  std::unique_ptr<state> state_;
};

// Returns weft::bwt() of the text, the form and the options of rank 0 on rank 0, and an empty transform on
// the other ranks, which use run.threads and run.monitor of their options. If rank 0 throws, all ranks do.
[[nodiscard]] bwt_text bwt(communicator& ranks, std::string_view text, bwt_form form = bwt_form::sentinel,
                           const bwt_options& options = {}, const suffix_limits& limits = {});
// Returns weft::suffix_array() on rank 0 likewise, and an empty array on the other ranks.
template <class Index = std::uint32_t>
[[nodiscard]] std::vector<Index> suffix_array(communicator& ranks, std::string_view text,
                                              const bwt_options& options = {},
                                              const suffix_limits& limits = {});

} // namespace weft::multi
