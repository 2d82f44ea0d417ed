#include <weft/files/lcs/sequence_checks.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>
#include <vector>
#include <weft/base/mixed.hpp>

namespace weft::files {

namespace {

constexpr std::uint64_t max_sample = 20000;

// The two-bit codes of nucleotides, and 4 for any other letter.
constexpr std::array<std::uint8_t, 256> nucleotide_codes = [] {
  std::array<std::uint8_t, 256> codes{};
  codes.fill(4);
  codes['A'] = 0, codes['C'] = 1, codes['G'] = 2, codes['T'] = codes['U'] = 3;
  return codes;
}();

// Calls use(forward, reverse) for each k-mer of nucleotides, with its code and the code of its reverse
// complement.
template <class Use> void for_each_kmer(std::string_view letters, std::uint64_t k, const Use& use) {
  const std::uint64_t mask = (std::uint64_t{1} << (2 * k)) - 1;
  std::uint64_t forward = 0, reverse = 0, length = 0;
  for (const char c : letters) {
    const std::uint64_t code = nucleotide_codes[static_cast<unsigned char>(c)];
    if (code == 4) {
      length = 0;
      continue;
    }
    forward = (forward << 2 | code) & mask;
    reverse = reverse >> 2 | (3 - code) << (2 * (k - 1));
    if (++length >= k) use(forward, reverse);
  }
}

// A kmer_set is a set of k-mers with a mark for each strand on which a k-mer was found. It uses open
// addressing behind a filter with four bits per slot, because nearly all look-ups are of k-mers that are not
// in the set.
class kmer_set {
public:
  explicit kmer_set(std::uint64_t capacity)
      : slots_(std::bit_ceil(4 * capacity + 4)), filter_((slots_.size() * 4 + 63) / 64) {}

  void insert(std::uint64_t kmer) {
    const std::uint64_t hash = base_detail::mixed(kmer);
    slot& found = find(kmer, hash);
    if (found.key == 0) ++size_;
    found.key = kmer + 1;
    const std::uint64_t bit = hash % (filter_.size() * 64);
    filter_[bit / 64] |= std::uint64_t{1} << bit % 64;
  }
  void mark(std::uint64_t kmer, std::uint8_t strand) {
    const std::uint64_t hash = base_detail::mixed(kmer), bit = hash % (filter_.size() * 64);
    if ((filter_[bit / 64] >> bit % 64 & 1) == 0) return;
    if (slot& found = find(kmer, hash); found.key != 0) found.strands |= strand;
  }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::uint64_t count_marked(std::uint8_t strand) const {
    return static_cast<std::uint64_t>(std::count_if(
        slots_.begin(), slots_.end(), [&](const slot& each) { return (each.strands & strand) != 0; }));
  }

private:
  struct slot {
    std::uint64_t key = 0; // code of the k-mer plus one; 0: free
    std::uint8_t strands = 0;
  };
  slot& find(std::uint64_t kmer, std::uint64_t hash) {
    std::size_t at = (hash >> 20) & (slots_.size() - 1);
    while (slots_[at].key != 0 && slots_[at].key != kmer + 1) at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
  }

  std::vector<slot> slots_;
  std::vector<std::uint64_t> filter_;
  std::uint64_t size_ = 0;
};

// Returns a k for which a given k-mer occurs by chance in at most about one in a hundred random texts of this
// length. k is at least 8 and at most 31.
std::uint64_t choose_k(std::uint64_t length) {
  return std::clamp<std::uint64_t>((std::bit_width(100 * length) + 1) / 2, 8, 31);
}

// Returns a random order of the letters of `text`, or, if `count` is smaller than its size, `count` letters
// drawn from it at random.
std::string shuffled(std::string_view text, std::uint64_t count, std::uint64_t& state) {
  const auto below = [&](std::uint64_t bound) { return base_detail::mixed(state++) % bound; };
  std::string letters;
  if (count < text.size()) {
    for (std::uint64_t i = 0; i < count; ++i) letters += text[below(text.size())];
    return letters;
  }
  letters = text;
  for (std::uint64_t i = letters.size(); i > 1; --i) std::swap(letters[i - 1], letters[below(i)]);
  return letters;
}

// The mean length of the LCS of five pairs of shuffled texts, and the lengths of the shuffled texts.
struct shuffled_lcs {
  double mean_length = 0;
  std::uint64_t m = 0, n = 0;
};

// Shuffles both texts and computes their LCS, five times. Returns nothing if the first shuffle shows that an
// LCS of `length` is far longer.
std::optional<shuffled_lcs> shuffle(std::string_view a, std::string_view b, std::uint64_t length,
                                    const lcs_options& letter_options) {
  constexpr int rounds = 5;
  constexpr std::uint64_t max_letters = 20000, min_letters_for_one = 200;
  const std::uint64_t longest = std::max(a.size(), b.size());
  const auto scaled = [&](std::uint64_t size) -> std::uint64_t {
    if (longest <= max_letters) return size;
    const double part = static_cast<double>(max_letters) / static_cast<double>(longest);
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(part * static_cast<double>(size) + 0.5));
  };
  shuffled_lcs result{0, scaled(a.size()), scaled(b.size())};
  const double share = static_cast<double>(length) / static_cast<double>(std::min(a.size(), b.size()));
  const auto shorter = static_cast<double>(std::min(result.m, result.n));
  lcs_options options;
  options.run.device = {device_kind::cpu, 0};
  options.run.threads = 1;
  options.wildcards = letter_options.wildcards;
  options.unmatched = letter_options.unmatched;
  std::uint64_t state = 1;
  for (int round = 0; round < rounds; ++round) {
    const std::string x = shuffled(a, result.m, state), y = shuffled(b, result.n, state);
    const auto found = static_cast<double>(lcs_length(x, y, options));
    if (round == 0 && shorter >= min_letters_for_one && share > 1.2 * found / shorter) return std::nullopt;
    result.mean_length += found / rounds;
  }
  return result;
}

} // namespace

strand_matches match_strands(std::string_view a, std::string_view b) {
  const std::string_view shorter = a.size() <= b.size() ? a : b, longer = a.size() <= b.size() ? b : a;
  strand_matches found;
  found.k = choose_k(longer.size());
  // One in `each` k-mers is in the sample.
  const std::uint64_t each = std::max<std::uint64_t>(1, shorter.size() / max_sample);
  kmer_set sample(std::min(shorter.size(), 2 * max_sample));
  for_each_kmer(shorter, found.k, [&](std::uint64_t kmer, std::uint64_t) {
    if (sample.size() < 2 * max_sample && (each == 1 || base_detail::mixed(~kmer) % each == 0))
      sample.insert(kmer);
  });
  for_each_kmer(longer, found.k, [&](std::uint64_t forward, std::uint64_t reverse) {
    sample.mark(forward, 1);
    sample.mark(reverse, 2);
  });
  found.sampled = sample.size();
  found.same = sample.count_marked(1);
  found.opposite = sample.count_marked(2);
  return found;
}

std::optional<lcs_shares> find_unrelated(std::string_view a, std::string_view b, std::uint64_t length,
                                         const lcs_options& options) {
  if (length == 0 || std::max(a.size(), b.size()) < 50) return std::nullopt;
  const auto found = shuffle(a, b, length, options);
  if (!found) return std::nullopt;
  const double share = static_cast<double>(length) / static_cast<double>(std::min(a.size(), b.size()));
  const double unrelated = found->mean_length / static_cast<double>(std::min(found->m, found->n));
  if (share > 1.02 * unrelated) return std::nullopt;
  return lcs_shares{share, unrelated};
}

} // namespace weft::files
