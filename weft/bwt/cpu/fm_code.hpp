// References as the text that an FM-index sorts: codes and separators.
#pragma once

#include <cstdint>
#include <string>
#include <vector>
#include <weft/bwt/cpu/fm_sections.hpp>
#include <weft/bwt/fm_index.hpp>

namespace weft::detail {

// How large the coded text becomes, and its alphabet.
struct fm_extent {
  std::uint64_t symbols = 0, segments = 0, runs = 0; // separators included; of other letters
  std::vector<std::uint16_t> code_of_byte = std::vector<std::uint16_t>(256, 0); // 0: matches nothing
  unsigned num_codes = 1;
};

// What references become: codes and separators, and how the way back is found.
struct fm_coded_text {
  std::string symbols; // codes as bytes; 0 separates (where all bytes are in use, it also is code 256)
  std::string letters; // the same in letters, for alphabets that keep them
  std::vector<fm_segment> segments;
  std::vector<fm_run> other_letters;
  unsigned num_codes = 1;
};

// O(n), no memory.
[[nodiscard]] fm_extent extent_of(const fm_references& references, fm_alphabet alphabet);
// O(n). extent is that of the references.
[[nodiscard]] fm_coded_text code_references(const fm_references& references, fm_alphabet alphabet,
                                            const fm_extent& extent);

} // namespace weft::detail
