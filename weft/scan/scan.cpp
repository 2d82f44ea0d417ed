#include <weft/scan/scan.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <weft/base/error.hpp>
#include <weft/base/parallel.hpp>
#include <weft/scan/core/engine.hpp>
#include <weft/scan/cpu/bit_stream.hpp>
#include <weft/scan/cpu/host_walker.hpp>
#include <weft/scan/engines.hpp>
#include <weft/scan/scanner.hpp>

namespace weft {

using namespace scan_detail;

namespace {

void check_circular(const motif_set& motifs) {
  if (motifs.syntax().alphabet != alphabet::dna)
    throw error(errc::invalid_input, "circular sequences need alphabet dna");
  for (const motif& m : motifs.motifs()) {
    const auto has_anchor = [](const motif_element& e) { return e.or_sequence_start || e.or_sequence_end; };
    if (m.anchor_n || m.anchor_c || std::any_of(m.elements.begin(), m.elements.end(), has_anchor))
      throw error(errc::invalid_input,
                  "'" + m.pattern + "' has '<' or '>', and a circular sequence has no ends");
  }
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

} // namespace

namespace scan_detail {

void check_scan(const motif_set& motifs, const sequences_view& sequences, const scan_options& options) {
  check_sequences(sequences, "scan");
  if (sequences.count() > 0xffffffffU || motifs.motifs().size() > 0xffffffffU)
    throw std::invalid_argument("scan: at most 2^32 - 1 sequences and 2^32 - 1 motifs in a call");
  if (options.strands != strand_choice::forward && motifs.syntax().alphabet != alphabet::dna)
    throw error(errc::invalid_input, "the reverse strand needs alphabet dna");
  if (options.circular) check_circular(motifs);
}

} // namespace scan_detail

motif_set::motif_set(std::vector<motif> motifs, const motif_syntax& syntax) {
  scan_detail::flat_motif_tables tables(motifs);
  data_ =
      std::make_shared<const compiled>(compiled{std::move(motifs), syntax, std::move(tables),
                                                std::make_shared<bit_stream_plans>(), make_searcher_cache()});
}

const motif_set::compiled& motif_set::data() const noexcept {
  static const compiled none;
  return data_ ? *data_ : none;
}

std::span<const motif> motif_set::motifs() const noexcept { return data().motifs; }
const motif_syntax& motif_set::syntax() const noexcept { return data().syntax; }

match_vector scan(const motif_set& motifs, const sequences_view& sequences, const scan_options& options) {
  base_detail::run_record record(options.run, "residues");
  check_scan(motifs, sequences, options);
  record.set_work(sequences.data.size());
  scan_problem problem{motifs.data(), sequences, options, sequences.data.size()};
  if (motifs.motifs().empty() || sequences.data.empty()) {
    record.set_engine(scan_engine_list().choose(problem, options.run).name());
    return {};
  }
  const scan_engine& used = scan_engine_list().solve(problem, options.run);
  base_detail::report_engine(record, used, options.run);
  return *std::move(problem.matches);
}

std::vector<std::uint64_t> scan_count(const motif_set& motifs, const sequences_view& sequences,
                                      const scan_options& options) {
  // The threads meet at the end of each part, so parts are long.
  const part_limits limits{static_cast<std::uint64_t>(thread_count(options.run.threads)) << 22,
                           std::uint64_t{1} << 18};
  scanner counter(motifs, options, limits);
  counter.count(sequences);
  return counter.totals().by_motif;
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

std::string aligned_match(const motif_set& motifs, std::uint32_t motif, std::string_view sequence,
                          std::uint64_t begin, std::uint64_t end) {
  const struct motif& m = motifs.motifs()[motif];
  const flat_motif& flat = motifs.data().tables.motifs[motif];
  host_walker walk(motifs.data().tables);
  std::string text(sequence.substr(begin, end - begin));
  if (walk(flat, bytes_of(sequence), sequence.size(), begin, begin) != end) return text;
  const std::vector<std::uint64_t> counts = walk.counts(flat);
  std::string aligned;
  for (std::size_t k = 0, at = 0; k < m.elements.size(); at += counts[k++]) {
    const motif_element& element = m.elements[k];
    for (std::uint64_t i = 0; i < counts[k]; ++i)
      aligned += element.any ? lower(text[at + i]) : upper(text[at + i]);
    // Ps_scan.pl adds no dots then.
    const bool has_anchor = element.or_sequence_start || element.or_sequence_end;
    if (element.max != motif_element::unbounded && !has_anchor) aligned.append(element.max - counts[k], '.');
  }
  return aligned;
}

} // namespace weft
