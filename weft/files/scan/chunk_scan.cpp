#include <weft/files/scan/chunk_scan.hpp>

#include <algorithm>
#include <exception>
#include <span>
#include <thread>
#include <utility>
#include <weft/base/bounded_queue.hpp>
#include <weft/base/parallel.hpp>

namespace weft::files {

namespace {

// Returns the options of a scan on the calling thread.
scan_options on_this_thread(scan_options options) {
  options.run.device = {device_kind::cpu};
  options.run.threads = 1;
  options.run.info = nullptr; // several threads cannot write it
  return options;
}

// Thrown in the thread that scans if the thread that writes takes no more matches.
struct stopped {};

} // namespace

chunk_scan::chunk_scan(shared_scan& shared)
    : shared_(shared),
      scanner_(shared.task.motifs, on_this_thread(shared.task.options), shared.memory.each.parts) {}

void chunk_scan::run(const io::sequence_chunk& chunk, std::uint64_t number) {
  chunk_ = &chunk;
  number_ = number;
  text_.clear();
  feed(scanner_, shared_.memory.each.max_matches, [this](const match_slice& slice) { append(slice); });
  finish();
}

// One thread scans the chunk, and the calling thread writes. If the system cannot start a thread, or only one
// shall be used, the calling thread does both.
void chunk_scan::run_on_all_threads(const io::sequence_chunk& chunk, std::uint64_t number) {
  chunk_ = &chunk;
  number_ = number;
  text_.clear();
  bounded_queue<match_slice> found{1};
  std::exception_ptr failure;
  bool has_thread = false;
  {
    std::jthread finder;
    const struct closer { // its destructor runs before the thread is joined
      bounded_queue<match_slice>& queue;
      ~closer() { queue.close(); }
    } at_end{found};
    const auto find = [&] {
      try {
        feed_on_all_threads([&](match_slice slice) {
          if (!found.push(std::move(slice))) throw stopped();
        });
      } catch (const stopped&) {
      } catch (...) { // the matches before the failure must still be written
        failure = std::current_exception();
      }
      found.finish();
    };
    try {
      if (thread_count(shared_.task.options.run.threads) > 1) {
        finder = std::jthread(find);
        has_thread = true;
      }
    } catch (const std::exception&) { // there is no thread, or no memory for one
    }
    while (auto slice = has_thread ? found.pop() : std::nullopt) {
      write(*slice);
      if (shared_.memory.limit == 0) spare_ = std::move(slice->matches);
    }
  }
  if (!has_thread) feed_on_all_threads([this](const match_slice& slice) { write(slice); });
  if (failure) std::rethrow_exception(failure);
  finish();
}

void chunk_scan::feed_on_all_threads(const slice_sink& sink) {
  const scan_task& task = shared_.task;
  if (task.chunks_in_turn) shared_.scan_turns.wait(number_);
  const struct turn_end { // also if the scan fails
    turns* of;
    ~turn_end() {
      if (of != nullptr) of->end();
    }
  } at_end{task.chunks_in_turn ? &shared_.scan_turns : nullptr};
  if (!all_threads_)
    all_threads_.emplace(task.motifs, task.options, shared_.memory.parts, task.expected_residues);
  all_threads_->reuse(std::move(spare_));
  feed(*all_threads_, shared_.memory.max_matches, sink);
}

void chunk_scan::feed(scanner& from, std::size_t max_matches, const slice_sink& sink) {
  const sequences_view sequences{chunk_->residues, chunk_->offsets};
  if (shared_.content.content == scan_output::no_rows) return from.count(sequences);
  match_collector collector(max_matches, sink);
  from.feed(sequences, [&](scan_part part) {
    if (shared_.content.content == scan_output::matches) return collector.add(std::move(part));
    counts_.add(part);
    if (!part.complete) return;
    counts_.append_lines(text_, shared_.format, *chunk_);
    write_if_long();
  });
}

void chunk_scan::append(const match_slice& slice) {
  for (std::size_t next = slice.first; next < slice.last; write_if_long())
    next = shared_.format.append(text_, *chunk_, slice.matches, next, slice.last,
                                 shared_.memory.each.text_bytes);
  add_domains(slice);
}

void chunk_scan::write(const match_slice& slice) {
  // When all chunks before the previous one are written, no thread uses the writer of this chunk.
  if (number_ > 0) shared_.output.wait_for_earlier(number_ - 1);
  shared_.writers[number_ % 2].write(*chunk_, number_, slice);
  add_domains(slice);
}

void chunk_scan::add_domains(const match_slice& slice) {
  if (shared_.domains == nullptr) return;
  shared_.output.wait_for_turn(number_);
  shared_.domains->add(*chunk_, std::span(slice.matches).subspan(slice.first, slice.last - slice.first));
}

void chunk_scan::write_if_long() {
  if (text_.size() < shared_.memory.each.text_bytes) return;
  base_detail::check_cancelled(shared_.task.options.run);
  shared_.output.write(number_, text_);
  text_.clear();
}

void chunk_scan::finish() {
  if (shared_.domains != nullptr) {
    shared_.output.wait_for_turn(number_);
    shared_.domains->end_chunk(*chunk_);
  }
  shared_.output.finish(number_, text_);
}

void chunk_scan::add_totals(scan_totals& to) const {
  const auto add = [&to](const scan_totals& part) {
    to.sequences += part.sequences;
    to.residues += part.residues;
    to.matches += part.matches;
    to.by_motif.resize(std::max(to.by_motif.size(), part.by_motif.size()));
    for (std::size_t k = 0; k < part.by_motif.size(); ++k) to.by_motif[k] += part.by_motif[k];
  };
  add(scanner_.totals());
  if (all_threads_) add(all_threads_->totals());
}

} // namespace weft::files
