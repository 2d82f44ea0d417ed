#include <weft/scan/scan.hpp>

#include <algorithm>
#include <stdexcept>
#include <weft/base/error.hpp>
#include <weft/scan/core/compiled.hpp>
#include <weft/scan/cpu/bit_stream.hpp>
#include <weft/scan/cpu/nfa_engines.hpp>
#include <weft/scan/entry/engine_choice.hpp>
#include <weft/scan/entry/gpu_scan.hpp>
#include <weft/scan/entry/ranges.hpp>

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

void validate(const motif_set& motifs, const sequence_batch& sequences, const scan_options& options) {
  const auto& offsets = sequences.offsets;
  if (offsets.empty() ? !sequences.residues.empty()
                      : offsets.front() != 0 || offsets.back() != sequences.residues.size() ||
                            !std::is_sorted(offsets.begin(), offsets.end()))
    throw std::invalid_argument("scan: offsets must ascend from 0 to the number of residues");
  if (sequences.count() > 0xffffffffU || motifs.motifs().size() > 0xffffffffU)
    throw std::invalid_argument("scan: at most 2^32 - 1 sequences and motifs a call");
  if (options.strands != strand_choice::forward && motifs.syntax().alphabet != alphabet::dna)
    throw error(errc::invalid_input, "the reverse strand is for the dna alphabet alone");
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

match_vector scan(const motif_set& motifs, const sequence_batch& sequences, const scan_options& options) {
  validate(motifs, sequences, options);
  const engine_choice choice = choose_engine(options);
  if (options.used != nullptr) *options.used = {std::string(choice.name), -1};
  if (motifs.motifs().empty() || sequences.residues.empty()) return {};
  const std::uint64_t in_all = std::max<std::uint64_t>(options.all_residues, sequences.residues.size());
  const int gpu = gpu_for(choice, motifs.motifs().size(), in_all, options);
  if (gpu >= 0)
    if (auto matches = scan_on_gpu(choice, gpu, motifs.data(), sequences, options))
      return std::move(*matches);
  return scan_strands(sequences, options.strands, [&](const sequence_batch& strand) {
    return join_ranges(options, scan_ranges(motifs.data(), strand, options, cpu_form(choice.id)));
  });
}

std::vector<std::uint64_t> scan_count(const motif_set& motifs, const sequence_batch& sequences,
                                      const scan_options& options) {
  std::vector<std::uint64_t> counts(motifs.motifs().size());
  for (const scan_match& match : scan(motifs, sequences, options)) ++counts[match.motif];
  return counts;
}

void check_scan_options(const scan_options& options) { (void)choose_engine(options); }

bool scan_takes_gpu(const motif_set& motifs, std::uint64_t residues, const scan_options& options) {
  return gpu_for(choose_engine(options), motifs.motifs().size(), residues, options) >= 0;
}

std::vector<engine_info> scan_engines() { return list_engines(); }

} // namespace weft
