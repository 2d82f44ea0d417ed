// An LCS path as text.
#pragma once

#include <cli/flags.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <weft/lcs/lcs.hpp>

namespace weft::cli {

// Unknown letters of two sequences of residues, and what they mean.
struct unknown_count {
  std::string_view rule;                 // mismatch, match or skip; empty if there are none
  std::uint64_t a = 0, b = 0;            // how many
  std::string_view skipped;              // with rule skip: the letters that are left out,
  std::string_view a_letters, b_letters; // and the texts that hold them
};

// Two texts, as a record names them.
struct compared {
  std::string a_name, b_name;
  std::uint64_t m = 0, n = 0; // symbols of a and b
  unknown_count unknown = {};

  // Symbols that take part in the comparison: all but skipped letters.
  [[nodiscard]] std::uint64_t a_compared() const { return m - (unknown.skipped.empty() ? 0 : unknown.a); }
  [[nodiscard]] std::uint64_t b_compared() const { return n - (unknown.skipped.empty() ? 0 : unknown.b); }
};

// The --format of a path, or empty where the record is asked for: without --format, and for tsv.
[[nodiscard]] std::string path_format(const arguments& given);

// The key of a record under which the number that `metric` names stands.
[[nodiscard]] std::string_view value_key(lcs_metric metric);

// Returns the bytes that a path takes together with the text of it in a format: "" for none.
[[nodiscard]] std::uint64_t memory_of_text(const edit_script& path, std::string_view format);

// "12=1D3=": the runs, as in CIGAR.
[[nodiscard]] std::string operations(std::span<const edit_run> runs);

// PAF (one line): b is the query, a the target, from the first run that takes symbols of both to the last.
// Empty if there is none. NM:i: counts the differences in between, nn:i: the skipped letters, if any can be.
[[nodiscard]] std::string paf_line(const compared& texts, const edit_script& path);

// The number that `metric` names, of a path that is optimal by it.
[[nodiscard]] std::uint64_t path_value(const edit_script& path, lcs_metric metric);

struct record_field {
  std::string key, value;
  bool text = false;
};

// Names, lengths, and what follows from `value`, of `metric`.
[[nodiscard]] std::vector<record_field> record_fields(const compared& texts, lcs_metric metric,
                                                      std::uint64_t value);

// key<TAB>value lines, or one JSON object. `path` may be null: then only `value`, of `metric`, is known.
[[nodiscard]] std::string record(const compared& texts, lcs_metric metric, std::uint64_t value, bool json,
                                 const edit_script* path);

// FASTA of 60 columns.
[[nodiscard]] std::string fasta(std::string_view name, std::string_view residues);

} // namespace weft::cli
