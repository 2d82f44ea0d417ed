// Motifs as Python holds them.
#pragma once

#include <mutex>
#include <nanobind/nanobind.h>
#include <optional>
#include <string>
#include <vector>
#include <weft/io/motif_reader.hpp>
#include <weft/scan/scan.hpp>

namespace weft::python {

namespace nb = nanobind;

// The motifs of weft.Motifs. Each of the two rules for X in sets needs a motif set of its own, which is
// compiled when it is first used. Thread-safe.
class motif_list {
public:
  // Parses the patterns of `file` with `syntax`. `from_file` says whether `file` is a file, whose positions
  // errors name; otherwise errors name the number of the pattern as the line. Throws parse_error for the
  // first bad pattern.
  motif_list(const io::motif_file& file, const motif_syntax& syntax, bool from_file);

  // Returns the motifs with X in sets if `unknown_in_sets`.
  [[nodiscard]] motif_set set(bool unknown_in_sets);
  // Returns the motifs as weft.scan() uses them with this `max_x`, by the rules of the command: X is in no
  // set if the number is 0, or if there is none and the patterns are not from a file.
  [[nodiscard]] motif_set set(std::optional<int> max_x) { return set(max_x ? *max_x != 0 : from_file_); }
  [[nodiscard]] const std::vector<motif>& motifs() const noexcept { return motifs_; }

private:
  std::vector<motif> motifs_;
  motif_syntax syntax_;
  bool from_file_;
  std::mutex mutex_;
  std::optional<motif_set> sets_[2]; // without X in sets, and with X in sets
};

// Adds the class of motifs to the module.
void bind_motifs(nb::module_& module);
// Adds the texts and pages of matches to the module.
void bind_match_formats(nb::module_& module);

} // namespace weft::python
