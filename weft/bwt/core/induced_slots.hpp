// Where suffixes stand by their first two symbols, and by whether they and the next one rise
// (suffix_types.hpp), among all suffixes in order.
//
// Suffixes that begin with a symbol c stand side by side: first those that fall, then those that rise.
// - Those that fall: c alone, if the text ends so; then by the second symbol, less than c; then those that
//   begin with c c, those of shorter runs first.
// - Those that rise: c c first, longer runs first; then by the second symbol, greater than c: of each first
//   those whose next suffix falls, which are sorted, then the others.
//
// Source: Itoh & Tanaka, SPIRE 1999; Mori, libdivsufsort (the sorted third).
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>
#include <weft/base/host_device.hpp>

namespace weft::bwt_core {

inline constexpr std::uint32_t run_lengths = 16;

// Counts of a text with so many letters: a row for each code a, of
// - pairs, [2 * b + k]: suffixes that begin with a, b: with a < b those whose next one does not rise are
//   k = 1; with a > b all are k = 0; with a == b those that rise are k = 1;
// - runs, [2 * letters + run_lengths * k + l]: runs of l + 2 codes a, or for the last l so many and more;
//   k = 1 if the suffix of the last one rises.
WEFT_HOST_DEVICE constexpr std::uint32_t counts_of_letter(std::uint32_t letters) {
  return 2 * letters + 2 * run_lengths;
}

class induced_slots {
public:
  induced_slots(unsigned letters, unsigned last_letter, std::vector<std::uint32_t> counts)
      : letters_(letters), counts_(std::move(counts)), begins_(letters + 1), singles_(letters),
        slots_(std::size_t{letters} * letters) {
    std::uint32_t slot = 0;
    for (unsigned a = 0; a < letters; ++a) {
      begins_[a] = slot;
      slot += static_cast<std::uint32_t>(a == last_letter);
      for (unsigned b = 0; b < a; ++b) slots_[a * letters + b] = std::exchange(slot, slot + pair(a, b, 0));
      singles_[a].falls_end = slot;
      slot += pair(a, a, 0);
      singles_[a].rises = slot;
      slot += pair(a, a, 1);
      singles_[a].rises_begin = slot;
      for (unsigned b = a + 1; b < letters; ++b) {
        if (const std::uint32_t count = pair(a, b, 1); count > 0) {
          numbers_.push_back(sorted_);
          places_.push_back(slot);
          sorted_ += count;
          slot += count;
        }
        slots_[a * letters + b] = std::exchange(slot, slot + pair(a, b, 0));
      }
    }
    begins_[letters] = slot;
  }

  // Slots of the suffixes that begin with a: [begin(a), begin(a + 1)); those that rise from rising(a) on.
  [[nodiscard]] std::uint32_t begin(unsigned a) const { return begins_[a]; }
  [[nodiscard]] std::uint32_t rising(unsigned a) const { return singles_[a].rises; }
  // Without those that begin with a a: [begin(a), single_falling_end(a)), [single_rising(a), begin(a + 1)).
  [[nodiscard]] std::uint32_t single_falling_end(unsigned a) const { return singles_[a].falls_end; }
  [[nodiscard]] std::uint32_t single_rising(unsigned a) const { return singles_[a].rises_begin; }
  // Of suffixes that begin with a and b, which are not the same, and are not sorted.
  [[nodiscard]] std::uint32_t slot(unsigned a, unsigned b) const { return slots_[a * letters_ + b]; }
  // Runs of at least `length` a, 2 <= length <= run_lengths + 1.
  [[nodiscard]] std::uint32_t runs(unsigned a, bool rise, std::uint32_t length) const {
    std::uint32_t sum = 0;
    for (std::uint32_t l = length - 2; l < run_lengths; ++l)
      sum += row(a)[2 * letters_ + static_cast<unsigned>(rise) * run_lengths + l];
    return sum;
  }
  // How many are sorted; those from numbers()[k] on, in order, belong in places()[k] and behind it.
  [[nodiscard]] std::uint32_t sorted() const { return sorted_; }
  [[nodiscard]] const std::vector<std::uint32_t>& numbers() const { return numbers_; }
  [[nodiscard]] const std::vector<std::uint32_t>& places() const { return places_; }

private:
  struct bounds {
    std::uint32_t falls_end, rises, rises_begin;
  };
  [[nodiscard]] std::uint32_t pair(unsigned a, unsigned b, unsigned k) const { return row(a)[2 * b + k]; }
  [[nodiscard]] const std::uint32_t* row(unsigned a) const {
    return counts_.data() + std::size_t{a} * counts_of_letter(letters_);
  }

  unsigned letters_;
  std::vector<std::uint32_t> counts_, begins_;
  std::vector<bounds> singles_;
  std::vector<std::uint32_t> slots_, numbers_, places_;
  std::uint32_t sorted_ = 0;
};

} // namespace weft::bwt_core
