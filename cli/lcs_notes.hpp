// The notes of `weft lcs` on the sequences that it compares: what was joined or removed, how unknown letters
// are compared, that the reverse complement fits better, and that the LCS is no longer than that of unrelated
// sequences. All are written to standard error, and none with --quiet.
#pragma once

#include <cli/flags.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <weft/files/lcs/residues.hpp>
#include <weft/lcs/lcs.hpp>

namespace weft::cli {

// Says how many records of `path` are joined, and how many gaps were removed.
void note_reading(const arguments& given, const std::string& path, const files::named_sequence& sequence);
// Says how many gaps were removed, and how many unknown letters there are.
void note_records(const arguments& given, const std::string& path, const files::record_set& set);
// Says how many unknown letters A and B have, and how the rule compares them.
void note_unknown(const arguments& given, const files::residue_pair& pair, files::unknown_rule rule);
// Says that the reverse complement of B fits A better, if that is so. The sequences are DNA.
void note_strand(const arguments& given, std::string_view a, std::string_view b);

// Returns the note on an LCS of `length` letters that is no longer than that of unrelated sequences
// (files::find_unrelated()); empty if it is longer.
[[nodiscard]] std::string unrelated_note(std::string_view a, std::string_view b, std::uint64_t length,
                                         const lcs_options& options);

} // namespace weft::cli
