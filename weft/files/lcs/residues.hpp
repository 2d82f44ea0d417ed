// The residues that `weft lcs` compares: letters of FASTA and FASTQ records without gaps and in upper case.
// Also the rules for unknown letters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <weft/files/formats/lcs_formats.hpp>
#include <weft/files/lcs/memory_budget.hpp>
#include <weft/io/sequence_reader.hpp>
#include <weft/lcs/lcs.hpp>

namespace weft::files {

// How unknown letters are compared. mismatch: they equal no letter, not even themselves. match: they equal
// every letter. skip: they are left out of the comparison.
enum class unknown_rule { mismatch, match, skip };

// Returns the unknown letters of an alphabet: N and X in DNA, X in proteins.
[[nodiscard]] constexpr std::string_view unknown_letters(bool is_dna) { return is_dna ? "NX" : "X"; }

// One side of a comparison.
struct named_sequence {
  // Name of the record, or of the file if the record has no name or several records are joined.
  std::string name;
  std::string letters = {};       // in upper case, without gaps
  std::uint64_t records = 0;      // number of records that are joined in it
  std::uint64_t removed_gaps = 0; // number of gaps ('-' and '.') that were removed
};

// Which record of a file is read: the record `name`; if it is empty, the only record, or, with `join`, all
// records concatenated.
struct record_choice {
  std::string name = {};
  bool join = false;
  std::string advice = {}; // what the message about a file of several records advises
};

// Reads a record of the file `path`. Throws error(invalid_input) if the file has several records and none is
// chosen, or has no such record; memory_error if the residues do not fit the budget; and the errors of
// sequence_reader.
[[nodiscard]] named_sequence read_sequence(const std::string& path, const record_choice& choice,
                                           memory_budget& memory);

// Two sides with a common alphabet, ready for the engines.
class residue_pair {
public:
  // Guesses the alphabet from the letters of A and B (io::alphabet_guess).
  residue_pair(named_sequence a, named_sequence b, unknown_rule rule, memory_budget& memory);

  [[nodiscard]] const named_sequence& a() const { return a_; }
  [[nodiscard]] const named_sequence& b() const { return b_; }
  [[nodiscard]] bool is_dna() const { return is_dna_; }
  // Return the numbers of unknown letters.
  [[nodiscard]] std::uint64_t a_unknown() const { return a_unknown_; }
  [[nodiscard]] std::uint64_t b_unknown() const { return b_unknown_; }
  // Returns names, lengths and numbers of unknown letters. The result refers to this pair.
  [[nodiscard]] compared texts() const;

  // The symbols that the engines compare, under the options of set_unknown_letter_options(). In DNA, U is
  // replaced by T; with the rule skip, unknown letters are left out.
  [[nodiscard]] std::string_view a_symbols() const { return a_copied_ ? a_copy_ : a_.letters; }
  [[nodiscard]] std::string_view b_symbols() const { return b_copied_ ? b_copy_ : b_.letters; }
  // Sets the wildcards or the unmatched letters of the options. Wildcards cannot be compared on a GPU.
  void set_unknown_letter_options(lcs_options& options) const;
  // Converts a path of the symbols to a path of all letters: a letter that was left out is deleted if it is
  // of A, and inserted if it is of B. Between two diagonal runs, deletions come before insertions.
  [[nodiscard]] edit_script path_of_letters(edit_script path) const;

private:
  named_sequence a_, b_;
  unknown_rule rule_;
  bool is_dna_, a_copied_ = false, b_copied_ = false;
  std::uint64_t a_unknown_ = 0, b_unknown_ = 0;
  std::string a_copy_, b_copy_;
};

// All records of a file, prepared as residue_pair prepares two records.
struct record_set {
  // `records.residues` holds the symbols that the engines compare, under the options of
  // set_unknown_letter_options().
  io::sequence_chunk records;
  unknown_rule rule = unknown_rule::mismatch;
  bool is_dna = false;
  std::uint64_t unknown = 0;              // number of unknown letters in all records
  std::uint64_t records_with_unknown = 0; // number of records that contain one
  std::uint64_t removed_gaps = 0;         // number of gaps that were removed

  // Does what residue_pair::set_unknown_letter_options() does.
  void set_unknown_letter_options(lcs_options& options) const;
};

// Reads the records of a file, whose path messages name. Throws memory_error if they do not fit the budget,
// and the errors of sequence_reader.
[[nodiscard]] record_set read_record_set(std::unique_ptr<io::byte_source> source, const std::string& path,
                                         unknown_rule rule, memory_budget& memory);

} // namespace weft::files
