#include <weft/files/scan/chunk_output.hpp>

#include <algorithm>
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
  // A match that needs more temporary memory than this is an outlier, which is formatted alone.
  constexpr std::size_t kept_bytes = std::size_t{1} << 22;
  const std::span<const scan_match> matches = slice.matches;
  for (std::size_t next = slice.first; next < slice.last;) {
    blocks_.clear();
    // An outlier is a match with very much text or temporary memory. After the block of one, no further
    // block is formatted at the same time.
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
    parallel_for(0, blocks_.size(), 1, has_outlier ? 1 : run_.threads, [&](std::uint64_t b, std::uint64_t) {
      texts_[b].clear();
      format_.append(texts_[b], chunk, matches, blocks_[b].first, blocks_[b].last);
    });
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      out_.write(texts_[b]);
      if (has_outlier) texts_[b] = {};
    }
  }
}

} // namespace weft::files
