// Each thread reads the next chunk of whole records (only one thread reads at a time), scans it, formats the
// matches, and passes the text to the ordered output. So reading is serial, while scanning and formatting are
// parallel:
//
//   thread 0   read 0 | scan and format 0 | write 0 | read 2 | ...
//   thread 1           read 1 | scan and format 1   | write 1 | ...
//
// A record that is much longer than a chunk is scanned alone, on all threads. For a GPU, chunks are larger
// and scanned one after another, while other threads read the next ones and write the ones before. See
// docs/design/scan.md.
#include <weft/files/scan/scan_stream.hpp>

#include <algorithm>
#include <exception>
#include <mutex>
#include <weft/base/parallel.hpp>
#include <weft/scan/engines.hpp>

namespace weft::files {

namespace {

// A scan_run distributes the chunks to the threads.
class scan_run {
public:
  scan_run(shared_scan& shared, scan_input& input)
      : shared_(shared), input_(input), in_turn_(shared.task.chunks_in_turn),
        residues_(in_turn_ ? shared.memory.first_residues : shared.memory.each.residues),
        long_record_(in_turn_ ? shared.memory.max_residues : worker_record(shared)) {
    input.before_long_records(long_record_, [this] {
      is_alone_ = true;
      shared_.output.wait_for_earlier(number_);
    });
  }

  scan_totals run() {
    totals_.by_motif.resize(shared_.task.motifs.motifs().size());
    run_team(num_threads(), [&](int) { work(); });
    shared_.output.rethrow();
    return totals_;
  }

private:
  // Returns the residues of a record above which it is scanned alone. While one thread scans a record, the
  // others need records of their own, so this is a part of what they scan meanwhile.
  static std::uint64_t worker_record(const shared_scan& shared) {
    const scan_memory::worker_share& each = shared.memory.each;
    if (each.workers == 1) return each.max_long_record;
    const std::uint64_t part = shared.task.expected_residues / (4 * static_cast<std::uint64_t>(each.workers));
    return std::clamp(part, each.min_long_record, each.max_long_record);
  }

  // Returns the number of threads that have chunks.
  int num_threads() const {
    constexpr int threads_in_turn = 4; // one reads, one scans, one formats ahead, and one writes
    if (!in_turn_) return shared_.memory.each.workers;
    return thread_count(shared_.task.options.run.threads) == 1 ? 1 : threads_in_turn;
  }

  void work() {
    std::uint64_t number = 0;
    try {
      chunk_scan scan(shared_);
      io::sequence_chunk chunk;
      while (scan_next(scan, chunk, number)) release(chunk);
      const std::lock_guard lock(adding_);
      scan.add_totals(totals_);
    } catch (const ordered_output::abandoned&) { // an earlier chunk has failed
      stop();
    } catch (const turns::stopped&) { // likewise
      stop();
    } catch (...) {
      // First wakes a thread that waits for this chunk while it reads a long record, and so prevents stop().
      shared_.output.fail(number, std::current_exception());
      shared_.scan_turns.fail(number + 1);
      stop();
    }
  }

  // Reads the next chunk and scans it. Returns false at the end of the input. If reading fails, the exception
  // counts as a failure of this chunk.
  bool scan_next(chunk_scan& scan, io::sequence_chunk& chunk, std::uint64_t& number) {
    std::unique_lock lock(reading_);
    if (has_ended_) return false;
    number = number_ = num_chunks_++;
    is_alone_ = false;
    const std::uint64_t residues = in_turn_ ? std::min(residues_, shared_.memory.max_residues) : residues_;
    if (in_turn_) residues_ = 2 * residues;
    if (!input_.read(chunk, residues, shared_.task.options.strands == strand_choice::both ? 2 : 1)) {
      has_ended_ = true;
      return false;
    }
    // A chunk that was read to guess the alphabet may be long as well.
    if (!in_turn_ && !is_alone_ && chunk.residues.size() > residues + long_record_) {
      is_alone_ = true;
      shared_.output.wait_for_earlier(number);
    }
    const bool on_all_threads = in_turn_ || is_alone_;
    if (!is_alone_) lock.unlock(); // no other chunk is read while one is alone in memory
    on_all_threads ? scan.run_on_all_threads(chunk, number) : scan.run(chunk, number);
    return true;
  }

  void stop() {
    input_.stop(); // a thread that waits for a chunk holds the lock
    const std::lock_guard lock(reading_);
    has_ended_ = true;
  }

  // Frees the memory of a chunk that a long record has grown.
  void release(io::sequence_chunk& chunk) const {
    const std::uint64_t usual = in_turn_ ? shared_.memory.max_residues : residues_ + long_record_;
    if (chunk.residues.capacity() > 4 * usual) chunk.residues = {};
  }

  shared_scan& shared_;
  scan_input& input_;
  const bool in_turn_;
  std::mutex reading_, adding_;
  // Guarded by reading_: the number of the chunk that is read, whether it is alone in memory, the residues of
  // the next one.
  std::uint64_t number_ = 0, num_chunks_ = 0;
  bool is_alone_ = false, has_ended_ = false;
  std::uint64_t residues_;
  const std::uint64_t long_record_;
  scan_totals totals_; // guarded by adding_
};

} // namespace

bool is_scanned_on_gpu(const motif_set& motifs, const scan_options& options,
                       std::uint64_t expected_residues) {
  using namespace scan_detail;
  const sequences_view none;
  const part_limits limits;
  const scan_problem problem{motifs.data(), none, options, expected_residues, &limits};
  return scan_engine_list().choose(problem, options.run).on_gpu();
}

scan_totals stream_scan(scan_input& input, const scan_task& task, const scan_memory& memory,
                        const scan_output& content, rank_output& out, domain_collector* domains) {
  match_writer format(content.format, task.motifs, task.options.circular);
  if (content.content == scan_output::matches) out.write_header(format.header());
  if (content.content == scan_output::counts && content.format == "tsv")
    out.write_header("sequence\tmotif\tname\tmatches\n");
  const std::uint64_t window = 2 * static_cast<std::uint64_t>(memory.each.workers);
  shared_scan shared{task, memory, content, domains, std::move(format), ordered_output(out, window)};
  try {
    const scan_totals sum = scan_run(shared, input).run();
    out.wait_for_turns();
    return sum;
  } catch (...) {
    out.fail(std::current_exception());
    throw;
  }
}

} // namespace weft::files
