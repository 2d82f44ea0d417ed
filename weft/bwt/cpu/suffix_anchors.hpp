// Anchors: a sparse set of suffixes whose order decides the order of all suffixes that agree in many symbols.
//
// Each window of `window` adjacent positions selects the position whose k-mer has the least hash, the first
// of equal ones. Which position a window selects depends on window + k - 1 symbols only. So suffixes that
// agree in as many symbols select anchors at the same distance, and agree up to there: the order of the
// anchors is the order of the suffixes. About 2 / (window + 1) of all positions are selected.
//
// If a stretch of the text repeats itself with a short period, every period has an anchor. Of such a run of
// anchors, each of which agrees with the next one in `depth` symbols, only the last one is kept. So suffixes
// whose anchor is not kept lie in a run. The order of suffixes in equal runs follows from the distance to the
// kept anchor and from whether the run rises there, that is, whether its last suffix is less than the suffix
// one period further on: of suffixes in falling runs, the ones nearer to the end come first, then those in
// rising runs, the farther ones first. Suffixes at equal distance have the order of the kept anchors.
//
// The order of the kept anchors is that of a string of names: anchors have the same name if they agree in
// `depth` symbols, and the runs behind them as well. Its suffixes are sorted by prefix doubling.
//
// Several processes can sort the anchors together. Each of them selects those of its share of the positions,
// and sorts those whose first bits are in its range of buckets. After each round of doubling, they exchange
// the ranks that have changed, so each process knows all ranks. The result is the same.
//
// Sources: Schleimer, Wilkerson & Aiken, SIGMOD 2003 (selection by windows); Roberts et al., Bioinformatics
// 20 (2004) 3363-3369; Kempa & Kociumaka, STOC 2019 (sorting by a set of positions selected by their
// context); Larsson & Sadakane, Theor. Comput. Sci. 387 (2007) 258-272 (doubling of groups).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>
#include <weft/bwt/core/bits.hpp>
#include <weft/bwt/cpu/suffix_buckets.hpp>
#include <weft/bwt/cpu/suffix_ties.hpp>

namespace weft::bwt_detail {

// The members of groups one after another, so that a loop over them is not interrupted at the end of each
// group: the memory that it waits for is then read for several members at once.
class member_list {
public:
  // Lists the indexes of the members of all groups.
  void list(std::span<const item_group> groups);
  [[nodiscard]] std::span<const std::uint32_t> indexes() const { return indexes_; }

private:
  unwritten_vector<std::uint32_t> indexes_;
};

// The memory of suffix_anchors::resolve(), which a thread uses for one array after another.
struct resolve_workspace {
  member_list members;
  unwritten_vector<std::uint64_t> offsets, targets; // of groups; of members
};

// The kept anchors of a text, and their ranks. The object refers to the text.
class suffix_anchors {
public:
  // Sorts the anchors, together with other processes if `sharing` is not null; refers to it only meanwhile.
  // The ranks order suffixes that agree in at least `depth` symbols; 2 <= depth.
  //
  // Traffic of all processes, for n symbols and c kept anchors: 3 n / 8 bytes for the marks; 8 bytes for each
  // anchor that another process sorts, for the first rank of each anchor, and for each rank that changes in a
  // round; and in each round about 50 bytes for each process.
  suffix_anchors(const suffix_string& text, std::uint64_t depth, const run_options& run,
                 position_sharing* sharing = nullptr);

  // Returns the bytes that the anchors of a text take about at most, while they are sorted.
  [[nodiscard]] static std::uint64_t memory_for(std::uint64_t symbols, std::uint64_t depth) {
    const std::uint64_t bytes_of_anchor = 36, bytes_of_position = 32; // the latter for 64 positions
    return symbols / 64 * bytes_of_position + symbols * 2 * bytes_of_anchor / std::min(depth, max_window + 1);
  }
  // Returns the bytes that the anchors take now that they are sorted.
  [[nodiscard]] std::uint64_t bytes() const {
    return blocks_.size() * sizeof(block) + (positions_.size() + rises_.size() + ends_run_.size()) * 8 +
           ranks_.size() * 4;
  }

  // Sorts the groups of an array completely. The suffixes of each group agree in `depth` symbols, and have as
  // many.
  void resolve(std::span<std::uint64_t> items, const item_layout& layout, std::span<const item_group> groups,
               resolve_workspace& work) const;

  [[nodiscard]] std::uint64_t count() const { return count_; }

private:
  // 64 positions: which of them are selected, which are kept, and how many kept ones are before them.
  struct block {
    std::uint64_t selected, kept, before;
  };
  // The first kept anchor at a position or after it, and its distance.
  struct target {
    std::uint64_t number, distance;
  };
  static constexpr std::uint64_t max_window = 63;
  static constexpr std::uint64_t offset_mask = 127; // the bits of a hash that are 0

  [[nodiscard]] std::uint64_t hash(std::uint64_t i) const {
    return ((text_.from(i * text_.bits()) >> (64 - k_ * text_.bits())) ^ 0x9e3779b97f4a7c15ULL) *
               0xd6e8feb86659fd93ULL &
           ~offset_mask;
  }
  // Returns the anchor that the window at position i selects.
  [[nodiscard]] std::uint64_t selected_by_window(std::uint64_t i) const;
  // Returns the first selected position at position i or after it; the size of the text if there is none.
  [[nodiscard]] std::uint64_t next_selected(std::uint64_t i) const;
  [[nodiscard]] target next_kept(std::uint64_t i) const;
  [[nodiscard]] std::uint64_t number_of(std::uint64_t kept) const {
    const block& in = blocks_[kept / 64];
    return in.before + count_ones(in.kept & ((std::uint64_t{1} << (kept % 64)) - 1));
  }
  // Compares `depth` symbols of two suffixes. A suffix that has ended is less than one that continues.
  [[nodiscard]] int compare(std::uint64_t a, std::uint64_t b) const;
  // Returns in how many symbols two suffixes agree that agree in `depth` symbols.
  [[nodiscard]] std::uint64_t agreement(std::uint64_t i, std::uint64_t j) const;
  // Returns the key that orders runs of the same period: `distance` to the kept anchor of this number.
  [[nodiscard]] std::uint64_t run_key(std::uint64_t number, std::uint64_t distance) const {
    return (rises_[number / 64] >> (number % 64) & 1) != 0 ? ~distance : distance;
  }
  [[nodiscard]] bool ends_run(std::uint64_t number) const {
    return (ends_run_[number / 64] >> (number % 64) & 1) != 0;
  }
  // Returns the distance from the begin of the run of a kept anchor to that anchor.
  [[nodiscard]] std::uint64_t run_before(std::uint64_t number) const;

  // Selects the anchors of the windows [first, last).
  void select(std::uint64_t first, std::uint64_t last);
  void select(const run_options& run, position_sharing* sharing);
  void keep(const run_options& run, position_sharing* sharing);
  // Writes what follows from the marks of the blocks; `rises` is a set of positions.
  void count_kept(const position_set& rises, position_sharing* sharing);
  void sort(const run_options& run, position_sharing* sharing);
  [[nodiscard]] std::vector<item_group> sort_by_symbols(const suffix_buckets& buckets, std::uint64_t first,
                                                        std::uint64_t last, std::span<std::uint64_t> items,
                                                        const run_options& run) const;
  // Returns whether the anchor of a member is not kept, or ranks do not fit into items.
  [[nodiscard]] bool lies_in_runs(std::span<const std::uint64_t> members, const item_layout& layout,
                                  std::uint64_t offset) const;
  // Sorts a group, of which some anchors are not kept. Throws cancelled_error if the task is cancelled.
  void resolve_runs(std::span<std::uint64_t> members, const item_layout& layout, std::uint64_t offset) const;
  // An anchor, what decides its order among anchors that agree in `depth` symbols, and how it compares with
  // the current pivot.
  struct run_member {
    std::uint64_t anchor, key;
    std::uint32_t rank;
    int order;
  };
  void sort_runs(std::span<run_member> members) const;

  const suffix_string& text_;
  task_monitor* monitor_;
  std::uint64_t depth_, k_, window_, count_ = 0;
  unwritten_vector<block> blocks_;
  unwritten_vector<std::uint64_t> positions_; // of the kept anchors
  // A bit for each kept anchor: whether it rises, and whether there is an anchor before it in its run.
  std::vector<std::uint64_t> rises_, ends_run_;
  unwritten_vector<std::uint32_t> ranks_;
};

} // namespace weft::bwt_detail
