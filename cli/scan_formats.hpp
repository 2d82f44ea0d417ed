// Matches as text.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>
#include <weft/io/sequence_reader.hpp>
#include <weft/scan/scan.hpp>

namespace weft::cli {

// Immutable: safe to use from many threads.
class match_writer {
public:
  // format: tsv, pff, scan, fasta, gff3, bed, jsonl or html (whose end page_end() makes).
  // circular: the sequences are, and matches may end behind their size.
  match_writer(const std::string& format, const motif_set& motifs, bool circular = false);

  [[nodiscard]] std::string header() const;
  // Appends the lines of matches[first, last), where `matches` are all of a chunk in scan()'s order: blocks
  // one after another have the bytes of all at once.
  void append(std::string& out, const io::sequence_chunk& chunk, std::span<const scan_match> matches,
              std::size_t first, std::size_t last) const;
  // Appends a line of the table of counts: the sequence has `count` matches of the motif. The format is tsv
  // or jsonl.
  void append_count(std::string& out, const io::sequence_chunk& chunk, std::uint32_t sequence,
                    std::uint32_t motif, std::uint64_t count) const;
  // About the bytes that append() makes of a match.
  [[nodiscard]] std::size_t text_size(const io::sequence_chunk& chunk, const scan_match& match) const {
    return 32 + chunk.names[match.sequence].size() + motif_texts_[match.motif].size() +
           motif_dots_[match.motif] + static_cast<std::size_t>(match.end - match.begin);
  }
  // Bytes that append() keeps meanwhile for a match.
  [[nodiscard]] std::size_t kept_size(const io::sequence_chunk& chunk, const scan_match& match) const {
    return layout_ == layout::scan && match.strand == strand::reverse ? chunk.sequence(match.sequence).size()
                                                                      : 0;
  }

private:
  enum class layout { tsv, pff, scan, fasta, gff3, bed, jsonl, html };
  struct line; // one match and what is kept from the one before

  [[nodiscard]] static layout layout_of(const std::string& format);
  [[nodiscard]] std::string motif_text(const motif& m) const;
  [[nodiscard]] std::size_t motif_dots(const motif& m) const;
  [[nodiscard]] std::string sequence_text(const std::string& name) const;
  [[nodiscard]] std::string aligned(line& at) const;
  void append_columns(std::string& out, line& at) const;
  void append_scan(std::string& out, line& at) const;
  void append_fasta(std::string& out, line& at) const;
  void append_gff3(std::string& out, line& at) const;
  void append_jsonl(std::string& out, line& at) const;
  void append_html(std::string& out, line& at) const;

  layout layout_;
  motif_set motifs_;
  bool dna_, circular_;
  std::vector<std::string> motif_texts_; // what the lines of each motif say of it
  std::vector<std::size_t> motif_dots_;  // at most, of a match that is shown aligned
};

// The accession, or where there is none the name.
[[nodiscard]] const std::string& label(const motif& m);

} // namespace weft::cli
