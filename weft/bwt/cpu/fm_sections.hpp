// The bytes of an FM-index: a header, and sections of numbers.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
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

// Puts sections behind a header. Memory: twice the index while finish() runs.
class fm_writer {
public:
  struct block {
    std::shared_ptr<const void> owner;
    std::span<const char> bytes;
  };
  // Items: contiguous, of plain bytes. Kept until finish(): where they are from now on.
  template <class Items> std::span<const typename Items::value_type> put(fm_section which, Items items) {
    static_assert(std::is_trivially_copyable_v<typename Items::value_type>);
    const auto kept = std::make_shared<const Items>(std::move(items));
    sections_[static_cast<std::size_t>(which)] = {
        kept, {reinterpret_cast<const char*>(kept->data()), kept->size() * sizeof(*kept->data())}};
    return {kept->data(), kept->size()};
  }
  // The whole, at an address that is a multiple of 64.
  [[nodiscard]] block finish(fm_header header);

private:
  std::array<block, num_fm_sections> sections_;
};

// The header, after all sums and bounds of sections were checked.
[[nodiscard]] fm_header checked_header(std::span<const char> bytes);

} // namespace weft::detail
