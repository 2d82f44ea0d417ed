// The plain version, for DNA:
//     for each record, for each letter: a base becomes its code, and begins a segment if none is open; any
//     other letter, and the end of the record, ends the open segment with a separator; other letters form
//     runs of equal letters
// The letters are processed in slices that begin and end anywhere. The slice with a segment's last base
// writes the segment's separator. The slice with a run's first letter writes where the run begins, and the
// slice with its last letter writes where it ends.
#include <weft/bwt/cpu/fm_build.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <weft/base/byte_counts.hpp>
#include <weft/base/parallel.hpp>
#include <weft/bwt/core/fm_letters.hpp>

namespace weft::bwt_detail {

namespace {

constexpr std::uint64_t slice_letters = std::uint64_t{1} << 18;

unsigned char upper(char c) { return static_cast<unsigned char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c); }

unsigned base_code(char letter) {
  const unsigned char c = upper(letter);
  return c == 'A' ? 1 : c == 'C' ? 2 : c == 'G' ? 3 : c == 'T' ? 4 : 0;
}

// Calls each(record, first letter, end of letters) for the part of each record that lies in letters [first,
// last).
template <class Each>
void for_each_part(std::span<const std::uint64_t> offsets, std::uint64_t first, std::uint64_t last,
                   const Each& each) {
  const auto next_record = std::upper_bound(offsets.begin(), offsets.end(), first);
  for (auto r = static_cast<std::uint64_t>(next_record - offsets.begin()) - 1; first < last; ++r) {
    const std::uint64_t end = std::min(last, offsets[r + 1]);
    if (first < end) each(r, first, end);
    first = std::max(first, end);
  }
}

// Passes the letters of a part of a DNA record to a sink, as begins and ends of segments, bases, and other
// letters.
template <class Sink>
void walk_dna(const sequences_view& references, std::uint64_t record, std::uint64_t first, std::uint64_t last,
              Sink& sink) {
  const char* const text = references.data.data();
  const auto is_base = [&](std::uint64_t i) { return base_code(text[i]) != 0; };
  const std::uint64_t begin = references.offsets[record], end = references.offsets[record + 1];
  bool inside = first > begin && is_base(first - 1) && is_base(first);
  for (std::uint64_t i = first; i < last;) {
    if (inside && i + 8 <= last) { // eight bases at once, because nearly all letters are bases
      std::uint64_t letters = 0;
      bool valid = true;
      std::memcpy(&letters, text + i, 8);
      const std::uint64_t bases = bases_of_letters(letters, valid);
      if (valid) {
        sink.eight_bases(bases + byte_ones);
        i += 8;
        continue;
      }
    }
    const unsigned code = base_code(text[i]);
    if (code != 0 && !inside) sink.begin(record, i - begin);
    if (code == 0 && inside) sink.end();
    inside = code != 0;
    if (inside)
      sink.base(code);
    else
      sink.other(upper(text[i]), i, i == 0 || upper(text[i - 1]) != upper(text[i]),
                 i + 1 == references.data.size() || upper(text[i + 1]) != upper(text[i]));
    ++i;
  }
  if (inside && (last == end || !is_base(last))) sink.end();
}

struct dna_counter : fm_slice {
  void eight_bases(std::uint64_t) { symbols += 8; }
  void base(unsigned) { ++symbols; }
  void begin(std::uint64_t, std::uint64_t) { ++segments; }
  void end() { ++symbols; }
  void other(unsigned char, std::uint64_t, bool first, bool) { runs += first ? 1 : 0; }
};

// A sink that writes the coded text. Its counts are at first those of the slices before its own, and so say
// where to write.
struct dna_coder : fm_slice {
  dna_coder(const fm_slice& before, const fm_coded_text& text) : fm_slice(before), to(text) {}
  void eight_bases(std::uint64_t codes) {
    std::memcpy(to.symbols.data() + symbols, &codes, 8);
    symbols += 8;
  }
  void base(unsigned code) { to.symbols[symbols++] = static_cast<unsigned char>(code); }
  void begin(std::uint64_t record, std::uint64_t at) { to.segments[segments++] = {symbols, record, at}; }
  void end() { to.symbols[symbols++] = 0; }
  // Sets the length of a run to its end, for now; code_references() then subtracts the begin.
  void other(unsigned char letter, std::uint64_t i, bool first, bool last) {
    if (first) {
      to.other_letters[runs].position = i;
      to.other_letters[runs++].letter = letter;
    }
    if (last) to.other_letters[runs - 1].length = i + 1;
  }
  fm_coded_text to;
};

// Codes a part of a record: its letters, a segment if the part is the record's first, and a separator if it
// is the last.
class letter_coder {
public:
  letter_coder(const sequences_view& of, const fm_extent& extent, bool fold_case, const fm_coded_text& to)
      : offsets_(of.offsets), text_(of.data), to_(to) {
    for (unsigned byte = 0; byte < 256; ++byte) {
      codes_[byte] = static_cast<unsigned char>(extent.code_of_byte[byte]);
      letters_[byte] = static_cast<char>(fold_case ? upper(static_cast<char>(byte)) : byte);
    }
  }
  void code(fm_slice at, std::uint64_t record, std::uint64_t first, std::uint64_t last) const {
    if (first == offsets_[record]) to_.segments[at.segments] = {at.symbols, record, 0};
    for (std::uint64_t i = first; i < last; ++i, ++at.symbols) {
      const auto byte = static_cast<unsigned char>(text_[i]);
      to_.symbols[at.symbols] = codes_[byte];
      to_.letters[at.symbols] = letters_[byte];
    }
    if (last < offsets_[record + 1]) return;
    to_.symbols[at.symbols] = 0;
    to_.letters[at.symbols] = '\0';
  }
  fm_slice slice_of_part(std::uint64_t record, std::uint64_t first, std::uint64_t last) const {
    return {last - first + (last == offsets_[record + 1] ? 1 : 0), first == offsets_[record] ? 1U : 0U, 0};
  }

private:
  std::span<const std::uint64_t> offsets_;
  std::string_view text_;
  std::array<unsigned char, 256> codes_{};
  std::array<char, 256> letters_{};
  fm_coded_text to_;
};

void add(fm_slice& to, const fm_slice& more) {
  to.symbols += more.symbols;
  to.segments += more.segments;
  to.runs += more.runs;
}

// Calls each(first, last) for all slices, which returns the counts of a slice. Sets extent.before to the
// counts of all slices before each slice, and adds the counts of all slices to the extent.
template <class Each>
void count_slices(std::uint64_t letters, fm_extent& extent, const run_options& run, const Each& each) {
  extent.before.resize((letters + slice_letters - 1) / slice_letters);
  parallel_for(0, letters, slice_letters, run, [&](std::uint64_t first, std::uint64_t last) {
    extent.before[first / slice_letters] = each(first, last);
  });
  for (fm_slice& slice : extent.before) {
    const fm_slice own = slice;
    slice = extent;
    add(extent, own);
  }
}

fm_extent extent_of_dna(const sequences_view& references, const run_options& run) {
  fm_extent result;
  result.num_codes = 5;
  for (const char c : {'A', 'C', 'G', 'T'})
    for (const char each : {c, static_cast<char>(c - 'A' + 'a')})
      result.code_of_byte[static_cast<unsigned char>(each)] = static_cast<std::uint16_t>(base_code(c));
  count_slices(references.data.size(), result, run, [&](std::uint64_t first, std::uint64_t last) {
    dna_counter counter;
    for_each_part(references.offsets, first, last,
                  [&](std::uint64_t r, std::uint64_t from, std::uint64_t end) {
                    walk_dna(references, r, from, end, counter);
                  });
    return fm_slice(counter);
  });
  return result;
}

fm_extent extent_of_letters(const sequences_view& references, bool fold_case, const run_options& run) {
  fm_extent result;
  std::array<std::uint64_t, 256> used{};
  const std::array<std::uint64_t, 256> counts = count_bytes(references.data, run.threads);
  for (unsigned byte = 0; byte < 256; ++byte)
    used[fold_case ? upper(static_cast<char>(byte)) : byte] += counts[byte];
  result.code_counts.push_back(0); // for separators, counted below
  for (unsigned byte = 0; byte < 256; ++byte)
    if (used[byte] > 0) {
      result.code_of_byte[byte] = static_cast<std::uint16_t>(result.num_codes++);
      result.code_counts.push_back(used[byte]);
    }
  if (fold_case)
    for (unsigned c = 'a'; c <= 'z'; ++c) result.code_of_byte[c] = result.code_of_byte[c - 'a' + 'A'];
  const letter_coder coder(references, result, fold_case, {});
  count_slices(references.data.size(), result, run, [&](std::uint64_t first, std::uint64_t last) {
    fm_slice sum;
    for_each_part(references.offsets, first, last,
                  [&](std::uint64_t r, std::uint64_t from, std::uint64_t end) {
                    add(sum, coder.slice_of_part(r, from, end));
                  });
    return sum;
  });
  result.code_counts[0] = result.segments;
  return result;
}

} // namespace

fm_extent extent_of(const sequences_view& references, fm_alphabet alphabet, const run_options& run) {
  return alphabet == fm_alphabet::dna ? extent_of_dna(references, run)
                                      : extent_of_letters(references, alphabet == fm_alphabet::protein, run);
}

void code_references(const sequences_view& references, fm_alphabet alphabet, const fm_extent& extent,
                     const fm_coded_text& to, const run_options& run) {
  const bool dna = alphabet == fm_alphabet::dna;
  const letter_coder letters(references, extent, alphabet == fm_alphabet::protein, to);
  parallel_for(0, references.data.size(), slice_letters, run, [&](std::uint64_t begin, std::uint64_t end) {
    fm_slice at = extent.before[begin / slice_letters];
    dna_coder bases(at, to);
    for_each_part(references.offsets, begin, end,
                  [&](std::uint64_t r, std::uint64_t first, std::uint64_t last) {
                    if (dna) {
                      walk_dna(references, r, first, last, bases);
                    } else {
                      letters.code(at, r, first, last);
                      add(at, letters.slice_of_part(r, first, last));
                    }
                  });
  });
  for (fm_run& stretch : to.other_letters) stretch.length -= stretch.position;
}

} // namespace weft::bwt_detail
