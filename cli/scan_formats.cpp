#include <cli/scan_formats.hpp>

#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <weft/io/json.hpp>

namespace weft::cli {

namespace {

void append_number(std::string& out, std::uint64_t value) {
  char digits[20];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

// Names may hold any byte but tab and newline; those would break the columns.
void append_plain(std::string& out, std::string_view text) {
  for (const char c : text) out += c == '\t' || c == '\n' || c == '\r' ? ' ' : c;
}

// GFF3: everything but what its specification lets through is percent-encoded; column 1 has the narrower set.
void append_escaped(std::string& out, std::string_view text, bool sequence_id) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    const bool plain =
        sequence_id
            ? letter || std::string_view(".:^*$@!+_?-|").find(c) != std::string_view::npos
            : byte >= 0x20 && byte != 0x7f && std::string_view("%;=&,").find(c) == std::string_view::npos;
    if (plain)
      out += c;
    else
      fmt::format_to(std::back_inserter(out), "%{:02X}", byte);
  }
}

char strand_sign(const scan_match& match) { return match.strand == strand::reverse ? '-' : '+'; }

char complement(char base) {
  constexpr std::string_view from = "ACGTURYSWKMBDHVNacgturyswkmbdhvn",
                             to = "TGCAAYRSWMKVHDBNtgcaayrswmkvhdbn";
  const std::size_t at = from.find(base);
  return at == std::string_view::npos ? base : to[at];
}

std::string reverse_complement(std::string_view bases) {
  std::string result(bases.rbegin(), bases.rend());
  for (char& base : result) base = complement(base);
  return result;
}

// As its strand reads.
std::string residues_of(const io::sequence_chunk& chunk, const scan_match& match) {
  const std::string_view residues =
      chunk.sequence(match.sequence).substr(match.begin, match.end - match.begin);
  return match.strand == strand::reverse ? reverse_complement(residues) : std::string(residues);
}

} // namespace

// ps_scan.pl has no name for the patterns given to it.
std::string_view ps_scan_name(const motif& m) { return m.name == m.pattern ? std::string_view() : m.name; }

const std::string& label(const motif& m) { return m.accession.empty() ? m.name : m.accession; }

match_writer::match_writer(std::string format, const motif_set& motifs)
    : format_(std::move(format)), motifs_(motifs) {}

std::string match_writer::header() const {
  if (format_ == "tsv") return "sequence\tbegin\tend\tstrand\tmotif\tname\tmatch\n";
  if (format_ == "gff3") return "##gff-version 3\n";
  return "";
}

void match_writer::append(std::string& out, const io::sequence_chunk& chunk, const scan_match& match) {
  if (format_ == "scan")
    append_scan(out, chunk, match);
  else if (format_ == "fasta")
    append_fasta(out, chunk, match);
  else if (format_ == "gff3")
    append_gff3(out, chunk, match);
  else if (format_ == "jsonl")
    append_jsonl(out, chunk, match);
  else
    append_columns(out, chunk, match);
}

void match_writer::append_columns(std::string& out, const io::sequence_chunk& chunk,
                                  const scan_match& match) const {
  const motif& m = motifs_.motifs()[match.motif];
  append_plain(out, chunk.names[match.sequence]);
  out += '\t';
  append_number(out, match.begin + (format_ == "bed" ? 0 : 1));
  out += '\t';
  append_number(out, match.end);
  out += '\t';
  if (format_ == "pff") {
    append_plain(out, label(m));
    out += "\t\n"; // ps_scan.pl's lines end so
  } else if (format_ == "bed") {
    append_plain(out, label(m));
    out += "\t0\t";
    out += motifs_.syntax().alphabet == alphabet::dna ? strand_sign(match) : '.';
    out += '\n';
  } else {
    out += strand_sign(match);
    out += '\t';
    append_plain(out, label(m));
    out += '\t';
    append_plain(out, m.name);
    out += '\t';
    append_plain(out, residues_of(chunk, match));
    out += '\n';
  }
}

void match_writer::append_scan(std::string& out, const io::sequence_chunk& chunk, const scan_match& match) {
  const motif& m = motifs_.motifs()[match.motif];
  if (match.sequence != last_sequence_ || match.motif != last_motif_)
    fmt::format_to(std::back_inserter(out), ">{} : {} {} {}\n", chunk.names[match.sequence], label(m),
                   ps_scan_name(m), m.description);
  last_sequence_ = match.sequence;
  last_motif_ = match.motif;
  const std::string_view sequence = chunk.sequence(match.sequence);
  const std::string aligned = match.strand == strand::forward
                                  ? aligned_match(m, sequence, match.begin, match.end)
                                  : aligned_match(m, reverse_complement(sequence),
                                                  sequence.size() - match.end, sequence.size() - match.begin);
  fmt::format_to(std::back_inserter(out), "{:>13}  {}\n", fmt::format("{} - {}", match.begin + 1, match.end),
                 aligned);
}

void match_writer::append_fasta(std::string& out, const io::sequence_chunk& chunk,
                                const scan_match& match) const {
  const motif& m = motifs_.motifs()[match.motif];
  fmt::format_to(std::back_inserter(out), ">{}/{}-{} : {} {} \n", chunk.names[match.sequence],
                 match.begin + 1, match.end, label(m), ps_scan_name(m));
  std::string text = residues_of(chunk, match);
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  std::string_view residues = text; // ps_scan.pl drops lower case: here it is raised
  for (; !residues.empty(); residues.remove_prefix(std::min<std::size_t>(60, residues.size())))
    (out += residues.substr(0, 60)) += '\n';
}

void match_writer::append_gff3(std::string& out, const io::sequence_chunk& chunk, const scan_match& match) {
  const motif& m = motifs_.motifs()[match.motif];
  const bool dna = motifs_.syntax().alphabet == alphabet::dna;
  if (match.sequence != last_sequence_) {
    const std::uint64_t size = chunk.sequence(match.sequence).size();
    out += "##sequence-region ";
    append_escaped(out, chunk.names[match.sequence], true);
    fmt::format_to(std::back_inserter(out), " 1 {}\n", size);
    last_sequence_ = match.sequence;
  }
  append_escaped(out, chunk.names[match.sequence], true);
  fmt::format_to(std::back_inserter(out),
                 "\tweft\t{}\t{}\t{}\t.\t{}\t.\tName=", dna ? "nucleotide_motif" : "polypeptide_motif",
                 match.begin + 1, match.end, dna ? strand_sign(match) : '.');
  append_escaped(out, m.name, false);
  out += ";motif=";
  append_escaped(out, label(m), false);
  out += ";match=";
  append_escaped(out, residues_of(chunk, match), false);
  out += '\n';
}

void match_writer::append_jsonl(std::string& out, const io::sequence_chunk& chunk,
                                const scan_match& match) const {
  const motif& m = motifs_.motifs()[match.motif];
  fmt::format_to(
      std::back_inserter(out),
      "{{\"sequence\":{},\"begin\":{},\"end\":{},\"strand\":\"{}\",\"motif\":{},\"name\":{},\"match\":{}}}\n",
      io::json_string(chunk.names[match.sequence]), match.begin + 1, match.end, strand_sign(match),
      io::json_string(label(m)), io::json_string(m.name), io::json_string(residues_of(chunk, match)));
}

} // namespace weft::cli
