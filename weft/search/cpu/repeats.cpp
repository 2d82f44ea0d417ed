#include <weft/search/cpu/repeats.hpp>

namespace weft::search_detail {

namespace {

constexpr std::uint64_t min_stretch = 256; // letters
constexpr std::uint64_t max_gap = 2000;    // letters between two frequent k-mers of a stretch
constexpr std::uint64_t reads_per_letter = 64, first_reads = 65536;

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

std::vector<repeat_stretch> join_stretches(std::vector<repeat_stretch> of_chunks) {
  std::sort(of_chunks.begin(), of_chunks.end(),
            [](const repeat_stretch& x, const repeat_stretch& y) { return x.begin < y.begin; });
  std::vector<repeat_stretch> all;
  for (const repeat_stretch& each : of_chunks) {
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
  if (reads_ + needed > allowed) return found_;
  reads_ += needed;
  find_ranges(kmer);
  const std::uint64_t before = kmer.position - in_b->second.first, behind = in_b->second.last - kmer.position;
  auto ranges = ranges_.begin();
  table_.visit_matches(kmer, [&](std::uint64_t position, bool reverse) {
    if (position > ranges->last()) ++ranges;
    const position_range& range = ranges->of_strand[reverse ? 1 : 0];
    const std::uint64_t from_first = difference(position - range.first, reverse ? behind : before),
                        from_last = difference(range.last - position, reverse ? before : behind);
    add({std::min(from_first, from_last), position, reverse});
  });
  std::sort_heap(found_.begin(), found_.end());
  return found_;
}

// Sets the first and the last occurrence of a k-mer on each strand of each record of A that has one.
void repeat_finder::find_ranges(const sampled_kmer& kmer) {
  ranges_.clear();
  std::uint64_t end = 0; // of the record of the last range
  table_.visit_matches(kmer, [&](std::uint64_t position, bool reverse) {
    if (ranges_.empty() || position >= end) {
      const std::uint64_t record = a_.record_at(position);
      end = a_.begins[record] + a_.sizes[record];
      ranges_.emplace_back();
    }
    position_range& range = ranges_.back().of_strand[reverse ? 1 : 0];
    if (range.last == 0) range.first = position;
    range.last = position;
  });
}

// Adds an occurrence to the heap of the nearest ones.
void repeat_finder::add(const occurrence& each) {
  if (found_.size() == max_occurrences) {
    if (!(each < found_.front())) return;
    std::pop_heap(found_.begin(), found_.end());
    found_.pop_back();
  }
  found_.push_back(each);
  std::push_heap(found_.begin(), found_.end());
}

} // namespace weft::search_detail
