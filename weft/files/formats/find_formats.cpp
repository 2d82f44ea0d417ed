#include <weft/files/formats/find_formats.hpp>

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <iterator>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/base/version.hpp>
#include <weft/files/formats/line_text.hpp>
#include <weft/io/escape.hpp>
#include <weft/io/json.hpp>

namespace weft::files {

namespace {

constexpr std::size_t max_sam_name = 254;
// The most bytes of all columns of a row but names: two numbers, and words of the format.
constexpr std::size_t max_columns = 2 * line_text::max_digits + 88;

char sign(bool reverse) { return reverse ? '-' : '+'; }

// Returns a name for SAM: bytes that SAM does not allow become %HH.
std::string sam_name(std::string_view name, bool reference) {
  const auto allowed = [reference](char c, bool first) {
    if (c < '!' || c > '~') return false;
    if (!reference) return c != '@' && c != '%';
    return std::string_view("\\,\"'`()[]{}<>%").find(c) == std::string_view::npos &&
           !(first && (c == '*' || c == '='));
  };
  std::string result;
  for (std::size_t i = 0; i < name.size(); ++i)
    if (allowed(name[i], i == 0))
      result += name[i];
    else
      fmt::format_to(std::back_inserter(result), "%{:02X}", static_cast<unsigned char>(name[i]));
  return result.empty() ? "." : result;
}

// Returns true if SAM allows the letters in a sequence: letters of the alphabet, '=' and '.'.
bool is_sam_sequence(std::string_view letters) {
  return !letters.empty() && std::all_of(letters.begin(), letters.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '=' || c == '.';
  });
}

// Throws if two records that have letters have the same name, which SAM cannot tell apart.
void check_distinct_names(const hit_records& records) {
  std::vector<std::string_view> names;
  for (std::uint64_t r = 0; r < records.num_records(); ++r)
    if (records.length(r) > 0) names.push_back(records.name(r));
  std::sort(names.begin(), names.end());
  if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end())
    throw error(errc::invalid_input,
                fmt::format("several records have the name '{}', but SAM needs different names", *twice));
}

} // namespace

hit_format parse_hit_format(std::string_view name) {
  return name == "bed"     ? hit_format::bed
         : name == "sam"   ? hit_format::sam
         : name == "paf"   ? hit_format::paf
         : name == "gff3"  ? hit_format::gff3
         : name == "jsonl" ? hit_format::jsonl
                           : hit_format::tsv;
}

hit_writer::hit_writer(hit_format format, const hit_records& records, bool circular, const near_options* near)
    : format_(format), records_(records), circular_(circular), near_(near) {
  if (format == hit_format::sam && records.alphabet() != fm_alphabet::dna)
    throw error(errc::invalid_input, "SAM can be written only of an index of DNA");
}

std::string hit_writer::record_name(std::string_view name) const {
  std::string result;
  if (format_ == hit_format::sam) return sam_name(name, true);
  if (format_ == hit_format::jsonl) return io::json_string(name);
  if (format_ == hit_format::gff3)
    io::append_gff3_id(result, name);
  else if (format_ == hit_format::bed)
    io::append_bed_name(result, name);
  else
    io::append_escaped(result, name);
  return result;
}

std::string hit_writer::header() const {
  if (format_ == hit_format::tsv)
    return fmt::format("pattern\treference\tbegin\tend\tstrand{}{}\n", near_ == nullptr ? "" : "\tdistance",
                       with_errors() ? "\tcigar" : "");
  std::string text = format_ == hit_format::gff3 ? "##gff-version 3\n" : "";
  if (format_ == hit_format::sam) {
    check_distinct_names(records_);
    text = "@HD\tVN:1.6\tGO:query\n";
  }
  for (std::uint64_t r = 0; r < records_.num_records() && !text.empty(); ++r) {
    const std::uint64_t length = records_.length(r);
    if (length == 0) continue;
    const std::string name = record_name(records_.name(r));
    if (format_ == hit_format::sam)
      fmt::format_to(std::back_inserter(text), "@SQ\tSN:{}\tLN:{}{}\n", name, length,
                     circular_ ? "\tTP:circular" : "");
    else
      fmt::format_to(std::back_inserter(text), "##sequence-region {} 1 {}\n", name, length);
    if (format_ == hit_format::gff3 && circular_)
      fmt::format_to(std::back_inserter(text),
                     "{0}\tweft\tregion\t1\t{1}\t.\t.\t.\tID={0};Is_circular=true\n", name, length);
  }
  if (format_ == hit_format::sam) text += "@PG\tID:weft\tPN:weft\tVN:" WEFT_VERSION "\n";
  return text;
}

std::string hit_writer::count_header(hit_format format, const near_options* near) {
  if (format == hit_format::jsonl) return "";
  std::string text = "pattern\tcount";
  for (unsigned d = 0; near != nullptr && d <= near->max_distance; ++d)
    fmt::format_to(std::back_inserter(text), "\tdistance_{}", d);
  return text + '\n';
}

void hit_writer::set_name() {
  name_.clear();
  if (format_ == hit_format::jsonl)
    name_ = io::json_string(pattern_.name);
  else if (format_ == hit_format::gff3)
    io::append_gff3_value(name_, pattern_.name);
  else if (format_ == hit_format::sam)
    name_ = sam_name(pattern_.name, false);
  else
    io::append_escaped(name_, pattern_.name);
  if (format_ == hit_format::sam && name_.size() > max_sam_name)
    throw error(
        errc::invalid_input,
        fmt::format("a name in SAM must have at most {} bytes, but '{}...' is longer: give the pattern a "
                    "shorter name (name, tab, pattern)",
                    max_sam_name, name_.substr(0, 40)));
}

void hit_writer::set_record(std::uint64_t record) {
  if (record == record_) return;
  record_text& recent = recent_[record % recent_.size()];
  if (recent.record != record) recent = {record, record_name(records_.name(record)), records_.length(record)};
  record_ = record;
  record_name_ = recent.name;
  record_length_ = recent.length;
}

void hit_writer::begin(const found_pattern& pattern, std::string_view reverse_letters) {
  pattern_ = pattern;
  reverse_letters_ = reverse_letters;
  rows_ = 0;
  size_ = pattern.letters.size();
  if (pattern.listed > 0 || pattern.total > 0 || format_ == hit_format::sam) set_name();
}

template <class Row> void hit_writer::each_stretch(const fm_hit& hit, const Row& row) const {
  const std::uint64_t here = std::min(size_, record_length_ - hit.begin);
  row(stretch{hit.begin, 0, here, false});
  if (here < size_) row(stretch{0, here, size_, true});
}

void hit_writer::append(std::string& out, const fm_hit& hit, bool reverse) {
  set_record(hit.record);
  switch (format_) {
  case hit_format::bed:
    append_bed(out, hit, reverse);
    break;
  case hit_format::sam:
    each_stretch(hit, [&](const stretch& part) { append_sam(out, part, reverse, hit.begin); });
    break;
  case hit_format::paf:
    each_stretch(hit, [&](const stretch& part) { append_paf(out, part, reverse); });
    break;
  case hit_format::gff3:
    append_gff3(out, hit, reverse);
    break;
  case hit_format::jsonl:
    append_jsonl(out, hit, reverse);
    break;
  default:
    append_tsv(out, hit, reverse);
  }
  ++rows_;
}

void hit_writer::append_tsv(std::string& out, const fm_hit& hit, bool reverse) const {
  line_text text(out, name_.size() + record_name_.size() + max_columns);
  text.add(name_).add('\t').add(record_name_).add('\t').add_number(hit.begin + 1).add('\t');
  text.add_number(hit.begin + size_).add('\t').add(sign(reverse)).add('\n');
}

void hit_writer::append_bed(std::string& out, const fm_hit& hit, bool reverse) const {
  each_stretch(hit, [&](const stretch& part) {
    line_text text(out, record_name_.size() + name_.size() + max_columns);
    text.add(record_name_).add('\t').add_number(part.begin).add('\t');
    text.add_number(part.begin + (part.to - part.from)).add('\t').add(name_).add("\t0\t");
    text.add(sign(reverse)).add('\n');
  });
}

// Appends a row of SAM. The first row of a pattern is its primary alignment and contains its letters; the
// other rows are secondary. The part of an occurrence behind the origin is supplementary and hard-clipped.
void hit_writer::append_sam(std::string& out, const stretch& part, bool reverse, std::uint64_t origin) {
  const std::uint64_t size = pattern_.letters.size();
  const char clip = part.second || rows_ > 0 ? 'H' : 'S';
  const bool has_letters = rows_ == 0 && !part.second;
  fmt::format_to(std::back_inserter(out), "{}\t{}\t{}\t{}\t255\t", name_,
                 (reverse ? 16 : 0) + (rows_ > 0 ? 256 : 0) + (part.second ? 2048 : 0), record_name_,
                 part.begin + 1);
  if (part.from > 0) fmt::format_to(std::back_inserter(out), "{}{}", part.from, clip);
  fmt::format_to(std::back_inserter(out), "{}=", part.to - part.from);
  if (part.to < size) fmt::format_to(std::back_inserter(out), "{}{}", size - part.to, clip);
  out += "\t*\t0\t0\t";
  if (has_letters)
    out += reverse ? reverse_letters_ : pattern_.letters;
  else
    out += '*';
  fmt::format_to(std::back_inserter(out), "\t*\tNM:i:0\tNH:i:{}", pattern_.total);
  if (part.to - part.from < size) { // the position of the other part of the occurrence
    const std::uint64_t here = record_length_ - origin;
    if (part.second)
      fmt::format_to(std::back_inserter(out), "\tSA:Z:{},{},{},{}={}S,255,0;", record_name_, origin + 1,
                     sign(reverse), here, size - here);
    else
      fmt::format_to(std::back_inserter(out), "\tSA:Z:{},1,{},{}S{}=,255,0;", record_name_, sign(reverse),
                     here, size - here);
  }
  out += '\n';
}

// Appends a row of PAF. Positions in the pattern count from the begin of the pattern as it was given, also on
// the reverse strand.
void hit_writer::append_paf(std::string& out, const stretch& part, bool reverse) const {
  const std::uint64_t size = pattern_.letters.size(), length = part.to - part.from;
  const std::uint64_t from = reverse ? size - part.to : part.from;
  fmt::format_to(std::back_inserter(out),
                 "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t255\tNM:i:0\tNH:i:{}\tcg:Z:{}=\n", name_, size,
                 from, from + length, sign(reverse), record_name_, record_length_, part.begin,
                 part.begin + length, length, length, pattern_.total, length);
}

void hit_writer::append_gff3(std::string& out, const fm_hit& hit, bool reverse) const {
  const fm_alphabet alphabet = records_.alphabet();
  line_text text(out, record_name_.size() + name_.size() + max_columns);
  text.add(record_name_);
  text.add(alphabet == fm_alphabet::dna       ? "\tweft\tnucleotide_match\t"
           : alphabet == fm_alphabet::protein ? "\tweft\tprotein_match\t"
                                              : "\tweft\tmatch\t");
  text.add_number(hit.begin + 1).add('\t').add_number(hit.begin + size_).add("\t.\t");
  text.add(alphabet == fm_alphabet::dna ? sign(reverse) : '.').add("\t.\tName=").add(name_).add('\n');
}

void hit_writer::append_jsonl(std::string& out, const fm_hit& hit, bool reverse) const {
  line_text text(out, record_name_.size() + name_.size() + max_columns);
  text.add(R"({"pattern":)").add(name_).add(R"(,"reference":)").add(record_name_);
  text.add(R"(,"begin":)").add_number(hit.begin + 1).add(R"(,"end":)").add_number(hit.begin + size_);
  text.add(R"(,"strand":")").add(sign(reverse)).add("\"}\n");
}

// Ends a pattern. In SAM, a pattern without occurrences has a row, as mappers write it. In SAM and PAF, the
// tag NH has the number of all occurrences; the other formats get a row or comment if occurrences were left
// out.
void hit_writer::end(std::string& out) {
  if (format_ == hit_format::sam && pattern_.total == 0)
    fmt::format_to(std::back_inserter(out), "{}\t4\t*\t0\t0\t*\t*\t0\t0\t{}\t*\n", name_,
                   is_sam_sequence(pattern_.letters) ? pattern_.letters : "*");
  if (pattern_.listed == pattern_.total) return;
  if (format_ == hit_format::tsv)
    fmt::format_to(std::back_inserter(out), "{}\t*\t{}\t{}\t*{}{}\n", name_, pattern_.listed, pattern_.total,
                   near_ == nullptr ? "" : "\t*", with_errors() ? "\t*" : "");
  if (format_ == hit_format::jsonl)
    fmt::format_to(std::back_inserter(out), "{{\"pattern\":{},\"written\":{},\"total\":{}}}\n", name_,
                   pattern_.listed, pattern_.total);
  if (format_ == hit_format::bed || format_ == hit_format::gff3)
    fmt::format_to(std::back_inserter(out), "# {}: {} of {} occurrences\n", name_, pattern_.listed,
                   pattern_.total);
}

void hit_writer::append_count(std::string& out, const found_pattern& pattern) {
  if (format_ == hit_format::jsonl) {
    fmt::format_to(std::back_inserter(out), "{{\"pattern\":{},\"count\":{}}}\n",
                   io::json_string(pattern.name), pattern.total);
    return;
  }
  io::append_escaped(out, pattern.name);
  out += '\t';
  append_number(out, pattern.total);
  out += '\n';
}

} // namespace weft::files
