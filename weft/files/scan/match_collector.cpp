#include <weft/files/scan/match_collector.hpp>

#include <algorithm>
#include <span>
#include <type_traits>
#include <utility>

namespace weft::files {

namespace {

void sort_matches(match_vector& matches) {
  if (!std::is_sorted(matches.begin(), matches.end())) std::sort(matches.begin(), matches.end());
}

} // namespace

// A run_reader reads a sorted run of matches back from the file.
class match_collector::run_reader {
public:
  run_reader(const io::temporary_file& file, std::uint64_t begin, std::uint64_t end, std::size_t capacity)
      : file_(&file), at_(begin), end_(end), capacity_(capacity) {}

  // Moves to the next match. Returns false at the end of the run.
  bool advance() {
    if (++next_ < buffer_.size()) return true;
    const std::uint64_t bytes = std::min<std::uint64_t>(end_ - at_, capacity_ * sizeof(scan_match));
    buffer_.resize(bytes / sizeof(scan_match));
    next_ = 0;
    if (bytes == 0) return false;
    static_assert(std::is_trivially_copyable_v<scan_match>);
    at_ += file_->read(at_, {reinterpret_cast<char*>(buffer_.data()), bytes});
    return true;
  }
  [[nodiscard]] const scan_match& match() const { return buffer_[next_]; }

private:
  const io::temporary_file* file_;
  std::uint64_t at_, end_;
  std::size_t capacity_, next_ = 0;
  match_vector buffer_;
};

void match_collector::add(scan_part part) {
  const bool is_alone = held_.empty() && run_ends_.empty();
  if (held_.empty())
    held_ = std::move(part.matches);
  else
    held_.insert(held_.end(), part.matches.begin(), part.matches.end());
  if (part.complete && run_ends_.empty()) {
    if (!is_alone || !part.in_order) sort_matches(held_);
    const std::size_t count = held_.size();
    if (count > 0) sink_({std::exchange(held_, {}), 0, count});
  } else if (part.complete || held_.size() >= max_matches_) {
    spill();
    if (part.complete) merge();
  }
}

void match_collector::spill() {
  if (!file_) file_.emplace("");
  sort_matches(held_);
  file_->write({reinterpret_cast<const char*>(held_.data()), held_.size() * sizeof(scan_match)});
  run_ends_.push_back(file_->size());
  held_ = {};
}

void match_collector::merge() {
  const std::size_t capacity = std::clamp<std::size_t>(max_matches_ / run_ends_.size(), 16, 1024);
  std::vector<run_reader> runs; // a heap of the runs, with the smallest match at the front
  const auto later = [](const run_reader& a, const run_reader& b) { return b.match() < a.match(); };
  std::uint64_t begin = 0;
  for (const std::uint64_t end : run_ends_) {
    run_reader run(*file_, begin, end, capacity);
    if (run.advance()) runs.push_back(std::move(run));
    begin = end;
  }
  std::make_heap(runs.begin(), runs.end(), later);
  const std::size_t max_slice = std::max<std::size_t>(max_matches_, 64);
  match_slice slice;
  while (!runs.empty()) {
    std::pop_heap(runs.begin(), runs.end(), later);
    slice.matches.push_back(runs.back().match());
    if (runs.back().advance())
      std::push_heap(runs.begin(), runs.end(), later);
    else
      runs.pop_back();
    if (slice.matches.size() - slice.first > max_slice) { // the last match belongs to the next slice
      slice.last = slice.matches.size() - 1;
      match_slice next{{slice.matches.end() - 2, slice.matches.end()}, 1, 0};
      sink_(std::exchange(slice, std::move(next)));
    }
  }
  slice.last = slice.matches.size();
  sink_(std::move(slice));
  file_.reset();
  run_ends_.clear();
}

} // namespace weft::files
