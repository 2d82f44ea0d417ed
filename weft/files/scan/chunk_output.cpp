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

void slice_writer::write(const io::sequence_chunk& chunk, std::uint64_t number, const match_slice& slice) {
  const current_slice current{chunk, number, slice};
  cut_blocks(current);
  num_taken_ = num_written_ = 0;
  has_failed_ = false;
  for (text_slot& each : texts_) each.is_ready = false;
  run_team(blocks_.size(), [&](int member) {
    try {
      work(current, member == 0);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      has_failed_ = true;
      can_write_.notify_one();
      can_format_.notify_all();
      throw;
    }
  });
}

void slice_writer::run_team(std::size_t max_members, const std::function<void(int)>& body) {
  const auto threads = static_cast<std::size_t>(thread_count(run_.threads));
  if (max_members > 0) team_.run(static_cast<int>(std::min(threads, max_members)), body);
}

void slice_writer::cut_blocks(const current_slice& of) {
  const match_slice& slice = of.matches;
  constexpr std::size_t grain = std::size_t{1} << 15; // matches that a thread takes at a time
  std::vector<std::vector<block>> cuts((slice.last - slice.first + grain - 1) / grain);
  std::atomic<std::size_t> next_cut = 0;
  run_team(cuts.size(), [&](int) {
    for (std::size_t k = next_cut++; k < cuts.size(); k = next_cut++) {
      const std::size_t first = slice.first + k * grain;
      cuts[k] = blocks_of(of.chunk, slice.matches, first, std::min(first + grain, slice.last));
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

void slice_writer::work(const current_slice& of, bool is_caller) {
  std::unique_lock lock(mutex_);
  while (!has_failed_ && (is_caller ? num_written_ : num_taken_) < blocks_.size())
    if (is_caller && slot_of(num_written_).is_ready)
      write_next(lock, of);
    else if (may_format_next(is_caller))
      format_next(lock, of);
    else // if the caller waits, another thread formats the block that is written next
      (is_caller ? can_write_ : can_format_).wait(lock);
}

void slice_writer::write_next(std::unique_lock<std::mutex>& lock, const current_slice& of) {
  text_slot& next = slot_of(num_written_);
  lock.unlock();
  out_.write(of.number, next.text);
  lock.lock();
  next.is_ready = false;
  if (blocks_[num_written_++].is_alone) {
    std::string().swap(next.text);
    can_format_.notify_all();
  } else {
    can_format_.notify_one();
  }
}

void slice_writer::format_next(std::unique_lock<std::mutex>& lock, const current_slice& of) {
  const std::size_t number = num_taken_++;
  if (num_taken_ == blocks_.size()) can_format_.notify_all();
  const block& own = blocks_[number];
  text_slot& slot = slot_of(number);
  lock.unlock();
  base_detail::check_cancelled(run_);
  if (own.is_alone) out_.wait_for_turn(of.number);
  slot.text.clear();
  format_.append(slot.text, of.chunk, of.matches.matches, own.first, own.last);
  lock.lock();
  slot.is_ready = true;
  if (number == num_written_) can_write_.notify_one();
}

} // namespace weft::files
