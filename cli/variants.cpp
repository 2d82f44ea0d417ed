// The command `weft variants`.
#include <algorithm>
#include <array>
#include <cli/plot_files.hpp>
#include <cli/program.hpp>
#include <cli/task.hpp>
#include <cli/teams.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <initializer_list>
#include <string_view>
#include <vector>
#include <weft/base/byte_counts.hpp>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/files/formats/variant_formats.hpp>
#include <weft/files/genome_input.hpp>
#include <weft/files/plot/dot_plot.hpp>
#include <weft/io/output_file.hpp>
#include <weft/search/variants.hpp>

namespace weft::cli {

namespace {

constexpr std::int64_t min_shortest_match = 8, max_shortest_match = 31;

// Checks the flags that can be checked before any file is read, and returns the options.
comparison_options options_of(const arguments& given) {
  if (std::count(given.inputs.begin(), given.inputs.end(), "-") > 1)
    throw error(errc::invalid_input, "standard input (-) can be read only once");
  require_engine(given, "anchors");
  comparison_options options;
  set_common_options(given, options);
  if (given.from_environment.contains("device")) options.run.device = {};
  if (options.run.device.kind == device_kind::gpu)
    throw error(errc::invalid_input, "weft variants runs only on the CPU: use --device cpu or auto");
  const std::int64_t min_match = given.number("min-match", min_shortest_match);
  if (min_match > max_shortest_match)
    throw error(errc::invalid_input,
                fmt::format("--min-match must be at most {}, not {}", max_shortest_match, min_match));
  options.min_match = static_cast<std::uint64_t>(min_match);
  options.min_block = static_cast<std::uint64_t>(given.number("min-block", 1));
  options.penalties = penalties_of(given);
  if (given.has("sample")) {
    if (given.value("format") != "vcf")
      throw error(errc::invalid_input, "--sample can be used only with --format vcf");
    if (given.value("sample").empty()) throw error(errc::invalid_input, "--sample must not be empty");
  }
  return options;
}

// Returns the name of a file without its folder and without the extensions of sequences and of compression.
std::string sample_name(const std::string& path) {
  if (path == "-") return "stdin";
  std::filesystem::path name = std::filesystem::path(path).filename();
  const auto remove_one_of = [&name](std::initializer_list<std::string_view> extensions) {
    if (std::find(extensions.begin(), extensions.end(), name.extension()) != extensions.end())
      name.replace_extension();
  };
  remove_one_of({".gz", ".bgz", ".bz2", ".zst", ".xz"});
  remove_one_of({".fa", ".fasta", ".fas", ".fna", ".ffn", ".fsa", ".fq", ".fastq"});
  return name.empty() ? "sample" : name.string();
}

// Returns the sum of the letters of stretches.
std::uint64_t letters_of(const std::vector<genome_stretch>& stretches) {
  std::uint64_t sum = 0;
  for (const genome_stretch& each : stretches) sum += each.end - each.begin;
  return sum;
}

// Returns how many letters of a genome are no bases.
std::uint64_t other_letters_of(const files::reference_set& genome, int threads) {
  const std::array<std::uint64_t, 256> counts = count_bytes(genome.text, threads);
  std::uint64_t bases = 0;
  for (const char base : std::string_view("ACGTUacgtu")) bases += counts[static_cast<unsigned char>(base)];
  return genome.text.size() - bases;
}

// Returns what a comparison has found, in lines. Duplicated blocks do not count as aligned, because their
// letters of A are in another block.
std::string summary_of(const genome_comparison& found, const files::reference_set& a,
                       const files::reference_set& b, int threads) {
  std::array<std::uint64_t, 4> kinds{};
  std::uint64_t matches = 0, aligned = 0;
  for (const genome_block& block : found.blocks) {
    ++kinds[static_cast<std::size_t>(block.kind)];
    if (block.kind == block_kind::duplicated) continue;
    matches += block.path.matches;
    aligned += block.path.matches + block.path.substitutions;
  }
  std::array<std::uint64_t, 4> types{};
  for (const genome_variant& each : found.variants) {
    const std::string_view type = files::type_of(each);
    ++types[type == "snp" ? 0 : type == "ins" ? 1 : type == "del" ? 2 : 3];
  }
  std::string text = "weft: no letters are aligned\n";
  if (aligned > 0)
    text = fmt::format("weft: identity {:.4f} %: {} matches of {} letters that are aligned with a letter\n",
                       100 * static_cast<double>(matches) / static_cast<double>(aligned), matches, aligned);
  text += fmt::format("weft: variants: SNPs {}, insertions {}, deletions {}, replacements {}\n", types[0],
                      types[1], types[2], types[3]);
  text += fmt::format("weft: blocks: collinear {}, inverted {}, moved {}, duplicated {}\n", kinds[0],
                      kinds[1], kinds[2], kinds[3]);
  text += fmt::format("weft: letters in no block: {} of A (missing in B), {} of B (added)\n",
                      letters_of(found.missing), letters_of(found.added));
  if (const std::uint64_t of_a = other_letters_of(a, threads), of_b = other_letters_of(b, threads);
      of_a + of_b > 0)
    text += fmt::format(
        "weft: letters such as N, which match nothing and are in no variant: {} of A, {} of B\n", of_a, of_b);
  std::uint64_t unplaced = 0;
  for (std::size_t i = 0; i < found.placements.size(); ++i) {
    const genome_placement& placed = found.placements[i];
    unplaced += placed.is_placed ? 0 : 1;
    if (placed.origin > 0)
      text += fmt::format("weft: '{}' of B is circular and was compared from its letter {} on{}\n",
                          b.names[i], placed.origin + 1, placed.reverse ? ", on its reverse strand" : "");
    else if (placed.reverse)
      text += fmt::format("weft: '{}' of B was compared on its reverse strand\n", b.names[i]);
  }
  if (unplaced > 0) text += fmt::format("weft: records of B that have no match with A: {}\n", unplaced);
  return text;
}

// Returns the blocks of a comparison as a dot plot, with a colour for each kind.
files::dot_plot plot_of(const genome_comparison& found, const files::reference_set& a,
                        const files::reference_set& b) {
  files::dot_plot plot({{"collinear", files::dot_blue},
                        {"inverted", files::dot_vermilion},
                        {"moved", files::dot_green},
                        {"duplicated", files::dot_purple}});
  for (std::size_t i = 0; i + 1 < a.offsets.size(); ++i)
    plot.add_x_record(a.names[i], a.offsets[i + 1] - a.offsets[i]);
  for (std::size_t i = 0; i + 1 < b.offsets.size(); ++i)
    plot.add_y_record(b.names[i], b.offsets[i + 1] - b.offsets[i]);
  for (const genome_block& each : found.blocks)
    plot.add({.x_begin = a.offsets[each.a_record] + each.a_begin,
              .x_length = each.a_end - each.a_begin,
              .y_begin = b.offsets[each.b_record] + each.b_begin,
              .y_length = each.b_end - each.b_begin,
              .reverse = each.reverse,
              .group = static_cast<std::uint8_t>(each.kind)});
  return plot;
}

int compare_files(const arguments& given, search_detail::comparison_helpers* helpers) {
  comparison_options options = options_of(given);
  options.helpers = helpers;
  plot_files plots(given.values("plot"), files::dot_plot_kinds);
  const stopwatch time;
  const std::string &a_path = given.inputs[0], &b_path = given.inputs[1];
  const files::genome_pair genomes =
      files::read_genome_pair(a_path, b_path, given.size("memory"), given.threads());
  const files::reference_set &a = genomes.a.records, &b = genomes.b.records;
  if (genomes.b.removed_gaps > 0 && !given.has("quiet"))
    say(fmt::format("weft: note: {}: gaps of an alignment ('-' and '.') were removed ({} in all); positions "
                    "count only letters\n",
                    b_path, genomes.b.removed_gaps));
  options.run.memory = memory_left(given.size("memory"), genomes.size_in_memory());
  if (!plots.empty()) options.run.memory = memory_left(options.run.memory, files::dot_plot::max_bytes);
  io::output_file out(given.value("output"));
  genome_comparison found;
  {
    const progress_line progress(given, "weft variants", 1, "letters");
    found = compare_genomes(a, b, options);
  }
  const std::string sample = given.has("sample") ? given.value("sample") : sample_name(b_path);
  files::write_report(out, files::parse_variant_format(given.value("format")),
                      {.found = found, .a = a, .b = b, .reference = a_path, .sample = sample});
  if (!plots.empty()) {
    const files::dot_plot plot = plot_of(found, a, b);
    const std::string a_name = std::filesystem::path(a_path).filename().string(),
                      b_name = std::filesystem::path(b_path).filename().string();
    const files::dot_texts texts{
        fmt::format("{} x {}", a_name, b_name), a_name, b_name, "blocks", {"weft variants"}};
    plots.write([&](files::plot_kind kind) { return files::draw_dot_plot(kind, plot, texts); });
  }
  plots.commit_with(out);
  if (!given.has("quiet")) say(summary_of(found, a, b, given.threads()));
  const auto letters = static_cast<double>(a.text.size() + b.text.size());
  closing_line(given, time.seconds(), with_prefix(letters / time.seconds()) + "letters/s", "anchors");
  return 0;
}

} // namespace

int run_variants(const arguments& given) { return run_with_comparison_team(given, compare_files); }

} // namespace weft::cli
