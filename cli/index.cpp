// The command `weft index`.
#include <cli/program.hpp>
#include <cli/task.hpp>
#include <cli/teams.hpp>
#include <fmt/format.h>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/bwt/core/fm_parts.hpp>
#include <weft/bwt/fm_index.hpp>
#include <weft/files/find/index_files.hpp>
#include <weft/files/find/patterns.hpp>
#include <weft/io/output_file.hpp>

namespace weft::cli {

namespace {

std::string_view name_of(fm_alphabet alphabet) {
  return alphabet == fm_alphabet::dna ? "dna" : alphabet == fm_alphabet::protein ? "protein" : "bytes";
}

int index_files(const arguments& given, bwt_detail::suffix_helpers* helpers) {
  require_device(parse_device(given.value("device")));
  require_engine(given, "suffix-sort");
  require_no_terminal(given);
  const stopwatch time;
  const std::uint64_t limit = memory_limit(given.size("memory"));
  fm_build_options options;
  options.sa_sample_rate = static_cast<std::uint32_t>(given.number("sa-sample-rate", 0));
  if (options.sa_sample_rate > 1024)
    throw error(errc::invalid_input, "--sa-sample-rate must be at most 1024");
  set_common_options(given, options);
  weft::run_info used;
  options.run.info = &used;
  options.helpers = helpers;
  const bool on_gpu = options.run.device.kind != device_kind::cpu && !known_gpus().devices.empty();
  files::reference_set references = files::read_references(given.inputs, limit, on_gpu);
  options.run.memory = memory_left(given.size("memory"), references.size_in_memory());
  options.contexts = given.has("bidirectional");
  const std::string alphabet = given.value("alphabet");
  options.alphabet = alphabet == "dna"       ? fm_alphabet::dna
                     : alphabet == "protein" ? fm_alphabet::protein
                     : alphabet == "bytes"   ? fm_alphabet::bytes
                                             : files::guess_alphabet(references.text, options.run.threads);
  if (options.contexts && options.alphabet != fm_alphabet::dna)
    throw error(errc::invalid_input,
                fmt::format("--bidirectional needs references of DNA, but the alphabet is {} "
                            "(--alphabet dna if it is DNA)",
                            name_of(options.alphabet)));
  if (options.alphabet == fm_alphabet::dna) files::replace_u_by_t(references.text, options.run.threads);
  std::string notes;
  {
    const progress_line progress(given, "weft index", 1, "residues");
    const fm_index index = fm_index::build(references, options);
    io::output_file out(given.value("output"));
    out.write({index.bytes().data(), index.bytes().size()});
    out.commit();
    notes =
        files::notes_on_references({references.names.begin(), references.names.end()}, references.text.size(),
                                   index.parts().num_rows - index.parts().segments.size(), index.alphabet());
  }
  if (!given.has("quiet")) say(notes);
  closing_line(given, time.seconds(),
               with_prefix(static_cast<double>(references.text.size()) / time.seconds()) + "residues/s",
               fmt::format("suffix-sort, alphabet {}", name_of(options.alphabet)), used.device);
  return 0;
}

} // namespace

int run_index(const arguments& given) { return run_with_suffix_team(given, index_files); }

} // namespace weft::cli
