// Random genomes, and checks of what holds for the comparison of any two genomes.
#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>
#include <weft/base/sequences.hpp>
#include <weft/search/variants.hpp>

namespace weft::test {

[[nodiscard]] std::string random_letters(std::mt19937_64& rng, std::size_t size,
                                         std::string_view alphabet = "ACGT");

[[nodiscard]] std::string reverse_complement(std::string letters);

// Returns a copy with one substitution, insertion or deletion in about every `distance` letters.
[[nodiscard]] std::string mutated(std::mt19937_64& rng, const std::string& letters, std::size_t distance);

// Returns the records as a genome.
[[nodiscard]] sequences genome(const std::vector<std::string>& records);

// Returns the number of blocks of a kind.
[[nodiscard]] std::size_t count_kind(const genome_comparison& found, block_kind kind);

// Compares two genomes, and checks with GoogleTest everything that holds for each comparison: the paths lead
// from the letters of A to those of B, no letter is in two blocks, the stretches are exactly the rest, and
// the variants of each block make its letters of B.
genome_comparison compare(const std::vector<std::string>& a, const std::vector<std::string>& b,
                          const comparison_options& options = {});

} // namespace weft::test
