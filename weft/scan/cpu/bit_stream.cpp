// The engine `bit-stream`. It scans the text tile by tile: makes the tile's streams, runs the filters, checks
// the candidates, and then orders the positions of each motif.
//
// for each tile of up to 32,768 positions:
//   streams = class streams of its text                    (bit_stream_tile.cpp)
//   for each variant: candidates = AND of its streams      (bit_stream_tile.cpp)
//   for each candidate: check on the text                  (bit_stream_verify.cpp)
//   group by motif, sort, pass to the sink
//
// Ends are found as the starts of the reversed motifs in the reversed text, whose position p is residue size
// - 1 - p.
#include <algorithm>
#include <bit>
#include <hwy/aligned_allocator.h>
#include <weft/scan/core/engine.hpp>
#include <weft/scan/cpu/bit_stream.hpp>

namespace weft::scan_detail {
namespace {

class tile_scanner {
public:
  // Makes a scanner for tiles of at most max_lanes * 4096 positions.
  tile_scanner(const bit_stream_plan& plan, const sequences_view& sequences, std::uint32_t max_lanes)
      : plan_(plan), sequences_(sequences), size_(sequences.data.size()), reversed_(plan.which == edge::ends),
        arena_(hwy::AllocateAligned<std::uint64_t>(std::size_t{plan.arena_words} * max_lanes)),
        window_(max_lanes * 4096U + 64), starts_(max_lanes * 64U + 2) {
    if (!arena_) throw std::bad_alloc();
    const auto* text = reinterpret_cast<const unsigned char*>(sequences.data.data());
    text_ = reversed_ ? directed_text{text + (size_ - 1), -1} : directed_text{text, 1};
  }

  // Makes the next tiles lanes * 4096 positions long.
  void set_lanes(std::uint32_t lanes) {
    if (lanes == lanes_) return;
    lanes_ = lanes;
    tile_ = lanes * 4096U;
    prepare_arena(plan_, lanes, arena_.get());
  }
  std::uint32_t tile() const { return tile_; }

  // Finds the occurrences in a tile: those whose position, in the direction of the scan, lies in [base,
  // last).
  void scan(std::uint64_t base, std::uint64_t last, occurrence_block& block) {
    base_ = base;
    last_ = last;
    found_.clear();
    fill_starts();
    if (!plan_.variants.empty()) {
      fill_tile(plan_, lanes_, window(), starts_.data(), arena_.get());
      for (std::uint32_t v = 0; v < plan_.variants.size();) {
        v = run_filters(plan_, lanes_, arena_.get(), v, hits_);
        const std::size_t count = filter_by_second_elements();
        for (std::size_t i = 0; i < count; ++i) check_hit(passed_[i].bits, passed_[i].variant_and_lane);
      }
      for (const bit_stream_plan::late_row& late : plan_.late_rows) finish_late_row(late);
    }
    for (const std::uint32_t r : plan_.dense_rows) scan_densely(plan_.rows[r]);
    group(block);
  }

private:
  struct occurrence {
    std::uint32_t motif, at;
  };
  // A nonzero lane of a variant's filter: the lane's bits, and its variant and lane number as in stream_hits.
  struct hit {
    std::uint64_t bits, variant_and_lane;
  };

  // Returns the i-th boundary between sequences, in the direction of the scan.
  std::uint64_t boundary(std::uint64_t i) const {
    const auto& offsets = sequences_.offsets;
    return reversed_ ? size_ - offsets[offsets.size() - 1 - i] : offsets[i];
  }

  // Returns the first boundary greater than p.
  std::uint64_t boundary_after(std::uint64_t p) const { return boundary(index_after(p)); }
  std::uint64_t index_after(std::uint64_t p) const {
    std::uint64_t low = 0, high = sequences_.offsets.size();
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (boundary(middle) > p)
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  }

  void fill_starts() {
    std::fill(starts_.begin(), starts_.end(), 0);
    const std::uint64_t bits = starts_.size() * 64;
    for (std::uint64_t i = base_ == 0 ? 0 : index_after(base_ - 1); i < sequences_.offsets.size(); ++i) {
      const std::uint64_t at = boundary(i) - base_;
      if (at >= bits) break;
      starts_[at >> 6] |= std::uint64_t{1} << (at & 63);
    }
  }

  // Returns the tile's text and 64 bytes more. Copies the text if the scan runs backward or the text ends
  // early.
  const unsigned char* window() {
    const std::size_t wanted = tile_ + std::size_t{64};
    if (!reversed_ && size_ - base_ >= wanted) return text_.origin + base_;
    const std::size_t available = std::min<std::uint64_t>(wanted, size_ - base_);
    if (reversed_)
      std::reverse_copy(text_.origin - base_ - available + 1, text_.origin - base_ + 1, window_.begin());
    else
      std::copy_n(text_.origin + base_, available, window_.begin());
    std::fill(window_.begin() + static_cast<std::ptrdiff_t>(available), window_.end(), 0);
    return window_.data();
  }

  // Copies those nonzero lanes of hits_ to passed_ in which positions are left after the AND with the
  // variant's second elements. Uses no branch on the outcome, because it is unpredictable.
  std::size_t filter_by_second_elements() {
    passed_.resize(hits_.count * hits_.block_lanes + 1);
    hit* out = passed_.data();
    const std::uint64_t* streams = arena_.get();
    for (std::size_t b = 0; b < hits_.count; ++b) {
      const std::uint64_t* lanes = hits_.lanes.data() + b * hits_.block_lanes;
      const std::uint64_t first = hits_.variant_and_lane[b];
      const stream_variant& v = plan_.variants[first >> 32];
      const std::uint32_t* second = plan_.elements.data() + v.first_element + v.filters;
      std::uint32_t nonzero = hits_.nonzero_lanes[b];
      do {
        const auto k = static_cast<std::uint32_t>(std::countr_zero(nonzero));
        const std::size_t index = static_cast<std::uint32_t>(first) + k;
        std::uint64_t bits = lanes[k];
        for (std::uint32_t e = 0; e < second_elements; ++e)
          bits &= streams[std::size_t{second[e]} * lanes_ + index];
        *out = {bits, first + k};
        out += bits != 0 ? 1 : 0;
        nonzero &= nonzero - 1;
      } while (nonzero != 0);
    }
    return static_cast<std::size_t>(out - passed_.data());
  }

  void check_hit(std::uint64_t bits, std::uint64_t variant_and_lane) {
    const stream_variant& v = plan_.variants[variant_and_lane >> 32];
    const auto index = static_cast<std::uint32_t>(variant_and_lane),
               at = index % lanes_ * 4096 + index / lanes_;
    if (v.late) return check_late(v, bits, at);
    const bool exact = v.length <= 64 && v.complete && v.first_check == v.last_check;
    for (; bits != 0; bits &= bits - 1) {
      const std::uint32_t p = at + static_cast<std::uint32_t>(std::countr_zero(bits)) * 64;
      if ((boundaries_after(p) & (v.interior | v.last_boundary)) != v.last_boundary || p >= last_ - base_ ||
          (v.anchor_n && !starts_sequence(p)))
        continue;
      if (exact || is_match(v, p)) found_.push_back({v.motif, p});
    }
  }

  // Tries the starts up to `slack` positions before each candidate, except the starts that finish_late_row
  // tries.
  void check_late(const stream_variant& v, std::uint64_t bits, std::uint32_t at) {
    const auto clip = static_cast<std::uint32_t>(last_ - base_);
    for (; bits != 0; bits &= bits - 1) {
      const std::uint32_t high = at + static_cast<std::uint32_t>(std::countr_zero(bits)) * 64;
      for (std::uint32_t p = high - std::min(high, v.slack); p <= high && p + v.slack < clip; ++p)
        try_start(v.row, p);
    }
  }

  // Tries the last starts of the tile, because their candidates may lie after the tile.
  void finish_late_row(const bit_stream_plan::late_row& late) {
    const auto clip = static_cast<std::uint32_t>(last_ - base_);
    for (std::uint32_t p = clip - std::min(clip, late.slack); p < clip; ++p) try_start(late.row, p);
  }

  void try_start(std::uint32_t r, std::uint32_t p) {
    const stream_row& row = plan_.rows[r];
    if (matches_row(plan_, row, row.first_segment, text_, base_ + p, sequence_end(row, p), scratch_))
      found_.push_back({row.motif, p});
  }

  bool starts_sequence(std::uint32_t p) const { return (starts_[p >> 6] >> (p & 63)) & 1; }

  // Returns the 64 boundary bits of the positions p + 1 .. p + 64.
  std::uint64_t boundaries_after(std::uint32_t p) const {
    const std::uint32_t q = p + 1, shift = q & 63;
    return starts_[q >> 6] >> shift | starts_[(q >> 6) + 1] << 1 << (63 - shift);
  }

  // Returns the end of the sequence that contains position p of the tile, or a position after all matches of
  // the row that start at p.
  std::uint64_t sequence_end(const stream_row& row, std::uint32_t p) const {
    std::uint64_t bits = boundaries_after(p);
    for (std::uint64_t from = p + std::uint64_t{1}; from - p <= row.max_length; from += 64) {
      if (bits != 0) return base_ + from + static_cast<std::uint64_t>(std::countr_zero(bits));
      if (from + 64 >= tile_) return boundary_after(base_ + p);
      bits = boundaries_after(static_cast<std::uint32_t>(from + 63));
    }
    return base_ + p + row.max_length + 1;
  }

  bool is_match(const stream_variant& v, std::uint32_t p) {
    const stream_row& row = plan_.rows[v.row];
    const std::uint64_t at = base_ + p;
    if (v.length > 64) {
      const std::uint64_t limit = sequence_end(row, p);
      if (v.length > limit - at || (v.complete && row.anchor_c && v.length != limit - at)) return false;
    }
    for (std::uint32_t c = v.first_check; c < v.last_check; ++c)
      if (!plan_.classes[plan_.checks[c].cls].has(text_[at + plan_.checks[c].offset])) return false;
    return v.complete ||
           matches_row(plan_, row, v.next_segment, text_, at + v.length, sequence_end(row, p), scratch_);
  }

  void scan_densely(const stream_row& row) {
    for (std::uint64_t i = index_after(base_); i < sequences_.offsets.size() && boundary(i - 1) < last_;
         ++i) {
      const std::uint64_t begin = boundary(i - 1), limit = boundary(i);
      if (begin == limit) continue;
      scratch_.clear();
      find_row(plan_, row, text_, begin, limit, std::max(begin, base_), std::min(limit, last_), scratch_);
      for (const std::uint64_t s : scratch_)
        found_.push_back({row.motif, static_cast<std::uint32_t>(s - base_)});
    }
  }

  // Writes found_ to the block: ordered by motif, and the positions of each motif ascending and distinct.
  void group(occurrence_block& block) {
    block.offsets.assign(plan_.motifs + 1U, 0);
    for (const occurrence& o : found_) ++block.offsets[o.motif + 1];
    for (std::uint32_t m = 0; m < plan_.motifs; ++m) block.offsets[m + 1] += block.offsets[m];
    sorted_.resize(found_.size());
    next_.assign(block.offsets.begin(), block.offsets.end() - 1);
    for (const occurrence& o : found_) sorted_[next_[o.motif]++] = o.at;
    block.positions.clear();
    std::uint32_t from = 0;
    for (std::uint32_t m = 0; m < plan_.motifs; ++m) {
      const std::uint32_t to = block.offsets[m + 1];
      if (to != from) append_sorted(from, to, block.positions);
      from = to;
      block.offsets[m + 1] = static_cast<std::uint32_t>(block.positions.size());
    }
  }

  void append_sorted(std::uint32_t from, std::uint32_t to, std::vector<std::uint64_t>& positions) {
    const auto first = sorted_.begin() + from, last = sorted_.begin() + to;
    if (to - from > tile_ / 512) { // if there are many, sets their bits and reads the bits in order
      bitmap_.assign(tile_ / 64, 0);
      for (auto i = first; i != last; ++i) bitmap_[*i >> 6] |= std::uint64_t{1} << (*i & 63);
      const auto emit = [&](std::size_t w) {
        for (std::uint64_t bits = bitmap_[w]; bits != 0; bits &= bits - 1)
          positions.push_back(position(static_cast<std::uint32_t>(w * 64) +
                                       static_cast<std::uint32_t>(std::countr_zero(bits))));
      };
      const std::size_t begin = positions.size();
      for (std::size_t w = 0; w < bitmap_.size(); ++w) emit(w);
      if (reversed_) std::reverse(positions.begin() + static_cast<std::ptrdiff_t>(begin), positions.end());
      return;
    }
    if (to - from > 1) {
      if (reversed_)
        std::sort(first, last, std::greater<>());
      else
        std::sort(first, last);
    }
    const auto distinct = std::unique(first, last);
    for (auto i = first; i != distinct; ++i) positions.push_back(position(*i));
  }

  std::uint64_t position(std::uint32_t at) const { return reversed_ ? size_ - base_ - at : base_ + at; }

  const bit_stream_plan& plan_;
  const sequences_view& sequences_;
  std::uint64_t size_;
  std::uint32_t lanes_ = 0, tile_ = 0;
  bool reversed_;
  hwy::AlignedFreeUniquePtr<std::uint64_t[]> arena_;
  std::vector<unsigned char> window_;
  // One bit for each position of the tile and 64 more: whether a sequence starts there.
  std::vector<std::uint64_t> starts_;
  stream_hits hits_;
  std::vector<hit> passed_;
  directed_text text_;
  std::uint64_t base_ = 0, last_ = 0;
  std::vector<occurrence> found_;
  std::vector<std::uint32_t> sorted_, next_;
  std::vector<std::uint64_t> bitmap_, scratch_;
};

// Returns the lanes of the next tile, of which `left` positions are scanned: 8, or fewer if these suffice,
// because a tile takes the same time however many of its positions are scanned.
std::uint32_t lanes_for(std::uint64_t left) {
  std::uint32_t lanes = 8;
  while (lanes > 2 && std::uint64_t{lanes} * 2048 >= left) lanes /= 2;
  return lanes;
}

} // namespace

void bit_stream(const motif_set::compiled& motifs, const sequences_view& sequences, std::uint64_t begin,
                std::uint64_t end, edge which, const occurrence_sink& sink) {
  const std::size_t i = which == edge::starts ? 0 : 1;
  std::call_once(motifs.plans->made[i], [&] {
    motifs.plans->plan[i] = compile_bit_stream(motifs.motifs, motifs.syntax.alphabet, which);
  });
  const bit_stream_plan& plan = motifs.plans->plan[i];
  if (begin >= end || plan.motifs == 0) return;
  tile_scanner scanner(plan, sequences, lanes_for(end - begin));
  const std::uint64_t size = sequences.data.size();
  occurrence_block block;
  for (block.begin = begin; block.begin < end; block.begin = block.end) {
    scanner.set_lanes(lanes_for(end - block.begin));
    block.end = std::min(block.begin + scanner.tile(), end);
    if (which == edge::starts)
      scanner.scan(block.begin, block.end, block);
    else
      scanner.scan(size - block.end, size - block.begin, block);
    sink(block);
  }
}

} // namespace weft::scan_detail
