#include <weft/sort/line_sort.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <string>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>
#include <weft/sort/cpu/string_sort.hpp>
#include <weft/sort/engines.hpp>

namespace weft {

using sort_detail::begin_of_line;
using sort_detail::line_id_flag;
using sort_detail::line_size_mask;
using sort_detail::make_line_id;

namespace {

constexpr std::string_view words = "words"; // the engine
constexpr std::uint64_t min_memory = std::uint64_t{1} << 16;
// The number of lines whose codes are made at a time is a line for each 8 KiB of memory, within these bounds,
// because threads keep memory for the codes of a batch.
constexpr std::uint64_t memory_of_batch_line = std::uint64_t{1} << 13;
constexpr std::uint64_t min_batch_lines = std::uint64_t{1} << 16, max_batch_lines = std::uint64_t{1} << 20;
constexpr std::uint64_t line_overhead = 33; // bytes: an entry of 16, and the memory that refining a run takes
constexpr std::uint64_t min_slice_bytes = std::uint64_t{1} << 17; // of text, for a thread to cut into lines

std::uint64_t load(const char* from) {
  std::uint64_t value = 0;
  std::memcpy(&value, from, 8);
  return value;
}
// Returns how many terminators the text has. Counts in bytes, which the compiler turns into vectors.
std::uint64_t count_terminators(std::string_view text, char terminator) {
  std::uint64_t count = 0;
  for (constexpr std::size_t block = 128; !text.empty(); text.remove_prefix(std::min(block, text.size()))) {
    std::uint8_t in_block = 0;
    for (const char c : text.substr(0, block)) in_block += c == terminator ? 1 : 0;
    count += in_block;
  }
  return count;
}

} // namespace

// The lines of a sorter, by their ids, as sort_strings takes them.
class line_sorter::plain_lines {
public:
  explicit plain_lines(const line_sorter& sorter) : sorter_(sorter) {}
  std::string_view operator()(std::uint64_t id) const { return sorter_.line(id); }
  void prefetch(std::uint64_t id, std::uint64_t depth) const {
    __builtin_prefetch(sorter_.text_.data() + begin_of_line(id) + depth);
  }

private:
  const line_sorter& sorter_;
};

// The codes of a sorter, by their ids, as sort_strings takes them.
class line_sorter::coded_lines {
public:
  explicit coded_lines(const line_sorter& sorter) : sorter_(sorter) {}
  std::string_view operator()(std::uint64_t id) const { return sorter_.code(id); }
  void prefetch(std::uint64_t id, std::uint64_t depth) const {
    __builtin_prefetch(sorter_.codes_.data() + begin_of_line(id) + depth);
  }

private:
  const line_sorter& sorter_;
};

std::vector<engine_info> line_sort_engines() {
  return {{std::string(words), "lines of text, which have no other; any processor, or a CUDA GPU", ""}};
}

line_sorter::line_sorter(const line_order& order, char terminator, const sort_options& options)
    : order_(order), terminator_(terminator), run_(options.run),
      memory_(std::min(memory_limit(options.run.memory), std::uint64_t{1} << 38)),
      threads_(thread_count(options.run.threads)), text_(memory_ + block_bytes),
      entries_((memory_ / line_overhead + block_bytes) * 16),
      codes_(order.plain() ? 1 : memory_ + 64 * block_bytes) {
  if (run_.engine != "auto" && run_.engine != words)
    throw error(errc::invalid_input,
                fmt::format("unknown engine '{}' for lines of text: use auto or {}", run_.engine, words));
  if (memory_ < min_memory)
    throw error(
        errc::invalid_input,
        fmt::format("sorting lines needs at least {} of memory: raise run.memory", format_size(min_memory)));
}

std::uint64_t line_sorter::memory_in_use() const noexcept {
  return text_size_ + codes_size_ + num_lines_ * line_overhead;
}

bool line_sorter::full() const noexcept { return memory_in_use() >= memory_; }

// The size is such that sorting takes at most 16 MiB more than the memory even if each of the bytes is a
// line, and that the next block fits as well if there is memory for two.
std::span<char> line_sorter::free_space() {
  if (full()) return {};
  constexpr std::uint64_t allowed_excess = std::uint64_t{1} << 24;
  const std::uint64_t left = memory_ - memory_in_use(), each = max_memory_per_text_byte();
  const std::uint64_t bytes = std::min(left / 8, (left + allowed_excess) / each),
                      max_bytes = std::min(max_block(), std::max(left / each / 2, block_bytes));
  return {text_.data() + text_size_, std::clamp<std::uint64_t>(bytes, 4096, max_bytes)};
}

// The space is for text of any lines. So with one key, more than a GiB must be free.
std::span<char> line_sorter::free_space_after(std::uint64_t bytes) {
  const std::uint64_t fits = (memory_ - std::min(memory_, memory_in_use())) / max_memory_per_text_byte();
  if (bytes + block_bytes > fits) return {};
  return {text_.data() + text_size_ + bytes, std::min(fits - bytes, max_block())};
}

// Returns how many bytes of text may be read and cut into lines at once. The threads begin together and wait
// for one another in each block, so blocks are large, unless a large block would be most of the text.
std::uint64_t line_sorter::max_block() const noexcept {
  return std::clamp(text_size_ / 4, block_bytes, max_block_bytes);
}

// Returns the memory that a byte of text takes at most, which is that of an empty line: the byte itself, the
// overhead of a line, and, with keys, the code three times while codes are made. Each code has 16 bytes in
// front of it, and up to 10 bytes for each empty key.
std::uint64_t line_sorter::max_memory_per_text_byte() const noexcept {
  const std::uint64_t code = order_.plain() ? 0 : 16 + 10 * order_.keys().size();
  return 1 + line_overhead + 24 + 3 * code;
}

void line_sorter::add(std::uint64_t bytes, int num_busy) {
  constexpr int min_threads = 5; // with fewer threads, one fewer costs more than waiting for the last one
  const int workers = threads_ < min_threads ? threads_ : std::max(threads_ - num_busy, 1);
  text_size_ += bytes;
  constexpr std::uint64_t ahead = 4 * block_bytes; // more would exceed the memory if short lines follow
  provide_text(text_size_ + ahead);
  add_entries_for_lines_ending_in(text_size_ - bytes, text_size_, static_cast<std::uint64_t>(workers));
}

void line_sorter::end_text() {
  if (complete_size_ == text_size_) return;
  text_.data()[text_size_++] = terminator_;
  add_entries_for_lines_ending_in(text_size_ - 1, text_size_, 1);
}

void line_sorter::on_threads(std::uint64_t count, const std::function<void(std::uint64_t)>& body) {
  if (count == 1) return body(0);
  team_.run(static_cast<int>(count), [&](int member) { body(static_cast<std::uint64_t>(member)); });
}

// Reading takes half as long again if the thread that reads has to wait for new pages.
void line_sorter::provide_text(std::uint64_t needed) {
  constexpr std::uint64_t large_page = std::uint64_t{1} << 21;
  constexpr std::uint64_t min_bytes = std::uint64_t{1} << 26; // with less text, the excess would be noticed
  constexpr std::uint64_t members = 4;                        // more would wait for one another
  if (threads_ < static_cast<int>(members) || needed <= text_provided_ || needed < min_bytes) return;
  const std::uint64_t begin = text_provided_;
  const std::uint64_t each = ((needed - begin) / (members * large_page) + 1) * large_page;
  const std::uint64_t end = text_size_ + memory_ - std::min(memory_, memory_in_use());
  if (end <= begin) return;
  const auto bound = [&](std::uint64_t member) {
    return std::min({begin + member * each, end, text_.size()});
  };
  on_threads(members, [&](std::uint64_t member) {
    populate(text_.data() + bound(member), bound(member + 1) - bound(member));
  });
  text_provided_ = bound(members);
}

// Plain version:
//     for each terminator: add an entry for the line before it
// Each thread does so for a slice of the text, after all threads have counted the lines that end in their
// slices, because the count says where the entries of the next slice begin.
void line_sorter::add_entries_for_lines_ending_in(std::uint64_t begin, std::uint64_t end,
                                                  std::uint64_t workers) {
  struct slice {
    std::uint64_t begin, end;      // of the text
    std::uint64_t last_line_end{}; // position behind the last terminator, 0 if there is none
    std::uint64_t line{}, entry{}; // where the first line begins, and the index of its entry
    std::uint64_t longest{};
  };
  const std::uint64_t bytes = end - begin;
  const std::uint64_t count = std::clamp<std::uint64_t>(bytes / min_slice_bytes, 1, workers);
  std::vector<slice> slices;
  for (std::uint64_t s = 0; s < count; ++s)
    slices.push_back({begin + bytes * s / count, begin + bytes * (s + 1) / count});
  std::vector<std::uint64_t> lines(count);
  on_threads(count, [&](std::uint64_t s) {
    const std::string_view text(text_.data() + slices[s].begin, slices[s].end - slices[s].begin);
    lines[s] = count_terminators(text, terminator_);
    if (lines[s] > 0) slices[s].last_line_end = slices[s].begin + text.rfind(terminator_) + 1;
  });
  const std::uint64_t first_entry = num_lines_;
  for (std::uint64_t s = 0; s < count; ++s) {
    slices[s].line = complete_size_;
    slices[s].entry = num_lines_;
    num_lines_ += lines[s];
    complete_size_ = std::max(complete_size_, slices[s].last_line_end);
  }
  on_threads(count, [&](std::uint64_t s) {
    auto* entry = reinterpret_cast<uint128*>(entries_.data()) + slices[s].entry;
    const char* text = text_.data();
    const slice own = slices[s];
    std::uint64_t from = own.line, search_from = own.begin, longest = 0;
    while (from < own.last_line_end) {
      const void* found = std::memchr(text + search_from, terminator_, own.end - search_from);
      const auto size = static_cast<std::uint64_t>(static_cast<const char*>(found) - text) - from;
      *entry++ =
          sort_detail::make_entry(sort_detail::word_at({text + from, size}, 0), make_line_id(from, size));
      longest = std::max(longest, size);
      search_from = from += size + 1;
    }
    slices[s].longest = longest;
  });
  for (const slice& each : slices) longest_line_ = std::max(longest_line_, each.longest);
  if (order_.plain()) return;
  const std::uint64_t batch = std::clamp(memory_ / memory_of_batch_line, min_batch_lines, max_batch_lines);
  for (std::uint64_t first = first_entry; first < num_lines_; first += batch)
    encode(first, std::min(num_lines_, first + batch), workers);
}

// Each thread makes its share of the codes in its own memory, which is kept for the next batch unless it is
// large. Then each thread moves its share to the memory of the codes. While a thread makes codes, its string
// shares no cache line with the strings of other threads, because threads that write to the same line wait
// for one another.
void line_sorter::encode(std::uint64_t first, std::uint64_t last, std::uint64_t workers) {
  auto* entries = reinterpret_cast<uint128*>(entries_.data());
  const std::uint64_t lines = last - first;
  const std::uint64_t count = lines < 1000 ? 1 : workers;
  if (batch_codes_.size() < count) batch_codes_.resize(count);
  std::vector<std::string>& codes = batch_codes_;
  const auto begin_of_slice = [&](std::uint64_t s) { return first + lines * s / count; };
  on_threads(count, [&](std::uint64_t s) {
    std::string out = std::move(codes[s]);
    out.clear();
    for (std::uint64_t i = begin_of_slice(s); i < begin_of_slice(s + 1); ++i) {
      const std::uint64_t id = sort_detail::id_of(entries[i]);
      const std::array<std::uint64_t, 2> head = {0, id}; // 0: the size, when it is known
      out.append(reinterpret_cast<const char*>(head.data()), sizeof head);
      const std::uint64_t begin = out.size();
      order_.append_code(line(id | line_id_flag), out);
      const std::uint64_t size = out.size() - begin;
      std::memcpy(out.data() + begin - 16, &size, 8);
      const std::uint64_t word = sort_detail::word_at({out.data() + begin, size}, 0);
      entries[i] = sort_detail::make_entry(word, make_line_id(begin, size)); // begin is relative to the slice
    }
    codes[s] = std::move(out);
  });
  std::vector<std::uint64_t> positions(count);
  for (std::uint64_t s = 0; s < count; ++s) {
    positions[s] = codes_size_;
    codes_size_ += codes[s].size();
  }
  if (codes_size_ > codes_.size())
    throw memory_error("the keys of the lines do not fit the memory for sorting");
  on_threads(count, [&](std::uint64_t s) {
    std::memcpy(codes_.data() + positions[s], codes[s].data(), codes[s].size());
    for (std::uint64_t i = begin_of_slice(s); i < begin_of_slice(s + 1); ++i)
      entries[i] += positions[s] << 24;
    if (codes[s].capacity() > block_bytes) std::string().swap(codes[s]); // it does not count as memory in use
  });
}

std::string_view line_sorter::line(std::uint64_t id) const {
  if (!order_.plain() && (id & line_id_flag) == 0)
    return line(load(codes_.data() + begin_of_line(id) - 8) | line_id_flag);
  const char* begin = text_.data() + begin_of_line(id);
  std::uint64_t size = id & line_size_mask;
  if (size == line_size_mask)
    size +=
        static_cast<std::uint64_t>(static_cast<const char*>(std::memchr(
                                       begin + size, terminator_, text_size_ - begin_of_line(id) - size)) -
                                   begin - static_cast<std::ptrdiff_t>(size));
  return {begin, size};
}

std::string_view line_sorter::code(std::uint64_t id) const {
  const char* begin = codes_.data() + begin_of_line(id);
  const std::uint64_t size = id & line_size_mask;
  return {begin, size == line_size_mask ? load(begin - 16) : size};
}

// Sorts lines of equal codes, which are in the order of the text, by their bytes. Afterwards their entries
// name lines instead of codes.
void line_sorter::sort_equal_codes(std::span<uint128> entries, int threads) const {
  for (uint128& entry : entries) {
    const std::uint64_t id =
        load(codes_.data() + begin_of_line(sort_detail::id_of(entry)) - 8) | line_id_flag;
    entry = sort_detail::make_entry(sort_detail::word_at(line(id), 0), id);
  }
  const auto ignore_run = [](std::span<uint128>) {};
  sort_detail::string_sorter(plain_lines(*this), ignore_run,
                             run_options{.device = {device_kind::cpu}, .threads = threads})
      .sort(entries);
  if (order_.reverse()) std::reverse(entries.begin(), entries.end());
}

void line_sorter::sort() {
  const std::span<uint128> entries(reinterpret_cast<uint128*>(entries_.data()), num_lines_);
  base_detail::run_record record(run_, "lines");
  record.set_work(num_lines_);
  run_info used;
  run_options options = run_;
  options.engine = "auto";
  options.info = &used;
  const sort_detail::line_sort_problem problem{entries,
                                               {text_.data(), text_size_},
                                               {codes_.data(), codes_size_},
                                               !order_.plain() && order_.last_resort(),
                                               order_.reverse()};
  if (!sort_detail::sort_lines(problem, options)) sort_by_words(entries, options);
  record.set_engine(words, used.device);
}

void line_sorter::sort_by_words(std::span<uint128> entries, const run_options& options) const {
  const auto ignore_run = [](std::span<uint128>) {};
  if (order_.plain()) {
    sort_detail::string_sorter(plain_lines(*this), ignore_run, options).sort(entries);
  } else if (order_.last_resort()) {
    const auto by_bytes = [&](std::span<uint128> equal) {
      if (equal.size() > 1) sort_equal_codes(equal, equal.size() < (1U << 16) ? 1 : threads_);
    };
    sort_detail::string_sorter(coded_lines(*this), by_bytes, options).sort(entries);
  } else {
    sort_detail::string_sorter(coded_lines(*this), ignore_run, options).sort(entries);
  }
}

void line_sorter::clear() {
  std::memmove(text_.data(), text_.data() + complete_size_, text_size_ - complete_size_);
  text_size_ -= complete_size_;
  complete_size_ = num_lines_ = codes_size_ = 0;
}

void line_sorter::release_memory() noexcept {
  text_.release_behind(text_size_);
  entries_.release_behind(num_lines_ * sizeof(uint128));
  codes_.release_behind(codes_size_);
  batch_codes_ = {};
  text_provided_ = std::min(text_provided_, text_size_);
}

} // namespace weft
