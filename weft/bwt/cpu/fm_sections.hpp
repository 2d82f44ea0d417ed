// The bytes of an FM-index: a header, and sections of numbers.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <weft/bwt/core/fm_parts.hpp>

namespace weft::detail {

enum class fm_section : std::uint32_t {
  names,          // of records, end to end
  name_offsets,   // u64, records + 1
  record_offsets, // u64, records + 1: records end to end, all symbols
  segments,       // fm_segment: what is searched, in order of `start`
  other_letters,  // fm_run: letters of DNA references that are no bases
  code_of_byte,   // u16 [256]: 0 for what matches nothing
  first_row,      // u64 [codes + 1]: rows that begin with a smaller code
  ranks,          // dna: dna_block; else words of the wavelet matrix
  rank_supers,    // dna: u64 [4 a superblock]; else counts of ones before each 8 words
  open_rows,      // u64: rows before which no symbol of a segment stands, ascending
  open_positions, // u64: where in the text their suffixes begin
  kmers,          // u32 or u64 [2 a k-mer]: its rows
  marks,          // u64 words: rows whose position is kept
  mark_counts,    // u64: ones before each 8 words of marks
  samples,        // u32 or u64: positions of the marked rows / sample rate
  text,           // dna: words, 32 bases of 2 bits each; else bytes
  count_of_sections
};
constexpr std::size_t num_fm_sections = static_cast<std::size_t>(fm_section::count_of_sections);

struct fm_run {
  std::uint64_t position, length, letter; // position in the records end to end
};

struct fm_header {
  std::array<char, 8> magic;
  std::uint32_t version, alphabet;
  std::uint64_t num_rows; // symbols of the text, separators included
  std::uint64_t num_records;
  std::uint32_t sample_rate, kmer_size;
  std::uint32_t num_codes; // 0 is the separator
  std::uint32_t wide;      // 1: positions and rows are kept in 64 bits, else 32
  std::array<std::uint64_t, num_fm_sections> offsets, sizes, checksums; // bytes
  std::uint64_t reserved;
  std::uint64_t checksum; // of all before
};

constexpr std::array<char, 8> fm_magic = {'\x89', 'W', 'F', 'I', '\r', '\n', '\x1a', '\n'};
constexpr std::uint32_t fm_version = 1;

// The bytes of an index: a header, and room for sections, which whoever has their numbers writes in place.
class fm_writer {
public:
  struct block {
    std::shared_ptr<const void> owner;
    std::span<const char> bytes;
  };
  using section_sizes = std::array<std::uint64_t, num_fm_sections>; // bytes

  // Sections are not written, only what pads them.
  explicit fm_writer(const section_sizes& sizes);

  template <class T> [[nodiscard]] std::span<T> section(fm_section which) const {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto s = static_cast<std::size_t>(which);
    return {reinterpret_cast<T*>(bytes_.get() + offsets_[s]), sizes_[s] / sizeof(T)};
  }
  template <class Items> void put(fm_section which, const Items& items) const {
    std::copy(items.begin(), items.end(), section<typename Items::value_type>(which).begin());
  }
  // The whole, at an address that is a multiple of 64. On so many threads (0: all).
  [[nodiscard]] block finish(fm_header header, int threads) const;

private:
  section_sizes sizes_, offsets_{};
  std::uint64_t size_ = 0;
  std::shared_ptr<char> bytes_;
};

// The header, after all sums and bounds of sections were checked.
[[nodiscard]] fm_header checked_header(std::span<const char> bytes);

} // namespace weft::detail
