// Finds the first alternative of a motif at one start: the match that a backtracking matcher finds.
//
//   match(element k, position p):
//     if k is past the last element: succeed (if not anchored at the end, or p is the end)
//     for each count c of element k that the text allows from p, in the order of next_count():
//       if match(k + 1, p + c): succeed
//     fail
//
// The code below differs from that in four points:
// (1) Fixed elements are no choice points.
// (2) The recursion is a stack of choices, in memory that the caller provides.
// (3) A walk may remember each choice point (k, p) that has failed, because it fails however it is reached.
//     Without that, several gaps in a row take exponential time on texts like poly-Q. With it, the time is
//     O(flexible elements * length of the longest match * widest gap).
// (4) A walk gives up if its stack is full or if it has gone back too often. So most walks need no memory for
//     failures: those that give up are repeated with it.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/scan/core/flat_motifs.hpp>

namespace weft::scan_detail {

inline constexpr std::uint64_t no_match = ~std::uint64_t{0};

// Returns the count that a flexible element tries first if it can take `run` residues.
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint64_t first_count(bool lazy, std::uint64_t min,
                                                                std::uint64_t run) {
  return lazy && min < run ? min : run;
}

// Moves `count` to the count that is tried next; returns false after the last one. A greedy element tries
// run, run - 1, ..., 0. A lazy one tries min, ..., run, and then min - 1, ..., 0, because ps_scan.pl's
// regular expression for [<M](n,m) repeats M n times before it takes the start of the sequence for one of the
// M. Counts below min match only where the bracket's anchor holds.
[[nodiscard]] WEFT_HOST_DEVICE inline bool next_count(bool lazy, std::uint64_t min, std::uint64_t run,
                                                      std::uint64_t& count) {
  if (lazy && count >= min) {
    if (count < run) {
      ++count;
      return true;
    }
    count = min;
  }
  if (count == 0) return false;
  --count;
  return true;
}

inline constexpr std::uint64_t walk_gave_up = no_match - 1;

// A choice on the stack: a flexible element took `count` of the `run` residues that it could take from
// `position`.
struct walk_choice {
  std::uint64_t position, count, run;
  std::uint32_t element;
};

// Remembers no failures.
struct no_failures {
  WEFT_HOST_DEVICE static bool is_known(std::uint64_t) { return false; }
  WEFT_HOST_DEVICE static void record(std::uint64_t) {}
};

// Remembers failures as bits in memory of the caller: one for each pair of a flexible element and a position.
struct noted_failures {
  std::uint32_t* bits; // all 0 before a walk
  // Returns the number of words for `count` bits.
  [[nodiscard]] static constexpr std::uint64_t words_for(std::uint64_t count) { return count / 32 + 1; }
  // Sets `count` bits to 0.
  WEFT_HOST_DEVICE void clear(std::uint64_t count) const {
    for (std::uint64_t i = 0; i <= count / 32; ++i) bits[i] = 0;
  }
  WEFT_HOST_DEVICE bool is_known(std::uint64_t i) const { return (bits[i / 32] >> i % 32 & 1) != 0; }
  WEFT_HOST_DEVICE void record(std::uint64_t i) const { bits[i / 32] |= std::uint32_t{1} << i % 32; }
};

WEFT_HOST_DEVICE inline bool is_unknown(unsigned char c) { return (c | 0x20) == 'x'; }

// Finds the first alternative of motifs, in memory that the caller provides.
template <class Failures> class walker {
public:
  // `choices`: memory for max_choices choices. The walk goes back at most max_steps times.
  WEFT_HOST_DEVICE walker(const flat_motifs& motifs, walk_choice* choices, std::uint32_t max_choices,
                          std::uint64_t max_steps, Failures failures = {})
      : motifs_(motifs), choices_(choices), max_choices_(max_choices), max_steps_(max_steps),
        failures_(failures) {}

  // Returns the end of the first alternative of `m` that begins at `begin` (it equals `begin` for an empty
  // match), no_match, or walk_gave_up. `text` is one whole sequence of `size` residues. [<M] takes `start`
  // for the start of the sequence.
  WEFT_HOST_DEVICE std::uint64_t operator()(const flat_motif& m, const unsigned char* text,
                                            std::uint64_t size, std::uint64_t begin, std::uint64_t start) {
    text_ = text;
    size_ = size;
    begin_ = begin;
    start_ = start;
    flexible_ = m.flexible;
    num_choices_ = 0;
    if ((m.flags & flat_motif::anchor_n) != 0 && begin != 0) return no_match;
    const bool to_end = (m.flags & flat_motif::anchor_c) != 0;
    std::uint64_t position = begin, steps = 0;
    std::uint32_t element = m.first_element;
    for (;;) {
      while (element != m.last_element) {
        const take_result how = take(element, position);
        if (how == take_result::stack_full) return walk_gave_up;
        if (how == take_result::failed) break;
        ++element;
      }
      if (element == m.last_element && (!to_end || position == size)) return position;
      if (!backtrack(element, position)) return no_match;
      if (++steps > max_steps_) return walk_gave_up;
    }
  }

  // Returns how many X of the text were accepted by letters and [..] in the alternative found last, a match
  // of `m`.
  [[nodiscard]] WEFT_HOST_DEVICE std::uint64_t unknown(const flat_motif& m) const {
    std::uint64_t unknown = 0, position = begin_;
    const walk_choice* choice = choices_;
    for (std::uint32_t k = m.first_element; k != m.last_element; ++k) {
      const flat_element& e = motifs_.elements[k];
      const std::uint64_t count = (e.flags & flat_element::flexible) != 0 ? (choice++)->count : e.min;
      if ((e.flags & flat_element::counts_unknown) != 0)
        for (std::uint64_t i = 0; i < count; ++i) unknown += is_unknown(text_[position + i]);
      position += count;
    }
    return unknown;
  }

private:
  enum class take_result { taken, failed, stack_full };

  [[nodiscard]] WEFT_HOST_DEVICE bool accepts(const flat_element& e, std::uint64_t position) const {
    const std::uint32_t c = text_[position];
    return (motifs_.classes[e.cls * 8 + c / 32] >> c % 32 & 1) != 0;
  }

  WEFT_HOST_DEVICE take_result take(std::uint32_t element, std::uint64_t& position) {
    const flat_element e = motifs_.elements[element];
    if ((e.flags & flat_element::flexible) == 0)
      return take_fixed(e, position) ? take_result::taken : take_result::failed;
    if (failures_.is_known(failure_index(e, position))) return take_result::failed;
    if (num_choices_ == max_choices_) return take_result::stack_full;
    walk_choice c{position, 0, longest_run(e, position), element};
    c.count = first_count((e.flags & flat_element::lazy) != 0, e.min, c.run);
    if (!is_allowed(e, c) && !advance(e, c)) {
      failures_.record(failure_index(e, position));
      return take_result::failed;
    }
    choices_[num_choices_++] = c;
    position += c.count;
    return take_result::taken;
  }

  WEFT_HOST_DEVICE bool take_fixed(const flat_element& e, std::uint64_t& position) const {
    if (size_ - position < e.min) return false;
    if ((e.flags & flat_element::any) == 0)
      for (std::uint32_t i = 0; i < e.min; ++i)
        if (!accepts(e, position + i)) return false;
    position += e.min;
    return true;
  }

  [[nodiscard]] WEFT_HOST_DEVICE std::uint64_t longest_run(const flat_element& e,
                                                           std::uint64_t position) const {
    std::uint64_t max_run = size_ - position, run = 0;
    if (e.max != motif_element::unbounded && e.max < max_run) max_run = e.max;
    if ((e.flags & flat_element::any) != 0) return max_run;
    while (run < max_run && accepts(e, position + run)) ++run;
    return run;
  }

  // Returns whether the choice's count is allowed. A count below min is allowed only where the bracket's
  // anchor holds.
  [[nodiscard]] WEFT_HOST_DEVICE bool is_allowed(const flat_element& e, const walk_choice& c) const {
    return c.count >= e.min || ((e.flags & flat_element::or_end) != 0 && c.position + c.count == size_) ||
           ((e.flags & flat_element::or_start) != 0 && c.position == start_);
  }

  // Moves the choice to its next allowed count. Returns false if there is none.
  WEFT_HOST_DEVICE bool advance(const flat_element& e, walk_choice& c) const {
    const bool lazy = (e.flags & flat_element::lazy) != 0;
    while (next_count(lazy, e.min, c.run, c.count))
      if (is_allowed(e, c)) return true;
    return false;
  }

  // Moves the last choice that has another allowed count, and drops the choices behind it. Returns false if
  // there is none.
  WEFT_HOST_DEVICE bool backtrack(std::uint32_t& element, std::uint64_t& position) {
    while (num_choices_ != 0) {
      walk_choice& c = choices_[num_choices_ - 1];
      const flat_element e = motifs_.elements[c.element];
      if (advance(e, c)) {
        element = c.element + 1;
        position = c.position + c.count;
        return true;
      }
      failures_.record(failure_index(e, c.position));
      --num_choices_;
    }
    return false;
  }

  [[nodiscard]] WEFT_HOST_DEVICE std::uint64_t failure_index(const flat_element& e,
                                                             std::uint64_t position) const {
    return (position - begin_) * flexible_ + (e.flags >> flat_element::order_shift);
  }

  flat_motifs motifs_;
  walk_choice* choices_;
  std::uint32_t max_choices_, num_choices_ = 0, flexible_ = 0;
  std::uint64_t max_steps_;
  Failures failures_;
  const unsigned char* text_ = nullptr;
  std::uint64_t size_ = 0, begin_ = 0, start_ = 0;
};

// After so many steps back, a patient walk is repeated with memory for failures.
inline constexpr std::uint64_t walk_patience = 4096;

// A walk that never gives up, called like a walker. It starts without failure bits and uses them only if it
// goes back often. `Failures` is noted_failures, or a type with the same functions.
template <class Failures> class patient_walker {
public:
  // `choices` needs memory for all flexible elements of a motif, `failures` for failure_bits() bits.
  WEFT_HOST_DEVICE patient_walker(const flat_motifs& motifs, walk_choice* choices, std::uint32_t max_choices,
                                  Failures failures)
      : failures_(failures), quick_(motifs, choices, max_choices, walk_patience),
        patient_(motifs, choices, max_choices, ~std::uint64_t{0}, failures) {}

  WEFT_HOST_DEVICE std::uint64_t operator()(const flat_motif& m, const unsigned char* text,
                                            std::uint64_t size, std::uint64_t begin, std::uint64_t start) {
    const std::uint64_t end = quick_(m, text, size, begin, start);
    was_quick_ = end != walk_gave_up;
    if (was_quick_) return end;
    const std::uint64_t left = size - begin, longest = m.max_length < left ? m.max_length : left;
    failures_.clear(m.flexible * (longest + 1));
    return patient_(m, text, size, begin, start);
  }
  [[nodiscard]] WEFT_HOST_DEVICE std::uint64_t unknown(const flat_motif& m) const {
    return was_quick_ ? quick_.unknown(m) : patient_.unknown(m);
  }

private:
  Failures failures_;
  walker<no_failures> quick_;
  walker<Failures> patient_;
  bool was_quick_ = true;
};

} // namespace weft::scan_detail
