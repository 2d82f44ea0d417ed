// The formats of hits with differences (find_formats.hpp).
#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <utility>
#include <vector>
#include <weft/files/formats/find_formats.hpp>

namespace weft::files {

namespace {

// Calls each(operation, run) for the runs of a CIGAR.
template <class Each> void each_operation(std::string_view cigar, const Each& each) {
  std::uint64_t run = 0;
  for (const char c : cigar) {
    if (c >= '0' && c <= '9') {
      run = 10 * run + static_cast<std::uint64_t>(c - '0');
    } else {
      each(c, run);
      run = 0;
    }
  }
}

// Returns the tag MD of a hit: the numbers of letters that match, and between them the letters of the record
// that differ, or after ^ those that the pattern does not have.
std::string md_of(std::string_view cigar, std::string_view record_letters) {
  std::string md;
  std::uint64_t matches = 0, at = 0;
  each_operation(cigar, [&](char operation, std::uint64_t run) {
    if (operation == '=') matches += run;
    if (operation == 'D') {
      fmt::format_to(std::back_inserter(md), "{}^{}", matches, record_letters.substr(at, run));
      matches = 0;
    }
    for (std::uint64_t i = 0; operation == 'X' && i < run; ++i, matches = 0)
      fmt::format_to(std::back_inserter(md), "{}{}", matches, record_letters[at + i]);
    if (operation != 'I') at += run;
  });
  return md + std::to_string(matches);
}

// Returns letters for SAM: those that are no IUPAC letters become N.
std::string sam_letters(std::string_view letters) {
  std::string result(letters);
  for (char& c : result)
    if ((c | 0x20) != 'u' && near_letter_set(c, true) == 0) c = 'N';
  return result;
}

// Returns the sum of the runs of these operations in a CIGAR.
std::uint64_t sum_of(std::string_view operations, std::string_view cigar) {
  std::uint64_t sum = 0;
  each_operation(cigar, [&](char operation, std::uint64_t run) {
    if (operations.find(operation) != std::string_view::npos) sum += run;
  });
  return sum;
}

// Returns the number of differences in a CIGAR.
std::uint64_t differences(std::string_view cigar) { return sum_of("XID", cigar); }

// Returns a CIGAR for SAM, where a letter of the pattern that stands for several bases differs from all
// letters. `letters` are those of the pattern as they read along the record, and `record_letters` those of
// the record.
std::string sam_cigar(std::string_view cigar, std::string_view letters, std::string_view record_letters) {
  std::string result;
  std::uint64_t at = 0, in_record = 0, length = 0; // length: of the last operation
  char last = '\0';
  const auto add = [&](char operation, std::uint64_t count) {
    if (operation != last && length > 0) fmt::format_to(std::back_inserter(result), "{}{}", length, last);
    length = operation == last ? length + count : count;
    last = operation;
  };
  each_operation(cigar, [&](char operation, std::uint64_t run) {
    for (std::uint64_t i = 0; operation == '=' && i < run; ++i) {
      const char letter = (letters[at + i] | 0x20) == 'u' ? 'T' : letters[at + i];
      add((letter | 0x20) == (record_letters[in_record + i] | 0x20) ? '=' : 'X', 1);
    }
    if (operation != '=') add(operation, run);
    if (operation != 'D') at += run;
    if (operation != 'I') in_record += run;
  });
  add('\0', 0);
  return result;
}

// Divides a CIGAR behind `size` letters of the record. Letters of the pattern that are added at this position
// belong to the first part.
std::pair<std::string, std::string> divide_cigar(std::string_view cigar, std::uint64_t size) {
  std::pair<std::string, std::string> parts;
  each_operation(cigar, [&](char operation, std::uint64_t run) {
    const bool in_first = operation == 'I' && parts.second.empty();
    const std::uint64_t here = in_first ? run : operation == 'I' ? 0 : std::min(run, size);
    if (here > 0) fmt::format_to(std::back_inserter(parts.first), "{}{}", here, operation);
    if (run > here) fmt::format_to(std::back_inserter(parts.second), "{}{}", run - here, operation);
    if (operation != 'I') size -= here;
  });
  return parts;
}

// Returns a CIGAR in SAM, in which letters of the pattern before and behind it are clipped.
std::string with_clips(std::uint64_t before, std::string_view cigar, std::uint64_t after, char clip) {
  std::string result;
  if (before > 0) fmt::format_to(std::back_inserter(result), "{}{}", before, clip);
  result += cigar;
  if (after > 0) fmt::format_to(std::back_inserter(result), "{}{}", after, clip);
  return result;
}

} // namespace

bool hit_writer::needs_letters() const {
  return format_ == hit_format::sam || format_ == hit_format::paf ||
         (with_errors() && (format_ == hit_format::tsv || format_ == hit_format::jsonl));
}

std::string hit_writer::cigar_of(const near_row& row) const {
  std::string as_dna; // near_cigar() compares U with no base
  std::string_view letters = pattern_.letters;
  if (letters.find_first_of("Uu") != std::string_view::npos) {
    as_dna = letters;
    for (char& c : as_dna) c = (c | 0x20) == 'u' ? 'T' : c;
    letters = as_dna;
  }
  return near_cigar(letters, row.letters, row.distance, *near_, row.reverse);
}

void hit_writer::append_near(std::string& out, const near_hits& hits, std::uint64_t h,
                             std::string_view letters) {
  const near_row row{{hits.record[h], hits.begin[h]}, hits.reverse[h] != 0, hits.distance[h], letters};
  size_ = hits.end[h] - hits.begin[h];
  set_record(row.hit.record);
  switch (format_) {
  case hit_format::bed:
    append_bed(out, row.hit, row.reverse);
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

template <class Row> void hit_writer::each_part(const near_row& row, const Row& part) const {
  const std::string cigar = cigar_of(row), letters(row.letters);
  const std::uint64_t here = std::min(size_, record_length_ - row.hit.begin);
  if (here == size_) return part(near_part{row.hit.begin, letters, cigar, 0, 0, false});
  const auto [first, second] = divide_cigar(cigar, here);
  const std::uint64_t before = sum_of("=XI", first), after = sum_of("=XI", second);
  part(near_part{row.hit.begin, letters.substr(0, here), first, 0, after, false});
  part(near_part{0, letters.substr(here), second, before, 0, true});
}

// The first row of a pattern is its primary alignment and contains its letters; the others are secondary. The
// part of a hit behind the origin is supplementary and hard-clipped.
void hit_writer::append_near_sam(std::string& out, const near_row& row) const {
  std::vector<near_part> parts;
  const std::string_view letters = row.reverse ? reverse_letters_ : pattern_.letters;
  each_part(row, [&](const near_part& part) {
    parts.push_back(part);
    parts.back().cigar = sam_cigar(part.cigar, letters.substr(part.before), part.letters);
  });
  const char strand = row.reverse ? '-' : '+';
  for (const near_part& part : parts) {
    const bool has_letters = rows_ == 0 && !part.second;
    fmt::format_to(std::back_inserter(out),
                   "{}\t{}\t{}\t{}\t255\t{}\t*\t0\t0\t{}\t*\tNM:i:{}\tMD:Z:{}\tNH:i:{}", name_,
                   (row.reverse ? 16 : 0) + (rows_ > 0 ? 256 : 0) + (part.second ? 2048 : 0), record_name_,
                   part.begin + 1, with_clips(part.before, part.cigar, part.after, has_letters ? 'S' : 'H'),
                   has_letters ? sam_letters(letters) : "*", differences(part.cigar),
                   md_of(part.cigar, sam_letters(part.letters)), pattern_.total);
    if (parts.size() > 1) {
      const near_part& other = parts[part.second ? 0 : 1];
      fmt::format_to(std::back_inserter(out), "\tSA:Z:{},{},{},{},255,{};", record_name_, other.begin + 1,
                     strand, with_clips(other.before, other.cigar, other.after, 'S'),
                     differences(other.cigar));
    }
    out += '\n';
  }
}

void hit_writer::append_near_paf(std::string& out, const near_row& row) const {
  const std::uint64_t pattern_size = pattern_.letters.size();
  each_part(row, [&](const near_part& part) {
    const std::uint64_t from = row.reverse ? part.after : part.before,
                        to = pattern_size - (row.reverse ? part.before : part.after),
                        size = part.letters.size();
    fmt::format_to(std::back_inserter(out),
                   "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t255\tNM:i:{}\tNH:i:{}\tcg:Z:{}\n", name_,
                   pattern_size, from, to, row.reverse ? '-' : '+', record_name_, record_length_, part.begin,
                   part.begin + size, sum_of("=", part.cigar), size + sum_of("I", part.cigar),
                   differences(part.cigar), pattern_.total, part.cigar);
  });
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
