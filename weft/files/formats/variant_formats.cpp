#include <weft/files/formats/variant_formats.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <weft/base/version.hpp>
#include <weft/files/formats/lcs_formats.hpp>
#include <weft/io/escape.hpp>

namespace weft::files {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_hexadecimal(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

void append_percent(std::string& out, char c) {
  fmt::format_to(std::back_inserter(out), "%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
}

// Returns the text with %HH for each byte of the characters in `reserved`, of control characters and of what
// is no UTF-8.
std::string percent_encoded(std::string_view text, std::string_view reserved) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t control = io::control_size(text), size = std::max<std::size_t>(io::utf8_size(text), 1);
    const bool is_kept =
        control == 0 && io::utf8_size(text) > 0 && reserved.find(text.front()) == std::string_view::npos;
    const std::string_view character = text.substr(0, std::max(control, size));
    if (is_kept)
      shown += character;
    else
      for (const char c : character) append_percent(shown, c);
    text.remove_prefix(character.size());
  }
  return shown;
}

// Returns the text as a value of INFO.
std::string info_value(std::string_view text) { return text.empty() ? "." : percent_encoded(text, " ;=,%"); }

// Returns the text as a column or a line of the header.
std::string header_text(std::string_view text) { return percent_encoded(text, ""); }

// Returns the text as a quoted value of a line of the header.
std::string quoted(std::string_view text) {
  std::string value = "\"";
  for (const char c : header_text(text)) {
    if (c == '"' || c == '\\') value += '\\';
    value += c;
  }
  return value + '"';
}

char sign(bool reverse) { return reverse ? '-' : '+'; }

// Returns a letter of A as VCF writes it; '\0' if VCF does not allow it.
char reference_letter(char letter) {
  const char upper = letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
  if (upper == 'U') return 'T';
  return std::string_view("ACGTN").find(upper) != std::string_view::npos ? upper : '\0';
}

constexpr std::string_view vcf_definitions =
    "##INFO=<ID=TYPE,Number=1,Type=String,Description=\"What the variant is: snp, ins, del or complex\">\n"
    "##INFO=<ID=BLOCK,Number=1,Type=Integer,Description=\"Number of the aligned block that contains it\">\n"
    "##INFO=<ID=KIND,Number=1,Type=String,Description=\"What the block is: collinear, inverted or moved\">\n"
    "##INFO=<ID=BNAME,Number=1,Type=String,Description=\"Record of B\">\n"
    "##INFO=<ID=BPOS,Number=1,Type=Integer,Description=\"Position in the record of B of the first letter of "
    "the alternative, without the letter that an insertion or a deletion shares with the reference\">\n"
    "##INFO=<ID=BSTRAND,Number=1,Type=String,Description=\"Strand of the record of B\">\n"
    "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n";

// Writes the lines of the header that tell what is rearranged.
void write_rearrangements(io::output_file& out, const variant_report& report) {
  const genome_comparison& found = report.found;
  for (std::size_t i = 0; i < found.blocks.size(); ++i) {
    const genome_block& block = found.blocks[i];
    if (block.kind == block_kind::collinear) continue;
    out.write(fmt::format("##weft_block=<ID={},KIND={},NAME={},BEGIN={},END={},BNAME={},BBEGIN={},BEND={},"
                          "BSTRAND={}>\n",
                          i + 1, name_of(block.kind), quoted(report.a.name(block.a_record)),
                          block.a_begin + 1, block.a_end, quoted(report.b.name(block.b_record)),
                          block.b_begin + 1, block.b_end, sign(block.reverse)));
  }
  const auto write_stretches = [&](std::string_view key, const std::vector<genome_stretch>& stretches,
                                   const sequences_view& records) {
    for (std::size_t i = 0; i < stretches.size(); ++i)
      out.write(fmt::format("##{}=<ID={},NAME={},BEGIN={},END={}>\n", key, i + 1,
                            quoted(records.name(stretches[i].record)), stretches[i].begin + 1,
                            stretches[i].end));
  };
  write_stretches("weft_missing", found.missing, report.a);
  write_stretches("weft_added", found.added, report.b);
}

void write_vcf(io::output_file& out, const variant_report& report) {
  out.write("##fileformat=VCFv4.3\n##source=weft " WEFT_VERSION "\n");
  out.write(fmt::format("##reference={}\n", header_text(report.reference)));
  std::vector<std::string> contigs;
  for (std::uint64_t r = 0; r < report.a.count(); ++r) {
    contigs.push_back(contig_name(report.a.name(r)));
    out.write(fmt::format("##contig=<ID={},length={}>\n", contigs.back(), report.a.size(r)));
  }
  out.write(vcf_definitions);
  write_rearrangements(out, report);
  out.write(
      fmt::format("#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t{}\n", header_text(report.sample)));
  std::string line;
  for (const genome_variant& each : report.found.variants) {
    const genome_block& block = report.found.blocks[each.block];
    const vcf_alleles alleles = alleles_of(each, report.a[each.a_record]);
    line.clear();
    fmt::format_to(std::back_inserter(line),
                   "{}\t{}\t.\t{}\t{}\t.\t.\tTYPE={};BLOCK={};KIND={};BNAME={};BPOS={};BSTRAND={}\tGT\t1\n",
                   contigs[each.a_record], alleles.position + 1, alleles.reference, alleles.alternative,
                   type_of(each), each.block + 1, name_of(block.kind),
                   info_value(report.b.name(block.b_record)), each.b_begin + 1, sign(block.reverse));
    out.write(line);
  }
}

void write_table(io::output_file& out, const variant_report& report) {
  out.write("reference\tbegin\tend\ttype\tref\talt\tquery\tquery_begin\tquery_end\t"
            "strand\tblock\tkind\n");
  const auto letters = [](const std::string& text) -> std::string_view {
    return text.empty() ? std::string_view("-") : std::string_view(text);
  };
  std::string line;
  for (const genome_variant& each : report.found.variants) {
    const genome_block& block = report.found.blocks[each.block];
    line.clear();
    io::append_escaped(line, report.a.name(each.a_record));
    fmt::format_to(std::back_inserter(line), "\t{}\t{}\t{}\t{}\t{}\t", each.begin + 1,
                   each.begin + each.reference.size(), type_of(each), letters(each.reference),
                   letters(each.alternative));
    io::append_escaped(line, report.b.name(block.b_record));
    fmt::format_to(std::back_inserter(line), "\t{}\t{}\t{}\t{}\t{}\n", each.b_begin + 1,
                   each.b_begin + each.alternative.size(), sign(block.reverse), each.block + 1,
                   name_of(block.kind));
    out.write(line);
  }
}

void write_blocks(io::output_file& out, const variant_report& report) {
  std::string line;
  for (const genome_block& block : report.found.blocks) {
    const edit_script& path = block.path;
    const std::uint64_t differences = path.substitutions + path.insertions + path.deletions;
    line.clear();
    io::append_escaped(line, report.b.name(block.b_record));
    fmt::format_to(std::back_inserter(line), "\t{}\t{}\t{}\t{}\t", report.b.size(block.b_record),
                   block.b_begin, block.b_end, sign(block.reverse));
    io::append_escaped(line, report.a.name(block.a_record));
    fmt::format_to(std::back_inserter(line), "\t{}\t{}\t{}\t{}\t{}\t255\ttp:A:{}\tNM:i:{}\tkd:Z:{}\tcg:Z:",
                   report.a.size(block.a_record), block.a_begin, block.a_end, path.matches,
                   path.matches + differences, block.kind == block_kind::duplicated ? 'S' : 'P', differences,
                   name_of(block.kind));
    line += operations(path.runs);
    line += '\n';
    out.write(line);
  }
}

} // namespace

variant_format parse_variant_format(std::string_view name) {
  return name == "tsv" ? variant_format::tsv : name == "paf" ? variant_format::paf : variant_format::vcf;
}

std::string_view name_of(block_kind kind) {
  switch (kind) {
  case block_kind::inverted:
    return "inverted";
  case block_kind::moved:
    return "moved";
  case block_kind::duplicated:
    return "duplicated";
  case block_kind::collinear:
    break;
  }
  return "collinear";
}

std::string_view type_of(const genome_variant& variant) {
  const std::size_t reference = variant.reference.size(), alternative = variant.alternative.size();
  return reference == 0                       ? "ins"
         : alternative == 0                   ? "del"
         : reference == 1 && alternative == 1 ? "snp"
                                              : "complex";
}

std::string contig_name(std::string_view name) {
  std::string shown;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool is_escape =
        c == '%' && i + 2 < name.size() && is_hexadecimal(name[i + 1]) && is_hexadecimal(name[i + 2]);
    const bool is_allowed = is_digit(c) || is_letter(c) ||
                            std::string_view("!#$%&+./:;?@^_|~-").find(c) != std::string_view::npos ||
                            (i > 0 && (c == '*' || c == '='));
    if (is_allowed && !is_escape)
      shown += c;
    else
      append_percent(shown, c);
  }
  return shown;
}

vcf_alleles alleles_of(const genome_variant& variant, std::string_view record) {
  vcf_alleles alleles{variant.begin, variant.reference, variant.alternative};
  if (!alleles.reference.empty() && !alleles.alternative.empty()) return alleles;
  const std::uint64_t end = variant.begin + variant.reference.size();
  const char before = variant.begin > 0 ? reference_letter(record[variant.begin - 1]) : '\0',
             behind = end < record.size() ? reference_letter(record[end]) : '\0';
  if (before == '\0' && behind != '\0') {
    alleles.reference += behind;
    alleles.alternative += behind;
  } else if (variant.begin > 0) {
    const char letter = before == '\0' ? 'N' : before;
    alleles.reference.insert(alleles.reference.begin(), letter);
    alleles.alternative.insert(alleles.alternative.begin(), letter);
    --alleles.position;
  } else { // the only letters of the record, or in front of a letter that VCF does not allow
    alleles.reference += 'N';
    alleles.alternative += 'N';
  }
  return alleles;
}

void write_report(io::output_file& out, variant_format format, const variant_report& report) {
  if (format == variant_format::vcf)
    write_vcf(out, report);
  else if (format == variant_format::tsv)
    write_table(out, report);
  else
    write_blocks(out, report);
}

} // namespace weft::files
