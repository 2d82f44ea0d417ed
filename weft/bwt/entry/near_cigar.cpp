// near_cigar(): the table of a pattern and a hit, and a path through it.
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>
#include <weft/bwt/cpu/near_patterns.hpp>
#include <weft/bwt/near_search.hpp>

namespace weft {

namespace {

// Appends operations in reverse order, and returns them as runs.
class reversed_runs {
public:
  void add(char operation) {
    if (runs_.empty() || runs_.back().first != operation) runs_.emplace_back(operation, 0);
    ++runs_.back().second;
  }
  [[nodiscard]] std::string text() const {
    std::string result;
    for (auto run = runs_.rbegin(); run != runs_.rend(); ++run)
      result += std::to_string(run->second) + run->first;
    return result;
  }

private:
  std::vector<std::pair<char, std::uint64_t>> runs_;
};

using bwt_detail::near_strand;

[[noreturn]] void refuse_distance() {
  throw std::invalid_argument("near_cigar: the pattern and the hit do not have this distance");
}

// Adds the operations of a strand and letters of the same number if they differ in `distance` positions.
// Otherwise returns false and adds nothing.
bool add_without_gaps(const near_strand& strand, std::span<const std::uint8_t> letters, unsigned distance,
                      reversed_runs& runs) {
  if (letters.size() != strand.size) return false;
  unsigned mismatches = 0;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    if ((strand.sets[i] & letters[i]) != 0) continue;
    if (strand.is_exact(i)) return false;
    ++mismatches;
  }
  if (mismatches != distance) return false;
  for (std::size_t i = letters.size(); i-- > 0;) runs.add((strand.sets[i] & letters[i]) != 0 ? '=' : 'X');
  return true;
}

// Adds the operations of a strand and letters whose distance this is, by a band of their table.
void add_with_gaps(const near_strand& strand, std::span<const std::uint8_t> letters, unsigned distance,
                   reversed_runs& runs) {
  constexpr std::uint8_t none = 100; // more than any distance
  const std::uint64_t rows = strand.size, columns = letters.size(), width = 2 * std::uint64_t{distance} + 3;
  // cell(i, j) is the distance of the first i and j letters; those further from the diagonal are `none`.
  std::vector<std::uint8_t> table((rows + 1) * width, none);
  const auto cell = [&](std::uint64_t i, std::uint64_t j) -> std::uint8_t& {
    return table[i * width + (j + distance + 1 - i)];
  };
  const auto matches = [&](std::uint64_t i, std::uint64_t j) {
    return (strand.sets[i - 1] & letters[j - 1]) != 0;
  };
  const auto plus = [](unsigned from, unsigned more) {
    return static_cast<std::uint8_t>(std::min(from + more, 100U));
  };
  const auto by_diagonal = [&](std::uint64_t i, std::uint64_t j) {
    return plus(cell(i - 1, j - 1), matches(i, j) ? 0 : strand.is_exact(i - 1) ? none : 1);
  };
  const auto by_insertion = [&](std::uint64_t i, std::uint64_t j) {
    return plus(cell(i - 1, j), strand.is_exact(i - 1) ? none : 1);
  };
  const auto by_deletion = [&](std::uint64_t i, std::uint64_t j) {
    return plus(cell(i, j - 1), strand.is_inside_exact(i) ? none : 1);
  };
  for (std::uint64_t i = 0; i <= rows; ++i)
    for (std::uint64_t j = i - std::min<std::uint64_t>(i, distance); j <= std::min(columns, i + distance);
         ++j) {
      std::uint8_t best = i == 0 && j == 0 ? 0 : none;
      if (i > 0 && j > 0) best = std::min(best, by_diagonal(i, j));
      if (i > 0) best = std::min(best, by_insertion(i, j));
      if (j > 0) best = std::min(best, by_deletion(i, j));
      cell(i, j) = best;
    }
  if (cell(rows, columns) != distance) refuse_distance();
  // From the end: a gap is continued if possible; otherwise letters are paired if possible, so that gaps are
  // leftmost.
  char last = '=';
  for (std::uint64_t i = rows, j = columns; i > 0 || j > 0;) {
    const bool insertion = i > 0 && by_insertion(i, j) == cell(i, j);
    const bool deletion = j > 0 && by_deletion(i, j) == cell(i, j);
    const bool diagonal = i > 0 && j > 0 && by_diagonal(i, j) == cell(i, j);
    if (diagonal && !(insertion && last == 'I') && !(deletion && last == 'D'))
      last = matches(i, j) ? '=' : 'X';
    else
      last = insertion && !(deletion && last == 'D') ? 'I' : 'D';
    runs.add(last);
    if (last != 'D') --i;
    if (last != 'I') --j;
  }
}

} // namespace

std::string near_cigar(std::string_view pattern, std::string_view hit, unsigned distance,
                       const near_options& options, bool reverse) {
  near_options coding = options;
  coding.both_strands = reverse;
  const std::array<std::uint64_t, 2> offsets = {0, pattern.size()};
  const bwt_detail::near_patterns coded({pattern, offsets}, 0, 1, coding);
  const bwt_detail::near_strand& strand = coded.strands().back();
  std::vector<std::uint8_t> letters(hit.size());
  std::transform(hit.begin(), hit.end(), letters.begin(), [](char c) { return near_letter_set(c, false); });
  reversed_runs runs;
  if (add_without_gaps(strand, letters, distance, runs)) return runs.text();
  const std::uint64_t longer = std::max(letters.size(), strand.size),
                      shorter = std::min(letters.size(), strand.size);
  if (options.metric == near_metric::mismatches || distance > max_near_distance ||
      longer - shorter > distance)
    refuse_distance();
  add_with_gaps(strand, letters, distance, runs);
  return runs.text();
}

} // namespace weft
