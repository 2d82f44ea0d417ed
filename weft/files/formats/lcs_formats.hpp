// Formats an LCS path as text; unified_diff.cpp has the format of diff -u.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <weft/files/lines/token_text.hpp>
#include <weft/io/output_file.hpp>
#include <weft/lcs/lcs.hpp>

namespace weft::files {

// The numbers of unknown letters in two sequences of residues, and the rule by which they are compared.
struct unknown_count {
  std::string_view rule;                 // mismatch, match or skip; empty if there are none
  std::uint64_t a = 0, b = 0;            // numbers of unknown letters
  std::string_view skipped;              // with the rule skip: the letters that are left out,
  std::string_view a_letters, b_letters; // and the texts that contain them
};

// The names and lengths of two texts, as a record shows them.
struct compared {
  std::string a_name, b_name;
  std::uint64_t m = 0, n = 0; // symbols of a and b
  unknown_count unknown = {};

  // Number of symbols that take part in the comparison: all but skipped letters.
  [[nodiscard]] std::uint64_t a_compared() const { return m - (unknown.skipped.empty() ? 0 : unknown.a); }
  [[nodiscard]] std::uint64_t b_compared() const { return n - (unknown.skipped.empty() ? 0 : unknown.b); }
};

// Returns the key of the record's field that holds the number which `metric` names.
[[nodiscard]] std::string_view value_key(lcs_metric metric);

// Returns the bytes that a path takes together with its text in a format. "": no text.
[[nodiscard]] std::uint64_t memory_of_text(const edit_script& path, std::string_view format);

// Returns the runs as in CIGAR: "12=1D3=".
[[nodiscard]] std::string operations(std::span<const edit_run> runs);

// Returns one line of PAF. b is the query, a the target; the line covers the runs from the first diagonal one
// (a match or a substitution) to the last. Returns an empty string if there is no diagonal run. NM:i: counts
// the differences between them. If letters can be skipped, nn:i: counts the skipped ones.
[[nodiscard]] std::string paf_line(const compared& texts, const edit_script& path);

// The result of a comparison: the number that `metric` names, and, for metric affine, what the canonical path
// consists of.
struct compared_value {
  lcs_metric metric;
  std::uint64_t value = 0;
  std::uint64_t matches = 0, substitutions = 0, insertions = 0, deletions = 0; // symbols
  std::uint64_t gaps = 0; // runs of insertions or deletions
};

// Returns the result of a comparison that has returned a path. The options are those of the comparison.
[[nodiscard]] compared_value value_of_path(const edit_script& path, const lcs_options& options);

// Returns the identity of texts of m and n symbols, as the record defines it: for metric affine the matches
// per step of the path, for metric edit 1 - the distance / the longer length, and else the length of the LCS
// / the longer length. 1 for two empty texts.
[[nodiscard]] double identity(const compared_value& result, std::uint64_t m, std::uint64_t n);

// A field of a record; `text`: its value is a string in JSON.
struct record_field {
  std::string key, value;
  bool text = false;
};

// Returns the fields of a record: names, lengths, and the numbers that follow from the result.
[[nodiscard]] std::vector<record_field> record_fields(const compared& texts, const compared_value& result);

// Returns the record as lines of key<TAB>value, or as one JSON object. `path` may be null; the record then
// has no operations.
[[nodiscard]] std::string record(const compared& texts, const compared_value& result, bool json,
                                 const edit_script* path);

// Writes the tokens of A that a path of tokens matches, one per line. `a` is the text of A.
void write_common_tokens(io::output_file& out, std::string_view a, token_kind kind,
                         std::span<const edit_run> runs);

// Write one number for each pair of records, values[0] for records 1 and 0, values[1] for 2 and 0, values[2]
// for 2 and 1, and so on. The table has a row for each record, with its name and its numbers with the records
// before it; the objects of JSON have the names of both records, and the number as `key`.
void write_pair_table(io::output_file& out, std::span<const std::string> names,
                      std::span<const std::uint64_t> values);
void write_pair_objects(io::output_file& out, std::span<const std::string> names,
                        std::span<const std::uint64_t> values, std::string_view key);

// Returns a record of FASTA with lines of 60 columns.
[[nodiscard]] std::string fasta(std::string_view name, std::string_view residues);

// A text and its name in the header of a unified diff.
struct unified_text {
  std::string name;
  std::string_view bytes;
};

// Writes the differences between two texts in the format of diff -u, which patch reads: the changes of
// `runs`, a path of matches, insertions and deletions between the lines of A and B, as hunks with `context`
// equal lines (taken from A) around the changes. Changes with at most 2 * `context` equal lines between them
// share a hunk. Writes nothing if there is no change. A line without a newline is followed by "\ No newline
// at end of file". Names that contain white space, quotes, backslashes, control characters or bytes from 128
// on are quoted as by GNU diff. No time stamps are written, so that equal inputs give equal output.
void write_unified(io::output_file& out, const unified_text& a, const unified_text& b,
                   std::span<const edit_run> runs, std::uint64_t context);

// Returns the name as it is written in a header: in double quotes with escapes as in C if it needs any.
[[nodiscard]] std::string quoted_name(std::string_view name);

} // namespace weft::files
