// Search with differences by seeds. The plain version:
//     for each seed of a strand:  for each of its occurrences in the text:
//         compare the whole strand with the text around it
//         report it, unless an earlier seed matches there too (then it was reported before)
#include <algorithm>
#include <string>
#include <utility>
#include <vector>
#include <weft/bwt/cpu/fm_search.hpp>
#include <weft/bwt/cpu/near_errors.hpp>
#include <weft/bwt/cpu/near_search.hpp>
#include <weft/bwt/cpu/near_tree.hpp>

namespace weft::bwt_detail {

namespace {

constexpr std::uint64_t candidates_at_once = 1 << 12; // occurrences that are looked up at a time

// The seeds of all strands, end to end as letters, for find_intervals().
struct seed_batch {
  std::string letters;
  std::vector<std::uint64_t> offsets{0};
  std::vector<near_seed> seeds;
  std::vector<std::uint32_t> strand_of;     // the strand of each seed
  std::vector<std::uint64_t> first_seed{0}; // of each strand, and the end of all
};

void append_letters(std::string& to, const near_strand& strand, const near_seed& seed) {
  for (std::uint64_t i = seed.begin; i < seed.begin + seed.size; ++i) to += "?AC?G???T"[strand.sets[i]];
}

// Returns how many nanoseconds it takes to look up an occurrence of a seed and to search the strand there.
double seed_cost(const near_strand& strand, bool with_errors) {
  if (!with_errors) return leaf_cost;
  return leaf_cost +
         column_cost(strand) * static_cast<double>(strand.size + 2 * std::uint64_t{max_near_distance});
}

// Chooses the seeds of each strand. Strands that another method finds sooner are added to `remaining`, and
// have no seeds.
seed_batch choose_all(std::span<const near_strand> strands, std::uint64_t num_symbols,
                      const near_options& options, near_costs& costs, std::vector<near_strand>& remaining) {
  seed_batch batch;
  for (std::size_t s = 0; s < strands.size(); ++s) {
    bool possible = true;
    const std::vector<near_seed> seeds = choose_seeds(strands[s], options.max_distance, possible);
    const double cost =
        expected_seeds(seeds, num_symbols) * seed_cost(strands[s], options.metric == near_metric::errors);
    if (possible && (seeds.empty() || cost > costs.without_seeds(strands[s]))) {
      remaining.push_back(strands[s]);
    } else {
      for (const near_seed& seed : seeds) {
        append_letters(batch.letters, strands[s], seed);
        batch.offsets.push_back(batch.letters.size());
        batch.seeds.push_back(seed);
        batch.strand_of.push_back(static_cast<std::uint32_t>(s));
      }
    }
    batch.first_seed.push_back(batch.seeds.size());
  }
  return batch;
}

// Looks up the occurrences of the seeds of strands, and searches the strands there.
class candidate_search {
public:
  candidate_search(const fm_index::view& index, std::span<const near_strand> strands, const seed_batch& batch,
                   const near_options& options, near_collector& to)
      : index_(index), strands_(strands), batch_(batch), max_distance_(options.max_distance),
        with_errors_(options.metric == near_metric::errors), to_(to),
        seeds_(index, batch.letters, batch.offsets), intervals_(seeds_.count()), errors_(index, options) {
    find_intervals(index, seeds_, intervals_);
  }
  // Returns the nanoseconds that a strand takes.
  [[nodiscard]] double cost(std::size_t strand) const {
    std::uint64_t sum = 0;
    for (std::uint64_t i = batch_.first_seed[strand]; i < batch_.first_seed[strand + 1]; ++i)
      sum += intervals_[i].high - intervals_[i].low;
    return seed_cost(strands_[strand], with_errors_) * static_cast<double>(sum);
  }
  // Adds the candidates of a strand; strands must be added in order.
  void search(std::size_t strand) {
    for (std::uint64_t i = batch_.first_seed[strand]; i < batch_.first_seed[strand + 1]; ++i)
      for (std::uint64_t row = intervals_[i].low; row < intervals_[i].high; ++row) {
        candidates_.push_back({row, i});
        if (candidates_.size() == candidates_at_once) flush();
      }
  }
  // Searches the candidates that are remaining.
  void finish() {
    flush();
    search_regions();
    to_.add(hits_);
  }

private:
  void flush() {
    positions_.resize(candidates_.size());
    find_positions(index_, seeds_, intervals_, candidates_, positions_);
    constexpr std::size_t ahead = 16;
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
      if (c + ahead < candidates_.size() && positions_[c + ahead] != no_position) {
        const std::uint64_t offset = batch_.seeds[candidates_[c + ahead].pattern].begin;
        const std::uint64_t position = positions_[c + ahead];
        __builtin_prefetch(index_.packed_text + (position - std::min(position, offset)) / 32);
      }
      if (positions_[c] == no_position) continue;
      if (with_errors_)
        add_region(candidates_[c].pattern, positions_[c]);
      else
        compare(candidates_[c].pattern, positions_[c]);
    }
    candidates_.clear();
    to_.add(hits_);
  }
  // Compares the strand with the text around an occurrence of its seed.
  void compare(std::uint64_t seed, std::uint64_t position) {
    const std::uint32_t s = batch_.strand_of[seed];
    near_hit hit{};
    near_mismatches<max_near_distance> found;
    if (!compare_strand(index_, strands_[s], position, batch_.seeds[seed].begin, max_distance_, hit, found))
      return;
    for (std::uint64_t i = batch_.first_seed[s]; i < seed; ++i) // the seeds before it
      if (!found.any_in(batch_.seeds[i].begin, batch_.seeds[i].begin + batch_.seeds[i].size)) return;
    hits_.push_back(hit);
  }
  // Adds the region in which the strand may have hits with errors around an occurrence of its seed.
  void add_region(std::uint64_t seed, std::uint64_t position) {
    const std::uint32_t s = batch_.strand_of[seed];
    if (s != region_strand_) search_regions();
    region_strand_ = s;
    const fm_segment& segment = index_.segment_of(position);
    const std::uint64_t in_record = segment.begin + (position - segment.start),
                        before = batch_.seeds[seed].begin + max_distance_,
                        after = strands_[s].size - batch_.seeds[seed].begin + max_distance_,
                        length =
                            index_.record_offsets[segment.record + 1] - index_.record_offsets[segment.record];
    regions_.push_back(
        {segment.record, in_record - std::min(in_record, before), std::min(length, in_record + after)});
  }
  void search_regions() {
    if (!regions_.empty()) errors_.search(strands_[region_strand_], regions_, hits_);
    regions_.clear();
  }

  const fm_index::view& index_;
  std::span<const near_strand> strands_;
  const seed_batch& batch_;
  unsigned max_distance_;
  bool with_errors_;
  near_collector& to_;
  fm_patterns seeds_;
  std::vector<fm_interval> intervals_;
  error_search errors_;
  std::vector<fm_candidate> candidates_;
  std::vector<std::uint64_t> positions_;
  std::vector<near_region> regions_; // of the strand region_strand_
  std::uint32_t region_strand_ = 0;
  std::vector<near_hit> hits_;
};

} // namespace

std::vector<near_strand> search_by_seeds(const fm_index::view& index, std::span<const near_strand> strands,
                                         const near_options& options, near_costs& costs, near_collector& to) {
  std::vector<near_strand> remaining;
  const seed_batch batch = choose_all(strands, index.record_offsets.back(), options, costs, remaining);
  candidate_search search(index, strands, batch, options, to);
  for (std::size_t s = 0; s < strands.size(); ++s)
    if (search.cost(s) > costs.without_seeds(strands[s]))
      remaining.push_back(strands[s]);
    else
      search.search(s);
  search.finish();
  return remaining;
}

} // namespace weft::bwt_detail
