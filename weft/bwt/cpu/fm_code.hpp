// References as the text that an FM-index sorts: codes and separators. In slices of letters, on threads: what
// stands before each slice is counted first, so that all know where to write.
#pragma once

#include <cstdint>
#include <span>
#include <vector>
#include <weft/base/unwritten_allocator.hpp>
#include <weft/bwt/cpu/fm_sections.hpp>
#include <weft/bwt/fm_index.hpp>

namespace weft::detail {

// Of a part of the letters.
struct fm_slice {
  std::uint64_t symbols = 0, segments = 0, runs = 0; // separators included; of other letters
};

// How large the coded text becomes, and its alphabet.
struct fm_extent : fm_slice {
  std::vector<std::uint16_t> code_of_byte = std::vector<std::uint16_t>(256, 0); // 0: matches nothing
  unsigned num_codes = 1;
  std::vector<std::uint64_t> code_counts; // how often each stands in the text; of DNA nothing
  std::vector<fm_slice> before;           // each slice
};

// Codes as bytes; 0 separates (where all bytes are in use, it also is code 256).
using fm_symbols = std::vector<unsigned char, unwritten_allocator<unsigned char>>;

// Where the coded text goes; sizes are those of its extent.
struct fm_coded_text {
  std::span<unsigned char> symbols;
  std::span<char> letters; // the same in letters, for alphabets that keep them
  std::span<fm_segment> segments;
  std::span<fm_run> other_letters;
};

// O(n), threads: 0 for all. Memory: 24 bytes a slice of 2^18 letters.
[[nodiscard]] fm_extent extent_of(const fm_references& references, fm_alphabet alphabet, int threads);
// O(n), no memory. extent is that of the references.
void code_references(const fm_references& references, fm_alphabet alphabet, const fm_extent& extent,
                     const fm_coded_text& to, int threads);

} // namespace weft::detail
