// fm_index::locate_near(): checks the arguments; the search by all methods of the CPU, and the order of hits.
#include <algorithm>
#include <fmt/format.h>
#include <mutex>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>
#include <weft/bwt/cpu/near_search.hpp>
#include <weft/bwt/entry/argument_checks.hpp>
#include <weft/bwt/entry/solve.hpp>
#include <weft/bwt/fm_index.hpp>

namespace weft {

namespace bwt_detail {

namespace {

// Upper bound of the memory that a hit takes: in a vector that grows, and in the columns of the result.
constexpr std::uint64_t bytes_of_hit = 2 * sizeof(near_hit) + bytes_in_columns;

bool is_of_smaller_pattern(const near_hit& a, const near_hit& b) { return a.pattern < b.pattern; }

} // namespace

void refuse_hits(std::uint64_t num_patterns, const near_options& options) {
  throw memory_error(fmt::format(
      "the hits with up to {} differences of {} pattern{} do not fit in {} of memory", options.max_distance,
      num_patterns, num_patterns == 1 ? "" : "s", format_size(memory_limit(options.run.memory))));
}

near_collector::near_collector(std::uint64_t num_patterns, const near_options& options)
    : options_(options), num_patterns_(num_patterns),
      max_hits_in_memory_(memory_limit(options.run.memory) / bytes_of_hit),
      totals_(num_patterns * (options.max_distance + 1), 0) {}

void near_collector::add(std::vector<near_hit>& hits) {
  if (hits.empty()) return;
  const std::lock_guard lock(mutex_);
  for (const near_hit& hit : hits) ++totals_[hit.pattern * (options_.max_distance + 1) + hit.distance];
  if (options_.max_hits > 0) {
    if (hits_.size() + hits.size() > max_hits_in_memory_) drop_unlisted();
    if (hits_.size() + hits.size() > max_hits_in_memory_) refuse_hits(num_patterns_, options_);
    hits_.insert(hits_.end(), hits.begin(), hits.end());
  }
  hits.clear();
}

namespace {

// Keeps the hits of one pattern that are listed, in [begin, end), and returns the new end.
near_hit* listed_hits(near_hit* begin, near_hit* end, const near_options& options) {
  if (begin == end) return end;
  if (options.best) {
    const auto min_distance = std::min_element(begin, end, [](const near_hit& a, const near_hit& b) {
                                return a.distance < b.distance;
                              })->distance;
    end = std::remove_if(begin, end, [&](const near_hit& hit) { return hit.distance != min_distance; });
  }
  if (static_cast<std::uint64_t>(end - begin) <= options.max_hits) return end;
  near_hit* const last = begin + options.max_hits;
  std::nth_element(begin, last, end, [](const near_hit& a, const near_hit& b) {
    return std::tie(a.distance, a.record, a.begin, a.reverse, a.end) <
           std::tie(b.distance, b.record, b.begin, b.reverse, b.end);
  });
  return last;
}

} // namespace

void near_collector::drop_unlisted() {
  std::sort(hits_.begin(), hits_.end(), is_of_smaller_pattern);
  near_hit *to = hits_.data(), *const end = to + hits_.size();
  for (near_hit *first = to, *last = to; first < end; first = last) {
    while (last < end && last->pattern == first->pattern) ++last;
    to = std::move(first, listed_hits(first, last, options_), to);
  }
  hits_.resize(static_cast<std::size_t>(to - hits_.data()));
}

near_hits near_collector::finish() {
  drop_unlisted();
  near_hits result;
  result.totals = std::move(totals_);
  result.offsets.reserve(num_patterns_ + 1);
  for (auto* column : {&result.record, &result.begin, &result.end}) column->reserve(hits_.size());
  for (auto* column : {&result.distance, &result.reverse}) column->reserve(hits_.size());
  near_hit* at = hits_.data();
  for (std::uint64_t p = 0; p < num_patterns_; ++p) {
    near_hit* const first = at;
    while (at < hits_.data() + hits_.size() && at->pattern == p) ++at;
    near_hit* const last = at;
    std::sort(first, last, [](const near_hit& a, const near_hit& b) {
      return std::tie(a.record, a.begin, a.reverse, a.end) < std::tie(b.record, b.begin, b.reverse, b.end);
    });
    for (const near_hit* hit = first; hit < last; ++hit) {
      result.record.push_back(hit->record);
      result.begin.push_back(hit->begin);
      result.end.push_back(hit->end);
      result.distance.push_back(hit->distance);
      result.reverse.push_back(hit->reverse ? 1 : 0);
    }
    result.offsets.push_back(result.record.size());
  }
  return result;
}

namespace {

void check_arguments(const fm_index& index, const sequences_view& patterns, const near_options& options) {
  const auto refuse = [](const std::string& what) {
    throw std::invalid_argument("fm_index::locate_near: " + what);
  };
  if (index.alphabet() != fm_alphabet::dna) refuse("the index must be of DNA");
  if (options.max_distance > max_near_distance)
    refuse(fmt::format("max_distance must be at most {}", max_near_distance));
  for (std::uint64_t p = 0; p < patterns.count(); ++p) {
    if (patterns.size(p) <= options.max_distance)
      refuse(fmt::format("pattern {} has {} letters, but must have more than max_distance, {}", p,
                         patterns.size(p), options.max_distance));
    if (options.exact_prefix > patterns.size(p) || options.exact_suffix > patterns.size(p))
      refuse(fmt::format("pattern {} has {} letters, fewer than exact_prefix or exact_suffix", p,
                         patterns.size(p)));
  }
}

} // namespace

// Searches by all methods of the CPU.
void search_near_on_cpu(near_problem& problem) {
  const fm_index::view& index = static_cast<const fm_index::view&>(problem.index.parts()); // their base
  const near_options& options = problem.options;
  const std::uint64_t count = problem.patterns.count();
  const std::uint64_t batch = std::clamp<std::uint64_t>( // patterns that a thread takes at a time
      count / (4 * static_cast<std::uint64_t>(thread_count(options.run.threads))), 1, 256);
  near_collector collector(count, options);
  std::vector<near_patterns> batches;
  std::vector<near_strand> scanned, found_by_windows;
  const bool has_other_letters = !index.other_letters.empty();
  std::uint64_t num_patterns_left = 0; // those of batches that are not finished
  std::mutex mutex;
  parallel_for(0, count, batch, options.run, [&](std::uint64_t first, std::uint64_t last) {
    near_patterns coded(problem.patterns, first, last, options);
    near_costs costs(index, options);
    std::vector<near_strand> left = search_by_seeds(index, coded.strands(), options, costs, collector);
    std::vector<near_strand> found;
    left = search_by_windows(index, left, options, costs, collector, found);
    left = search_by_trees(index, left, options, costs, collector);
    if (!has_other_letters) found.clear(); // nothing is left to be searched
    if (left.empty() && found.empty()) {
      base_detail::add_work(options.run, last - first);
      return;
    }
    const std::lock_guard lock(mutex);
    num_patterns_left += last - first;
    scanned.insert(scanned.end(), left.begin(), left.end());
    found_by_windows.insert(found_by_windows.end(), found.begin(), found.end());
    batches.push_back(std::move(coded)); // which the strands point into
  });
  search_other_letters(index, found_by_windows, options, collector);
  search_by_scan(index, scanned, options, collector);
  base_detail::add_work(options.run, num_patterns_left);
  problem.hits = collector.finish();
}

} // namespace bwt_detail

near_hits fm_index::locate_near(const sequences_view& patterns, const near_options& options) const {
  const sequences_view checked = bwt_detail::checked_batch(patterns, "fm_index::locate_near");
  bwt_detail::check_arguments(*this, checked, options);
  base_detail::run_record record(options.run, "patterns");
  record.set_work(checked.count());
  bwt_detail::near_problem problem{*this, *device_cache_, checked, options};
  bwt_detail::solve(bwt_detail::near_engine_list(), problem, options.run, checked.count() == 0, record);
  if (problem.gpu >= 0) record.set_engine("near", {device_kind::gpu, problem.gpu});
  return std::move(problem.hits);
}

} // namespace weft
