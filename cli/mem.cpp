// The command `weft mem`.
#include <algorithm>
#include <cli/program.hpp>
#include <cli/task.hpp>
#include <fmt/format.h>
#include <weft/base/device.hpp>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/bwt/fm_index.hpp>
#include <weft/files/find/match_search.hpp>
#include <weft/io/output_file.hpp>

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
  if (given.from_environment.contains("device")) options.match.run.device = {};
  if (options.match.run.device.kind == device_kind::gpu)
    throw error(errc::invalid_input, "weft mem runs only on the CPU: use --device cpu or auto");
  options.match.kind = parse_kind(given.value("kind"));
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

// Returns the options of building an index in memory.
fm_build_options build_options(const arguments& given) {
  fm_build_options options;
  set_common_options(given, options);
  options.run.engine = "auto";   // --engine names the engine of the search
  options.run.monitor = nullptr; // the progress is that of the search
  require_device(options.run.device);
  return options;
}

} // namespace

int run_mem(const arguments& given) {
  match_search_options options = options_of(given);
  const stopwatch time;
  const std::string& path = given.inputs.front();
  const auto [index, is_built] = files::open_or_build_index(path, build_options(given), options.memory);
  if (index.alphabet() != fm_alphabet::dna)
    throw error(errc::invalid_input, fmt::format("{}: weft mem needs an index of DNA", path));
  if (is_built) options.memory = memory_left(options.memory, index.bytes().size());
  io::output_file out(given.value("output"));
  match_totals found;
  {
    const progress_line progress(given, "weft mem", 1, "residues");
    found = files::find_matches(index, {given.inputs.begin() + 1, given.inputs.end()}, options, out);
  }
  out.commit();
  if (!given.has("quiet") && found.letters == 0) say("weft: the queries have no letters\n");
  const double searched = static_cast<double>(found.letters * (options.match.both_strands ? 2 : 1));
  closing_line(given, time.seconds(), with_prefix(searched / time.seconds()) + "residues/s", "seeds");
  return found.matches == 0 && given.has("fail-if-none") ? 1 : 0;
}

} // namespace weft::cli
