// A simple find_strand_anchors() would compare every k-mer of A with every k-mer of B and with its reverse
// complement. The implementation below differs from it:
//   1. A k-mer and its reverse complement have the same hash. Of both texts, only k-mers with small
//      hashes are kept.
//   2. The kept k-mers of each text are sorted by their hashes, and k-mers with equal hashes are compared
//      letter by letter.
//   3. A hash with more than max_repeats pairs is a repeat and is left out. If the other hashes have more
//      than max_pairs pairs, the sample is reduced again.
#include <weft/files/plot/strand_anchors.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <limits>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <weft/base/mixed.hpp>
#include <weft/sort/sort.hpp>

namespace weft::files {

namespace {

constexpr std::uint64_t max_pairs = std::uint64_t{1} << 19, sample_size = max_pairs,
                        max_samples = 2 * sample_size;
constexpr std::uint64_t max_repeats = 64; // maximum pairs of one hash

// The two-bit code of each base, and `other` for any other letter.
constexpr std::uint8_t other = 4;
constexpr std::array<std::uint8_t, 256> base_codes() {
  std::array<std::uint8_t, 256> codes{};
  codes.fill(other);
  for (const auto& [letter, code] : {std::pair{'A', 0}, {'C', 1}, {'G', 2}, {'T', 3}, {'U', 3}}) {
    codes[static_cast<unsigned char>(letter)] = static_cast<std::uint8_t>(code);
    codes[static_cast<unsigned char>(letter + ('a' - 'A'))] = static_cast<std::uint8_t>(code);
  }
  return codes;
}
constexpr std::array<std::uint8_t, 256> codes = base_codes();
std::uint8_t code_of(char letter) { return codes[static_cast<unsigned char>(letter)]; }

// Returns an odd k from 9 to 31 with 4^k >= m n, or 31 if m n is larger.
unsigned kmer_length(std::uint64_t m, std::uint64_t n) {
  const auto bits = static_cast<unsigned>(std::bit_width(m) + std::bit_width(n));
  return std::clamp((bits + 1) / 2 | 1U, 9U, 31U);
}

// A sample is a 64-bit word: the hash of a k-mer in its upper half, and the position of the k-mer in its
// lower half.
std::uint64_t hash_in(std::uint64_t sample) { return sample >> 32; }
std::uint32_t position_in(std::uint64_t sample) { return static_cast<std::uint32_t>(sample); }

// Returns the samples of a text whose hashes are below `limit`, sorted. Halves `limit` whenever there are
// more than max_samples.
std::vector<std::uint64_t> sample_kmers(std::string_view text, unsigned k, std::uint64_t& limit) {
  std::vector<std::uint64_t> samples;
  samples.reserve(std::min<std::uint64_t>(text.size(), max_samples));
  const std::uint64_t mask = (std::uint64_t{1} << 2 * k) - 1;
  std::uint64_t forward = 0, reverse = 0;
  unsigned length = 0; // number of bases since the last other letter, at most k
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::uint64_t code = code_of(text[i]);
    if (code == other) {
      length = 0;
      continue;
    }
    forward = (forward << 2 | code) & mask;
    reverse = reverse >> 2 | (3 - code) << 2 * (k - 1);
    length += length < k ? 1 : 0;
    if (length < k) continue;
    const std::uint64_t hash = weft::base_detail::mixed(std::min(forward, reverse)) >> 32;
    if (hash >= limit) continue;
    while (samples.size() == max_samples) {
      limit /= 2;
      std::erase_if(samples, [&](std::uint64_t each) { return hash_in(each) >= limit; });
    }
    if (hash < limit) samples.push_back(hash << 32 | (i + 1 - k));
  }
  weft::sort(samples, weft::ascending(), {.run = {.device = {device_kind::cpu}, .threads = 1}});
  return samples;
}

// Return true if the k-mers are equal, or if one is the reverse complement of the other. Both cannot be true,
// because k is odd.
bool equal_kmers(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return code_of(x) == code_of(y); });
}
bool complementary_kmers(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.rbegin(),
                    [](char x, char y) { return code_of(x) == 3 - code_of(y); });
}

// Calls visit(samples of A, samples of B) for each hash that occurs in both texts.
template <class Visit>
void for_equal_hashes(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b, Visit visit) {
  const auto run = [](std::span<const std::uint64_t> samples) {
    std::size_t size = 1;
    while (size < samples.size() && hash_in(samples[size]) == hash_in(samples[0])) ++size;
    return samples.first(size);
  };
  while (!a.empty() && !b.empty()) {
    if (hash_in(a[0]) < hash_in(b[0])) {
      a = a.subspan(1);
    } else if (hash_in(b[0]) < hash_in(a[0])) {
      b = b.subspan(1);
    } else {
      const std::span<const std::uint64_t> of_a = run(a), of_b = run(b);
      visit(of_a, of_b);
      a = a.subspan(of_a.size());
      b = b.subspan(of_b.size());
    }
  }
}

// Returns the number of pairs over all hashes that are not repeats.
std::uint64_t count_pairs(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  std::uint64_t pairs = 0;
  for_equal_hashes(a, b, [&](auto of_a, auto of_b) {
    if (of_a.size() * of_b.size() <= max_repeats) pairs += of_a.size() * of_b.size();
  });
  return pairs;
}

// A segment_joiner joins the anchors of one strand to segments by their diagonals: a - b, or on the reverse
// strand a + b.
class segment_joiner {
public:
  segment_joiner(unsigned k, std::uint64_t max_gap, std::uint64_t max_drift)
      : k_(k), gap_(static_cast<std::int64_t>(max_gap)), drift_(static_cast<std::int64_t>(max_drift)) {}

  // Adds an anchor to a segment, or begins a new one. Anchors must be added in the order of their positions
  // in A.
  void add(const strand_anchor& anchor, std::vector<strand_segment>& segments) {
    const auto a = static_cast<std::int64_t>(anchor.a), b = static_cast<std::int64_t>(anchor.b);
    const std::int64_t diagonal = anchor.reverse ? a + b : a - b;
    // A band has drift + 1 diagonals, so all diagonals within the drift are in this band or in an adjacent
    // one.
    const std::int64_t band = diagonal >= 0 ? diagonal / (drift_ + 1) : (diagonal - drift_) / (drift_ + 1);
    for (const std::int64_t near : {band, band - 1, band + 1}) {
      const auto found = open_.find(near);
      if (found == open_.end() || std::abs(found->second.diagonal - diagonal) > drift_) continue;
      strand_segment& segment = segments[found->second.segment];
      if (a - static_cast<std::int64_t>(segment.a_end) > gap_) continue;
      segment.a_end = anchor.a + k_;
      segment.b_begin = std::min<std::uint64_t>(segment.b_begin, anchor.b);
      segment.b_end = std::max<std::uint64_t>(segment.b_end, anchor.b + std::uint64_t{k_});
      return;
    }
    open_[band] = {diagonal, segments.size()};
    segments.push_back(
        {anchor.a, anchor.a + std::uint64_t{k_}, anchor.b, anchor.b + std::uint64_t{k_}, anchor.reverse});
  }

private:
  struct open_segment {
    std::int64_t diagonal; // diagonal of the first anchor
    std::size_t segment;
  };
  std::uint64_t k_;
  std::int64_t gap_, drift_;
  std::unordered_map<std::int64_t, open_segment> open_; // the last segment of each band
};

} // namespace

strand_anchors find_strand_anchors(std::string_view a, std::string_view b) {
  strand_anchors found;
  const std::uint64_t length = std::max(a.size(), b.size());
  if (length > std::numeric_limits<std::uint32_t>::max()) return found;
  found.k = kmer_length(a.size(), b.size());
  constexpr std::uint64_t all = std::uint64_t{1} << 32;
  std::uint64_t limit = length <= sample_size ? all : all / length * sample_size;
  std::vector<std::uint64_t> of_a = sample_kmers(a, found.k, limit);
  const std::uint64_t limit_of_a = limit;
  const std::vector<std::uint64_t> of_b = sample_kmers(b, found.k, limit);
  if (limit < limit_of_a) std::erase_if(of_a, [&](std::uint64_t each) { return hash_in(each) >= limit; });
  if (const std::uint64_t pairs = count_pairs(of_a, of_b); pairs > max_pairs)
    limit = limit / pairs * max_pairs;
  found.spacing = all / std::max<std::uint64_t>(1, limit);
  for_equal_hashes(of_a, of_b, [&](auto hash_of_a, auto hash_of_b) {
    if (hash_in(hash_of_a[0]) >= limit || hash_of_a.size() * hash_of_b.size() > max_repeats) return;
    for (const std::uint64_t x : hash_of_a)
      for (const std::uint64_t y : hash_of_b) {
        const std::string_view a_kmer = a.substr(position_in(x), found.k),
                               b_kmer = b.substr(position_in(y), found.k);
        if (equal_kmers(a_kmer, b_kmer))
          found.anchors.push_back({position_in(x), position_in(y), false});
        else if (complementary_kmers(a_kmer, b_kmer))
          found.anchors.push_back({position_in(x), position_in(y), true});
      }
  });
  const auto sort_key = [](const strand_anchor& each) { return std::tuple(each.reverse, each.a, each.b); };
  std::sort(found.anchors.begin(), found.anchors.end(),
            [&](const strand_anchor& x, const strand_anchor& y) { return sort_key(x) < sort_key(y); });
  return found;
}

std::vector<strand_segment> join_anchors(const strand_anchors& found, std::uint64_t max_gap,
                                         std::uint64_t max_drift) {
  std::vector<strand_segment> segments;
  segment_joiner forward(found.k, max_gap, max_drift), reverse(found.k, max_gap, max_drift);
  for (const strand_anchor& each : found.anchors) (each.reverse ? reverse : forward).add(each, segments);
  return segments;
}

} // namespace weft::files
