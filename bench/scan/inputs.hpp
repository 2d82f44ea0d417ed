// Makes motifs and proteins for the benchmarks of scan. They are seeded and the same with every compiler.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace weft::bench {

// Returns a pattern of 8 to 13 elements: letters, sets of two letters, and gaps. A pattern that would match
// at more than about one residue in ten thousand is drawn again, because hardly any motif of PROSITE does.
inline std::string random_pattern(std::mt19937_64& random) {
  const std::string letters = "ALGVESIKDTRPNFQYHMCW"; // by descending frequency
  std::string pattern;
  double rarity = 0; // about -log10 of the probability that a match begins at a residue
  while (rarity < 4) {
    pattern.clear();
    rarity = 0;
    for (unsigned k = 8 + static_cast<unsigned>(random() % 6); k > 0; --k) {
      const unsigned roll = random() % 8;
      const std::string one(1, letters[random() % 20]), two(1, letters[random() % 20]);
      pattern += roll < 3    ? one
                 : roll < 5  ? "[" + one + two + "]"
                 : roll == 5 ? "x(2,4)"
                             : "x(" + std::to_string(1 + random() % 3) + ")";
      rarity += roll < 3 ? 1.3 : roll < 5 ? 1 : 0;
      if (k > 1) pattern += '-';
    }
  }
  return pattern;
}

// Sequences of residues, concatenated: sequence s is residues[offsets[s], offsets[s + 1]).
struct protein_text {
  std::string residues;
  std::vector<std::uint64_t> offsets{0};
};

// Returns `size` residues with the frequencies of Swiss-Prot, in sequences of 40 to 680 residues.
inline protein_text random_proteins(std::uint64_t size) {
  const std::string letters = "ARNDCQEGHILKMFPSTWYV";
  constexpr std::array<int, 20> frequencies = {825, 553, 406, 546, 138, 393, 672, 707, 227, 591,
                                               965, 580, 241, 386, 474, 665, 536, 110, 292, 686};
  std::string drawn; // 2^16 letters, each in proportion to its frequency
  for (std::size_t i = 0; i < letters.size(); ++i)
    drawn.append(static_cast<std::size_t>(frequencies[i] * 65'536 / 10'000), letters[i]);
  drawn.resize(65'536, 'A');
  std::mt19937_64 random(2);
  protein_text made;
  made.residues.resize(size);
  std::uint64_t bits = 0;
  for (std::uint64_t i = 0; i < size; ++i, bits >>= 16) {
    if (i % 4 == 0) bits = random();
    made.residues[i] = drawn[bits & 0xffff];
  }
  for (std::uint64_t at = 0; at < size;) {
    at = std::min(size, at + 40 + random() % 641);
    made.offsets.push_back(at);
  }
  return made;
}

} // namespace weft::bench
