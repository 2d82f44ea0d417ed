#include <weft/files/ranks/line_sample.hpp>

#include <algorithm>
#include <span>
#include <utility>
#include <weft/base/mixed.hpp>

namespace weft::files {

namespace {

constexpr std::uint64_t max_sample_line = std::uint64_t{1} << 12;

// Finds lines of texts that follow one another by their bytes. Each line is searched for once.
class line_finder {
public:
  line_finder(const std::vector<placed_text>& texts, char terminator)
      : texts_(texts), terminator_(terminator) {}

  // Moves to the line that has a byte, or its terminator, at `at` in the texts. Calls give ascending numbers.
  void move_to(std::uint64_t at) {
    for (; at - text_begin_ >= texts_[text_].text.size(); ++text_, line_end_ = 0)
      text_begin_ += texts_[text_].text.size();
    const std::string_view text = texts_[text_].text;
    const std::uint64_t within = at - text_begin_;
    if (within < line_end_) return;
    const std::size_t before = within == 0 ? text.npos : text.rfind(terminator_, within - 1);
    line_begin_ = before == text.npos ? 0 : before + 1;
    line_end_ = std::min(text.find(terminator_, within), text.size() - 1) + 1;
  }
  // Returns where the current line begins and ends in the texts.
  [[nodiscard]] std::uint64_t begin() const { return text_begin_ + line_begin_; }
  [[nodiscard]] std::uint64_t end() const { return text_begin_ + line_end_; }
  // Returns the current line, or its beginning if it is long.
  [[nodiscard]] weighted_line line(std::uint64_t weight) const {
    std::string_view line = texts_[text_].text.substr(line_begin_, line_end_ - line_begin_);
    if (line.back() == terminator_) line.remove_suffix(1);
    return {line.substr(0, max_sample_line), texts_[text_].position + line_begin_, weight};
  }

private:
  const std::vector<placed_text>& texts_;
  const char terminator_;
  std::size_t text_ = 0;                        // the current text
  std::uint64_t text_begin_ = 0;                // where it begins
  std::uint64_t line_begin_ = 0, line_end_ = 0; // of the current line, in the current text
};

// Returns the lines that begin in bytes [begin, end) of the texts, or more than `count` of them.
std::vector<weighted_line> lines_between(line_finder lines, std::uint64_t begin, std::uint64_t end,
                                         std::uint64_t count) {
  std::vector<weighted_line> found;
  for (std::uint64_t at = begin; at < end && found.size() <= count; at = lines.end()) {
    lines.move_to(at);
    if (lines.begin() >= begin) found.push_back(lines.line(lines.end() - lines.begin()));
  }
  return found;
}

// Returns the lines that `count` bytes of bytes [begin, end) of the texts have chosen. `seed` makes the
// choice.
std::vector<weighted_line> chosen_lines(line_finder lines, std::uint64_t begin, std::uint64_t end,
                                        std::uint64_t count, std::uint64_t seed) {
  const std::uint64_t size = end - begin;
  const auto piece_begin = [&](std::uint64_t i) { return size / count * i + size % count * i / count; };
  std::vector<weighted_line> chosen;
  chosen.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t piece = piece_begin(i + 1) - piece_begin(i);
    if (piece == 0) continue;
    lines.move_to(begin + piece_begin(i) + base_detail::mixed(seed + i) % piece);
    const weighted_line line = lines.line(piece);
    if (!chosen.empty() && chosen.back().position == line.position)
      chosen.back().weight += piece;
    else
      chosen.push_back(line);
  }
  return chosen;
}

} // namespace

std::vector<weighted_line> choose_lines(const std::vector<placed_text>& texts, std::uint64_t begin,
                                        std::uint64_t end, std::uint64_t count, char terminator) {
  constexpr std::uint64_t usual_line = 64;
  const line_finder lines(texts, terminator);
  if ((end - begin) / usual_line <= count)
    if (auto all = lines_between(lines, begin, end, count); all.size() <= count) return all;
  return chosen_lines(lines, begin, end, count, texts.front().position + begin);
}

std::vector<weighted_line> thinned(const std::vector<weighted_line>& lines, std::uint64_t count) {
  std::vector<weighted_line> chosen;
  chosen.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto group = std::span(lines).subspan(lines.size() * i / count);
    const std::uint64_t size = lines.size() * (i + 1) / count - lines.size() * i / count;
    std::uint64_t weight = 0;
    for (const weighted_line& each : group.first(size)) weight += each.weight;
    // The weight is mixed in, because a line may be the first one of a group again.
    std::uint64_t at = base_detail::mixed(base_detail::mixed(~group.front().position) + weight) %
                       std::max<std::uint64_t>(weight, 1);
    std::size_t k = 0;
    while (k + 1 < size && at >= group[k].weight) at -= group[k++].weight;
    chosen.push_back({group[k].line, group[k].position, weight});
  }
  return chosen;
}

std::uint64_t line_sample::size() const { return text_bytes_ + lines_.size() * sizeof(weighted_line); }

void line_sample::copy(const std::vector<weighted_line>& chosen) {
  std::uint64_t bytes = 0;
  for (const weighted_line& each : chosen) bytes += each.line.size();
  std::string& text = texts_.emplace_back();
  text.reserve(bytes); // so that the lines do not move
  for (const weighted_line& each : chosen) {
    const std::size_t begin = text.size();
    text += each.line;
    lines_.push_back({std::string_view(text).substr(begin), each.position, each.weight});
    total_weight_ += each.weight;
  }
  text_bytes_ += bytes;
}

// If there are too many lines, keeps half of them, or fewer, so that they and a copy fit in the memory.
void line_sample::add(const placed_text& text) {
  constexpr std::uint64_t min_lines = 64;
  if (text.text.empty()) return;
  const std::uint64_t count = piece_bytes_ == 0
                                  ? max_lines_
                                  : std::clamp<std::uint64_t>(text.text.size() / piece_bytes_, 1, max_lines_);
  copy(choose_lines({text}, 0, text.text.size(), count, terminator_));
  const std::uint64_t max_bytes = memory_ / 3 * 2;
  if (lines_.size() <= std::max(2 * max_lines_, min_lines) &&
      (size() <= max_bytes || lines_.size() <= 2 * min_lines))
    return;
  auto fewer = std::exchange(lines_, {});
  std::uint64_t bytes = 0;
  do {
    fewer = thinned(fewer, fewer.size() / 2);
    bytes = fewer.size() * sizeof(weighted_line);
    for (const weighted_line& each : fewer) bytes += each.line.size();
  } while (bytes > max_bytes / 2 && fewer.size() >= 2 * min_lines);
  const auto texts = std::exchange(texts_, {});
  text_bytes_ = total_weight_ = 0;
  copy(fewer);
  piece_bytes_ = total_weight_ / lines_.size();
}

std::vector<weighted_line> line_sample::lines() const {
  return lines_.size() > max_lines_ ? thinned(lines_, max_lines_) : lines_;
}

} // namespace weft::files
