// The matches that a figure of domains shows, collected while a scan goes on.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>
#include <weft/io/sequence_reader.hpp>
#include <weft/scan/scan.hpp>

namespace weft::cli {

// A match, or several of one motif and strand that lie so close together that a figure shows them as one.
// Positions are 0-based and half-open; `end` may lie behind the length of a circular sequence.
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

// What the figure shows, and how much it does not.
struct domain_rows {
  bool are_chosen = false; // by name
  std::vector<domain_row> rows;
  std::uint64_t sequences_left_out = 0; // that have matches, or are chosen
  std::uint64_t matches_left_out = 0;   // of the rows
};

// Collects rows: the sequences of the chosen names, or if none are chosen the first ones that have matches.
class domain_collector {
public:
  explicit domain_collector(const std::vector<std::string>& names) : names_(names.begin(), names.end()) {
    result_.are_chosen = !names.empty();
  }

  // Takes matches of a chunk in scan()'s order, all at once or in pieces that follow each other.
  void add(const io::sequence_chunk& chunk, std::span<const scan_match> matches);
  // Takes note that all matches of the chunk have been added.
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
  std::uint64_t next_sequence_ = 0; // of the chunk: those before it have their rows
  bool has_row_ = false;            // the sequence before next_sequence_ has one
};

} // namespace weft::cli
