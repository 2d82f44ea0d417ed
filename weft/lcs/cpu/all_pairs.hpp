// All pairs of a batch.
//
// auto: the sequences are taken in groups of eight as columns (batch.hpp), against all later ones as rows.
// Pairs that are nearly equal go through furthest-reaching, tried first and less often after it has given up;
// long ones through auto one by one. A named engine does every pair by itself. Threads: tasks of one group
// and some rows.
#pragma once

#include <array>
#include <bit>
#include <vector>
#include <weft/base/parallel.hpp>
#include <weft/lcs/cpu/automatic.hpp>
#include <weft/lcs/cpu/batch.hpp>
#include <weft/lcs/entry/engine_basics.hpp>

namespace weft::lcs_cpu {

class pair_batch {
public:
  pair_batch(std::string_view symbols, std::span<const std::uint64_t> offsets, const lcs_options& options)
      : offsets_(offsets), options_(options), count_(offsets.empty() ? 0 : offsets.size() - 1),
        coded_(dense_codes(symbols)), work_(options.monitor) {
    options_.threads = 1;
    options_.monitor = nullptr;
    options_.used = nullptr;
  }

  // The cells of all tables.
  [[nodiscard]] std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < count_; ++i) sum += cells(item(i).size(), offsets_[i] - offsets_[0]);
    return sum;
  }

  // value(a, b, options) computes a pair by itself.
  template <class Value> [[nodiscard]] std::vector<std::uint64_t> run(int threads, const Value& value) {
    const std::uint64_t pairs = count_ < 2 ? 0 : cells(count_, count_ - 1) / 2;
    require_memory("all pairs", cells(pairs, 8) + coded_.codes.size(), options_.memory);
    values_.resize(pairs);
    work_.expect(total());
    const std::uint64_t groups = (count_ + batch_lanes - 1) / batch_lanes;
    const std::uint64_t chunks = (count_ + rows_a_task - 1) / rows_a_task;
    parallel_for(0, groups * chunks, 1, threads, [&](std::uint64_t task, std::uint64_t) {
      const std::uint64_t first = task / chunks * batch_lanes, last = std::min(first + batch_lanes, count_);
      const std::uint64_t begin = std::max(task % chunks * rows_a_task, first + 1);
      const std::uint64_t end = std::min((task % chunks + 1) * rows_a_task, count_);
      if (begin >= end) return;
      std::uint64_t longest = 0;
      for (std::uint64_t j = first; j < last; ++j) longest = std::max<std::uint64_t>(longest, item(j).size());
      if (options_.engine == "auto" && longest <= longest_in_batch)
        group_rows(first, last, begin, end, longest);
      else
        single_rows(first, last, begin, end, value);
    });
    work_.finish();
    return std::move(values_);
  }

private:
  static constexpr std::uint64_t rows_a_task = 32, longest_in_batch = 1 << 15;

  [[nodiscard]] text<std::uint8_t> item(std::uint64_t i) const {
    return text<std::uint8_t>(coded_.codes).subspan(offsets_[i], offsets_[i + 1] - offsets_[i]);
  }
  [[nodiscard]] std::uint64_t& value_at(std::uint64_t i, std::uint64_t j) {
    return values_[i * (i - 1) / 2 + j];
  }

  template <class Value>
  void single_rows(std::uint64_t first, std::uint64_t last, std::uint64_t begin, std::uint64_t end,
                   const Value& value) {
    for (std::uint64_t i = begin; i < end; ++i)
      for (std::uint64_t j = first; j < std::min(last, i); ++j) {
        value_at(i, j) = value(item(i), item(j), options_);
        work_.add(cells(item(i).size(), item(j).size()));
      }
  }

  [[nodiscard]] std::vector<std::uint64_t> match_masks_of(std::uint64_t first, std::uint64_t last,
                                                          std::size_t words) const {
    std::vector<std::uint64_t> masks(coded_.sigma * words * batch_lanes);
    for (std::uint64_t j = first; j < last; ++j)
      for (std::size_t k = 0; k < item(j).size(); ++k)
        masks[(item(j)[k] * words + k / 64) * batch_lanes + (j - first)] |= std::uint64_t{1} << (k % 64);
    return masks;
  }

  void group_rows(std::uint64_t first, std::uint64_t last, std::uint64_t begin, std::uint64_t end,
                  std::uint64_t longest) {
    const std::size_t words = (longest + 63) / 64;
    const std::vector<std::uint64_t> masks = match_masks_of(first, last, words);
    std::vector<std::uint64_t> plus(words * batch_lanes), minus(words * batch_lanes);
    progress silent(nullptr);
    automatic near(options_, silent);
    int missed = 0; // pairs in a row that were not nearly equal
    for (std::uint64_t i = begin; i < end; ++i) {
      const text<std::uint8_t> a = item(i);
      std::array<bool, batch_lanes> done{};
      bool all_done = true;
      for (std::uint64_t j = first; j < std::min(last, i); ++j) {
        work_.add(cells(a.size(), item(j).size()));
        if (missed < 16 || i % 16 == 0)
          if (const auto distance = near.near_distance_within(a, item(j), cells_a_second_)) {
            value_at(i, j) = value_of(*distance, a.size(), item(j).size());
            done[j - first] = true;
            missed = 0;
            continue;
          }
        ++missed;
        all_done = false;
      }
      if (all_done) continue;
      std::fill(plus.begin(), plus.end(), ~std::uint64_t{0});
      std::fill(minus.begin(), minus.end(), 0);
      if (options_.metric == lcs_metric::edit)
        edit_batch({masks.data(), words}, a.data(), a.size(), plus.data(), minus.data());
      else
        lcs_batch({masks.data(), words}, a.data(), a.size(), plus.data());
      for (std::uint64_t j = first; j < std::min(last, i); ++j)
        if (!done[j - first])
          value_at(i, j) = value_of(distance_of(plus, minus, j - first, a.size(), item(j).size()), a.size(),
                                    item(j).size());
    }
  }

  // The distance at the end of the last row, from the differences along it.
  [[nodiscard]] std::uint64_t distance_of(const std::vector<std::uint64_t>& plus,
                                          const std::vector<std::uint64_t>& minus, std::size_t lane,
                                          std::uint64_t m, std::uint64_t n) const {
    std::uint64_t distance = m;
    for (std::uint64_t k = 0; k < n; k += 64) {
      const std::uint64_t used = n - k >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (n - k)) - 1;
      const std::uint64_t up = plus[k / 64 * batch_lanes + lane];
      const std::uint64_t down =
          options_.metric == lcs_metric::edit ? minus[k / 64 * batch_lanes + lane] : ~up;
      distance += static_cast<std::uint64_t>(std::popcount(up & used));
      distance -= static_cast<std::uint64_t>(std::popcount(down & used));
    }
    return distance;
  }

  [[nodiscard]] std::uint64_t value_of(std::uint64_t distance, std::uint64_t m, std::uint64_t n) const {
    return options_.metric == lcs_metric::lcs ? (m + n - distance) / 2 : distance;
  }

  const double cells_a_second_ = 50e9 * static_cast<double>(vector_words()); // of batch.hpp, about
  std::span<const std::uint64_t> offsets_;
  lcs_options options_; // of a pair: one thread, no monitor
  std::uint64_t count_;
  coded_bytes coded_;
  std::vector<std::uint64_t> values_;
  progress work_;
};

} // namespace weft::lcs_cpu
