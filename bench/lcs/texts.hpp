// Makes seeded texts for the benchmarks of lcs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

namespace weft::bench {

inline std::string random_text(std::size_t size, const std::string& letters, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string text(size, ' ');
  for (char& c : text) c = letters[random() % letters.size()];
  return text;
}

// Returns a mutated copy of the text: 0.5 % of its letters are deleted, 5 % are drawn again from ACGT, and
// after 0.5 % a random base is inserted.
inline std::string mutated(const std::string& text, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string copy;
  for (const char c : text) {
    const std::uint64_t roll = random() % 1000;
    if (roll < 5) continue;
    copy += roll < 55 ? "ACGT"[random() % 4] : c;
    if (roll >= 995) copy += "ACGT"[random() % 4];
  }
  return copy;
}

// Returns the letters of a kind of text: bytes, protein (20 letters), or else DNA.
inline std::string letters_of(const std::string& kind) {
  std::string bytes(256, ' ');
  for (std::size_t i = 0; i < 256; ++i) bytes[i] = static_cast<char>(i);
  return kind == "bytes" ? bytes : kind == "protein" ? "ACDEFGHIKLMNPQRSTVWY" : "ACGT";
}

} // namespace weft::bench
