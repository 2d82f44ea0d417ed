// The command `weft index`.
#include <cli/program.hpp>
#include <cli/ranks.hpp>
#include <cli/task.hpp>
#include <cli/teams.hpp>
#include <fmt/format.h>
#include <functional>
#include <string>
#include <string_view>
#include <weft/base/engines.hpp>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/bwt/core/fm_parts.hpp>
#include <weft/bwt/fm_index.hpp>
#include <weft/files/find/index_files.hpp>
#include <weft/files/find/patterns.hpp>
#include <weft/files/ranks/rank_index.hpp>
#include <weft/files/ranks/rank_output.hpp>
#include <weft/io/output_file.hpp>

namespace weft::cli {

namespace {

std::string_view name_of(fm_alphabet alphabet) {
  return alphabet == fm_alphabet::dna ? "dna" : alphabet == fm_alphabet::protein ? "protein" : "bytes";
}

// An index is built from this input. The options refer to nothing but the monitor.
struct index_input {
  files::reference_set references;
  fm_build_options options;
};

fm_alphabet alphabet_of(const arguments& given, const index_input& input) {
  const std::string alphabet = given.value("alphabet");
  return alphabet == "dna"       ? fm_alphabet::dna
         : alphabet == "protein" ? fm_alphabet::protein
         : alphabet == "bytes"   ? fm_alphabet::bytes
                                 : files::guess_alphabet(input.references.text, input.options.run.threads);
}

bool is_on_gpu(const fm_build_options& options) { return base_detail::has_usable_gpu(options.run.device); }

// Checks the flags and reads the references.
index_input read_input(const arguments& given) {
  require_device(parse_device(given.value("device")));
  require_engine(given, "suffix-sort");
  require_no_terminal(given);
  index_input input;
  files::reference_set& references = input.references;
  fm_build_options& options = input.options;
  options.sa_sample_rate = static_cast<std::uint32_t>(given.number("sa-sample-rate", 0));
  if (options.sa_sample_rate > 1024)
    throw error(errc::invalid_input, "--sa-sample-rate must be at most 1024");
  set_common_options(given, options);
  const std::uint64_t limit = memory_limit(given.size("memory"));
  references = files::read_references(given.inputs, limit, is_on_gpu(options));
  options.run.memory = memory_left(given.size("memory"), references.size_in_memory());
  options.contexts = given.has("bidirectional");
  options.alphabet = alphabet_of(given, input);
  if (options.contexts && options.alphabet != fm_alphabet::dna)
    throw error(errc::invalid_input,
                fmt::format("--bidirectional needs references of DNA, but the alphabet is {} "
                            "(--alphabet dna if it is DNA)",
                            name_of(options.alphabet)));
  if (options.alphabet == fm_alphabet::dna) files::replace_u_by_t(references.text, options.run.threads);
  return input;
}

// Says what is notable of references in which so many letters can be found, and writes the closing line. All
// ranks call it.
void report(const arguments& given, const stopwatch& time, const index_input& input,
            std::uint64_t num_letters, device_choice used) {
  const files::reference_set& references = input.references;
  if (is_first_rank() && !given.has("quiet"))
    say(files::notes_on_references({references.names.begin(), references.names.end()}, references.text.size(),
                                   num_letters, input.options.alphabet));
  closing_line(given, time.seconds(),
               with_prefix(static_cast<double>(references.text.size()) / time.seconds()) + "residues/s",
               fmt::format("suffix-sort, alphabet {}", name_of(input.options.alphabet)), used);
}

// Builds an index on this rank, which others may help to sort suffixes, and passes its bytes to write().
// Returns the number of letters that can be found.
std::uint64_t build(const index_input& input, bwt_detail::suffix_helpers* helpers, weft::run_info& used,
                    const std::function<void(std::string_view)>& write) {
  fm_build_options options = input.options;
  options.run.info = &used;
  options.helpers = helpers;
  const fm_index index = fm_index::build(input.references, options);
  write({index.bytes().data(), index.bytes().size()});
  return index.parts().num_rows - index.parts().segments.size();
}

int index_alone(const arguments& given) {
  const stopwatch time;
  const index_input input = read_input(given);
  weft::run_info used;
  std::uint64_t num_letters = 0;
  {
    const progress_line progress(given, "weft index", 1, "residues");
    num_letters = build(input, nullptr, used, [&](std::string_view bytes) {
      io::output_file out(given.value("output"));
      out.write(bytes);
      out.commit();
    });
  }
  report(given, time, input, num_letters, used.device);
  return 0;
}

// Makes an index on all ranks. Each writes its part, if the index is large enough, the memory of rank 0
// suffices, rank 0 has no GPU, and the output is a file that all ranks see; otherwise the other ranks only
// help rank 0 to sort.
int index_together(const arguments& given) {
  const stopwatch time;
  index_input input;
  set_common_options(given, input.options); // on ranks that read nothing
  multi::run_together(ranks(), [&] {
    if (is_first_rank()) input = read_input(given);
  });
  weft::run_info used;
  std::uint64_t num_letters = 0;
  {
    const progress_line progress(given, "weft index", 1, "residues");
    files::rank_output out(ranks(), given.value("output"));
    multi::suffix_limits limits = suffix_limits_of_ranks();
    if (is_first_rank() && is_on_gpu(input.options)) limits.min_symbols = ~std::uint64_t{0};
    files::rank_index index(ranks(), input.references, input.options, limits);
    if (out.is_common() && index.is_shared()) {
      index.write(out);
      num_letters = index.num_letters();
    } else {
      run_with_suffix_team(given, [&](const arguments&, bwt_detail::suffix_helpers* helpers) {
        num_letters = build(input, helpers, used, [&](std::string_view bytes) { out.write_header(bytes); });
        return 0;
      });
    }
    out.commit();
  }
  report(given, time, input, num_letters, used.device);
  return 0;
}

} // namespace

int run_index(const arguments& given) {
  return ranks().size() == 1 ? index_alone(given) : index_together(given);
}

} // namespace weft::cli
