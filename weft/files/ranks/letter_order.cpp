#include <weft/files/ranks/letter_order.hpp>

#include <algorithm>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

namespace weft::files {

namespace {

using numbers = std::vector<std::uint64_t>;

constexpr std::uint64_t first_letters = 32, max_letters = std::uint64_t{1} << 20; // of a stretch in a round

bool is_open(const stretch_range& range, bool is_whole) {
  return range.end - range.begin > 1 &&
         (is_whole || (range.begin < range.wanted && range.wanted < range.end));
}

// Returns whether the stretches of a range are known to be equal.
bool are_same(const std::vector<text_stretch>& stretches, const numbers& order, const stretch_range& range) {
  const text_stretch& first = stretches[order[range.begin]];
  if (first.name == text_stretch::unnamed) return false;
  return std::all_of(order.begin() + static_cast<std::ptrdiff_t>(range.begin),
                     order.begin() + static_cast<std::ptrdiff_t>(range.end), [&](std::uint64_t s) {
                       return stretches[s].name == first.name && stretches[s].size == first.size;
                     });
}

// Returns the stretches of open ranges, in the order of their numbers.
numbers stretches_of(const std::vector<stretch_range>& open, const numbers& order) {
  numbers result;
  for (const stretch_range& range : open)
    result.insert(result.end(), order.begin() + static_cast<std::ptrdiff_t>(range.begin),
                  order.begin() + static_cast<std::ptrdiff_t>(range.end));
  std::sort(result.begin(), result.end());
  return result;
}

} // namespace

letter_order::letter_order(multi::communicator& ranks, const segment_text& own) : ranks_(ranks), own_(own) {
  begins_ = multi::all_gather_number(ranks, own.size());
  begins_.push_back(0);
  std::exclusive_scan(begins_.begin(), begins_.end(), begins_.begin(), std::uint64_t{0});
}

// Each round sorts the open ranges by their next letters, and cuts them to ranges of equal letters.
stretch_order letter_order::sort(const std::vector<text_stretch>& stretches,
                                 std::vector<stretch_range> ranges, bool is_whole, std::uint64_t memory) {
  stretch_order result;
  result.numbers.resize(stretches.size());
  std::iota(result.numbers.begin(), result.numbers.end(), std::uint64_t{0});
  // Keeps a range for the next round, or for the result if its stretches are equal.
  const auto keep = [&](const stretch_range& range, bool is_equal) {
    if (is_open(range, is_whole))
      (is_equal || are_same(stretches, result.numbers, range) ? result.equal : ranges).push_back(range);
  };
  for (const stretch_range& range : std::exchange(ranges, {})) keep(range, false);
  numbers index(stretches.size()); // of the letters of each stretch
  std::string letters;
  for (std::uint64_t known = 0, size = first_letters; !ranges.empty(); known += size) {
    const numbers open = stretches_of(ranges, result.numbers);
    for (std::uint64_t i = 0; i < open.size(); ++i) index[open[i]] = i;
    if (known > 0) size = std::clamp(std::min(known, memory / open.size()), first_letters, max_letters);
    fetch(stretches, open, known, size, letters);
    const auto letters_of = [&](std::uint64_t s) {
      return std::string_view(letters).substr(index[s] * size, size);
    };
    for (const stretch_range& range : std::exchange(ranges, {})) {
      const auto order = result.numbers.begin();
      std::sort(order + static_cast<std::ptrdiff_t>(range.begin),
                order + static_cast<std::ptrdiff_t>(range.end),
                [&](std::uint64_t a, std::uint64_t b) { return letters_of(a) < letters_of(b); });
      for (std::uint64_t begin = range.begin, end = begin; begin < range.end; begin = end) {
        const std::string_view equal = letters_of(result.numbers[begin]);
        while (end < range.end && letters_of(result.numbers[end]) == equal) ++end;
        keep({begin, end, range.wanted}, equal.back() == '\0');
      }
    }
  }
  std::uint64_t none = 0;
  ranks_.broadcast(std::as_writable_bytes(std::span(&none, 1)), ranks_.rank());
  return result;
}

void letter_order::help(int sorting_rank) {
  std::vector<question> questions;
  for (;;) {
    std::uint64_t size = 0;
    ranks_.broadcast(std::as_writable_bytes(std::span(&size, 1)), sorting_rank);
    if (size == 0) return;
    multi::receive_items(ranks_, questions, sorting_rank);
    multi::send_text(ranks_, answer(questions, size), sorting_rank);
  }
}

std::string letter_order::answer(const std::vector<question>& questions, std::uint64_t size) const {
  std::string letters;
  for (const auto [position, known] : questions) {
    const std::uint64_t begin = position - own_begin(), segment_end = own_.end_of(own_.segment_at(begin)),
                        end = std::min(begin + size, segment_end);
    if (begin + known < end) own_.append_letters(letters, begin + known, end);
    if (end < begin + size) letters += '\0';
  }
  return letters;
}

// The stretch before one with more equal letters than the known ones has the same known letters, so it is
// open, too.
void letter_order::fetch(const std::vector<text_stretch>& stretches, const numbers& open, std::uint64_t known,
                         std::uint64_t size, std::string& letters) {
  const auto num_ranks = static_cast<std::size_t>(ranks_.size()),
             self = static_cast<std::size_t>(ranks_.rank());
  ranks_.broadcast(std::as_writable_bytes(std::span(&size, 1)), ranks_.rank());
  std::vector<std::vector<question>> questions(num_ranks);
  std::vector<numbers> indexes(num_ranks); // of the letters of each answer
  const auto rank_of = [&](const text_stretch& stretch) {
    return static_cast<std::size_t>(std::upper_bound(begins_.begin(), begins_.end(), stretch.position) -
                                    begins_.begin() - 1);
  };
  for (std::uint64_t i = 0; i < open.size(); ++i) {
    const text_stretch& stretch = stretches[open[i]];
    const std::size_t rank = rank_of(stretch);
    questions[rank].push_back(
        {stretch.position + known, std::min(size, stretch.shared - std::min(stretch.shared, known))});
    indexes[rank].push_back(i);
  }
  for (std::size_t rank = 0; rank < num_ranks; ++rank)
    if (rank != self) multi::send_items(ranks_, questions[rank], static_cast<int>(rank));
  letters.assign(open.size() * size, '\0');
  for (std::size_t rank = 0; rank < num_ranks; ++rank) {
    const std::string text =
        rank == self ? answer(questions[rank], size) : multi::receive_text(ranks_, static_cast<int>(rank));
    std::uint64_t at = 0;
    for (std::size_t q = 0; q < questions[rank].size(); ++q) {
      char* const to = letters.data() + indexes[rank][q] * size;
      const std::uint64_t shared = questions[rank][q].known;
      if (shared > 0) std::copy(to - size, to - size + shared, to);
      const std::string_view rest = std::string_view(text).substr(at, size - shared);
      const std::uint64_t end = rest.find('\0'), count = std::min<std::uint64_t>(end, rest.size());
      rest.copy(to + shared, count);
      at += count + (count < rest.size() ? 1 : 0);
    }
  }
}

} // namespace weft::files
