#include <weft/search/cpu/anchors.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <utility>
#include <weft/base/error.hpp>
#include <weft/base/parallel.hpp>

namespace weft::search_detail {

namespace {

constexpr std::uint64_t max_occurrences = 32;
constexpr std::uint64_t long_match = 256; // letters; within such a match, k-mers are not looked up
constexpr std::uint64_t chunk_size = std::uint64_t{1} << 18;

// Of how many k-mers of A one is sampled, on average.
std::uint64_t sampling_interval(std::uint64_t size) { return size < (std::uint64_t{1} << 20) ? 1 : 4; }

// The codes 0 to 3 of the letters; 4 stands for a separator.
constexpr std::array<std::uint8_t, 256> codes = [] {
  std::array<std::uint8_t, 256> table{};
  table.fill(4);
  table['A'] = 0, table['C'] = 1, table['G'] = 2, table['T'] = 3;
  return table;
}();

// A k-mer that was sampled: its position, the hash of the smaller of it and its reverse complement, and
// whether the reverse complement is the smaller.
struct sampled_kmer {
  std::uint64_t position, hash;
  bool reversed;
};

// Mixes the bits of a number (the finalizer of MurmurHash3).
constexpr std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdu;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53u;
  return x ^ (x >> 33);
}

// Calls visit(sampled_kmer) for the sampled k-mers that begin in [begin, end), from left to right.
template <class Visit>
void visit_kmers(const genome_text& text, std::uint64_t begin, std::uint64_t end, std::uint64_t k,
                 std::uint64_t interval, const Visit& visit) {
  const std::uint64_t mask = (std::uint64_t{1} << (2 * k)) - 1, top = 2 * (k - 1);
  std::uint64_t forward = 0, reverse = 0, letters = 0;
  end = std::min(end + k - 1, text.size());
  for (std::uint64_t i = begin; i < end; ++i) {
    const std::uint64_t code = codes[static_cast<unsigned char>(text.letters[i])];
    if (code > 3) {
      letters = 0;
      continue;
    }
    forward = (forward << 2 | code) & mask;
    reverse = reverse >> 2 | (3 - code) << top;
    if (++letters < k) continue;
    const std::uint64_t hash = mix(std::min(forward, reverse));
    if (hash % interval == 0) visit(sampled_kmer{i + 1 - k, hash, reverse < forward});
  }
}

// The sampled k-mers of A, by their hashes: an entry has the position, whether the reverse complement is the
// smaller, and some bits of the hash, and lies in the bucket that other bits select.
class kmer_table {
public:
  kmer_table(const genome_text& text, std::uint64_t k, std::uint64_t interval, const run_options& run)
      : shift_(64 - std::bit_width(text.size() / interval)) {
    begins_.assign((std::uint64_t{1} << (64 - shift_)) + 2, 0);
    for (const bool counting : {true, false}) {
      for (std::uint64_t begin = 0; begin < text.size(); begin += chunk_size) {
        base_detail::check_cancelled(run);
        visit_kmers(text, begin, std::min(begin + chunk_size, text.size()), k, interval,
                    [&](const sampled_kmer& kmer) {
                      const std::uint64_t bucket = kmer.hash >> shift_;
                      if (counting)
                        ++begins_[bucket + 2];
                      else
                        entries_[begins_[bucket + 1]++] = entry_of(kmer);
                    });
        if (!counting) base_detail::add_work(run, std::min(chunk_size, text.size() - begin) / 2);
      }
      if (!counting) break;
      for (std::size_t i = 3; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
      entries_.resize(begins_.back());
    }
  }

  // Calls visit(position in A, whether the strands differ) for each entry that is likely to be the k-mer.
  template <class Visit> void visit_matches(const sampled_kmer& kmer, const Visit& visit) const {
    const std::uint64_t bucket = kmer.hash >> shift_, first = begins_[bucket], last = begins_[bucket + 1],
                        tag = entry_of(kmer) & tag_mask;
    std::uint64_t occurrences = 0;
    for (std::uint64_t i = first; i < last && occurrences <= max_occurrences; ++i)
      occurrences += (entries_[i] & tag_mask) == tag;
    if (occurrences > max_occurrences) return;
    for (std::uint64_t i = first; i < last; ++i)
      if ((entries_[i] & tag_mask) == tag)
        visit(entries_[i] >> position_shift, ((entries_[i] >> tag_bits & 1) != 0) != kmer.reversed);
  }

private:
  static constexpr int tag_bits = 20, position_shift = tag_bits + 1;
  static constexpr std::uint64_t tag_mask = (std::uint64_t{1} << tag_bits) - 1;
  static std::uint64_t entry_of(const sampled_kmer& kmer) {
    return kmer.position << position_shift | static_cast<std::uint64_t>(kmer.reversed) << tag_bits |
           (kmer.hash >> 2 & tag_mask);
  }

  int shift_;
  std::vector<std::uint64_t> begins_, entries_; // bucket i: entries_[begins_[i], begins_[i + 1])
};

// Extends k-mers of a chunk of B to maximal matches, each once as far as a small cache can tell.
class match_finder {
public:
  match_finder(const genome_text& a, const genome_text& b, const genome_text& b_reverse, std::uint64_t k)
      : a_(a), b_(b), b_reverse_(b_reverse), k_(k) {}

  void find(const kmer_table& table, const sampled_kmer& kmer, strand_anchors& found) {
    if (kmer.position + k_ <= covered_to_) return;
    table.visit_matches(kmer, [&](std::uint64_t a, bool reverse) {
      const std::uint64_t b = reverse ? b_.size() - kmer.position - k_ : kmer.position;
      add(a, b, reverse, found);
    });
  }

private:
  // The last match that was found on some diagonal.
  struct recent_match {
    std::uint64_t diagonal = ~std::uint64_t{0}, b = 0, b_end = 0;
  };

  void add(std::uint64_t a, std::uint64_t b, bool reverse, strand_anchors& found) {
    const std::uint64_t diagonal = 2 * (a - b) + static_cast<std::uint64_t>(reverse);
    recent_match& recent = recent_[mix(diagonal) % recent_.size()];
    if (recent.diagonal == diagonal && recent.b <= b && b + k_ <= recent.b_end) return;
    const char* const in_a = a_.letters.data() + a;
    const char* const in_b = (reverse ? b_reverse_ : b_).letters.data() + b;
    const std::uint64_t right = common_prefix(in_a, in_b, chunk_size);
    if (right < k_) return; // other letters with the same bits of the hash
    const std::uint64_t left = common_suffix(in_a, in_b, chunk_size);
    const anchor match{b - left, a - left, left + right};
    (reverse ? found.reverse : found.forward).push_back(match);
    recent = {diagonal, match.b, match.b_end()};
    if (match.length >= long_match)
      covered_to_ = std::max(covered_to_, reverse ? b_.size() - match.b : match.b_end());
  }

  const genome_text &a_, &b_, &b_reverse_;
  std::uint64_t k_;
  std::uint64_t covered_to_ = 0; // the end of the long match that contains the current position of B
  std::array<recent_match, 1024> recent_{};
};

// Joins the parts of each match, which overlap on a diagonal, and sorts the matches.
void join_and_sort(std::vector<anchor>& anchors) {
  std::sort(anchors.begin(), anchors.end(), [](const anchor& x, const anchor& y) {
    return std::pair(x.diagonal(), x.b) < std::pair(y.diagonal(), y.b);
  });
  std::size_t count = 0;
  for (const anchor& each : anchors) {
    anchor* const last = count == 0 ? nullptr : &anchors[count - 1];
    if (last != nullptr && last->diagonal() == each.diagonal() && each.b <= last->b_end())
      last->length = std::max(last->b_end(), each.b_end()) - last->b;
    else
      anchors[count++] = each;
  }
  anchors.resize(count);
  std::sort(anchors.begin(), anchors.end());
}

} // namespace

std::uint64_t anchor_memory(std::uint64_t size_of_a) {
  return 8 * 3 * (size_of_a / sampling_interval(size_of_a)) + 64;
}

strand_anchors find_anchors(const genome_text& a, const genome_text& b, const genome_text& b_reverse,
                            std::uint64_t k, std::uint64_t max_anchors, const run_options& run) {
  const std::uint64_t interval = sampling_interval(a.size());
  const kmer_table table(a, k, interval, run);
  std::atomic<std::uint64_t> count{0};
  std::vector<strand_anchors> of_chunk((b.size() + chunk_size - 1) / chunk_size);
  parallel_for(0, b.size(), chunk_size, run, [&](std::uint64_t first, std::uint64_t last) {
    match_finder finder(a, b, b_reverse, k);
    visit_kmers(b, first, last, k, interval,
                [&](const sampled_kmer& kmer) { finder.find(table, kmer, of_chunk[first / chunk_size]); });
    const strand_anchors& part = of_chunk[first / chunk_size];
    const std::uint64_t found = part.forward.size() + part.reverse.size();
    if (count.fetch_add(found) + found > max_anchors)
      throw memory_error("the matches between the genomes take more memory than is allowed");
    base_detail::add_work(run, (last - first) / 2);
  });
  strand_anchors all;
  for (const strand_anchors& part : of_chunk) {
    all.forward.insert(all.forward.end(), part.forward.begin(), part.forward.end());
    all.reverse.insert(all.reverse.end(), part.reverse.begin(), part.reverse.end());
  }
  join_and_sort(all.forward);
  join_and_sort(all.reverse);
  return all;
}

} // namespace weft::search_detail
