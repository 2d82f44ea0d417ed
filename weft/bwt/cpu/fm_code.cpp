#include <weft/bwt/cpu/fm_code.hpp>

#include <array>

namespace weft::detail {

namespace {

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

unsigned base_code(char c) { return c == 'A' ? 1 : c == 'C' ? 2 : c == 'G' ? 3 : c == 'T' ? 4 : 0; }

fm_coded_text code_dna(const fm_references& references, const fm_extent& extent) {
  fm_coded_text result;
  result.num_codes = extent.num_codes;
  result.symbols.reserve(extent.symbols);
  result.segments.reserve(extent.segments);
  result.other_letters.reserve(extent.runs);
  for (std::uint64_t r = 0; r + 1 < references.offsets.size(); ++r) {
    bool inside = false;
    for (std::uint64_t i = references.offsets[r]; i < references.offsets[r + 1]; ++i) {
      const char letter = upper(references.text[i]);
      const unsigned code = base_code(letter);
      if (code != 0) {
        if (!inside) result.segments.push_back({result.symbols.size(), r, i - references.offsets[r]});
        result.symbols += static_cast<char>(code);
        inside = true;
        continue;
      }
      if (inside) result.symbols += '\0';
      inside = false;
      auto& runs = result.other_letters;
      if (!runs.empty() && runs.back().position + runs.back().length == i &&
          runs.back().letter == static_cast<unsigned char>(letter))
        ++runs.back().length;
      else
        runs.push_back({i, 1, static_cast<unsigned char>(letter)});
    }
    if (inside) result.symbols += '\0';
  }
  return result;
}

fm_coded_text code_letters(const fm_references& references, bool fold_case, const fm_extent& extent) {
  fm_coded_text result;
  result.num_codes = extent.num_codes;
  result.symbols.reserve(extent.symbols);
  result.letters.reserve(extent.symbols);
  result.segments.reserve(extent.segments);
  for (std::uint64_t r = 0; r + 1 < references.offsets.size(); ++r) {
    if (references.offsets[r] == references.offsets[r + 1]) continue;
    result.segments.push_back({result.symbols.size(), r, 0});
    for (std::uint64_t i = references.offsets[r]; i < references.offsets[r + 1]; ++i) {
      const char letter = fold_case ? upper(references.text[i]) : references.text[i];
      result.symbols += static_cast<char>(extent.code_of_byte[static_cast<unsigned char>(letter)]);
      result.letters += letter;
    }
    result.symbols += '\0';
    result.letters += '\0';
  }
  return result;
}

// A run of other letters goes on over the end of a record, a segment does not.
fm_extent extent_of_dna(const fm_references& references) {
  fm_extent result;
  result.num_codes = 5;
  for (const char c : {'A', 'C', 'G', 'T'})
    for (const char each : {c, static_cast<char>(c - 'A' + 'a')})
      result.code_of_byte[static_cast<unsigned char>(each)] = static_cast<std::uint16_t>(base_code(c));
  unsigned last_other = 256; // the letter before, if it is no base
  for (std::uint64_t r = 0; r + 1 < references.offsets.size(); ++r) {
    bool inside = false;
    for (std::uint64_t i = references.offsets[r]; i < references.offsets[r + 1]; ++i) {
      const auto letter = static_cast<unsigned char>(upper(references.text[i]));
      const bool base = base_code(static_cast<char>(letter)) != 0;
      result.segments += base && !inside ? 1 : 0;
      result.symbols += base ? 1 : 0;
      result.runs += !base && letter != last_other ? 1 : 0;
      inside = base;
      last_other = base ? 256 : letter;
    }
  }
  result.symbols += result.segments;
  return result;
}

fm_extent extent_of_letters(const fm_references& references, bool fold_case) {
  fm_extent result;
  std::array<bool, 256> used{};
  for (const char c : references.text) used[static_cast<unsigned char>(fold_case ? upper(c) : c)] = true;
  for (unsigned byte = 0; byte < 256; ++byte)
    if (used[byte]) result.code_of_byte[byte] = static_cast<std::uint16_t>(result.num_codes++);
  if (fold_case)
    for (unsigned c = 'a'; c <= 'z'; ++c) result.code_of_byte[c] = result.code_of_byte[c - 'a' + 'A'];
  for (std::uint64_t r = 0; r + 1 < references.offsets.size(); ++r)
    result.segments += references.offsets[r] < references.offsets[r + 1] ? 1 : 0;
  result.symbols = references.text.size() + result.segments;
  return result;
}

} // namespace

fm_extent extent_of(const fm_references& references, fm_alphabet alphabet) {
  return alphabet == fm_alphabet::dna ? extent_of_dna(references)
                                      : extent_of_letters(references, alphabet == fm_alphabet::protein);
}

fm_coded_text code_references(const fm_references& references, fm_alphabet alphabet,
                              const fm_extent& extent) {
  return alphabet == fm_alphabet::dna ? code_dna(references, extent)
                                      : code_letters(references, alphabet == fm_alphabet::protein, extent);
}

} // namespace weft::detail
