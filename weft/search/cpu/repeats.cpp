#include <weft/search/cpu/repeats.hpp>

#include <algorithm>
#include <array>

namespace weft::search_detail {

namespace {

constexpr std::uint64_t min_stretch = 256; // letters
constexpr std::uint64_t max_gap = 2000;    // letters between two frequent k-mers of a stretch
constexpr std::uint64_t reads_per_letter = 64, first_reads = 65536, max_reads = std::uint64_t{1} << 20;

bool belong_together(const repeat_stretch& first, std::uint64_t record, std::uint64_t begin) {
  return first.record == record && begin <= first.end + max_gap;
}

std::uint64_t difference(std::uint64_t x, std::uint64_t y) { return x < y ? y - x : x - y; }

} // namespace

void add_frequent(std::vector<repeat_stretch>& stretches, const genome_text& b, std::uint64_t position,
                  std::uint64_t k) {
  const std::uint64_t record = b.record_at(position);
  if (stretches.empty() || !belong_together(stretches.back(), record, position)) {
    stretches.push_back({record, position, position + k, k});
    return;
  }
  repeat_stretch& last = stretches.back();
  last.covered += position + k - std::max(position, last.end);
  last.end = position + k;
}

std::vector<repeat_stretch> join_stretches(const std::vector<std::vector<repeat_stretch>>& of_chunks) {
  std::vector<repeat_stretch> all;
  for (const std::vector<repeat_stretch>& of_chunk : of_chunks)
    for (const repeat_stretch& each : of_chunk) {
      if (all.empty() || !belong_together(all.back(), each.record, each.begin)) {
        all.push_back(each);
      } else {
        all.back().covered += each.covered;
        all.back().end = each.end;
      }
    }
  std::erase_if(all, [](const repeat_stretch& each) {
    const std::uint64_t size = each.end - each.begin;
    return size < min_stretch || 2 * each.covered < size;
  });
  return all;
}

repeat_finder::repeat_finder(const kmer_table& table, const genome_text& a, const genome_text& b,
                             const repeat_stretch& stretch)
    : table_(table), a_(a), stretch_(stretch) {
  visit_kmers(b, stretch.begin, stretch.end - table.k() + 1, table.k(), table.interval(),
              [&](const sampled_kmer& kmer) {
                const auto known = frequent_.find(kmer.hash);
                if (known != frequent_.end())
                  known->second.last = kmer.position;
                else if (table.is_frequent(kmer, max_occurrences))
                  frequent_.insert({kmer.hash, {kmer.position, kmer.position}});
              });
}

const std::vector<repeat_finder::occurrence>& repeat_finder::find_nearest(const sampled_kmer& kmer) {
  found_.clear();
  const auto in_b = frequent_.find(kmer.hash);
  if (in_b == frequent_.end()) return found_;
  const std::uint64_t allowed = first_reads + (kmer.position - stretch_.begin) * reads_per_letter;
  const std::uint64_t needed = table_.bucket_size(kmer);
  if (needed > max_reads || reads_ + needed > allowed) return found_;
  reads_ += needed;
  table_.visit_matches(kmer, [&](std::uint64_t position, bool reverse) {
    found_.push_back({0, position, reverse});
  });
  for (std::size_t begin = 0, end = 0; begin < found_.size(); begin = end) {
    const std::uint64_t record = a_.record_at(found_[begin].position),
                        record_end = a_.begins[record] + a_.sizes[record];
    while (end < found_.size() && found_[end].position < record_end) ++end;
    set_distances(kmer, in_b->second, begin, end);
  }
  if (found_.size() > max_occurrences) {
    const auto last = found_.begin() + static_cast<std::ptrdiff_t>(max_occurrences);
    std::nth_element(found_.begin(), last, found_.end());
    found_.erase(last, found_.end());
  }
  return found_;
}

void repeat_finder::set_distances(const sampled_kmer& kmer, position_range in_b, std::size_t begin,
                                  std::size_t end) {
  const std::uint64_t before = kmer.position - in_b.first, behind = in_b.last - kmer.position;
  // The first and the last occurrence on each strand.
  std::array<position_range, 2> in_a{};
  for (std::size_t i = end; i-- > begin;) in_a[found_[i].reverse ? 1 : 0].first = found_[i].position;
  for (std::size_t i = begin; i < end; ++i) in_a[found_[i].reverse ? 1 : 0].last = found_[i].position;
  for (std::size_t i = begin; i < end; ++i) {
    occurrence& each = found_[i];
    const position_range range = in_a[each.reverse ? 1 : 0];
    const auto [from_first, from_last] = each.reverse ? std::pair(behind, before) : std::pair(before, behind);
    each.distance = std::min(difference(each.position - range.first, from_first),
                             difference(range.last - each.position, from_last));
  }
}

} // namespace weft::search_detail
