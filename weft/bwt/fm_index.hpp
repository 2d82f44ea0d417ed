// FM-index: exact search in references of any size, and the index as one block of bytes that can be mapped
// from a file.
//
//   const std::vector<std::uint64_t> offsets = {0, 7, 12}, pattern_offsets = {0, 4};
//   const std::vector<std::string> names = {"chr1", "chr2"};
//   const weft::fm_index index = weft::fm_index::build({"GATTACAGATTA", offsets, names});
//   index.count("ATTA", pattern_offsets);           // == {2}
//   index.locate("ATTA", pattern_offsets).hits;     // == {{0, 1}, {1, 1}}
//
// Records are text[offsets[r], offsets[r + 1]). Occurrences lie within one record. Positions are 0-based, in
// the record. Alphabets:
//   dna      A, C, G, T, of either case. Any other letter (N, IUPAC codes) matches nothing, in references
//            and patterns: no occurrence spans one. 2.7 bits a base for counting and at most 0.25 for the
//            table of k-mers.
//   protein  letters of either case; each matches itself alone.
//   bytes    each byte matches itself alone.
// The last two keep the transform in a wavelet matrix: 1.2 bits a symbol for each bit of the number of
// distinct symbols. All keep the text (2 bits a base, 8 bits a symbol) and one in sa_sample_rate suffix
// positions.
//
// Batches of patterns (concatenated bytes and offsets) are the form that is fast: each thread follows 32
// patterns at a time, whose reads of memory overlap. Once few rows are left for a pattern, their positions
// are looked up and the text compared, which takes less than to go on row by row.
//
// Building. Memory beside the references: the index and a byte a symbol; on the CPU also a position of 4 or 8
// bytes a symbol while suffixes are sorted. A GPU (fm_build_options) makes the same bytes; of its memory it
// takes 2.1 bytes a symbol, a position for each that is kept, 16 a segment, and what sorting takes
// (weft/bwt/bwt.cuh).
//
// On a GPU (fm_search_options) the same bytes are searched, a thread a pattern and a thread a row. They are
// copied there at the first such call, and stay until the index and its copies are gone. For patterns that
// are on a GPU already: weft/bwt/fm_index.cuh.
//
// Bytes. The index is made of little-endian numbers in sections, each at a multiple of 64 bytes and with a
// checksum (XXH3, 64 bits), behind a header with a magic number, a version and a checksum of its own.
// from_bytes() checks them all and what reading relies on, at the speed of memory. On a big-endian machine it
// throws unavailable_error.
//
// Sources: Ferragina & Manzini, J. ACM 52 (2005) 552-581; Claude, Navarro & Ordonez, Inf. Syst. 47 (2015)
// 15-32 (wavelet matrix); Langmead & Salzberg, Nat. Methods 9 (2012) 357-359 (lines of counts and bases).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <weft/base/device.hpp>
#include <weft/base/monitor.hpp>

namespace weft {

namespace detail {
struct fm_parts;
class fm_places;
} // namespace detail

// What the bytes of every index begin with.
constexpr std::string_view fm_index_magic = "\x89WFI\r\n\x1a\n";

// What letters mean (above).
enum class fm_alphabet : std::uint32_t { dna = 0, protein = 1, bytes = 2 };

// Records end to end: record r is text[offsets[r], offsets[r + 1]), and is called names[r].
struct fm_references {
  std::string_view text;                  // all records
  std::span<const std::uint64_t> offsets; // records + 1
  std::span<const std::string> names;     // records
};

// Of fm_index::build().
struct fm_build_options {
  fm_alphabet alphabet = fm_alphabet::dna; // what letters mean
  std::uint32_t sa_sample_rate = 0;        // 1 .. 1024; 0: 4 below 2^28 symbols, 8 from there on
  int threads = 0;                         // 0: all
  std::uint64_t memory = 0;                // bytes to use at most; 0: memory_limit(0)
  // Where suffixes are sorted and all that follows from their order is made, for all but texts with all 256
  // bytes; auto: a GPU, if there is one with memory enough, from 2^22 symbols on. Coding letters, and
  // checking the index, are work of the host's threads.
  device_choice device = {};
  std::uint64_t device_memory = 0; // bytes of the GPU; 0: what is free
  int* used_gpu = nullptr;         // if not null: becomes the CUDA device that was used, or -1
};

// Of fm_index::count() and locate().
struct fm_search_options {
  int threads = 0;                            // 0: all
  std::uint64_t max_hits = ~std::uint64_t{0}; // of each pattern, for locate
  task_monitor* monitor = nullptr;            // work unit: patterns
  // auto: a GPU that has the index since an earlier call, for 16,384 patterns and more; or else the first
  // there is, for so many that the threads would take half a second longer than to bring the index there
  // (20 million on 16 threads, for an index of one gigabyte). Where its memory is too small, the CPU.
  device_choice device = {};
  std::uint64_t device_memory = 0; // bytes of the GPU, with those of the index; 0: what is free
  int* used_gpu = nullptr;         // if not null: becomes the CUDA device that was used, or -1
};

// An occurrence: its record, and where it begins there.
struct fm_hit {
  // Its number, and the position in it.
  std::uint64_t record, begin;
  friend auto operator<=>(const fm_hit&, const fm_hit&) = default;
};

// Of pattern p: hits[offsets[p], offsets[p + 1]), by record and position; totals[p] is how many there are in
// all.
struct fm_hits {
  // As above.
  std::vector<fm_hit> hits;
  std::vector<std::uint64_t> offsets{0}, totals;
};

// The index. Immutable; copies share its bytes, and may be searched by many threads at once.
class fm_index {
public:
  // O(n log n), suffix sorting on one thread of the CPU, or on a GPU. Memory beside the references, with
  // 32-bit rows: 7 n bytes for DNA at the rate of 4, 11 n at the rate of 1; 10 n to 15 n for the others, up
  // to 60 n if all 256 bytes occur; and 130 bytes for each stretch between other letters. Throws
  // std::invalid_argument (offsets, names, rate), memory_error (also of a GPU that is asked for),
  // unavailable_error (no such GPU), device_error.
  [[nodiscard]] static fm_index build(const fm_references& references, const fm_build_options& options = {});
  // The index in these bytes, which must stay as they are while it, or a copy of it, lives (owner is kept
  // until then), at an address that is a multiple of 8. Throws error(invalid_input) that says what is wrong.
  [[nodiscard]] static fm_index from_bytes(std::span<const char> bytes,
                                           std::shared_ptr<const void> owner = nullptr);
  [[nodiscard]] std::span<const char> bytes() const noexcept;

  // What was indexed. A record that is not there: std::invalid_argument.
  [[nodiscard]] fm_alphabet alphabet() const noexcept;
  [[nodiscard]] std::uint64_t num_records() const noexcept;
  [[nodiscard]] std::uint64_t num_symbols() const noexcept; // of all records
  [[nodiscard]] std::string_view name(std::uint64_t record) const;
  [[nodiscard]] std::uint64_t length(std::uint64_t record) const;
  [[nodiscard]] std::uint32_t sa_sample_rate() const noexcept; // one in so many positions is kept

  // Patterns are patterns[offsets[p], offsets[p + 1]); offsets ascend from 0 to patterns.size(). The empty
  // pattern occurs nowhere. O(length) for each, and for locate O(sa_sample_rate) for each occurrence.
  [[nodiscard]] std::vector<std::uint64_t> count(std::string_view patterns,
                                                 std::span<const std::uint64_t> offsets,
                                                 const fm_search_options& options = {}) const;
  // If a pattern has more than max_hits occurrences: those of its first suffixes in order, the same on every
  // machine. 24 bytes a hit, and what the patterns take. On a GPU 16 bytes a hit, or 48 where they come in
  // pieces; of its memory 50 a hit.
  // Both throw std::invalid_argument for other offsets, error(invalid_input) for a damaged index,
  // unavailable_error for a GPU that is not there, memory_error (of it), device_error, cancelled_error.
  [[nodiscard]] fm_hits locate(std::string_view patterns, std::span<const std::uint64_t> offsets,
                               const fm_search_options& options = {}) const;
  // Symbols [begin, end) of a record, letters in upper case but for bytes. std::invalid_argument if out of
  // range.
  [[nodiscard]] std::string extract(std::uint64_t record, std::uint64_t begin, std::uint64_t end) const;

  // Of the bytes, for the library's own use.
  struct view;
  // What searches read.
  [[nodiscard]] const detail::fm_parts& parts() const noexcept;

private:
  fm_index(std::shared_ptr<const view> content, std::shared_ptr<detail::fm_places> places)
      : view_(std::move(content)), places_(std::move(places)) {}
  std::shared_ptr<const view> view_;
  std::shared_ptr<detail::fm_places> places_; // where it is on GPUs
};

} // namespace weft
