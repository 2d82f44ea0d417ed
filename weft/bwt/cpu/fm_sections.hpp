// The layout of the bytes of an FM-index: a header, and sections of numbers. An index of version 2 has one
// more section behind all others: the contexts of the rows (core/near_context.hpp), u64 [num_rows].
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <weft/bwt/core/fm_parts.hpp>

namespace weft::bwt_detail {

// The sections of an index, in their order.
enum class fm_section : std::uint32_t {
  names,          // names of records, end to end
  name_offsets,   // u64, records + 1: offsets into `names`
  record_offsets, // u64, records + 1: offsets of records in all symbols end to end
  segments,       // fm_segment: the stretches that are searched, by `start`
  other_letters,  // fm_run: runs of letters in DNA references that are not bases
  code_of_byte,   // u16 [256]: code of each byte, 0 if it matches nothing
  first_row,      // u64 [codes + 1]: number of rows that begin with a smaller code
  ranks,          // dna: dna_block; otherwise words of the wavelet matrix
  rank_supers,    // dna: u64 [4 a superblock]; otherwise ones before each group of 8 words
  open_rows,      // u64: rows that no symbol of a segment precedes, ascending
  open_positions, // u64: text positions of the suffixes of the open rows
  kmers,          // u32 or u64 [2 a k-mer]: begin and end of its rows
  marks,          // u64 words: a bit for each row, set if its position is stored
  mark_counts,    // u64: ones before each group of 8 words of marks
  samples,        // u32 or u64: positions of the marked rows / sample rate
  text,           // dna: words of 32 bases, 2 bits each; otherwise bytes
  count_of_sections
};
constexpr std::size_t num_fm_sections = static_cast<std::size_t>(fm_section::count_of_sections);

// A run of equal letters that are not bases.
struct fm_run {
  std::uint64_t position, length, letter; // position in the records end to end
};

// The header of an index, as it is stored.
struct fm_header {
  std::array<char, 8> magic;
  std::uint32_t version, alphabet;
  std::uint64_t num_rows; // symbols of the text, with separators
  std::uint64_t num_records;
  std::uint32_t sample_rate, kmer_size;
  std::uint32_t num_codes; // code 0 is the separator
  std::uint32_t wide;      // 1: positions and rows have 64 bits; 0: 32 bits
  std::array<std::uint64_t, num_fm_sections> offsets, sizes, checksums; // bytes
  std::uint64_t contexts_checksum;                                      // 0 without contexts
  std::uint64_t checksum;                                               // checksum of all fields before
};

constexpr std::array<char, 8> fm_magic = {'\x89', 'W', 'F', 'I', '\r', '\n', '\x1a', '\n'};
constexpr std::uint32_t fm_version = 1, fm_version_with_contexts = 2;

using section_sizes = std::array<std::uint64_t, num_fm_sections>; // in bytes

// These are the offsets at which the sections of an index begin. `end` is the end of the last one with its
// padding: it is the size of an index without contexts, and the offset at which contexts begin.
struct section_offsets {
  explicit section_offsets(const section_sizes& sizes);
  section_sizes begin{};
  std::uint64_t end;
};

// Completes a header, whose other fields have been set, by the magic number, the version and the checksum.
void seal_header(fm_header& header, bool with_contexts);

// A buffer for the bytes of an index: a header, and memory for sections, which the builder writes in place.
class fm_writer {
public:
  struct block {
    std::shared_ptr<const void> owner;
    std::span<const char> bytes;
  };
  // Allocates the buffer, with memory for num_contexts contexts of rows. Writes the padding, but not the
  // sections.
  fm_writer(const section_sizes& sizes, std::uint64_t num_contexts);

  template <class T> [[nodiscard]] std::span<T> section(fm_section which) const {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto s = static_cast<std::size_t>(which);
    return {reinterpret_cast<T*>(bytes_.get() + offsets_[s]), sizes_[s] / sizeof(T)};
  }
  template <class Items> void put(fm_section which, const Items& items) const {
    std::copy(items.begin(), items.end(), section<typename Items::value_type>(which).begin());
  }
  // Writes the header and returns the whole index, at an address that is a multiple of 64. Computes checksums
  // on `threads` threads (0: all).
  [[nodiscard]] block finish(fm_header header, int threads) const;
  // Returns the contexts. They are written after the call of finish(), which returns an index without them.
  [[nodiscard]] std::span<std::uint64_t> contexts() const {
    return {reinterpret_cast<std::uint64_t*>(bytes_.get() + size_), num_contexts_};
  }
  // Adds the contexts to the finished index, and returns it.
  [[nodiscard]] block finish_contexts(int threads) const;

private:
  section_sizes sizes_, offsets_;
  std::uint64_t size_; // bytes of the index without contexts
  std::uint64_t num_contexts_;
  std::shared_ptr<char> bytes_;
};

// Bytes of contexts that have a checksum of their own.
constexpr std::uint64_t context_piece = std::uint64_t{1} << 24;
// Returns the checksum of contexts: XXH3 of the XXH3 of each piece of them. Uses `threads` threads (0:
// all).
[[nodiscard]] std::uint64_t checksum_of_contexts(std::span<const char> contexts, int threads);

// Returns whether the index of this header has contexts.
[[nodiscard]] inline bool has_contexts(const fm_header& header) {
  return header.version == fm_version_with_contexts;
}

// Returns the header of an index. Throws error(invalid_input) unless all checksums and the bounds of all
// sections are right.
[[nodiscard]] fm_header checked_header(std::span<const char> bytes);

} // namespace weft::bwt_detail
