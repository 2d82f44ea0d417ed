// Finds the first alternative of a motif at one start: the match that a backtracking matcher finds.
//
//   match(element k, position p):
//     if k is past the last element: succeed (if not anchored at the end, or p is the end)
//     for each count c of element k that the text allows from p, in the order of next_count():
//       if match(k + 1, p + c): succeed
//     fail
//
// The code below differs from that in three points:
// (1) Fixed elements are no choice points.
// (2) The recursion is a stack of counts.
// (3) After `patience` steps, a choice point (k, p) that has failed is remembered, because it fails however
//     it is reached. Without that, several gaps in a row take exponential time on texts like poly-Q. With
//     it, the time is O(flexible elements * length of the longest match * widest gap).
#pragma once

#include <cstdint>
#include <span>
#include <vector>
#include <weft/base/host_device.hpp>
#include <weft/scan/motif.hpp>

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

// Finds the first alternative of motifs, and keeps its memory between calls.
class walker {
public:
  // Returns the end of the first alternative of `m` that begins at `begin` (it equals `begin` for an empty
  // match), or no_match. `text` is one whole sequence. [<M] takes `start` for the start of the sequence.
  std::uint64_t operator()(const motif& m, std::string_view text, std::uint64_t begin,
                           std::uint64_t start = 0) {
    motif_ = &m;
    text_ = text;
    begin_ = begin;
    start_ = start;
    steps_ = 0;
    failed_.clear();
    choices_.clear();
    if (m.anchor_n && begin != 0) return no_match;
    return walk();
  }

  // Sets `taken` to the residues that each element took in the alternative found last.
  void counts(std::vector<std::uint64_t>& taken) const {
    taken.clear();
    for (const motif_element& element : motif_->elements) taken.push_back(element.min);
    for (const choice& c : choices_) taken[c.element] = c.count;
  }

private:
  static constexpr std::uint64_t patience = 4096;

  // A choice point on the stack: a flexible element, its position, and the count that it takes now.
  struct choice {
    std::uint32_t element;
    std::uint64_t position, count,
        run; // run: residues that the element can take from the position, at most its max.
  };

  bool accepts(const motif_element& element, std::uint64_t position) const {
    return element.accepts[static_cast<unsigned char>(text_[position])];
  }

  static bool is_flexible(const motif_element& element) {
    return element.min != element.max || element.or_sequence_start || element.or_sequence_end;
  }

  // Returns whether the choice's count is allowed. A count below min is allowed only where the bracket's
  // anchor holds.
  bool is_allowed(const choice& c) const {
    const motif_element& element = motif_->elements[c.element];
    return c.count >= element.min || (element.or_sequence_end && c.position + c.count == text_.size()) ||
           (element.or_sequence_start && c.position == start_);
  }

  // Moves the choice to its next allowed count, or to its first one if `is_first`. Returns false if there is
  // none.
  bool advance(choice& c, bool is_first) const {
    const motif_element& element = motif_->elements[c.element];
    if (is_first) {
      c.count = first_count(element.lazy, element.min, c.run);
      if (is_allowed(c)) return true;
    }
    while (next_count(element.lazy, element.min, c.run, c.count))
      if (is_allowed(c)) return true;
    return false;
  }

  std::uint64_t walk() {
    const auto& elements = motif_->elements;
    std::uint64_t position = begin_;
    std::uint32_t element = 0;
    for (;;) {
      const bool done = element == elements.size();
      if (done && (!motif_->anchor_c || position == text_.size())) return position;
      if (!done && !is_flexible(elements[element])) {
        if (take_fixed(elements[element], position)) {
          ++element;
          continue;
        }
      } else if (!done && !is_known_failure(element, position)) {
        choices_.push_back({element, position, 0, longest_run(elements[element], position)});
        if (advance(choices_.back(), true)) {
          position += choices_.back().count;
          ++element;
          continue;
        }
        drop_choice();
      }
      while (!choices_.empty() && !advance(choices_.back(), false)) drop_choice();
      if (choices_.empty()) return no_match;
      position = choices_.back().position + choices_.back().count;
      element = choices_.back().element + 1;
      ++steps_;
    }
  }

  bool take_fixed(const motif_element& element, std::uint64_t& position) const {
    if (text_.size() - position < element.min) return false;
    if (!element.any)
      for (std::uint32_t i = 0; i < element.min; ++i)
        if (!accepts(element, position + i)) return false;
    position += element.min;
    return true;
  }

  std::uint64_t longest_run(const motif_element& element, std::uint64_t position) const {
    std::uint64_t max_run = text_.size() - position;
    if (element.max != motif_element::unbounded && element.max < max_run) max_run = element.max;
    if (element.any) return max_run;
    std::uint64_t run = 0;
    while (run < max_run && accepts(element, position + run)) ++run;
    return run;
  }

  void drop_choice() {
    if (steps_ > patience) {
      const choice& c = choices_.back();
      const std::uint64_t key = (c.position - begin_) * motif_->elements.size() + c.element;
      if (failed_.size() <= key) failed_.resize(key + key / 2 + 64);
      failed_[key] = true;
    }
    choices_.pop_back();
  }

  bool is_known_failure(std::uint32_t element, std::uint64_t position) const {
    const std::uint64_t key = (position - begin_) * motif_->elements.size() + element;
    return key < failed_.size() && failed_[key];
  }

  const motif* motif_ = nullptr;
  std::string_view text_;
  std::uint64_t begin_ = 0, start_ = 0, steps_ = 0;
  std::vector<choice> choices_;
  std::vector<bool> failed_;
};

} // namespace weft::scan_detail
