// Guesses whether sequences are nucleotides, from their first letters.
//
//   weft::io::alphabet_guess guess;
//   guess.add("GATTACA-NNN-gattaca");
//   guess.is_dna();                                 // == true
#pragma once

#include <cstddef>
#include <string_view>

namespace weft::io {

// Counts the nucleotides among the first 65,536 letters of sequences that are added one after another.
class alphabet_guess {
public:
  // The number of letters on which the guess is based.
  static constexpr std::size_t max_letters = std::size_t{1} << 16;

  // Counts the letters of `residues`, up to max_letters over all calls. Other symbols do not count. O(size).
  void add(std::string_view residues) noexcept;
  // Returns how many letters have been counted.
  [[nodiscard]] std::size_t num_letters() const noexcept { return num_letters_; }
  // Returns whether max_letters have been counted, so that add() changes nothing any more.
  [[nodiscard]] bool is_full() const noexcept { return num_letters_ == max_letters; }
  // Returns whether at least one letter has been counted and at least 95 % of the counted letters are A, C,
  // G, T, U or N, in either case.
  [[nodiscard]] bool is_dna() const noexcept {
    return num_letters_ > 0 && 100 * num_nucleotides_ >= 95 * num_letters_;
  }

private:
  std::size_t num_letters_ = 0, num_nucleotides_ = 0;
};

inline void alphabet_guess::add(std::string_view residues) noexcept {
  for (const char c : residues) {
    if (is_full()) return;
    const char upper = static_cast<char>(c & ~0x20);
    if (upper < 'A' || upper > 'Z') continue;
    ++num_letters_;
    if (std::string_view("ACGTUN").find(upper) != std::string_view::npos) ++num_nucleotides_;
  }
}

} // namespace weft::io
