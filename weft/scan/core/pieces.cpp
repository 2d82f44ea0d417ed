#include <weft/scan/core/pieces.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>

namespace weft::scan_detail {

namespace {

// Cuts a sequence that does not fit into one piece. The text of a piece has `reach` residues on both sides of
// the range, so a match that belongs to the range never touches an end of the text that is not also an end of
// the sequence: an anchor cannot mistake it for one.
void cut_sequence(std::uint64_t first, std::uint64_t last, std::uint64_t reach, const piece_limits& limits,
                  std::vector<text_piece>& pieces) {
  const std::uint64_t fixed = limits.fixed_bytes + limits.sequence_bytes;
  const std::string allowed = format_size(limits.allowed);
  if (reach == no_longest_match)
    throw memory_error(fmt::format("a motif whose matches have no maximum length needs whole sequences "
                                   "on the GPU: a sequence of {} residues needs at least {} of device "
                                   "memory, but only {} is allowed",
                                   last - first, format_size(fixed + (last - first) * limits.residue_bytes),
                                   allowed));
  const std::uint64_t max_residues =
      limits.allowed < fixed ? 0 : (limits.allowed - fixed) / limits.residue_bytes; // of a piece's text
  if (max_residues / 2 < reach || max_residues == 2 * reach)
    throw memory_error(fmt::format("scanning on the GPU for matches of up to {} residues needs at least "
                                   "{} of device memory, but only {} is allowed",
                                   reach, format_size(fixed + (2 * reach + 1) * limits.residue_bytes),
                                   allowed));
  const std::uint64_t step = max_residues - 2 * reach;
  for (std::uint64_t begin = first; begin < last; begin += step) {
    const std::uint64_t end = std::min(last, begin + step);
    pieces.push_back({begin - std::min(reach, begin - first), end + std::min(reach, last - end), begin, end});
  }
}

} // namespace

std::uint64_t reach_of(std::span<const motif> motifs, edge which) {
  std::uint64_t reach = 1;
  for (const motif& m : motifs) {
    if (!is_searched_by_engines(m, which)) continue;
    const std::uint64_t max_length = m.max_length();
    // Unbounded, or too long to represent.
    if (max_length >= motif_element::unbounded - 1) return no_longest_match;
    reach = std::max(reach, max_length);
  }
  return reach;
}

std::vector<text_piece> cut_pieces(const sequences_view& sequences, std::uint64_t reach,
                                   const piece_limits& limits) {
  const std::uint64_t available = limits.allowed - std::min(limits.allowed, limits.fixed_bytes);
  std::vector<text_piece> pieces;
  std::uint64_t begin = 0, taken = 0;
  const auto close = [&](std::uint64_t end) {
    if (begin < end) pieces.push_back({begin, end, begin, end});
    begin = end;
    taken = 0;
  };
  for (std::uint64_t s = 0; s < sequences.count(); ++s) {
    const std::uint64_t first = sequences.offsets[s], last = sequences.offsets[s + 1];
    const std::uint64_t bytes = (last - first) * limits.residue_bytes + limits.sequence_bytes;
    if (bytes > available - taken) close(first);
    if (bytes <= available) {
      taken += bytes;
    } else if (first < last) {
      cut_sequence(first, last, reach, limits, pieces);
      begin = last;
    }
  }
  close(sequences.data.size());
  return pieces;
}

sequences_view text_of(const sequences_view& sequences, const text_piece& piece,
                       std::vector<std::uint64_t>& offsets) {
  const std::uint64_t size = piece.text_end - piece.text_begin;
  if (size == sequences.data.size()) return sequences;
  auto next = std::upper_bound(sequences.offsets.begin(), sequences.offsets.end(), piece.text_begin);
  offsets.assign(1, 0);
  while (offsets.back() < size) offsets.push_back(std::min(*next++, piece.text_end) - piece.text_begin);
  return {sequences.data.substr(piece.text_begin, size), offsets};
}

std::vector<sequence_range> cut_between_sequences(const sequences_view& sequences, std::uint64_t preferred,
                                                  std::uint64_t max_bytes) {
  const auto& offsets = sequences.offsets;
  const std::uint64_t count = sequences.count();
  std::vector<sequence_range> pieces;
  for (std::uint64_t first = 0; first < count;) {
    const auto residues = [&](std::uint64_t last) { return offsets[last] - offsets[first]; };
    const auto fits = [&](std::uint64_t last) {
      return residues(last) + (last - first + 1) * sizeof(std::uint64_t) <= max_bytes;
    };
    // Binary search: `last` fits, and `first_too_large` and everything behind it does not.
    std::uint64_t last = first + 1;
    if (!fits(last)) return {};
    for (std::uint64_t first_too_large = count + 1; first_too_large - last > 1;) {
      const std::uint64_t middle = last + (first_too_large - last) / 2;
      (residues(middle) <= preferred && fits(middle) ? last : first_too_large) = middle;
    }
    if (residues(last) > 0) pieces.push_back({first, last});
    first = last;
  }
  return pieces;
}

sequences_view sequences_of(const sequences_view& sequences, const sequence_range& range,
                            std::vector<std::uint64_t>& offsets) {
  if (range.first == 0 && range.last == sequences.count()) return sequences;
  const std::span<const std::uint64_t> all = sequences.offsets;
  const std::uint64_t begin = all[range.first];
  offsets.clear();
  for (std::uint64_t s = range.first; s <= range.last; ++s) offsets.push_back(all[s] - begin);
  return {sequences.data.substr(begin, offsets.back()), offsets};
}

} // namespace weft::scan_detail
