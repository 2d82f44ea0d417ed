// An index that is split by records among the ranks of a job: each rank has the index of its own records
// (rank_records.hpp), which are before the records of the next rank.
//
// Every rank runs the search (pattern_search.hpp) for its share of the patterns (rank_patterns.hpp), formats
// the occurrences, and writes them in its turns (rank_output.hpp). The threads of the search ask a
// split_index as they would ask a whole index. Each question goes to all ranks (question_rounds.hpp). Every
// rank answers it for its own records, and the rank that asks merges the answers:
//   - numbers of occurrences are added;
//   - hits follow one another in the order of ranks, which is the order of records;
//   - of the hits with differences, each rank keeps the hits that belong to the best or the first ones of all
//     ranks, because the numbers of hits with each distance on the ranks before say how many these are;
//   - of exact hits beyond --max-hits, those whose suffixes come first are found by comparing suffixes of
//     different ranks (first_suffixes.hpp).
// Thus the answers are those of the index of all records, and nothing else in a search depends on the ranks.
// Questions are answered one at a time; every rank answers with all of its threads.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <weft/files/find/pattern_search.hpp>
#include <weft/files/find/searched_index.hpp>
#include <weft/files/ranks/first_suffixes.hpp>
#include <weft/files/ranks/question_rounds.hpp>
#include <weft/multi/communicator.hpp>

namespace weft::files {

// All ranks may use the functions of searched_index at the same time, until they call finish(). The functions
// also throw the errors of other ranks. Each rank holds the names and lengths of all records.
class split_index final : public searched_index {
public:
  // All ranks construct it together, each with the index of its records and the same options, of which
  // `memory` may differ. If a rank then fails before finish(), it must call fail() before the object is
  // destroyed.
  split_index(multi::communicator& ranks, const fm_index& own, const find_options& options);

  // Starts a thread of this rank that takes part in the answers to all questions. All communicators of the
  // search must be duplicated before: if that thread failed while another rank is in MPI_Comm_dup, which
  // cannot be interrupted, that rank would not end.
  void start() override;
  // Waits until all ranks have called it. This rank may ask no more. Throws the failure of the job.
  void finish();
  // Ends the exchanges of all ranks with this exception.
  void fail(const std::exception_ptr& fault) noexcept;

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
  enum class question : std::uint64_t { count, locate, count_over_origins, locate_over_origins, locate_near };
  // A question of rank `asker` about patterns, whose sizes it contains. `memory` is what the answer may take
  // on each rank.
  struct request {
    question what = question::count;
    std::uint64_t max_hits = 0, memory = 0;
    bool all_or_none = false, with_letters = false;
    int asker = 0;
    std::uint64_t text_size = 0, num_offsets = 0;
  };

  void gather_records();
  // Asks a question of this rank, and returns answer_of(about), which the thread of the rounds calls. Throws
  // the errors that all ranks have met.
  template <class Answer>
  auto ask_all(request about, const sequences_view& patterns, const Answer& answer_of);
  // Takes part in the answer to a question of another rank.
  void help(const request& about);
  void broadcast_patterns(const request& about, char* text, std::uint64_t* offsets);
  // Answer a question on all ranks together. The result is complete on the rank that asks. Throw
  // multi::common_failure.
  [[nodiscard]] std::vector<std::uint64_t> answer_count(const sequences_view& patterns, bool over_origins);
  [[nodiscard]] fm_hits answer_locate(const sequences_view& patterns, const request& about);
  [[nodiscard]] fm_hits answer_over_origins(const sequences_view& patterns, const request& about);
  [[nodiscard]] near_rows answer_near(const sequences_view& patterns, const request& about);
  // Returns the hits of all ranks on the rank that asks. `own` has those of this rank with the numbers of its
  // own records, and the totals of all ranks.
  [[nodiscard]] fm_hits merge(fm_hits own, int asker);
  // Returns which of the hits of this rank are listed.
  [[nodiscard]] std::vector<std::uint64_t> listed_hits(const near_hits& own, near_hits& all);
  [[nodiscard]] near_rows merge_near(const near_rows& own, const std::vector<std::uint64_t>& listed,
                                     near_rows all, const request& about);

  std::unique_ptr<multi::communicator> ranks_;
  whole_index own_;
  std::uint64_t first_record_; // number of the first record of this rank among all records
  first_suffixes suffixes_;
  fm_search_options search_;
  near_options near_;
  std::uint64_t memory_;
  // The names of all records end to end, where each begins, and the lengths of the records.
  std::string names_;
  std::vector<std::uint64_t> name_offsets_{0}, lengths_;
  std::uint64_t num_letters_ = 0, num_bases_ = 0; // of all records
  std::string text_;                              // the patterns of another rank
  std::vector<std::uint64_t> offsets_;
  std::optional<question_rounds<request>> rounds_; // its thread uses what is above; from start() on
};

} // namespace weft::files
