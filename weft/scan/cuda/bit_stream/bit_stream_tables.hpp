// The tables that the kernels of the engine `bit-stream` read: a bit_stream_plan as arrays in device memory;
// the groups of variants from which the tables are made; and the host functions that start the kernels.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/scan/core/bit_stream_plan.hpp>
#include <weft/scan/cuda/gpu_searcher.hpp>

namespace weft::scan_detail {

// A tile has 4,096 positions. A word is 16 bytes and consists of 4 parts. Bit j of part q of word w stands
// for position (32 q + j) 32 + w, so the residue at distance d < 32 is in word w + d, at the same bit of the
// same part. Words 32 and up are the halo of a stream: they repeat words 0 and up, moved by one bit.
// Addresses count words.
inline constexpr std::uint32_t stream_words = 32, stream_parts = 4, tile_positions = 4096, max_streams = 128;

// The filter of one variant or of several: the AND of the four words at these addresses, two addresses in
// each element of `at`. A filter with fewer streams repeats its last address. The flag same_first in at[0]
// says that the filter before this one has the same first address.
struct alignas(8) stream_filter {
  static constexpr std::uint32_t capacity = 4, same_first = 1U << 14, address = same_first - 1,
                                 second_shift = 18;
  std::uint32_t at[capacity / 2];
};
// More streams of a variant, as addresses, which are tested at the positions that pass the filter. If a
// variant has no more elements, an address of its filter is repeated. A variant with a filter of its own has
// two extra filters, the first with the rarer elements; a variant that shares a filter has one.
struct alignas(8) extra_filter {
  static constexpr std::uint32_t capacity = 4;
  std::uint16_t at[capacity];
};
inline constexpr std::uint32_t max_second_elements = 2 * extra_filter::capacity;

// A test of one residue at distance `offset` from the start, for variants that share a filter. Bit b of
// `residues` says that residues whose low five bits are b may match. The test may accept a wrong residue,
// because several residues have the same low bits; every candidate is checked exactly afterwards.
struct alignas(8) residue_test {
  static constexpr std::uint32_t max_per_variant = 8;
  std::uint32_t residues, offset;
};

inline constexpr int group_shift = 8;
// If there were more filters, every variant would get a filter of its own.
inline constexpr std::size_t max_shared_filters = std::size_t{1} << 27;
// A candidate is the number variant << variant_shift | position.
inline constexpr int variant_shift = position_bits;

// The conditions of a variant that its filter does not decide.
struct filter_checks {
  std::uint32_t motif, row, first_check, last_check;
  std::uint32_t length; // of a late variant: its lead
  std::uint32_t next_segment, slack;
  enum flag : std::uint32_t { complete = 1, late = 2, anchor_n = 4, anchor_c = 8 };
  std::uint32_t flags;
};
// A segment of a row, as stream_segment.
struct row_segment {
  std::uint32_t gap_min, gap_max, length, first_check, last_check;
  std::int32_t gap_class;
};
// A row, as stream_row.
struct row_limits {
  std::uint32_t first_segment, last_segment, max_length;
  bool anchor_n, anchor_c;
};
inline constexpr std::uint32_t max_row_length = 1023;

// A word of a stream's halo: the address `at` of word w of stream `stream`, to which the halo word belongs.
struct alignas(4) halo_word {
  std::uint16_t at;
  std::uint8_t stream, w;
};

// The tables of a plan as the kernels read them: pointers to device memory and sizes.
struct stream_tables {
  // `filters`, `second_filters` and `third_filters` have 31 more entries, which a warp may read but does not
  // use.
  const stream_filter* filters;
  // The variants of each filter: first << group_shift | number of variants. Null: one variant for each
  // filter.
  const std::uint32_t* groups;
  const extra_filter *second_filters, *third_filters;
  // Residue tests of variants that share filters, in pairs aligned to 16 bytes. Variant v has the pairs
  // first_tests[v] .. first_tests[v + 1] - 1.
  const residue_test* tests;
  const std::uint32_t* first_tests;
  const filter_checks* variants;
  std::uint32_t num_filters, num_variants, num_streams, arena_words, halo_words, max_back;
  std::int32_t boundary_stream; // the stream of sequence starts; -1: none
  const halo_word* halo;
  // members[256 g + b]: bit k says that byte b is in the class of stream 32 g + k.
  const std::uint32_t* members;
  // Eight consecutive streams have halos of the same length. Of each eight: the address of the first, and the
  // distance from each to the next.
  std::uint16_t first_word[max_streams / 8], stride[max_streams / 8];
  const std::uint32_t* classes; // 8 words for each class, one bit for each byte
  const stream_check* checks;
  const row_segment* segments;
  const row_limits* rows;
};

// The variants of a plan as tables, in the order of their filters.
struct variant_tables {
  // filters, second_filters and third_filters have 31 more entries than are used.
  std::vector<stream_filter> filters;
  std::vector<std::uint32_t> groups; // empty if each variant has a filter of its own
  std::vector<extra_filter> second_filters, third_filters;
  std::vector<residue_test> tests;
  std::vector<filter_checks> variants;
  std::vector<stream_check> checks;
  std::vector<std::uint32_t> first_tests;
  std::uint32_t num_filters = 0, max_back = 0;
  explicit variant_tables(const bit_stream_plan& plan);
};

// The tables of a plan in device memory. Owns that memory.
class uploaded_plan {
public:
  // `tables` are those of the plan.
  uploaded_plan(const bit_stream_plan& plan, const variant_tables& tables, cudaStream_t stream);
  [[nodiscard]] const stream_tables& view() const noexcept { return view_; }

private:
  stream_tables view_{};
  gpu::device_buffer<stream_filter> filters_;
  gpu::device_buffer<extra_filter> second_filters_, third_filters_;
  gpu::device_buffer<residue_test> tests_;
  gpu::device_buffer<filter_checks> variants_;
  gpu::device_buffer<halo_word> halo_;
  gpu::device_buffer<std::uint32_t> groups_, first_tests_, members_, classes_;
  gpu::device_buffer<stream_check> checks_;
  gpu::device_buffer<row_segment> segments_;
  gpu::device_buffer<row_limits> rows_;
};

// Returns a plan whose streams take at most `max_words` words.
[[nodiscard]] bit_stream_plan plan_for_gpu(std::span<const motif> motifs, alphabet letters, edge which,
                                           std::uint32_t max_words);

// A motif set compiled for one edge of matches and for GPUs whose shared memory holds `max_words` words of
// streams, in host memory.
struct host_plan {
  host_plan(const motif_set::compiled& motifs, edge which, std::uint32_t max_words);

  edge which;
  std::uint32_t max_words;
  bit_stream_plan plan;
  std::optional<variant_tables> tables; // none if the index of a variant does not fit into a candidate
};

// A filter and the variants that share it, for all of which a warp applies it once (variant_groups.cpp). In a
// set of 100,000 similar motifs, most variants share a filter.
struct variant_group {
  std::vector<stream_check> filter;   // up to stream_filter::capacity elements, the rarest first
  std::vector<std::uint32_t> members; // indices of variants in the plan, up to max_members
  static constexpr std::size_t max_members = 255;
};

// Returns the elements of a variant's filter and its second elements, the rarest first, without duplicates.
[[nodiscard]] std::vector<stream_check> elements_of(const bit_stream_plan& plan,
                                                    const stream_variant& variant);

// Returns groups such that each variant is in exactly one of them; groups with the same first element are
// adjacent. A group's filter consists of elements that all its members have: three or four elements if
// several variants have them and sharing them saves time, else the filter of the only member. If sharing
// would save few filters, no variant shares one. Takes two seconds for 100,000 similar motifs, and a kilobyte
// of memory for each variant.
[[nodiscard]] std::vector<variant_group> group_variants(const bit_stream_plan& plan);

// Limits for the temporary device memory of find_starts: the number of blocks of its kernel, at least one,
// and the number of deferred rows (rows with gaps that a second launch checks). Lower limits make a search
// slower but never incomplete.
struct find_starts_memory {
  unsigned blocks;
  std::uint64_t rows;
};

// Finds the matches that start in [begin, end) of the text. `mirrored_size` is 0 for a text that runs
// forward. For a reversed text it is the size of the text, and a start p is reported as the end mirrored_size
// - p in the original text. Waits for the stream. Throws device_error, memory_error.
void find_starts(const stream_tables& tables, const device_text& text, std::uint64_t begin, std::uint64_t end,
                 std::uint64_t mirrored_size, const code_buffer& to, const find_starts_memory& memory,
                 cudaStream_t stream);

// Returns how many words of streams the shared memory of the current device can hold. Throws device_error.
[[nodiscard]] std::uint32_t max_stream_words();
// Returns how many words of streams fit the shared memory of a device with so many bytes on each
// multiprocessor.
[[nodiscard]] std::uint32_t stream_words_within(std::size_t shared_bytes);
// Returns the bytes of device memory that the limits allow; and the limits for at most `bytes` bytes on the
// current device. Throws device_error.
[[nodiscard]] std::uint64_t find_starts_bytes(const find_starts_memory& memory);
[[nodiscard]] find_starts_memory find_starts_within(std::uint64_t bytes);

// Writes the reversed text, residues[i] = from.residues[size - 1 - i], with its padding, and the start bits
// of the reversed text. Both have the form of device_text.
void reverse_text(const device_text& from, unsigned char* residues, std::uint32_t* starts,
                  cudaStream_t stream);

} // namespace weft::scan_detail
