// What the kernels of engine `bit-stream` read: a bit_stream_plan as arrays of device memory.
#pragma once

#include <cstdint>
#include <vector>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/scan/core/bit_stream_plan.hpp>
#include <weft/scan/cuda/gpu_engine.hpp>

namespace weft::scan_cuda {

// A tile has 4,096 positions: bit j of part q of word w is position (32 q + j) 32 + w, so that the residue d
// < 32 further on is in word w + d, at the same bit of the same part. A word is 4 parts, 16 bytes. Words 32
// and up (a stream's halo) are words 0 and up, moved by one bit. An address counts words.
inline constexpr std::uint32_t stream_words = 32, stream_parts = 4, tile_positions = 4096, max_streams = 128;

// A filter, of a variant or of several: the AND of the streams from these addresses on, two in a word; the
// last of them also stands in the places behind it. In the first word also whether the filter before has the
// same first one.
struct alignas(8) stream_filter {
  static constexpr std::uint32_t most = 4, same_first = 1U << 14, address = same_first - 1, second_shift = 18;
  std::uint32_t at[most / 2];
};
// More streams of a variant, asked of what the filter passes, in words; one of the filter where there are no
// more. Two of these a variant that has a filter of its own, the first with the rarer ones; else one.
struct alignas(8) second_filter {
  static constexpr std::uint32_t most = 4;
  std::uint16_t at[most];
};
inline constexpr std::uint32_t max_seconds = 2 * second_filter::most;

// Of variants that share filters, what is asked of residues next, so far from the start: a bit for each value
// of a residue's low five bits. What has one of the bits may be another residue: all is checked exactly.
struct alignas(8) residue_test {
  static constexpr std::uint32_t most = 8; // of a variant
  std::uint32_t residues, offset;
};

inline constexpr int group_shift = 8;
inline constexpr std::size_t max_shared_filters = std::size_t{1} << 27; // beyond, each variant has its own
inline constexpr int variant_shift = position_bits; // a candidate: variant << variant_shift | position

struct filter_checks { // what a variant's filter leaves open
  std::uint32_t motif, row, first_check, last_check;
  std::uint32_t length; // of a late one: its lead
  std::uint32_t next_segment, slack;
  enum flag : std::uint32_t { complete = 1, late = 2, anchor_n = 4, anchor_c = 8 };
  std::uint32_t flags;
};
struct row_segment {
  std::uint32_t gap_min, gap_max, length, first_check, last_check;
  std::int32_t gap_class;
};
struct row_limits {
  std::uint32_t first_segment, last_segment, max_length;
  bool anchor_n, anchor_c;
};
inline constexpr std::uint32_t max_row_length = 1023;

// A word of a stream's halo: where word w of the stream is, the stream, and w.
struct alignas(4) halo_word {
  std::uint16_t at;
  std::uint8_t stream, w;
};

struct stream_tables {
  // 31 more of filters and seconds are read but not used.
  const stream_filter* filters;
  const std::uint32_t*
      groups; // the variants of a filter: the first << group_shift | how many; null: one each
  const second_filter *seconds, *thirds;
  const residue_test* tests;        // of variants that share filters: two of them, aligned to 16 bytes, ...
  const std::uint32_t* first_tests; // ... are at a number: from that of a variant to that of the next one
  const filter_checks* variants;
  std::uint32_t num_filters, num_variants, num_streams, arena_words, halo_words, max_back;
  std::int32_t boundary_stream; // that of sequence starts; -1: none
  const halo_word* halo;
  const std::uint32_t* members; // of byte b in streams 32 g and up: members[256 g + b]
  // Eight streams at a time have halos of one length: where the first stands, and from each to the next.
  std::uint16_t first_word[max_streams / 8], stride[max_streams / 8];
  const std::uint32_t* classes; // 8 words each: a bit a byte
  const scan_detail::stream_check* checks;
  const row_segment* segments;
  const row_limits* rows;
};

// What a plan's variants become, in the order of their filters.
struct variant_tables {
  std::vector<stream_filter> filters; // these, seconds and thirds: 31 more
  std::vector<std::uint32_t> groups;  // none, if each variant has a filter of its own
  std::vector<second_filter> seconds, thirds;
  std::vector<residue_test> tests;
  std::vector<filter_checks> variants;
  std::vector<scan_detail::stream_check> checks;
  std::vector<std::uint32_t> first_tests;
  std::uint32_t num_filters = 0, max_back = 0;
  explicit variant_tables(const scan_detail::bit_stream_plan& plan);
};

// Owns them.
class uploaded_plan {
public:
  uploaded_plan(const scan_detail::bit_stream_plan& plan, cudaStream_t stream);
  [[nodiscard]] const stream_tables& view() const noexcept { return view_; }

private:
  stream_tables view_{};
  gpu::device_buffer<stream_filter> filters_;
  gpu::device_buffer<second_filter> seconds_, thirds_;
  gpu::device_buffer<residue_test> tests_;
  gpu::device_buffer<filter_checks> variants_;
  gpu::device_buffer<halo_word> halo_;
  gpu::device_buffer<std::uint32_t> groups_, first_tests_, members_, classes_;
  gpu::device_buffer<scan_detail::stream_check> checks_;
  gpu::device_buffer<row_segment> segments_;
  gpu::device_buffer<row_limits> rows_;
};

// A plan whose streams take at most so many words.
[[nodiscard]] scan_detail::bit_stream_plan plan_for_gpu(std::span<const motif> motifs, alphabet letters,
                                                        edge which, std::uint32_t max_words);

} // namespace weft::scan_cuda
