// The part of a scan of files that one thread does (scan_stream.hpp): scans chunks of sequences and formats
// their matches within a share of the memory.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <weft/base/turns.hpp>
#include <weft/files/formats/scan_formats.hpp>
#include <weft/files/ordered_output.hpp>
#include <weft/files/plot/domain_rows.hpp>
#include <weft/files/scan/chunk_output.hpp>
#include <weft/files/scan/match_collector.hpp>
#include <weft/files/scan/scan_memory.hpp>
#include <weft/scan/scanner.hpp>

namespace weft::files {

// The kind of output.
struct scan_output {
  std::string format;                        // a format of match_writer
  enum { matches, counts, no_rows } content; // counts: the number of matches of each sequence and motif
};

// The motifs and options of a scan. The references must outlive the scan.
struct scan_task {
  const motif_set& motifs;
  const scan_options& options;
  std::uint64_t expected_residues; // of all chunks; 0: unknown
  // If true, chunks are scanned one after another, each on a GPU or on all threads. Otherwise each thread
  // scans chunks of its own.
  bool chunks_in_turn;
};

// The state that all threads of a scan share. The references must outlive the scan.
struct shared_scan {
  const scan_task& task;
  const scan_memory& memory;
  const scan_output& content;
  domain_collector* domains; // may be null
  const match_writer format;
  ordered_output output;
  turns scan_turns = {}; // of the chunks, if they are scanned one after another
  // For run_on_all_threads(): the chunk that is written and the next one have a writer each.
  slice_writer writers[2] = {{format, memory.num_blocks, task.options.run, output},
                             {format, memory.num_blocks, task.options.run, output}};
};

// A chunk_scan scans chunks for one thread.
class chunk_scan {
public:
  explicit chunk_scan(shared_scan& shared);

  // Scans chunk `number` on the calling thread and passes its text to the output.
  void run(const io::sequence_chunk& chunk, std::uint64_t number);
  // Scans chunk `number` on a GPU or on all threads, which also format its matches. It writes its text as
  // soon as all earlier chunks are written, while the scan goes on. On the CPU, no other chunk may be scanned
  // meanwhile.
  void run_on_all_threads(const io::sequence_chunk& chunk, std::uint64_t number);
  // Adds the totals of all chunks so far.
  void add_totals(scan_totals& to) const;

private:
  using slice_sink = match_collector::sink_function;

  // Scans the chunk. Passes its matches to `sink`, and counts to text_.
  void feed(scanner& from, std::size_t max_matches, const slice_sink& sink);
  // Scans the chunk on a GPU, when it is its turn, or on all threads.
  void feed_on_all_threads(const slice_sink& sink);
  // Appends lines to text_.
  void append(const match_slice& slice);
  // Formats and writes lines on all threads.
  void write(const match_slice& slice);
  void add_domains(const match_slice& slice);
  void write_if_long();
  // Passes the last text of the chunk to the output.
  void finish();

  shared_scan& shared_;
  scanner scanner_;                    // for run()
  std::optional<scanner> all_threads_; // for run_on_all_threads()
  const io::sequence_chunk* chunk_ = nullptr;
  std::uint64_t number_ = 0;
  sequence_counts counts_;
  std::string text_;
  match_vector spare_; // the memory of matches that have been written, for the next chunk
};

} // namespace weft::files
