// A scan of the text for patterns with mismatches (near_search.hpp). Positions are the bits of vectors: for
// each set of bases that a letter of a pattern can stand for, a plane has a bit for each position, which is
// set if the text does not match there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>
#include <weft/bwt/cpu/near_search.hpp>

namespace weft::bwt_detail {

constexpr std::uint64_t near_scan_block = 1 << 13; // positions of a block of the text

// The planes that the letters of a strand read at the first position.
struct near_scan_letters {
  std::vector<const std::uint8_t*> counted; // a multiple of 8; their mismatches are counted
  std::vector<const std::uint8_t*> exact;   // must match
  unsigned max_distance = 0;                // mismatches that the counted letters may have
};

// A position that is a hit, and the number of mismatches of the counted letters.
struct near_scan_hit {
  std::uint32_t position, mismatches;
};

// Appends the hits of a strand among the first 8 * num_bytes positions, a multiple of 512.
void scan_positions(const near_scan_letters& letters, std::size_t num_bytes,
                    std::vector<near_scan_hit>& hits);

// The planes of a block of the text, in eight copies, shifted by 0 to 7 bits, so that a letter of a pattern
// finds its bits at a whole byte. They reach as far behind the block as the longest strand needs.
class text_planes {
public:
  text_planes(const fm_index::view& index, std::span<const near_strand> strands);

  // Makes the planes of the block that begins with symbol `first` of all records.
  void load(std::uint64_t first);
  // Returns where letter i of a strand, which stands for `set`, reads the first position of the block.
  [[nodiscard]] const std::uint8_t* letter(unsigned set, std::uint64_t i) const {
    return reinterpret_cast<const std::uint8_t*>(planes_[set].data() + i % 8 * num_words_) + i / 8;
  }
  // Returns a plane without mismatches.
  [[nodiscard]] const std::uint8_t* zeros() const {
    return reinterpret_cast<const std::uint8_t*>(planes_[0].data());
  }
  // Returns 32 letters from a position of the block on, 2 bits each, the first lowest.
  [[nodiscard]] std::uint64_t letters_at(std::uint64_t position) const {
    return text_letters(letters_.data(), position);
  }
  // Returns which of these 32 letters are bases, a bit each.
  [[nodiscard]] std::uint32_t bases_at(std::uint64_t position) const {
    const std::uint64_t word = position / 64, shift = position % 64;
    return static_cast<std::uint32_t>(
        shift == 0 ? is_base_[word] : is_base_[word] >> shift | is_base_[word + 1] << (64 - shift));
  }

private:
  // Sets the bits from `to` on for `count` letters of the packed text from `position` on.
  void copy(std::uint64_t position, std::uint64_t to, std::uint64_t count);

  const fm_index::view& index_;
  std::vector<unsigned> sets_;                      // those that a strand has
  std::size_t num_words_ = 0;                       // of a plane
  std::array<std::vector<std::uint64_t>, 4> bases_; // a bit is set where the text has the base
  std::vector<std::uint64_t> is_base_, letters_;
  std::array<std::vector<std::uint64_t>, 16> planes_; // eight copies for each set
};

// Searches strands of at most 32 letters at some positions of the text only: the positions are collected from
// several blocks, the 32 letters of the text at each are turned into planes, and these are scanned. add()
// collects the positions where the exact letters match, which must then be the same for all strands.
class site_scan {
public:
  static constexpr std::uint64_t max_size = 32; // letters of a strand

  // `strands` must not change while the object exists. `check_exact` is whether the exact letters may differ
  // at the positions that are collected.
  site_scan(std::span<const near_strand* const> strands, unsigned max_distance, bool check_exact);
  // Collects the positions of a block that begins with symbol `first`; calls flush() when enough are there.
  template <class Report> void add(const text_planes& text, std::uint64_t first, const Report& report) {
    const std::span<const std::uint64_t> sites = match_exact(text);
    for (std::size_t w = 0; w < sites.size(); ++w)
      for (std::uint64_t left = sites[w]; left != 0; left &= left - 1) {
        const std::uint64_t position = 64 * w + static_cast<unsigned>(__builtin_ctzll(left));
        add_site(text, position, first + position, report);
      }
  }
  // Collects a position of a block, which is that of `symbol`; calls flush() when enough are there.
  template <class Report>
  void add_site(const text_planes& text, std::uint64_t position, std::uint64_t symbol, const Report& report) {
    letters_[symbols_.size()] = text.letters_at(position);
    is_base_[symbols_.size()] = text.bases_at(position);
    symbols_.push_back(symbol);
    if (symbols_.size() == num_sites) flush(report);
  }
  // Scans the collected positions, and calls report(strand, symbol, bases, mismatches) for each hit; bit i of
  // `bases` is set if letter i from the symbol on is a base.
  template <class Report> void flush(const Report& report) {
    make_planes();
    for (std::size_t s = 0; s < strands_.size(); ++s) {
      found_.clear();
      scan_positions(scanned_[s], num_sites / 8, found_);
      for (const near_scan_hit& hit : found_)
        if (hit.position < symbols_.size())
          report(*strands_[s], symbols_[hit.position], is_base_[hit.position],
                 hit.mismatches + max_distance_ - scanned_[s].max_distance);
    }
    symbols_.clear();
  }

private:
  static constexpr std::size_t num_sites = 2048; // positions that are scanned together

  // Returns the positions of a block where the exact letters match, as bits.
  [[nodiscard]] std::span<const std::uint64_t> match_exact(const text_planes& text);
  // Makes the planes of the collected positions; positions behind them match nothing.
  void make_planes();
  [[nodiscard]] std::uint64_t* plane(unsigned set, std::uint64_t letter) {
    return planes_.data() + (set * max_size + letter) * (num_sites / 64);
  }

  std::span<const near_strand* const> strands_;
  unsigned max_distance_;
  std::uint64_t longest_ = 0; // letters of the longest strand
  std::vector<near_scan_letters> scanned_;
  std::vector<unsigned> sets_; // those that a strand has
  std::vector<std::uint64_t> sites_, symbols_, letters_, planes_;
  std::vector<std::uint32_t> is_base_;
  std::vector<near_scan_hit> found_;
};

} // namespace weft::bwt_detail
