#include <weft/search/cpu/anchors.hpp>

#include <algorithm>
#include <array>
#include <utility>
#include <weft/base/error.hpp>
#include <weft/base/parallel.hpp>

namespace weft::search_detail {

namespace {

constexpr std::uint64_t long_match = 256; // letters; within such a match, k-mers are not looked up
constexpr std::uint64_t chunk_size = std::uint64_t{1} << 18;

// Extends k-mers of a chunk of B to maximal matches, each once as far as a small cache can tell.
class match_finder {
public:
  // A match of at least `min_cover` letters covers the k-mers within it.
  match_finder(const genome_text& a, const genome_text& b, const genome_text& b_reverse, std::uint64_t k,
               std::uint64_t min_cover)
      : a_(a), b_(b), b_reverse_(b_reverse), k_(k), min_cover_(min_cover) {}

  // Returns whether the k-mer lies within a match that covers it.
  [[nodiscard]] bool is_covered(const sampled_kmer& kmer) const { return kmer.position + k_ <= covered_to_; }

  // Extends the match of a k-mer and the k-mer at position a of A, and adds it to `found`.
  void add(const sampled_kmer& kmer, std::uint64_t a, bool reverse, strand_anchors& found) {
    add(a, reverse ? b_.size() - kmer.position - k_ : kmer.position, reverse, found);
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
    if (match.length >= min_cover_)
      covered_to_ = std::max(covered_to_, reverse ? b_.size() - match.b : match.b_end());
  }

  const genome_text &a_, &b_, &b_reverse_;
  std::uint64_t k_, min_cover_;
  std::uint64_t covered_to_ = 0; // the end of the matches that cover k-mers, in B
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

void check_anchors(std::uint64_t found, std::uint64_t max_anchors) {
  if (found > max_anchors)
    throw memory_error("the matches between the genomes take more memory than is allowed");
}

void join_and_sort(strand_anchors& anchors) {
  join_and_sort(anchors.forward);
  join_and_sort(anchors.reverse);
}

anchor_search::anchor_search(const kmer_table& table, const genome_text& a, const genome_text& b,
                             const genome_text& b_reverse, std::uint64_t max_anchors, const run_options& run,
                             std::uint64_t index, std::uint64_t count)
    : table_(table), a_(a), b_(b), b_reverse_(b_reverse), max_anchors_(max_anchors), run_(run), index_(index),
      count_(count) {}

std::uint64_t anchor_search::count_own(std::uint64_t pieces) const {
  return pieces > index_ ? (pieces - index_ - 1) / count_ + 1 : 0;
}

void anchor_search::count_matches(std::uint64_t found) {
  check_anchors(num_matches_.fetch_add(found) + found, max_anchors_);
}

std::vector<repeat_stretch> anchor_search::search_chunks() {
  const std::uint64_t num_own = count_own((b_.size() + chunk_size - 1) / chunk_size);
  parts_.resize(num_own);
  std::vector<std::vector<repeat_stretch>> of_chunk(num_own);
  parallel_for(0, num_own, 1, run_, [&](std::uint64_t own, std::uint64_t) {
    match_finder finder(a_, b_, b_reverse_, table_.k(), long_match);
    strand_anchors found;
    std::vector<repeat_stretch> frequent;
    const std::uint64_t first = (index_ + own * count_) * chunk_size,
                        last = std::min(first + chunk_size, b_.size());
    visit_kmers(b_, first, last, table_.k(), table_.interval(), [&](const sampled_kmer& kmer) {
      if (finder.is_covered(kmer)) return;
      if (table_.is_frequent(kmer, max_occurrences))
        add_frequent(frequent, b_, kmer.position, table_.k());
      else
        table_.visit_matches(
            kmer, [&](std::uint64_t position, bool reverse) { finder.add(kmer, position, reverse, found); });
    });
    count_matches(found.size());
    parts_[own] = std::move(found);
    of_chunk[own] = std::move(frequent);
    base_detail::add_work(run_, (last - first) / 2);
  });
  std::vector<repeat_stretch> all;
  for (const auto& each : of_chunk) all.insert(all.end(), each.begin(), each.end());
  return all;
}

void anchor_search::search_stretches(const std::vector<repeat_stretch>& stretches) {
  const std::uint64_t num_chunks = parts_.size(), num_own = count_own(stretches.size());
  parts_.resize(num_chunks + num_own);
  parallel_for(0, num_own, 1, run_, [&](std::uint64_t own, std::uint64_t) {
    const repeat_stretch& stretch = stretches[index_ + own * count_];
    match_finder finder(a_, b_, b_reverse_, table_.k(), table_.k()); // the copies of a repeat are alike
    repeat_finder repeats(table_, a_, b_, stretch);
    strand_anchors found;
    for (std::uint64_t begin = stretch.begin; begin < stretch.end; begin += chunk_size) {
      base_detail::check_cancelled(run_);
      const std::uint64_t before = found.size();
      visit_kmers(b_, begin, std::min(begin + chunk_size, stretch.end - table_.k() + 1), table_.k(),
                  table_.interval(), [&](const sampled_kmer& kmer) {
                    if (finder.is_covered(kmer)) return;
                    for (const repeat_finder::occurrence& each : repeats.find_nearest(kmer))
                      finder.add(kmer, each.position, each.reverse, found);
                  });
      count_matches(found.size() - before);
    }
    parts_[num_chunks + own] = std::move(found);
  });
}

strand_anchors anchor_search::take() {
  strand_anchors all;
  for (strand_anchors& part : parts_) {
    all.forward.insert(all.forward.end(), part.forward.begin(), part.forward.end());
    all.reverse.insert(all.reverse.end(), part.reverse.begin(), part.reverse.end());
    part = {};
  }
  parts_.clear();
  join_and_sort(all);
  return all;
}

} // namespace weft::search_detail
