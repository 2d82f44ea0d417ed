// Threads. Each thread reads the next batch of patterns (only one thread reads at a time), searches it,
// formats the occurrences, and passes the text to the ordered output. So reading is serial, while searching
// and formatting are parallel. A GPU is shared by two threads with larger batches: one of them reads and
// writes while the other waits for the GPU.
//
// Listing. The number of occurrences of a pattern is unknown before the search. So a block of patterns is
// first located with at most max_first_hits_ hits each, and the patterns with more hits are located again,
// together as long as their hits fit the thread's share of the memory. A single pattern with more hits than a
// share uses the other half of the memory, in the batch whose turn it is to be written.
#include <cli/find_search.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cli/find_origin.hpp>
#include <cli/find_output.hpp>
#include <cli/rna.hpp>
#include <cli/task.hpp>
#include <fmt/format.h>
#include <mutex>
#include <span>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>

namespace weft::cli {

namespace {

constexpr std::uint64_t mebi = std::uint64_t{1} << 20;
constexpr std::size_t text_bytes = mebi;     // size of formatted rows from which they are written
constexpr std::uint64_t min_first_hits = 64; // see max_first_hits_

// The state that all threads of a search share.
struct shared_search {
  const fm_index& index;
  const find_options& options;
  const memory_shares shares;
  ordered_output output;
  std::optional<origin_search> origin; // only with --circular
  std::atomic<int> num_busy{0};        // number of threads that have a batch

  // Returns the number of threads that a large task of a busy thread may use: its own thread and the threads
  // without a batch.
  [[nodiscard]] int free_threads() const {
    return std::max(1, thread_count(options.search.run.threads) - num_busy.load() + 1);
  }
};

// A batch_search searches batches of patterns for one thread.
class batch_search {
public:
  explicit batch_search(shared_search& all)
      : all_(all), index_(all.index), options_(all.options), search_(all.options.search),
        writer_(all.options.format, all.index, all.options.circular) {
    search_.run.info = &found_.used;
    search_.run.monitor = nullptr; // progress counts each pattern once, even if it is located twice
    if (search_.run.device.kind != device_kind::gpu) {
      search_.run.device = {device_kind::cpu}; // auto: batches are too small for copying the index to a GPU
      search_.run.threads = 1;                 // the other threads search other batches
    }
  }

  // Searches a batch and passes its text to the output. Returns the totals of the batch.
  find_totals run(const io::pattern_chunk& chunk, std::uint64_t number) {
    chunk_ = &chunk;
    number_ = number;
    found_ = {};
    found_.patterns = chunk.count();
    text_.clear();
    for (std::uint64_t p = 0; options_.strict && p < chunk.count(); ++p) check_letters(p);
    prepare_strands();
    if (options_.count)
      count_patterns();
    else
      for (std::uint64_t first = 0, last = 0; first < chunk.count(); first = last) {
        last = std::min(chunk.count(),
                        first + std::max<std::uint64_t>(1, all_.shares.block_hits / max_first_hits_));
        list_block(first, last);
      }
    all_.output.finish(number, text_);
    return found_;
  }

private:
  // The occurrences of patterns [first, last) on both strands, within records and over their origins.
  struct located {
    std::uint64_t first = 0;
    std::array<fm_hits, 2> within, over; // forward and reverse strand; empty if not searched
  };

  [[nodiscard]] unsigned num_strands() const { return options_.both_strands ? 2 : 1; }

  // Counts pattern p as impossible if it can never match. With options_.strict, throws instead; then it is
  // called for all patterns before the search. Otherwise it is called only for patterns without occurrences,
  // because a pattern with an occurrence is possible.
  void check_letters(std::uint64_t p) {
    const std::string why = why_impossible(index_.alphabet(), chunk_->pattern(p));
    if (why.empty()) return;
    if (options_.strict)
      throw error(errc::invalid_input,
                  fmt::format("{}: the pattern can never match: {}", chunk_->location(p), why));
    if (found_.impossible++ == 0) found_.first_impossible = fmt::format("{}: {}", chunk_->location(p), why);
  }

  void prepare_strands() {
    letters_[0] = chunk_->text;
    if (index_.alphabet() == fm_alphabet::dna && has_u(chunk_->text)) {
      as_dna_ = chunk_->text;
      replace_u_by_t(as_dna_, 1);
      letters_[0] = as_dna_;
    }
    if (!options_.both_strands) return;
    reversed_.resize(chunk_->text.size());
    for (std::uint64_t p = 0; p < chunk_->count(); ++p)
      reverse_complement(part(0, p, p + 1), reversed_.data() + chunk_->offsets[p]);
    letters_[1] = reversed_;
  }

  // Returns the offsets of patterns [first, last), relative to the first one.
  [[nodiscard]] std::vector<std::uint64_t> offsets(std::uint64_t first, std::uint64_t last) const {
    std::vector<std::uint64_t> result(last - first + 1);
    for (std::uint64_t p = first; p <= last; ++p)
      result[p - first] = chunk_->offsets[p] - chunk_->offsets[first];
    return result;
  }
  [[nodiscard]] std::string_view part(unsigned strand, std::uint64_t first, std::uint64_t last) const {
    return letters_[strand].substr(chunk_->offsets[first], chunk_->offsets[last] - chunk_->offsets[first]);
  }

  void count_patterns() {
    std::vector<std::uint64_t> counts(chunk_->count());
    for (unsigned strand = 0; strand < num_strands(); ++strand) {
      const std::vector<std::uint64_t> found =
          index_.count(sequences_view{letters_[strand], chunk_->offsets}, search_);
      for (std::size_t p = 0; p < counts.size(); ++p) counts[p] += found[p];
    }
    if (all_.origin)
      each_origin_block(0, chunk_->count(), [&](std::uint64_t first, std::uint64_t last) {
        for (unsigned strand = 0; strand < num_strands(); ++strand) {
          const fm_hits over = all_.origin->locate(part(strand, first, last), offsets(first, last));
          for (std::uint64_t p = first; p < last; ++p) counts[p] += over.totals[p - first];
        }
      });
    for (std::uint64_t p = 0; p < chunk_->count(); ++p) {
      found_.occurrences += counts[p];
      if (counts[p] == 0) check_letters(p);
      writer_.append_count(text_, {chunk_->name(p), chunk_->pattern(p), counts[p], 0});
      write_if_long();
    }
  }

  // Calls each(first, last) for blocks of patterns whose candidates over origins together fit the memory.
  template <class Each> void each_origin_block(std::uint64_t first, std::uint64_t last, const Each& each) {
    std::vector<std::uint64_t> candidates(last - first);
    for (unsigned strand = 0; strand < num_strands(); ++strand) {
      const std::vector<std::uint64_t> found =
          all_.origin->count_candidates(part(strand, first, last), offsets(first, last));
      for (std::size_t i = 0; i < found.size(); ++i) candidates[i] += found[i];
    }
    for (std::uint64_t p = first; p < last;) {
      check_memory(p, candidates[p - first], all_.shares.thread_hits);
      std::uint64_t end = p, hits = 0;
      while (end < last && (end == p || hits + candidates[end - first] <= all_.shares.thread_hits))
        hits += candidates[end++ - first];
      each(p, end);
      p = end;
    }
  }

  void list_block(std::uint64_t first, std::uint64_t last) {
    if (!all_.origin) return list_patterns(first, last, {});
    each_origin_block(first, last, [&](std::uint64_t begin, std::uint64_t end) {
      std::array<fm_hits, 2> over;
      for (unsigned strand = 0; strand < num_strands(); ++strand)
        over[strand] = all_.origin->locate(part(strand, begin, end), offsets(begin, end));
      list_patterns(begin, end, over);
    });
  }

  // Lists patterns [first, last). `over` contains their occurrences over origins.
  void list_patterns(std::uint64_t first, std::uint64_t last, const std::array<fm_hits, 2>& over) {
    const located first_round = locate(first, last, std::min(max_first_hits_, search_limit()));
    std::uint64_t num_repeated = 0;
    for (std::uint64_t p = first; p < last;) {
      if (is_complete(first_round, p)) {
        append_pattern(first_round, over, first, p++);
        continue;
      }
      std::uint64_t hits = num_to_list(first_round, p), end = p + 1;
      while (end < last && !is_complete(first_round, end) &&
             hits + num_to_list(first_round, end) <= all_.shares.thread_hits)
        hits += num_to_list(first_round, end++);
      num_repeated += end - p;
      if (hits > all_.shares.thread_hits)
        list_large(p, hits, over, first);
      else
        for (const located all = locate(p, end, search_limit()); p < end; ++p)
          append_pattern(all, over, first, p);
      p = end;
    }
    if (4 * num_repeated > last - first)
      max_first_hits_ = std::min(4 * max_first_hits_, std::max(min_first_hits, all_.shares.block_hits / 64));
    else if (8 * num_repeated < last - first)
      max_first_hits_ = std::max(max_first_hits_ / 4, min_first_hits);
  }

  // Lists a pattern whose occurrences exceed the thread's share of the memory. Waits until the earlier
  // batches are written, so that only one thread at a time does this.
  void list_large(std::uint64_t p, std::uint64_t hits, const std::array<fm_hits, 2>& over,
                  std::uint64_t first) {
    check_memory(p, hits, all_.shares.large_hits);
    all_.output.write(number_, text_);
    text_.clear();
    const int threads = search_.run.threads;
    if (threads == 1) search_.run.threads = all_.free_threads();
    append_pattern(locate(p, p + 1, search_limit()), over, first, p);
    search_.run.threads = threads;
  }

  void check_memory(std::uint64_t p, std::uint64_t hits, std::uint64_t limit) const {
    if (hits <= limit) return;
    throw memory_error(fmt::format("the {} occurrences of '{}' do not fit in {} of memory, because "
                                   "listing them takes {}: use --count to count them, --max-hits to list "
                                   "some of them, or --memory to allow more memory",
                                   hits, chunk_->name(p).substr(0, 80),
                                   format_size(memory_limit(options_.memory)),
                                   format_size(2 * hits * bytes_of_hit)));
  }

  [[nodiscard]] std::uint64_t search_limit() const { return options_.search.max_hits; }

  located locate(std::uint64_t first, std::uint64_t last, std::uint64_t max_hits) {
    search_.max_hits = max_hits;
    located result;
    result.first = first;
    for (unsigned strand = 0; strand < num_strands(); ++strand)
      result.within[strand] =
          index_.locate(sequences_view{part(strand, first, last), offsets(first, last)}, search_);
    return result;
  }

  // num_to_list() returns the number of occurrences of a pattern within records that shall be listed;
  // is_complete() returns true if all of them have been located.
  [[nodiscard]] std::uint64_t num_to_list(const located& hits, std::uint64_t p) const {
    std::uint64_t sum = 0;
    for (unsigned strand = 0; strand < num_strands(); ++strand)
      sum += std::min(hits.within[strand].totals[p - hits.first], search_limit());
    return sum;
  }
  [[nodiscard]] bool is_complete(const located& hits, std::uint64_t p) const {
    std::uint64_t present = 0;
    for (unsigned strand = 0; strand < num_strands(); ++strand)
      present +=
          hits.within[strand].offsets[p - hits.first + 1] - hits.within[strand].offsets[p - hits.first];
    return present == num_to_list(hits, p);
  }

  // Occurrences on one strand, ordered by record and position.
  struct sorted_hits {
    const fm_hit *at, *end;
    bool reverse;
  };

  // Formats the occurrences of pattern p in the order of records and positions, + before -.
  void append_pattern(const located& from, const std::array<fm_hits, 2>& over, std::uint64_t first_over,
                      std::uint64_t p) {
    std::array<sorted_hits, 4> lists;
    std::size_t num_lists = 0;
    std::uint64_t total = 0, present = 0;
    const auto add = [&](const fm_hits& list, std::uint64_t i, bool reverse) {
      total += list.totals[i];
      if (list.offsets[i] == list.offsets[i + 1]) return;
      lists[num_lists++] = {list.hits.data() + list.offsets[i], list.hits.data() + list.offsets[i + 1],
                            reverse};
      present += list.offsets[i + 1] - list.offsets[i];
    };
    for (unsigned strand = 0; strand < num_strands(); ++strand) {
      add(from.within[strand], p - from.first, strand == 1);
      if (all_.origin) add(over[strand], p - first_over, strand == 1);
    }
    const std::uint64_t listed = std::min(present, search_limit());
    found_.occurrences += total;
    if (listed < total) ++found_.cut;
    if (total == 0) check_letters(p);
    const auto begin = chunk_->offsets[p], size = chunk_->offsets[p + 1] - begin;
    writer_.begin({chunk_->name(p), chunk_->pattern(p), total, listed},
                  options_.both_strands ? letters_[1].substr(begin, size) : std::string_view());
    write_rows(std::span(lists).first(num_lists), listed);
    writer_.end(text_);
    write_if_long();
  }

  void write_rows(std::span<sorted_hits> lists, std::uint64_t count) {
    for (; count > 0; --count) {
      std::size_t smallest = 0;
      for (std::size_t i = 1; i < lists.size(); ++i)
        if (lists[smallest].at == lists[smallest].end ||
            (lists[i].at != lists[i].end && *lists[i].at < *lists[smallest].at))
          smallest = i;
      writer_.append(text_, *lists[smallest].at++, lists[smallest].reverse);
      write_if_long();
    }
  }

  void write_if_long() {
    if (text_.size() < text_bytes) return;
    all_.output.write(number_, text_);
    text_.clear();
  }

  shared_search& all_;
  const fm_index& index_;
  const find_options& options_;
  fm_search_options search_;
  hit_writer writer_;
  find_totals found_;
  const io::pattern_chunk* chunk_ = nullptr;
  std::uint64_t number_ = 0;
  std::string as_dna_, reversed_, text_;
  std::array<std::string_view, 2> letters_; // the letters of the patterns on each strand
  // Maximum hits of a pattern in the first round. It grows if many patterns have more, and shrinks if few do.
  std::uint64_t max_first_hits_ = min_first_hits;
};

// A search_run distributes the batches of patterns to the threads.
class search_run {
public:
  search_run(shared_search& all, pattern_source& patterns) : all_(all), patterns_(patterns) {}

  find_totals run() {
    run_team(all_.shares.threads, [this](int) { work(); });
    all_.output.rethrow();
    return totals_;
  }

private:
  void work() {
    std::uint64_t number = 0;
    try {
      batch_search search(all_);
      io::pattern_chunk chunk;
      while (next(chunk, number)) {
        add(search.run(chunk, number), number);
        --all_.num_busy;
      }
    } catch (const ordered_output::abandoned&) { // an earlier batch has failed
      stop_ = true;
    } catch (...) {
      stop_ = true;
      all_.output.fail(number, std::current_exception());
    }
  }

  // Reads the next batch. If reading fails, the exception counts as a failure of this batch.
  bool next(io::pattern_chunk& chunk, std::uint64_t& number) {
    const std::lock_guard lock(reading_);
    if (stop_) return false;
    number = num_batches_++;
    if (!patterns_.next(chunk, all_.shares.batch_bytes)) {
      stop_ = true;
      return false;
    }
    num_read_ += chunk.count();
    if (const std::uint64_t expected = patterns_.expected(num_read_); expected > 0)
      monitor().set_total(expected);
    ++all_.num_busy;
    return true;
  }

  void add(const find_totals& found, std::uint64_t number) {
    const std::lock_guard lock(adding_);
    monitor().add(found.patterns);
    totals_.patterns += found.patterns;
    totals_.occurrences += found.occurrences;
    totals_.cut += found.cut;
    totals_.impossible += found.impossible;
    if (found.used.on_gpu()) totals_.used = found.used;
    if (found.impossible > 0 && number < first_impossible_) {
      first_impossible_ = number;
      totals_.first_impossible = found.first_impossible;
    }
  }

  shared_search& all_;
  pattern_source& patterns_;
  std::mutex reading_, adding_;
  std::atomic<bool> stop_{false};
  std::uint64_t num_batches_ = 0, num_read_ = 0, first_impossible_ = ~std::uint64_t{0};
  find_totals totals_;
};

} // namespace

find_totals find_patterns(const fm_index& index, pattern_source& patterns, const find_options& options,
                          io::output_file& out) {
  if (options.count)
    out.write(hit_writer::count_header(options.format));
  else
    out.write(hit_writer(options.format, index, options.circular).header());
  const memory_shares shares(options);
  shared_search all{
      index, options, shares, ordered_output(out, 2 * static_cast<std::uint64_t>(shares.threads)), {}, {}};
  if (options.circular) all.origin.emplace(index, std::max(memory_limit(options.memory) / 4, 8 * mebi));
  return search_run(all, patterns).run();
}

} // namespace weft::cli
