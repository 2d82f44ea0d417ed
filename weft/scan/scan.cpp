#include <weft/scan/scan.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <weft/base/engine_table.hpp>
#include <weft/base/error.hpp>
#include <weft/base/parallel.hpp>
#include <weft/scan/core/compiled.hpp>
#include <weft/scan/cpu/bit_stream.hpp>
#include <weft/scan/cpu/nfa_engines.hpp>
#include <weft/scan/cpu/resolve.hpp>

namespace weft {

namespace {

using namespace scan_detail;

using entry = base_detail::engine_entry<engine_function>;

// The first is what `auto` takes.
constexpr std::array entries = {
    entry{"bit-stream", bit_stream, "any processor; vectors of 128 to 512 bits where it has them"},
    entry{"shift-and", shift_and, "any processor"},
    entry{"nfa-array", nfa_array, "any processor"},
};
constexpr base_detail::engine_table<engine_function> engines("scan", entries);

const entry& find_engine(const std::string& name) {
  const entry* const chosen = engines.find(name);
  return chosen == nullptr ? entries.front() : *chosen;
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

// Cuts the text into ranges of about `size` residues, between sequences where no sequence is much longer than
// that.
std::vector<std::uint64_t> cut(const sequence_batch& sequences, std::uint64_t size) {
  std::vector<std::uint64_t> cuts{0};
  for (std::uint64_t s = 0; s < sequences.count(); ++s) {
    const std::uint64_t end = sequences.offsets[s + 1];
    while (end - cuts.back() > 2 * size) cuts.push_back(cuts.back() + size);
    if (end - cuts.back() >= size) cuts.push_back(end);
  }
  if (cuts.back() != sequences.residues.size()) cuts.push_back(sequences.residues.size());
  return cuts;
}

struct range_matches {
  std::vector<scan_match> matches;
  std::vector<resolver::candidate> open;
};

// Matches of one strand, range by range; what reaches over ranges is put together at the end.
std::vector<range_matches> scan_ranges(const motif_set& motifs, const sequence_batch& sequences,
                                       const scan_options& options) {
  constexpr std::uint64_t range_size = std::uint64_t{1} << 21, least_range_size = std::uint64_t{1} << 16;
  const engine_function find = find_engine(options.engine).id;
  const auto threads = static_cast<std::uint64_t>(thread_count(options.threads));
  const std::vector<std::uint64_t> cuts =
      cut(sequences, std::clamp(sequences.residues.size() / (4 * threads), least_range_size, range_size));
  std::vector<range_matches> ranges(cuts.size() - 1);
  const edge which = options.rule == match_rule::ends ? edge::ends : edge::starts;
  parallel_for(0, ranges.size(), 1, options.threads, [&](std::uint64_t first, std::uint64_t last) {
    for (; first < last; ++first) {
      if (options.monitor != nullptr) options.monitor->check();
      resolver resolve(motifs.data(), sequences, options, cuts[first], cuts[first + 1]);
      find(motifs.data(), sequences, cuts[first], cuts[first + 1], which,
           [&](const occurrence_block& block) { resolve.add(block); });
      resolve.add_start_motifs();
      resolve.finish(ranges[first].matches, ranges[first].open);
      if (options.monitor != nullptr) options.monitor->add(cuts[first + 1] - cuts[first]);
    }
  });
  return ranges;
}

// The matches of the sequences that reach over ranges.
std::vector<scan_match> resolve_open(const scan_options& options, std::vector<range_matches>& ranges) {
  std::vector<resolver::candidate> open;
  for (range_matches& range : ranges) open.insert(open.end(), range.open.begin(), range.open.end());
  std::sort(open.begin(), open.end(), [](const auto& a, const auto& b) { return a.match < b.match; });
  std::vector<scan_match> matches;
  std::vector<resolver::candidate> group;
  for (std::size_t i = 0; i < open.size(); ++i) {
    group.push_back(open[i]);
    if (i + 1 == open.size() || open[i + 1].match.sequence != open[i].match.sequence ||
        open[i + 1].match.motif != open[i].match.motif) {
      apply_rule(options, group, matches);
      group.clear();
    }
  }
  return matches;
}

std::vector<scan_match> scan_strand(const motif_set& motifs, const sequence_batch& sequences,
                                    const scan_options& options) {
  std::vector<range_matches> ranges = scan_ranges(motifs, sequences, options);
  const std::vector<scan_match> open = resolve_open(options, ranges);
  if (ranges.size() == 1 && open.empty()) return std::move(ranges.front().matches);
  std::size_t count = open.size();
  for (const range_matches& range : ranges) count += range.matches.size();
  std::vector<scan_match> all;
  all.reserve(count);
  for (range_matches& range : ranges) {
    all.insert(all.end(), range.matches.begin(), range.matches.end());
    range.matches = {};
  }
  const auto middle = static_cast<std::ptrdiff_t>(all.size());
  all.insert(all.end(), open.begin(), open.end());
  if (!open.empty()) std::inplace_merge(all.begin(), all.begin() + middle, all.end());
  return all;
}

char complement(char c) {
  constexpr std::string_view from = "ACGTUacgtuRYKMBVDHrykmbvdh", to = "TGCAAtgcaaYRMKVBHDyrmkvbhd";
  const std::size_t at = from.find(c);
  return at == std::string_view::npos ? c : to[at];
}

// Matches on the reverse strand: those in the reverse complement of each sequence, in forward positions.
std::vector<scan_match> scan_reverse(const motif_set& motifs, const sequence_batch& sequences,
                                     const scan_options& options) {
  std::string residues(sequences.residues.size(), ' ');
  for (std::uint64_t s = 0; s < sequences.count(); ++s)
    std::transform(sequences[s].rbegin(), sequences[s].rend(),
                   residues.begin() + static_cast<std::ptrdiff_t>(sequences.offsets[s]), complement);
  std::vector<scan_match> matches = scan_strand(motifs, {residues, sequences.offsets}, options);
  for (scan_match& match : matches) {
    const std::uint64_t size = sequences[match.sequence].size(), begin = match.begin;
    match.begin = size - match.end;
    match.end = size - begin;
    match.strand = strand::reverse;
  }
  return matches;
}

} // namespace

motif_set::motif_set(std::vector<motif> motifs, const motif_syntax& syntax)
    : data_(std::make_shared<const compiled>(
          compiled{std::move(motifs), syntax, std::make_shared<bit_stream_plans>()})) {}

std::span<const motif> motif_set::motifs() const noexcept {
  return data_ ? std::span<const motif>(data_->motifs) : std::span<const motif>();
}

const motif_syntax& motif_set::syntax() const noexcept {
  static const motif_syntax none;
  return data_ ? data_->syntax : none;
}

std::vector<scan_match> scan(const motif_set& motifs, const sequence_batch& sequences,
                             const scan_options& options) {
  validate(motifs, sequences, options);
  (void)find_engine(options.engine);
  if (motifs.motifs().empty() || sequences.residues.empty()) return {};
  if (options.strands == strand_choice::forward) return scan_strand(motifs, sequences, options);
  std::vector<scan_match> matches = scan_reverse(motifs, sequences, options);
  if (options.strands == strand_choice::both) {
    const std::vector<scan_match> forward = scan_strand(motifs, sequences, options);
    matches.insert(matches.end(), forward.begin(), forward.end());
  }
  std::sort(matches.begin(), matches.end());
  return matches;
}

std::vector<std::uint64_t> scan_count(const motif_set& motifs, const sequence_batch& sequences,
                                      const scan_options& options) {
  std::vector<std::uint64_t> counts(motifs.motifs().size());
  for (const scan_match& match : scan(motifs, sequences, options)) ++counts[match.motif];
  return counts;
}

std::vector<engine_info> scan_engines() { return engines.list(); }

} // namespace weft
