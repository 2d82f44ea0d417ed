// Computes all pairs of a batch of sequences.
//
// Engine auto computes groups of eight sequences as columns (batch.hpp), each group against all later
// sequences as rows (but metric affine pair by pair, and on a GPU all pairs of short sequences at once). It
// first tries furthest-reaching for each pair, which is faster if the sequences are nearly equal; after 16
// failures in a row it tries only in every 16th row. Groups with long sequences are computed pair by pair
// with engine auto. A named engine computes every pair by itself. The tasks of the threads are one group and
// some rows each.
//
// Unmatched letters have one code in rows and another code in columns, so that none equals another.
// Wildcards have their bits in every match mask.
#include <array>
#include <bit>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>
#include <weft/base/engines.hpp>
#include <weft/base/parallel.hpp>
#include <weft/lcs/cpu/batch.hpp>
#include <weft/lcs/cpu/furthest_reaching.hpp>
#include <weft/lcs/engines.hpp>
#include <weft/lcs/estimates.hpp>

namespace weft {

namespace {

using namespace lcs_detail;

// A batch of sequences, and the computation of the values of all their pairs.
class pair_batch {
public:
  // options.unmatched and options.wildcards contain only letters that occur in the batch.
  pair_batch(const sequences_view& batch, const lcs_options& options)
      : offsets_(batch.offsets), options_(options), count_(batch.count()), coded_(dense_codes(batch.data)),
        run_(options.run), work_(options.run.monitor) {
    const std::string_view symbols = batch.data;
    options_.run.threads = 1;
    options_.run.monitor = nullptr;
    options_.run.info = nullptr;
    options_.helpers = nullptr; // they help one thread
    options_.wildcards.clear();
    for (const char letter : options.wildcards)
      options_.wildcards += static_cast<char>(coded_.codes[symbols.find(letter)]);
    wildcards_ = byte_set(options_.wildcards);
    options_.unmatched.clear();
    if (!options.unmatched.empty()) separate_unmatched(symbols, byte_set(options.unmatched));
  }

  // Takes over values of a batch: those of the pairs of two sequences of at most max_length symbols, which
  // an engine has computed, and which have `cells` cells.
  void take_over(std::vector<std::uint64_t> values, std::uint64_t max_length,
                 const base_detail::engine_description& engine, std::uint64_t cells) {
    values_ = std::move(values);
    known_length_ = max_length;
    count_cells(std::string(engine.name()), cells, {device_kind::gpu, base_detail::gpu_index(run_.device)});
  }

  // Computes all pairs that are not known, whose tables have `all_cells` cells.
  [[nodiscard]] std::vector<std::uint64_t> run(int threads, std::uint64_t all_cells) {
    const std::uint64_t pairs = count_ < 2 ? 0 : cells(count_, count_ - 1) / 2;
    require_memory("comparing all pairs", cells(pairs, 8) + coded_.codes.size(), options_.run.memory);
    values_.resize(pairs);
    const std::uint64_t groups = (count_ + batch_lanes - 1) / batch_lanes;
    const std::uint64_t chunks = (count_ + rows_per_task - 1) / rows_per_task;
    const auto [first_task, last_task] = tasks_of_share(groups * chunks);
    work_.expect(all_cells / options_.share.count);
    parallel_for(first_task, last_task, 1, threads, [&](std::uint64_t task, std::uint64_t) {
      const auto [first, last, begin, end] = pairs_of_task(task);
      if (begin >= end) return;
      std::uint64_t longest = 0;
      for (std::uint64_t j = first; j < last; ++j) longest = std::max<std::uint64_t>(longest, item(j).size());
      if (options_.run.engine == "auto" && longest <= longest_in_batch && !is_affine())
        group_rows(first, last, begin, end, longest);
      else
        single_rows(first, last, begin, end);
    });
    work_.finish();
    report_engine();
    return std::move(values_);
  }

private:
  // The pairs of rows [begin, end) and columns [first, last), as far as the column is before the row.
  struct task_pairs {
    std::uint64_t first, last, begin, end;
  };
  [[nodiscard]] task_pairs pairs_of_task(std::uint64_t task) const {
    const std::uint64_t chunks = (count_ + rows_per_task - 1) / rows_per_task;
    const std::uint64_t first = task / chunks * batch_lanes;
    return {first, std::min(first + batch_lanes, count_), std::max(task % chunks * rows_per_task, first + 1),
            std::min((task % chunks + 1) * rows_per_task, count_)};
  }
  // Returns about the cells of a task, which is right but for the pairs on the diagonal.
  [[nodiscard]] std::uint64_t cells_of_task(std::uint64_t task) const {
    const auto [first, last, begin, end] = pairs_of_task(task);
    return begin >= end ? 0 : cells(offsets_[last] - offsets_[first], offsets_[end] - offsets_[begin]);
  }
  // Returns the range of tasks of the share: those whose cells, in the order of tasks, begin in its part.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> tasks_of_share(std::uint64_t num_tasks) const {
    if (options_.share.count == 1) return {0, num_tasks};
    std::uint64_t all = 0, before = 0;
    for (std::uint64_t task = 0; task < num_tasks; ++task) all += cells_of_task(task);
    std::vector<std::uint64_t> bounds(options_.share.count + 1, num_tasks);
    bounds[0] = 0;
    std::uint64_t share = 0;
    for (std::uint64_t task = 0; task < num_tasks; before += cells_of_task(task++))
      while (share + 1 < options_.share.count &&
             static_cast<double>(before) >= static_cast<double>(all) /
                                                static_cast<double>(options_.share.count) *
                                                static_cast<double>(share + 1))
        bounds[++share] = task;
    return {bounds[options_.share.index], bounds[options_.share.index + 1]};
  }
  // The work that an engine has done.
  struct engine_share {
    device_choice device{};
    std::uint64_t cells = 0;
  };
  void count_cells(const std::string& engine, std::uint64_t cells,
                   device_choice device = {device_kind::cpu, 0}) {
    const std::lock_guard lock(mutex_);
    engine_share& known = engine_shares_[engine];
    known.device = device;
    known.cells += cells;
  }
  // Reports the engine that was used for the greatest number of cells.
  void report_engine() const {
    if (engine_shares_.empty()) return;
    const auto dominant =
        std::max_element(engine_shares_.begin(), engine_shares_.end(),
                         [](const auto& x, const auto& y) { return x.second.cells < y.second.cells; });
    lcs_detail::report_engine(run_, dominant->first, dominant->second.device);
  }

  // Gives unmatched letters another code in columns than in rows.
  void separate_unmatched(std::string_view symbols, const byte_set& unmatched) {
    if (coded_.sigma > 255)
      throw error(errc::invalid_input, "all pairs: if there are unmatched letters, there must be at most "
                                       "254 other letters");
    columns_ = coded_.codes;
    const auto code = static_cast<std::uint8_t>(coded_.sigma++);
    for (std::size_t i = 0; i < symbols.size(); ++i)
      if (unmatched.contains(static_cast<std::uint8_t>(symbols[i]))) columns_[i] = code;
  }
  static constexpr std::uint64_t rows_per_task = 32, longest_in_batch = 1 << 15;

  [[nodiscard]] bool is_affine() const { return options_.metric == lcs_metric::affine; }
  [[nodiscard]] text<std::uint8_t> item(std::uint64_t i) const {
    return text<std::uint8_t>(coded_.codes).subspan(offsets_[i], offsets_[i + 1] - offsets_[i]);
  }
  // Returns sequence j with its codes as columns of a table.
  [[nodiscard]] text<std::uint8_t> column(std::uint64_t j) const {
    if (columns_.empty()) return item(j);
    return text<std::uint8_t>(columns_).subspan(offsets_[j], offsets_[j + 1] - offsets_[j]);
  }
  [[nodiscard]] std::uint64_t& value_at(std::uint64_t i, std::uint64_t j) {
    return values_[i * (i - 1) / 2 + j];
  }

  // Computes the pairs of rows [begin, end) and columns [first, last) one by one.
  void single_rows(std::uint64_t first, std::uint64_t last, std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i)
      for (std::uint64_t j = first; j < std::min(last, i); ++j) {
        if (known_length_ && std::max(item(i).size(), item(j).size()) <= *known_length_) continue;
        task_monitor part(run_.monitor);
        run_info used;
        lcs_options options = options_;
        options.run.monitor = run_.monitor == nullptr ? nullptr : &part;
        options.run.info = &used;
        value_at(i, j) = value_of_pair(i, j, solve_pair(item(i), column(j), options, false).distance);
        const std::uint64_t all = cells(item(i).size(), item(j).size()), counted = part.done() << 20;
        work_.add(all > counted ? all - counted : 0);
        if (used.engine != "auto" && all > 0) count_cells(used.engine, all, used.device);
      }
  }

  // Returns the match masks of the columns [first, last); see batch_columns.
  [[nodiscard]] std::vector<std::uint64_t> match_masks_of(std::uint64_t first, std::uint64_t last,
                                                          std::size_t words) const {
    std::vector<std::uint64_t> masks(coded_.sigma * words * batch_lanes);
    for (std::uint64_t j = first; j < last; ++j)
      for (std::size_t k = 0; k < column(j).size(); ++k)
        masks[(column(j)[k] * words + k / 64) * batch_lanes + (j - first)] |= std::uint64_t{1} << (k % 64);
    if (!options_.wildcards.empty()) add_wildcards(masks, words * batch_lanes);
    return masks;
  }

  // Adds the columns of wildcards to the masks of all codes, and all columns to the masks of wildcards.
  void add_wildcards(std::vector<std::uint64_t>& masks, std::size_t size) const {
    std::vector<std::uint64_t> wild(size), all(size);
    for (std::size_t code = 0; code < coded_.sigma; ++code)
      for (std::size_t k = 0; k < size; ++k) {
        all[k] |= masks[code * size + k];
        if (wildcards_.contains(static_cast<std::uint8_t>(code))) wild[k] |= masks[code * size + k];
      }
    for (std::size_t code = 0; code < coded_.sigma; ++code)
      for (std::size_t k = 0; k < size; ++k)
        masks[code * size + k] |= wildcards_.contains(static_cast<std::uint8_t>(code)) ? all[k] : wild[k];
  }

  // Computes the pairs of rows [begin, end) and columns [first, last), all columns at once.
  void group_rows(std::uint64_t first, std::uint64_t last, std::uint64_t begin, std::uint64_t end,
                  std::uint64_t longest) {
    const std::size_t words = (longest + 63) / 64;
    const std::vector<std::uint64_t> masks = match_masks_of(first, last, words);
    std::vector<std::uint64_t> plus(words * batch_lanes), minus(words * batch_lanes);
    cell_counter uncounted(nullptr);
    const lcs_call call{options_, uncounted, options_.wildcards.empty() ? nullptr : &wildcards_};
    std::uint64_t near_cells = 0, batch_cells = 0;
    int missed = 0; // consecutive pairs that were not nearly equal
    for (std::uint64_t i = begin; i < end; ++i) {
      const text<std::uint8_t> a = item(i);
      std::array<bool, batch_lanes> done{};
      bool all_done = true;
      for (std::uint64_t j = first; j < std::min(last, i); ++j) {
        const std::uint64_t all = cells(a.size(), item(j).size());
        work_.add(all);
        if (missed < 16 || i % 16 == 0)
          if (const auto distance =
                  furthest_reaching_distance(a, column(j), call, near_steps(a.size(), column(j).size()))) {
            near_cells += all;
            value_at(i, j) = value_of_pair(i, j, *distance);
            done[j - first] = true;
            missed = 0;
            continue;
          }
        ++missed;
        batch_cells += all;
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
          value_at(i, j) = value_of_pair(i, j, distance_of(plus, minus, j - first, a.size(), item(j).size()));
    }
    if (near_cells > 0) count_cells("furthest-reaching", near_cells);
    if (batch_cells > 0) count_cells("bit-parallel", batch_cells);
  }

  // Returns the steps of furthest-reaching that take as long as a table of a group.
  [[nodiscard]] std::uint64_t near_steps(std::uint64_t m, std::uint64_t n) const {
    return steps_within(std::min(1e12, table_cells(m, n) / batch_speed_));
  }

  // Returns the distance at the end of the last row, from the differences along that row.
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

  [[nodiscard]] std::uint64_t value_of_pair(std::uint64_t i, std::uint64_t j, std::uint64_t distance) const {
    return value_of(options_.metric, item(i).size(), item(j).size(), distance);
  }

  const double batch_speed_ = batch_speed();
  std::span<const std::uint64_t> offsets_;
  lcs_options options_; // for a single pair: one thread; letters are codes
  std::uint64_t count_;
  coded_bytes coded_;
  std::vector<std::uint8_t> columns_; // codes of sequences as columns; empty if they equal the codes of rows
  byte_set wildcards_;                // as codes
  run_options run_;                   // the caller's
  std::mutex mutex_;
  std::map<std::string, engine_share> engine_shares_; // by the name of the engine
  std::vector<std::uint64_t> values_;
  std::optional<std::uint64_t> known_length_; // see take_over(), which only metric affine uses
  cell_counter work_;
};

// Returns whether a GPU engine computes all pairs with `gpu_cells` cells at once.
bool goes_to_gpu(const gpu_batch_engine& gpu, const run_options& run, std::uint64_t gpu_cells) {
  return run.engine == gpu.name() || run.device.kind == device_kind::gpu ||
         (gpu.is_worthwhile_for_pairs(static_cast<double>(gpu_cells), thread_count(run.threads)) &&
          gpu.is_usable());
}

// Computes lcs_all_pairs at once on a GPU, and pairs with sequences that are too long for its engine on the
// CPU. Returns nothing if the pairs have to be computed otherwise, and throws memory_error instead if a GPU
// is required. Shares of pairs are computed here only if a GPU is required, because a GPU divides the pairs
// otherwise than a CPU, and no process knows what the others would choose.
std::optional<std::vector<std::uint64_t>> all_pairs_on_gpu(const sequences_view& batch,
                                                           const lcs_options& options, bool required,
                                                           std::uint64_t all_cells) {
  const run_options& run = options.run;
  const gpu_batch_engine* const gpu = find_gpu_batch_engine(options.metric);
  if (gpu == nullptr || (run.engine != "auto" && run.engine != gpu->name()) ||
      run.device.kind == device_kind::cpu || (options.share.count > 1 && !required) ||
      !options.wildcards.empty() || (!options.unmatched.empty() && options.metric != lcs_metric::affine))
    return std::nullopt;
  const std::uint64_t max_length = gpu->max_length(batch, options);
  if (max_length == 0) return std::nullopt;
  const std::uint64_t gpu_cells = cells_of_short_pairs(batch.offsets, max_length) / options.share.count;
  if (!goes_to_gpu(*gpu, run, gpu_cells)) return std::nullopt;
  auto values =
      base_detail::try_within_memory(required, run.monitor, [&] { return gpu->all_pairs(batch, options); });
  if (!values) return std::nullopt;
  report_engine(run, gpu->name(), {device_kind::gpu, base_detail::gpu_index(run.device)});
  bool has_long = false;
  for (std::uint64_t i = 0; i < batch.count(); ++i) has_long |= batch.size(i) > max_length;
  if (!has_long) return values;
  lcs_options rest = options;
  rest.run.engine = "auto";
  rest.run.device = {device_kind::cpu, 0};
  pair_batch long_pairs(batch, rest);
  long_pairs.take_over(std::move(*values), max_length, *gpu, gpu_cells);
  return long_pairs.run(run.threads, all_cells - std::min(all_cells, gpu_cells * options.share.count));
}

// Computes lcs_all_pairs on the devices that options allow. If there are wildcards, or unmatched letters that
// matter, pairs are computed on the CPU, or one at a time on the GPU.
std::vector<std::uint64_t> all_pairs(const sequences_view& batch, const lcs_options& options) {
  const run_options& run = options.run;
  const lcs_engine* const named = find_engine(run.engine);
  const bool required = run.device.kind == device_kind::gpu || (named != nullptr && named->on_gpu());
  const std::uint64_t all_cells = cells_of_all_pairs(batch.offsets);
  if (auto values = all_pairs_on_gpu(batch, options, required, all_cells)) return std::move(*values);
  lcs_options pair_options = options;
  if (!required) pair_options.run.device = {device_kind::cpu, 0};
  if (required && named == nullptr) pair_options.run.engine = find_gpu_batch_engine(options.metric)->name();
  // On a GPU, one pair at a time is computed.
  return pair_batch(batch, pair_options).run(required ? 1 : run.threads, all_cells);
}

// all_pairs() for metrics without substitutions. Removes unmatched letters, which leaves every LCS as it
// is, and adds their numbers to indel distances.
std::vector<std::uint64_t> all_pairs_of_matched(const sequences_view& batch, lcs_options options) {
  const byte_set unmatched(options.unmatched);
  options.unmatched.clear();
  std::string kept;
  std::vector<std::uint64_t> kept_offsets = {0}, num_removed;
  for (std::uint64_t i = 0; i < batch.count(); ++i) {
    for (const char c : batch[i])
      if (!unmatched.contains(static_cast<std::uint8_t>(c))) kept += c;
    kept_offsets.push_back(kept.size());
    num_removed.push_back(batch.size(i) - (kept.size() - kept_offsets[i]));
  }
  std::vector<std::uint64_t> values = all_pairs({kept, kept_offsets}, options);
  if (options.metric == lcs_metric::indel &&
      options.share.index == 0) // added once, whoever computed the pair
    for (std::size_t i = 1, at = 0; i < num_removed.size(); ++i)
      for (std::size_t j = 0; j < i; ++j, ++at) values[at] += num_removed[i] + num_removed[j];
  return values;
}

// Returns the letters that occur in a text.
std::string find_occurring(std::string_view letters, std::string_view symbols) {
  std::string found;
  for (const char letter : letters)
    if (symbols.find(letter) != std::string_view::npos) found += letter;
  return found;
}

} // namespace

std::vector<std::uint64_t> lcs_all_pairs(const sequences_view& batch, const lcs_options& options) {
  check_sequences(batch, "lcs_all_pairs");
  if (options.share.index >= options.share.count)
    throw std::invalid_argument("lcs_all_pairs: the index of the share must be less than their count");
  base_detail::run_record record(options.run, "cells");
  check_all_pairs_options(options);
  report_requested_engine(options.run);
  record.set_work(cells_of_all_pairs(batch.offsets));
  lcs_options used_options = options;
  used_options.unmatched = find_occurring(options.unmatched, batch.data);
  used_options.wildcards = find_occurring(options.wildcards, batch.data);
  if (!used_options.wildcards.empty()) require_wildcards(options);
  const bool substitutes = options.metric == lcs_metric::edit || options.metric == lcs_metric::affine;
  if (used_options.unmatched.empty() || substitutes) return all_pairs(batch, used_options);
  return all_pairs_of_matched(batch, used_options);
}

} // namespace weft
