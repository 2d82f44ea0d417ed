#include <weft/scan/scan.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <weft/base/error.hpp>
#include <weft/base/parallel.hpp>
#include <weft/scan/core/compiled.hpp>
#include <weft/scan/cpu/bit_stream.hpp>
#include <weft/scan/cpu/nfa_engines.hpp>
#include <weft/scan/entry/engine_choice.hpp>
#include <weft/scan/entry/gpu_scan.hpp>
#include <weft/scan/entry/parts.hpp>
#include <weft/scan/entry/ranges.hpp>
#include <weft/scan/entry/strands.hpp>

namespace weft {

namespace {

using namespace scan_detail;

engine_function cpu_form(engine id) {
  switch (id) {
  case engine::shift_and:
    return shift_and;
  case engine::nfa_array:
    return nfa_array;
  default:
    return bit_stream;
  }
}

void validate_circular(const motif_set& motifs) {
  if (motifs.syntax().alphabet != alphabet::dna)
    throw error(errc::invalid_input, "circular sequences are for the dna alphabet alone");
  for (const motif& m : motifs.motifs()) {
    const auto has_anchor = [](const motif_element& e) { return e.or_sequence_start || e.or_sequence_end; };
    if (m.anchor_n || m.anchor_c || std::any_of(m.elements.begin(), m.elements.end(), has_anchor))
      throw error(errc::invalid_input,
                  "'" + m.pattern + "' has '<' or '>', and a circular sequence has no ends");
  }
}

void validate(const motif_set& motifs, const sequences_view& sequences, const scan_options& options) {
  check_sequences(sequences, "scan");
  if (sequences.count() > 0xffffffffU || motifs.motifs().size() > 0xffffffffU)
    throw std::invalid_argument("scan: at most 2^32 - 1 sequences and motifs a call");
  if (options.strands != strand_choice::forward && motifs.syntax().alphabet != alphabet::dna)
    throw error(errc::invalid_input, "the reverse strand is for the dna alphabet alone");
  if (options.circular) validate_circular(motifs);
}

// What scan() and scan_in_parts() decide first: the engine, and the index of the GPU that scans the batch, or
// -1.
struct scan_task {
  engine_choice choice;
  int gpu = -1;
};
scan_task begin_scan(const motif_set& motifs, const sequences_view& sequences, const scan_options& options,
                     detail::run_record& record) {
  validate(motifs, sequences, options);
  const engine_choice choice = choose_engine(options);
  record.set_engine(choice.name);
  record.set_work(sequences.data.size());
  if (motifs.motifs().empty() || sequences.data.empty()) return {choice};
  const std::uint64_t total_residues = std::max<std::uint64_t>(options.all_residues, sequences.data.size());
  return {choice, gpu_for(choice, motifs.motifs().size(), total_residues, options)};
}

match_vector scan_on_cpu(const scan_task& task, const motif_set& motifs, const sequences_view& strand,
                         const scan_options& options) {
  return join_ranges(
      options, scan_ranges(motifs.data(), strand, options, cpu_form(task.choice.id), 0, strand.data.size()));
}

// Returns the matches of a batch, found on the task's GPU. Returns nothing if the task has no GPU, or if the
// GPU has too little memory and the CPU may do the work.
std::optional<match_vector> scan_on_device(const scan_task& task, const motif_set& motifs,
                                           const sequences_view& sequences, const scan_options& options) {
  if (task.gpu < 0) return std::nullopt;
  if (!options.circular) return scan_on_gpu(task.choice, task.gpu, motifs.data(), sequences, options);
  scan_options strand_options = options;
  strand_options.strands = strand_choice::forward;
  return scan_strands(
      sequences, options.strands,
      [&](const sequences_view& strand) {
        auto found = scan_on_gpu(task.choice, task.gpu, motifs.data(), strand, strand_options);
        return found ? *std::move(found) : scan_on_cpu(task, motifs, strand, strand_options);
      },
      longest_match(motifs.motifs()));
}

} // namespace

motif_set::motif_set(std::vector<motif> motifs, const motif_syntax& syntax)
    : data_(std::make_shared<const compiled>(
          compiled{std::move(motifs), syntax, std::make_shared<bit_stream_plans>(), make_engine_cache()})) {}

std::span<const motif> motif_set::motifs() const noexcept {
  return data_ ? std::span<const motif>(data_->motifs) : std::span<const motif>();
}

const motif_syntax& motif_set::syntax() const noexcept {
  static const motif_syntax none;
  return data_ ? data_->syntax : none;
}

match_vector scan(const motif_set& motifs, const sequences_view& sequences, const scan_options& options) {
  detail::run_record record(options.run, "residues");
  const scan_task task = begin_scan(motifs, sequences, options, record);
  if (motifs.motifs().empty() || sequences.data.empty()) return {};
  if (auto matches = scan_on_device(task, motifs, sequences, options)) {
    record.set_engine(task.choice.name, {device_kind::gpu, task.gpu});
    return *std::move(matches);
  }
  return scan_strands(
      sequences, options.strands,
      [&](const sequences_view& strand) { return scan_on_cpu(task, motifs, strand, options); },
      options.circular ? longest_match(motifs.motifs()) : 0);
}

void scan_in_parts(const motif_set& motifs, const sequences_view& sequences, const scan_options& options,
                   const part_limits& limits, const std::function<void(scan_part)>& visit) {
  if (limits.residues == 0 || limits.matches == 0)
    throw std::invalid_argument("scan: limits of parts must be at least 1");
  detail::run_record record(options.run, "residues");
  const scan_task task = begin_scan(motifs, sequences, options, record);
  if (motifs.motifs().empty() || sequences.data.empty()) return;
  if (auto matches = scan_on_device(task, motifs, sequences, options)) {
    record.set_engine(task.choice.name, {device_kind::gpu, task.gpu});
    return visit({*std::move(matches), true});
  }
  scan_parts(motifs.data(), sequences, options, cpu_form(task.choice.id), limits, visit);
}

std::vector<std::uint64_t> scan_count(const motif_set& motifs, const sequences_view& sequences,
                                      const scan_options& options) {
  std::vector<std::uint64_t> counts(motifs.motifs().size());
  const part_limits limits{static_cast<std::uint64_t>(thread_count(options.run.threads)) << 20,
                           std::uint64_t{1} << 18};
  scan_in_parts(motifs, sequences, options, limits, [&](const scan_part& part) {
    for (const scan_match& match : part.matches) ++counts[match.motif];
  });
  return counts;
}

match_vector scan(const motif_set& motifs, std::string_view sequence, const scan_options& options) {
  const std::array<std::uint64_t, 2> offsets{0, sequence.size()};
  return scan(motifs, sequences_view{sequence, offsets}, options);
}

std::vector<std::uint64_t> scan_count(const motif_set& motifs, std::string_view sequence,
                                      const scan_options& options) {
  const std::array<std::uint64_t, 2> offsets{0, sequence.size()};
  return scan_count(motifs, sequences_view{sequence, offsets}, options);
}

void check_scan_options(const scan_options& options) { (void)choose_engine(options); }

bool scan_takes_gpu(const motif_set& motifs, std::uint64_t residues, const scan_options& options) {
  return gpu_for(choose_engine(options), motifs.motifs().size(), residues, options) >= 0;
}

std::vector<engine_info> scan_engines() { return list_engines(); }

} // namespace weft
