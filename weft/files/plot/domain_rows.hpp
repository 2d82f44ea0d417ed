// Collects the matches that a figure of domains shows, during a scan.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>
#include <weft/io/sequence_reader.hpp>
#include <weft/scan/scan.hpp>

namespace weft::files {

// A match, or several matches of one motif and strand that are so close together that a figure shows them as
// one. Positions are 0-based and half-open; `end` may exceed the length of a circular sequence.
struct domain {
  std::uint32_t motif;
  weft::strand strand;
  std::uint64_t begin, end, matches;
};

// One sequence of the figure.
struct domain_row {
  std::string name;
  std::uint64_t length = 0;
  std::vector<domain> domains; // in the order of the matches
};

// The rows that the figure shows, and the numbers of sequences and matches that it does not show.
struct domain_rows {
  bool are_chosen = false; // whether the user chose the sequences by name
  std::vector<domain_row> rows;
  std::uint64_t sequences_left_out = 0; // sequences with matches, or chosen ones, without a row
  std::uint64_t matches_left_out = 0;   // matches of the rows that are not in `domains`
};

// Collects the rows of a figure: the chosen sequences, or, if none are chosen, the first sequences with
// matches.
class domain_collector {
public:
  explicit domain_collector(const std::vector<std::string>& names) : names_(names.begin(), names.end()) {
    result_.are_chosen = !names.empty();
  }

  // Adds matches of a chunk in scan()'s order, all at once or in consecutive pieces.
  void add(const io::sequence_chunk& chunk, std::span<const scan_match> matches);
  // States that all matches of the chunk have been added.
  void end_chunk(const io::sequence_chunk& chunk);

  [[nodiscard]] const domain_rows& result() const noexcept { return result_; }
  // Returns the chosen names that no sequence has.
  [[nodiscard]] std::vector<std::string> missing() const;

private:
  [[nodiscard]] bool is_chosen(const std::string& name) const {
    return names_.empty() || names_.contains(name);
  }
  void begin_rows(const io::sequence_chunk& chunk, std::uint64_t sequence);
  bool begin_row(const io::sequence_chunk& chunk, std::uint64_t sequence);
  void add_domain(const scan_match& match);

  std::set<std::string> names_, found_;
  domain_rows result_;
  std::uint64_t num_domains_ = 0;
  std::uint64_t next_sequence_ = 0; // index in the chunk: the sequences before it have their rows
  bool has_row_ = false;            // the sequence before next_sequence_ has one
};

} // namespace weft::files
