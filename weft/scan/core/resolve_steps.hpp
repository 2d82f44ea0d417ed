// Steps that turn occurrences into matches, for the CPU and for GPUs.
//
// The first steps read the text: they find the end of a start (match_at), the begin of an end
// (shortest_before), and the matches of optional-start motifs (find_matches_stepwise). Both devices use them.
//
// The others are for GPUs, which process each item in a thread of its own; resolver (cpu/resolve.hpp) has the
// same result, but processes the items in sequence. For rules of starts, an occurrence becomes a key
// (match_keys.hpp) whose offset is the start of the match; its value is the key of the end of the match. For
// the rule `ends`, the key has the end and the value the length of the match.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/scan/core/match_keys.hpp>
#include <weft/scan/core/occurrences.hpp>
#include <weft/scan/core/shift_and.hpp>
#include <weft/scan/core/walk.hpp>
#include <weft/scan/scan.hpp>

namespace weft::scan_detail {

// Decides which matches the rule drops because letters and [..] accept too many X of the text in them.
struct unknown_limit {
  bool applies;                    // to matches whose starts engines find
  bool applies_to_optional_starts; // to matches of optional-start motifs
  std::uint64_t max_x;             // the largest number of X that is not too many

  [[nodiscard]] static unknown_limit of(const scan_options& options, alphabet letters) {
    const bool counts = options.rule == match_rule::ps_scan && options.max_x >= 0;
    return {counts && letters == alphabet::protein, counts,
            static_cast<std::uint64_t>(options.max_x < 0 ? 0 : options.max_x)};
  }
};

// The match at a start.
struct start_match {
  std::uint64_t end;  // or no_match or walk_gave_up
  bool exceeds_max_x; // the match has too many X
};

// Returns the match that begins at `begin` of a sequence. `walk` is a walker or an object that is called like
// one. may_have_unknown(begin, end) returns whether the residues [begin, end) of the sequence may include an
// X.
template <class Walk, class MayHaveUnknown>
[[nodiscard]] WEFT_HOST_DEVICE start_match match_at(const flat_motif& m, const unsigned char* text,
                                                    std::uint64_t size, std::uint64_t begin, Walk& walk,
                                                    const unknown_limit& limit,
                                                    const MayHaveUnknown& may_have_unknown) {
  const std::uint64_t end = walk(m, text, size, begin, 0);
  if (end == walk_gave_up || end == no_match || end == begin || !limit.applies ||
      !may_have_unknown(begin, end))
    return {end, false};
  return {end, walk.unknown(m) > limit.max_x};
}

// The starts that find_matches_stepwise() tries: from `next` on, up to `last`, which is excluded.
// `sequence_start` is the position that [<M] takes for the start of the sequence.
struct stepwise_starts {
  std::uint64_t next = 0, last = 0, sequence_start = 0;
};

// Calls sink(begin, end) for the matches of one motif in one sequence, one after another, as ps_scan.pl finds
// them. This function defines the rules ps_scan and starts. It is the only one that handles optional-start
// motifs, because ps_scan takes every position where the search goes on after a match for the start of the
// sequence. Updates `starts`, so that a later call can go on with a larger `last`. `walk` is called like a
// walker and never gives up; while sink() runs, it has the alternative of the match.
template <class Walk, class Sink>
WEFT_HOST_DEVICE void find_matches_stepwise(const flat_motif& m, const unsigned char* text,
                                            std::uint64_t size, match_rule rule, bool overlap, Walk& walk,
                                            stepwise_starts& starts, Sink&& sink) {
  const bool searches = rule == match_rule::ps_scan;
  const std::uint64_t last = starts.last < size ? starts.last : size;
  for (; starts.next < last; ++starts.next) {
    const std::uint64_t begin = starts.next;
    if ((m.flags & flat_motif::anchor_n) != 0 && begin > 0) {
      starts.next = size;
      return;
    }
    const std::uint64_t end = walk(m, text, size, begin, searches ? starts.sequence_start : 0);
    if (end == no_match) continue;
    if (end > begin) sink(begin, end);
    starts.sequence_start = overlap || end == begin ? begin + 1 : end;
    if (searches) starts.next = starts.sequence_start - 1;
  }
}

// The tables, the text and the options that the steps of a GPU need.
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
  unknown_limit limit;
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
  if (!job.limit.applies || *job.has_unknown == 0) return value;
  const std::uint64_t origin = job.sequences.offsets[job.keys.sequence_of(key)];
  return may_have_unknown(job, origin + begin, origin + begin + length) ? value_deferred : value;
}

// Returns the value of the key of a start, except for optional-start motifs. `walk`: a walker or an object
// that is called like one.
template <class Walk>
[[nodiscard]] WEFT_HOST_DEVICE std::uint64_t resolve_start(const resolve_job& job, Walk& walk,
                                                           std::uint64_t key) {
  const flat_motif m = job.motifs.motifs[job.keys.motif_of(key)];
  const std::uint64_t begin = job.keys.offset_of(key), sequence = job.keys.sequence_of(key),
                      origin = job.sequences.offsets[sequence];
  const start_match match = match_at(m, job.residues + origin, size_of_sequence(job, sequence), begin, walk,
                                     job.limit, [&](std::uint64_t from, std::uint64_t to) {
                                       return may_have_unknown(job, origin + from, origin + to);
                                     });
  if (match.end == walk_gave_up) return value_deferred;
  if (match.end == no_match || match.end == begin) return value_none;
  const std::uint64_t value = job.keys.with_offset(key, match.end);
  if (!match.exceeds_max_x) return value;
  return job.overlap ? value_none : value | over_max_x_flag;
}

// Calls sink(begin, end) for all matches of an optional-start motif in a sequence, except for matches with
// too many X. For rules of starts only: engines find the ends of these motifs.
template <class Walk, class Sink>
WEFT_HOST_DEVICE void find_optional_start_matches(const resolve_job& job, Walk& walk, std::uint64_t sequence,
                                                  std::uint32_t motif, Sink&& sink) {
  const flat_motif m = job.motifs.motifs[motif];
  const std::uint64_t origin = job.sequences.offsets[sequence], size = size_of_sequence(job, sequence);
  stepwise_starts starts{0, size, 0};
  find_matches_stepwise(m, job.residues + origin, size, job.rule, job.overlap, walk, starts,
                        [&](std::uint64_t begin, std::uint64_t end) {
                          if (job.limit.applies_to_optional_starts &&
                              may_have_unknown(job, origin + begin, origin + end) &&
                              walk.unknown(m) > job.limit.max_x)
                            return;
                          sink(begin, end);
                        });
}

// Returns the code of such a match, as engines write it for other motifs.
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
// is none. `state`: memory for the automaton's state.
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
