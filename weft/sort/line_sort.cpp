// An entry's id names a line in 63 bits: where it begins in the text (39 bits) and its size (24 bits; all
// ones: look for the terminator). With keys it names a code in the same way; before a code stand the 8 bytes
// of its line's id, and before those, if the code's size has all bits set, 8 bytes of size. The 64th bit
// marks an id that names a line where others name codes: of lines with equal codes, which are sorted by their
// bytes.
#include <weft/sort/line_sort.hpp>

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <future>
#include <string>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>
#include <weft/sort/cpu/string_sort.hpp>

namespace weft {

namespace {

constexpr std::uint64_t block = std::uint64_t{1} << 22; // bytes that are read and indexed at a time
constexpr std::uint64_t min_memory = std::uint64_t{1} << 16;
constexpr std::uint64_t lines_a_batch = std::uint64_t{1} << 16; // whose codes are made at a time
constexpr std::uint64_t line_overhead = 33; // an entry of 16 bytes, and what refining a run takes
constexpr std::uint64_t size_mask = (std::uint64_t{1} << 24) - 1;
constexpr std::uint64_t direct = std::uint64_t{1} << 63; // the id names a line

std::uint64_t make_id(std::uint64_t begin, std::uint64_t size) {
  return begin << 24 | std::min(size, size_mask);
}
std::uint64_t begin_of(std::uint64_t id) { return (id & ~direct) >> 24; }

std::uint64_t load(const char* from) {
  std::uint64_t value = 0;
  std::memcpy(&value, from, 8);
  return value;
}
void append(std::string& to, std::uint64_t value) { to.append(reinterpret_cast<const char*>(&value), 8); }

} // namespace

class line_sorter::plain_lines {
public:
  explicit plain_lines(const line_sorter& of) : of_(of) {}
  std::string_view operator()(std::uint64_t id) const { return of_.line(id); }
  void prefetch(std::uint64_t id, std::uint64_t depth) const {
    __builtin_prefetch(of_.text_.data() + begin_of(id) + depth);
  }

private:
  const line_sorter& of_;
};

class line_sorter::coded_lines {
public:
  explicit coded_lines(const line_sorter& of) : of_(of) {}
  std::string_view operator()(std::uint64_t id) const { return of_.code(id); }
  void prefetch(std::uint64_t id, std::uint64_t depth) const {
    __builtin_prefetch(of_.codes_.data() + begin_of(id) + depth);
  }

private:
  const line_sorter& of_;
};

line_sorter::line_sorter(const line_order& order, char terminator, std::uint64_t memory,
                         const sort_options& options)
    : order_(order), terminator_(terminator), memory_(std::min(memory, std::uint64_t{1} << 38)),
      device_memory_(options.device_memory), device_(options.device), threads_(thread_count(options.threads)),
      text_(memory_ + block), entries_((memory_ / line_overhead + block) * 16),
      codes_(order.plain() ? 1 : memory_ + 64 * block) {
  if (memory < min_memory)
    throw error(errc::invalid_input,
                fmt::format("sorting lines takes {} of memory at least", format_size(min_memory)));
}

bool line_sorter::full() const noexcept {
  return text_size_ + codes_size_ + num_lines_ * line_overhead >= memory_;
}

// So many bytes that sorting stays within the memory, and 16 MiB more, even if each of them is a line.
std::span<char> line_sorter::room() {
  if (full()) return {};
  constexpr std::uint64_t beyond = std::uint64_t{1} << 24;
  const std::uint64_t left = memory_ - (text_size_ + codes_size_ + num_lines_ * line_overhead);
  const std::uint64_t bytes = std::min(left / 8, (left + beyond) / max_cost_of_byte());
  return {text_.data() + text_size_, std::clamp<std::uint64_t>(bytes, 4096, block)};
}

// A byte that is an empty line: itself, what a line takes, and with keys their codes, three times while they
// are made: each has 16 bytes before it, and up to 10 of an empty key.
std::uint64_t line_sorter::max_cost_of_byte() const noexcept {
  const std::uint64_t code = order_.plain() ? 0 : 16 + 10 * order_.keys().size();
  return 1 + line_overhead + 24 + 3 * code;
}

void line_sorter::add(std::uint64_t bytes) {
  text_size_ += bytes;
  index(text_size_ - bytes, text_size_);
}

void line_sorter::end_text() {
  if (indexed_ == text_size_) return;
  text_.data()[text_size_++] = terminator_;
  index(text_size_ - 1, text_size_);
}

// Entries for the lines that end in [begin, end).
void line_sorter::index(std::uint64_t begin, std::uint64_t end) {
  std::vector<std::uint64_t> lines;
  auto* entries = reinterpret_cast<uint128*>(entries_.data());
  const char* text = text_.data();
  std::uint64_t from = indexed_;
  const bool plain = order_.plain();
  const auto find_end = [&](std::uint64_t at) {
    const void* found = std::memchr(text + at, terminator_, end - at);
    return found == nullptr ? end : static_cast<std::uint64_t>(static_cast<const char*>(found) - text);
  };
  for (std::uint64_t stop = find_end(begin); stop < end; stop = find_end(from)) {
    const std::uint64_t id = make_id(from, stop - from);
    if (plain)
      entries[num_lines_++] = detail::make_entry(detail::word_at({text + from, stop - from}, 0), id);
    else
      lines.push_back(id);
    longest_line_ = std::max(longest_line_, stop - from);
    from = stop + 1;
    if (lines.size() == lines_a_batch) {
      encode(lines);
      lines.clear();
    }
  }
  indexed_ = from;
  if (!plain) encode(lines);
}

// Makes the codes of at most lines_a_batch lines. Each thread makes its share in memory of its own, which the
// allocator keeps for that thread, so that more lines at a time would take more memory than the codes.
void line_sorter::encode(std::span<const std::uint64_t> lines) {
  auto* entries = reinterpret_cast<uint128*>(entries_.data());
  const std::uint64_t slices = lines.size() < 1000 ? 1 : static_cast<std::uint64_t>(threads_);
  const std::uint64_t slice_lines = (lines.size() + slices - 1) / slices;
  std::vector<std::string> codes(slices);
  std::vector<std::uint64_t> ids(lines.size()); // relative to the slice's codes
  parallel_for(0, slices, 1, static_cast<int>(slices), [&](std::uint64_t s, std::uint64_t) {
    std::string& out = codes[s];
    for (std::uint64_t i = s * slice_lines; i < std::min<std::uint64_t>(lines.size(), (s + 1) * slice_lines);
         ++i) {
      append(out, 0); // the size, if it is large
      append(out, lines[i]);
      const std::uint64_t begin = out.size();
      order_.append_code(line(lines[i] | direct), out);
      const std::uint64_t size = out.size() - begin;
      std::memcpy(out.data() + begin - 16, &size, 8);
      ids[i] = make_id(begin, size);
    }
  });
  for (std::uint64_t s = 0; s < slices; ++s) {
    if (codes_size_ + codes[s].size() > codes_.size())
      throw memory_error("the keys of the lines do not fit the memory for sorting");
    std::memcpy(codes_.data() + codes_size_, codes[s].data(), codes[s].size());
    for (std::uint64_t i = s * slice_lines; i < std::min<std::uint64_t>(lines.size(), (s + 1) * slice_lines);
         ++i) {
      const std::uint64_t id = ids[i] + (codes_size_ << 24);
      entries[num_lines_++] = detail::make_entry(detail::word_at(code(id), 0), id);
    }
    codes_size_ += codes[s].size();
  }
}

std::string_view line_sorter::line(std::uint64_t id) const {
  if (!order_.plain() && (id & direct) == 0) return line(load(codes_.data() + begin_of(id) - 8) | direct);
  const char* begin = text_.data() + begin_of(id);
  std::uint64_t size = id & size_mask;
  if (size == size_mask)
    size += static_cast<std::uint64_t>(
        static_cast<const char*>(std::memchr(begin + size, terminator_, text_size_ - begin_of(id) - size)) -
        begin - static_cast<std::ptrdiff_t>(size));
  return {begin, size};
}

std::string_view line_sorter::code(std::uint64_t id) const {
  const char* begin = codes_.data() + begin_of(id);
  const std::uint64_t size = id & size_mask;
  return {begin, size == size_mask ? load(begin - 16) : size};
}

// Sorts lines of equal codes, which are in the order of the text, by their bytes. Their entries name lines
// from then on, not codes.
void line_sorter::order_equal(std::span<uint128> entries, int threads) const {
  for (uint128& entry : entries) {
    const std::uint64_t id = load(codes_.data() + begin_of(detail::id_of(entry)) - 8) | direct;
    entry = detail::make_entry(detail::word_at(line(id), 0), id);
  }
  const auto nothing = [](std::span<uint128>) {};
  detail::sort_strings(entries, plain_lines(*this), nothing,
                       {.device = {device_kind::cpu}, .threads = threads});
  if (order_.reverse()) std::reverse(entries.begin(), entries.end());
}

void line_sorter::sort() {
  const std::span<uint128> entries(reinterpret_cast<uint128*>(entries_.data()), num_lines_);
  const auto nothing = [](std::span<uint128>) {};
  sort_used used;
  const sort_options options{
      .device = device_, .threads = threads_, .device_memory = device_memory_, .used = &used};
  if (order_.plain()) {
    detail::sort_strings(entries, plain_lines(*this), nothing, options);
  } else if (order_.last_resort()) {
    const auto by_bytes = [&](std::span<uint128> equal) {
      if (equal.size() > 1) order_equal(equal, equal.size() < (1U << 16) ? 1 : threads_);
    };
    detail::sort_strings(entries, coded_lines(*this), by_bytes, options);
  } else {
    detail::sort_strings(entries, coded_lines(*this), nothing, options);
  }
  gpu_ = std::max(gpu_, used.gpu);
}

bool line_sorter::same_keys(std::uint64_t a, std::uint64_t b) const {
  return order_.plain() ? line(a) == line(b) : code(a) == code(b);
}

// Two threads at most: one collects lines from all over the text, one hands over what is collected.
void line_sorter::write(const std::function<void(std::string_view)>& sink, bool unique) const {
  const auto* entries = reinterpret_cast<const uint128*>(entries_.data());
  const bool backwards = order_.plain() && order_.reverse(); // lines that are equal are the same
  const auto id_at = [&](std::uint64_t i) {
    return detail::id_of(entries[backwards ? num_lines_ - 1 - i : i]);
  };
  std::uint64_t next = 0;
  const auto collect = [&] {
    constexpr std::uint64_t ahead = 24;
    std::string lines;
    lines.reserve(block + (block >> 4));
    for (; next < num_lines_ && lines.size() < block; ++next) {
      if (next + ahead < num_lines_) {
        const std::uint64_t later = id_at(next + ahead);
        const bool coded = !order_.plain() && (later & direct) == 0;
        __builtin_prefetch((coded ? codes_.data() : text_.data()) + begin_of(later) - (coded ? 8 : 0));
      }
      if (unique && next > 0 && same_keys(id_at(next - 1), id_at(next))) continue;
      const std::string_view text = line(id_at(next));
      lines.append(text.data(), text.size() + 1); // with its terminator
    }
    return lines;
  };
  if (threads_ == 1) {
    while (next < num_lines_) sink(collect());
    return;
  }
  for (std::string lines = collect(); !lines.empty();) {
    // Where there is no thread for it, when it is asked for.
    std::future<std::string> more = std::async(std::launch::async | std::launch::deferred, collect);
    sink(lines);
    lines = more.get();
  }
}

void line_sorter::clear() {
  std::memmove(text_.data(), text_.data() + indexed_, text_size_ - indexed_);
  text_size_ -= indexed_;
  indexed_ = num_lines_ = codes_size_ = 0;
}

void line_sorter::release_memory() noexcept {
  text_.release_behind(text_size_);
  entries_.release_behind(num_lines_ * 16);
  codes_.release_behind(codes_size_);
}

} // namespace weft
