// Chunks of whole records go through three stages. Each stage works on one chunk at a time:
//
//   read (and decompress) | scan (all threads, or a GPU) | format (all threads), write
//
// While a stage waits for a file or for a GPU, the other stages use the processors. The scan emits the
// matches of a chunk in slices, so that memory does not grow with the number of matches. While a record that
// is longer than a chunk is processed, no other chunk is in the stages. See docs/design/scan.md.
//
// run_stages() (weft/base/stages.hpp) cannot run these stages: there, a stage makes one result of one item,
// but the scan emits many slices for one chunk.
#include <weft/files/scan/scan_stream.hpp>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <weft/base/bounded_queue.hpp>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>
#include <weft/files/formats/scan_formats.hpp>
#include <weft/files/scan/match_collector.hpp>

namespace weft::files {

namespace {

// Chunks in memory: one for each of the three stages, and one between them.
constexpr std::size_t num_chunks = 4;
// About how many bytes of text are formatted together in a block, and the maximum number of such blocks.
constexpr std::size_t block_bytes = std::size_t{1} << 19, max_blocks = 32;
// A match that needs more temporary memory than this is an outlier, which is formatted alone.
constexpr std::size_t kept_bytes = std::size_t{1} << 22;
constexpr std::uint64_t min_residues = std::uint64_t{1} << 16; // minimum residues of a chunk

// A chunk_pool holds the chunks that are not in use. Thread-safe.
class chunk_pool {
public:
  // Makes a pool of num_chunks empty chunks.
  explicit chunk_pool(std::uint64_t max_residues) : max_residues_(max_residues) {
    for (io::sequence_chunk& chunk : chunks_) free_.push_back(&chunk);
  }

  // Waits for a free chunk, or, after a long record, until all chunks are free. Returns null after close().
  io::sequence_chunk* take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || free_.size() >= (long_record_ ? num_chunks : 1); });
    if (closed_) return nullptr;
    long_record_ = false;
    io::sequence_chunk* const chunk = free_.back();
    free_.pop_back();
    return chunk;
  }

  // Waits until the only chunk in use is the one into which a long record is being read.
  void wait_for_others() {
    std::unique_lock lock(mutex_);
    long_record_ = true;
    changed_.wait(lock, [this] { return closed_ || free_.size() + 1 == num_chunks; });
  }

  // Takes back a chunk. Frees its memory if it has grown beyond 4 * max_residues.
  void put_back(io::sequence_chunk* chunk) {
    if (chunk->residues.capacity() > 4 * max_residues_) chunk->residues = {};
    const std::lock_guard lock(mutex_);
    free_.push_back(chunk);
    changed_.notify_all();
  }

  // After close(), no call waits, until open().
  void close() noexcept { set_closed(true); }
  void open() noexcept { set_closed(false); }

private:
  void set_closed(bool closed) noexcept {
    const std::lock_guard lock(mutex_);
    closed_ = closed;
    changed_.notify_all();
  }

  // Chunks are reused, because their memory has been touched already.
  std::array<io::sequence_chunk, num_chunks> chunks_;
  std::uint64_t max_residues_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<io::sequence_chunk*> free_;
  bool closed_ = false, long_record_ = false;
};

// A block_writer formats matches block by block on several threads, and writes the blocks in order.
class block_writer {
public:
  // Formats at most `num_blocks` blocks at the same time, on the threads of `run`. `run` must outlive the
  // object. write() throws cancelled_error if the monitor of `run` has been cancelled.
  block_writer(const match_writer& format, std::size_t num_blocks, const run_options& run,
               io::output_file& out)
      : format_(format), texts_(num_blocks), run_(run), out_(out) {}

  void write(const io::sequence_chunk& chunk, const match_slice& slice) {
    const std::span<const scan_match> matches = slice.matches;
    for (std::size_t next = slice.first; next < slice.last;) {
      blocks_.clear();
      // Whether the last block contains an outlier, a match with very much text or temporary memory. No
      // further block is then formatted at the same time.
      bool has_outlier = false;
      while (next < slice.last && blocks_.size() < texts_.size() && !has_outlier) {
        const std::size_t first = next;
        for (std::size_t bytes = 0; next < slice.last && bytes < block_bytes && !has_outlier; ++next) {
          const std::size_t text = format_.text_size(chunk, matches[next]);
          has_outlier = text > block_bytes || format_.kept_size(chunk, matches[next]) > kept_bytes;
          bytes += text;
        }
        blocks_.push_back({first, next});
      }
      base_detail::check_cancelled(run_);
      parallel_for(0, blocks_.size(), 1, has_outlier ? 1 : run_.threads,
                   [&](std::uint64_t b, std::uint64_t last) {
                     for (; b < last; ++b) {
                       texts_[b].clear();
                       format_.append(texts_[b], chunk, matches, blocks_[b].first, blocks_[b].last);
                     }
                   });
      for (std::size_t b = 0; b < blocks_.size(); ++b) {
        out_.write(texts_[b]);
        if (has_outlier) texts_[b] = {};
      }
    }
  }

private:
  struct block {
    std::size_t first, last;
  };

  const match_writer& format_;
  std::vector<std::string> texts_;
  std::vector<block> blocks_;
  const run_options& run_;
  io::output_file& out_;
};

// Counts the matches of each sequence and motif.
class sequence_counts {
public:
  void add(const scan_part& part) {
    for (const scan_match& match : part.matches) {
      if (counts_.empty() || counts_.back().sequence != match.sequence || counts_.back().motif != match.motif)
        counts_.push_back({match.sequence, match.motif, 0});
      ++counts_.back().matches;
    }
    if (counts_.size() > 2 * merged_ + 65536) merge();
  }

  // Returns the lines of the ordered counts, and clears the counts.
  std::string take_lines(const match_writer& format, const io::sequence_chunk& chunk) {
    merge();
    std::string lines;
    for (const count& c : counts_) format.append_count(lines, chunk, c.sequence, c.motif, c.matches);
    counts_.clear();
    merged_ = 0;
    return lines;
  }

private:
  struct count {
    std::uint32_t sequence, motif;
    std::uint64_t matches;
    [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> key() const { return {sequence, motif}; }
  };

  void merge() {
    const auto before = [](const count& a, const count& b) { return a.key() < b.key(); };
    if (!std::is_sorted(counts_.begin(), counts_.end(), before))
      std::sort(counts_.begin(), counts_.end(), before);
    std::size_t kept = 0;
    for (const count& c : counts_)
      if (kept > 0 && counts_[kept - 1].key() == c.key())
        counts_[kept - 1].matches += c.matches;
      else
        counts_[kept++] = c;
    counts_.resize(kept);
    merged_ = kept;
  }

  std::vector<count> counts_;
  std::size_t merged_ = 0;
};

// What the scan emits to the writer: matches of a chunk, or lines of text, or a chunk that is done.
struct writer_item {
  const io::sequence_chunk* chunk = nullptr;
  match_slice matches;
  std::string lines;
  io::sequence_chunk* done = nullptr;
};

// A pipeline runs the three stages of one scan.
class pipeline {
public:
  pipeline(scan_input& input, scanner& scanner, const scan_memory& memory, const scan_output& content,
           io::output_file& out, domain_collector* domains)
      : input_(input), scanner_(scanner), memory_(memory), content_(content), out_(out), domains_(domains),
        threads_(thread_count(scanner.options().run.threads)),
        format_(content.format, scanner.motifs(), scanner.options().circular),
        writer_(format_, memory.num_blocks, scanner.options().run, out), pool_(memory.max_residues),
        residues_(memory.first_residues) {
    input.before_long_records([this] { pool_.wait_for_others(); });
    if (content.content == scan_output::matches) out.write(format_.header());
    if (content.content == scan_output::counts && content.format == "tsv")
      out.write("sequence\tmotif\tname\tmatches\n");
  }

  // Returns the number of threads that all stages use together.
  [[nodiscard]] int threads() const noexcept { return threads_; }

  // Runs the stages one after another, for each chunk.
  void run_on_one_thread() {
    while (io::sequence_chunk* const chunk = read())
      find(chunk, [this](const writer_item& item) { write(item); });
  }

  // Runs reading and scanning in a thread each, and writing in the caller's thread. Returns false, with
  // nothing done, if the system cannot start threads.
  bool run_on_threads() {
    bounded_queue<io::sequence_chunk*> read_chunks{1};
    bounded_queue<writer_item> found{1};
    std::exception_ptr find_failure;
    const auto close = [&] {
      read_chunks.close();
      found.close();
      pool_.close();
    };
    const auto run_reader = [&] {
      while (io::sequence_chunk* const chunk = read())
        if (!read_chunks.push(chunk)) return;
      read_chunks.finish();
    };
    const auto run_finder = [&] {
      try {
        while (const auto chunk = read_chunks.pop())
          find(*chunk, [&](writer_item item) {
            if (!found.push(std::move(item))) throw stopped();
          });
      } catch (const stopped&) {
        return;
      } catch (...) { // the matches before the failure must still be written
        find_failure = std::current_exception();
        read_chunks.close();
        pool_.close();
      }
      found.finish();
    };
    bool begun = false;
    {
      std::jthread finder, reader;
      const struct closer { // its destructor runs before the threads are joined
        const decltype(close)& end;
        ~closer() { end(); }
      } at_end{close};
      try {
        finder = std::jthread(run_finder);
        reader = std::jthread(run_reader);
        begun = true;
        note_threads(threads_);
      } catch (const std::exception&) { // there is no thread, or no memory for one
      }
      while (const auto item = begun ? found.pop() : std::nullopt) write(*item);
    }
    pool_.open();
    if (find_failure) std::rethrow_exception(find_failure);
    return begun;
  }

  // Throws the error of reading that has ended the input, if there was one.
  void throw_read_failure() const {
    if (read_failure_) std::rethrow_exception(read_failure_);
  }

private:
  using sink = std::function<void(writer_item)>;
  struct stopped {}; // thrown if the writer takes no more items

  // Returns the next chunk. Returns null at the end, after close(), and if reading fails; the error is then
  // in read_failure_.
  io::sequence_chunk* read() {
    io::sequence_chunk* const chunk = pool_.take();
    if (chunk == nullptr) return nullptr;
    try {
      const std::uint64_t residues = std::min(residues_, memory_.max_residues);
      residues_ = 2 * residues;
      if (input_.read(*chunk, residues, scanner_.options().strands == strand_choice::both ? 2 : 1))
        return chunk;
    } catch (...) {
      read_failure_ = std::current_exception();
    }
    pool_.put_back(chunk);
    return nullptr;
  }

  void find(io::sequence_chunk* chunk, const sink& emit) {
    const sequences_view sequences{chunk->residues, chunk->offsets};
    if (content_.content == scan_output::no_rows) {
      scanner_.count(sequences);
    } else {
      match_collector collector(memory_.max_matches, [&](match_slice matches) {
        emit({chunk, std::move(matches), {}, nullptr});
      });
      scanner_.feed(sequences, [&](scan_part part) {
        if (content_.content == scan_output::matches) return collector.add(std::move(part));
        counts_.add(part);
        if (part.complete) emit({chunk, {}, counts_.take_lines(format_, *chunk), nullptr});
      });
    }
    emit({nullptr, {}, {}, chunk});
  }

  void write(const writer_item& item) {
    if (item.done != nullptr) {
      if (domains_ != nullptr) domains_->end_chunk(*item.done);
      if (out_.is_stdout()) out_.flush();
      return pool_.put_back(item.done);
    }
    out_.write(item.lines);
    writer_.write(*item.chunk, item.matches);
    if (domains_ != nullptr)
      domains_->add(*item.chunk, std::span(item.matches.matches)
                                     .subspan(item.matches.first, item.matches.last - item.matches.first));
  }

  scan_input& input_;
  scanner& scanner_;
  const scan_memory& memory_;
  const scan_output& content_;
  io::output_file& out_;
  domain_collector* domains_; // may be null
  int threads_;
  match_writer format_;
  block_writer writer_;
  chunk_pool pool_;
  sequence_counts counts_;
  std::uint64_t residues_;          // residues of the next chunk
  std::exception_ptr read_failure_; // rethrown after the chunks before it are written
};

} // namespace

scan_memory divide_memory(std::uint64_t limit, int threads, std::uint64_t copies) {
  constexpr std::uint64_t mebi = std::uint64_t{1} << 20;
  const auto members = static_cast<std::uint64_t>(thread_count(threads));
  scan_memory memory{mebi, 8 * mebi, {2 * members * mebi, mebi}, 0, 0, limit, 0};
  memory.num_blocks = std::min<std::size_t>(2 * members, max_blocks);
  memory.max_matches = memory_limit(limit) / 8 / sizeof(scan_match);
  // A chunk gets limit / 128 residues, because four are in memory, with their names, and the one that is
  // scanned also with its reverse complement. A match takes 32 bytes, so the matches of a part take 1/32 of
  // the limit and those that wait to be sorted 1/16. The text blocks together take 1/64. Only a record that
  // is longer than a chunk may take nearly all of the limit, because it is alone in memory.
  if (limit != 0) {
    memory.max_residues = std::clamp(limit / 128, min_residues, 8 * mebi);
    memory.first_residues = std::min(memory.max_residues, mebi);
    memory.parts.residues = std::clamp(limit / 1024, mebi / 64, mebi / 4);
    memory.parts.matches = std::clamp(limit / 1024, mebi / 1024, mebi / 16);
    memory.max_matches = std::clamp(limit / 512, mebi / 1024, mebi / 4);
    memory.num_blocks = std::clamp<std::size_t>(limit / 64 / block_bytes, 1, memory.num_blocks);
    memory.max_record = std::max(limit, 16 * mebi) / 16 * 15 / copies;
  }
  return memory;
}

void stream_scan(scan_input& input, scanner& scanner, const scan_memory& memory, const scan_output& content,
                 io::output_file& out, domain_collector* domains) {
  pipeline stages(input, scanner, memory, content, out, domains);
  if (stages.threads() == 1 || !stages.run_on_threads()) stages.run_on_one_thread();
  stages.throw_read_failure(); // after the chunks before it have been written
}

} // namespace weft::files
