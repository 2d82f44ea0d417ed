// Search with differences on a GPU: plans the patterns, gathers the hits of the GPU, and lets the CPU find
// what the GPU leaves out: all hits of some patterns, and those with letters that are no bases of others.
#include <algorithm>
#include <iterator>
#include <new>
#include <string>
#include <utility>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>
#include <weft/bwt/cpu/near_search.hpp>
#include <weft/bwt/entry/near_plans.hpp>
#include <weft/bwt/entry/solve.hpp>

namespace weft::bwt_detail {

namespace {

const fm_index::view& view_of(const fm_index& index) {
  return static_cast<const fm_index::view&>(index.parts()); // parts() returns the base of the view
}

// Unpacks the hits of a GPU.
class hit_reader {
public:
  hit_reader(const fm_index::view& index, const sequences_view& patterns, const near_options& options,
             near_key_layout keys)
      : records_(index.record_offsets), patterns_(patterns), max_distance_(options.max_distance),
        keys_(keys) {}

  // Returns the hit of a key; the patterns of keys are counted from `first` on.
  [[nodiscard]] near_hit operator()(std::uint64_t first, std::uint64_t key) const {
    const std::uint64_t pattern = first + keys_.pattern(key), symbol = keys_.symbol(key);
    const auto after = std::upper_bound(records_.begin(), records_.end(), symbol);
    const std::uint64_t begin = symbol - after[-1];
    const std::uint64_t size = patterns_.size(pattern) + near_key_layout::longer(key) - max_distance_;
    return {pattern,
            static_cast<std::uint64_t>(after - records_.begin()) - 1,
            begin,
            begin + size,
            static_cast<std::uint8_t>(near_key_layout::distance(key)),
            near_key_layout::reverse(key)};
  }
  [[nodiscard]] std::uint64_t pattern(std::uint64_t first, std::uint64_t key) const {
    return first + keys_.pattern(key);
  }

private:
  std::span<const std::uint64_t> records_;
  const sequences_view& patterns_;
  std::uint64_t max_distance_;
  near_key_layout keys_;
};

// The hits of all patterns as columns, which come in order.
class hit_columns {
public:
  hit_columns(std::uint64_t num_patterns, const near_options& options)
      : options_(options), num_patterns_(num_patterns) {}

  // Appends the hits of patterns [first, last), unless none are listed. Threads take ranges of them that
  // begin with a new pattern.
  void add(const hit_reader& read, std::uint64_t first, std::uint64_t last,
           std::span<const std::uint64_t> keys) {
    constexpr std::uint64_t grain = 1 << 15;
    const bool listed = options_.max_hits > 0;
    const std::uint64_t before = hits_.record.size();
    if (hits_.totals.empty()) begin_with_zeros();
    if (listed) {
      reserve(before + keys.size(), last);
      for (auto* column : {&hits_.record, &hits_.begin, &hits_.end}) column->resize(before + keys.size());
      for (auto* column : {&hits_.distance, &hits_.reverse}) column->resize(before + keys.size());
    }
    // Returns the first of the keys [i, end) that begins a pattern.
    const auto next_pattern = [&](std::uint64_t i) {
      if (i == 0) return keys.begin();
      const std::uint64_t before_it = read.pattern(first, keys[i - 1]);
      return std::partition_point(keys.begin() + static_cast<std::ptrdiff_t>(i), keys.end(),
                                  [&](std::uint64_t key) { return read.pattern(first, key) == before_it; });
    };
    parallel_for(0, keys.size(), grain, options_.run, [&](std::uint64_t begin, std::uint64_t end) {
      const auto behind = static_cast<std::uint64_t>(next_pattern(end) - keys.begin());
      for (auto i = static_cast<std::uint64_t>(next_pattern(begin) - keys.begin()); i < behind; ++i) {
        const near_hit hit = read(first, keys[i]);
        ++hits_.totals[hit.pattern * (options_.max_distance + 1) + hit.distance];
        if (!listed) continue;
        hits_.record[before + i] = hit.record;
        hits_.begin[before + i] = hit.begin;
        hits_.end[before + i] = hit.end;
        hits_.distance[before + i] = hit.distance;
        hits_.reverse[before + i] = hit.reverse ? 1 : 0;
        ++hits_.offsets[hit.pattern + 1];
      }
    });
  }
  [[nodiscard]] near_hits finish() {
    if (hits_.totals.empty()) begin_with_zeros();
    for (std::size_t p = 1; p < hits_.offsets.size(); ++p) hits_.offsets[p] += hits_.offsets[p - 1];
    return std::move(hits_);
  }
  [[nodiscard]] std::uint64_t count() const { return hits_.record.size(); }

private:
  // Sets all totals and offsets to 0. This waits until the first hits are added, because the next patterns
  // are searched meanwhile.
  void begin_with_zeros() {
    hits_.offsets.clear();
    allocate(hits_.offsets, num_patterns_ + 1);
    allocate(hits_.totals, num_patterns_ * (options_.max_distance + 1));
    for (auto* column : {&hits_.offsets, &hits_.totals})
      parallel_for(0, column->size(), 1 << 18, options_.run, [&](std::uint64_t begin, std::uint64_t end) {
        std::fill(column->data() + begin, column->data() + end, 0);
      });
  }
  // Makes room for `count` hits, those of the first num_done patterns, and, so that the columns need not move
  // again, for as many of each of the other patterns. Pages that are never written take no memory.
  void reserve(std::uint64_t count, std::uint64_t num_done) {
    if (count <= hits_.record.capacity()) return;
    const auto expected =
        static_cast<std::uint64_t>(static_cast<double>(count) * 1.05 * static_cast<double>(num_patterns_) /
                                   static_cast<double>(num_done));
    const std::uint64_t limit = memory_limit(options_.run.memory) / bytes_in_columns;
    try {
      reserve_columns(std::max(count, std::min(expected, limit)));
    } catch (const std::bad_alloc&) { // address space may be limited
      reserve_columns(count);
    }
  }
  void reserve_columns(std::uint64_t capacity) {
    for (auto* column : {&hits_.record, &hits_.begin, &hits_.end}) {
      column->reserve(capacity);
      prefer_large_pages(column->data(), capacity * sizeof(std::uint64_t));
    }
    for (auto* column : {&hits_.distance, &hits_.reverse}) column->reserve(capacity);
  }

  const near_options& options_;
  std::uint64_t num_patterns_;
  near_hits hits_;
};

// A plan_search searches the patterns of one problem.
class plan_search {
public:
  explicit plan_search(near_problem& problem)
      : problem_(problem), index_(view_of(problem.index)), options_(problem.options),
        plans_(plan_patterns(problem.index, problem.patterns, problem.options)),
        keys_(key_layout_of(index_.record_offsets.back())), read_(index_, problem.patterns, options_, keys_),
        left_(plans_.left), columns_(is_simple() ? problem.patterns.count() : 0, options_),
        collector_(is_simple() ? 0 : problem.patterns.count(), options_) {}

  // Returns the hits, and sets the number of the GPU that `search` returns.
  [[nodiscard]] near_hits run(const std::function<int(const near_device_problem&)>& search, int& gpu) {
    const near_key_taker take = [&](std::uint64_t first, std::span<const std::uint64_t> keys,
                                    std::span<const std::uint8_t> is_left) { add(first, keys, is_left); };
    gpu = search({problem_.index, index_.record_offsets, problem_.device_cache, problem_.patterns, options_,
                  plans_, keys_, take});
    std::sort(left_.begin(), left_.end());
    left_.erase(std::unique(left_.begin(), left_.end()), left_.end());
    if (!is_simple()) complete_hits();
    near_hits hits = is_simple() ? columns_.finish() : collector_.finish();
    return left_.empty() ? std::move(hits) : with_left_patterns(hits);
  }

private:
  // Returns whether all hits that the GPU finds are listed, or none, and no others are added to them.
  [[nodiscard]] bool is_simple() const {
    return !options_.best && (options_.max_hits == 0 || options_.max_hits == ~std::uint64_t{0}) &&
           (index_.other_letters.empty() || !has_changes());
  }
  [[nodiscard]] bool has_changes() const {
    return std::any_of(plans_.plans.begin(), plans_.plans.end(),
                       [](const near_plan& plan) { return plan.has_changes; });
  }

  void add(std::uint64_t first, std::span<const std::uint64_t> keys, std::span<const std::uint8_t> is_left) {
    std::vector<std::uint64_t> kept;
    if (std::find(is_left.begin(), is_left.end(), 1) != is_left.end()) {
      for (std::size_t p = 0; p < is_left.size(); ++p)
        if (is_left[p] != 0) left_.push_back(first + p);
      std::copy_if(keys.begin(), keys.end(), std::back_inserter(kept),
                   [&](std::uint64_t key) { return is_left[keys_.pattern(key)] == 0; });
      keys = kept;
    }
    if (!is_simple()) return collect(first, keys);
    if (options_.max_hits > 0 &&
        (columns_.count() + keys.size()) * bytes_in_columns > memory_limit(options_.run.memory))
      refuse_hits(problem_.patterns.count(), options_);
    columns_.add(read_, first, first + is_left.size(), keys);
  }
  void collect(std::uint64_t first, std::span<const std::uint64_t> keys) {
    constexpr std::size_t hits_at_once = 1 << 14;
    std::vector<near_hit> hits;
    for (const std::uint64_t key : keys) {
      hits.push_back(read_(first, key));
      if (hits.size() == hits_at_once) collector_.add(hits);
    }
    collector_.add(hits);
  }

  // Adds the hits with letters that are no bases of patterns whose plans leave them out.
  void complete_hits() {
    if (index_.other_letters.empty()) return;
    constexpr std::uint64_t block = 1 << 10; // patterns
    const unsigned num_strands = options_.both_strands ? 2 : 1;
    const std::uint64_t count = problem_.patterns.count();
    for (std::uint64_t first = 0; first < count; first += block) {
      const std::uint64_t last = std::min(count, first + block);
      const auto plan = [&](std::uint64_t strand) -> const near_plan& {
        return plans_.plans[plans_.plan_of[strand]];
      };
      std::vector<near_strand> strands;
      const near_patterns coded(problem_.patterns, first, last, options_);
      for (std::uint64_t s = 0; s < coded.strands().size(); ++s)
        if (plan(first * num_strands + s).has_changes &&
            !std::binary_search(left_.begin(), left_.end(), coded.strands()[s].pattern))
          strands.push_back(coded.strands()[s]);
      search_other_letters(index_, strands, options_, collector_);
    }
  }

  // Returns the hits with those of the patterns that are left to the CPU.
  [[nodiscard]] near_hits with_left_patterns(const near_hits& of_gpu) {
    sequences letters;
    for (const std::uint64_t p : left_) letters.add(problem_.patterns[p]);
    near_options options = options_;
    task_monitor counted(options.run.monitor); // the GPU has counted all patterns
    options.run.monitor = &counted;
    options.run.memory = memory_left(options.run.memory, of_gpu.record.size() * bytes_in_columns);
    near_problem rest{problem_.index, problem_.device_cache, letters, options};
    search_near_on_cpu(rest);
    counted.take_back(counted.done());
    near_hits all;
    std::size_t next = 0; // of left_
    const std::uint64_t distances = options_.max_distance + 1;
    const auto append = [&](const near_hits& from, std::uint64_t p) {
      const auto copy = [&](auto& to, const auto& column, std::uint64_t begin, std::uint64_t end) {
        to.insert(to.end(), column.begin() + static_cast<std::ptrdiff_t>(begin),
                  column.begin() + static_cast<std::ptrdiff_t>(end));
      };
      const std::uint64_t begin = from.offsets[p], end = from.offsets[p + 1];
      copy(all.record, from.record, begin, end);
      copy(all.begin, from.begin, begin, end);
      copy(all.end, from.end, begin, end);
      copy(all.distance, from.distance, begin, end);
      copy(all.reverse, from.reverse, begin, end);
      copy(all.totals, from.totals, p * distances, (p + 1) * distances);
      all.offsets.push_back(all.record.size());
    };
    for (std::uint64_t p = 0; p < problem_.patterns.count(); ++p)
      if (next < left_.size() && left_[next] == p)
        append(rest.hits, next++);
      else
        append(of_gpu, p);
    return all;
  }

  const near_problem& problem_;
  const fm_index::view& index_;
  const near_options& options_;
  near_plans plans_;
  near_key_layout keys_;
  hit_reader read_;
  std::vector<std::uint64_t> left_; // patterns that the CPU searches
  hit_columns columns_;             // if is_simple()
  near_collector collector_;        // otherwise
};

} // namespace

void search_by_plans(near_problem& problem, const std::function<int(const near_device_problem&)>& search) {
  int gpu = -1;
  problem.hits = plan_search(problem).run(search, gpu);
  problem.gpu = gpu; // only now: if its memory is too small, the CPU searches
}

#if defined(WEFT_WITH_CUDA)
void search_near_on_gpu(near_problem& problem) { search_by_plans(problem, search_plans_on_gpu); }
#endif

} // namespace weft::bwt_detail
