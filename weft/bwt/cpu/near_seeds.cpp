// Search with mismatches by seeds. The plain version:
//     for each seed of a strand:  for each of its occurrences in the text:
//         compare the whole strand with the text around it
//         report it, unless an earlier seed matches there too (then it was reported before)
#include <algorithm>
#include <string>
#include <utility>
#include <vector>
#include <weft/bwt/cpu/fm_search.hpp>
#include <weft/bwt/cpu/near_search.hpp>

namespace weft::bwt_detail {

namespace {

constexpr double candidate_cost = 200;   // nanoseconds to look up an occurrence of a seed and to compare it
constexpr std::uint64_t piece = 1 << 12; // occurrences that are looked up at a time

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

// Chooses the seeds of each strand. Strands that need a scan are added to `scanned`, and have no seeds.
seed_batch choose_all(std::span<const near_strand> strands, std::uint64_t num_symbols,
                      unsigned max_mismatches, std::vector<near_strand>& scanned) {
  seed_batch batch;
  for (std::size_t s = 0; s < strands.size(); ++s) {
    bool possible = true;
    const std::vector<near_seed> seeds = choose_seeds(strands[s], max_mismatches, possible);
    if (possible && (seeds.empty() || candidate_cost * expected_seeds(seeds, num_symbols) >
                                          scan_cost(num_symbols, strands[s]))) {
      scanned.push_back(strands[s]);
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

// Returns the position in the text of the record's letter `begin`, or of the last segment's end before it, as
// the number of the segment that contains it or precedes it.
std::uint64_t segment_at(const fm_index::view& index, std::uint64_t segment, std::uint64_t record,
                         std::uint64_t begin) {
  while (segment > 0 && index.segments[segment - 1].record == record && index.segments[segment].begin > begin)
    --segment;
  return segment;
}

std::uint64_t segment_size(const fm_index::view& index, std::uint64_t segment) {
  const std::uint64_t next =
      segment + 1 < index.segments.size() ? index.segments[segment + 1].start : index.num_rows;
  return next - 1 - index.segments[segment].start;
}

// Compares a strand with letters [begin, begin + size) of a record, letter by letter, since they are not
// within one segment. `segment` is one of the record.
near_mismatches<max_near_mismatches> compare_over_segments(const fm_index::view& index,
                                                           const near_strand& strand, std::uint64_t segment,
                                                           std::uint64_t begin, unsigned max_mismatches) {
  near_mismatches<max_near_mismatches> found;
  segment = segment_at(index, segment, index.segments[segment].record, begin);
  const std::uint64_t record = index.segments[segment].record;
  for (std::uint64_t i = 0; i < strand.size; ++i) {
    const std::uint64_t at = begin + i;
    while (segment + 1 < index.segments.size() && index.segments[segment + 1].record == record &&
           index.segments[segment + 1].begin <= at)
      ++segment;
    const fm_segment& part = index.segments[segment];
    unsigned set_of_text = 0; // no base
    if (at >= part.begin && at - part.begin < segment_size(index, segment)) {
      const std::uint64_t position = part.start + (at - part.begin);
      set_of_text = 1U << (index.packed_text[position / 32] >> (2 * (position % 32)) & 3);
    }
    if ((strand.sets[i] & set_of_text) == 0 && !found.add(i, max_mismatches)) break;
  }
  return found;
}

} // namespace

bool compare_strand(const fm_index::view& index, const near_strand& strand, std::uint64_t position,
                    std::uint64_t offset, unsigned max_mismatches, near_hit& hit,
                    near_mismatches<max_near_mismatches>& found) {
  const fm_segment& segment = index.segment_of(position);
  const auto number = static_cast<std::uint64_t>(&segment - index.segments.begin());
  const std::uint64_t in_segment = position - segment.start, in_record = segment.begin + in_segment;
  const std::uint64_t length =
      index.record_offsets[segment.record + 1] - index.record_offsets[segment.record];
  if (in_record < offset || in_record - offset + strand.size > length) return false;
  const std::uint64_t begin = in_record - offset;
  if (in_segment >= offset && in_segment - offset + strand.size <= segment_size(index, number))
    found = compare_near<max_near_mismatches>(index, strand.words, strand.size, position - offset,
                                              max_mismatches);
  else
    found = compare_over_segments(index, strand, number, begin, max_mismatches);
  if (found.count > max_mismatches || found.any_in(0, strand.exact_prefix) ||
      found.any_in(strand.size - strand.exact_suffix, strand.size))
    return false;
  hit = {strand.pattern, segment.record, begin, static_cast<std::uint8_t>(found.count), strand.reverse};
  return true;
}

namespace {

// Looks up the occurrences of the seeds of all strands but those of `skip`, and compares the strands there.
class candidate_search {
public:
  candidate_search(const fm_index::view& index, std::span<const near_strand> strands, const seed_batch& batch,
                   unsigned max_mismatches, near_collector& to)
      : index_(index), strands_(strands), batch_(batch), max_mismatches_(max_mismatches), to_(to),
        seeds_(index, batch.letters, batch.offsets), intervals_(seeds_.count()) {
    find_intervals(index, seeds_, intervals_);
  }
  // Returns the number of rows that may be occurrences of the seeds of a strand.
  [[nodiscard]] std::uint64_t num_candidates(std::size_t strand) const {
    std::uint64_t sum = 0;
    for (std::uint64_t i = batch_.first_seed[strand]; i < batch_.first_seed[strand + 1]; ++i)
      sum += intervals_[i].high - intervals_[i].low;
    return sum;
  }
  // Adds the candidates of a strand.
  void search(std::size_t strand) {
    for (std::uint64_t i = batch_.first_seed[strand]; i < batch_.first_seed[strand + 1]; ++i)
      for (std::uint64_t row = intervals_[i].low; row < intervals_[i].high; ++row) {
        candidates_.push_back({row, i});
        if (candidates_.size() == piece) flush();
      }
  }
  // Compares the candidates that were added and not yet compared.
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
      if (positions_[c] != no_position) compare(candidates_[c].pattern, positions_[c]);
    }
    candidates_.clear();
    to_.add(hits_);
  }

private:
  void compare(std::uint64_t seed, std::uint64_t position) {
    const std::uint32_t s = batch_.strand_of[seed];
    near_hit hit{};
    near_mismatches<max_near_mismatches> found;
    if (!compare_strand(index_, strands_[s], position, batch_.seeds[seed].begin, max_mismatches_, hit, found))
      return;
    for (std::uint64_t i = batch_.first_seed[s]; i < seed; ++i) // the seeds before it
      if (!found.any_in(batch_.seeds[i].begin, batch_.seeds[i].begin + batch_.seeds[i].size)) return;
    hits_.push_back(hit);
  }

  const fm_index::view& index_;
  std::span<const near_strand> strands_;
  const seed_batch& batch_;
  unsigned max_mismatches_;
  near_collector& to_;
  fm_patterns seeds_;
  std::vector<fm_interval> intervals_;
  std::vector<fm_candidate> candidates_;
  std::vector<std::uint64_t> positions_;
  std::vector<near_hit> hits_;
};

} // namespace

std::vector<near_strand> search_by_seeds(const fm_index::view& index, std::span<const near_strand> strands,
                                         unsigned max_mismatches, near_collector& to) {
  std::vector<near_strand> scanned;
  const std::uint64_t num_symbols = index.record_offsets.back();
  const seed_batch batch = choose_all(strands, num_symbols, max_mismatches, scanned);
  candidate_search search(index, strands, batch, max_mismatches, to);
  for (std::size_t s = 0; s < strands.size(); ++s)
    if (candidate_cost * static_cast<double>(search.num_candidates(s)) > scan_cost(num_symbols, strands[s]))
      scanned.push_back(strands[s]);
    else
      search.search(s);
  search.flush();
  return scanned;
}

} // namespace weft::bwt_detail
