// The formats of hits with differences (find_formats.hpp).
#include <fmt/format.h>
#include <iterator>
#include <weft/files/formats/find_formats.hpp>

namespace weft::files {

namespace {

// Returns the tag MD of a hit: the numbers of letters that match, and between them the letters of the record
// that differ, or after ^ those that the pattern does not have.
std::string md_of(std::string_view cigar, std::string_view record_letters) {
  std::string md;
  std::uint64_t run = 0, matches = 0, at = 0;
  for (const char c : cigar) {
    if (c >= '0' && c <= '9') {
      run = 10 * run + static_cast<std::uint64_t>(c - '0');
      continue;
    }
    if (c == '=') matches += run;
    if (c == 'D') {
      fmt::format_to(std::back_inserter(md), "{}^{}", matches, record_letters.substr(at, run));
      matches = 0;
    }
    for (std::uint64_t i = 0; c == 'X' && i < run; ++i, matches = 0)
      fmt::format_to(std::back_inserter(md), "{}{}", matches, record_letters[at + i]);
    if (c != 'I') at += run;
    run = 0;
  }
  return md + std::to_string(matches);
}

// Returns letters for SAM: those that are no IUPAC letters become N.
std::string sam_letters(std::string_view letters) {
  std::string result(letters);
  for (char& c : result)
    if ((c | 0x20) != 'u' && near_letter_set(c, true) == 0) c = 'N';
  return result;
}

// Returns the sum of the runs of `operation` in a CIGAR.
std::uint64_t sum_of(char operation, std::string_view cigar) {
  std::uint64_t run = 0, sum = 0;
  for (const char c : cigar)
    if (c >= '0' && c <= '9') {
      run = 10 * run + static_cast<std::uint64_t>(c - '0');
    } else {
      if (c == operation) sum += run;
      run = 0;
    }
  return sum;
}

} // namespace

std::string hit_writer::letters_at(const fm_hit& hit) const {
  return index_.extract(hit.record, hit.begin, hit.begin + size_);
}

std::string hit_writer::cigar_of(const near_row& row) const {
  std::string as_dna; // near_cigar() compares U with no base
  std::string_view letters = pattern_.letters;
  if (letters.find_first_of("Uu") != std::string_view::npos) {
    as_dna = letters;
    for (char& c : as_dna) c = (c | 0x20) == 'u' ? 'T' : c;
    letters = as_dna;
  }
  return near_cigar(letters, letters_at(row.hit), row.distance, *near_, row.reverse);
}

void hit_writer::append_near(std::string& out, const near_hits& hits, std::uint64_t h) {
  const near_row row{{hits.record[h], hits.begin[h]}, hits.reverse[h] != 0, hits.distance[h]};
  size_ = hits.end[h] - hits.begin[h];
  set_record(row.hit.record);
  switch (format_) {
  case hit_format::bed:
    append_bed(out, {row.hit.begin, 0, size_, false}, row.reverse);
    break;
  case hit_format::sam:
    append_near_sam(out, row);
    break;
  case hit_format::paf:
    append_near_paf(out, row);
    break;
  case hit_format::gff3:
    append_gff3(out, row.hit, row.reverse);
    out.pop_back(); // the end of the line
    fmt::format_to(std::back_inserter(out), ";distance={}\n", row.distance);
    break;
  case hit_format::jsonl:
    append_jsonl(out, row.hit, row.reverse);
    out.resize(out.size() - 2); // the brace and the end of the line
    fmt::format_to(std::back_inserter(out), ",\"distance\":{}", row.distance);
    if (with_errors()) fmt::format_to(std::back_inserter(out), ",\"cigar\":\"{}\"", cigar_of(row));
    out += "}\n";
    break;
  default:
    append_near_tsv(out, row);
  }
  ++rows_;
}

void hit_writer::append_near_tsv(std::string& out, const near_row& row) const {
  append_tsv(out, row.hit, row.reverse);
  out.pop_back(); // the end of the line
  fmt::format_to(std::back_inserter(out), "\t{}", row.distance);
  if (with_errors()) {
    out += '\t';
    out += cigar_of(row);
  }
  out += '\n';
}

// The first row of a pattern is its primary alignment and contains its letters; the others are secondary.
void hit_writer::append_near_sam(std::string& out, const near_row& row) const {
  const std::string cigar = cigar_of(row);
  const std::string letters =
      rows_ > 0 ? "*" : sam_letters(row.reverse ? reverse_letters_ : pattern_.letters);
  fmt::format_to(std::back_inserter(out),
                 "{}\t{}\t{}\t{}\t255\t{}\t*\t0\t0\t{}\t*\tNM:i:{}\tMD:Z:{}\tNH:i:{}\n", name_,
                 (row.reverse ? 16 : 0) + (rows_ > 0 ? 256 : 0), record_name_, row.hit.begin + 1, cigar,
                 letters, row.distance, md_of(cigar, sam_letters(letters_at(row.hit))), pattern_.total);
}

void hit_writer::append_near_paf(std::string& out, const near_row& row) const {
  const std::uint64_t pattern_size = pattern_.letters.size();
  const std::string cigar = cigar_of(row);
  fmt::format_to(std::back_inserter(out),
                 "{}\t{}\t0\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t255\tNM:i:{}\tNH:i:{}\tcg:Z:{}\n", name_,
                 pattern_size, pattern_size, row.reverse ? '-' : '+', record_name_, record_length_,
                 row.hit.begin, row.hit.begin + size_, sum_of('=', cigar), size_ + sum_of('I', cigar),
                 row.distance, pattern_.total, cigar);
}

void hit_writer::append_count(std::string& out, const found_pattern& pattern,
                              std::span<const std::uint64_t> totals) {
  const bool jsonl = format_ == hit_format::jsonl;
  append_count(out, pattern);
  out.resize(out.size() - (jsonl ? 2 : 1)); // the end of the line, and the brace
  if (jsonl) out += ",\"by_distance\":[";
  for (std::size_t d = 0; d < totals.size(); ++d)
    fmt::format_to(std::back_inserter(out), "{}{}", jsonl ? (d == 0 ? "" : ",") : "\t", totals[d]);
  out += jsonl ? "]}\n" : "\n";
}

} // namespace weft::files
