// Steps that turn occurrences into matches on a device, one thread for each item. The result is the same as
// that of resolver (cpu/resolve.hpp), which processes the items in sequence.
//
// For rules of starts, an occurrence becomes a key (match_keys.hpp) whose offset is the start of the match;
// its value is the key of the end of the match. For the rule `ends`, the key has the end and the value the
// length of the match.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/scan/core/match_keys.hpp>
#include <weft/scan/core/occurrences.hpp>
#include <weft/scan/core/shift_and.hpp>
#include <weft/scan/core/walk.hpp>
#include <weft/scan/scan.hpp>

namespace weft::scan_detail {

// The tables, the text and the options that the steps need.
struct resolve_job {
  flat_motifs motifs;
  flat_automata automata; // for the rule `ends`
  const unsigned char* residues;
  sequence_index sequences;
  const std::uint32_t* unknown;     // one bit for each granule of the text: it contains an X
  const std::uint32_t* has_unknown; // 0: the text contains no X
  match_keys keys;
  match_rule rule;
  bool overlap;
  // For motifs that engines search: drop matches with more than max_x X.
  bool drops_unknown;
  bool drops_optional_start_unknown; // the same for motifs with [<M]
  std::uint64_t max_x;
};

// Special values. value_none: no match. value_deferred: left to a thread with more memory. over_max_x_flag is
// set in the value of a match with too many X if `overlap` is false, because such a match is not reported but
// later matches must not overlap it.
inline constexpr std::uint64_t value_none = 0, value_deferred = ~std::uint64_t{0},
                               over_max_x_flag = std::uint64_t{1} << 63;

// Limits for the first attempt at an item. A walk or an automaton that exceeds them is deferred to a thread
// with more memory.
inline constexpr std::uint32_t quick_choices = 16, quick_steps = 256, quick_words = 4;

[[nodiscard]] WEFT_HOST_DEVICE inline std::uint64_t size_of_sequence(const resolve_job& job,
                                                                     std::uint64_t sequence) {
  return job.sequences.offsets[sequence + 1] - job.sequences.offsets[sequence];
}

// Returns the key of an occurrence from its code.
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint64_t key_of_code(const resolve_job& job, std::uint64_t code) {
  const std::uint64_t motif = code >> position_bits,
                      position = code & ((std::uint64_t{1} << position_bits) - 1),
                      sequence = job.sequences.sequence_at(position - (job.rule == match_rule::ends ? 1 : 0));
  return job.keys.key(sequence, motif, position - job.sequences.offsets[sequence]);
}

// Returns whether a granule that overlaps [from, to) of the text contains an X.
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

// Returns the value of a key if no walk is needed: all matches of the motif have the same length, and there
// is no X near the match. Returns value_none for a motif with [<M], because fill_optional_start_values() sets
// the values of its starts; otherwise value_deferred.
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint64_t value_without_walk(const resolve_job& job,
                                                                       std::uint64_t key) {
  const flat_motif& m = job.motifs.motifs[job.keys.motif_of(key)];
  const std::uint64_t length = m.fixed_length, begin = job.keys.offset_of(key);
  if (job.rule == match_rule::ends) return length == 0 ? value_deferred : job.keys.with_offset(key, length);
  if ((m.flags & flat_motif::optional_start) != 0) return value_none;
  if (length == 0) return value_deferred;
  const std::uint64_t value = job.keys.with_offset(key, begin + length);
  if (!job.drops_unknown || *job.has_unknown == 0) return value;
  const std::uint64_t origin = job.sequences.offsets[job.keys.sequence_of(key)];
  return may_have_unknown(job, origin + begin, origin + begin + length) ? value_deferred : value;
}

// Returns the value of the key of a start, except for motifs with [<M]. `walk`: a walker or an object that is
// called like one.
template <class Walk>
[[nodiscard]] WEFT_HOST_DEVICE std::uint64_t resolve_start(const resolve_job& job, Walk& walk,
                                                           std::uint64_t key) {
  const flat_motif m = job.motifs.motifs[job.keys.motif_of(key)];
  const std::uint64_t begin = job.keys.offset_of(key), sequence = job.keys.sequence_of(key),
                      origin = job.sequences.offsets[sequence];
  const std::uint64_t end = walk(m, job.residues + origin, size_of_sequence(job, sequence), begin, 0);
  if (end == walk_gave_up) return value_deferred;
  if (end == no_match || end == begin) return value_none;
  const std::uint64_t value = job.keys.with_offset(key, end);
  if (!job.drops_unknown || !may_have_unknown(job, origin + begin, origin + end) ||
      walk.unknown(m) <= job.max_x)
    return value;
  return job.overlap ? value_none : value | over_max_x_flag;
}

// Calls sink(begin, end) for all matches of a motif with [<M] in a sequence, as scan_one() finds them, except
// for matches with too many X. `walk` must not give up. For rules of starts only: engines find the ends of
// these motifs.
template <class Walk, class Sink>
WEFT_HOST_DEVICE void find_optional_start_matches(const resolve_job& job, Walk& walk, std::uint64_t sequence,
                                                  std::uint32_t motif, Sink&& sink) {
  const flat_motif m = job.motifs.motifs[motif];
  const std::uint64_t origin = job.sequences.offsets[sequence], size = size_of_sequence(job, sequence);
  const bool searches = job.rule == match_rule::ps_scan;
  for (std::uint64_t start = 0, search = 0; start < size; ++start) {
    const std::uint64_t end = walk(m, job.residues + origin, size, start, searches ? search : 0);
    if (end != no_match) {
      if (end > start &&
          !(job.drops_optional_start_unknown && may_have_unknown(job, origin + start, origin + end) &&
            walk.unknown(m) > job.max_x))
        sink(start, end);
      search = job.overlap || end == start ? start + 1 : end;
      if (searches) start = search - 1;
    }
    if ((m.flags & flat_motif::anchor_n) != 0) break;
  }
}

// Returns such a match as an occurrence in the form that engines write.
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint64_t
code_of_start(const resolve_job& job, std::uint64_t sequence, std::uint64_t motif, std::uint64_t begin) {
  return motif << position_bits | (job.sequences.offsets[sequence] + begin);
}

// Sets the values of the motif's matches in the sequence. keys[0 .. n-1] ascends and contains the keys of all
// of them.
template <class Walk>
WEFT_HOST_DEVICE void fill_optional_start_values(const resolve_job& job, Walk& walk, std::uint64_t sequence,
                                                 std::uint32_t motif, const std::uint64_t* keys,
                                                 std::uint64_t n, std::uint64_t* values) {
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
  find_optional_start_matches(job, walk, sequence, motif, [&](std::uint64_t, std::uint64_t end) {
    *value++ = job.keys.with_offset(first, end);
  });
}

// Returns the number of residues of the shortest match that ends at offset `end` of a sequence, or 0 if there
// is none. `state`: memory for the automaton's state. backward_matcher does the same on the CPU.
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
    if (i + 1 == end) // read from the right, matches begin at `end` only
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

// Returns the value of the key of an end. `state`: memory for the state of the motif's automaton.
template <class State>
[[nodiscard]] WEFT_HOST_DEVICE std::uint64_t resolve_end(const resolve_job& job, State&& state,
                                                         std::uint64_t key) {
  const std::uint64_t sequence = job.keys.sequence_of(key);
  const std::uint64_t length = shortest_before(job.automata, job.keys.motif_of(key), state,
                                               job.residues + job.sequences.offsets[sequence],
                                               size_of_sequence(job, sequence), job.keys.offset_of(key));
  return length == 0 ? value_none : job.keys.with_offset(key, length);
}

// Without overlap, the matches of a motif in a sequence are selected from left to right: a match is reported
// if it begins at or behind the end of the last reported match. A match that no earlier match reaches into is
// reported in any case. Such a match begins a run, and runs can be processed independently.
//
// begins_run() returns whether item i begins a run. reached[i]: the maximum of values 0 .. i without
// over_max_x_flag.
[[nodiscard]] WEFT_HOST_DEVICE inline bool begins_run(const std::uint64_t* keys, const std::uint64_t* reached,
                                                      std::uint64_t i) {
  return i == 0 || reached[i - 1] <= keys[i];
}
// Processes the run that begins with item `first`: sets the values of matches that are not reported to
// value_none.
WEFT_HOST_DEVICE inline void select_without_overlap(const std::uint64_t* keys, const std::uint64_t* reached,
                                                    std::uint64_t* values, std::uint64_t first,
                                                    std::uint64_t n) {
  std::uint64_t next = 0; // the least key at which the next reported match may begin
  for (std::uint64_t i = first; i < n && (i == first || !begins_run(keys, reached, i)); ++i) {
    const std::uint64_t value = values[i];
    if (value == value_none) continue;
    const bool taken = keys[i] >= next;
    if (taken) next = value & ~over_max_x_flag;
    if (!taken || (value & over_max_x_flag) != 0) values[i] = value_none;
  }
}

// Begin and end of a match in its sequence, from its key and its value.
struct match_range {
  std::uint64_t begin, end;
};
[[nodiscard]] WEFT_HOST_DEVICE inline match_range range_of(const resolve_job& job, std::uint64_t key,
                                                           std::uint64_t value) {
  const std::uint64_t offset = job.keys.offset_of(key), other = job.keys.offset_of(value);
  if (job.rule != match_rule::ends) return {offset, other};
  return {offset - other, offset};
}

} // namespace weft::scan_detail
