// The bytes that the lines of all ranks stand for are cut as items are (weft/multi/cuts.hpp): each byte is an
// item, and the bytes of a line follow one another. Where a cut turns out to be within a line, the line goes
// to the side to which the cut is nearer.
#include <weft/files/ranks/line_cuts.hpp>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <weft/base/mixed.hpp>
#include <weft/multi/cuts.hpp>
#include <weft/sort/cpu/string_sort.hpp>
#include <weft/sort/sort.hpp>

namespace weft::files {

namespace {

using multi::communicator;

constexpr std::uint64_t no_position = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t line_memory = 150, min_lines = 64;        // of a line without its code; of a rank
constexpr std::uint64_t line_numbers = 2 * sizeof(std::uint64_t); // that travel with a line

// Returns the mean size of the codes of lines, about: of at most 1,024 lines that are chosen at random.
std::uint64_t mean_code(const std::vector<weighted_line>& lines, const line_order& order) {
  const std::uint64_t count = std::min<std::uint64_t>(lines.size(), 1024);
  if (order.plain() || count == 0) return 0;
  std::uint64_t size = 0;
  std::string code;
  for (std::uint64_t i = 0; i < count; ++i) {
    code.clear();
    order.append_code(lines[count == lines.size() ? i : base_detail::mixed(i) % lines.size()].line, code);
    size += code.size();
  }
  return size / count + 1;
}

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
  // Takes fewer lines if their codes do not fit in how.memory.
  sorted_lines(const std::vector<weighted_line>& own, const line_cut_settings& how) : order_(how.order) {
    const std::uint64_t code = mean_code(own, how.order);
    const std::uint64_t count = std::max(how.memory / (line_memory + code), min_lines);
    if (code > 0 && own.size() > count)
      add(thinned(own, count), code, how.threads);
    else
      add(own, code, how.threads);
  }

  // Returns how many bytes all lines stand for.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  // Returns how many bytes travel with a pivot, which is a byte chosen at random.
  [[nodiscard]] std::uint64_t mean_line() const { return std::max<std::uint64_t>(mean_line_, 1); }
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
  // Adds the lines, whose codes have about `mean_code` bytes, and sorts them.
  void add(const std::vector<weighted_line>& own, std::uint64_t mean_code, int threads) {
    std::vector<std::uint64_t> code_ends;
    code_ends.reserve(own.size());
    lines_.reserve(own.size());
    codes_.reserve(own.size() * (mean_code + mean_code / 8));
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
    sort(lines_, less, {.run = {.device = {device_kind::cpu, 0}, .threads = threads}});
    double line_bytes = 0;
    for (sorted_line& each : lines_) {
      line_bytes += static_cast<double>(each.begin) * static_cast<double>(each.line.size() + line_numbers);
      size_ += std::exchange(each.begin, size_);
    }
    if (size_ > 0) mean_line_ = static_cast<std::uint64_t>(line_bytes / static_cast<double>(size_));
  }

  const line_order& order_;
  std::string codes_;
  std::vector<sorted_line> lines_;
  std::uint64_t size_ = 0, mean_line_ = 0;
};

// Appends a line to a text of lines: its size, its position, and its bytes.
void append_line(std::string& text, std::string_view line, std::uint64_t position) {
  const std::uint64_t numbers[] = {line.size(), position};
  text.append(reinterpret_cast<const char*>(numbers), sizeof numbers);
  text += line;
}

// Moves the first line of a text of lines, and its code, to `line`.
void take_line(std::string_view& text, const line_order& order, line_splitter& line) {
  std::uint64_t numbers[2];
  std::memcpy(numbers, text.data(), sizeof numbers);
  line.line = text.substr(sizeof numbers, numbers[0]);
  line.position = numbers[1];
  line.code.clear();
  if (!order.plain()) order.append_code(line.line, line.code);
  text.remove_prefix(sizeof numbers + numbers[0]);
}

// The bytes of sorted lines, as a cut_search reads them. The lines of pivots travel beside the pivots, in
// groups: at most group_bytes of each rank, or one line.
class line_bytes {
public:
  struct item {};
  line_bytes(communicator& ranks, const sorted_lines& lines, std::uint64_t group_bytes)
      : ranks_(&ranks), lines_(&lines), group_bytes_(group_bytes) {}

  [[nodiscard]] std::uint64_t size() const { return lines_->size(); }
  void read_items(std::span<const multi_detail::pivot<item>> pivots) {
    own_.clear();
    for (const auto& each : pivots) own_.push_back(&lines_->lines_from(each.index).front());
  }
  [[nodiscard]] std::vector<std::uint64_t> count_before(std::span<const multi_detail::pivot<item>> pivots,
                                                        std::span<const multi_detail::bracket>,
                                                        std::uint32_t own_rank) {
    std::vector<std::uint64_t> before(pivots.size());
    // The next pivot of each rank. Those of a rank follow one another.
    std::vector<std::size_t> next(static_cast<std::size_t>(ranks_->size()));
    for (std::size_t i = pivots.size(); i-- > 0;) next[pivots[i].rank] = i;
    line_splitter line;
    for (std::size_t done = 0, sent = 0; done < pivots.size();) {
      const multi::gathered<std::string> group = multi::gather_items(*ranks_, take_group(sent));
      std::string_view rest = group.items;
      for (std::uint32_t rank = 0; rank < next.size(); ++rank)
        for (const std::size_t end = rest.size() - group.sizes[rank]; rest.size() > end; ++done) {
          const std::size_t i = next[rank]++;
          take_line(rest, lines_->order(), line);
          // A long line may be among the lines of several ranks, and is then in the order of the ranks.
          line.position += own_rank < rank ? 1 : 0;
          before[i] = rank == own_rank ? pivots[i].index : lines_->size_before(line);
        }
    }
    return before;
  }

private:
  // Returns the lines of the own pivots from `sent` on that belong to the next group.
  [[nodiscard]] std::string take_group(std::size_t& sent) const {
    std::string text;
    for (; sent < own_.size() && (text.empty() || text.size() + own_[sent]->line.size() <= group_bytes_);
         ++sent)
      append_line(text, own_[sent]->line, own_[sent]->position);
    return text;
  }

  communicator* ranks_;
  const sorted_lines* lines_;
  std::uint64_t group_bytes_;
  std::vector<const sorted_line*> own_; // the lines of the own pivots
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

// Sends each rank the own two lines that are first behind its cut: that of rank i is cuts[i]. Returns the
// lines of all ranks behind the cut of this rank.
std::string exchange_candidates(communicator& ranks, const sorted_lines& lines,
                                const std::vector<std::uint64_t>& cuts) {
  const auto num_ranks = static_cast<std::size_t>(ranks.size());
  std::string own;
  std::vector<std::uint64_t> sizes(num_ranks), received(num_ranks);
  for (std::size_t rank = 0; rank < cuts.size(); ++rank) {
    const std::size_t before = own.size();
    const auto from = lines.lines_from(cuts[rank]);
    for (const sorted_line& each : from.first(std::min<std::size_t>(from.size(), 2)))
      append_line(own, each.line, each.position);
    sizes[rank] = own.size() - before;
  }
  const std::vector<std::uint64_t> each(num_ranks, sizeof(std::uint64_t));
  ranks.all_to_all(std::as_bytes(std::span(sizes)), each, std::as_writable_bytes(std::span(received)), each);
  std::string all(std::accumulate(received.begin(), received.end(), std::uint64_t{0}), '\0');
  ranks.all_to_all(std::as_bytes(std::span(own)), sizes, std::as_writable_bytes(std::span(all)), received);
  return all;
}

// Returns, for each cut, the first line of all ranks that ends behind the cut, and the next line. Each rank
// finds those of one cut, so that no rank receives two lines of each rank for every cut.
std::vector<two_lines> lines_at(communicator& ranks, const sorted_lines& lines,
                                const std::vector<std::uint64_t>& cuts) {
  const auto take_lines = [&](std::string_view text) {
    two_lines found;
    for (line_splitter line; !text.empty();) {
      take_line(text, lines.order(), line);
      found.add(std::move(line), lines);
    }
    return found;
  };
  std::string own;
  {
    const two_lines found = take_lines(exchange_candidates(ranks, lines, cuts));
    for (const auto& each : {std::cref(found.first), std::cref(found.second)})
      if (each.get()) append_line(own, each.get()->line, each.get()->position);
  }
  const multi::gathered<std::string> all = multi::gather_items(ranks, own);
  std::vector<two_lines> found;
  std::string_view rest = all.items;
  for (std::size_t rank = 0; rank < cuts.size(); ++rank) {
    found.push_back(take_lines(rest.substr(0, all.sizes[rank])));
    rest.remove_prefix(all.sizes[rank]);
  }
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
  const std::uint64_t group_bytes = how.memory / 4 / num_parts; // of the lines of pivots of a rank
  const std::uint64_t max_pivots = std::max<std::uint64_t>(
                          multi::reduce_number(ranks, how.max_pivots, multi::reduction::min) / num_parts, 1),
                      pivots = std::clamp<std::uint64_t>(group_bytes / lines.mean_line(), 1, max_pivots);
  // A rank gives one pivot for each open bracket, if there are more of them than `pivots`.
  multi_detail::cut_search search(ranks, line_bytes(ranks, lines, group_bytes), targets, run, pivots,
                                  max_pivots);
  std::vector<two_lines> found = lines_at(ranks, lines, search.run());
  // Each cut is in front of the first line, or in front of the second one.
  std::vector<line_splitter> front, behind;
  std::vector<std::uint64_t> sizes;
  for (two_lines& each : found) {
    front.push_back(std::move(each.first).value_or(line_splitter()));
    behind.push_back(how.unique || !each.second ? front.back() : std::move(*each.second));
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
