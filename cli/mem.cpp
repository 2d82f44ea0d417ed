// The command `weft mem`.
#include <algorithm>
#include <cli/plot_files.hpp>
#include <cli/program.hpp>
#include <cli/ranks.hpp>
#include <cli/task.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include <weft/base/device.hpp>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/bwt/fm_index.hpp>
#include <weft/files/find/match_search.hpp>
#include <weft/files/plot/dot_plot.hpp>
#include <weft/files/ranks/rank_output.hpp>

namespace weft::cli {

namespace {

using files::match_search_options;
using files::match_totals;

match_kind parse_kind(const std::string& name) {
  return name == "mum"       ? match_kind::mum
         : name == "mum-ref" ? match_kind::mum_ref
         : name == "smem"    ? match_kind::smem
                             : match_kind::mem;
}

// Checks the flags that can be checked before any file is read, and returns the options.
match_search_options options_of(const arguments& given) {
  if (std::count(given.inputs.begin(), given.inputs.end(), "-") > 1)
    throw error(errc::invalid_input, "standard input (-) can be read only once");
  require_engine(given, "seeds");
  match_search_options options;
  set_common_options(given, options.match);
  options.match.kind = parse_kind(given.value("kind"));
  if (options.match.kind != match_kind::mem) {
    if (given.from_environment.contains("device")) options.match.run.device = {};
    if (options.match.run.device.kind == device_kind::gpu)
      throw error(errc::invalid_input,
                  fmt::format("weft mem --kind {} runs only on the CPU: use --device cpu or auto",
                              given.value("kind")));
  }
  require_device(options.match.run.device);
  options.match.min_length = static_cast<std::uint64_t>(given.number("min-length", 1));
  if (given.has("min-occ")) {
    options.match.min_occurrences = static_cast<std::uint64_t>(given.number("min-occ", 1));
    if (options.match.kind != match_kind::smem)
      throw error(errc::invalid_input, "--min-occ can be used only with --kind smem");
  }
  options.match.both_strands = given.has("both-strands");
  options.memory = given.size("memory");
  options.format = files::parse_match_format(given.value("format"));
  return options;
}

// Collects the matches of a search for a dot plot while they are found.
class match_plot {
public:
  explicit match_plot(const fm_index& index)
      : plot_({{"forward strand", files::dot_blue}, {"reverse strand", files::dot_vermilion}}) {
    for (std::uint64_t i = 0; i < index.num_records(); ++i) {
      x_begins_.push_back(plot_.x().length());
      plot_.add_x_record(index.name(i), index.length(i));
    }
  }

  // Lets the search call this object, which must live longer than the options.
  void observe(match_search_options& options) {
    options.on_queries = [this](const sequences_view& queries) {
      y_begins_.clear();
      for (std::uint64_t i = 0; i < queries.count(); ++i) {
        y_begins_.push_back(plot_.y().length());
        plot_.add_y_record(queries.name(i), queries.size(i));
      }
    };
    options.on_matches = [this](const fm_matches& part) {
      for (std::uint64_t i = 0; i < part.size(); ++i)
        plot_.add({.x_begin = x_begins_[part.record[i]] + part.begin[i],
                   .x_length = part.length[i],
                   .y_begin = y_begins_[part.query[i]] + part.query_begin[i],
                   .y_length = part.length[i],
                   .reverse = part.reverse[i] != 0,
                   .group = part.reverse[i]});
    };
  }

  // Writes the files.
  void write(const arguments& given, plot_files& files) const {
    const auto name_of = [](const std::string& path) {
      return std::filesystem::path(path).filename().string();
    };
    const std::string reference = name_of(given.inputs[0]),
                      queries = given.inputs.size() == 2 ? name_of(given.inputs[1])
                                                         : fmt::format("{} files", given.inputs.size() - 1);
    const files::dot_texts texts{
        fmt::format("{} x {}", reference, queries),
        reference,
        queries,
        "matches",
        {fmt::format("weft mem --kind {}", given.value("kind")),
         fmt::format("at least {} letters", given.value("min-length")),
         given.has("both-strands") ? "both strands were searched" : "one strand was searched"}};
    files.write([&](files::plot_kind kind) { return files::draw_dot_plot(kind, plot_, texts); });
  }

private:
  files::dot_plot plot_;
  std::vector<std::uint64_t> x_begins_, y_begins_; // the begins of the records on the axes
};

} // namespace

int run_mem(const arguments& given) {
  match_search_options options = options_of(given);
  plot_files plots(given.values("plot"), files::dot_plot_kinds);
  const stopwatch time;
  const std::string& path = given.inputs.front();
  const std::vector<std::string> queries(given.inputs.begin() + 1, given.inputs.end());
  files::early_queries early = files::read_queries_early(ranks(), queries, options);
  const std::uint64_t memory =
      early.bytes == 0 ? options.memory : memory_left(memory_limit(options.memory), early.bytes);
  const auto [index, is_built] = files::open_or_build_index(ranks(), path, index_options_of(given), memory);
  if (index.alphabet() != fm_alphabet::dna)
    throw error(errc::invalid_input, fmt::format("{}: weft mem needs an index of DNA", path));
  if (is_built) options.memory = memory_left(options.memory, index.bytes().size());
  files::rank_output out(ranks(), given.value("output"));
  std::optional<match_plot> plot;
  if (!plots.empty()) {
    options.memory = memory_left(options.memory, files::dot_plot::max_bytes);
    plot.emplace(index).observe(options);
  }
  match_totals found;
  {
    const progress_line progress(given, "weft mem", 1, "residues");
    found = files::find_matches(ranks(), index, queries, options, out, std::move(early));
  }
  if (plot) plot->write(given, plots);
  if (plots.empty())
    out.commit();
  else
    plots.commit_with(out.file());
  if (!given.has("quiet") && found.letters == 0) say("weft: the queries have no letters\n");
  const double searched = static_cast<double>(found.letters * (options.match.both_strands ? 2 : 1));
  closing_line(given, time.seconds(), with_prefix(searched / time.seconds()) + "residues/s", "seeds",
               found.device);
  return found.matches == 0 && given.has("fail-if-none") ? 1 : 0;
}

} // namespace weft::cli
