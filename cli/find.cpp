// The command `weft find`.
#include <algorithm>
#include <cli/program.hpp>
#include <cli/ranks.hpp>
#include <cli/task.hpp>
#include <exception>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <weft/base/device.hpp>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/bwt/fm_index.hpp>
#include <weft/files/find/index_files.hpp>
#include <weft/files/find/pattern_search.hpp>
#include <weft/files/find/patterns.hpp>
#include <weft/files/formats/find_formats.hpp>
#include <weft/files/ranks/rank_output.hpp>
#include <weft/files/ranks/rank_patterns.hpp>
#include <weft/files/ranks/rank_records.hpp>
#include <weft/files/ranks/split_index.hpp>
#include <weft/io/pattern_reader.hpp>

namespace weft::cli {

namespace {

using files::find_options;
using files::find_totals;
using files::hit_format;
using files::pattern_source;

// Returns the options of a search with differences, if it is asked for.
std::optional<near_options> near_options_of(const arguments& given) {
  const auto refuse = [](const std::string& message) { throw error(errc::invalid_input, message); };
  const bool errors = given.has("errors");
  if (errors && given.has("mismatches"))
    refuse("--errors counts mismatches too: it cannot be combined with --mismatches");
  if (!errors && given.has("all-ends")) refuse("--all-ends needs --errors");
  if (!errors && !given.has("mismatches")) {
    for (const char* flag : {"iupac", "best", "exact-prefix", "exact-suffix"})
      if (given.has(flag)) refuse(fmt::format("--{} needs --mismatches or --errors (which may be 0)", flag));
    return {};
  }
  const char* const metric = errors ? "errors" : "mismatches";
  near_options near;
  near.metric = errors ? near_metric::errors : near_metric::mismatches;
  near.max_distance = static_cast<std::uint32_t>(given.number(metric, 0));
  if (near.max_distance > max_near_distance)
    refuse(fmt::format("--{} must be at most {}", metric, max_near_distance));
  near.iupac = given.has("iupac");
  near.all_ends = given.has("all-ends");
  near.best = given.has("best");
  if (given.has("exact-prefix"))
    near.exact_prefix = parse_count(given.value("exact-prefix"), "--exact-prefix");
  if (given.has("exact-suffix"))
    near.exact_suffix = parse_count(given.value("exact-suffix"), "--exact-suffix");
  if (near.best && given.has("count"))
    refuse("--count counts the occurrences of every distance: it cannot be combined with --best");
  return near;
}

// Checks the flags that can be checked before any file is read, and returns the options.
find_options options_of(const arguments& given) {
  if (given.has("pattern") ? given.inputs.size() != 1 : given.inputs.size() != 2)
    throw error(errc::invalid_input,
                "weft find needs an index and a file of patterns (or an index and -e PATTERN)");
  if (given.has("split-index") && std::count(given.inputs.begin(), given.inputs.end(), "-") > 1)
    throw error(errc::invalid_input, "standard input (-) can be read only once");
  require_engine(given, "batch");
  find_options options;
  set_common_options(given, options.search);
  require_device(options.search.run.device);
  options.near = near_options_of(given);
  if (options.near && given.has("split-index") && options.search.run.device.kind == device_kind::gpu)
    throw unavailable_error("weft find --mismatches and --errors with --split-index run on the CPU only");
  options.memory = given.size("memory");
  options.both_strands = given.has("both-strands");
  options.circular = given.has("circular");
  options.count = given.has("count");
  options.strict = given.has("strict");
  options.format = files::parse_hit_format(given.has("bed") ? "bed" : given.value("format"));
  if (given.has("bed") && given.has("format") && given.value("format") != "bed")
    throw error(errc::invalid_input, "--bed means --format bed: it cannot be combined with another "
                                     "--format");
  if (given.has("max-hits")) options.search.max_hits = parse_count(given.value("max-hits"), "--max-hits");
  if (options.count && options.format != hit_format::tsv && options.format != hit_format::jsonl)
    throw error(errc::invalid_input, "--count needs --format tsv or jsonl, because the other formats "
                                     "list occurrences");
  if (options.count && given.has("max-hits"))
    throw error(errc::invalid_input, "--count counts all occurrences: it cannot be combined with "
                                     "--max-hits");
  return options;
}

std::unique_ptr<pattern_source> open_patterns(const arguments& given, const find_options& options,
                                              fm_alphabet alphabet) {
  if (!given.has("pattern"))
    return std::make_unique<pattern_source>(io::pattern_reader(
        io::open_bytes(given.inputs[1], true, memory_limit(options.memory)),
        {.letters = alphabet != fm_alphabet::bytes, .max_bytes = files::max_pattern_bytes(options)}));
  for (const std::string& word : given.values("pattern")) {
    if (options.near)
      for (const std::string& why : {files::why_not_dna(word), files::why_too_short(word, *options.near)})
        if (!why.empty()) throw error(errc::invalid_input, fmt::format("-e '{}': {}", word, why));
    if (const std::string why =
            options.near ? files::why_impossible(word, *options.near) : files::why_impossible(alphabet, word);
        !why.empty())
      throw error(errc::invalid_input, fmt::format("-e '{}': the pattern can never match: {}", word, why));
  }
  return std::make_unique<pattern_source>(given.values("pattern"));
}

// Returns the patterns of this rank.
std::unique_ptr<pattern_source> open_share(const arguments& given, const find_options& options,
                                           fm_alphabet alphabet) {
  if (ranks().size() == 1) return open_patterns(given, options, alphabet);
  std::unique_ptr<pattern_source> all;
  multi::run_together(ranks(), [&] {
    if (is_first_rank()) all = open_patterns(given, options, alphabet);
  });
  return std::make_unique<files::rank_patterns>(ranks(), std::move(all));
}

// Returns the notes on the result that go to standard error.
std::string remarks(const find_totals& found, const find_options& options, double seconds) {
  constexpr double long_seconds = 1; // from which on another index is worth a note
  std::string text;
  if (seconds > long_seconds && found.without_contexts > found.patterns / 2)
    text += "weft: short patterns such as these are found faster in an index that is built with weft index "
            "--bidirectional\n";
  if (found.patterns == 0) text += "weft: there are no patterns to search for\n";
  if (found.cut > 0)
    text += fmt::format("weft: patterns with more than {} occurrences, of which only the first ones are "
                        "listed: {}\n",
                        options.search.max_hits, found.cut);
  if (found.with_other_letters > 0)
    text +=
        fmt::format("weft: patterns with letters such as N, which match nothing without --iupac: {} of {}\n",
                    found.with_other_letters, found.patterns);
  if (found.impossible > 0)
    text += fmt::format(
        "weft: patterns that can never match: {} of {} (--strict makes this an error); the first: {}\n",
        found.impossible, found.patterns, found.first_impossible);
  return text;
}

// Searches the patterns in an index, and returns the exit code.
int search(const arguments& given, const find_options& options, files::searched_index& index,
           const stopwatch& time) {
  if (index.alphabet() != fm_alphabet::dna && (options.both_strands || options.circular))
    throw error(errc::invalid_input, fmt::format("--{} can be used only with an index of DNA",
                                                 options.both_strands ? "both-strands" : "circular"));
  if (index.alphabet() != fm_alphabet::dna && options.near)
    throw error(errc::invalid_input, "--mismatches and --errors can be used only with an index of DNA");
  files::rank_output out(ranks(), given.value("output"));
  find_totals found;
  {
    const progress_line progress(given, "weft find", 1, "patterns");
    const std::unique_ptr<pattern_source> patterns = open_share(given, options, index.alphabet());
    if (options.format == hit_format::sam && index.alphabet() != fm_alphabet::dna)
      throw error(errc::invalid_input, "--format sam can be used only with an index of DNA");
    found = files::sum_of_ranks(ranks(), files::find_patterns(index, *patterns, options, out));
  }
  out.commit();
  if (!given.has("quiet")) say(remarks(found, options, time.seconds()));
  closing_line(given, time.seconds(),
               with_prefix(static_cast<double>(found.patterns) / time.seconds()) + "patterns/s",
               options.near ? "near" : "batch", found.used.device);
  return found.occurrences == 0 && given.has("fail-if-none") ? 1 : 0;
}

// Searches an index that is split among the ranks and built in memory.
int search_split_index(const arguments& given, find_options options, const stopwatch& time) {
  const fm_index own =
      files::build_own_index(ranks(), given.inputs[0], index_options_of(given), options.memory);
  options.memory = memory_left(options.memory, own.bytes().size());
  files::split_index index(ranks(), own, options);
  try {
    if (!given.has("quiet") && is_first_rank()) say(index.notes());
    const int code = search(given, options, index, time);
    index.finish();
    return code;
  } catch (...) {
    index.fail(std::current_exception());
    throw;
  }
}

} // namespace

int run_find(const arguments& given) {
  const find_options options = options_of(given);
  const stopwatch time;
  if (given.has("split-index")) return search_split_index(given, options, time);
  files::whole_index index(files::open_index(given.inputs[0]), files::origin_bytes(options));
  return search(given, options, index, time);
}

} // namespace weft::cli
