// Complements of residues, for scanning the opposite strand.
#pragma once

#include <weft/base/host_device.hpp>

namespace weft::scan_detail {

// Returns the complement of an IUPAC nucleotide code, in the same case. The complement of U is A, as that of
// T. Other characters are returned unchanged.
[[nodiscard]] WEFT_HOST_DEVICE constexpr char complement(char c) {
  const char small = static_cast<char>(c & 0x20);
  const auto cased = [small](char upper) { return static_cast<char>(upper | small); };
  switch (c & ~0x20) {
  case 'A':
    return cased('T');
  case 'C':
    return cased('G');
  case 'G':
    return cased('C');
  case 'T':
  case 'U':
    return cased('A');
  case 'R':
    return cased('Y');
  case 'Y':
    return cased('R');
  case 'K':
    return cased('M');
  case 'M':
    return cased('K');
  case 'B':
    return cased('V');
  case 'V':
    return cased('B');
  case 'D':
    return cased('H');
  case 'H':
    return cased('D');
  default:
    return c;
  }
}

} // namespace weft::scan_detail
