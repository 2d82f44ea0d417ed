// Chains: suffixes of a group that lie in the same run of a short period. Their order follows from the order
// of the last suffixes of the chains.
//
// Let all members of a group begin with the string u, and let i and i + p be members, for a distance p that
// is less than the length of u. Then u has the period p. A chain is a sequence of members at distance p, and
// its last member is its end: the suffix p further on does not begin with u any more. The end falls if that
// suffix is less than u, and rises otherwise. Of two members at different distances from their ends, the
// nearer one is less if its end falls, and greater if its end rises; all members of chains that fall are less
// than those of chains that rise. Of members at the same distance, the order is that of the ends.
//
// Therefore a group needs only its ends to be sorted. The other members are then written level by level; a
// level has the members at the same distance. The first level begins the group if the chains fall, and ends
// it otherwise. Sources: Itoh & Tanaka, SPIRE 1999, and Mori, libdivsufsort (both order repeated substrings
// by their last one).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <weft/bwt/cpu/suffix_buckets.hpp>

namespace weft::bwt_detail {

// The members of a group of which only the ends of chains, in front of the others, are sorted.
struct chain_group {
  std::uint64_t begin, size, num_ends, period; // begin: in an array of items
};

// Returns the least distance between adjacent members of a group, which are in ascending order of positions;
// 0 if the group is too small to consist of chains.
[[nodiscard]] std::uint64_t min_distance(const item_layout& layout, std::span<const std::uint64_t> members);

// Moves the ends of the chains to the front of a group, in ascending order of positions, and writes what
// expand_chains() needs behind them. Returns the number of ends; 0, and changes nothing, if the chains are
// short. 0 < period; adjacent members have at least this distance.
[[nodiscard]] std::uint64_t collapse_chains(const item_layout& layout, std::span<std::uint64_t> members,
                                            std::uint64_t period);

// Says whether an end falls, for its position and the period.
using end_predicate = std::function<bool(std::uint64_t end, std::uint64_t period)>;

// Orders the members of a group whose ends are sorted. If `keyed`, ends with equal keys are tied, and get
// keys by which exactly the members that are tied are equal; otherwise the keys of the members become 0.
// O(size + num_ends log num_ends) time.
void expand_chains(const item_layout& layout, std::span<std::uint64_t> members, std::uint64_t num_ends,
                   std::uint64_t period, bool keyed, const end_predicate& falls);

} // namespace weft::bwt_detail
