// From occurrences to matches, one at a time and each by itself, as resolver (cpu/resolve.hpp) has them one
// after another: steps for threads of a device.
//
// An occurrence becomes a key (match_keys) whose place is its start; its value becomes the key of its end.
// Of ends (rule ends) the key has the end, and the value the length.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/scan/core/flat_walk.hpp>
#include <weft/scan/core/match_keys.hpp>
#include <weft/scan/core/occurrences.hpp>
#include <weft/scan/core/shift_and.hpp>
#include <weft/scan/scan.hpp>

namespace weft::scan_detail {

struct resolve_job {
  flat_motifs motifs;
  flat_automata automata; // for rule ends
  const unsigned char* residues;
  sequence_index sequences;
  const std::uint32_t* unknown;     // a bit a granule of the text: it has an X
  const std::uint32_t* has_unknown; // 0: there is none at all
  match_keys keys;
  match_rule rule;
  bool overlap;
  bool drops_unknown;       // of motifs that engines find: more than max_x X are too many
  bool drops_start_unknown; // of motifs with [<M]
  std::uint64_t max_x;
};

// Values beside keys: no match; left to a walk with more memory. A match with too many X has the bit on top
// where overlap is false: those that follow must not begin in it.
inline constexpr std::uint64_t value_none = 0, value_left = ~std::uint64_t{0},
                               too_many_unknown = std::uint64_t{1} << 63;

// What a thread tries before it leaves a walk or an automaton to one with more memory.
inline constexpr std::uint32_t few_choices = 16, few_steps = 256, few_words = 4;

[[nodiscard]] WEFT_HOST_DEVICE inline std::uint64_t size_of_sequence(const resolve_job& job,
                                                                     std::uint64_t sequence) {
  return job.sequences.offsets[sequence + 1] - job.sequences.offsets[sequence];
}

// found: motif << found_position_bits | position, of a start or one behind an end.
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint64_t key_of_found(const resolve_job& job,
                                                                 std::uint64_t found) {
  const std::uint64_t motif = found >> found_position_bits,
                      position = found & ((std::uint64_t{1} << found_position_bits) - 1),
                      sequence = job.sequences.sequence_at(position - (job.rule == match_rule::ends ? 1 : 0));
  return job.keys.key(sequence, motif, position - job.sequences.offsets[sequence]);
}

// Whether a granule that [from, to) of the text has a part in has an X.
[[nodiscard]] WEFT_HOST_DEVICE inline bool may_have_unknown(const resolve_job& job, std::uint64_t from,
                                                            std::uint64_t to) {
  if (*job.has_unknown == 0 || from == to) return false;
  const std::uint64_t first = from / sequence_index::granule, last = (to - 1) / sequence_index::granule;
  for (std::uint64_t word = first / 32; word <= last / 32; ++word) {
    std::uint32_t bits = job.unknown[word];
    if (word == first / 32) bits &= ~std::uint32_t{0} << first % 32;
    if (word == last / 32) bits &= ~std::uint32_t{0} >> (31 - last % 32);
    if (bits != 0) return true;
  }
  return false;
}

// The value of a key where the engine has decided all there is to it, as all matches of its motif have one
// length, and no X near; value_none for a motif with [<M], whose values of starts are filled in; else
// value_left.
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint64_t value_at_once(const resolve_job& job, std::uint64_t key) {
  const flat_motif& m = job.motifs.motifs[job.keys.motif_of(key)];
  const std::uint64_t length = m.fixed_length, begin = job.keys.place_of(key);
  if (job.rule == match_rule::ends) return length == 0 ? value_left : job.keys.moved(key, length);
  if ((m.flags & flat_motif::from_start) != 0) return value_none;
  if (length == 0) return value_left;
  const std::uint64_t value = job.keys.moved(key, begin + length);
  if (!job.drops_unknown || *job.has_unknown == 0) return value;
  const std::uint64_t origin = job.sequences.offsets[job.keys.sequence_of(key)];
  return may_have_unknown(job, origin + begin, origin + begin + length) ? value_left : value;
}

// The value of a start, but of a motif with [<M]. walk: a flat_walker, or what is called as one.
template <class Walk>
[[nodiscard]] WEFT_HOST_DEVICE std::uint64_t resolve_start(const resolve_job& job, Walk& walk,
                                                           std::uint64_t key) {
  const flat_motif m = job.motifs.motifs[job.keys.motif_of(key)];
  const std::uint64_t begin = job.keys.place_of(key), sequence = job.keys.sequence_of(key),
                      origin = job.sequences.offsets[sequence];
  const std::uint64_t end = walk(m, job.residues + origin, size_of_sequence(job, sequence), begin, 0);
  if (end == walk_gave_up) return value_left;
  if (end == no_match || end == begin) return value_none;
  const std::uint64_t value = job.keys.moved(key, end);
  if (!job.drops_unknown || !may_have_unknown(job, origin + begin, origin + end) ||
      walk.unknown(m) <= job.max_x)
    return value;
  return job.overlap ? value_none : value | too_many_unknown;
}

// All matches of a motif with [<M] in a sequence, as scan_one() finds them, but for those with too many X:
// sink(begin, end). walk must not give up. For rules of starts: ends are found by engines.
template <class Walk, class Sink>
WEFT_HOST_DEVICE void scan_from_starts(const resolve_job& job, Walk& walk, std::uint64_t sequence,
                                       std::uint32_t motif, Sink&& sink) {
  const flat_motif m = job.motifs.motifs[motif];
  const std::uint64_t origin = job.sequences.offsets[sequence], size = size_of_sequence(job, sequence);
  const bool searches = job.rule == match_rule::ps_scan;
  for (std::uint64_t start = 0, search = 0; start < size; ++start) {
    const std::uint64_t end = walk(m, job.residues + origin, size, start, searches ? search : 0);
    if (end != no_match) {
      if (end > start && !(job.drops_start_unknown && may_have_unknown(job, origin + start, origin + end) &&
                           walk.unknown(m) > job.max_x))
        sink(start, end);
      search = job.overlap || end == start ? start + 1 : end;
      if (searches) start = search - 1;
    }
    if ((m.flags & flat_motif::anchor_n) != 0) break;
  }
}

// The number of such a match, as engines have them.
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint64_t
found_from_start(const resolve_job& job, std::uint64_t sequence, std::uint64_t motif, std::uint64_t begin) {
  return motif << found_position_bits | (job.sequences.offsets[sequence] + begin);
}

// The matches' values where their keys stand: keys[0 .. n-1], ascending, has the keys of all of them.
template <class Walk>
WEFT_HOST_DEVICE void fill_from_starts(const resolve_job& job, Walk& walk, std::uint64_t sequence,
                                       std::uint32_t motif, const std::uint64_t* keys, std::uint64_t n,
                                       std::uint64_t* values) {
  const std::uint64_t first = job.keys.key(sequence, motif, 0);
  std::uint64_t low = 0, high = n;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (keys[middle] < first)
      low = middle + 1;
    else
      high = middle;
  }
  std::uint64_t* value = values + low;
  scan_from_starts(job, walk, sequence, motif,
                   [&](std::uint64_t, std::uint64_t end) { *value++ = job.keys.moved(first, end); });
}

// Residues of the shortest match that ends at `end` of a sequence; 0: there is none. state: words for the
// automaton. As backward_matcher.
template <class State>
[[nodiscard]] WEFT_HOST_DEVICE std::uint64_t
shortest_before(const flat_automata& automata, std::uint32_t motif, State&& state, const unsigned char* text,
                std::uint64_t size, std::uint64_t end) {
  const flat_automaton automaton = automata.automata[motif];
  const auto words = static_cast<int>(automaton.words);
  const std::uint64_t* const masks = automata.masks + automaton.masks;
  const auto mask = [masks, words](std::uint32_t which) { return masks + which * words; };
  for (int i = 0; i < words; ++i) state[i] = 0;
  for (std::uint64_t i = end; i-- > 0;) {
    const std::uint64_t* const accepts = mask(flat_automata::masks_before_rows + automata.code_of[text[i]]);
    if (i + 1 == end) // matches begin, from the right, here and nowhere else
      consume(state, mask(end == size ? flat_automata::entry_first : flat_automata::entry),
              mask(flat_automata::repeats), accepts, words);
    else
      consume(state, no_bits{}, mask(flat_automata::repeats), accepts, words);
    flood(state, mask(flat_automata::before), mask(flat_automata::last), words);
    const std::uint64_t* const accept = mask(i == 0 ? flat_automata::accept_last : flat_automata::accept);
    std::uint64_t hit = 0, any = 0;
    for (int w = 0; w < words; ++w) {
      hit |= state[w] & accept[w];
      any |= state[w];
    }
    if (hit != 0) return end - i;
    if (any == 0) return 0;
  }
  return 0;
}

// The value of an end. state: words for the motif's automaton.
template <class State>
[[nodiscard]] WEFT_HOST_DEVICE std::uint64_t resolve_end(const resolve_job& job, State&& state,
                                                         std::uint64_t key) {
  const std::uint64_t sequence = job.keys.sequence_of(key);
  const std::uint64_t length = shortest_before(job.automata, job.keys.motif_of(key), state,
                                               job.residues + job.sequences.offsets[sequence],
                                               size_of_sequence(job, sequence), job.keys.place_of(key));
  return length == 0 ? value_none : job.keys.moved(key, length);
}

// Without overlap, the matches of a motif in a sequence are taken in turn, each that begins at or behind the
// end of the one taken last. Where none of those before reaches over a match's start that one is taken
// anyway: a run begins with it, and needs nobody's word for it.
// reached[i]: the greatest of values 0 .. i, without too_many_unknown.
[[nodiscard]] WEFT_HOST_DEVICE inline bool begins_run(const std::uint64_t* keys, const std::uint64_t* reached,
                                                      std::uint64_t i) {
  return i == 0 || reached[i - 1] <= keys[i];
}
// The run that begins with item `first`: leaves value_none for those that are not reported.
WEFT_HOST_DEVICE inline void take_in_turn(const std::uint64_t* keys, const std::uint64_t* reached,
                                          std::uint64_t* values, std::uint64_t first, std::uint64_t n) {
  std::uint64_t next = 0; // the key that the next one begins at, or behind
  for (std::uint64_t i = first; i < n && (i == first || !begins_run(keys, reached, i)); ++i) {
    const std::uint64_t value = values[i];
    if (value == value_none) continue;
    const bool taken = keys[i] >= next;
    if (taken) next = value & ~too_many_unknown;
    if (!taken || (value & too_many_unknown) != 0) values[i] = value_none;
  }
}

// Begin and end of what a key and its value say.
struct match_places {
  std::uint64_t begin, end;
};
[[nodiscard]] WEFT_HOST_DEVICE inline match_places places_of(const resolve_job& job, std::uint64_t key,
                                                             std::uint64_t value) {
  const std::uint64_t place = job.keys.place_of(key), other = job.keys.place_of(value);
  if (job.rule != match_rule::ends) return {place, other};
  return {place - other, place};
}

} // namespace weft::scan_detail
