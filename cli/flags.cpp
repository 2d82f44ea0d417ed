#include <cli/flags.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/lcs/lcs.hpp>

namespace weft::cli {

namespace {

constexpr std::array verb_table = {
    verb{"scan", "MOTIFS SEQUENCES...", "find every match of PROSITE motifs in sequences",
         "MOTIFS is a PROSITE flat file (prosite.dat), or a text file of one pattern a line (pattern, or "
         "name, tab, pattern); patterns given with -e take "
         "its place. SEQUENCES are FASTA or FASTQ files; - is standard input. gzip, bzip2, zstd and xz are "
         "recognised by their first bytes.\n\n"
         "By default the matches are those of ps_scan.pl 1.90: at each start the first alternative of greedy "
         "backtracking, and none that ends no later than "
         "the one before. Text is compared case-blind, positions count every residue, and symbols other than "
         "letters match x alone. Positions are 1-based and "
         "inclusive, but for bed.",
         0, -1},
    verb{"lcs", "A B", "longest common subsequence, indel or edit distance of two sequences",
         "A and B are FASTA or FASTQ files, whose records are joined (or chosen with --a-record and "
         "--b-record) and compared case-blind; with --raw or --by byte "
         "any files, byte by byte; with --by line text files, line by line.\n\n"
         "Without --format a record is printed: lengths, length of the LCS, identity (LCS / longer length), "
         "distances. With it, the path: of all optimal paths "
         "the leftmost, the same on every engine and machine. In ops and paf, = takes a symbol of both, D "
         "one of A, I one of B, X (with --metric edit) "
         "substitutes one.",
         0, 2},
    verb{"devices", "", "list processors and GPUs, and with --engines what can run on them",
         "Each capability lists its engines, and why one is not available here.", 0, 0},
    verb{"help", "[VERB]", "explain weft or one of its verbs", "", 0, 1},
    verb{"man", "", "print the man page, as roff", "", 0, 0},
    verb{"completion", "bash|zsh|fish", "print the completions of a shell", "", 1, 1},
};

constexpr std::string_view work = "scan lcs";

constexpr std::array flag_table = {
    flag{"pattern", 'e', "PATTERN", "", "",
         "a pattern, in place of the file MOTIFS; may be repeated; called USER001, USER002, ... as by "
         "ps_scan -p",
         "scan", "", true},
    flag{"alphabet", '\0', "NAME", "protein", "protein|dna|bytes",
         "what letters mean: amino acids, IUPAC nucleotide codes, or exact bytes", "scan", ""},
    flag{"strand", '\0', "WHICH", "", "both|+|-", "strands to search, with --alphabet dna (default: both)",
         "scan", ""},
    flag{"matches", '\0', "RULE", "ps-scan", "ps-scan|starts|ends|count",
         "what is a match: as ps_scan.pl reports, every start, every end, or only the count of each motif",
         "scan", ""},
    flag{"no-greedy", 'g', "", "", "", "try few repeats first (ps_scan -g)", "scan", ""},
    flag{"no-overlap", 'v', "", "", "",
         "the next match starts after the end of this one (ps_scan -v; in scan, -v is not --verbose)", "scan",
         ""},
    flag{"included", 'i', "", "", "", "also matches that end no later than the one before (ps_scan -i)",
         "scan", ""},
    flag{"max-x", 'x', "N", "", "",
         "X of the text that letters and sets may accept in a match; -1: any number (ps_scan -x; default: 0)",
         "scan", ""},
    flag{"skip-frequent", 's', "", "", "", "leave out motifs marked as frequent (ps_scan -s)", "scan", ""},
    flag{"fail-if-none", '\0', "", "", "", "exit with 1 if nothing matches", "scan", ""},
    flag{"format", '\0', "NAME", "tsv", "tsv|pff|scan|fasta|gff3|bed|jsonl",
         "output format; pff, scan and fasta are ps_scan.pl's", "scan", ""},
    flag{"format", '\0', "NAME", "", "lcs|ops|paf|jsonl",
         "print the path: the subsequence as FASTA, run-length operations, PAF with cg:Z:, or JSON", "lcs",
         ""},
    flag{"length", '\0', "", "", "", "print one number: the LCS length, or the distance that --metric names",
         "lcs", ""},
    flag{"metric", '\0', "NAME", "lcs", "lcs|indel|edit",
         "what is optimal: most matches, fewest insertions and deletions, or fewest edits (Levenshtein)",
         "lcs", ""},
    flag{"by", '\0', "UNIT", "residue", "line|byte|residue", "what a symbol is", "lcs", ""},
    flag{"raw", '\0', "", "", "", "the files are bytes, not FASTA: the same as --by byte", "lcs", ""},
    flag{"a-record", '\0', "NAME", "", "", "the record of A to compare", "lcs", ""},
    flag{"b-record", '\0', "NAME", "", "", "the record of B to compare", "lcs", ""},
    flag{"all-pairs", '\0', "FILE", "", "",
         "instead of A and B: the lower triangle over all pairs of records of FILE, as TSV", "lcs", ""},
    flag{"json", '\0', "", "", "", "print the record as JSON", "lcs devices", ""},
    flag{"engines", '\0', "", "", "", "list the engines of each capability", "devices", ""},
    flag{"output", 'o', "FILE", "-", "", "write to FILE, which appears whole or not at all", work, ""},
    flag{"device", '\0', "NAME", "auto", "", "auto, cpu, gpu or gpu:N; gpu without one is an error", work,
         "WEFT_DEVICE"},
    flag{"engine", '\0', "NAME", "auto", "", "force an engine (see weft devices --engines)", work, ""},
    flag{"threads", 't', "N", "0", "", "threads; 0: all processors", work, "WEFT_THREADS"},
    flag{"memory", '\0', "SIZE", "", "",
         "host memory to use at most for tables and chunks, such as 4G (default: 80 % of what is free)", work,
         ""},
    flag{"device-memory", '\0', "SIZE", "", "", "memory of the GPU to use at most", work, ""},
    flag{"progress", '\0', "WHEN", "auto", "auto|always|never",
         "progress on standard error; auto: on a terminal, after two seconds", work, ""},
    flag{"verbose", '\0', "", "", "",
         "end with a line on standard error: time, throughput, engine, device, peak memory", "scan", ""},
    flag{"verbose", 'v', "", "", "",
         "end with a line on standard error: time, throughput, engine, device, peak memory", "lcs", ""},
    flag{"quiet", 'q', "", "", "", "no warnings and no progress", work, ""},
    flag{"help", 'h', "", "", "", "print this help", "*", ""},
};

bool applies(const flag& known, std::string_view verb_name) {
  if (known.verbs == "*") return true;
  for (std::size_t at = 0; at < known.verbs.size();) {
    const std::size_t end = std::min(known.verbs.find(' ', at), known.verbs.size());
    if (known.verbs.substr(at, end - at) == verb_name) return true;
    at = end + 1;
  }
  return false;
}

[[noreturn]] void bad_usage(const verb& of, const std::string& message) {
  throw error(errc::invalid_input,
              fmt::format("{}\nusage: weft {} [flags] {}\n'weft help {}' lists the flags", message, of.name,
                          of.arguments, of.name));
}

void check_choice(const verb& of, const flag& known, const std::string& value) {
  if (known.choices.empty()) return;
  const std::string all = fmt::format("|{}|", known.choices);
  if (value.find('|') == std::string::npos && all.find("|" + value + "|") != std::string::npos) return;
  bad_usage(of, fmt::format("--{} is one of {}, not '{}'", known.name, known.choices, value));
}

[[noreturn]] void unknown_flag(const verb& of, const std::string& word) {
  std::vector<std::string> names;
  for (const flag* known : flags_of(of.name)) names.push_back("--" + std::string(known->name));
  const std::string guess = nearest(word.substr(0, word.find('=')), names);
  bad_usage(of, fmt::format("weft {} has no flag '{}'{}", of.name, word,
                            guess.empty() ? "" : "; did you mean " + guess + "?"));
}

} // namespace

std::span<const verb> verbs() { return verb_table; }
std::span<const flag> flags() { return flag_table; }

const verb* find_verb(std::string_view name) {
  const auto found = std::find_if(verb_table.begin(), verb_table.end(),
                                  [&](const verb& known) { return known.name == name; });
  return found == verb_table.end() ? nullptr : &*found;
}

std::vector<const flag*> flags_of(std::string_view verb_name) {
  std::vector<const flag*> result;
  for (const flag& known : flag_table)
    if (applies(known, verb_name)) result.push_back(&known);
  return result;
}

std::string nearest(std::string_view word, const std::vector<std::string>& names) {
  std::string best;
  std::uint64_t least = std::max<std::uint64_t>(2, word.size() / 3) + 1;
  for (const std::string& name : names)
    if (const std::uint64_t distance = lcs_value(word, name, {.metric = lcs_metric::edit, .threads = 1});
        distance < least) {
      least = distance;
      best = name;
    }
  return best;
}

arguments parse(const verb& of, const std::vector<std::string>& words) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras(false);
  arguments result;
  result.of = &of;
  std::map<std::string_view, std::vector<std::string>> values;
  std::map<std::string_view, CLI::Option*> options;
  for (const flag* known : flags_of(of.name)) {
    std::string names = "--" + std::string(known->name);
    if (known->letter != '\0') names += std::string(",-") + known->letter;
    CLI::Option* option =
        known->argument.empty()
            ? app.add_flag(names)
            : app.add_option(names, values[known->name])->expected(1)->allow_extra_args(false);
    option->multi_option_policy(known->repeats ? CLI::MultiOptionPolicy::TakeAll
                                               : CLI::MultiOptionPolicy::TakeLast);
    options[known->name] = option;
  }
  app.add_option("inputs", result.inputs);
  std::vector<std::string> reversed(words.rbegin(), words.rend()); // as CLI11 takes them
  try {
    app.parse(reversed);
  } catch (const CLI::ExtrasError&) {
    for (const std::string& word : app.remaining())
      if (word.size() > 1 && word[0] == '-') unknown_flag(of, word);
    bad_usage(of, fmt::format("weft {} takes no argument '{}'", of.name,
                              app.remaining().empty() ? "" : app.remaining().front()));
  } catch (const CLI::ParseError& failure) {
    bad_usage(of, fmt::format("weft {}: {}", of.name, failure.what()));
  }
  for (const flag* known : flags_of(of.name)) {
    if (options[known->name]->count() > 0)
      result.given[known->name] = values[known->name];
    else if (const char* variable =
                 known->environment.empty() ? nullptr : std::getenv(std::string(known->environment).c_str());
             variable != nullptr && *variable != '\0')
      result.given[known->name] = {variable};
    if (result.has(known->name))
      for (const std::string& value : result.given[known->name]) check_choice(of, *known, value);
  }
  if (!result.has("help") &&
      (static_cast<int>(result.inputs.size()) < of.least_arguments ||
       (of.most_arguments >= 0 && static_cast<int>(result.inputs.size()) > of.most_arguments)))
    bad_usage(of, fmt::format("weft {}: wrong number of arguments ({})", of.name, result.inputs.size()));
  return result;
}

std::string arguments::value(std::string_view flag_name) const {
  if (const auto found = given.find(flag_name); found != given.end() && !found->second.empty())
    return found->second.back();
  for (const flag* known : flags_of(of->name))
    if (known->name == flag_name) return std::string(known->fallback);
  return {};
}

std::vector<std::string> arguments::values(std::string_view flag_name) const {
  const auto found = given.find(flag_name);
  return found == given.end() ? std::vector<std::string>() : found->second;
}

std::int64_t arguments::number(std::string_view flag_name, std::int64_t least) const {
  const std::string text = value(flag_name);
  std::int64_t number = 0;
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc() || rest != text.data() + text.size() || number < least || number > 1'000'000'000)
    throw error(errc::invalid_input,
                fmt::format("--{} is a whole number of at least {}, not '{}'", flag_name, least, text));
  return number;
}

std::uint64_t arguments::size(std::string_view flag_name) const {
  return has(flag_name) ? parse_size(value(flag_name)) : 0;
}

} // namespace weft::cli
