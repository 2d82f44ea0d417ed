// A text packed into a string of bits, as the suffix sorting of the CPU reads it.
//
// Each symbol is replaced by a code of `bits` bits. Codes have the order of the symbols, so comparing bit
// strings compares the texts. Zeros follow the end of the text. The string is stored with its first bit in
// the highest bit of its first byte, so an unaligned load and a byte swap read 57 bits from any bit on.
//
// The text may consist of parts, such as the records of a collection. Then each suffix ends with its part,
// and of equal suffixes the one of the earlier part is less.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <vector>
#include <weft/base/run.hpp>
#include <weft/base/unwritten_allocator.hpp>
#include <weft/bwt/core/part_text.hpp>

namespace weft::bwt_detail {

// A packed text. The object owns the string of bits, but not the symbols.
class suffix_string {
public:
  // The number of bits that from() returns at any position.
  static constexpr unsigned window_bits = 57;

  // Packs a text of fewer than 2^48 symbols on run.threads threads. `offsets` are those of the parts, of
  // which some may be empty, and are empty for a text of one part.
  explicit suffix_string(std::span<const unsigned char> symbols, const run_options& run,
                         std::span<const std::uint64_t> offsets = {});
  suffix_string(std::span<const std::uint16_t> symbols, const run_options& run);
  suffix_string(std::span<const std::uint32_t> symbols, const run_options& run);
  // Makes a copy of a packed text of this size, which another process has saved: read() copies the bytes of
  // each call of write(). Only letters() and codes() have not been saved.
  suffix_string(std::uint64_t size, std::uint64_t bits, bool has_parts,
                const std::function<void(std::span<std::byte>)>& read);
  // Passes what the packed text consists of to write().
  void save(const std::function<void(std::span<const std::byte>)>& write) const;

  [[nodiscard]] std::uint64_t size() const { return size_; }         // in symbols
  [[nodiscard]] std::uint64_t bits() const { return bits_; }         // of a code, 1 to 32
  [[nodiscard]] unsigned letters() const { return letters_; }        // number of codes of a text of bytes
  [[nodiscard]] const std::uint8_t* codes() const { return codes_; } // of the 256 bytes, for a text of bytes
  [[nodiscard]] const std::uint8_t* symbols() const { return symbols_; } // the byte of each of these codes
  [[nodiscard]] bool has_parts() const { return !parts_.empty(); }

  // Returns the bits that begin at `bit`, the first in the highest bit. At least 57 bits are valid.
  [[nodiscard]] std::uint64_t from(std::uint64_t bit) const {
    std::uint64_t word;
    std::memcpy(&word, begin_ + bit / 8, sizeof word);
    return __builtin_bswap64(word) << (bit % 8);
  }
  // Asks for the memory that holds a bit.
  void prefetch(std::uint64_t bit) const { __builtin_prefetch(begin_ + bit / 8); }

  // Returns how many symbols suffix i has.
  [[nodiscard]] std::uint64_t left(std::uint64_t i) const {
    return has_parts() ? part_marks{parts_.data()}.left(i) : size_ - i;
  }
  // Returns the bits of suffix i from bit `depth` of the suffix on, followed by zeros if the suffix ends. The
  // suffix has more than `depth` bits, or the text has one part.
  [[nodiscard]] std::uint64_t window(std::uint64_t i, std::uint64_t depth) const {
    const std::uint64_t bits = from(i * bits_ + depth);
    if (!has_parts()) return bits;
    const std::uint64_t rest = left(i) * bits_ - depth;
    return rest < 64 ? bits & ~(~std::uint64_t{0} >> rest) : bits;
  }
  // Returns the same for any depth: zeros if the suffix has no more than `depth` bits.
  [[nodiscard]] std::uint64_t window_or_zeros(std::uint64_t i, std::uint64_t depth) const {
    return left(i) * bits_ > depth ? window(i, depth) : 0;
  }
  // Compares bits [begin, end) of suffixes i and j, which both have as many. Each comparison of up to 57 bits
  // takes one off max_words; returns 0 once that is 0.
  [[nodiscard]] int compare(std::uint64_t i, std::uint64_t j, std::uint64_t begin, std::uint64_t end,
                            std::uint64_t& max_words) const {
    const std::uint64_t at = first_difference(i, j, begin, end, max_words);
    return at == end ? 0 : from(i * bits_ + at) < from(j * bits_ + at) ? -1 : 1;
  }
  // Returns the first one of bits [begin, end) in which suffixes i and j differ, which both have as many;
  // `end` if there is none. Each comparison of up to 57 bits takes one off max_words; returns `end` once that
  // is 0.
  [[nodiscard]] std::uint64_t first_difference(std::uint64_t i, std::uint64_t j, std::uint64_t begin,
                                               std::uint64_t end, std::uint64_t& max_words) const {
    std::uint64_t at = begin;
    if ((i - j) * bits_ % 8 == 0) at = skip_equal_bytes(i, j, begin, end, max_words);
    for (; at < end && max_words > 0; at += window_bits) {
      --max_words;
      const auto bits = static_cast<unsigned>(std::min<std::uint64_t>(window_bits, end - at));
      const std::uint64_t differ = (from(i * bits_ + at) ^ from(j * bits_ + at)) >> (64 - bits)
                                                                                        << (64 - bits);
      if (differ != 0) return at + static_cast<std::uint64_t>(std::countl_zero(differ));
    }
    return end;
  }
  // Returns the two symbols before symbol i, the nearer one in the lower bits; symbols before the text are 0.
  // Codes have at most 8 bits.
  [[nodiscard]] std::uint64_t two_before(std::uint64_t i) const {
    const std::uint64_t bit = i * bits_ + 8 * margin - 2 * bits_; // of bytes_
    std::uint64_t word;
    std::memcpy(&word, begin_ - margin + bit / 8, sizeof word);
    return __builtin_bswap64(word) << (bit % 8) >> (64 - 2 * bits_);
  }

  // Returns the bytes of memory that a packed text takes, beside its parts.
  [[nodiscard]] static std::uint64_t memory_for(std::uint64_t size, std::uint64_t bits) {
    return size * bits / 8 + 2 * margin;
  }

private:
  // Returns a bit up to which suffixes i and j, which begin at the same bit of a byte, agree from bit `begin`
  // on. Takes the words that have been compared off max_words.
  [[nodiscard]] std::uint64_t skip_equal_bytes(std::uint64_t i, std::uint64_t j, std::uint64_t begin,
                                               std::uint64_t end, std::uint64_t& max_words) const {
    constexpr std::uint64_t words = 4;
    const unsigned char* const of_i = begin_ + (i * bits_ + begin) / 8;
    const unsigned char* const of_j = begin_ + (j * bits_ + begin) / 8;
    std::uint64_t bytes = 0;
    const std::uint64_t before = (i * bits_ + begin) % 8; // bits of the first byte
    for (; max_words > words && begin + 8 * (bytes + 8 * words) <= end; bytes += 8 * words) {
      std::uint64_t a[words], b[words];
      std::memcpy(a, of_i + bytes, sizeof a);
      std::memcpy(b, of_j + bytes, sizeof b);
      if (((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3])) != 0) break;
      max_words -= words;
    }
    return bytes == 0 ? begin : begin + 8 * bytes - before;
  }

  // Allocates the string of bits, with zeros before and after it.
  void allocate_string();
  [[nodiscard]] std::uint64_t string_bytes() const { return (size_ * bits_ + 7) / 8; }
  template <class Symbol, class Code>
  void pack(std::span<const Symbol> symbols, const Code& code, const run_options& run);
  void mark_parts(std::span<const std::uint64_t> offsets, const run_options& run);

  static constexpr std::uint64_t margin = 64; // zero bytes before and after the string
  std::uint64_t size_ = 0, bits_ = 1;
  unsigned letters_ = 0;
  std::uint8_t codes_[256] = {}, symbols_[256] = {};
  unwritten_vector<unsigned char> bytes_;
  const unsigned char* begin_ = nullptr; // of the string, in bytes_
  std::vector<part_block> parts_;
};

} // namespace weft::bwt_detail
