// Each thread takes the next batch of patterns, one thread at a time, searches it, formats what it finds, and
// hands the text to the ordered output. So reading is serial, and searching and formatting are not. A GPU is
// shared by two threads with larger batches: one reads and writes while the other waits for the GPU.
//
// Listing. A pattern may have one occurrence or most of the text. So a block of patterns is located with at
// most max_first_hits_ each, and those with more are located again, together as long as their hits fit the
// thread's share of the memory; one with more than a share has the other half of the memory, in the batch
// whose turn it is to be written.
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
constexpr std::size_t text_bytes = mebi;     // of formatted rows, before they are written
constexpr std::uint64_t min_first_hits = 64; // see max_first_hits_

// The state that all threads of a search share.
struct shared_search {
  const fm_index& index;
  const find_options& options;
  const memory_shares shares;
  ordered_output output;
  std::optional<origin_search> origin; // with --circular
  std::atomic<int> num_busy{0};        // threads that have a batch

  // Threads that a large task of one of the busy threads may use: its own and those without a batch.
  [[nodiscard]] int free_threads() const {
    return std::max(1, thread_count(options.search.threads) - num_busy.load() + 1);
  }
};

// Searches batches of patterns for one thread.
class batch_search {
public:
  explicit batch_search(shared_search& all)
      : all_(all), index_(all.index), options_(all.options), search_(all.options.search),
        writer_(all.options.format, all.index, all.options.circular) {
    search_.used_gpu = &found_.used_gpu;
    search_.monitor = nullptr; // progress counts patterns once, also those that are located twice
    if (search_.device.kind != device_kind::gpu) {
      search_.device = {device_kind::cpu}; // auto: batches are too small to bring the index to a GPU
      search_.threads = 1;                 // other threads have other batches
    }
  }

  // Searches a batch and hands its text to the output. Returns what was found.
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
  // Occurrences of patterns [first, last): on both strands, within records and over their origins.
  struct located {
    std::uint64_t first = 0;
    std::array<fm_hits, 2> within, over; // forward, reverse; empty if not asked for
  };

  [[nodiscard]] unsigned num_strands() const { return options_.both_strands ? 2 : 1; }

  // Counts pattern p if it can never match. Only for patterns that occur nowhere, because the others have
  // shown that they can, and with options_.strict for all of them before the search.
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
      take_u_as_t(as_dna_, 1);
      letters_[0] = as_dna_;
    }
    if (!options_.both_strands) return;
    reversed_.resize(chunk_->text.size());
    for (std::uint64_t p = 0; p < chunk_->count(); ++p)
      reverse_complement(part(0, p, p + 1), reversed_.data() + chunk_->offsets[p]);
    letters_[1] = reversed_;
  }

  // Offsets of patterns [first, last) from the begin of the first.
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
      const std::vector<std::uint64_t> found = index_.count(letters_[strand], chunk_->offsets, search_);
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

  // Calls each(first, last) for blocks of patterns [first, last) whose candidates over origins fit the memory
  // together.
  template <class Each> void each_origin_block(std::uint64_t first, std::uint64_t last, const Each& each) {
    std::vector<std::uint64_t> candidates(last - first);
    for (unsigned strand = 0; strand < num_strands(); ++strand) {
      const std::vector<std::uint64_t> found =
          all_.origin->count_candidates(part(strand, first, last), offsets(first, last));
      for (std::size_t i = 0; i < found.size(); ++i) candidates[i] += found[i];
    }
    for (std::uint64_t p = first; p < last;) {
      check_memory(p, candidates[p - first], all_.shares.own_hits);
      std::uint64_t end = p, hits = 0;
      while (end < last && (end == p || hits + candidates[end - first] <= all_.shares.own_hits))
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

  // over: the occurrences over origins of these patterns.
  void list_patterns(std::uint64_t first, std::uint64_t last, const std::array<fm_hits, 2>& over) {
    const located some = locate(first, last, std::min(max_first_hits_, search_limit()));
    std::uint64_t again = 0;
    for (std::uint64_t p = first; p < last;) {
      if (complete(some, p)) {
        emit(some, over, first, p++);
        continue;
      }
      std::uint64_t hits = wanted(some, p), end = p + 1;
      while (end < last && !complete(some, end) && hits + wanted(some, end) <= all_.shares.own_hits)
        hits += wanted(some, end++);
      again += end - p;
      if (hits > all_.shares.own_hits)
        list_large(p, hits, over, first);
      else
        for (const located all = locate(p, end, search_limit()); p < end; ++p) emit(all, over, first, p);
      p = end;
    }
    if (4 * again > last - first)
      max_first_hits_ = std::min(4 * max_first_hits_, std::max(min_first_hits, all_.shares.block_hits / 64));
    else if (8 * again < last - first)
      max_first_hits_ = std::max(max_first_hits_ / 4, min_first_hits);
  }

  // Lists a pattern with more occurrences than the thread's share of the memory has room for. Waits until the
  // batches before are written, so that one thread at a time does so.
  void list_large(std::uint64_t p, std::uint64_t hits, const std::array<fm_hits, 2>& over,
                  std::uint64_t first) {
    check_memory(p, hits, all_.shares.large_hits);
    all_.output.write(number_, text_);
    text_.clear();
    const int threads = search_.threads;
    if (threads == 1) search_.threads = all_.free_threads();
    emit(locate(p, p + 1, search_limit()), over, first, p);
    search_.threads = threads;
  }

  void check_memory(std::uint64_t p, std::uint64_t hits, std::uint64_t limit) const {
    if (hits <= limit) return;
    throw memory_error(fmt::format("the {} occurrences of '{}' do not fit {} of memory, because listing them "
                                   "takes {}: --count counts them, "
                                   "--max-hits lists some, --memory gives more",
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
      result.within[strand] = index_.locate(part(strand, first, last), offsets(first, last), search_);
    return result;
  }

  // How many occurrences of a pattern within records are to be listed, and whether they are there.
  [[nodiscard]] std::uint64_t wanted(const located& of, std::uint64_t p) const {
    std::uint64_t sum = 0;
    for (unsigned strand = 0; strand < num_strands(); ++strand)
      sum += std::min(of.within[strand].totals[p - of.first], search_limit());
    return sum;
  }
  [[nodiscard]] bool complete(const located& of, std::uint64_t p) const {
    std::uint64_t present = 0;
    for (unsigned strand = 0; strand < num_strands(); ++strand)
      present += of.within[strand].offsets[p - of.first + 1] - of.within[strand].offsets[p - of.first];
    return present == wanted(of, p);
  }

  // Occurrences by record and position, all on one strand.
  struct sorted_hits {
    const fm_hit *at, *end;
    bool reverse;
  };

  // Formats the occurrences of pattern p in the order of records and positions, + before -.
  void emit(const located& from, const std::array<fm_hits, 2>& over, std::uint64_t first_over,
            std::uint64_t p) {
    std::array<sorted_hits, 4> lists;
    std::size_t num_lists = 0;
    std::uint64_t total = 0, present = 0;
    const auto add = [&](const fm_hits& of, std::uint64_t i, bool reverse) {
      total += of.totals[i];
      if (of.offsets[i] == of.offsets[i + 1]) return;
      lists[num_lists++] = {of.hits.data() + of.offsets[i], of.hits.data() + of.offsets[i + 1], reverse};
      present += of.offsets[i + 1] - of.offsets[i];
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
      std::size_t least = 0;
      for (std::size_t i = 1; i < lists.size(); ++i)
        if (lists[least].at == lists[least].end ||
            (lists[i].at != lists[i].end && *lists[i].at < *lists[least].at))
          least = i;
      writer_.append(text_, *lists[least].at++, lists[least].reverse);
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
  std::array<std::string_view, 2> letters_; // of the strands
  // Hits of a pattern in the first round: more where many patterns have more.
  std::uint64_t max_first_hits_ = min_first_hits;
};

// All batches of patterns, for the threads.
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
    } catch (const ordered_output::abandoned&) { // a batch before has failed
      stop_ = true;
    } catch (...) {
      stop_ = true;
      all_.output.fail(number, std::current_exception());
    }
  }

  // Reads the next batch. If that fails, it is this batch that fails.
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
    totals_.used_gpu = std::max(totals_.used_gpu, found.used_gpu);
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
