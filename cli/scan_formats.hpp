// Matches as text.
#pragma once

#include <string>
#include <weft/io/sequence_reader.hpp>
#include <weft/scan/scan.hpp>

namespace weft::cli {

class match_writer {
public:
  // format: tsv, pff, scan, fasta, gff3, bed or jsonl.
  match_writer(std::string format, const motif_set& motifs);

  [[nodiscard]] std::string header() const;
  // Appends the lines of one match; those of a chunk come in scan()'s order.
  void append(std::string& out, const io::sequence_chunk& chunk, const scan_match& match);
  void begin_chunk() { last_sequence_ = last_motif_ = ~std::uint32_t{0}; }

private:
  void append_scan(std::string& out, const io::sequence_chunk& chunk, const scan_match& match);
  void append_fasta(std::string& out, const io::sequence_chunk& chunk, const scan_match& match) const;
  void append_gff3(std::string& out, const io::sequence_chunk& chunk, const scan_match& match);
  void append_jsonl(std::string& out, const io::sequence_chunk& chunk, const scan_match& match) const;
  void append_columns(std::string& out, const io::sequence_chunk& chunk, const scan_match& match) const;

  std::string format_;
  motif_set motifs_;
  std::uint32_t last_sequence_ = ~std::uint32_t{0}, last_motif_ = ~std::uint32_t{0};
};

// The accession, or where there is none the name.
[[nodiscard]] const std::string& label(const motif& m);

} // namespace weft::cli
