#include <weft/files/ranks/segment_text.hpp>

#include <algorithm>
#include <bit>
#include <iterator>

namespace weft::files {

using bwt_detail::fm_segment;

std::uint64_t segment_text::segment_of(const fm_hit& hit) const {
  const auto behind = std::upper_bound(parts_.segments.begin(), parts_.segments.end(), hit,
                                       [](const fm_hit& at, const fm_segment& segment) {
                                         return at < fm_hit{segment.record, segment.begin};
                                       });
  return static_cast<std::uint64_t>(std::prev(behind) - parts_.segments.begin());
}

void segment_text::append_letters(std::string& to, std::uint64_t begin, std::uint64_t end) const {
  if (!parts_.dna()) {
    to.append(parts_.byte_text + begin, end - begin);
    return;
  }
  for (std::uint64_t i = begin; i < end; ++i) to += letter(i);
}

// The packed text has two words more than its letters need.
std::uint64_t segment_text::bases_at(std::uint64_t position) const {
  const std::uint64_t *word = parts_.packed_text + position / 32, shift = 2 * (position % 32);
  return shift == 0 ? *word : word[0] >> shift | word[1] << (64 - shift);
}

std::uint64_t segment_text::common_prefix(std::uint64_t a, std::uint64_t b, std::uint64_t max) const {
  if (!parts_.dna()) {
    const char *const first = parts_.byte_text + a, *const other = parts_.byte_text + b;
    return static_cast<std::uint64_t>(std::mismatch(first, first + max, other).first - first);
  }
  for (std::uint64_t size = 0; size < max; size += 32)
    if (const std::uint64_t differ = bases_at(a + size) ^ bases_at(b + size); differ != 0)
      return std::min(max, size + static_cast<std::uint64_t>(std::countr_zero(differ)) / 2);
  return max;
}

std::uint64_t segment_text::common_suffix(std::uint64_t a, std::uint64_t b, std::uint64_t max) const {
  std::uint64_t size = 0;
  for (; parts_.dna() && size + 32 <= max; size += 32)
    if (const std::uint64_t differ = bases_at(a - size - 32) ^ bases_at(b - size - 32); differ != 0)
      return size + static_cast<std::uint64_t>(std::countl_zero(differ)) / 2;
  while (size < max && letter(a - size - 1) == letter(b - size - 1)) ++size;
  return size;
}

} // namespace weft::files
