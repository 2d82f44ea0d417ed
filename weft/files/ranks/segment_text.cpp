#include <weft/files/ranks/segment_text.hpp>

#include <algorithm>
#include <bit>
#include <iterator>

namespace weft::files {

using bwt_detail::fm_segment;

namespace {

// Returns 32 bases of a packed text, the first of which has the lowest bits. The text has two words more than
// its bases need.
std::uint64_t bases_at(const std::uint64_t* text, std::uint64_t position) {
  const std::uint64_t *word = text + position / 32, shift = 2 * (position % 32);
  return shift == 0 ? *word : word[0] >> shift | word[1] << (64 - shift);
}

} // namespace

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
  to.resize(to.size() + (end - begin));
  char* next = to.data() + to.size() - (end - begin);
  for (std::uint64_t i = begin; i < end; i += 32) {
    std::uint64_t bases = bases_at(parts_.packed_text, i);
    for (std::uint64_t k = std::min<std::uint64_t>(32, end - i); k > 0; --k, bases >>= 2)
      *next++ = "ACGT"[bases & 3];
  }
}

std::uint64_t segment_text::common_prefix(std::uint64_t a, std::uint64_t b, std::uint64_t max) const {
  if (!parts_.dna()) {
    const char *const first = parts_.byte_text + a, *const other = parts_.byte_text + b;
    return static_cast<std::uint64_t>(std::mismatch(first, first + max, other).first - first);
  }
  const std::uint64_t* const text = parts_.packed_text;
  for (std::uint64_t size = 0; size < max; size += 32)
    if (const std::uint64_t differ = bases_at(text, a + size) ^ bases_at(text, b + size); differ != 0)
      return std::min(max, size + static_cast<std::uint64_t>(std::countr_zero(differ)) / 2);
  return max;
}

std::uint64_t segment_text::common_suffix(std::uint64_t a, std::uint64_t b, std::uint64_t max) const {
  const std::uint64_t* const text = parts_.packed_text;
  std::uint64_t size = 0;
  for (; parts_.dna() && size + 32 <= max; size += 32)
    if (const std::uint64_t differ = bases_at(text, a - size - 32) ^ bases_at(text, b - size - 32);
        differ != 0)
      return size + static_cast<std::uint64_t>(std::countl_zero(differ)) / 2;
  while (size < max && letter(a - size - 1) == letter(b - size - 1)) ++size;
  return size;
}

} // namespace weft::files
