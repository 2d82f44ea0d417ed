#include <weft/bwt/cpu/near_patterns.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string_view>
#include <weft/bwt/core/fm_letters.hpp>

namespace weft::bwt_detail {

namespace {

constexpr std::array<std::uint8_t, 256> make_sets(bool iupac) {
  constexpr std::string_view letters = "ACMGRSVTWYHKDBN"; // the letter of set s is at s - 1
  std::array<std::uint8_t, 256> sets{};
  for (std::size_t s = 1; s <= letters.size(); ++s) {
    if (!iupac && (s & (s - 1)) != 0) continue; // a set of several bases
    const char letter = letters[s - 1];
    sets[static_cast<unsigned char>(letter)] = static_cast<std::uint8_t>(s);
    sets[static_cast<unsigned char>(letter - 'A' + 'a')] = static_cast<std::uint8_t>(s);
  }
  return sets;
}
constexpr std::array<std::uint8_t, 256> base_sets = make_sets(false), iupac_sets = make_sets(true);

// The set of the complements of a set: A and T, C and G change places, so that the order of the bits turns.
constexpr std::array<std::uint8_t, 16> complements = [] {
  std::array<std::uint8_t, 16> table{};
  for (unsigned set = 0; set < 16; ++set)
    table[set] = static_cast<std::uint8_t>((set & 1) << 3 | (set & 2) << 1 | (set & 4) >> 1 | (set & 8) >> 3);
  return table;
}();
constexpr std::uint8_t all_bases = 15;
constexpr std::array<bool, 16> plain_sets = {false, true,  true,  false, true,
                                             false, false, false, true}; // one base

// Packs the sets of 32 letters.
near_word pack(const std::uint8_t* sets) {
  near_word word{};
  for (unsigned i = 0; i < 32; i += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, sets + i, 8);
    for (unsigned base = 0; base < 4; ++base)
      word.contains[base] |= pack_pairs(eight >> base & byte_ones) << (2 * i);
  }
  return word;
}

// Returns the longest stretches of letters [begin, end) that stand for a single base each.
std::vector<near_seed> plain_runs(const near_strand& strand, std::uint64_t begin, std::uint64_t end) {
  std::vector<near_seed> runs;
  bool in_run = false;
  for (std::uint64_t i = begin; i < end; ++i) {
    const bool plain = plain_sets[strand.sets[i]];
    if (plain && in_run)
      ++runs.back().size;
    else if (plain)
      runs.push_back({i, 1});
    in_run = plain;
  }
  return runs;
}

// Returns `count` seeds in these runs, the shortest of which is as long as possible; none if the runs have
// fewer letters.
std::vector<near_seed> divide(std::span<const near_seed> runs, std::uint64_t count) {
  const auto num_seeds = [&](std::uint64_t size) {
    std::uint64_t sum = 0;
    for (const near_seed& run : runs) sum += run.size / size;
    return sum;
  };
  if (num_seeds(1) < count) return {};
  std::uint64_t size = 1, too_large = 2;
  while (num_seeds(too_large) >= count) size = too_large, too_large *= 2;
  while (too_large - size > 1) {
    const std::uint64_t middle = size + (too_large - size) / 2;
    (num_seeds(middle) >= count ? size : too_large) = middle;
  }
  std::vector<near_seed> seeds;
  for (const near_seed& run : runs) {
    const std::uint64_t parts = std::min(run.size / size, count - seeds.size());
    for (std::uint64_t i = 0; i < parts; ++i) {
      const std::uint64_t begin = run.begin + run.size * i / parts;
      seeds.push_back({begin, run.begin + run.size * (i + 1) / parts - begin});
    }
  }
  return seeds;
}

} // namespace

near_patterns::near_patterns(const sequences_view& patterns, std::uint64_t first, std::uint64_t last,
                             const near_options& options) {
  const std::uint64_t num_strands = options.both_strands ? 2 : 1;
  std::uint64_t num_words = 0;
  for (std::uint64_t p = first; p < last; ++p) num_words += num_strands * ((patterns.size(p) + 31) / 32);
  sets_.assign(32 * num_words, all_bases);
  words_.resize(num_words);
  strands_.reserve(num_strands * (last - first));
  const auto& set_of = options.iupac ? iupac_sets : base_sets;
  std::uint64_t word = 0;
  for (std::uint64_t p = first; p < last; ++p) {
    const std::string_view pattern = patterns[p];
    for (const bool reverse : {false, true}) {
      if (reverse && !options.both_strands) break;
      std::uint8_t* const sets = sets_.data() + 32 * word;
      strands_.push_back({p, reverse, pattern.size(), reverse ? options.exact_suffix : options.exact_prefix,
                          reverse ? options.exact_prefix : options.exact_suffix, sets, words_.data() + word});
      if (!reverse)
        std::transform(pattern.begin(), pattern.end(), sets,
                       [&](char c) { return set_of[static_cast<unsigned char>(c)]; });
      else
        std::transform(pattern.rbegin(), pattern.rend(), sets,
                       [&](char c) { return complements[set_of[static_cast<unsigned char>(c)]]; });
      for (std::uint64_t i = 0; i < pattern.size(); i += 32) words_[word++] = pack(sets + i);
    }
  }
}

double expected_seeds(std::span<const near_seed> seeds, std::uint64_t num_symbols) {
  double sum = 0;
  for (const near_seed& seed : seeds)
    sum += std::ldexp(static_cast<double>(num_symbols),
                      -2 * static_cast<int>(std::min<std::uint64_t>(seed.size, 64)));
  return sum;
}

std::vector<near_seed> choose_seeds(const near_strand& strand, unsigned max_distance, bool& possible) {
  std::uint64_t num_wrong = 0; // letters that match nothing: each is a mismatch anyway
  for (std::uint64_t i = 0; i < strand.size; ++i)
    if (strand.sets[i] == 0) num_wrong += strand.is_exact(i) ? max_distance + 1 : 1;
  possible = num_wrong <= max_distance;
  if (!possible) return {};
  std::vector<near_seed> seeds = divide(plain_runs(strand, 0, strand.size), max_distance - num_wrong + 1);
  std::vector<near_seed> runs = plain_runs(strand, 0, strand.exact_prefix);
  for (const near_seed& run : plain_runs(strand, strand.size - strand.exact_suffix, strand.size))
    runs.push_back(run);
  const auto longest = std::max_element(
      runs.begin(), runs.end(), [](const near_seed& a, const near_seed& b) { return a.size < b.size; });
  if (longest != runs.end() &&
      (seeds.empty() || expected_seeds({&*longest, 1}, 1) < expected_seeds(seeds, 1)))
    return {*longest};
  return seeds;
}

} // namespace weft::bwt_detail

namespace weft {

std::uint8_t near_letter_set(char letter, bool iupac) noexcept {
  return (iupac ? bwt_detail::iupac_sets : bwt_detail::base_sets)[static_cast<unsigned char>(letter)];
}

} // namespace weft
