#include <weft/files/scan/sequence_counts.hpp>

#include <algorithm>
#include <utility>

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

} // namespace weft::files
