// An index that is split by records among the ranks of a job: each rank has the index of its own records
// (rank_records.hpp), which are before the records of the next rank.
//
// Rank 0 runs the search (pattern_search.hpp), reads the patterns and writes the output. The threads of the
// search ask a split_index as they would ask a whole index. Each question is broadcast, every rank answers it
// for its own records, and rank 0 merges the answers:
//   - numbers of occurrences are added;
//   - hits follow one another in the order of ranks, which is the order of records;
//   - of the hits with differences, each rank keeps the hits that belong to the best or the first ones of all
//     ranks, because the numbers of hits with each distance on the ranks before say how many these are;
//   - of exact hits beyond --max-hits, those whose suffixes come first are found by comparing suffixes of
//     different ranks (first_suffixes.hpp).
// Thus the answers are those of the index of all records, and nothing else in a search depends on the ranks.
// Questions are asked one at a time; every rank answers with all of its threads.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <weft/files/find/pattern_search.hpp>
#include <weft/files/find/searched_index.hpp>
#include <weft/files/ranks/first_suffixes.hpp>
#include <weft/multi/communicator.hpp>

namespace weft::files {

// A split_index answers on rank 0, while the other ranks are in serve(). The functions of searched_index are
// only for rank 0; they also throw the errors of other ranks.
class split_index final : public searched_index {
public:
  // All ranks construct it together, each with the index of its records and the same options, of which
  // `memory` may differ.
  split_index(multi::communicator& ranks, const fm_index& own, const find_options& options);

  // On ranks other than 0: takes part in the answers until rank 0 calls dismiss().
  void serve();
  void dismiss();

  [[nodiscard]] fm_alphabet alphabet() const override { return own_.alphabet(); }
  [[nodiscard]] std::uint64_t num_records() const override { return lengths_.size(); }
  [[nodiscard]] std::string_view name(std::uint64_t record) const override;
  [[nodiscard]] std::uint64_t length(std::uint64_t record) const override { return lengths_[record]; }
  // True: an index in memory is not worth a note that another one would be faster.
  [[nodiscard]] bool has_contexts() const override { return true; }
  [[nodiscard]] std::vector<std::uint64_t> count(const sequences_view& patterns,
                                                 const fm_search_options& options) override;
  [[nodiscard]] fm_hits locate(const sequences_view& patterns, const fm_search_options& options,
                               bool all_or_none) override;
  [[nodiscard]] std::vector<std::uint64_t>
  count_over_origins(std::string_view text, std::span<const std::uint64_t> offsets) override;
  [[nodiscard]] fm_hits locate_over_origins(std::string_view text,
                                            std::span<const std::uint64_t> offsets) override;
  [[nodiscard]] near_rows locate_near(const sequences_view& patterns, const near_options& options,
                                      bool with_letters) override;
  [[nodiscard]] std::string letters_of(const near_rows& rows, std::uint64_t h) const override;

  // Returns the notes on the references (index_files.hpp).
  [[nodiscard]] std::string notes() const;

private:
  enum class question : std::uint64_t {
    none, // the search has ended
    count,
    locate,
    count_over_origins,
    locate_over_origins,
    locate_near
  };
  // A question about patterns. `memory` is what the answer may take on each rank.
  struct request {
    question what = question::none;
    std::uint64_t max_hits = 0, memory = 0;
    bool all_or_none = false, with_letters = false;
  };

  void gather_records();
  // Copies a question of rank 0 to the other ranks, which receive the patterns in text_ and offsets_.
  void ask(request& about, const sequences_view& patterns);
  // Asks a question on rank 0, and returns answer_of(about). Throws the errors that all ranks have met.
  template <class Answer>
  auto ask_all(request about, const sequences_view& patterns, const Answer& answer_of);
  // Answer a question on all ranks together. The result is complete on rank 0. Throw multi::common_failure.
  void answer(const request& about);
  [[nodiscard]] std::vector<std::uint64_t> answer_count(const sequences_view& patterns, bool over_origins);
  [[nodiscard]] fm_hits answer_locate(const sequences_view& patterns, const request& about);
  [[nodiscard]] fm_hits answer_over_origins(const sequences_view& patterns);
  [[nodiscard]] near_rows answer_near(const sequences_view& patterns, const request& about);
  // Returns the hits of all ranks on rank 0. `own` has those of this rank with the numbers of its own
  // records, and the totals of all ranks.
  [[nodiscard]] fm_hits merge(fm_hits own);
  // Returns which of the hits of this rank are listed.
  [[nodiscard]] std::vector<std::uint64_t> listed_hits(const near_hits& own, near_hits& all);
  [[nodiscard]] near_rows merge_near(const near_rows& own, const std::vector<std::uint64_t>& listed,
                                     near_rows all, bool with_letters);

  multi::communicator& ranks_;
  whole_index own_;
  std::uint64_t first_record_; // number of the first record of this rank among all records
  first_suffixes suffixes_;
  fm_search_options search_;
  near_options near_;
  std::uint64_t memory_;
  std::mutex mutex_; // one question at a time
  // On rank 0: the names of all records end to end, where each begins, and the lengths of the records.
  std::string names_;
  std::vector<std::uint64_t> name_offsets_{0}, lengths_;
  std::uint64_t num_letters_ = 0, num_bases_ = 0; // of all records
  std::string text_;                              // the patterns that another rank than 0 has received
  std::vector<std::uint64_t> offsets_;
};

} // namespace weft::files
