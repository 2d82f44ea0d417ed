// Residues as weft lcs compares them: letters of FASTA and FASTQ records without gaps and without case, and
// what unknown letters among them mean.
#pragma once

#include <cli/flags.hpp>
#include <cli/lcs_formats.hpp>
#include <cli/memory_budget.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <weft/io/sequence_reader.hpp>
#include <weft/lcs/lcs.hpp>

namespace weft::cli {

// What unknown letters mean. mismatch: they equal no letter, not even themselves. match: they equal every
// letter. skip: they are left out of the comparison.
enum class unknown_rule { mismatch, match, skip };

// The rule that --unknown names.
[[nodiscard]] unknown_rule unknown_rule_of(const arguments& given);

// The unknown letters of an alphabet: N and X in DNA, X in proteins.
[[nodiscard]] constexpr std::string_view unknown_letters(bool is_dna) { return is_dna ? "NX" : "X"; }

// One side of a comparison.
struct residues {
  std::string name;    // of the record, or of the file if the file has no single record
  std::string letters; // in upper case, without gaps
};

// Reads the record of `path` that is called `record`, or, if `record` is empty, its only record, or, with
// --join, all its records one after another. Says on standard error how many records are joined and how many
// gaps ('-' and '.') are removed. `flag` is the flag that chooses a record. Throws error(invalid_input) if
// the file has several records and none is chosen, or has no such record; memory_error if they do not fit the
// budget; and what sequence_reader throws.
[[nodiscard]] residues read_residues(const arguments& given, const std::string& path,
                                     const std::string& record, std::string_view flag, memory_budget& memory);

// Two sides with a common alphabet, ready for the engines.
class residue_pair {
public:
  // Finds the alphabet by the letters of A and then of B (io::alphabet_guess).
  residue_pair(residues a, residues b, unknown_rule rule, memory_budget& memory);

  [[nodiscard]] const residues& a() const { return a_; }
  [[nodiscard]] const residues& b() const { return b_; }
  [[nodiscard]] bool is_dna() const { return is_dna_; }
  // Says on standard error how many unknown letters there are, and what they mean.
  void say_notes(const arguments& given) const;
  // Names, lengths and numbers of unknown letters. Refers to this pair.
  [[nodiscard]] compared texts() const;

  // What the engines compare, with set_letters(): in DNA U is T, and with rule skip unknown letters are left
  // out.
  [[nodiscard]] std::string_view a_symbols() const { return a_copied_ ? a_copy_ : a_.letters; }
  [[nodiscard]] std::string_view b_symbols() const { return b_copied_ ? b_copy_ : b_.letters; }
  // Throws error(invalid_input) if the device that was asked for cannot.
  void set_letters(const arguments& given, lcs_options& options) const;
  // A path of the symbols as a path of all letters: a letter of A that was left out is deleted, one of B is
  // inserted, and between two diagonal runs deletions stand before insertions.
  [[nodiscard]] edit_script path_of_letters(edit_script path) const;

private:
  residues a_, b_;
  unknown_rule rule_;
  bool is_dna_, a_copied_ = false, b_copied_ = false;
  std::uint64_t a_unknown_ = 0, b_unknown_ = 0;
  std::string a_copy_, b_copy_;
};

// All records of a file, for --all-pairs, as residue_pair prepares two.
struct residue_set {
  io::sequence_chunk records; // residues: what the engines compare, with set_letters()
  bool is_dna = false;
  std::uint64_t unknown = 0; // letters in all records

  void set_letters(const arguments& given, lcs_options& options) const;
};

// Reads and cleans the records of a file; says on standard error how many gaps and unknown letters there are.
// Throws memory_error if they do not fit the budget, and what sequence_reader throws.
[[nodiscard]] residue_set read_residue_set(const arguments& given, const std::string& path,
                                           memory_budget& memory);

} // namespace weft::cli
