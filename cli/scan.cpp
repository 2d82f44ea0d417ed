#include <algorithm>
#include <cli/program.hpp>
#include <cli/scan_formats.hpp>
#include <cli/scan_page.hpp>
#include <cli/scan_stream.hpp>
#include <cli/task.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>
#include <weft/base/error.hpp>
#include <weft/io/json.hpp>
#include <weft/io/motif_reader.hpp>
#include <weft/io/output_file.hpp>

namespace weft::cli {

namespace {

motif_syntax syntax_of(const arguments& given) {
  motif_syntax syntax;
  const std::string name = given.value("alphabet");
  syntax.alphabet = name == "dna" ? alphabet::dna : name == "bytes" ? alphabet::bytes : alphabet::protein;
  syntax.greedy = !given.has("no-greedy");
  // As ps_scan: X is in no set if -x 0 is asked for, or for patterns given by themselves; but here -x N holds
  // for those, too.
  syntax.unknown_in_sets = given.has("max-x") ? given.number("max-x", -1) != 0 : !given.has("pattern");
  return syntax;
}

scan_options options_of(const arguments& given) {
  scan_options options;
  const std::string rule = given.value("matches"), strands = given.value("strand");
  options.rule = rule == "starts" ? match_rule::starts
                 : rule == "ends" ? match_rule::ends
                                  : match_rule::ps_scan;
  for (const char* only : {"no-overlap", "included", "max-x"})
    if (options.rule != match_rule::ps_scan && given.has(only))
      throw error(errc::invalid_input, fmt::format("--{} goes with --matches ps-scan alone", only));
  options.overlap = !given.has("no-overlap");
  options.included = given.has("included");
  if (given.has("max-x")) options.max_x = static_cast<int>(given.number("max-x", -1));
  const bool dna = given.value("alphabet") == "dna";
  if (!dna && !strands.empty() && strands != "+")
    throw error(errc::invalid_input, "--strand is for --alphabet dna");
  options.strands = strands == "+" || !dna ? strand_choice::forward
                    : strands == "-"       ? strand_choice::reverse
                                           : strand_choice::both;
  set_common_options(given, options);
  check_scan_options(options);
  return options;
}

// FASTA and FASTQ begin with '>' and '@': no motif does, but one of bytes with '@'.
void refuse_sequences(const io::peeked_bytes& motifs, bool of_bytes) {
  const std::size_t first = motifs.start.find_first_not_of(" \t\r\n\v\f");
  const char marker = first == std::string::npos ? '\0' : motifs.start[first];
  if (marker != '>' && (marker != '@' || of_bytes)) return;
  throw error(errc::invalid_input,
              fmt::format("{}: it begins with '{}', as {} does: weft scan takes MOTIFS first, then SEQUENCES",
                          motifs.source->name(), marker, marker == '>' ? "FASTA" : "FASTQ"));
}

// The records given with -e, or those of the file that is the first input, which is taken off `inputs`.
io::motif_file motif_records(const arguments& given, std::vector<std::string>& inputs) {
  if (!given.has("pattern")) {
    const io::peeked_bytes bytes = io::peek(io::open_bytes(inputs.front()), 4096);
    refuse_sequences(bytes, given.value("alphabet") == "bytes");
    io::motif_file file = io::read_motifs(*bytes.source);
    inputs.erase(inputs.begin());
    return file;
  }
  io::motif_file file{"-e", {}, 0, 0};
  for (const std::string& pattern : given.values("pattern")) {
    io::motif_record record;
    record.name = record.pattern = pattern;
    record.accession = fmt::format("USER{:03}", file.records.size() + 1);
    file.records.push_back(record);
  }
  return file;
}

// One bad pattern: where, what was expected, the pattern, and a caret under the place.
std::string describe(const io::motif_file& file, const io::motif_record& record, const motif_fault& fault) {
  std::string where = fmt::format("{}, column {}", file.name, fault.column);
  if (!record.places.empty()) {
    const bool past = fault.column > record.places.size(); // behind the last character
    const io::motif_record::place at = past ? record.places.back() : record.places[fault.column - 1];
    where = fmt::format("{}:{}:{}", file.name, at.line, at.column + (past ? 1 : 0));
  }
  return fmt::format("{}: {}: expected {}\n  {}\n  {:>{}}\n", where,
                     record.accession.empty() ? record.name : record.accession, fault.expected,
                     record.pattern, "^", fault.column);
}

std::vector<motif> parse_motifs(const io::motif_file& file, const motif_syntax& syntax) {
  constexpr std::size_t most_shown = 20;
  std::vector<motif> motifs;
  std::string faults;
  std::size_t bad = 0;
  for (const io::motif_record& record : file.records) {
    motif next;
    motif_fault fault;
    if (!parse_motif(record.pattern, syntax, next, fault)) {
      if (++bad <= most_shown) faults += describe(file, record, fault);
      continue;
    }
    next.name = record.name;
    next.accession = record.accession;
    next.description = record.description;
    next.skip_flag = record.skip_flag;
    motifs.push_back(std::move(next));
  }
  if (bad > most_shown) faults += fmt::format("and {} more\n", bad - most_shown);
  if (bad > 0)
    throw error(errc::invalid_input, fmt::format("{} bad pattern{}, {} good\n{}", bad, bad == 1 ? "" : "s",
                                                 motifs.size(), faults.substr(0, faults.size() - 1)));
  return motifs;
}

// About how many residues are to come: bytes of the files; 0 if one of them is none.
std::uint64_t expected_residues(const std::vector<std::string>& files) {
  std::uint64_t sum = 0;
  for (const std::string& file : files) {
    std::error_code none;
    if (file == "-" || !std::filesystem::is_regular_file(file, none)) return 0;
    sum += std::filesystem::file_size(file, none);
    if (none) return 0;
  }
  return sum;
}

void write_counts(const motif_set& motifs, const scan_totals& sum, bool json, io::output_file& out) {
  if (!json) out.write("motif\tname\tmatches\n");
  for (std::size_t k = 0; k < motifs.motifs().size(); ++k) {
    const motif& m = motifs.motifs()[k];
    out.write(json ? fmt::format("{{\"motif\":{},\"name\":{},\"matches\":{}}}\n", io::json_string(label(m)),
                                 io::json_string(m.name), sum.by_motif[k])
                   : fmt::format("{}\t{}\t{}\n", label(m), m.name, sum.by_motif[k]));
  }
}

// Wrong use that can be told before any file is read.
void check_inputs(const arguments& given) {
  const std::string format = given.value("format");
  if (given.value("matches") == "count" && format != "tsv" && format != "jsonl")
    throw error(errc::invalid_input, "--matches count goes with --format tsv or jsonl");
  if (std::count(given.inputs.begin(), given.inputs.end(), "-") > 1)
    throw error(errc::invalid_input, "standard input (-) can be read only once");
  if (given.inputs.size() < (given.has("pattern") ? 1U : 2U))
    throw error(errc::invalid_input,
                "weft scan needs motifs (a file, or -e PATTERN) and sequences (FASTA or FASTQ "
                "files, or - for standard input); 'weft help scan' explains");
}

} // namespace

int run_scan(const arguments& given) {
  check_inputs(given);
  const motif_syntax syntax = syntax_of(given);
  scan_options options = options_of(given);
  std::vector<std::string> inputs = given.inputs;
  const io::motif_file file = motif_records(given, inputs);
  std::vector<motif> list = parse_motifs(file, syntax);
  if (given.has("skip-frequent")) std::erase_if(list, [](const motif& m) { return m.skip_flag; });
  if (file.matrix_entries + file.rule_entries > 0 && !given.has("quiet"))
    say(fmt::format("weft: {}: {} profiles and {} rules are not patterns and were passed over\n", file.name,
                    file.matrix_entries, file.rule_entries));
  if (list.empty() && !given.has("quiet"))
    say(fmt::format("weft: {}: there are no motifs to look for\n", file.name));
  const motif_set motifs(std::move(list), syntax);
  scan_used used{options.engine == "auto" ? scan_engines().front().name : options.engine, -1};
  options.used = &used; // by the last chunk
  options.all_residues = expected_residues(inputs);

  const bool only_count = given.value("matches") == "count";
  io::output_file out(given.value("output"));
  const stopwatch time;
  scan_totals sum;
  {
    const progress_line progress(given, "weft scan", 1, "residues");
    sum = stream_scan(inputs, motifs, options, given.size("memory"), only_count ? "" : given.value("format"),
                      out);
  }
  if (only_count) write_counts(motifs, sum, given.value("format") == "jsonl", out);
  if (given.value("format") == "html") out.write(page_end(motifs, file.name, inputs, sum));
  out.commit();
  const double seconds = time.seconds(),
               cells = static_cast<double>(sum.residues) * static_cast<double>(motifs.motifs().size());
  closing_line(
      given, seconds,
      fmt::format(
          "{} matches of {} motifs in {} sequences, {} residues, {}residues/s, {}pattern-characters/s",
          sum.matches, motifs.motifs().size(), sum.sequences, sum.residues,
          with_prefix(static_cast<double>(sum.residues) / seconds), with_prefix(cells / seconds)),
      used.engine, used.gpu);
  return sum.matches == 0 && given.has("fail-if-none") ? 1 : 0;
}

} // namespace weft::cli
