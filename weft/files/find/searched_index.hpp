// The index in which patterns are searched: one index, or one that is split among ranks
// (ranks/split_index.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include <weft/base/sequences.hpp>
#include <weft/bwt/fm_index.hpp>
#include <weft/bwt/near_search.hpp>
#include <weft/files/find/origin_search.hpp>
#include <weft/files/formats/find_formats.hpp>

namespace weft::files {

// Hits with differences, and what searched_index::letters_of() needs to return their letters.
struct near_rows {
  near_hits hits;
  // A split index sets these: the letters of all hits end to end, and where the letters of each hit begin.
  std::string letters;
  std::vector<std::uint64_t> letter_offsets;
};

// A searched_index answers the questions of the threads of a search (pattern_search.hpp). Its functions
// return what the functions of the same names of fm_index, origin_search and near_origin_search return, and
// throw their errors. Thread-safe.
class searched_index : public hit_records {
public:
  // Called on all ranks before the first question, once the communicators of the search exist.
  virtual void start() {}
  [[nodiscard]] virtual bool has_contexts() const = 0;
  [[nodiscard]] virtual std::vector<std::uint64_t> count(const sequences_view& patterns,
                                                         const fm_search_options& options) = 0;
  // With `all_or_none`, the hits of a pattern that has more than options.max_hits are unspecified. Their
  // total is right.
  [[nodiscard]] virtual fm_hits locate(const sequences_view& patterns, const fm_search_options& options,
                                       bool all_or_none) = 0;
  // For circular records: return upper bounds of the numbers of occurrences over origins, and these
  // occurrences.
  [[nodiscard]] virtual std::vector<std::uint64_t>
  count_over_origins(std::string_view text, std::span<const std::uint64_t> offsets) = 0;
  [[nodiscard]] virtual fm_hits locate_over_origins(std::string_view text,
                                                    std::span<const std::uint64_t> offsets) = 0;
  // Returns the hits with differences, including those over the origins of circular records. letters_of() may
  // be called for them if `with_letters`.
  [[nodiscard]] virtual near_rows locate_near(const sequences_view& patterns, const near_options& options,
                                              bool with_letters) = 0;
  // Returns the letters of the record from the begin to the end of hit h.
  [[nodiscard]] virtual std::string letters_of(const near_rows& rows, std::uint64_t h) const = 0;
};

// A whole_index is one index.
class whole_index final : public searched_index {
public:
  // `origin_bytes` is the memory that the letters around the origins of circular records may take; 0: the
  // records are linear.
  whole_index(fm_index index, std::uint64_t origin_bytes) : index_(std::move(index)) {
    if (origin_bytes > 0) origin_.emplace(index_, origin_bytes);
  }

  [[nodiscard]] fm_alphabet alphabet() const override { return index_.alphabet(); }
  [[nodiscard]] std::uint64_t num_records() const override { return index_.num_records(); }
  [[nodiscard]] std::string_view name(std::uint64_t record) const override { return index_.name(record); }
  [[nodiscard]] std::uint64_t length(std::uint64_t record) const override { return index_.length(record); }
  [[nodiscard]] bool has_contexts() const override { return index_.has_contexts(); }
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

  [[nodiscard]] const fm_index& index() const noexcept { return index_; }

private:
  fm_index index_;
  std::optional<origin_search> origin_; // only if the records are circular
};

} // namespace weft::files
