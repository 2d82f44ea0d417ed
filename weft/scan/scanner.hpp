// Scans sequences that come batch by batch, such as the records of a file, in bounded memory.
//
//   weft::scanner scanner(weft::motif_set({weft::parse_motif("R-G-D")}));
//   std::uint64_t found = 0;
//   const auto visit = [&found](const weft::scan_part& part) { found += part.matches.size(); };
//   scanner.feed("MARGD", visit);
//   scanner.feed("RGDRGD", visit);
//   found;                                          // == 3
//   scanner.totals().residues;                      // == 11
#pragma once

#include <functional>
#include <utility>
#include <weft/scan/scan.hpp>

namespace weft {

// Some of the matches of a batch.
struct scan_part {
  // Matches of whole sequences, or of one sequence longer than part_limits::residues. The sequences are
  // numbered in the batch.
  match_vector matches;
  // Whether the sequences of this part, and of the parts since the last complete one, have no further
  // matches.
  bool complete = true;
  bool in_order = false; // whether the matches are known to be in the order of scan()
};

// The sizes of the parts, which bound the memory of a scanner.
struct part_limits {
  // Maximum number of residues scanned at once; fewer are scanned at first, and after a part with too many
  // matches.
  std::uint64_t residues = std::uint64_t{1} << 20;
  // If a part has more matches than this, the next part has fewer residues. The matches of the part itself
  // are not limited.
  std::uint64_t matches = std::uint64_t{1} << 20;
};

// Totals over all batches of a scanner.
struct scan_totals {
  // The numbers of sequences, residues and matches, and the number of matches of each motif.
  std::uint64_t sequences = 0, residues = 0, matches = 0;
  std::vector<std::uint64_t> by_motif;
};

// A scanner finds or counts the matches of motifs in one batch of sequences after another. Calls must not
// overlap.
class scanner {
public:
  using visitor = std::function<void(scan_part)>; // gets the parts of the matches

  // `expected_residues`: number of residues of all batches, or 0 if it is unknown. With device automatic,
  // each call chooses its device by `expected_residues` or, if its batch is larger, by the batch alone.
  // Throws the errors of scan() that depend only on the options, and std::invalid_argument if a limit is 0.
  explicit scanner(motif_set motifs, const scan_options& options = {}, const part_limits& limits = {},
                   std::uint64_t expected_residues = 0);

  // Passes the matches of a batch to `visit`, in parts, so that memory does not grow with the number of
  // matches. A part holds matches of some sequences, or some matches of one sequence longer than
  // limits.residues. When `visit` gets a complete part, it has got all matches of the part's sequences.
  // Complete parts come in the order of sequences; the matches up to a complete part are in no particular
  // order. On a GPU, limits.residues does not apply: a part has all matches of the batch or, after a part
  // with too many matches, of half as many residues. Time as scan(); memory O(limits.residues + matches of a
  // part), and a copy of the sequences that are scanned at once for the reverse strand and for circular
  // sequences. Throws as scan(), and passes on the exceptions of `visit`.
  void feed(const sequences_view& sequences, const visitor& visit);
  // Feeds one sequence.
  void feed(std::string_view sequence, const visitor& visit);

  // Takes back the memory of matches that `visit` got. On a GPU, the next call may put its matches there, so
  // that the system need not provide new memory for them.
  void reuse(match_vector matches) noexcept { spare_ = std::move(matches); }

  // Counts the matches of a batch, without keeping them. Memory O(motifs) for each thread, beside what a
  // sequence longer than limits.residues and circular sequences take in feed(). Throws as scan().
  void count(const sequences_view& sequences);

  // Return the totals of all calls so far, and the constructor's arguments.
  [[nodiscard]] const scan_totals& totals() const noexcept { return totals_; }
  [[nodiscard]] const motif_set& motifs() const noexcept { return motifs_; }
  [[nodiscard]] const scan_options& options() const noexcept { return options_; }

private:
  void run(const sequences_view& sequences, const visitor* visit);
  void add_to_totals(const match_vector& matches);

  motif_set motifs_;
  scan_options options_;
  part_limits limits_;
  std::uint64_t expected_residues_;
  // Residues of the next part: at first few, because the number of matches is unknown.
  std::uint64_t part_residues_ = std::uint64_t{1} << 15;
  // Maximum number of residues in a problem that an engine gets: less after a GPU has found too many matches.
  std::uint64_t max_residues_at_once_ = ~std::uint64_t{0};
  match_vector spare_; // see reuse()
  scan_totals totals_;
};

} // namespace weft
