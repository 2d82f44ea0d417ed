#include <algorithm>
#include <cli/gpus.hpp>
#include <cli/plot_files.hpp>
#include <cli/program.hpp>
#include <cli/ranks.hpp>
#include <cli/task.hpp>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <system_error>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/files/formats/scan_formats.hpp>
#include <weft/files/plot/domain_figure.hpp>
#include <weft/files/ranks/rank_bytes.hpp>
#include <weft/files/ranks/rank_input.hpp>
#include <weft/files/ranks/rank_output.hpp>
#include <weft/files/scan/scan_input.hpp>
#include <weft/files/scan/scan_stream.hpp>
#include <weft/io/escape.hpp>
#include <weft/io/json.hpp>
#include <weft/io/motif_reader.hpp>
#include <weft/io/output_file.hpp>
#include <weft/io/pattern_reader.hpp>
#include <weft/scan/engines.hpp>

namespace weft::cli {

namespace {

// The alphabet of a run, and the reason for it, for messages.
struct chosen_alphabet {
  alphabet value;
  std::string reason;    // "--alphabet dna"
  bool is_noted = false; // whether the reason is worth a message of its own
};

// `guess` is that of the sequences if the alphabet depends on them.
chosen_alphabet alphabet_of(const arguments& given, const io::motif_file& motifs,
                            const io::alphabet_guess& guess) {
  const std::string name = given.value("alphabet");
  if (name == "dna") return {alphabet::dna, "--alphabet dna"};
  if (name == "bytes") return {alphabet::bytes, "--alphabet bytes"};
  if (name == "protein") return {alphabet::protein, "--alphabet protein"};
  chosen_alphabet chosen{alphabet::protein,
                         fmt::format("alphabet protein, because {} is a PROSITE file", motifs.name)};
  if (!motifs.is_prosite) {
    if (guess.num_letters() == 0)
      return {alphabet::protein, "alphabet protein, because there are no letters"};
    chosen = guess.is_dna()
                 ? chosen_alphabet{alphabet::dna,
                                   "alphabet dna, because at least 95 % of the first letters are nucleotides"}
                 : chosen_alphabet{alphabet::protein,
                                   "alphabet protein, because less than 95 % of the first letters are "
                                   "nucleotides"};
  }
  chosen.is_noted = true;
  return chosen;
}

motif_syntax syntax_of(const arguments& given, alphabet chosen) {
  motif_syntax syntax;
  syntax.alphabet = chosen;
  syntax.greedy = !given.has("no-greedy");
  // X is in no set if -x is 0, or if the patterns are given with -e: ps_scan has both rules. Unlike ps_scan,
  // weft also applies a -x other than 0 to patterns given with -e.
  syntax.unknown_in_sets = given.has("max-x") ? given.number("max-x", -1) != 0 : !given.has("pattern");
  return syntax;
}

scan_options options_of(const arguments& given) {
  scan_options options;
  const std::string rule = given.value("matches");
  options.rule = rule == "starts" ? match_rule::starts
                 : rule == "ends" ? match_rule::ends
                                  : match_rule::ps_scan;
  for (const char* only : {"no-overlap", "included", "max-x"})
    if (options.rule != match_rule::ps_scan && given.has(only))
      throw error(errc::invalid_input, fmt::format("--{} can be used only with --matches ps-scan", only));
  options.overlap = !given.has("no-overlap");
  options.included = given.has("included");
  if (given.has("max-x")) options.max_x = static_cast<int>(given.number("max-x", -1));
  set_common_options(given, options);
  scan_detail::scan_engine_list().check_names(options.run); // before any file is read
  return options;
}

// Sets the options that are only for DNA.
void set_dna_options(const arguments& given, const chosen_alphabet& chosen, scan_options& options) {
  const std::string strands = given.value("strand");
  const bool dna = chosen.value == alphabet::dna;
  for (const char* flag : {"strand", "circular"})
    if (!dna && given.has(flag))
      throw error(errc::invalid_input,
                  fmt::format("--{} can be used only for DNA, but weft uses {}", flag, chosen.reason));
  options.circular = given.has("circular");
  options.strands = strands == "+" || !dna ? strand_choice::forward
                    : strands == "-"       ? strand_choice::reverse
                                           : strand_choice::both;
}

// Throws error(invalid_input) if MOTIFS is FASTA or FASTQ and the first of SEQUENCES is not, because the user
// has swapped them. Does not look at standard input.
void refuse_swapped(const io::peeked_bytes& motifs, const std::vector<std::string>& sequences) {
  if (!io::begins_with_record(motifs.start) || sequences.empty() || sequences.front() == "-") return;
  const std::string start = io::peek_text(io::open_bytes(sequences.front()), 4096).start;
  if (start.empty() || io::begins_with_record(start)) return;
  throw error(errc::invalid_input,
              fmt::format("{} is a FASTA or FASTQ file and {} is not: give MOTIFS first and SEQUENCES "
                          "after it",
                          motifs.source->name(), sequences.front()));
}

// Returns the patterns given with -e, or else the records of the file that is the first input, which is
// removed from `inputs`.
io::motif_file motif_records(const arguments& given, std::vector<std::string>& inputs) {
  if (!given.has("pattern")) {
    const std::uint64_t memory = memory_limit(given.size("memory"));
    const io::peeked_bytes bytes =
        io::peek_text(files::open_on_all_ranks(ranks(), inputs.front(), memory), 4096);
    inputs.erase(inputs.begin());
    refuse_swapped(bytes, inputs);
    constexpr std::uint64_t small = std::uint64_t{1} << 23; // enough for all of PROSITE
    return io::read_motifs(*bytes.source, memory / 4 + small);
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

// Keeps only the motifs that --motif names, in the order of the file.
void choose_motifs(const arguments& given, io::motif_file& file) {
  if (!given.has("motif")) return;
  const std::vector<std::string> names = given.values("motif");
  for (const std::string& name : names)
    if (std::none_of(file.records.begin(), file.records.end(), [&](const io::motif_record& record) {
          return record.accession == name || record.name == name;
        }))
      throw error(errc::invalid_input,
                  fmt::format("--motif {}: {} has no motif with this accession or name", name, file.name));
  std::erase_if(file.records, [&](const io::motif_record& record) {
    return std::find(names.begin(), names.end(), record.accession) == names.end() &&
           std::find(names.begin(), names.end(), record.name) == names.end();
  });
}

// Describes a bad pattern: its position, what was expected, the pattern, and a caret under the fault.
std::string describe(const io::motif_file& file, const io::motif_record& record, const motif_fault& fault) {
  std::string where = fmt::format("{}, column {}", file.name, fault.column);
  if (!record.positions.empty()) {
    const bool past = fault.column > record.positions.size(); // the fault is behind the last character
    const io::motif_record::position at = past ? record.positions.back() : record.positions[fault.column - 1];
    where = fmt::format("{}:{}:{}", file.name, at.line, at.column + (past ? 1 : 0));
  }
  return fmt::format("{}: {}: expected {}\n  {}\n  {:>{}}\n", where,
                     record.accession.empty() ? record.name : record.accession, fault.expected,
                     record.pattern, "^", fault.column);
}

// The motifs of a file, and what is wrong with the others.
struct parsed_motifs {
  std::vector<motif> motifs;
  std::string faults; // descriptions of bad patterns
  std::size_t num_good = 0, num_bad = 0;
};

parsed_motifs parse_motifs(const arguments& given, const io::motif_file& file, const motif_syntax& syntax) {
  constexpr std::size_t max_shown = 20;
  parsed_motifs parsed;
  for (const io::motif_record& record : file.records) {
    motif next;
    motif_fault fault;
    if (!parse_motif(record.pattern, syntax, next, fault)) {
      if (++parsed.num_bad <= max_shown) parsed.faults += describe(file, record, fault);
      continue;
    }
    ++parsed.num_good;
    next.name = record.name;
    next.accession = record.accession;
    next.description = record.description;
    next.skip_flag = record.skip_flag;
    if (!next.skip_flag || !given.has("skip-frequent")) parsed.motifs.push_back(std::move(next));
  }
  if (parsed.num_bad > max_shown) parsed.faults += fmt::format("and {} more\n", parsed.num_bad - max_shown);
  return parsed;
}

// Throws error(invalid_input) if a pattern is bad or there are no motifs. Reports on standard error what was
// skipped.
void check_motifs(const arguments& given, const io::motif_file& file, const parsed_motifs& parsed,
                  const motif_set& motifs) {
  if (parsed.num_bad > 0)
    throw error(errc::invalid_input,
                fmt::format("{} bad pattern{}, {} good\n{}", parsed.num_bad, parsed.num_bad == 1 ? "" : "s",
                            parsed.num_good, parsed.faults.substr(0, parsed.faults.size() - 1)));
  if (file.matrix_entries + file.rule_entries > 0 && !given.has("quiet"))
    say(fmt::format("weft: {}: {} profiles and {} rules are not patterns and were skipped\n", file.name,
                    file.matrix_entries, file.rule_entries));
  if (motifs.motifs().empty())
    throw error(errc::invalid_input, fmt::format("{}: there are no motifs to search for", file.name));
}

// Returns about how many residues will be read: the bytes of the files, or 0 if one of them is not a regular
// file.
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

std::unique_ptr<files::scan_input> open_sequences(const std::vector<std::string>& paths,
                                                  const files::scan_memory& memory) {
  if (ranks().size() == 1)
    return std::make_unique<files::scan_input>(paths, memory.limit, memory.max_record, &monitor());
  return std::make_unique<files::rank_input>(ranks(), paths, memory.limit, memory.max_record, &monitor());
}

// Waits for the GPU that the options ask for, and meanwhile compiles motifs for it and reads sequences. So a
// file of motifs that cannot be read is reported before a missing GPU, which is reported before bad patterns.
// Throws unavailable_error if there is no such GPU.
void wait_for_gpu(const gpu_start& start, const scan_options& options, const motif_set& motifs,
                  const files::scan_memory& memory, files::scan_input& input) {
  if (start.is_running()) scan_detail::prepare_gpu_scan(motifs, options);
  input.read_ahead(memory.first_residues, memory.max_residues, memory.max_read_ahead,
                   [&] { return start.is_running(); });
  require_device(options.run.device);
}

// Draws the domains that the scan has collected for --plot. Reports on standard error what the figure leaves
// out.
void write_plots(const arguments& given, const files::domain_collector& domains, const motif_set& motifs,
                 plot_files& plots) {
  if (const std::vector<std::string> missing = domains.missing(); !missing.empty())
    throw error(errc::invalid_input,
                fmt::format("--sequence {}: no sequence has this name", io::escaped(missing.front())));
  const files::domain_figure figure =
      files::draw_domains(domains.result(), motifs, {"--sequence NAME", "--motif ACCESSION"});
  for (const std::string& note : figure.notes)
    if (!given.has("quiet")) say(fmt::format("weft scan: --plot: {}\n", note));
  plots.write([&](files::plot_kind kind) {
    try {
      return files::domain_plot(kind, figure.drawn);
    } catch (const error& failure) {
      throw error(failure.code(), fmt::format("--plot: {}", failure.what()));
    }
  });
}

// Returns the division of the memory that --memory allows.
files::scan_memory memory_of(const arguments& given, const scan_options& options, bool may_be_dna) {
  // A record of DNA is in memory together with its reverse complement, and a third time if matches are shown
  // aligned.
  const std::uint64_t copies = !may_be_dna ? 1 : given.value("format") == "scan" ? 3 : 2;
  files::scan_memory memory = files::divide_memory(given.size("memory"), options.run.threads, copies);
  if (const char* residues = std::getenv("WEFT_CHUNK")) { // for tests: the residues of every chunk
    files::set_chunk_residues(memory, std::strtoull(residues, nullptr, 10));
    if (memory.max_residues == 0)
      throw error(errc::invalid_input, "WEFT_CHUNK must be a number of residues, at least 1");
  }
  return memory;
}

// Returns the sum of the totals of all ranks.
scan_totals sum_of_all_ranks(scan_totals own) {
  std::vector<std::uint64_t> numbers = {own.sequences, own.residues, own.matches};
  numbers.insert(numbers.end(), own.by_motif.begin(), own.by_motif.end());
  ranks().all_reduce(numbers, multi::reduction::sum);
  own.sequences = numbers[0];
  own.residues = numbers[1];
  own.matches = numbers[2];
  std::copy(numbers.begin() + 3, numbers.end(), own.by_motif.begin());
  return own;
}

// Throws error(invalid_input) for wrong use that can be found before any file is read.
void check_inputs(const arguments& given) {
  const std::string format = given.value("format");
  if (given.value("matches") == "count" && format != "tsv" && format != "jsonl")
    throw error(errc::invalid_input, "--matches count needs --format tsv or jsonl");
  if (given.value("matches") == "count" && given.has("plot"))
    throw error(errc::invalid_input,
                "--plot cannot be combined with --matches count, which does not keep the matches to draw");
  if (given.has("sequence") && !given.has("plot"))
    throw error(errc::invalid_input, "--sequence can be used only with --plot FILE, because it chooses "
                                     "what --plot draws");
  if (given.has("per-sequence") && given.value("matches") != "count")
    throw error(errc::invalid_input, "--per-sequence can be used only with --matches count");
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
  scan_options options = options_of(given);
  const gpu_start start(options.run.device);
  // Weft might wait for a pipe for a long time before it could report that there is no GPU.
  if (expected_residues(given.inputs) == 0) require_device(options.run.device);
  std::vector<std::string> inputs = given.inputs;
  io::motif_file file = motif_records(given, inputs);
  choose_motifs(given, file);
  const std::string alphabet_name = given.value("alphabet");
  const bool is_guessed = alphabet_name == "auto" && !file.is_prosite;
  const files::scan_memory memory = memory_of(given, options, alphabet_name == "dna" || is_guessed);
  const stopwatch time; // includes what is read while CUDA starts
  const std::unique_ptr<files::scan_input> input = open_sequences(inputs, memory);
  const io::alphabet_guess guess = is_guessed ? input->guess_alphabet() : io::alphabet_guess();
  const chosen_alphabet chosen = alphabet_of(given, file, guess);
  const motif_syntax syntax = syntax_of(given, chosen.value);
  parsed_motifs parsed = parse_motifs(given, file, syntax);
  const motif_set motifs(std::move(parsed.motifs), syntax);
  wait_for_gpu(start, options, motifs, memory, *input); // before anything is written
  if (chosen.is_noted && !given.has("quiet"))
    say(fmt::format("weft scan: {} (use --alphabet to choose another)\n", chosen.reason));
  set_dna_options(given, chosen, options);
  check_motifs(given, file, parsed, motifs);
  weft::run_info info;
  // Each chunk sets the engine. Without any sequence it stays as set here, the engine that auto would choose.
  info.engine = options.run.engine == "auto" ? "bit-stream" : options.run.engine;
  options.run.info = &info;
  const std::uint64_t expected = expected_residues(inputs);
  const files::scan_task task{motifs, options, expected, files::is_scanned_on_gpu(motifs, options, expected)};
  const bool only_count = given.value("matches") == "count", by_sequence = given.has("per-sequence");
  const files::scan_output content{given.value("format"), !only_count   ? files::scan_output::matches
                                                          : by_sequence ? files::scan_output::counts
                                                                        : files::scan_output::no_rows};
  plot_files plots(given.values("plot"), files::domain_plot_kinds);
  files::domain_collector domains(given.values("sequence"));
  files::rank_output out(ranks(), given.value("output"));
  const scan_totals sum = sum_of_all_ranks([&] {
    const progress_line progress(given, "weft scan", 1, "residues");
    return files::stream_scan(*input, task, memory, content, out, plots.empty() ? nullptr : &domains);
  }());
  if (content.content == files::scan_output::no_rows)
    out.write_footer(files::motif_counts(motifs, sum, given.value("format") == "jsonl"));
  if (given.value("format") == "html") out.write(files::page_end(motifs, file.name, inputs, sum));
  if (!plots.empty()) write_plots(given, domains, motifs, plots);
  if (plots.empty())
    out.commit();
  else
    plots.commit_with(out.file());
  const double seconds = time.seconds(),
               cells = static_cast<double>(sum.residues) * static_cast<double>(motifs.motifs().size());
  closing_line(
      given, seconds,
      fmt::format(
          "{} matches of {} motifs in {} sequences, {} residues, {}residues/s, {}pattern-characters/s",
          sum.matches, motifs.motifs().size(), sum.sequences, sum.residues,
          with_prefix(static_cast<double>(sum.residues) / seconds), with_prefix(cells / seconds)),
      info.engine, info.device);
  return sum.matches == 0 && given.has("fail-if-none") ? 1 : 0;
}

} // namespace weft::cli
