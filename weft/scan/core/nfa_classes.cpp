#include <weft/scan/core/nfa_classes.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <tuple>
#include <weft/scan/core/nfa_masks.hpp>
#include <weft/scan/core/occurrences.hpp>

namespace weft::scan_detail {

namespace {

// A class with fewer motifs joins a more general class, because a warp with few motifs takes as long as a
// full one.
constexpr std::size_t min_class_motifs = 16;

// Word bits, words and kind; keys ascend with the cost of a class.
using class_key = std::tuple<int, int, nfa_kind>;
using class_members = std::map<class_key, std::vector<std::uint32_t>>;

nfa_kind kind_of(const linear_nfa& nfa) {
  nfa_kind kind = nfa_kind::rigid;
  for (const auto& position : nfa.positions) {
    if (position.repeats || position.optional_first || position.optional_last) return nfa_kind::full;
    if (position.optional) kind = nfa_kind::gaps;
  }
  return nfa.anchor_begin || nfa.anchor_end ? nfa_kind::full : kind;
}

class_key class_key_of(const motif& m, bool array) {
  const linear_nfa nfa(m, false);
  const std::size_t positions = nfa.positions.size();
  if (array)
    return {32, static_cast<int>(std::bit_ceil(std::max<std::size_t>(positions, 16))), nfa_kind::array};
  const int words = static_cast<int>(std::bit_ceil(positions / 64 + 1));
  if (words > 4) return {64, words, nfa_kind::longer};
  const nfa_kind kind = kind_of(nfa);
  if (positions < 32) return {32, 1, kind};
  return {64, words, std::max(kind, nfa_kind::gaps)};
}

void join_small_classes(class_members& members) {
  for (auto current = members.begin(); current != members.end();) {
    const auto next = std::next(current);
    if (next == members.end()) break;
    const auto [bits, words, kind] = current->first;
    const auto [next_bits, next_words, next_kind] = next->first;
    if (current->second.size() < min_class_motifs && bits == next_bits && words == next_words &&
        kind < next_kind) {
      next->second.insert(next->second.end(), current->second.begin(), current->second.end());
      current = members.erase(current);
    } else {
      ++current;
    }
  }
}

template <class Word> void put(std::vector<unsigned char>& bytes, std::size_t at, Word value) {
  std::memcpy(bytes.data() + at * sizeof(Word), &value, sizeof(Word));
}

template <class Word>
void put_masks(nfa_class& to, std::size_t group, std::size_t t, const motif& m, const byte_codes& codes,
               bool reversed) {
  const linear_nfa nfa(m, reversed);
  const nfa_masks masks(nfa);
  const nfa_masks::mask* const fields[nfa_fields] = {&masks.entry,      &masks.entry_first, &masks.before,
                                                     &masks.last,       &masks.repeats,     &masks.accept,
                                                     &masks.accept_last};
  const auto words = static_cast<std::size_t>(to.words), own_words = static_cast<std::size_t>(masks.words);
  for (std::size_t i = 0; i < own_words; ++i) {
    for (std::size_t f = 0; f < nfa_fields; ++f)
      put(to.fields, ((group * nfa_fields + f) * words + i) * to.threads + t,
          static_cast<Word>((*fields[f])[i]));
    for (std::size_t code = 1; code <= to.codes; ++code)
      put(to.rows, ((group * (to.codes + 1) + code) * words + i) * to.threads + t,
          static_cast<Word>(masks.accepts[codes.sample[code - 1] * own_words + i]));
  }
}

void put_array(nfa_class& to, std::size_t group, std::size_t t, const motif& m, const byte_codes& codes,
               bool reversed) {
  const linear_nfa nfa(m, reversed);
  const std::size_t set_words = array_set_words(to.codes), step = set_words + 1;
  const std::size_t first = group * (1 + static_cast<std::size_t>(to.words) * step);
  const auto store = [&](std::size_t at, std::uint32_t value) {
    put(to.fields, (first + at) * to.threads + t, value);
  };
  store(0, static_cast<std::uint32_t>(nfa.positions.size() * 4) |
               (nfa.anchor_begin ? array_anchor_begin : 0) | (nfa.anchor_end ? array_anchor_end : 0));
  for (std::size_t p = 0; p < nfa.positions.size(); ++p) {
    const auto& position = nfa.positions[p];
    store(1 + p * step, (position.optional ? array_optional : 0) | (position.repeats ? array_repeats : 0) |
                            (position.optional_first ? array_optional_first : 0) |
                            (position.optional_last ? array_optional_last : 0));
    for (std::size_t word = 0; word < set_words; ++word) {
      std::uint32_t set = 0;
      for (std::size_t bit = 0; bit < 32; ++bit)
        if (const std::size_t code = word * 32 + bit; code >= 1 && code <= to.codes)
          set |= static_cast<std::uint32_t>((*position.accepts)[codes.sample[code - 1]]) << bit;
      store(2 + p * step + word, set);
    }
  }
}

nfa_class make_class(const class_key& key, std::vector<std::uint32_t> members,
                     const std::vector<motif>& motifs, const byte_codes& codes,
                     const nfa_grouping& grouping) {
  const auto [bits, words, kind] = key;
  const bool reversed = grouping.reversed;
  std::stable_sort(members.begin(), members.end(), [&](std::uint32_t a, std::uint32_t b) {
    // Motifs with matches of similar length share a group, so that few groups need a long warm-up.
    return motifs[a].max_length() < motifs[b].max_length();
  });
  std::uint32_t threads = std::clamp<std::uint32_t>(grouping.threads, 1, max_threads(kind, bits, words));
  if (grouping.masks != 0 && kind != nfa_kind::array) {
    const std::size_t bytes_per_thread =
        (codes.sample.size() + 1) * static_cast<std::size_t>(words * bits / 8);
    const auto fitting_threads = static_cast<std::uint32_t>(grouping.masks / bytes_per_thread / 32 * 32);
    threads = std::min(threads, std::max<std::uint32_t>(fitting_threads, 32));
  }
  const auto count = static_cast<std::uint32_t>(members.size()), groups = (count + threads - 1) / threads;
  const std::uint32_t group_size = (count + groups - 1) / groups;
  threads = std::min(threads, (group_size + 31) / 32 * 32);
  nfa_class to{
      {kind, bits, words, threads, groups, static_cast<std::uint32_t>(codes.sample.size())}, {}, {}, {}, {}};
  const std::size_t num_slots = static_cast<std::size_t>(groups) * threads, word = bits / 8,
                    states = static_cast<std::size_t>(words);
  if (kind == nfa_kind::array) {
    to.fields.resize(num_slots * (1 + states * (array_set_words(to.codes) + 1)) * word);
  } else {
    to.fields.resize(num_slots * nfa_fields * states * word);
    to.rows.resize(num_slots * (to.codes + 1) * states * word);
  }
  to.motifs.assign(num_slots, no_motif);
  to.longest.assign(groups, 0);
  for (std::size_t k = 0; k < members.size(); ++k) {
    const std::size_t group = k / group_size, t = k % group_size;
    const motif& m = motifs[members[k]];
    to.motifs[group * threads + t] = members[k];
    const std::uint64_t longest = m.max_length();
    to.longest[group] =
        std::max(to.longest[group], longest == motif_element::unbounded ? ~std::uint64_t{0} : longest);
    if (kind == nfa_kind::array)
      put_array(to, group, t, m, codes, reversed);
    else if (bits == 32)
      put_masks<std::uint32_t>(to, group, t, m, codes, reversed);
    else
      put_masks<std::uint64_t>(to, group, t, m, codes, reversed);
  }
  return to;
}

} // namespace

std::uint32_t max_threads(nfa_kind kind, int word_bits, int words) {
  if (kind == nfa_kind::array || kind == nfa_kind::longer) return 256;
  return word_bits == 32 ? 1024 : words <= 2 ? 512 : 256;
}

std::vector<nfa_class> nfa_classes(const std::vector<motif>& motifs, const byte_codes& codes,
                                   const nfa_grouping& grouping) {
  class_members members;
  for (std::uint32_t k = 0; k < motifs.size(); ++k) {
    const bool is_selected =
        grouping.only.empty() || std::binary_search(grouping.only.begin(), grouping.only.end(), k);
    if (is_selected && is_searched_by_engines(motifs[k], grouping.reversed ? edge::starts : edge::ends))
      members[class_key_of(motifs[k], grouping.array)].push_back(k);
  }
  join_small_classes(members);
  std::vector<nfa_class> classes;
  for (const auto& [key, list] : members) classes.push_back(make_class(key, list, motifs, codes, grouping));
  return classes;
}

} // namespace weft::scan_detail
