#include <weft/scan/entry/strands.hpp>

#include <algorithm>
#include <weft/scan/core/complement.hpp>

namespace weft::scan_detail {

std::uint64_t longest_match(std::span<const motif> motifs) {
  std::uint64_t longest = 0;
  for (const motif& m : motifs) {
    const std::uint64_t length = m.max_length();
    longest = std::max(longest, length >= motif_element::unbounded - 1 ? ~std::uint64_t{0} : length);
  }
  return longest;
}

strand_text::strand_text(const sequences_view& sequences, strand which, std::uint64_t longest_circular)
    : sequences_(sequences), batch_(sequences), which_(which), circular_(longest_circular != 0) {
  if (which == strand::forward && !circular_) return;
  offsets_.push_back(0);
  for (std::uint64_t s = 0; s < sequences.count(); ++s) {
    const std::uint64_t size = sequences[s].size();
    offsets_.push_back(offsets_.back() + size +
                       (circular_ && size > 0 ? std::min(size, longest_circular) - 1 : 0));
  }
  residues_.resize(offsets_.back());
  for (std::uint64_t s = 0; s < sequences.count(); ++s) {
    const std::string_view from = sequences[s];
    char* const to = residues_.data() + offsets_[s];
    if (which == strand::forward)
      std::copy(from.begin(), from.end(), to);
    else
      std::transform(from.rbegin(), from.rend(), to, complement);
    std::copy_n(to, offsets_[s + 1] - offsets_[s] - from.size(), to + from.size());
  }
  batch_ = {residues_, offsets_};
}

void strand_text::to_sequences(match_vector& matches) const {
  if (which_ == strand::forward && !circular_) return;
  std::size_t kept = 0;
  for (scan_match match : matches) {
    const std::uint64_t size = sequences_[match.sequence].size(), length = match.end - match.begin;
    if (match.begin >= size || length > size) continue;
    if (which_ == strand::reverse) {
      match.begin = match.end <= size ? size - match.end : 2 * size - match.end;
      match.end = match.begin + length;
      match.strand = strand::reverse;
    }
    matches[kept++] = match;
  }
  matches.resize(kept);
}

match_vector scan_strands(const sequences_view& sequences, strand_choice strands,
                          const strand_scanner& scan_strand, std::uint64_t longest_circular) {
  // The matches of the strand as given come in order and need no conversion.
  if (strands == strand_choice::forward && longest_circular == 0) return scan_strand(sequences);
  match_vector matches;
  for (const strand which : {strand::reverse, strand::forward}) {
    if (strands == (which == strand::reverse ? strand_choice::forward : strand_choice::reverse)) continue;
    const strand_text text(sequences, which, longest_circular);
    match_vector found = scan_strand(text.batch());
    text.to_sequences(found);
    if (matches.empty())
      matches = std::move(found);
    else
      matches.insert(matches.end(), found.begin(), found.end());
  }
  if (!std::is_sorted(matches.begin(), matches.end())) std::sort(matches.begin(), matches.end());
  return matches;
}

} // namespace weft::scan_detail
