// Chunks of whole records go through three stages, each of which has one chunk at a time:
//
//   read (and decompress) | scan (all threads, or a GPU) | format (all threads), write
//
// So a stage that waits for a file or for a GPU leaves the processors to the others. A chunk of 2^23 residues
// is read in 7 ms, about what passes before the first match is written. A GPU searches it in less than 1 ms;
// calls, copies and starting threads cost a few, which is hidden behind reading and writing.
// docs/scan-stream.md.
#include <cli/scan_stream.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cli/scan_formats.hpp>
#include <cli/task.hpp>
#include <cstdlib>
#include <exception>
#include <memory>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>
#include <optional>
#include <span>
#include <weft/base/parallel.hpp>
#include <weft/io/sequence_reader.hpp>

namespace weft::cli {

namespace {

namespace tbb = oneapi::tbb;

constexpr std::size_t chunks_at_once = 4; // in memory: one for each stage, and one between them
constexpr std::uint64_t least_residues = std::uint64_t{1} << 16; // of a chunk, where many match
// Text of the matches that are formatted together, about, and how many such blocks there are at most.
constexpr std::size_t block_bytes = std::size_t{1} << 19, most_blocks = 32;
constexpr std::size_t kept_bytes = std::size_t{1} << 22; // beside the text of each, where many are under way

// Residues of a chunk: of the first, and at most. After a chunk with more than `many` matches the next ones
// are smaller, and where there are few they are larger again.
struct chunk_sizes {
  std::uint64_t first, most, many;
};

// By a limit on memory (0: none). The chunks at once and what an engine keeps beside one take less than 24
// bytes a residue, their matches, and twice those of one while ranges are joined, 6 * 32 bytes a match. So a
// limit has three quarters for residues and a fourth for matches, and begins with little, until it is known
// how many match. WEFT_CHUNK is for tests.
chunk_sizes sizes_within(std::uint64_t memory) {
  constexpr std::uint64_t least = std::uint64_t{1} << 20, most = std::uint64_t{1} << 23, many = least;
  if (const char* asked = std::getenv("WEFT_CHUNK")) {
    const std::uint64_t residues = std::strtoull(asked, nullptr, 10);
    return {residues, residues, std::max(many, residues / 4)};
  }
  if (memory == 0) return {least, most, many};
  const std::uint64_t residues = std::clamp(memory / 32, least, most);
  return {std::max(residues / 64, least_residues), residues,
          std::max<std::uint64_t>(memory / 4 / (6 * sizeof(scan_match)), 1)};
}

struct chunk_result {
  io::sequence_chunk chunk;
  match_vector matches;
  std::exception_ptr failure; // of scan()
};

// Chunks of whole records out of several files, one after another.
class chunk_reader {
public:
  chunk_reader(const std::vector<std::string>& files, std::uint64_t strands)
      : files_(files), strands_(strands) {}
  bool read(io::sequence_chunk& chunk, std::uint64_t residues) {
    for (;;) {
      if (!reader_) {
        if (next_ == files_.size()) break;
        reader_ = std::make_unique<io::sequence_reader>(io::open_bytes(files_[next_++]));
      }
      if (reader_->read(chunk, residues)) {
        expect(chunk.residues.size());
        return true;
      }
      reader_.reset();
    }
    monitor().set_total(residues_ * strands_);
    return false;
  }

private:
  // For progress: residues to come by those of the bytes read so far; of one file alone, if it has a size.
  void expect(std::uint64_t residues) {
    residues_ += residues;
    const std::uint64_t size = reader_->source().size(), position = reader_->source().position();
    if (files_.size() > 1 || size == 0 || position == 0) return;
    monitor().set_total(
        static_cast<std::uint64_t>(static_cast<double>(residues_) * static_cast<double>(size) /
                                   static_cast<double>(std::min(size, position))) *
        strands_);
  }

  const std::vector<std::string>& files_;
  std::uint64_t strands_, residues_ = 0;
  std::size_t next_ = 0;
  std::unique_ptr<io::sequence_reader> reader_;
};

// Formats matches block by block on the threads of the arena that it is called in, and writes the blocks in
// order. Few blocks wait, and where the text of one match is larger than a block should be, one at a time.
class block_writer {
public:
  block_writer(const std::string& format, const motif_set& motifs, int threads, io::output_file& out)
      : format_(format, motifs), texts_(std::min(2 * static_cast<std::size_t>(threads), most_blocks)),
        out_(out) {
    out_.write(format_.header());
  }

  void write(const chunk_result& result) {
    const std::span<const scan_match> matches = result.matches;
    const auto bytes_of = [&](std::size_t i) { return format_.text_size(result.chunk, matches[i]); };
    std::size_t largest = 0, kept = 0, next = 0, blocks = 0;
    for (std::size_t i = 0; i < matches.size(); ++i) {
      largest = std::max(largest, bytes_of(i));
      kept = std::max(kept, format_.kept_size(result.chunk, matches[i]));
    }
    const std::size_t at_once = largest > block_bytes || kept > kept_bytes ? 1 : texts_.size();
    const auto cut = [&](tbb::flow_control& flow) -> block {
      if (next == matches.size()) {
        flow.stop();
        return {};
      }
      const std::size_t first = next;
      for (std::size_t bytes = 0; next < matches.size() && bytes < block_bytes; ++next)
        bytes += bytes_of(next);
      return {first, next, &texts_[blocks++ % at_once]}; // is free: no more are under way
    };
    const auto format = [&](block made) {
      made.text->clear();
      format_.append(*made.text, result.chunk, matches, made.first, made.last);
      return made;
    };
    const auto put = [&](block made) {
      monitor().check();
      out_.write(*made.text);
    };
    // Alone, so that a thread that waits here for a block does not begin to read or scan a chunk.
    tbb::this_task_arena::isolate([&] {
      tbb::parallel_pipeline(at_once,
                             tbb::make_filter<void, block>(tbb::filter_mode::serial_in_order, cut) &
                                 tbb::make_filter<block, block>(tbb::filter_mode::parallel, format) &
                                 tbb::make_filter<block, void>(tbb::filter_mode::serial_in_order, put));
    });
    if (at_once == 1) texts_.front() = {};
    if (out_.is_stdout()) out_.flush();
  }

private:
  struct block {
    std::size_t first, last;
    std::string* text;
  };

  match_writer format_;
  std::vector<std::string> texts_;
  io::output_file& out_;
};

class pipeline {
public:
  pipeline(const std::vector<std::string>& files, const motif_set& motifs, const scan_options& options,
           const chunk_sizes& sizes)
      : reader_(files, options.strands == strand_choice::both ? 2 : 1), motifs_(motifs), options_(options),
        sizes_(sizes), residues_(sizes.first) {
    totals_.by_motif.resize(motifs.motifs().size());
  }

  // writer: null: matches are counted.
  scan_totals run(block_writer* writer) {
    const auto read = [this](tbb::flow_control& flow) { return read_next(flow); };
    const auto find = [this](chunk_result* result) {
      try {
        result->matches = scan(motifs_, {result->chunk.residues, result->chunk.offsets}, options_);
      } catch (...) {
        result->failure = std::current_exception(); // the chunks before it are to be written
      }
      choose_size(*result);
      return result;
    };
    const auto write = [this, writer](chunk_result* result) {
      if (result->failure) std::rethrow_exception(result->failure);
      count(*result);
      if (writer != nullptr) writer->write(*result);
      result->matches = {};
    };
    tbb::parallel_pipeline(
        chunks_at_once,
        tbb::make_filter<void, chunk_result*>(tbb::filter_mode::serial_in_order, read) &
            tbb::make_filter<chunk_result*, chunk_result*>(tbb::filter_mode::serial_in_order, find) &
            tbb::make_filter<chunk_result*, void>(tbb::filter_mode::serial_in_order, write));
    if (read_failure_) std::rethrow_exception(read_failure_);
    return totals_;
  }

private:
  chunk_result* read_next(tbb::flow_control& flow) {
    chunk_result& result = results_[chunks_++ % chunks_at_once]; // is free: no more are under way
    try {
      if (reader_.read(result.chunk, residues_)) return &result;
    } catch (...) {
      read_failure_ = std::current_exception();
    }
    flow.stop();
    return nullptr;
  }

  // Of the next chunk to be read, by a chunk that has been searched.
  void choose_size(const chunk_result& result) {
    const std::uint64_t now = residues_, matches = result.matches.size(), size = result.chunk.residues.size();
    const double twice = 2.0 * static_cast<double>(matches) * static_cast<double>(now);
    if (matches > sizes_.many)
      residues_ = std::max(now / 2, std::min(now, least_residues));
    else if (twice <= static_cast<double>(sizes_.many) * static_cast<double>(size))
      residues_ = std::min(2 * now, sizes_.most);
  }

  void count(const chunk_result& result) {
    totals_.sequences += result.chunk.count();
    totals_.residues += result.chunk.residues.size();
    totals_.matches += result.matches.size();
    for (const scan_match& match : result.matches) ++totals_.by_motif[match.motif];
  }

  chunk_reader reader_;
  const motif_set& motifs_;
  const scan_options& options_;
  scan_totals totals_;
  chunk_sizes sizes_;
  std::atomic<std::uint64_t> residues_;
  std::array<chunk_result, chunks_at_once> results_; // memory that has been touched is used again
  std::size_t chunks_ = 0;
  std::exception_ptr read_failure_; // kept until the chunks before it are written
};

} // namespace

scan_totals stream_scan(const std::vector<std::string>& files, const motif_set& motifs,
                        const scan_options& options, std::uint64_t memory, const std::string& format,
                        io::output_file& out) {
  // More than there are blocks and chunks under way would have nothing to do: scan() has threads of its own.
  const int threads = std::min(thread_count(options.threads), static_cast<int>(most_blocks + chunks_at_once));
  std::optional<block_writer> writer;
  if (!format.empty()) writer.emplace(format, motifs, threads, out);
  pipeline stages(files, motifs, options, sizes_within(memory));
  // Else threads that are more than processors would not be, and oneTBB would say so.
  const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(threads));
  tbb::task_arena arena(threads);
  return arena.execute([&] { return stages.run(writer ? &*writer : nullptr); });
}

} // namespace weft::cli
