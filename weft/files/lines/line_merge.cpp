// Merges by a tournament: the leaves are the sources, each inner node holds the loser of the match below it,
// and the winner is kept apart. When the winner's source has moved on, its next line plays its way up again,
// in log2(sources) matches. Lines are compared by the first eight bytes of their codes, and by the whole
// codes only if these are equal.
#include <weft/files/lines/line_merge.hpp>

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <future>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/sort/cpu/string_sort.hpp>

namespace weft::files {

line_reader::line_reader(std::unique_ptr<io::byte_source> source, char terminator, std::size_t buffer_size,
                         std::uint64_t max_buffer_size, std::string_view memory_option, std::string buffer)
    : source_(std::move(source)), terminator_(terminator),
      max_buffer_size_(std::max<std::uint64_t>(max_buffer_size, buffer_size)), memory_option_(memory_option),
      buffer_(std::move(buffer)) {
  buffer_.resize(buffer_size);
}

bool line_reader::refill() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) {
    if (buffer_.size() >= max_buffer_size_)
      throw memory_error(fmt::format("{}:{}: the line does not fit in {} of memory (set {} to allow more)",
                                     name(), number_ + 1, format_size(max_buffer_size_), memory_option_));
    buffer_.resize(std::min<std::uint64_t>(2 * buffer_.size(), max_buffer_size_));
  }
  const std::size_t got = source_->read({buffer_.data() + end_, buffer_.size() - end_});
  end_ += got;
  return got > 0;
}

bool line_reader::next(std::string_view& line) {
  std::size_t searched = 0; // bytes of the line that are known to hold no terminator
  for (;;) {
    const char* from = buffer_.data() + begin_;
    const void* found = end_ - begin_ > searched
                            ? std::memchr(from + searched, terminator_, end_ - begin_ - searched)
                            : nullptr;
    if (found != nullptr) {
      line = {from, static_cast<std::size_t>(static_cast<const char*>(found) - from)};
      begin_ += line.size() + 1;
      ++number_;
      return true;
    }
    searched = end_ - begin_;
    if (!ended_ && refill()) continue;
    ended_ = true;
    if (begin_ == end_) return false;
    line = {buffer_.data() + begin_, end_ - begin_}; // the last line, without terminator
    begin_ = end_;
    ++number_;
    return true;
  }
}

namespace {

// A source that takes part in the tournament, with its current line and the code of that line.
struct contender {
  contender(line_reader lines, const line_order& order) : reader(std::move(lines)) { advance(order); }

  void advance(const line_order& order) {
    if (!reader.next(line)) {
      done = true;
      return;
    }
    if (!order.plain()) {
      codes.clear();
      order.append_code(line, codes);
    }
    word = weft::sort_detail::word_at(code(order), 0);
  }
  [[nodiscard]] std::string_view code(const line_order& order) const {
    return order.plain() ? line : std::string_view(codes);
  }

  line_reader reader;
  std::string_view line;
  std::string codes;
  std::uint64_t word = 0;
  bool done = false;
};

// Finds the contender whose line comes first.
class tournament {
public:
  tournament(std::vector<contender>& contenders, const line_order& order)
      : contenders_(contenders), order_(order), losers_(contenders.size()) {
    winner_ = contenders.size() > 1 ? play(1) : 0;
  }
  [[nodiscard]] std::size_t winner() const { return winner_; }
  // Finds the new winner after the winner has moved on to its next line, or has no more lines.
  void replay() {
    std::size_t current = winner_;
    for (std::size_t node = (current + contenders_.size()) / 2; node >= 1; node /= 2)
      if (comes_before(losers_[node], current)) std::swap(losers_[node], current);
    winner_ = current;
  }

private:
  // Plays the matches of the subtree at `node` and returns its winner. Nodes 1 .. k - 1 are inner nodes, and
  // k .. 2 k - 1 are the leaves.
  std::size_t play(std::size_t node) {
    const std::size_t k = contenders_.size();
    if (node >= k) return node - k;
    std::size_t a = play(2 * node), b = play(2 * node + 1);
    if (comes_before(b, a)) std::swap(a, b);
    losers_[node] = b;
    return a;
  }
  [[nodiscard]] bool comes_before(std::size_t a, std::size_t b) const {
    const contender &x = contenders_[a], &y = contenders_[b];
    if (x.done || y.done) return !x.done && (y.done || a < b);
    const bool reversed = order_.plain() && order_.reverse();
    if (x.word != y.word) return (x.word < y.word) != reversed;
    int result = x.code(order_).compare(y.code(order_));
    if (result == 0 && !order_.plain() && order_.last_resort()) {
      result = x.line.compare(y.line);
      if (order_.reverse()) result = -result;
    }
    if (reversed) result = -result;
    return result != 0 ? result < 0 : a < b;
  }

  std::vector<contender>& contenders_;
  const line_order& order_;
  std::vector<std::size_t> losers_;
  std::size_t winner_ = 0;
};

constexpr std::uint64_t min_buffer = std::uint64_t{1} << 16;

} // namespace

std::size_t merge_width(std::uint64_t memory, std::uint64_t longest) {
  return static_cast<std::size_t>(
      std::clamp<std::uint64_t>(memory / (2 * std::max(min_buffer, longest)), 2, 128));
}

std::uint64_t merge_pieces(std::vector<std::unique_ptr<io::byte_source>> sources, const line_order& order,
                           const merge_options& options, merge_buffers& buffers,
                           const std::function<void(std::string& out)>& hand_over) {
  if (sources.empty()) return 0;
  std::vector<contender> contenders;
  contenders.reserve(sources.size());
  buffers.sources.resize(std::max(buffers.sources.size(), sources.size()));
  for (std::size_t s = 0; s < sources.size(); ++s)
    contenders.emplace_back(line_reader(std::move(sources[s]), options.terminator, buffers.read_bytes,
                                        options.max_line + min_buffer, options.memory_option,
                                        std::move(buffers.sources[s])),
                            order);
  tournament matches(contenders, order);
  std::string& out = buffers.out;
  std::string last;
  out.reserve(buffers.write_bytes + 4096);
  bool has_output = false;
  std::uint64_t longest = 0;
  for (;;) {
    contender& winner = contenders[matches.winner()];
    if (winner.done) break;
    longest = std::max<std::uint64_t>(longest, winner.line.size());
    const bool repeated = options.unique && has_output && winner.code(order) == last;
    if (!repeated) {
      if (options.unique) last = winner.code(order);
      has_output = true;
      out += winner.line;
      out += options.terminator;
      if (out.size() >= buffers.write_bytes) hand_over(out);
    }
    winner.advance(order);
    matches.replay();
  }
  hand_over(out);
  for (std::size_t s = 0; s < contenders.size(); ++s) buffers.sources[s] = contenders[s].reader.take_buffer();
  return longest;
}

void count_bytes(task_monitor* monitor, std::uint64_t bytes) {
  if (monitor == nullptr) return;
  monitor->add(bytes);
  monitor->check();
}

std::uint64_t merge_lines(std::vector<std::unique_ptr<io::byte_source>> sources, const line_order& order,
                          const merge_options& options, const std::function<void(std::string_view)>& sink) {
  const std::uint64_t share = options.memory / (sources.size() + 1);
  const std::uint64_t buffer = std::clamp<std::uint64_t>(share, min_buffer, std::uint64_t{1} << 22);
  std::string handed_over; // is written while the merge continues
  std::future<void> writing;
  merge_buffers buffers{buffer, buffer};
  const std::uint64_t longest =
      merge_pieces(std::move(sources), order, options, buffers, [&](std::string& out) {
        count_bytes(options.monitor, out.size());
        if (writing.valid()) writing.get();
        handed_over.swap(out);
        out.clear();
        // `deferred` makes get() write if no thread can be started.
        writing = std::async(std::launch::async | std::launch::deferred, [&] { sink(handed_over); });
      });
  if (writing.valid()) writing.get();
  return longest;
}

} // namespace weft::files
