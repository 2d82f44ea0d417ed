// Codes for classes of bytes. Two bytes have the same code if every element of every motif accepts both or
// neither.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>
#include <weft/scan/motif.hpp>

namespace weft::scan_detail {

struct byte_codes {
  std::array<std::uint32_t, 256> code_of{}; // code of each byte: 1, 2, ...; code 0 never stands for a byte
  std::vector<unsigned char> sample;        // a byte for each of the codes 1, 2, ...

  explicit byte_codes(std::span<const motif> motifs) {
    std::unordered_set<residue_set> sets;
    for (const motif& m : motifs)
      for (const motif_element& element : m.elements) sets.insert(element.accepts);
    code_of.fill(1);
    std::uint32_t codes = 1;
    for (const residue_set& set : sets) {
      // For each code: the new code for the bytes of the code that are in the set.
      std::array<std::uint32_t, 257> split_code{};
      std::array<bool, 257> has_outside{}; // for each code: whether some of its bytes are not in the set
      for (unsigned c = 0; c < 256; ++c) has_outside[code_of[c]] = has_outside[code_of[c]] || !set[c];
      for (unsigned c = 0; c < 256; ++c)
        if (set[c] && has_outside[code_of[c]]) {
          std::uint32_t& code = split_code[code_of[c]];
          if (code == 0) code = ++codes;
          code_of[c] = code;
        }
      if (codes == 256) break;
    }
    sample.resize(codes);
    for (unsigned c = 0; c < 256; ++c) sample[code_of[c] - 1] = static_cast<unsigned char>(c);
  }
};

} // namespace weft::scan_detail
