// The residues that `weft lcs` compares: letters of FASTA and FASTQ records without gaps and in upper case.
// Also the rules for unknown letters.
#pragma once

#include <cli/flags.hpp>
#include <cli/memory_budget.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <weft/files/formats/lcs_formats.hpp>
#include <weft/io/sequence_reader.hpp>
#include <weft/lcs/lcs.hpp>

namespace weft::cli {

// How unknown letters are compared. mismatch: they equal no letter, not even themselves. match: they equal
// every letter. skip: they are left out of the comparison.
enum class unknown_rule { mismatch, match, skip };

// Returns the rule that --unknown names.
[[nodiscard]] unknown_rule unknown_rule_of(const arguments& given);

// Returns the unknown letters of an alphabet: N and X in DNA, X in proteins.
[[nodiscard]] constexpr std::string_view unknown_letters(bool is_dna) { return is_dna ? "NX" : "X"; }

// One side of a comparison.
struct residues {
  // Name of the record, or of the file if the record has no name or several records are joined.
  std::string name;
  std::string letters; // in upper case, without gaps
};

// Reads the record of `path` with the name `record`; if `record` is empty, its only record; or, with --join,
// all its records concatenated. Reports on standard error how many records are joined and how many gaps ('-'
// and '.') are removed. `flag` is the flag that chooses a record. Throws error(invalid_input) if the file has
// several records and none is chosen, or has no such record; memory_error if the residues do not fit the
// budget; and the errors of sequence_reader.
[[nodiscard]] residues read_residues(const arguments& given, const std::string& path,
                                     const std::string& record, std::string_view flag, memory_budget& memory);

// Two sides with a common alphabet, ready for the engines.
class residue_pair {
public:
  // Guesses the alphabet from the letters of A and B (io::alphabet_guess).
  residue_pair(residues a, residues b, unknown_rule rule, memory_budget& memory);

  [[nodiscard]] const residues& a() const { return a_; }
  [[nodiscard]] const residues& b() const { return b_; }
  [[nodiscard]] bool is_dna() const { return is_dna_; }
  // Reports on standard error how many unknown letters there are, and how they are compared.
  void say_notes(const arguments& given) const;
  // Returns names, lengths and numbers of unknown letters. The result refers to this pair.
  [[nodiscard]] files::compared texts() const;

  // The symbols that the engines compare, under the options of set_letters(). In DNA, U is replaced by T;
  // with the rule skip, unknown letters are left out.
  [[nodiscard]] std::string_view a_symbols() const { return a_copied_ ? a_copy_ : a_.letters; }
  [[nodiscard]] std::string_view b_symbols() const { return b_copied_ ? b_copy_ : b_.letters; }
  // Sets the options for unknown letters. Throws error(invalid_input) if the requested device does not
  // support them.
  void set_letters(const arguments& given, lcs_options& options) const;
  // Converts a path of the symbols to a path of all letters: a letter that was left out is deleted if it is
  // of A, and inserted if it is of B. Between two diagonal runs, deletions come before insertions.
  [[nodiscard]] edit_script path_of_letters(edit_script path) const;

private:
  residues a_, b_;
  unknown_rule rule_;
  bool is_dna_, a_copied_ = false, b_copied_ = false;
  std::uint64_t a_unknown_ = 0, b_unknown_ = 0;
  std::string a_copy_, b_copy_;
};

// All records of a file, for --all-pairs, prepared as residue_pair prepares two records.
struct residue_set {
  // `records.residues` holds the symbols that the engines compare, under the options of set_letters().
  io::sequence_chunk records;
  bool is_dna = false;
  std::uint64_t unknown = 0; // number of unknown letters in all records

  void set_letters(const arguments& given, lcs_options& options) const;
};

// Reads the records of a file and removes their gaps. Reports on standard error how many gaps and unknown
// letters there are. Throws memory_error if the records do not fit the budget, and the errors of
// sequence_reader.
[[nodiscard]] residue_set read_residue_set(const arguments& given, const std::string& path,
                                           memory_budget& memory);

} // namespace weft::cli
