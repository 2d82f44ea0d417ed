// Formats matches as text.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <weft/io/sequence_reader.hpp>
#include <weft/scan/scanner.hpp>

namespace weft::files {

// A match_writer formats matches. It is immutable, so many threads can use it at the same time.
class match_writer {
public:
  // `format` is tsv, pff, scan, fasta, gff3, bed, jsonl or html (page_end() writes the end of the page).
  // `circular`: the sequences are circular, and matches may end behind their size.
  match_writer(const std::string& format, const motif_set& motifs, bool circular = false);

  [[nodiscard]] std::string header() const;
  // Appends the lines of matches[first, last), but stops when `out` has `max_size` bytes. Returns the number
  // of the match after the last line. `matches` holds consecutive matches of a chunk, in the order of scan().
  // It must include the match before `first` and the match after `last - 1` if they are in the same sequence,
  // because some formats compare neighbours. Then blocks that are formatted one after another give the same
  // bytes as all matches at once.
  std::size_t append(std::string& out, const io::sequence_chunk& chunk, std::span<const scan_match> matches,
                     std::size_t first, std::size_t last, std::size_t max_size = ~std::size_t{0}) const;
  // Appends a line of the table of counts: the sequence has `count` matches of the motif. The format must be
  // tsv or jsonl.
  void append_count(std::string& out, const io::sequence_chunk& chunk, std::uint32_t sequence,
                    std::uint32_t motif, std::uint64_t count) const;
  // Returns about how many bytes append() writes for a match.
  [[nodiscard]] std::size_t text_size(const io::sequence_chunk& chunk, const scan_match& match) const {
    return 32 + chunk.names[match.sequence].size() + motif_texts_[match.motif].size() +
           motif_dots_[match.motif] + static_cast<std::size_t>(match.end - match.begin);
  }
  // Returns the bytes of temporary memory that append() needs for a match.
  [[nodiscard]] std::size_t kept_size(const io::sequence_chunk& chunk, const scan_match& match) const {
    return layout_ == layout::scan && match.strand == strand::reverse ? chunk.sequence(match.sequence).size()
                                                                      : 0;
  }

private:
  enum class layout { tsv, pff, scan, fasta, gff3, bed, jsonl, html };
  struct line; // one match, and data kept from the match before

  [[nodiscard]] static layout layout_of(const std::string& format);
  [[nodiscard]] std::string motif_text(const motif& m) const;
  [[nodiscard]] std::size_t motif_dots(const motif& m) const;
  [[nodiscard]] std::string sequence_text(const std::string& name) const;
  [[nodiscard]] std::string aligned(line& at) const;
  [[nodiscard]] std::string_view shown_residues(line& at) const;
  void append_columns(std::string& out, line& at) const;
  void append_scan(std::string& out, line& at) const;
  void append_fasta(std::string& out, line& at) const;
  void append_gff3(std::string& out, line& at) const;
  void append_jsonl(std::string& out, line& at) const;
  void append_html(std::string& out, line& at) const;

  layout layout_;
  motif_set motifs_;
  bool dna_, circular_;
  std::vector<std::string> motif_texts_; // each motif's text in its lines
  std::vector<std::size_t> motif_dots_;  // upper bound of the dots in an aligned match
};

// Returns the number of matches of each motif, as a table with a header or as objects of JSON.
[[nodiscard]] std::string motif_counts(const motif_set& motifs, const scan_totals& sum, bool json);

// Returns the accession of the motif, or its name if it has none.
[[nodiscard]] const std::string& label(const motif& m);

// Return the page of `weft scan --format html` up to its first row, and behind its last row. Its data are
// JSON: one row for each sequence with matches, followed by the data that are known at the end. A row is an
// array: name, description, length, and four items for each match: motif (on the reverse strand -1 - motif),
// begin, end (1-based, inclusive), residues. Each row must then be written after ",\n".
[[nodiscard]] std::string page_begin();
// `motifs_from` and `sequences_from` are paths as the user gave them; the page shows only their file names.
[[nodiscard]] std::string page_end(const motif_set& motifs, const std::string& motifs_from,
                                   const std::vector<std::string>& sequences_from, const scan_totals& sum);

} // namespace weft::files
