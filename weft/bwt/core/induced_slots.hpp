// The slots of suffixes in the suffix array, found by counting: suffixes are grouped by their first two
// symbols, and by whether they and the next suffix rise. A suffix rises if it is less than the next suffix,
// and falls otherwise (suffix_types.hpp).
//
// Suffixes that begin with a symbol c are adjacent, first those that fall, then those that rise.
// - Of those that fall: first c alone, if the text ends so; then the suffixes whose second symbol is less
//   than c, by that symbol; then those that begin with c c, shorter runs of c first.
// - Of those that rise: first those that begin with c c, longer runs first; then the suffixes whose second
//   symbol is greater than c, by that symbol. Of the suffixes with the same second symbol, those whose next
//   suffix falls come first; these suffixes are sorted, and the order of all others is induced from them.
//
// Source: Itoh & Tanaka, SPIRE 1999; Mori, libdivsufsort (sorting only this third of the suffixes).
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>
#include <weft/base/host_device.hpp>

namespace weft::bwt_detail {

inline constexpr std::uint32_t run_lengths = 16;

// Returns the number of counts that are kept for each letter of a text with `letters` letters. The counts of
// code a are
// - pairs, [2 * b + k]: the suffixes that begin with a, b. If a < b, k = 1 for those whose next suffix does
//   not rise; if a > b, k = 0 for all; if a == b, k = 1 for those that rise;
// - runs, [2 * letters + run_lengths * k + l]: the runs of l + 2 symbols a, or, for the last l, of at least
//   as many; k = 1 if the suffix at the last symbol of the run rises.
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
          group_ranks_.push_back(sorted_);
          group_slots_.push_back(slot);
          sorted_ += count;
          slot += count;
        }
        slots_[a * letters + b] = std::exchange(slot, slot + pair(a, b, 0));
      }
    }
    begins_[letters] = slot;
  }

  // Slots of the suffixes that begin with a are [begin(a), begin(a + 1)); those from rising(a) on rise.
  [[nodiscard]] std::uint32_t begin(unsigned a) const { return begins_[a]; }
  [[nodiscard]] std::uint32_t rising(unsigned a) const { return singles_[a].rises; }
  // Without the suffixes that begin with a a, the slots are [begin(a), single_falling_end(a)) and
  // [single_rising(a), begin(a + 1)).
  [[nodiscard]] std::uint32_t single_falling_end(unsigned a) const { return singles_[a].falls_end; }
  [[nodiscard]] std::uint32_t single_rising(unsigned a) const { return singles_[a].rises_begin; }
  // Returns the first slot of the suffixes that begin with a and b, a != b, and are not sorted.
  [[nodiscard]] std::uint32_t slot(unsigned a, unsigned b) const { return slots_[a * letters_ + b]; }
  // Returns the number of runs of at least `length` symbols a; 2 <= length <= run_lengths + 1.
  [[nodiscard]] std::uint32_t runs(unsigned a, bool rise, std::uint32_t length) const {
    std::uint32_t sum = 0;
    for (std::uint32_t l = length - 2; l < run_lengths; ++l)
      sum += row(a)[2 * letters_ + static_cast<unsigned>(rise) * run_lengths + l];
    return sum;
  }
  // The number of suffixes that are sorted, and their groups: in sorted order, the suffixes of group k begin
  // with number group_ranks()[k], and go to the slots from group_slots()[k] on.
  [[nodiscard]] std::uint32_t sorted() const { return sorted_; }
  [[nodiscard]] const std::vector<std::uint32_t>& group_ranks() const { return group_ranks_; }
  [[nodiscard]] const std::vector<std::uint32_t>& group_slots() const { return group_slots_; }

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
  std::vector<std::uint32_t> slots_, group_ranks_, group_slots_;
  std::uint32_t sorted_ = 0;
};

} // namespace weft::bwt_detail
