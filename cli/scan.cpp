#include <algorithm>
#include <cli/run.hpp>
#include <cli/scan_formats.hpp>
#include <cli/task.hpp>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>
#include <weft/base/error.hpp>
#include <weft/base/parallel.hpp>
#include <weft/io/motif_reader.hpp>
#include <weft/io/output_file.hpp>

namespace weft::cli {

namespace {

constexpr std::size_t faults_shown = 20;

motif_syntax syntax_of(const arguments& given) {
  motif_syntax syntax;
  const std::string name = given.value("alphabet");
  syntax.alphabet = name == "dna" ? alphabet::dna : name == "bytes" ? alphabet::bytes : alphabet::protein;
  syntax.greedy = !given.has("no-greedy");
  syntax.unknown_in_sets =
      !given.has("max-x") || given.number("max-x", -1) != 0; // as ps_scan: -x 0 asked for, X is in no set
  return syntax;
}

scan_options options_of(const arguments& given) {
  scan_options options;
  const std::string rule = given.value("matches"), strands = given.value("strand");
  options.rule = rule == "starts" ? match_rule::starts
                 : rule == "ends" ? match_rule::ends
                                  : match_rule::ps_scan;
  options.overlap = !given.has("no-overlap");
  options.included = given.has("included");
  if (given.has("max-x")) options.max_x = static_cast<int>(given.number("max-x", -1));
  const bool dna = given.value("alphabet") == "dna";
  if (!dna && !strands.empty() && strands != "+")
    throw error(errc::invalid_input, "--strand is for --alphabet dna");
  options.strands = strands == "+" || !dna ? strand_choice::forward
                    : strands == "-"       ? strand_choice::reverse
                                           : strand_choice::both;
  options.engine = given.value("engine");
  options.threads = static_cast<int>(given.number("threads", 0));
  options.monitor = &monitor();
  return options;
}

// The records given with -e, or those of the file that is the first input, which is taken off `inputs`.
io::motif_file motif_records(const arguments& given, std::vector<std::string>& inputs) {
  if (!given.has("pattern")) {
    if (inputs.empty())
      throw error(errc::invalid_input,
                  "weft scan needs motifs (a file, or -e PATTERN) and sequences; 'weft help scan' explains");
    io::motif_file file = io::read_motifs(inputs.front());
    inputs.erase(inputs.begin());
    return file;
  }
  io::motif_file file{"-e", {}, 0, 0};
  for (const std::string& pattern : given.values("pattern")) {
    io::motif_record record;
    record.name = record.pattern = pattern;
    file.records.push_back(record);
  }
  return file;
}

// One bad pattern: where, what was expected, the pattern, and a caret under the place.
std::string describe(const io::motif_file& file, const io::motif_record& record, const motif_fault& fault) {
  std::string where = file.name;
  if (!record.places.empty()) {
    const bool past = fault.column > record.places.size(); // behind the last character
    const io::motif_record::place at = past ? record.places.back() : record.places[fault.column - 1];
    where = fmt::format("{}:{}:{}", file.name, at.line, at.column + (past ? 1 : 0));
  }
  const std::string& label = record.accession.empty() ? record.name : record.accession;
  return fmt::format("{}: {}: expected {}\n  {}\n  {:>{}}\n", where, label, fault.expected, record.pattern,
                     "^", fault.column);
}

std::vector<motif> parse_motifs(const io::motif_file& file, const motif_syntax& syntax) {
  std::vector<motif> motifs;
  std::string faults;
  std::size_t bad = 0;
  for (const io::motif_record& record : file.records) {
    motif next;
    motif_fault fault;
    if (!parse_motif(record.pattern, syntax, next, fault)) {
      if (++bad <= faults_shown) faults += describe(file, record, fault);
      continue;
    }
    next.name = record.name;
    next.accession = record.accession;
    next.description = record.description;
    next.skip_flag = record.skip_flag;
    motifs.push_back(std::move(next));
  }
  if (bad > 0)
    throw error(errc::invalid_input,
                fmt::format("{}{}{} bad pattern{}, {} good", faults,
                            bad > faults_shown ? fmt::format("and {} more\n", bad - faults_shown) : "", bad,
                            bad == 1 ? "" : "s", motifs.size()));
  return motifs;
}

struct totals {
  std::uint64_t sequences = 0, residues = 0, matches = 0;
  std::vector<std::uint64_t> by_motif;
};

struct chunk_result {
  io::sequence_chunk chunk;
  std::vector<scan_match> matches;
};

// Chunks of whole records out of several files, one after another.
class chunk_reader {
public:
  explicit chunk_reader(const std::vector<std::string>& files) : files_(files) {}
  bool read(io::sequence_chunk& chunk, std::uint64_t residues) {
    for (;;) {
      if (!reader_) {
        if (next_ == files_.size()) return false;
        reader_ = std::make_unique<io::sequence_reader>(io::open_bytes(files_[next_++]));
      }
      if (reader_->read(chunk, residues)) return true;
      reader_.reset();
    }
  }

private:
  const std::vector<std::string>& files_;
  std::size_t next_ = 0;
  std::unique_ptr<io::sequence_reader> reader_;
};

// Residues a chunk holds at least, but for the last. WEFT_CHUNK is for tests.
std::uint64_t chunk_size() {
  const char* asked = std::getenv("WEFT_CHUNK");
  return asked != nullptr ? std::strtoull(asked, nullptr, 10) : std::uint64_t{1} << 24;
}

// Reads, scans and writes at the same time, a chunk each; at most three chunks are in memory.
totals stream(const std::vector<std::string>& files, const motif_set& motifs, const scan_options& options,
              const std::string& format, bool only_count, io::output_file& out) {
  namespace tbb = oneapi::tbb;
  chunk_reader reader(files);
  match_writer writer(format, motifs);
  totals sum;
  sum.by_motif.resize(motifs.motifs().size());
  if (!only_count) out.write(writer.header());
  const std::uint64_t residues = chunk_size();
  const auto read = [&](tbb::flow_control& flow) -> std::shared_ptr<chunk_result> {
    auto result = std::make_shared<chunk_result>();
    if (!reader.read(result->chunk, residues)) flow.stop();
    return result;
  };
  const auto find = [&](std::shared_ptr<chunk_result> result) {
    result->matches = scan(motifs, {result->chunk.residues, result->chunk.offsets}, options);
    return result;
  };
  const auto write = [&](const std::shared_ptr<chunk_result>& result) {
    sum.sequences += result->chunk.count();
    sum.residues += result->chunk.residues.size();
    sum.matches += result->matches.size();
    for (const scan_match& match : result->matches) ++sum.by_motif[match.motif];
    writer.begin_chunk();
    std::string text;
    for (const scan_match& match : result->matches) {
      if (only_count) break;
      writer.append(text, result->chunk, match);
      if (text.size() < (std::size_t{1} << 16)) continue;
      out.write(text);
      text.clear();
    }
    out.write(text);
  };
  using result = std::shared_ptr<chunk_result>;
  tbb::task_arena arena(std::max(1, thread_count(options.threads)));
  arena.execute([&] {
    tbb::parallel_pipeline(3, tbb::make_filter<void, result>(tbb::filter_mode::serial_in_order, read) &
                                  tbb::make_filter<result, result>(tbb::filter_mode::serial_in_order, find) &
                                  tbb::make_filter<result, void>(tbb::filter_mode::serial_in_order, write));
  });
  return sum;
}

void write_counts(const motif_set& motifs, const totals& sum, io::output_file& out) {
  out.write("motif\tname\tmatches\n");
  for (std::size_t k = 0; k < motifs.motifs().size(); ++k)
    out.write(
        fmt::format("{}\t{}\t{}\n", label(motifs.motifs()[k]), motifs.motifs()[k].name, sum.by_motif[k]));
}

} // namespace

int run_scan(const arguments& given) {
  require_cpu(given);
  std::vector<std::string> inputs = given.inputs;
  if (std::count(inputs.begin(), inputs.end(), "-") > 1)
    throw error(errc::invalid_input, "standard input (-) can be read only once");
  const io::motif_file file = motif_records(given, inputs);
  if (inputs.empty())
    throw error(errc::invalid_input,
                "weft scan needs sequences: a FASTA or FASTQ file, or - for standard input");
  const motif_syntax syntax = syntax_of(given);
  const scan_options options = options_of(given);
  std::vector<motif> list = parse_motifs(file, syntax);
  if (given.has("skip-frequent")) std::erase_if(list, [](const motif& m) { return m.skip_flag; });
  if (file.matrix_entries + file.rule_entries > 0 && !given.has("quiet"))
    fmt::print(stderr, "weft: {}: {} profiles and {} rules are not patterns and were passed over\n",
               file.name, file.matrix_entries, file.rule_entries);
  const motif_set motifs(std::move(list), syntax);

  const bool only_count = given.value("matches") == "count";
  io::output_file out(given.value("output"));
  const stopwatch time;
  totals sum;
  {
    const progress_line progress(given, "weft scan", 1, "residues");
    sum = stream(inputs, motifs, options, given.value("format"), only_count, out);
  }
  if (only_count) write_counts(motifs, sum, out);
  out.commit();
  const double seconds = time.seconds(),
               cells = static_cast<double>(sum.residues) * static_cast<double>(motifs.motifs().size());
  closing_line(given, seconds,
               fmt::format("{} matches of {} motifs in {} sequences, {}residues/s, {}pattern-characters/s",
                           sum.matches, motifs.motifs().size(), sum.sequences,
                           with_prefix(static_cast<double>(sum.residues) / seconds),
                           with_prefix(cells / seconds)));
  return sum.matches == 0 && given.has("fail-if-none") ? 1 : 0;
}

} // namespace weft::cli
