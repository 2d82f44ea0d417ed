// Search with differences on a device. The plain version:
//     for each strand, and each window of its plan:
//         for each string that differs from the window in at most max_changes letters:
//             for each row that begins with the string:
//                 skip it if its context shows too many mismatches (core/near_context.hpp)
//                 with mismatches: compare the strand with the record there; report it if this window is the
//                     first one that finds it
//                 with errors: add the region around the window (core/near_region_steps.hpp)
// No occurrence with at most max_distance differences has too many of them in all windows of a plan. Windows
// without changes may have any number of letters; their rows are narrowed only as far as it pays.
// entry/near_plans.cpp makes the plans.
//
// A hit is one number, so that a sort of numbers puts hits in order: from the highest bit on, the pattern,
// the symbol at which it begins in all records end to end, its strand, its length and its distance.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/bwt/core/fm_steps.hpp>
#include <weft/bwt/core/near_compare_steps.hpp>
#include <weft/bwt/core/near_context.hpp>
#include <weft/bwt/near_search.hpp>

namespace weft::bwt_detail {

// Letters [begin, begin + size) of a strand, each of which stands for a single base. Letters
// [free_begin, free_begin + num_free) may be changed. first_string: the number of the window's first string
// among those of its strand.
struct near_plan_window {
  std::uint32_t begin = 0, size = 0, free_begin = 0, num_free = 0, max_changes = 0, first_string = 0;
};

// How strands of one shape are searched. A plan without windows is for strands that are not searched.
struct near_plan {
  std::uint32_t size = 0, exact_prefix = 0, exact_suffix = 0; // of the strand
  std::uint32_t num_windows = 0, num_strings = 0;
  // This is true if a window has changes. Occurrences with letters that are no bases are then left out.
  bool has_changes = false;
  near_plan_window windows[max_near_distance + 1] = {};
};

// How hits are packed into numbers. All bits are those of the pattern, symbol_bits, and tail_bits.
struct near_key_layout {
  unsigned symbol_bits = 0;
  static constexpr unsigned length_bits = 5, distance_bits = 4, tail_bits = 1 + length_bits + distance_bits;
  static_assert(2 * max_near_distance < (1U << length_bits) && max_near_distance < (1U << distance_bits));

  // `longer` is by how much the hit is longer than its shortest possible length.
  [[nodiscard]] WEFT_HOST_DEVICE std::uint64_t pack(std::uint64_t pattern, std::uint64_t symbol, bool reverse,
                                                    std::uint64_t longer, unsigned distance) const {
    const std::uint64_t strand = (pattern << symbol_bits | symbol) << 1 | (reverse ? 1 : 0);
    return (strand << length_bits | longer) << distance_bits | distance;
  }
  [[nodiscard]] std::uint64_t pattern(std::uint64_t key) const { return key >> (symbol_bits + tail_bits); }
  [[nodiscard]] std::uint64_t symbol(std::uint64_t key) const {
    return key >> tail_bits & ((std::uint64_t{1} << symbol_bits) - 1);
  }
  [[nodiscard]] static bool reverse(std::uint64_t key) { return (key >> (tail_bits - 1) & 1) != 0; }
  [[nodiscard]] static std::uint64_t longer(std::uint64_t key) {
    return key >> distance_bits & ((1U << length_bits) - 1);
  }
  [[nodiscard]] static unsigned distance(std::uint64_t key) { return key & ((1U << distance_bits) - 1); }
};

// A batch of patterns and the index, as kernels read them. Strand s is the reverse complement of pattern
// s / num_strands if num_strands is 2 and s is odd, and otherwise the pattern itself. Pattern p is
// text[offsets[p] - base, offsets[p + 1] - base).
struct near_batch {
  fm_parts index;
  const std::uint64_t* record_offsets = nullptr;
  std::uint64_t num_records = 0;
  const std::uint64_t* contexts = nullptr; // of the rows; null: there are none
  readable_letters text;
  const std::uint64_t* offsets = nullptr;
  std::uint64_t base = 0, num_patterns = 0;
  unsigned num_strands = 1, max_distance = 0;
  bool all_ends = false;
  const std::uint8_t* sets = nullptr; // of the 256 letters
  const near_plan* plans = nullptr;
  const std::uint32_t* plan_of = nullptr; // of each strand
  near_word* words = nullptr;
  near_key_layout keys;

  [[nodiscard]] WEFT_HOST_DEVICE std::uint64_t size_of(std::uint64_t strand) const {
    const std::uint64_t p = strand / num_strands;
    return offsets[p + 1] - offsets[p];
  }
  // Returns the index of the first word of a strand. The words of a pattern take the places from
  // num_strands * (floor(begin / 32) + p) on, which are enough for them.
  [[nodiscard]] WEFT_HOST_DEVICE std::uint64_t first_word(std::uint64_t strand) const {
    const std::uint64_t p = strand / num_strands;
    return num_strands * ((offsets[p] - base) / 32 + p) +
           (strand % num_strands) * ((size_of(strand) + 31) / 32);
  }
  [[nodiscard]] static std::uint64_t num_words(std::uint64_t num_letters, std::uint64_t num_patterns,
                                               unsigned num_strands) {
    return num_strands * (num_letters / 32 + num_patterns + 1);
  }
  [[nodiscard]] WEFT_HOST_DEVICE const near_plan& plan(std::uint64_t strand) const {
    return plans[plan_of[strand]];
  }
  [[nodiscard]] WEFT_HOST_DEVICE near_letters letters(std::uint64_t strand) const {
    const near_plan& of = plan(strand);
    return {words + first_word(strand), of.size, of.exact_prefix, of.exact_suffix};
  }
};

// Returns the bases that the letters of a set complement.
[[nodiscard]] WEFT_HOST_DEVICE inline unsigned complement_of(unsigned set) {
  return (set & 1) << 3 | (set & 2) << 1 | (set & 4) >> 1 | (set & 8) >> 3;
}

// Writes the words of a strand.
WEFT_HOST_DEVICE inline void write_words(const near_batch& batch, std::uint64_t strand) {
  const std::uint64_t size = batch.size_of(strand);
  const bool reverse = strand % batch.num_strands == 1;
  const unsigned char* const letters =
      batch.text.begin + (batch.offsets[strand / batch.num_strands] - batch.base);
  near_word* to = batch.words + batch.first_word(strand);
  for (std::uint64_t first = 0; first < size; first += 32, ++to) {
    near_word word{{even_bits, even_bits, even_bits, even_bits}};
    for (std::uint64_t i = first; i < size && i < first + 32; ++i) {
      const unsigned set = batch.sets[letters[reverse ? size - 1 - i : i]];
      const unsigned bases = reverse ? complement_of(set) : set;
      for (unsigned base = 0; base < 4; ++base)
        word.contains[base] &= ~(static_cast<std::uint64_t>(~bases >> base & 1) << (2 * (i - first)));
    }
    *to = word;
  }
}

// Returns letters [at, at + count) of a strand, which stand for a single base each, in 2 bits each, the first
// lowest; 1 <= count <= 32. The bits behind them are unspecified.
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint64_t packed_strand(const near_word* words, std::uint64_t at,
                                                                  std::uint64_t count) {
  const auto pack = [](const near_word& word) {
    return word.contains[1] | word.contains[3] | (word.contains[2] | word.contains[3]) << 1;
  };
  const std::uint64_t shift = 2 * (at % 32);
  const std::uint64_t first = pack(words[at / 32]) >> shift;
  return at % 32 + count <= 32 ? first : first | pack(words[at / 32 + 1]) << (64 - shift);
}

// Returns how many strings differ from a window in at most max_changes of num_free letters.
[[nodiscard]] WEFT_HOST_DEVICE constexpr std::uint64_t num_window_strings(std::uint64_t num_free,
                                                                          std::uint64_t max_changes) {
  std::uint64_t sum = 1, count = 1;
  for (std::uint64_t e = 1; e <= max_changes && e <= num_free; ++e) {
    count = count * 3 * (num_free - e + 1) / e;
    sum += count;
  }
  return sum;
}

// Changes the letters of a window, given as packed_strand() returns them, to those of its string `number`.
// Returns how many letters were changed.
[[nodiscard]] WEFT_HOST_DEVICE inline unsigned change_letters(const near_plan_window& window,
                                                              std::uint32_t number, std::uint64_t& letters) {
  std::uint32_t changes = 0, count = 1, powers = 1; // strings with so many changes, and 3 to their power
  while (number >= count) {
    number -= count;
    ++changes;
    count = count * 3 * (window.num_free - changes + 1) / changes;
    powers *= 3;
  }
  std::uint32_t digits = number % powers, choice = number / powers;
  std::uint32_t choices = count / powers; // of the changed letters among those from `letter` on
  std::uint32_t needed = changes, left = window.num_free;
  for (std::uint32_t letter = window.free_begin - window.begin; needed > 0; ++letter, --left) {
    const std::uint32_t with_letter = choices * needed / left;
    if (choice < with_letter) {
      const std::uint64_t shift = 2 * letter, old = letters >> shift & 3;
      const std::uint64_t changed = (old + 1 + digits % 3) & 3;
      letters ^= (old ^ changed) << shift;
      digits /= 3;
      choices = with_letter;
      --needed;
    } else {
      choice -= with_letter;
      choices -= with_letter;
    }
  }
  return changes;
}

// A string of a window of a strand.
struct near_string {
  std::uint32_t strand = 0;
  std::uint8_t window = 0, changes = 0;
};

// Returns the rows that begin with a string of a window, which is shorter than the k-mers of the index.
// Between the rows of two k-mers are suffixes that end before they have k letters. They begin with the same
// letters as the k-mer behind them, because a separator is less than all letters.
[[nodiscard]] WEFT_HOST_DEVICE inline fm_interval
short_string_rows(const fm_parts& index, std::uint64_t letters, std::uint64_t size) {
  const std::uint64_t value = reversed_pairs(letters) >> (64 - 2 * size),
                      shift = 2 * (index.kmer_size - size);
  const std::uint64_t first = value << shift, last = ((value + 1) << shift) - 1;
  const std::uint64_t low = first == 0 ? index.first_row[1] : index.kmers[2 * first - 1],
                      high = index.kmers[2 * last + 1];
  return {low, high > low ? high : low, 0};
}

// Returns the rows of string `number` of a strand, and sets which string it is.
[[nodiscard]] WEFT_HOST_DEVICE inline fm_interval
rows_of_string(const near_batch& batch, std::uint64_t strand, std::uint32_t number, near_string& string) {
  const near_plan& plan = batch.plan(strand);
  unsigned w = 0;
  while (w + 1 < plan.num_windows && plan.windows[w + 1].first_string <= number) ++w;
  const near_plan_window& window = plan.windows[w];
  const near_word* const words = batch.words + batch.first_word(strand);
  const fm_parts& index = batch.index;
  // letters: the last 32 letters of the window, or fewer, that are not used up yet, from letter `first` on
  std::uint64_t first = window.size > 32 ? window.size - 32 : 0;
  std::uint64_t letters = packed_strand(words, window.begin + first, window.size - first);
  const unsigned changes =
      window.max_changes > 0 ? change_letters(window, number - window.first_string, letters) : 0;
  string = {static_cast<std::uint32_t>(strand), static_cast<std::uint8_t>(w),
            static_cast<std::uint8_t>(changes)};
  const std::uint64_t k = index.kmer_size;
  if (window.size < k) return short_string_rows(index, letters, window.size);
  fm_narrowing at{0, index.num_rows, window.size};
  if (k > 0) {
    const std::uint64_t last = letters >> (2 * (window.size - k - first));
    const std::uint64_t kmer = reversed_pairs(last) >> (64 - 2 * k);
    at = {index.kmers[2 * kmer], index.kmers[2 * kmer + 1], window.size - k};
  }
  // Strings of one window that differ only in letters that are not used would have the same rows, and filters
  // of rows expect that rows begin where windows do.
  const std::uint64_t cost =
      plan.has_changes ? fm_narrowing::never_compare : fm_narrowing::row_cost(index.sample_rate);
  while (at.should_narrow(cost)) {
    const std::uint64_t letter = at.unmatched - 1;
    if (letter < first) {
      first = letter >= 31 ? letter - 31 : 0;
      letters = packed_strand(words, window.begin + first, letter + 1 - first);
    }
    at.step<true>(index, static_cast<unsigned>(letters >> (2 * (letter - first)) & 3) + 1);
  }
  return {at.low, at.high, at.unmatched};
}

// A near_row_filter says which contexts of the rows of a window can belong to an occurrence: the letters that
// are expected in their slots, and in which slots a letter counts (bit 2 s of slot s) and must match.
struct near_row_filter {
  std::uint64_t letters = 0, counted = 0, exact = 0;

  // Returns whether a context has at most `limit` mismatches, or is incomplete.
  [[nodiscard]] WEFT_HOST_DEVICE bool passes(std::uint64_t context, unsigned limit) const {
    std::uint64_t differ = context ^ letters;
    differ = (differ | differ >> 1) & counted;
    return (count_ones(differ) <= limit && (differ & exact) == 0) || (context & context_flag) != 0;
  }
};

// Returns the filter of a window. Letters of the strand that stand for several bases, or for none, do not
// count.
[[nodiscard]] WEFT_HOST_DEVICE inline near_row_filter make_row_filter(const near_letters& strand,
                                                                      const near_plan_window& window) {
  near_row_filter filter;
  for (unsigned slot = 0; slot < context_slots; ++slot) {
    const std::int64_t letter = letter_of_slot(window.begin, slot);
    if (slot == context_flag_slot || letter < 0 || letter >= static_cast<std::int64_t>(strand.size) ||
        (letter >= window.begin && letter < static_cast<std::int64_t>(window.begin) + window.size))
      continue;
    const auto i = static_cast<std::uint64_t>(letter);
    const unsigned set = strand.set(i);
    if (set == 0 || (set & (set - 1)) != 0) continue;
    filter.letters |= static_cast<std::uint64_t>(lowest_one(set)) << (2 * slot);
    filter.counted |= std::uint64_t{1} << (2 * slot);
    if (strand.is_exact(i)) filter.exact |= std::uint64_t{1} << (2 * slot);
  }
  return filter;
}

constexpr std::uint64_t no_near_key = ~std::uint64_t{0}; // no hit

// Compares a strand where a row of a string leads to, and returns its hit, or no_near_key if it is none or an
// earlier window finds it. `unmatched` is that of the string's rows, `position` that of the row.
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint64_t hit_at(const near_batch& batch, const near_string& string,
                                                           std::uint64_t unmatched, std::uint64_t position) {
  const near_plan& plan = batch.plan(string.strand);
  const near_letters strand = batch.letters(string.strand);
  const std::uint64_t offset = plan.windows[string.window].begin + unmatched;
  const strand_position at = locate_strand(batch.index, batch.record_offsets, strand.size, position, offset);
  if (!at.in_record || (plan.has_changes && !at.in_segment)) return no_near_key;
  const auto found =
      compare_located<max_near_distance>(batch.index, strand, at, position, offset, batch.max_distance);
  if (!is_near(strand, found, batch.max_distance)) return no_near_key;
  for (unsigned w = 0; w <= string.window; ++w) {
    const near_plan_window& window = plan.windows[w];
    const bool finds = found.count_in(window.begin, window.begin + window.size) <= window.max_changes;
    if (finds != (w == string.window)) return no_near_key;
  }
  const std::uint64_t pattern = string.strand / batch.num_strands;
  return batch.keys.pack(pattern, batch.record_offsets[at.record] + at.begin,
                         string.strand % batch.num_strands == 1, batch.max_distance, found.count);
}

} // namespace weft::bwt_detail
