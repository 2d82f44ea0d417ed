#include <weft/scan/core/flat_motifs.hpp>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <weft/scan/core/byte_codes.hpp>
#include <weft/scan/core/nfa_masks.hpp>

namespace weft::scan_detail {

namespace {

std::uint32_t flags_of(const motif_element& element) {
  std::uint32_t flags = 0;
  if (element.any) flags |= flat_element::any;
  if (element.lazy) flags |= flat_element::lazy;
  if (!element.any && !element.negated) flags |= flat_element::counts_unknown;
  if (element.or_sequence_start) flags |= flat_element::or_start;
  if (element.or_sequence_end) flags |= flat_element::or_end;
  if (element.min != element.max || element.or_sequence_start || element.or_sequence_end)
    flags |= flat_element::flexible;
  return flags;
}

// Assigns indices to residue sets and appends each new set to `words`.
class class_table {
public:
  explicit class_table(std::vector<std::uint32_t>& words) : words_(words) {}
  std::uint32_t index_of(const residue_set& set) {
    const auto [at, is_new] = known_.try_emplace(set, static_cast<std::uint32_t>(known_.size()));
    if (is_new)
      for (unsigned word = 0; word < 8; ++word) {
        std::uint32_t bits = 0;
        for (unsigned bit = 0; bit < 32; ++bit) bits |= std::uint32_t{set[word * 32 + bit]} << bit;
        words_.push_back(bits);
      }
    return at->second;
  }

private:
  std::vector<std::uint32_t>& words_;
  std::unordered_map<residue_set, std::uint32_t> known_;
};

} // namespace

flat_motif_tables::flat_motif_tables(const std::vector<motif>& from) {
  class_table known(classes);
  std::set<std::pair<std::uint32_t, std::uint64_t>> kinds;
  for (const motif& m : from) {
    flat_motif flat{static_cast<std::uint32_t>(elements.size()), 0, 0, 0, 0, m.max_length()};
    if (flat.max_length >= motif_element::unbounded - 1) flat.max_length = ~std::uint64_t{0};
    if (m.anchor_n) flat.flags |= flat_motif::anchor_n;
    if (m.anchor_c) flat.flags |= flat_motif::anchor_c;
    for (const motif_element& element : m.elements) {
      std::uint32_t flags = flags_of(element);
      if ((flags & flat_element::or_start) != 0) flat.flags |= flat_motif::optional_start;
      if ((flags & flat_element::flexible) != 0) flags |= flat.flexible++ << flat_element::order_shift;
      elements.push_back({element.min, element.max, known.index_of(element.accepts), flags});
    }
    flat.last_element = static_cast<std::uint32_t>(elements.size());
    if (flat.flexible == 0 && flat.max_length != ~std::uint64_t{0})
      flat.fixed_length = static_cast<std::uint32_t>(flat.max_length);
    if (flat.flexible != 0) kinds.emplace(flat.flexible, flat.max_length);
    if ((flat.flags & flat_motif::optional_start) != 0)
      optional_start.push_back(static_cast<std::uint32_t>(motifs.size()));
    max_flexible = std::max(max_flexible, flat.flexible);
    motifs.push_back(flat);
  }
  walks.assign(kinds.begin(), kinds.end());
}

std::uint64_t flat_motif_tables::failure_bits(std::uint64_t longest) const {
  std::uint64_t bits = 0;
  for (const auto& [flexible, length] : walks)
    bits = std::max(bits, flexible * (std::min(length, longest) + 1));
  return bits;
}

flat_automaton_tables::flat_automaton_tables(std::span<const motif> from) {
  const byte_codes codes(from);
  for (const std::uint32_t code : codes.code_of) code_of.push_back(code - 1);
  for (const motif& m : from) {
    const linear_nfa nfa(m, true);
    const nfa_masks masks_of_nfa(nfa);
    const auto words = static_cast<std::uint32_t>(masks_of_nfa.words);
    automata.push_back({masks.size(), words});
    max_words = std::max(max_words, words);
    for (const auto* mask :
         {&masks_of_nfa.before, &masks_of_nfa.last, &masks_of_nfa.repeats, &masks_of_nfa.entry,
          &masks_of_nfa.entry_first, &masks_of_nfa.accept, &masks_of_nfa.accept_last})
      masks.insert(masks.end(), mask->begin(), mask->end());
    for (const unsigned char c : codes.sample) {
      const auto row = masks_of_nfa.accepts.begin() + static_cast<std::ptrdiff_t>(std::size_t{c} * words);
      masks.insert(masks.end(), row, row + words);
    }
  }
}

} // namespace weft::scan_detail
