// The plain version, for the sentinel form, in which row 0 is the suffix that consists of the end mark:
//     next[row of suffix i] = row of suffix i + 1: the k-th row that begins with c leads to the k-th row
//                             that is preceded by c, because rows preceded by the same byte have the order of
//                             the rows that begin with that byte
//     row = primary_index; n times: text[i] = first byte of row, row = next[row]
//
// Each step waits for memory. So many rows are marked as starts of chains, and each chain is followed until
// it reaches a marked row: it yields a segment of the text, and the marked row identifies the chain that
// continues it. A thread follows `lanes` chains at a time, so that their reads overlap. Finally the segments
// are joined in order, beginning with the chain of primary_index. If they do not form the whole text, `next`
// has several cycles, and no text has this transform.
//
// - The first byte of a row: rows that begin with the same byte are adjacent, so a table indexed by row >>
//   shift leads to it.
// - Whether a row is marked is known without looking it up, because the entry that leads to it has a flag.
// - Rotation form of u^k: `next` has k cycles of |u| rows. The k rows of each rotation of u are adjacent, so
//   every k-th byte belongs to the transform of u, which is inverted alone and repeated.
#include <weft/bwt/cpu/text_algorithms.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>
#include <weft/base/parallel.hpp>
#include <weft/bwt/entry/argument_checks.hpp>
#include <weft/bwt/entry/solve.hpp>

namespace weft::bwt_detail {

namespace {

constexpr int lanes = 16;

struct segment {
  std::string bytes;
  std::uint64_t next_chain = 0;
};

template <class Index> class chains_inverter {
public:
  chains_inverter(std::string_view bytes, std::uint64_t primary_index, bool sentinel, std::uint64_t chains,
                  const run_options& options)
      : bytes_(bytes), sentinel_(sentinel), rows_(bytes.size() + (sentinel ? 1 : 0)), options_(options),
        next_(std::make_unique_for_overwrite<Index[]>(rows_)) {
    fill_next(primary_index);
    starts_ = {primary_index};
    const std::uint64_t stride = rows_ / chains + 1;
    for (std::uint64_t row = stride / 2; row < rows_; row += stride)
      if (row != primary_index && !(sentinel && row == 0)) starts_.push_back(row);
    std::sort(starts_.begin(), starts_.end());
    mark_starts();
    segments_.resize(starts_.size());
  }

  // Returns the bytes along the cycle of primary_index, which are the text if the cycle passes through all
  // rows.
  std::string run(std::uint64_t primary_index) {
    std::atomic<std::uint64_t> claimed{0};
    run_team(thread_count(options_.threads), [&](int) { follow(claimed); });
    std::string text;
    text.reserve(bytes_.size());
    const std::uint64_t first = chain_of(primary_index);
    std::uint64_t chain = first;
    do {
      text += segments_[chain].bytes;
      segments_[chain].bytes = std::string();
      chain = segments_[chain].next_chain;
    } while (chain != first && chain != ended);
    return text;
  }

private:
  static constexpr std::uint64_t ended = std::numeric_limits<std::uint64_t>::max();
  static constexpr Index flag = Index{1} << (sizeof(Index) * 8 - 1);

  void fill_next(std::uint64_t primary_index) {
    std::array<std::uint64_t, 256> counts{};
    for (const char c : bytes_) ++counts[static_cast<unsigned char>(c)];
    std::uint64_t sum = sentinel_ ? 1 : 0;
    for (int c = 0; c < 256; ++c) {
      begin_[static_cast<std::size_t>(c)] = sum;
      sum += counts[static_cast<std::size_t>(c)];
    }
    begin_[256] = sum;
    std::array<std::uint64_t, 256> next_slot;
    std::copy_n(begin_.begin(), 256, next_slot.begin());
    if (sentinel_) next_[0] = static_cast<Index>(primary_index);
    for (std::uint64_t i = 0; i < bytes_.size(); ++i) {
      const std::uint64_t row = i + (sentinel_ && i >= primary_index ? 1 : 0);
      next_[next_slot[static_cast<unsigned char>(bytes_[i])]++] = static_cast<Index>(row);
    }
    shift_ = std::max(0, static_cast<int>(std::bit_width(rows_)) - 16);
    first_byte_.resize((rows_ >> shift_) + 1);
    unsigned byte = 0;
    for (std::uint64_t cell = 0; cell < first_byte_.size(); ++cell) {
      while (byte < 255 && begin_[byte + 1] <= cell << shift_) ++byte;
      first_byte_[cell] = static_cast<std::uint8_t>(byte);
    }
  }

  [[nodiscard]] unsigned first_byte(std::uint64_t row) const {
    unsigned byte = first_byte_[row >> shift_];
    while (row >= begin_[byte + 1]) ++byte;
    return byte;
  }

  // Finds and flags the entry that leads to each start. The k-th row that is preceded by c is the target of
  // the k-th row that begins with c.
  void mark_starts() {
    std::array<std::uint64_t, 256> seen;
    std::copy_n(begin_.begin(), 256, seen.begin());
    const std::uint64_t primary = sentinel_ ? next_[0] : 0;
    std::size_t start = 0;
    for (std::uint64_t i = 0; i < bytes_.size() && start < starts_.size(); ++i) {
      const std::uint64_t row = i + (sentinel_ && i >= primary ? 1 : 0);
      const std::uint64_t entry = seen[static_cast<unsigned char>(bytes_[i])]++;
      if (sentinel_ && start < starts_.size() && starts_[start] == primary && row > primary) ++start;
      if (start < starts_.size() && starts_[start] == row) {
        next_[entry] = static_cast<Index>(next_[entry] | flag);
        ++start;
      }
    }
  }

  [[nodiscard]] std::uint64_t chain_of(std::uint64_t row) const {
    return static_cast<std::uint64_t>(std::lower_bound(starts_.begin(), starts_.end(), row) -
                                      starts_.begin());
  }

  // Follows chains as one thread, `lanes` chains in step. A chain ends at a marked row or, in the sentinel
  // form, at row 0.
  void follow(std::atomic<std::uint64_t>& claimed) {
    struct lane {
      std::uint64_t row = 0, chain = 0;
      std::string bytes;
      bool active = false;
    };
    std::array<lane, lanes> team;
    int active = 0;
    const auto claim = [&](lane& each) {
      each.chain = claimed++;
      each.active = each.chain < starts_.size();
      if (!each.active) return;
      each.row = starts_[each.chain];
      each.bytes.clear();
      ++active;
    };
    for (lane& each : team) claim(each);
    while (active > 0)
      for (lane& each : team) {
        if (!each.active) continue;
        each.bytes.push_back(static_cast<char>(first_byte(each.row)));
        const Index entry = next_[each.row];
        each.row = entry & static_cast<Index>(~flag);
        __builtin_prefetch(&next_[each.row]);
        const bool at_end = sentinel_ && each.row == 0;
        if ((entry & flag) == 0 && !at_end) continue;
        segments_[each.chain].bytes = each.bytes;
        segments_[each.chain].next_chain = at_end ? ended : chain_of(each.row);
        if (options_.monitor != nullptr) {
          options_.monitor->check();
          options_.monitor->add(each.bytes.size());
        }
        --active;
        claim(each);
      }
  }

  std::string_view bytes_;
  bool sentinel_;
  std::uint64_t rows_;
  const run_options& options_;
  std::unique_ptr<Index[]> next_; // row of the suffix one byte shorter; flag: that row is a start
  std::array<std::uint64_t, 257> begin_{};
  int shift_ = 0;
  std::vector<std::uint8_t> first_byte_;
  std::vector<std::uint64_t> starts_;
  std::vector<segment> segments_;
};

template <class Index>
std::string follow_cycle(std::string_view bytes, std::uint64_t primary_index, bool sentinel,
                         std::uint64_t chains, const run_options& options) {
  return chains_inverter<Index>(bytes, primary_index, sentinel, chains, options).run(primary_index);
}

} // namespace

template <class Index>
std::string inverse_by_chains(std::string_view bytes, std::uint64_t primary_index, bwt_form form,
                              std::uint64_t chains, const run_options& options) {
  const std::uint64_t n = bytes.size();
  const bool sentinel = form == bwt_form::sentinel;
  std::string text = follow_cycle<Index>(bytes, primary_index, sentinel, chains, options);
  if (text.size() == n) return text;
  const std::uint64_t period = text.size();
  if (sentinel || n % period != 0 || primary_index % (n / period) != 0) refuse_transform();
  const std::uint64_t times = n / period;
  std::string once;
  for (std::uint64_t i = 0; i < n; i += times) {
    if (bytes.substr(i, times).find_first_not_of(bytes[i]) != std::string_view::npos) refuse_transform();
    once += bytes[i];
  }
  if (follow_cycle<Index>(once, primary_index / times, false, chains, options) != text) refuse_transform();
  text.reserve(n);
  for (std::uint64_t i = 1; i < times; ++i) text.append(text, 0, period);
  return text;
}

template std::string inverse_by_chains<std::uint32_t>(std::string_view, std::uint64_t, bwt_form,
                                                      std::uint64_t, const run_options&);
template std::string inverse_by_chains<std::uint64_t>(std::string_view, std::uint64_t, bwt_form,
                                                      std::uint64_t, const run_options&);

void invert(inverse_problem& problem) {
  const std::uint64_t n = problem.bytes.size(), chains = std::clamp<std::uint64_t>(n / 256, 1, 8192);
  const bool small = n + 1 < index_32_limit;
  require_memory(n * (small ? 6 : 10), problem.run.memory, "the inverse transform");
  problem.text = small ? inverse_by_chains<std::uint32_t>(problem.bytes, problem.primary_index, problem.form,
                                                          chains, problem.run)
                       : inverse_by_chains<std::uint64_t>(problem.bytes, problem.primary_index, problem.form,
                                                          chains, problem.run);
}

} // namespace weft::bwt_detail
