// The walk of walk.hpp over flat motifs, in memory that the caller lends: the same first alternative.
//
// Departures: (1) a walk gives up where its choices have no more room, or when it has gone back too often;
// (2) a walk that may go back as often as it likes has a bit for every place where a choice can fail, and
// notes there all that do: each fails once.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/scan/core/flat_motifs.hpp>
#include <weft/scan/core/walk.hpp>

namespace weft::scan_detail {

inline constexpr std::uint64_t walk_gave_up = no_match - 1;

// How many residues of `run` a flexible element has taken from a position.
struct flat_choice {
  std::uint64_t position, count, run;
  std::uint32_t element;
};

struct no_failures {
  WEFT_HOST_DEVICE static bool known(std::uint64_t) { return false; }
  WEFT_HOST_DEVICE static void note(std::uint64_t) {}
};

struct noted_failures {
  std::uint32_t* bits; // 0 before a walk
  WEFT_HOST_DEVICE bool known(std::uint64_t i) const { return (bits[i / 32] >> i % 32 & 1) != 0; }
  WEFT_HOST_DEVICE void note(std::uint64_t i) const { bits[i / 32] |= std::uint32_t{1} << i % 32; }
};

WEFT_HOST_DEVICE inline bool is_unknown(unsigned char c) { return (c | 0x20) == 'x'; }

template <class Failures> class flat_walker {
public:
  // Room for max_choices; goes back at most max_steps times.
  WEFT_HOST_DEVICE flat_walker(const flat_motifs& motifs, flat_choice* choices, std::uint32_t max_choices,
                               std::uint64_t max_steps, Failures failures = {})
      : motifs_(motifs), choices_(choices), max_choices_(max_choices), max_steps_(max_steps),
        failures_(failures) {}

  // As walker: `text` is a whole sequence of `size` residues. Or walk_gave_up.
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
        const took how = take(element, position);
        if (how == took::no_room) return walk_gave_up;
        if (how == took::none) break;
        ++element;
      }
      if (element == m.last_element && (!to_end || position == size)) return position;
      if (!go_back(element, position)) return no_match;
      if (++steps > max_steps_) return walk_gave_up;
    }
  }

  // X of the text that letters and [..] took in the alternative of `m` found last.
  [[nodiscard]] WEFT_HOST_DEVICE std::uint64_t unknown(const flat_motif& m) const {
    std::uint64_t unknown = 0, position = begin_;
    const flat_choice* choice = choices_;
    for (std::uint32_t k = m.first_element; k != m.last_element; ++k) {
      const flat_element& e = motifs_.elements[k];
      const std::uint64_t count = (e.flags & flat_element::flexible) != 0 ? (choice++)->count : e.min;
      if ((e.flags & flat_element::counts_unknown) != 0)
        for (std::uint64_t i = 0; i < count; ++i) unknown += is_unknown(text_[position + i]);
      position += count;
    }
    return unknown;
  }

  // Residues that each flexible element took, in order.
  [[nodiscard]] WEFT_HOST_DEVICE const flat_choice* choices() const { return choices_; }

private:
  enum class took { some, none, no_room };

  [[nodiscard]] WEFT_HOST_DEVICE bool accepts(const flat_element& e, std::uint64_t position) const {
    const std::uint32_t c = text_[position];
    return (motifs_.classes[e.cls * 8 + c / 32] >> c % 32 & 1) != 0;
  }

  WEFT_HOST_DEVICE took take(std::uint32_t element, std::uint64_t& position) {
    const flat_element e = motifs_.elements[element];
    if ((e.flags & flat_element::flexible) == 0) return take_fixed(e, position) ? took::some : took::none;
    if (failures_.known(failure_of(e, position))) return took::none;
    if (num_choices_ == max_choices_) return took::no_room;
    flat_choice c{position, 0, run_of(e, position), element};
    c.count = first_count((e.flags & flat_element::lazy) != 0, e.min, c.run);
    if (!allowed(e, c) && !advance(e, c)) {
      failures_.note(failure_of(e, position));
      return took::none;
    }
    choices_[num_choices_++] = c;
    position += c.count;
    return took::some;
  }

  WEFT_HOST_DEVICE bool take_fixed(const flat_element& e, std::uint64_t& position) const {
    if (size_ - position < e.min) return false;
    if ((e.flags & flat_element::any) == 0)
      for (std::uint32_t i = 0; i < e.min; ++i)
        if (!accepts(e, position + i)) return false;
    position += e.min;
    return true;
  }

  [[nodiscard]] WEFT_HOST_DEVICE std::uint64_t run_of(const flat_element& e, std::uint64_t position) const {
    std::uint64_t most = size_ - position, run = 0;
    if (e.max != motif_element::unbounded && e.max < most) most = e.max;
    if ((e.flags & flat_element::any) != 0) return most;
    while (run < most && accepts(e, position + run)) ++run;
    return run;
  }

  // Fewer than min will do where the bracket's anchor holds.
  [[nodiscard]] WEFT_HOST_DEVICE bool allowed(const flat_element& e, const flat_choice& c) const {
    return c.count >= e.min || ((e.flags & flat_element::or_end) != 0 && c.position + c.count == size_) ||
           ((e.flags & flat_element::or_start) != 0 && c.position == start_);
  }

  // Moves the choice to its next allowed count; false if there is none.
  WEFT_HOST_DEVICE bool advance(const flat_element& e, flat_choice& c) const {
    const bool lazy = (e.flags & flat_element::lazy) != 0;
    while (next_count(lazy, e.min, c.run, c.count))
      if (allowed(e, c)) return true;
    return false;
  }

  // Moves the last choice that can be moved, and forgets those behind it; false if there is none.
  WEFT_HOST_DEVICE bool go_back(std::uint32_t& element, std::uint64_t& position) {
    while (num_choices_ != 0) {
      flat_choice& c = choices_[num_choices_ - 1];
      const flat_element e = motifs_.elements[c.element];
      if (advance(e, c)) {
        element = c.element + 1;
        position = c.position + c.count;
        return true;
      }
      failures_.note(failure_of(e, c.position));
      --num_choices_;
    }
    return false;
  }

  [[nodiscard]] WEFT_HOST_DEVICE std::uint64_t failure_of(const flat_element& e,
                                                          std::uint64_t position) const {
    return (position - begin_) * flexible_ + (e.flags >> flat_element::order_shift);
  }

  flat_motifs motifs_;
  flat_choice* choices_;
  std::uint32_t max_choices_, num_choices_ = 0, flexible_ = 0;
  std::uint64_t max_steps_;
  Failures failures_;
  const unsigned char* text_ = nullptr;
  std::uint64_t size_ = 0, begin_ = 0, start_ = 0;
};

// A walk that does not give up: with a bit for every failure, if it goes back often. As a flat_walker.
class patient_walker {
public:
  // Room for the flexible elements and failure_bits() of the motifs.
  WEFT_HOST_DEVICE patient_walker(const flat_motifs& motifs, flat_choice* choices, std::uint32_t max_choices,
                                  std::uint32_t* failures)
      : failures_(failures), quick_(motifs, choices, max_choices, patience),
        patient_(motifs, choices, max_choices, ~std::uint64_t{0}, {failures}) {}

  WEFT_HOST_DEVICE std::uint64_t operator()(const flat_motif& m, const unsigned char* text,
                                            std::uint64_t size, std::uint64_t begin, std::uint64_t start) {
    const std::uint64_t end = quick_(m, text, size, begin, start);
    was_quick_ = end != walk_gave_up;
    if (was_quick_) return end;
    const std::uint64_t left = size - begin, longest = m.max_length < left ? m.max_length : left;
    for (std::uint64_t i = 0; i <= m.flexible * (longest + 1) / 32; ++i) failures_[i] = 0;
    return patient_(m, text, size, begin, start);
  }
  [[nodiscard]] WEFT_HOST_DEVICE std::uint64_t unknown(const flat_motif& m) const {
    return was_quick_ ? quick_.unknown(m) : patient_.unknown(m);
  }

  // Words of failures for so many bits.
  [[nodiscard]] static constexpr std::uint64_t words_for(std::uint64_t bits) { return bits / 32 + 1; }

private:
  static constexpr std::uint64_t patience = 4096;
  std::uint32_t* failures_;
  flat_walker<no_failures> quick_;
  flat_walker<noted_failures> patient_;
  bool was_quick_ = true;
};

} // namespace weft::scan_detail
