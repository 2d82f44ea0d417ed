// The bytes that the lines of all ranks stand for are cut as items are (weft/multi/cuts.hpp): each byte is an
// item, and the bytes of a line follow one another. Where a cut turns out to be within a line, the line goes
// to the side to which the cut is nearer.
#include <weft/files/ranks/line_cuts.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <weft/multi/cuts.hpp>
#include <weft/sort/cpu/string_sort.hpp>
#include <weft/sort/sort.hpp>

namespace weft::files {

namespace {

using multi::communicator;

constexpr std::uint64_t no_position = std::numeric_limits<std::uint64_t>::max();

// A line of the own lines, in order.
struct sorted_line {
  std::string_view line, code;
  std::uint64_t position;
  std::uint64_t begin; // bytes that the lines before it stand for
  std::uint64_t word;  // compares as the first eight bytes of the code do, if there are codes, or of the line
};

// The own lines, in order.
class sorted_lines {
public:
  sorted_lines(const std::vector<weighted_line>& own, const line_cut_settings& how) : order_(how.order) {
    std::vector<std::uint64_t> code_ends;
    for (const weighted_line& each : own) {
      if (!order_.plain()) order_.append_code(each.line, codes_);
      code_ends.push_back(codes_.size());
    }
    const std::uint64_t flipped = order_.plain() && order_.reverse() ? ~std::uint64_t{0} : 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
      const std::uint64_t begin = i == 0 ? 0 : code_ends[i - 1];
      const std::string_view code = std::string_view(codes_).substr(begin, code_ends[i] - begin);
      const std::uint64_t word = sort_detail::word_at(order_.plain() ? own[i].line : code, 0) ^ flipped;
      lines_.push_back({own[i].line, code, own[i].position, own[i].weight, word});
    }
    const auto less = [this](const sorted_line& a, const sorted_line& b) {
      if (a.word != b.word) return a.word < b.word;
      const int order = order_.compare(a.line, a.code, b.line, b.code);
      return order != 0 ? order < 0 : a.position < b.position;
    };
    sort(lines_, less, {.run = {.device = {device_kind::cpu, 0}, .threads = how.threads}});
    for (sorted_line& each : lines_) size_ += std::exchange(each.begin, size_);
  }

  // Returns how many bytes all lines stand for.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  // Returns the lines from the one on that stands for a byte; none if `byte` is size().
  [[nodiscard]] std::span<const sorted_line> lines_from(std::uint64_t byte) const {
    if (byte >= size_) return {};
    const auto after =
        std::upper_bound(lines_.begin(), lines_.end(), byte,
                         [](std::uint64_t at, const sorted_line& each) { return at < each.begin; });
    return {after - 1, lines_.end()};
  }
  // Returns how many bytes stand for the lines that are less than a splitter, or equal to it with a smaller
  // position.
  [[nodiscard]] std::uint64_t size_before(const line_splitter& splitter) const {
    const auto after = std::partition_point(lines_.begin(), lines_.end(), [&](const sorted_line& each) {
      const int order = order_.compare(each.line, each.code, splitter.line, splitter.code);
      return order != 0 ? order < 0 : each.position < splitter.position;
    });
    return after == lines_.end() ? size_ : after->begin;
  }
  // Returns whether a splitter is before another one.
  [[nodiscard]] bool is_less(const line_splitter& a, const line_splitter& b) const {
    const int order = order_.compare(a.line, a.code, b.line, b.code);
    return order != 0 ? order < 0 : a.position < b.position;
  }
  [[nodiscard]] const line_order& order() const { return order_; }

private:
  const line_order& order_;
  std::string codes_;
  std::vector<sorted_line> lines_;
  std::uint64_t size_ = 0;
};

// Lines as one text: for each, its size, its position, and its bytes.
class packed_lines {
public:
  void add(std::string_view line, std::uint64_t position) {
    add_number(line.size());
    add_number(position);
    text_ += line;
  }
  // Returns the lines of all ranks with their codes, in the order of the ranks. All ranks call it together.
  [[nodiscard]] std::vector<line_splitter> gather(communicator& ranks, const line_order& order) const {
    std::vector<std::uint64_t> sizes = multi::all_gather_number(ranks, text_.size());
    std::string all;
    for (const std::uint64_t size : sizes) all.resize(all.size() + size);
    ranks.all_gather(std::as_bytes(std::span(text_)), sizes, std::as_writable_bytes(std::span(all)));
    std::vector<line_splitter> lines;
    for (std::string_view rest = all; !rest.empty();) {
      const std::uint64_t size = take_number(rest), position = take_number(rest);
      lines.push_back({std::string(rest.substr(0, size)), {}, position});
      if (!order.plain()) order.append_code(lines.back().line, lines.back().code);
      rest.remove_prefix(size);
    }
    return lines;
  }

private:
  void add_number(std::uint64_t number) {
    text_.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  static std::uint64_t take_number(std::string_view& text) {
    std::uint64_t number = 0;
    std::memcpy(&number, text.data(), sizeof number);
    text.remove_prefix(sizeof number);
    return number;
  }

  std::string text_;
};

// The bytes of sorted lines, as a cut_search reads them. The lines of pivots travel beside the pivots.
class line_bytes {
public:
  struct item {};
  line_bytes(communicator& ranks, const sorted_lines& lines) : ranks_(&ranks), lines_(&lines) {}

  [[nodiscard]] std::uint64_t size() const { return lines_->size(); }
  void read_items(std::span<const multi_detail::pivot<item>> pivots) {
    own_ = {};
    for (const auto& each : pivots) {
      const sorted_line& at = lines_->lines_from(each.index).front();
      own_.add(at.line, at.position);
    }
  }
  [[nodiscard]] std::vector<std::uint64_t> count_before(std::span<const multi_detail::pivot<item>> pivots,
                                                        std::span<const multi_detail::bracket>,
                                                        std::uint32_t own_rank) {
    std::vector<line_splitter> all = own_.gather(*ranks_, lines_->order());
    std::vector<std::uint64_t> before;
    for (std::size_t i = 0; i < pivots.size(); ++i) {
      // A long line may be among the lines of several ranks, and is then in the order of the ranks.
      all[i].position += own_rank < pivots[i].rank ? 1 : 0;
      before.push_back(pivots[i].rank == own_rank ? pivots[i].index : lines_->size_before(all[i]));
    }
    return before;
  }

private:
  communicator* ranks_;
  const sorted_lines* lines_;
  packed_lines own_; // the lines of the own pivots
};

// Two lines that follow each other in the order of all lines; none behind the last line.
struct two_lines {
  std::optional<line_splitter> first, second;

  // Takes another line, which is second or first if it is less. Several ranks may give the same line.
  void add(line_splitter&& line, const sorted_lines& order) {
    if (first && line.position == first->position) return;
    if (!second || order.is_less(line, *second)) second = std::move(line);
    if (!first || order.is_less(*second, *first)) std::swap(first, second);
  }
};

// Returns, for each cut, the first line of all ranks that ends behind the cut, and the next line.
std::vector<two_lines> lines_at(communicator& ranks, const sorted_lines& lines,
                                const std::vector<std::uint64_t>& cuts) {
  packed_lines own;
  for (const std::uint64_t cut : cuts)
    for (std::size_t i = 0; i < 2; ++i)
      if (const auto from = lines.lines_from(cut); i < from.size())
        own.add(from[i].line, from[i].position);
      else
        own.add({}, no_position);
  std::vector<two_lines> found(cuts.size());
  std::vector<line_splitter> all = own.gather(ranks, lines.order());
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].position != no_position) found[i / 2 % cuts.size()].add(std::move(all[i]), lines);
  return found;
}

} // namespace

std::vector<line_splitter> find_splitters(communicator& ranks, const std::vector<weighted_line>& own,
                                          const line_cut_settings& how) {
  const sorted_lines lines(own, how);
  const auto num_parts = static_cast<std::uint64_t>(ranks.size());
  const std::uint64_t total = multi::reduce_number(ranks, lines.size(), multi::reduction::sum);
  std::vector<multi_detail::cut_target> targets;
  for (std::uint64_t part = 1; part < num_parts; ++part)
    targets.push_back(
        {total / num_parts * part + total % num_parts * part / num_parts, total / num_parts / 1000});
  const run_options run;
  const auto found =
      lines_at(ranks, lines,
               multi_detail::cut_search(ranks, line_bytes(ranks, lines), targets, run, how.max_pivots).run());
  // Each cut is in front of the first line, or in front of the second one.
  std::vector<line_splitter> front, behind;
  std::vector<std::uint64_t> sizes;
  for (const two_lines& each : found) {
    front.push_back(each.first.value_or(line_splitter()));
    behind.push_back(how.unique ? front.back() : each.second.value_or(front.back()));
    if (how.unique) {
      front.back().position = 0;
      behind.back().position = no_position;
    }
    sizes.push_back(lines.size_before(front.back()));
    sizes.push_back(lines.size_before(behind.back()));
  }
  ranks.all_reduce(sizes, multi::reduction::sum);
  for (std::size_t t = 0; t < targets.size(); ++t) {
    const auto distance = [&](std::uint64_t size) {
      return std::max(size, targets[t].position) - std::min(size, targets[t].position);
    };
    if (distance(sizes[2 * t + 1]) < distance(sizes[2 * t])) front[t] = std::move(behind[t]);
  }
  return front;
}

} // namespace weft::files
