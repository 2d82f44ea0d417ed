// An LCS path as text.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <weft/lcs/lcs.hpp>

namespace weft::cli {

struct compared {
  std::string a_name, b_name;
  std::uint64_t m = 0, n = 0; // symbols of a and b
};

// "12=1D3=": the runs, as in CIGAR.
[[nodiscard]] std::string operations(std::span<const edit_run> runs);

// PAF (one line): b is the query, a the target, from the first run that takes symbols of both to the last.
// Empty if there is none. NM:i: counts the differences in between.
[[nodiscard]] std::string paf_line(const compared& texts, const edit_script& path);

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
