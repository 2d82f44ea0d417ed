#include <weft/search/cpu/open_letters.hpp>

namespace weft::search_detail {

void open_letters::add(text_range range) {
  if (range.size() == 0) return;
  auto next = ends_.upper_bound(range.begin);
  if (next != ends_.begin() && std::prev(next)->second >= range.begin) --next;
  while (next != ends_.end() && next->first <= range.end) {
    range = {std::min(range.begin, next->first), std::max(range.end, next->second)};
    next = ends_.erase(next);
  }
  ends_.emplace(range.begin, range.end);
}

void open_letters::remove(text_range range) {
  if (range.size() == 0) return;
  auto next = ends_.upper_bound(range.begin);
  if (next != ends_.begin() && std::prev(next)->second > range.begin) --next;
  while (next != ends_.end() && next->first < range.end) {
    const text_range old{next->first, next->second};
    next = ends_.erase(next);
    if (old.begin < range.begin) ends_.emplace(old.begin, range.begin);
    if (old.end > range.end) ends_.emplace(range.end, old.end);
  }
}

text_range open_letters::find(std::uint64_t position) const {
  const auto next = ends_.upper_bound(position);
  if (next == ends_.begin() || std::prev(next)->second <= position) return {};
  return {std::prev(next)->first, std::prev(next)->second};
}

std::uint64_t open_letters::count(text_range range) const {
  std::uint64_t sum = 0;
  visit(range, [&](text_range part) { sum += part.size(); });
  return sum;
}

} // namespace weft::search_detail
