// The cases whose instructions count.sh counts: fixed inputs, one thread of the CPU, each result checked.
//
//   instruction_cases --list   their names
//   instruction_cases NAME     runs one; prints what the count depends on: compiler and vector instructions
//   instruction_cases nothing  runs none, for what a program takes to begin and to end
#include <algorithm>
#include <cli/program.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <unistd.h>
#include <vector>
#include <weft/files/formats/lcs_formats.hpp>
#include <weft/files/lines/sort_files.hpp>
#include <weft/files/lines/token_text.hpp>
#include <weft/io/output_file.hpp>
#include <weft/lcs/lcs.hpp>
#include <weft/scan/scan.hpp>
#include <weft/sort/sort.hpp>

#include "bwt_cases.hpp"
#include "inputs.hpp"

namespace {

using namespace weft::test;

template <class T> bool sorts(std::size_t n) {
  std::vector<T> items = numbers<T>(n);
  weft::sort(items, {}, on_one_thread<weft::sort_options>());
  return std::is_sorted(items.begin(), items.end());
}

bool sorts_by_comparator() {
  struct record {
    std::uint32_t key, number;
  };
  std::vector<record> items;
  for (const std::uint32_t key : numbers<std::uint32_t>(1 << 17))
    items.push_back({key % 10'000, static_cast<std::uint32_t>(items.size())});
  const auto by_key = [](const record& a, const record& b) { return a.key < b.key; };
  weft::stable_sort(items, by_key, on_one_thread<weft::sort_options>());
  return std::is_sorted(items.begin(), items.end(), [](const record& a, const record& b) {
    return a.key != b.key ? a.key < b.key : a.number < b.number;
  });
}

bool sorts_short_arrays() {
  constexpr std::size_t size = 48;
  std::vector<std::uint64_t> items = numbers<std::uint64_t>(4000 * size);
  bool sorted = true;
  for (std::size_t at = 0; at < items.size(); at += size) {
    const std::span<std::uint64_t> part(items.data() + at, size);
    weft::sort(part, {}, on_one_thread<weft::sort_options>());
    sorted = sorted && std::is_sorted(part.begin(), part.end());
  }
  return sorted;
}

// Sorts records of 16 bytes that do not fit in a cache, and therefore are distributed to buckets.
bool sorts_large_records() {
  struct record {
    std::uint64_t key, number;
  };
  std::vector<record> items;
  for (const std::uint64_t key : numbers<std::uint64_t>(1 << 17)) items.push_back({key, items.size()});
  const auto by_key = [](const record& a, const record& b) { return a.key < b.key; };
  weft::stable_sort(items, by_key, on_one_thread<weft::sort_options>());
  return std::is_sorted(items.begin(), items.end(), by_key);
}

// Runs the command on one CPU thread. Returns whether it succeeds.
bool runs_command(std::vector<std::string> words) {
  words.insert(words.end(), {"--threads", "1", "--device", "cpu"});
  std::vector<char*> list;
  for (std::string& word : words) list.push_back(word.data());
  return weft::cli::run(static_cast<int>(list.size()), list.data()) == 0;
}

// Runs weft find from file to file, with `count` patterns of `size` bases. Returns whether every pattern is
// found and the output has the expected lines.
bool finds_from_file_to_file(std::size_t count, std::size_t size, bool only_counts) {
  const scratch_folder folder;
  const std::string text = bases(1 << 16);
  std::ofstream(folder / "ref.fa") << ">r\n" << text << '\n';
  {
    std::mt19937_64 random(5);
    std::ofstream patterns(folder / "patterns.fa");
    for (std::size_t p = 0; p < count; ++p)
      patterns << ">p" << p << '\n'
               << std::string_view(text).substr(random() % (text.size() - size), size) << '\n';
  }
  std::vector<std::string> find = {"weft", "find",        folder / "ref.wfi", folder / "patterns.fa",
                                   "-o",   folder / "out"};
  if (only_counts) find.emplace_back("--count");
  if (!runs_command({"weft", "index", folder / "ref.fa", "-o", folder / "ref.wfi"}) || !runs_command(find))
    return false;
  std::ifstream out(folder / "out");
  std::size_t lines = 0;
  for (std::string line; std::getline(out, line); ++lines)
    if (line.ends_with("\t0")) return false;
  return only_counts ? lines == count + 1 : lines > count;
}

// Returns whether the cost of the path equals the value that the engine computes without a path.
bool measures(weft::lcs_metric metric, const char* engine, const std::string& a, const std::string& b) {
  auto options = on_one_thread<weft::lcs_options>();
  options.metric = metric;
  options.run.engine = engine;
  const weft::edit_script path = weft::lcs(a, b, options);
  return metric == weft::lcs_metric::edit
             ? weft::edit_distance(a, b, options) == path.substitutions + path.insertions + path.deletions
             : weft::lcs_length(a, b, options) == path.matches;
}

// Returns whether the penalty of the path equals the one that the engine computes without a path.
bool aligns(const char* engine, const std::string& a, const std::string& b) {
  auto options = on_one_thread<weft::lcs_options>();
  options.metric = weft::lcs_metric::affine;
  options.run.engine = engine;
  const weft::edit_script path = weft::lcs(a, b, options);
  std::uint64_t penalty = options.penalties.mismatch * path.substitutions +
                          options.penalties.gap_extend * (path.insertions + path.deletions);
  for (const weft::edit_run& run : path.runs)
    if (run.op == weft::edit_op::insert || run.op == weft::edit_op::remove)
      penalty += options.penalties.gap_open;
  return weft::lcs_value(a, b, options) == penalty;
}

// Returns random lines of a few words. Some lines occur often.
std::vector<std::string> lines(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::string> made(n);
  for (std::string& line : made)
    line = random() % 10 == 0 ? "}" : "the line number " + std::to_string(random() % 1'000'000'000);
  return made;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) (text += line) += '\n';
  return text;
}

// Compares two texts line by line with an engine and writes a unified diff, as weft lcs --by line --format
// unified does. Returns whether they differ.
bool differs_by(const std::string& a, const std::string& b, const char* engine) {
  using namespace weft::files;
  const token_rules rules{.newline_counts = true};
  token_numbers table(rules, 0);
  const auto x = table.number_a(a, count_tokens(a, rules.kind)),
             y = table.number_b(b, count_tokens(b, rules.kind));
  auto options = on_one_thread<weft::lcs_options>();
  weft::run_info used;
  options.run.info = &used;
  const weft::edit_script path = weft::lcs(x, y, options);
  weft::io::output_file out("/dev/null");
  write_unified(out, {"a", a}, {"b", b}, path.runs, 3);
  out.commit();
  return used.engine == engine && path.matches + path.deletions == x.size() &&
         path.matches + path.insertions == y.size();
}

bool differs_by_changes() {
  std::vector<std::string> a = lines(100'000, 1), b = a, fresh = lines(2'000, 2);
  std::mt19937_64 random(3);
  for (const std::string& line : fresh) b[random() % b.size()] = line;
  for (int i = 0; i < 200; ++i) std::swap(b[random() % b.size()], b[random() % b.size()]);
  return differs_by(joined(a), joined(b), "furthest-reaching");
}

bool differs_by_order() {
  std::vector<std::string> a = lines(100'000, 1);
  std::erase(a, "}");
  std::vector<std::string> b = a;
  std::shuffle(b.begin(), b.end(), std::mt19937_64(4));
  return differs_by(joined(a), joined(b), "hunt-szymanski");
}

// Holds 300 patterns, and `n` residues in sequences of 512.
struct proteins {
  std::vector<std::string> patterns;
  std::string residues;
  std::vector<std::uint64_t> offsets;
};
proteins make_proteins(std::size_t n) {
  std::mt19937_64 random(4);
  const std::string letters = "ALGVESIKDTRPNFQYHMCW";
  proteins made;
  while (made.patterns.size() < 300) {
    std::string pattern;
    for (int k = 0; k < 8; ++k) {
      const std::string one(1, letters[random() % 20]), two(1, letters[random() % 20]);
      const std::uint64_t kind = random() % 4;
      pattern += (k > 0 ? "-" : "") + (kind == 0 ? "[" + one + two + "]" : kind == 1 ? "x(1,3)" : one);
    }
    made.patterns.push_back(pattern);
  }
  made.residues.resize(n);
  for (char& residue : made.residues) residue = letters[std::min(random() % 20, random() % 20)];
  for (std::uint64_t at = 0; at <= n; at += 512) made.offsets.push_back(at);
  return made;
}

bool scans(const char* engine, std::size_t n) {
  const proteins made = make_proteins(n);
  std::vector<weft::motif> motifs;
  for (const std::string& pattern : made.patterns) motifs.push_back(weft::parse_motif(pattern));
  const weft::motif_set set(std::move(motifs));
  auto options = on_one_thread<weft::scan_options>();
  options.run.engine = engine;
  const auto matches = weft::scan(set, {made.residues, made.offsets}, options);
  const std::vector<std::uint64_t> counts = weft::scan_count(set, {made.residues, made.offsets}, options);
  std::uint64_t sum = 0;
  for (const std::uint64_t count : counts) sum += count;
  return !matches.empty() && sum == matches.size();
}

// Runs weft scan from files to a file as the command does, without the start of a process.
bool scans_files(std::vector<std::string> flags) {
  const proteins made = make_proteins(1 << 19);
  const std::string folder =
      std::filesystem::temp_directory_path() / ("weft_cases_" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const std::string motifs = folder + "/motifs.txt", sequences = folder + "/p.fa", out = folder + "/out";
  std::ofstream list(motifs), fasta(sequences);
  for (const std::string& pattern : made.patterns) list << pattern << '\n';
  list << "A\n"; // a pattern with many matches
  for (std::size_t s = 0; s + 1 < made.offsets.size(); ++s)
    fasta << ">sequence" << s << '\n' << made.residues.substr(made.offsets[s], 512) << '\n';
  list.close();
  fasta.close();
  std::vector<std::string> words = {"weft", "scan", "-q",      "-t", "1", "--device",
                                    "cpu",  motifs, sequences, "-o", out};
  words.insert(words.end(), flags.begin(), flags.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  const int code = weft::cli::run(static_cast<int>(arguments.size()), arguments.data());
  const bool written = std::filesystem::exists(out) && std::filesystem::file_size(out) > 4000;
  std::filesystem::remove_all(folder);
  return code == 0 && written;
}

// Sorts a file of lines in an eighth of the memory that it takes.
bool sorts_lines_in_runs() {
  const scratch_folder folder;
  std::string text = words(4 << 20);
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == ' ' && i % 5 == 0) text[i] = '\n';
  text.back() = '\n';
  std::ofstream(folder / "lines", std::ios::binary) << text;
  weft::files::sort_input_options files;
  files.paths = {folder / "lines"};
  weft::files::sort_settings settings{
      weft::line_order({}), {.memory = 1 << 20}, 1 << 20, on_one_thread<weft::sort_options>(), {""}, "", 16};
  std::string sorted;
  (void)weft::files::sort_files(weft::files::sort_inputs(files), settings,
                                [&](std::string_view lines) { sorted += lines; });
  return sorted.size() == text.size() && sorted < text;
}

struct instruction_case {
  const char* name;
  bool (*run)(); // returns whether the answer is right
};

const instruction_case cases[] = {
    {"sort/u64", [] { return sorts<std::uint64_t>(1 << 18); }},
    {"sort/u32", [] { return sorts<std::uint32_t>(1 << 18); }},
    {"sort/i16", [] { return sorts<std::int16_t>(1 << 18); }},
    {"sort/short-arrays", [] { return sorts_short_arrays(); }},
    {"sort/records-by-comparator", [] { return sorts_by_comparator(); }},
    {"sort/records-in-buckets", [] { return sorts_large_records(); }},
    {"sort/lines-in-runs", [] { return sorts_lines_in_runs(); }},
    {"bwt/dna", [] { return transforms(bases(1 << 18), weft::bwt_form::sentinel); }},
    {"bwt/words", [] { return transforms(words(1 << 18), weft::bwt_form::sentinel); }},
    {"bwt/words-rotation", [] { return transforms(words(1 << 18), weft::bwt_form::rotation); }},
    {"bwt/copies", [] { return sorts_suffixes(changed_copies(bases(1 << 14), 16, 1000)); }},
    {"bwt/periods", [] { return sorts_suffixes(changed_copies("ACA", 1 << 16, 5000)); }},
    {"bwt/symbols", [] { return sorts_suffixes_of_symbols(words(1 << 18)); }},
    {"bwt/ranges", [] { return transforms_by_ranges(bases(1 << 18)); }},
    {"bwt/reads", [] { return transforms_reads(); }},
    {"bwt/lcp-array", [] { return makes_lcp_arrays(); }},
    {"bwt/index", [] { return finds_patterns(); }},
    {"find/counts-to-file", [] { return finds_from_file_to_file(20'000, 150, true); }},
    {"find/rows-to-file", [] { return finds_from_file_to_file(2000, 5, false); }},
    {"lcs/affine-table", [] { return aligns("affine-table", bases(8000), bases(9000, 2)); }},
    {"lcs/affine-wavefront",
     [] { return aligns("affine-wavefront", bases(1 << 17), changed(bases(1 << 17), 800)); }},
    {"lcs/bit-parallel",
     [] { return measures(weft::lcs_metric::lcs, "bit-parallel", bases(8000), bases(9000, 2)); }},
    {"lcs/bit-sliced",
     [] { return measures(weft::lcs_metric::lcs, "bit-sliced", bases(8000), bases(9000, 2)); }},
    {"lcs/bit-sliced-edit",
     [] { return measures(weft::lcs_metric::edit, "bit-sliced", bases(8000), bases(9000, 2)); }},
    {"lcs/furthest-reaching",
     [] {
       return measures(weft::lcs_metric::lcs, "furthest-reaching", bases(1 << 17),
                       changed(bases(1 << 17), 100));
     }},
    {"lcs/lines-changed", [] { return differs_by_changes(); }},
    {"lcs/lines-shuffled", [] { return differs_by_order(); }},
    {"scan/shift-and", [] { return scans("shift-and", 1 << 14); }},
    {"scan/bit-stream", [] { return scans("bit-stream", 1 << 17); }},
    {"scan/file-to-counts",
     [] {
       return scans_files({"--matches", "count"});
     }},
    {"scan/file-to-rows", [] { return scans_files({}); }},
    {"scan/file-to-gff3",
     [] {
       return scans_files({"--format", "gff3"});
     }},
    {"scan/file-to-jsonl",
     [] {
       return scans_files({"--format", "jsonl"});
     }},
};

} // namespace

int main(int count, char** arguments) {
  const std::string name = count == 2 ? arguments[1] : "--list";
  if (name == "--list") {
    for (const instruction_case& each : cases) std::puts(each.name);
    return 0;
  }
  std::printf("%s, %s\n", __VERSION__,
              __builtin_cpu_supports("avx512f") ? "AVX-512"
              : __builtin_cpu_supports("avx2")  ? "AVX2"
                                                : "SSE");
  if (name == "nothing") return 0;
  const auto* const found =
      std::find_if(std::begin(cases), std::end(cases), [&](const auto& each) { return name == each.name; });
  if (found == std::end(cases)) {
    std::fprintf(stderr, "no case %s\n", name.c_str());
    return 2;
  }
  if (found->run()) return 0;
  std::fprintf(stderr, "%s: wrong answer\n", found->name);
  return 1;
}
