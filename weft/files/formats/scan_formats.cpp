#include <weft/files/formats/scan_formats.hpp>

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <string_view>
#include <weft/files/formats/line_text.hpp>
#include <weft/files/formats/text_formats.hpp>
#include <weft/io/escape.hpp>
#include <weft/io/json.hpp>
#include <weft/scan/core/complement.hpp>

namespace weft::files {

namespace {

std::string reverse_complement(std::string_view bases) {
  std::string result(bases.rbegin(), bases.rend());
  for (char& base : result) base = scan_detail::complement(base);
  return result;
}

// Returns the motif's name as ps_scan.pl shows it: patterns given on the command line have none.
std::string_view ps_scan_name(const motif& m) { return m.name == m.pattern ? std::string_view() : m.name; }

} // namespace

struct match_writer::line {
  scan_match match;
  std::string_view sequence;                // all residues of the sequence
  bool first_of_sequence, last_of_sequence; // of the matches in the chunk
  bool first_of_motif;                      // first match of the motif in the sequence
  std::string_view description;             // description of the sequence
  std::string name;                         // name of the sequence, escaped for the format
  std::string reverse_sequence;             // the sequence's reverse complement, if it is needed
  std::string reverse_match, over_origin;   // the residues of the match if they are not a part of `sequence`
  std::string escaped;                      // the residues as the format shows them, if not as they are

  [[nodiscard]] char sign() const { return match.strand == strand::reverse ? '-' : '+'; }
  // Returns the residues of the match as they read on its strand.
  [[nodiscard]] std::string_view residues() {
    std::string_view forward = sequence.substr(match.begin, match.end - match.begin);
    if (match.end > sequence.size()) { // the match extends over the origin of a circular sequence
      over_origin = forward;
      forward = over_origin += sequence.substr(0, match.end - sequence.size());
    }
    if (match.strand == strand::forward) return forward;
    return reverse_match = reverse_complement(forward);
  }
};

const std::string& label(const motif& m) { return m.accession.empty() ? m.name : m.accession; }

std::string motif_counts(const motif_set& motifs, const scan_totals& sum, bool json) {
  std::string text = json ? "" : "motif\tname\tmatches\n";
  for (std::size_t k = 0; k < motifs.motifs().size(); ++k) {
    const motif& m = motifs.motifs()[k];
    text += json ? fmt::format("{{\"motif\":{},\"name\":{},\"matches\":{}}}\n", io::json_string(label(m)),
                               io::json_string(m.name), sum.by_motif[k])
                 : fmt::format("{}\t{}\t{}\n", io::escaped(label(m)), io::escaped(m.name), sum.by_motif[k]);
  }
  return text;
}

match_writer::match_writer(const std::string& format, const motif_set& motifs, bool circular)
    : layout_(layout_of(format)), motifs_(motifs), dna_(motifs.syntax().alphabet == alphabet::dna),
      circular_(circular) {
  for (const motif& m : motifs.motifs()) {
    motif_texts_.push_back(motif_text(m));
    motif_dots_.push_back(motif_dots(m));
  }
}

match_writer::layout match_writer::layout_of(const std::string& format) {
  return format == "pff"     ? layout::pff
         : format == "scan"  ? layout::scan
         : format == "fasta" ? layout::fasta
         : format == "gff3"  ? layout::gff3
         : format == "bed"   ? layout::bed
         : format == "jsonl" ? layout::jsonl
         : format == "html"  ? layout::html
                             : layout::tsv;
}

std::string match_writer::header() const {
  if (layout_ == layout::tsv) return "sequence\tbegin\tend\tstrand\tmotif\tname\tmatch\n";
  if (layout_ == layout::gff3) return "##gff-version 3\n";
  if (layout_ == layout::html) return page_begin();
  return "";
}

std::string match_writer::motif_text(const motif& m) const {
  std::string text;
  switch (layout_) {
  case layout::scan:
    return fmt::format(" : {} {} {}\n", io::escaped(label(m)), io::escaped(ps_scan_name(m)),
                       io::escaped(m.description));
  case layout::fasta:
    return fmt::format(" : {} {} \n", io::escaped(label(m)), io::escaped(ps_scan_name(m)));
  case layout::jsonl:
    return fmt::format(R"("motif":{},"name":{},)", io::json_string(label(m)), io::json_string(m.name));
  case layout::gff3:
    text = "Name=";
    io::append_gff3_value(text, m.name);
    text += ";motif=";
    io::append_gff3_value(text, label(m));
    return text + ";match=";
  case layout::tsv:
    io::append_escaped(text, label(m));
    text += '\t';
    io::append_escaped(text, m.name);
    return text + '\t';
  case layout::html: // the page has the motif's number instead
    return text;
  default: // pff and bed
    io::append_escaped(text, label(m));
    return text + '\t';
  }
}

std::string match_writer::sequence_text(const std::string& name) const {
  std::string text;
  if (layout_ == layout::jsonl) return io::json_string(name);
  if (layout_ == layout::html) return page_string(name);
  if (layout_ == layout::gff3)
    io::append_gff3_id(text, name);
  else if (layout_ == layout::bed)
    io::append_bed_name(text, name);
  else
    io::append_escaped(text, name);
  return text;
}

std::size_t match_writer::append(std::string& out, const io::sequence_chunk& chunk,
                                 std::span<const scan_match> matches, std::size_t first, std::size_t last,
                                 std::size_t max_size) const {
  line at{};
  std::size_t i = first;
  for (; i < last && out.size() < max_size; ++i) {
    at.match = matches[i];
    at.first_of_sequence = i == 0 || matches[i - 1].sequence != at.match.sequence;
    at.last_of_sequence = i + 1 == matches.size() || matches[i + 1].sequence != at.match.sequence;
    at.first_of_motif = at.first_of_sequence || matches[i - 1].motif != at.match.motif;
    if (i == first || at.first_of_sequence) {
      at.sequence = chunk.sequence(at.match.sequence);
      at.description = chunk.descriptions[at.match.sequence];
      at.name = sequence_text(chunk.names[at.match.sequence]);
      at.reverse_sequence.clear();
    }
    switch (layout_) {
    case layout::scan:
      append_scan(out, at);
      break;
    case layout::fasta:
      append_fasta(out, at);
      break;
    case layout::gff3:
      append_gff3(out, at);
      break;
    case layout::jsonl:
      append_jsonl(out, at);
      break;
    case layout::html:
      append_html(out, at);
      break;
    default:
      append_columns(out, at);
    }
  }
  return i;
}

void match_writer::append_count(std::string& out, const io::sequence_chunk& chunk, std::uint32_t sequence,
                                std::uint32_t motif, std::uint64_t count) const {
  const bool json = layout_ == layout::jsonl;
  if (json) out += R"({"sequence":)";
  out += sequence_text(chunk.names[sequence]);
  out += json ? ',' : '\t';
  out += motif_texts_[motif];
  if (json) out += R"("matches":)";
  append_number(out, count);
  out += json ? "}\n" : "\n";
}

// Returns the residues of the match as tsv, gff3 and jsonl (without quotes) show them.
std::string_view match_writer::shown_residues(line& at) const {
  const std::string_view residues = at.residues();
  if (is_all_letters(residues)) return residues;
  at.escaped.clear();
  if (layout_ == layout::gff3) {
    io::append_gff3_value(at.escaped, residues);
  } else if (layout_ == layout::jsonl) {
    at.escaped = io::json_string(residues);
    return std::string_view(at.escaped).substr(1, at.escaped.size() - 2);
  } else {
    io::append_escaped(at.escaped, residues);
  }
  return at.escaped;
}

void match_writer::append_columns(std::string& out, line& at) const {
  constexpr std::size_t max_columns = 2 * line_text::max_digits + 16; // all but the texts
  const scan_match& match = at.match;
  const std::string& motif = motif_texts_[match.motif];
  const std::string_view residues = layout_ == layout::tsv ? shown_residues(at) : std::string_view();
  line_text text(out, at.name.size() + motif.size() + residues.size() + max_columns);
  text.add(at.name).add('\t').add_number(match.begin + (layout_ == layout::bed ? 0 : 1)).add('\t');
  text.add_number(match.end).add('\t');
  if (layout_ == layout::pff)
    text.add(motif).add('\n'); // as in ps_scan.pl, lines end in a tab and a newline
  else if (layout_ == layout::bed)
    text.add(motif).add("0\t").add(dna_ ? at.sign() : '.').add('\n');
  else
    text.add(at.sign()).add('\t').add(motif).add(residues).add('\n');
}

std::size_t match_writer::motif_dots(const motif& m) const {
  std::size_t dots = 0;
  for (const motif_element& element : m.elements)
    if (layout_ == layout::scan && element.max != motif_element::unbounded) dots += element.max - element.min;
  return dots;
}

void match_writer::append_scan(std::string& out, line& at) const {
  const scan_match& match = at.match;
  if (at.first_of_motif) {
    out += '>';
    out += at.name;
    out += motif_texts_[match.motif];
  }
  std::string range;
  append_number(range, match.begin + 1);
  range += " - ";
  append_number(range, match.end);
  out.append(13 - std::min<std::size_t>(13, range.size()), ' ');
  out += range;
  out += "  ";
  out += aligned(at);
  out += '\n';
}

// Returns the match aligned to the elements of the motif, as ps_scan.pl shows it.
std::string match_writer::aligned(line& at) const {
  const scan_match& match = at.match;
  const motif& m = motifs_.motifs()[match.motif];
  const std::uint64_t size = at.sequence.size();
  std::string_view strand_text = at.sequence;
  std::uint64_t begin = match.begin;
  const std::uint64_t length = match.end - match.begin;
  if (match.strand == strand::reverse) {
    if (at.reverse_sequence.empty()) at.reverse_sequence = reverse_complement(at.sequence);
    strand_text = at.reverse_sequence;
    begin = match.end <= size ? size - match.end : 2 * size - match.end;
  }
  if (!circular_) return aligned_match(motifs_, match.motif, strand_text, begin, begin + length);
  // The text that a motif can reach in a circular sequence: as long as its longest match, and over the
  // origin.
  const std::uint64_t reach = std::min(m.max_length(), 2 * size - 1 - begin);
  std::string text(strand_text.substr(begin, reach));
  if (text.size() < reach) text += strand_text.substr(0, reach - text.size());
  return aligned_match(motifs_, match.motif, text, 0, length);
}

void match_writer::append_fasta(std::string& out, line& at) const {
  out += '>';
  out += at.name;
  out += '/';
  append_number(out, at.match.begin + 1);
  out += '-';
  append_number(out, at.match.end);
  out += motif_texts_[at.match.motif];
  std::size_t raise = out.size(); // ps_scan.pl drops lower-case letters; here they become upper-case
  std::string_view residues = at.residues();
  for (; !residues.empty(); residues.remove_prefix(std::min<std::size_t>(60, residues.size())))
    (out += residues.substr(0, 60)) += '\n';
  for (; raise < out.size(); ++raise)
    if (out[raise] >= 'a' && out[raise] <= 'z') out[raise] = static_cast<char>(out[raise] - 'a' + 'A');
}

void match_writer::append_gff3(std::string& out, line& at) const {
  if (at.first_of_sequence) {
    out += "##sequence-region ";
    out += at.name;
    out += " 1 ";
    append_number(out, at.sequence.size());
    out += '\n';
    if (circular_) {
      out += at.name;
      out += "\tweft\tregion\t1\t";
      append_number(out, at.sequence.size());
      out += "\t.\t+\t.\tIs_circular=true\n";
    }
  }
  constexpr std::size_t max_columns = 2 * line_text::max_digits + 48; // all but the texts
  const std::string& motif = motif_texts_[at.match.motif];
  const std::string_view residues = shown_residues(at);
  line_text text(out, at.name.size() + motif.size() + residues.size() + max_columns);
  text.add(at.name).add(dna_ ? "\tweft\tnucleotide_motif\t" : "\tweft\tpolypeptide_motif\t");
  text.add_number(at.match.begin + 1).add('\t').add_number(at.match.end).add("\t.\t");
  text.add(dna_ ? at.sign() : '.').add("\t.\t").add(motif).add(residues).add('\n');
}

void match_writer::append_jsonl(std::string& out, line& at) const {
  constexpr std::size_t max_columns = 2 * line_text::max_digits + 64; // all but the texts
  const std::string& motif = motif_texts_[at.match.motif];
  const std::string_view residues = shown_residues(at);
  line_text text(out, at.name.size() + motif.size() + residues.size() + max_columns);
  text.add(R"({"sequence":)").add(at.name).add(R"(,"begin":)").add_number(at.match.begin + 1);
  text.add(R"(,"end":)").add_number(at.match.end).add(R"(,"strand":")").add(at.sign()).add(R"(",)");
  text.add(motif).add(R"("match":")").add(residues).add("\"}\n");
}

void match_writer::append_html(std::string& out, line& at) const {
  if (at.first_of_sequence) {
    (((out += ",\n[") += at.name) += ',') += page_string(at.description);
    out += ',';
    append_number(out, at.sequence.size());
  }
  const bool reverse = at.match.strand == strand::reverse;
  out += reverse ? ",-" : ",";
  append_number(out, at.match.motif + (reverse ? 1U : 0U));
  out += ',';
  append_number(out, at.match.begin + 1);
  out += ',';
  append_number(out, at.match.end);
  out += ',';
  out += page_string(at.residues());
  if (at.last_of_sequence) out += ']';
}

} // namespace weft::files
