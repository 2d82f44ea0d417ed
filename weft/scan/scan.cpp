#include <weft/scan/scan.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <weft/base/error.hpp>
#include <weft/base/parallel.hpp>
#include <weft/scan/core/compiled.hpp>
#include <weft/scan/cpu/bit_stream.hpp>
#include <weft/scan/engines.hpp>

namespace weft {

namespace {

using namespace scan_detail;

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

// Solves a scan, and returns all matches unless parts of them have been visited.
std::optional<match_vector> solve(const motif_set& motifs, const sequences_view& sequences,
                                  const scan_options& options, const part_limits* limits = nullptr,
                                  const std::function<void(scan_part)>* visit = nullptr) {
  detail::run_record record(options.run, "residues");
  validate(motifs, sequences, options);
  record.set_work(sequences.data.size());
  const std::uint64_t task_residues = std::max<std::uint64_t>(options.all_residues, sequences.data.size());
  scan_problem problem{motifs.data(), sequences, options, task_residues, limits, visit};
  const auto& list = scan_engine_list();
  if (motifs.motifs().empty() || sequences.data.empty()) {
    record.set_engine(list.choose(problem, options.run).name());
    return match_vector();
  }
  const scan_engine& used = list.solve(problem, options.run);
  record.set_engine(used.name(), used.on_gpu()
                                     ? device_choice{device_kind::gpu, detail::gpu_index(options.run.device)}
                                     : device_choice{device_kind::cpu, 0});
  return std::move(problem.matches);
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
  return *solve(motifs, sequences, options);
}

void scan_in_parts(const motif_set& motifs, const sequences_view& sequences, const scan_options& options,
                   const part_limits& limits, const std::function<void(scan_part)>& visit) {
  if (limits.residues == 0 || limits.matches == 0)
    throw std::invalid_argument("scan: limits of parts must be at least 1");
  auto matches = solve(motifs, sequences, options, &limits, &visit);
  if (matches && !sequences.data.empty() && !motifs.motifs().empty()) visit({*std::move(matches), true});
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

void check_scan_options(const scan_options& options) { scan_engine_list().check(options.run); }

std::vector<engine_info> scan_engines() { return scan_engine_list().list(); }

} // namespace weft
