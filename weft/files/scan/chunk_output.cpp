#include <weft/files/scan/chunk_output.hpp>

#include <algorithm>
#include <atomic>
#include <span>
#include <utility>
#include <weft/base/parallel.hpp>
#include <weft/files/scan/scan_memory.hpp>

namespace weft::files {

void sequence_counts::add(const scan_part& part) {
  for (const scan_match& match : part.matches) {
    if (counts_.empty() || counts_.back().sequence != match.sequence || counts_.back().motif != match.motif)
      counts_.push_back({match.sequence, match.motif, 0});
    ++counts_.back().matches;
  }
  if (counts_.size() > 2 * merged_ + 65536) merge();
}

void sequence_counts::append_lines(std::string& lines, const match_writer& format,
                                   const io::sequence_chunk& chunk) {
  merge();
  for (const count& c : counts_) format.append_count(lines, chunk, c.sequence, c.motif, c.matches);
  counts_.clear();
  merged_ = 0;
}

void sequence_counts::merge() {
  const auto key = [](const count& c) { return std::pair(c.sequence, c.motif); };
  const auto before = [key](const count& a, const count& b) { return key(a) < key(b); };
  if (!std::is_sorted(counts_.begin(), counts_.end(), before))
    std::sort(counts_.begin(), counts_.end(), before);
  std::size_t kept = 0;
  for (const count& c : counts_)
    if (kept > 0 && key(counts_[kept - 1]) == key(c))
      counts_[kept - 1].matches += c.matches;
    else
      counts_[kept++] = c;
  counts_.resize(kept);
  merged_ = kept;
}

void slice_writer::write(const io::sequence_chunk& chunk, const match_slice& slice) {
  cut_blocks(chunk, slice);
  num_taken_ = num_written_ = 0;
  is_writing_ = has_failed_ = false;
  for (text_slot& each : texts_) each.is_ready = false;
  const auto members =
      std::min<std::size_t>(static_cast<std::size_t>(thread_count(run_.threads)), blocks_.size());
  if (members == 0) return;
  team_.run(static_cast<int>(members), [&](int member) {
    try {
      work(chunk, slice, member == 0);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      has_failed_ = true;
      changed_.notify_all();
      throw;
    }
  });
}

void slice_writer::cut_blocks(const io::sequence_chunk& chunk, const match_slice& slice) {
  constexpr std::size_t grain = std::size_t{1} << 15; // matches that a thread takes at a time
  std::vector<std::vector<block>> cuts((slice.last - slice.first + grain - 1) / grain);
  std::atomic<std::size_t> next_cut = 0;
  const auto members =
      std::min<std::size_t>(static_cast<std::size_t>(thread_count(run_.threads)), cuts.size());
  if (members > 0)
    team_.run(static_cast<int>(members), [&](int) {
      for (std::size_t k = next_cut++; k < cuts.size(); k = next_cut++) {
        const std::size_t first = slice.first + k * grain;
        cuts[k] = blocks_of(chunk, slice.matches, first, std::min(first + grain, slice.last));
      }
    });
  blocks_.clear();
  for (const std::vector<block>& each : cuts) blocks_.insert(blocks_.end(), each.begin(), each.end());
}

std::vector<slice_writer::block> slice_writer::blocks_of(const io::sequence_chunk& chunk,
                                                         const match_vector& matches, std::size_t first,
                                                         std::size_t last) const {
  // A match that needs more temporary memory than this is an outlier, which is formatted alone.
  constexpr std::size_t kept_bytes = std::size_t{1} << 22;
  std::vector<block> blocks;
  for (std::size_t next = first; next < last;) {
    block cut{next, next, false};
    for (std::size_t bytes = 0; next < last && bytes < block_bytes && !cut.is_alone; ++next) {
      const scan_match& match = matches[next];
      const std::size_t text = format_.text_size(chunk, match);
      cut.is_alone = text > block_bytes || format_.kept_size(chunk, match) > kept_bytes;
      bytes += text;
    }
    cut.last = next;
    blocks.push_back(cut);
  }
  return blocks;
}

bool slice_writer::may_format_next(bool is_caller) const {
  if (num_taken_ == blocks_.size() || num_taken_ == num_written_ + texts_.size()) return false;
  const bool after_alone = num_taken_ > num_written_ && blocks_[num_taken_ - 1].is_alone;
  return !after_alone && (!blocks_[num_taken_].is_alone || (is_caller && num_taken_ == num_written_));
}

void slice_writer::work(const io::sequence_chunk& chunk, const match_slice& slice, bool is_caller) {
  std::unique_lock lock(mutex_);
  while (num_written_ < blocks_.size() && !has_failed_) {
    text_slot& next = texts_[num_written_ % texts_.size()];
    if (next.is_ready && !is_writing_) {
      is_writing_ = true;
      lock.unlock();
      out_.write(next.text);
      lock.lock();
      if (blocks_[num_written_].is_alone) std::string().swap(next.text);
      next.is_ready = is_writing_ = false;
      ++num_written_;
    } else if (may_format_next(is_caller)) {
      const block& own = blocks_[num_taken_];
      text_slot& slot = texts_[num_taken_++ % texts_.size()];
      lock.unlock();
      base_detail::check_cancelled(run_);
      slot.text.clear();
      format_.append(slot.text, chunk, slice.matches, own.first, own.last);
      lock.lock();
      slot.is_ready = true;
    } else {
      changed_.wait(lock);
      continue;
    }
    changed_.notify_all();
  }
}

} // namespace weft::files
