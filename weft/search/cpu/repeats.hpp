// Stretches of B that consist of k-mers which occur often in A, such as arrays of satellites or copies of an
// insertion sequence, and the occurrences of these k-mers that can begin anchors.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <unordered_map>
#include <vector>
#include <weft/search/cpu/genome_text.hpp>
#include <weft/search/cpu/kmer_table.hpp>

namespace weft::search_detail {

// A k-mer that occurs more often is frequent: it begins no anchor outside a repeat stretch, and at this
// number of its occurrences within one.
inline constexpr std::uint64_t max_occurrences = 32;

// The letters [begin, end) of a record of B. `covered` of them are in frequent k-mers.
struct repeat_stretch {
  std::uint64_t record = 0, begin = 0, end = 0, covered = 0;
};

// Adds a frequent k-mer of k letters to the last stretch, or begins a new stretch if it is far behind the
// last one or in another record. K-mers must come in the order of their positions.
void add_frequent(std::vector<repeat_stretch>& stretches, const genome_text& b, std::uint64_t position,
                  std::uint64_t k);

// Returns the stretches of all chunks of B, in their order: sorts them, joins those that are close together,
// and leaves out those that are short or have few frequent k-mers.
[[nodiscard]] std::vector<repeat_stretch> join_stretches(std::vector<repeat_stretch> of_chunks);

// A repeat_finder finds the occurrences in A that can begin anchors of a stretch. In each record of A it
// assumes that the first occurrence of a k-mer in the stretch corresponds to the first one in the record, or
// the last one to the last one, and takes the occurrences that are nearest to where the k-mer is then. In an
// array of copies, these are the diagonals on which both arrays begin or end together; of scattered copies,
// they are the same copies for all k-mers of the stretch.
class repeat_finder {
public:
  // Takes memory for each different frequent k-mer: less than 2 bytes for each letter of A.
  repeat_finder(const kmer_table& table, const genome_text& a, const genome_text& b,
                const repeat_stretch& stretch);

  // An occurrence in A, and how far it is from where it is expected.
  struct occurrence {
    std::uint64_t distance, position;
    bool reverse; // whether the strands differ
    friend auto operator<=>(const occurrence&, const occurrence&) = default;
  };
  // Returns the max_occurrences nearest occurrences of a k-mer of the stretch; none if it is not frequent.
  // The k-mers must come in the order of their positions. The occurrences are read one by one, but at most 64
  // for each letter of the stretch up to the k-mer, and 65,536 more; returns none if that is not enough.
  [[nodiscard]] const std::vector<occurrence>& find_nearest(const sampled_kmer& kmer);

private:
  struct position_range {
    std::uint64_t first = 0, last = 0;
  };
  // The first and the last occurrence of a k-mer in a record of A, on the same strand as in B and on the
  // other one. Position 0 is a separator and no occurrence.
  struct record_ranges {
    std::array<position_range, 2> of_strand{};
    [[nodiscard]] std::uint64_t last() const { return std::max(of_strand[0].last, of_strand[1].last); }
  };
  void find_ranges(const sampled_kmer& kmer);
  void add(const occurrence& each);

  const kmer_table& table_;
  const genome_text& a_;
  repeat_stretch stretch_;
  std::unordered_map<std::uint64_t, position_range> frequent_; // by the hash: where it is in the stretch
  std::uint64_t reads_ = 0;
  std::vector<record_ranges> ranges_;
  std::vector<occurrence> found_; // a heap: the farthest one comes first
};

} // namespace weft::search_detail
