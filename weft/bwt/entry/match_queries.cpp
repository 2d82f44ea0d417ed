#include <weft/bwt/entry/match_queries.hpp>

#include <cstring>
#include <weft/base/parallel.hpp>
#include <weft/bwt/core/bits.hpp>
#include <weft/bwt/core/fm_letters.hpp>
#include <weft/bwt/core/fm_match_steps.hpp>

namespace weft::bwt_detail {

namespace {

constexpr std::uint64_t slice_words = std::uint64_t{1} << 13;

bool is_base(char c) {
  const char upper = static_cast<char>(c & ~0x20);
  return upper == 'A' || upper == 'C' || upper == 'G' || upper == 'T';
}

// Returns the bases among up to 32 letters as a bit set, and packs the letters into `word`.
std::uint32_t bases_and_word(const char* letters, std::uint64_t count, std::uint64_t& word) {
  std::uint32_t bases = 0;
  word = 0;
  for (std::uint64_t i = 0; i < count; i += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, letters + i, std::min<std::uint64_t>(8, count - i));
    bool valid = true;
    word |= pack_letters(eight, valid) << (2 * i);
    if (valid) {
      bases |= std::uint32_t{0xff} << i;
      continue;
    }
    for (std::uint64_t k = i; k < std::min(i + 8, count); ++k)
      bases |= static_cast<std::uint32_t>(is_base(letters[k]) ? 1 : 0) << k;
  }
  return bases;
}

// Appends a stretch, joined with the stretch before it if that ends where this one begins and `joins`.
void append_stretch(std::vector<query_stretch>& to, const query_stretch& next, bool joins) {
  if (joins && !to.empty() && to.back().end == next.begin)
    to.back().end = next.end;
  else
    to.push_back(next);
}

} // namespace

match_queries::match_queries(const sequences_view& queries, bool both_strands, const run_options& run)
    : queries_(queries), letters_(queries.data.size()) {
  const std::uint64_t words = letters_ / 32 + 1, slices = (words + slice_words - 1) / slice_words;
  words_[0].resize(words + 1);
  words_[0].back() = 0;
  std::vector<std::vector<query_stretch>> found(slices);
  parallel_for(0, words, slice_words, run, [&](std::uint64_t first, std::uint64_t last) {
    pack(first, last, found[first / slice_words]);
  });
  for (const auto& slice : found) {
    if (slice.empty()) continue;
    const std::uint64_t begin = slice.front().begin;
    append_stretch(stretches_, slice.front(),
                   !std::binary_search(queries.offsets.begin(), queries.offsets.end(), begin));
    stretches_.insert(stretches_.end(), slice.begin() + 1, slice.end());
  }
  if (!both_strands) return;
  words_[1].resize(words + 1);
  words_[1].back() = 0;
  parallel_for(0, words, slice_words, run,
               [&](std::uint64_t first, std::uint64_t last) { pack_reverse(first, last); });
}

void match_queries::pack(std::uint64_t first, std::uint64_t last, std::vector<query_stretch>& stretches) {
  const auto& offsets = queries_.offsets;
  auto next_record = std::upper_bound(offsets.begin(), offsets.end(), 32 * first);
  for (std::uint64_t w = first; w < last; ++w) {
    const std::uint64_t at = 32 * w, count = std::min<std::uint64_t>(32, letters_ - std::min(letters_, at));
    std::uint32_t bases = bases_and_word(queries_.data.data() + at, count, words_[0][w]);
    while (bases != 0) { // appends runs of ones, cut where records begin
      const auto begin = static_cast<std::uint64_t>(lowest_one(bases));
      auto size = static_cast<std::uint64_t>(lowest_one(~(std::uint64_t{bases} >> begin)));
      while (next_record != offsets.end() && *next_record <= at + begin) ++next_record;
      if (next_record != offsets.end()) size = std::min(size, *next_record - (at + begin));
      const bool begins_record = next_record != offsets.begin() && next_record[-1] == at + begin;
      append_stretch(stretches, {at + begin, at + begin + size}, !begins_record);
      bases &= ~static_cast<std::uint32_t>(((std::uint64_t{1} << size) - 1) << begin);
    }
  }
}

void match_queries::pack_reverse(std::uint64_t first, std::uint64_t last) {
  const std::uint64_t* const forward = words_[0].data();
  for (std::uint64_t w = first; w < last; ++w) {
    const std::uint64_t end = letters_ - std::min(letters_, 32 * w); // of the letters that are reversed
    words_[1][w] = ~reversed_pairs(letters_before(forward, end));
  }
}

std::uint64_t match_queries::record_of(bool reverse, std::uint64_t position) const {
  const std::uint64_t forward = reverse ? letters_ - 1 - position : position;
  const auto next = std::upper_bound(queries_.offsets.begin(), queries_.offsets.end(), forward);
  return static_cast<std::uint64_t>(next - queries_.offsets.begin()) - 1;
}

} // namespace weft::bwt_detail
