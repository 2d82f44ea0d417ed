#include <weft/files/scan/slice_writer.hpp>

#include <span>
#include <weft/base/parallel.hpp>
#include <weft/files/scan/scan_memory.hpp>

namespace weft::files {

void slice_writer::write(const io::sequence_chunk& chunk, const match_slice& slice) {
  // A match that needs more temporary memory than this is an outlier, which is formatted alone.
  constexpr std::size_t kept_bytes = std::size_t{1} << 22;
  const std::span<const scan_match> matches = slice.matches;
  for (std::size_t next = slice.first; next < slice.last;) {
    blocks_.clear();
    // Whether the last block contains an outlier, a match with very much text or temporary memory. No further
    // block is then formatted at the same time.
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
