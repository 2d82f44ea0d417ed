// The formats of hits with mismatches (find_formats.hpp).
#include <fmt/format.h>
#include <iterator>
#include <weft/files/formats/find_formats.hpp>
#include <weft/io/escape.hpp>
#include <weft/io/json.hpp>

namespace weft::files {

hit_writer::differences hit_writer::compare(const fm_hit& hit, bool reverse) const {
  const std::string_view letters = reverse ? reverse_letters_ : pattern_.letters;
  const std::string reference = index_.extract(hit.record, hit.begin, hit.begin + letters.size());
  differences result;
  std::size_t run = 0, matches = 0; // letters of the CIGAR's last operation; matches since the last mismatch
  char operation = '=';
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const char letter = (letters[i] | 0x20) == 'u' ? 'T' : letters[i];
    const bool match = (near_letter_set(letter, near_->iupac) & near_letter_set(reference[i], false)) != 0;
    if (match != (operation == '=')) {
      if (run > 0) fmt::format_to(std::back_inserter(result.cigar), "{}{}", run, operation);
      run = 0;
      operation = match ? '=' : 'X';
    }
    ++run;
    if (!match) fmt::format_to(std::back_inserter(result.md), "{}{}", matches, reference[i]);
    matches = match ? matches + 1 : 0;
  }
  fmt::format_to(std::back_inserter(result.cigar), "{}{}", run, operation);
  fmt::format_to(std::back_inserter(result.md), "{}", matches);
  return result;
}

void hit_writer::append_near(std::string& out, const fm_hit& hit, bool reverse, unsigned distance) {
  set_record(hit.record);
  switch (format_) {
  case hit_format::bed:
    append_bed(out, {hit.begin, 0, pattern_.letters.size(), false}, reverse);
    break;
  case hit_format::sam:
    append_near_sam(out, hit, reverse, distance);
    break;
  case hit_format::paf:
    append_near_paf(out, hit, reverse, distance);
    break;
  case hit_format::gff3:
    append_gff3(out, hit, reverse);
    out.pop_back(); // the end of the line
    fmt::format_to(std::back_inserter(out), ";distance={}\n", distance);
    break;
  case hit_format::jsonl:
    append_jsonl(out, hit, reverse);
    out.resize(out.size() - 2); // the brace and the end of the line
    fmt::format_to(std::back_inserter(out), ",\"distance\":{}}}\n", distance);
    break;
  default:
    append_tsv(out, hit, reverse);
    out.pop_back(); // the end of the line
    fmt::format_to(std::back_inserter(out), "\t{}\n", distance);
  }
  ++rows_;
}

// The first row of a pattern is its primary alignment and contains its letters; the others are secondary.
void hit_writer::append_near_sam(std::string& out, const fm_hit& hit, bool reverse, unsigned distance) const {
  const differences found = compare(hit, reverse);
  const std::string_view letters = rows_ > 0 ? "*" : reverse ? reverse_letters_ : pattern_.letters;
  fmt::format_to(std::back_inserter(out),
                 "{}\t{}\t{}\t{}\t255\t{}\t*\t0\t0\t{}\t*\tNM:i:{}\tMD:Z:{}\tNH:i:{}\n", name_,
                 (reverse ? 16 : 0) + (rows_ > 0 ? 256 : 0), record_name_, hit.begin + 1, found.cigar,
                 letters, distance, found.md, pattern_.total);
}

void hit_writer::append_near_paf(std::string& out, const fm_hit& hit, bool reverse, unsigned distance) const {
  const std::uint64_t size = pattern_.letters.size();
  fmt::format_to(std::back_inserter(out),
                 "{}\t{}\t0\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t255\tNM:i:{}\tNH:i:{}\tcg:Z:{}\n", name_, size,
                 size, reverse ? '-' : '+', record_name_, record_length_, hit.begin, hit.begin + size,
                 size - distance, size, distance, pattern_.total, compare(hit, reverse).cigar);
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
