#include <weft/bwt/cpu/suffix_chains.hpp>

#include <algorithm>
#include <vector>

namespace weft::bwt_detail {

namespace {

constexpr std::uint64_t min_members = 16;
constexpr std::uint64_t min_chain = 4; // members on average: three numbers are kept for each chain

} // namespace

std::uint64_t min_distance(const item_layout& layout, std::span<const std::uint64_t> members) {
  if (members.size() < min_members) return 0;
  std::uint64_t min = ~std::uint64_t{0};
  for (std::uint64_t k = 1; k < members.size(); ++k)
    min = std::min(min, layout.position(members[k]) - layout.position(members[k - 1]));
  return min;
}

std::uint64_t collapse_chains(const item_layout& layout, std::span<std::uint64_t> members,
                              std::uint64_t period) {
  const auto is_end = [&](std::uint64_t k) {
    return k + 1 == members.size() || layout.position(members[k + 1]) - layout.position(members[k]) != period;
  };
  std::uint64_t num_ends = 0;
  for (std::uint64_t k = 0; k < members.size(); ++k) num_ends += std::uint64_t{is_end(k)};
  if (num_ends * min_chain > members.size()) return 0;
  std::vector<std::uint64_t> lengths;
  lengths.reserve(num_ends);
  for (std::uint64_t k = 0, begin = 0; k < members.size(); ++k) {
    if (!is_end(k)) continue;
    members[lengths.size()] = members[k];
    lengths.push_back(k + 1 - begin);
    begin = k + 1;
  }
  for (std::uint64_t k = 0; k < num_ends; ++k) {
    members[num_ends + k] = layout.position(members[k]);
    members[2 * num_ends + k] = lengths[k];
  }
  return num_ends;
}

namespace {

// A chain whose members are being written.
struct open_chain {
  std::uint64_t position, tie; // the next member; chains with the same number are tied
  std::uint64_t left;          // how many members are left
};

// Lists the chains of a group whose ends are sorted, in the order of the ends.
std::vector<open_chain> open_chains(const item_layout& layout, std::span<const std::uint64_t> members,
                                    std::uint64_t num_ends, bool keyed) {
  const std::span<const std::uint64_t> positions = members.subspan(num_ends, num_ends),
                                       lengths = members.subspan(2 * num_ends, num_ends);
  std::vector<open_chain> chains;
  chains.reserve(num_ends);
  for (std::uint64_t k = 0; k < num_ends; ++k) {
    const std::uint64_t position = layout.position(members[k]);
    const auto at = std::lower_bound(positions.begin(), positions.end(), position) - positions.begin();
    const bool tied = keyed && k > 0 && layout.same_key(members[k - 1], members[k]);
    chains.push_back({position, tied ? chains.back().tie : k, lengths[static_cast<std::size_t>(at)]});
  }
  return chains;
}

// Writes the members of chains level by level: from the first index of the group on if the chains fall, or
// from the last one back if they rise. The chains are in the order in which their ends are written.
void write_levels(const item_layout& layout, std::span<std::uint64_t> members, std::span<open_chain> chains,
                  std::uint64_t period, bool keyed, bool rise) {
  for (std::uint64_t written = 0, key = 0; !chains.empty();) {
    std::uint64_t kept = 0, tie = ~std::uint64_t{0};
    for (open_chain chain : chains) {
      const std::uint64_t index = rise ? members.size() - 1 - written : written;
      ++written;
      if (chain.tie != tie) key = index;
      tie = chain.tie;
      members[index] = layout.item(keyed ? key : 0, chain.position);
      chain.position -= period;
      if (--chain.left > 0) chains[kept++] = chain;
    }
    chains = chains.first(kept);
  }
}

} // namespace

void expand_chains(const item_layout& layout, std::span<std::uint64_t> members, std::uint64_t num_ends,
                   std::uint64_t period, bool keyed, const end_predicate& falls) {
  std::vector<open_chain> chains = open_chains(layout, members, num_ends, keyed);
  const auto rising = std::partition_point(
      chains.begin(), chains.end(), [&](const open_chain& chain) { return falls(chain.position, period); });
  std::reverse(rising, chains.end());
  write_levels(layout, members, {chains.begin(), rising}, period, keyed, false);
  write_levels(layout, members, {rising, chains.end()}, period, keyed, true);
}

} // namespace weft::bwt_detail
