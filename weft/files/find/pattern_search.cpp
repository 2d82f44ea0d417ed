// Each thread reads the next batch of patterns (only one thread reads at a time), searches it, formats the
// occurrences, and passes the text to the ordered output. So reading is serial, while searching and
// formatting are parallel. A GPU is shared by two threads with larger batches: one of them reads and writes
// while the other waits for the GPU.
#include <weft/files/find/pattern_search.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>
#include <weft/base/run.hpp>
#include <weft/files/find/batch_search.hpp>
#include <weft/files/find/near_batch_search.hpp>

namespace weft::files {

namespace {

constexpr std::uint64_t mebi = std::uint64_t{1} << 20;

// A search_run distributes the batches of patterns to the threads.
class search_run {
public:
  search_run(shared_search& shared, pattern_source& patterns) : shared_(shared), patterns_(patterns) {}

  find_totals run() {
    const bool near = shared_.options.near.has_value();
    run_team(shared_.shares.threads, [&](int) { near ? work<near_batch_search>() : work<batch_search>(); });
    shared_.output.rethrow();
    return totals_;
  }

private:
  template <class Search> void work() {
    std::uint64_t number = 0;
    try {
      Search search(shared_);
      io::pattern_chunk chunk;
      while (next(chunk, number)) {
        add(search.run(chunk, number), number);
        --shared_.num_busy;
      }
    } catch (const ordered_output::abandoned&) { // an earlier batch has failed
      stop();
    } catch (...) {
      stop();
      shared_.output.fail(number, std::current_exception());
    }
  }

  void stop() {
    stop_ = true;
    patterns_.stop();
  }

  // Reads the next batch. If reading fails, the exception counts as a failure of this batch.
  bool next(io::pattern_chunk& chunk, std::uint64_t& number) {
    const std::lock_guard lock(reading_);
    if (stop_) return false;
    number = num_batches_++;
    if (!patterns_.next(chunk, shared_.shares.batch_bytes)) {
      stop_ = true;
      return false;
    }
    num_read_ += chunk.count();
    if (task_monitor* const monitor = shared_.options.search.run.monitor; monitor != nullptr)
      if (const std::uint64_t expected = patterns_.estimate_count(num_read_); expected > 0)
        monitor->set_total(expected);
    ++shared_.num_busy;
    return true;
  }

  void add(const find_totals& found, std::uint64_t number) {
    const std::lock_guard lock(adding_);
    base_detail::add_work(shared_.options.search.run, found.patterns);
    totals_.patterns += found.patterns;
    totals_.occurrences += found.occurrences;
    totals_.cut += found.cut;
    totals_.impossible += found.impossible;
    totals_.with_other_letters += found.with_other_letters;
    totals_.without_contexts += found.without_contexts;
    if (found.used.on_gpu()) totals_.used = found.used;
    if (found.impossible > 0 && number < totals_.first_impossible_batch) {
      totals_.first_impossible_batch = number;
      totals_.first_impossible = found.first_impossible;
    }
  }

  shared_search& shared_;
  pattern_source& patterns_;
  std::mutex reading_, adding_;
  std::atomic<bool> stop_{false};
  std::uint64_t num_batches_ = 0, num_read_ = 0;
  find_totals totals_;
};

} // namespace

std::uint64_t max_pattern_bytes(const find_options& options) {
  // Copies of a pattern in memory: as read, as searched, as a name, in rows; with differences also as sets of
  // bases, as planes of these and as a table of an alignment.
  const std::uint64_t copies = options.near ? 80 : 16;
  const memory_shares shares(options);
  return std::max<std::uint64_t>(
      memory_limit(options.memory) / static_cast<std::uint64_t>(shares.threads) / copies, mebi / 16);
}

std::uint64_t origin_bytes(const find_options& options) {
  return options.circular ? std::max(memory_limit(options.memory) / 4, 8 * mebi) : 0;
}

find_totals find_patterns(searched_index& index, pattern_source& patterns, const find_options& options,
                          rank_output& out) {
  const near_options* const near = options.near ? &*options.near : nullptr;
  if (options.count)
    out.write_header(hit_writer::count_header(options.format, near));
  else
    out.write_header(hit_writer(options.format, index, options.circular, near).header());
  const memory_shares shares(options);
  shared_search shared{
      index, options, shares, ordered_output(out, 2 * static_cast<std::uint64_t>(shares.threads)), {}};
  try {
    index.start();
    const find_totals sum = search_run(shared, patterns).run();
    out.wait_for_turns();
    return sum;
  } catch (...) {
    out.fail(std::current_exception());
    throw;
  }
}

} // namespace weft::files
