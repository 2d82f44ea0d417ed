// Bytes in classes: those that no motif tells apart have one code.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_set>
#include <vector>
#include <weft/scan/motif.hpp>

namespace weft::scan_detail {

struct byte_codes {
  std::array<std::uint32_t, 256> of{}; // code of a byte: 1, 2, ...; 0 is free for what is no byte
  std::vector<unsigned char> sample;   // a byte of code 1, 2, ...

  explicit byte_codes(const std::vector<motif>& motifs) {
    std::unordered_set<residue_set> sets;
    for (const motif& m : motifs)
      for (const motif_element& element : m.elements) sets.insert(element.accepts);
    of.fill(1);
    std::uint32_t codes = 1;
    for (const residue_set& set : sets) {
      std::array<std::uint32_t, 257> apart{}; // the new code of those of a code that are in the set
      std::array<bool, 257> stays{};          // some of the code are not
      for (unsigned c = 0; c < 256; ++c) stays[of[c]] = stays[of[c]] || !set[c];
      for (unsigned c = 0; c < 256; ++c)
        if (set[c] && stays[of[c]]) {
          std::uint32_t& code = apart[of[c]];
          if (code == 0) code = ++codes;
          of[c] = code;
        }
      if (codes == 256) break;
    }
    sample.resize(codes);
    for (unsigned c = 0; c < 256; ++c) sample[of[c] - 1] = static_cast<unsigned char>(c);
  }
};

} // namespace weft::scan_detail
