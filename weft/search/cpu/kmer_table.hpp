// The sampled k-mers of a text, and a table that finds them by their letters.
//
// A k-mer is sampled if the hash of it and its reverse complement is a multiple of the sampling interval, so
// the same k-mers are sampled in both genomes, on both strands.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>
#include <weft/base/run.hpp>
#include <weft/base/unwritten_allocator.hpp>
#include <weft/search/cpu/genome_text.hpp>

namespace weft::search_detail {

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

// The codes 0 to 3 of the letters; 4 stands for a separator.
inline constexpr std::array<std::uint8_t, 256> kmer_codes = [] {
  std::array<std::uint8_t, 256> table{};
  table.fill(4);
  table['A'] = 0, table['C'] = 1, table['G'] = 2, table['T'] = 3;
  return table;
}();

// Calls visit(sampled_kmer) for the sampled k-mers that begin in [begin, end), from left to right. `interval`
// is a power of two. O(end - begin + k).
template <class Visit>
void visit_kmers(const genome_text& text, std::uint64_t begin, std::uint64_t end, std::uint64_t k,
                 std::uint64_t interval, const Visit& visit) {
  const std::uint64_t mask = (std::uint64_t{1} << (2 * k)) - 1, top = 2 * (k - 1);
  std::uint64_t forward = 0, reverse = 0, letters = 0;
  end = std::min(end + k - 1, text.size());
  for (std::uint64_t i = begin; i < end; ++i) {
    const std::uint64_t code = kmer_codes[static_cast<unsigned char>(text.letters[i])];
    if (code > 3) {
      letters = 0;
      continue;
    }
    forward = (forward << 2 | code) & mask;
    reverse = reverse >> 2 | (3 - code) << top;
    if (++letters < k) continue;
    const std::uint64_t hash = mix(std::min(forward, reverse));
    if ((hash & (interval - 1)) == 0) visit(sampled_kmer{i + 1 - k, hash, reverse < forward});
  }
}

// The part of a table that a process fills if `count` processes build equal tables together: the buckets of
// part `index`. copy(numbers, owner) copies the numbers of process `owner` to the other processes.
struct table_part {
  std::uint64_t index = 0, count = 1;
  std::function<void(std::span<std::uint64_t> numbers, std::uint64_t owner)> copy = {};
};

// A kmer_table holds the sampled k-mers of a text by their hashes. An entry has the position, whether the
// reverse complement is the smaller, and some bits of the hash, and lies in the bucket that other bits
// select; so an entry that is found is likely to be the k-mer, not certain.
class kmer_table {
public:
  // Builds the table of k-mers of k letters, 8 to 31. O(n). Each thread reads the whole text and fills some
  // of the buckets: most of the time goes to waiting for their memory. The parts of all processes together
  // add text.size() / 2 to the work of the run. The processes copy 16 bytes for each bucket and 8 bytes for
  // each sampled k-mer.
  kmer_table(const genome_text& text, std::uint64_t k, const run_options& run, const table_part& part = {});

  // Returns the number of letters of a k-mer, and of how many k-mers one is sampled, on average.
  [[nodiscard]] std::uint64_t k() const { return k_; }
  [[nodiscard]] std::uint64_t interval() const { return interval_; }

  // Returns whether a k-mer has more than max_occurrences entries.
  [[nodiscard]] bool is_frequent(const sampled_kmer& kmer, std::uint64_t max_occurrences) const {
    const std::uint64_t bucket = kmer.hash >> shift_, last = begins_[bucket + 1],
                        tag = entry_of(kmer) & tag_mask;
    std::uint64_t occurrences = 0;
    for (std::uint64_t i = begins_[bucket]; i < last && occurrences <= max_occurrences; ++i)
      occurrences += (entries_[i] & tag_mask) == tag;
    return occurrences > max_occurrences;
  }

  // Calls visit(position, whether the strands differ) for each entry of a k-mer, by their positions.
  template <class Visit> void visit_matches(const sampled_kmer& kmer, const Visit& visit) const {
    const std::uint64_t bucket = kmer.hash >> shift_, last = begins_[bucket + 1],
                        tag = entry_of(kmer) & tag_mask;
    for (std::uint64_t i = begins_[bucket]; i < last; ++i)
      if ((entries_[i] & tag_mask) == tag)
        visit(entries_[i] >> position_shift, ((entries_[i] >> tag_bits & 1) != 0) != kmer.reversed);
  }

  // Returns the number of entries that visit_matches() reads to find those of a k-mer.
  [[nodiscard]] std::uint64_t bucket_size(const sampled_kmer& kmer) const {
    const std::uint64_t bucket = kmer.hash >> shift_;
    return begins_[bucket + 1] - begins_[bucket];
  }

  // Returns the bytes of a table of a text of this size.
  [[nodiscard]] static std::uint64_t memory(std::uint64_t text_size);

private:
  static constexpr int tag_bits = 20, position_shift = tag_bits + 1;
  static constexpr std::uint64_t tag_mask = (std::uint64_t{1} << tag_bits) - 1;
  static std::uint64_t entry_of(const sampled_kmer& kmer) {
    return kmer.position << position_shift | static_cast<std::uint64_t>(kmer.reversed) << tag_bits |
           (kmer.hash >> 2 & tag_mask);
  }

  [[nodiscard]] std::uint64_t num_buckets() const { return begins_.size() - 2; }
  // Calls flush(batch) for all k-mers of a part, on the threads of the run, where a batch is a span of
  // buckets and entries. Those of a bucket come in the order of their positions. begins_[bucket + 1] is being
  // fetched into the cache. Adds the work of the part to the run if this is the last visit.
  template <class Flush>
  void visit_part(const genome_text& text, const table_part& part, bool is_last, const run_options& run,
                  const Flush& flush);

  std::uint64_t k_, interval_;
  int shift_;
  // Bucket i is entries_[begins_[i], begins_[i + 1]).
  std::vector<std::uint64_t> begins_;
  unwritten_vector<std::uint64_t> entries_;
};

} // namespace weft::search_detail
