#include <weft/lcs/lcs.hpp>

#include <algorithm>
#include <array>
#include <weft/base/if_it_fits.hpp>
#include <weft/lcs/cpu/all_pairs.hpp>
#include <weft/lcs/cpu/automatic.hpp>
#include <weft/lcs/entry/engine_choice.hpp>
#include <weft/lcs/entry/full_table.hpp>
#include <weft/lcs/entry/gpu_table.hpp>
#include <weft/lcs/entry/letters.hpp>
#include <weft/lcs/published/two_row.hpp>

namespace weft {

namespace {

using namespace lcs_cpu;

text<std::uint8_t> bytes(std::string_view symbols) {
  return {reinterpret_cast<const std::uint8_t*>(symbols.data()), symbols.size()};
}

// Throws error(invalid_input) if there are both wildcards and unmatched letters.
void check_letters(const lcs_options& options) {
  if (!options.wildcards.empty() && !options.unmatched.empty())
    throw error(errc::invalid_input, "lcs: wildcards do not go with unmatched letters");
}

// Throws error(invalid_input) if options set wildcards or unmatched letters, which are for bytes only.
void require_no_letters(const lcs_options& options) {
  if (!options.wildcards.empty() || !options.unmatched.empty())
    throw error(errc::invalid_input, "lcs: wildcards and unmatched letters are for texts of bytes");
}

// Throws error(invalid_input) if the engine cannot compare wildcards, or would run on a GPU.
void require_wildcards(const engine_choice& choice) {
  if (choice.device.kind == device_kind::gpu)
    throw error(errc::invalid_input,
                "lcs: letters that match any letter are compared on the CPU only, not on device gpu");
  if (choice.id != engine::automatic && choice.id != engine::bit_parallel)
    throw error(errc::invalid_input, "lcs: letters that match any letter are compared by engine auto or "
                                     "bit-parallel only");
}

// Returns the letters that occur in a text.
std::string find_occurring(std::string_view letters, std::string_view symbols) {
  std::string found;
  for (const char letter : letters)
    if (symbols.find(letter) != std::string_view::npos) found += letter;
  return found;
}

// Returns a copy of a text with symbol `by` in place of the letters of a set.
template <class Symbol>
std::vector<Symbol> replace_letters(text<std::uint8_t> bytes, const byte_set& set, Symbol by) {
  std::vector<Symbol> symbols(bytes.size());
  std::transform(bytes.begin(), bytes.end(), symbols.begin(),
                 [&](std::uint8_t byte) { return set.contains(byte) ? by : Symbol{byte}; });
  return symbols;
}

// Calls use(x, y) with texts that equal a and b, except that the options.unmatched letters are one symbol
// in x and another symbol in y, and neither symbol occurs elsewhere.
template <class Use>
auto with_letters(std::string_view a, std::string_view b, const lcs_options& options, const Use& use) {
  const byte_set unmatched(options.unmatched);
  const text<std::uint8_t> x = bytes(a), y = bytes(b);
  if (options.unmatched.empty() || !unmatched.occurs_in(x) || !unmatched.occurs_in(y)) return use(x, y);
  std::array<bool, 256> taken{};
  for (const text<std::uint8_t> symbols : {x, y})
    for (const std::uint8_t byte : symbols) taken[byte] = !unmatched.contains(byte);
  const auto of_a = std::find(taken.begin(), taken.end(), false);
  const auto of_b = std::find(of_a + 1, taken.end(), false);
  if (of_b == taken.end()) { // there are 255 other letters, but numbers have symbols left
    const auto p = replace_letters<std::uint32_t>(x, unmatched, 256),
               q = replace_letters<std::uint32_t>(y, unmatched, 257);
    return use(text<std::uint32_t>(p), text<std::uint32_t>(q));
  }
  const auto p = replace_letters(x, unmatched, static_cast<std::uint8_t>(of_a - taken.begin()));
  const auto q = replace_letters(y, unmatched, static_cast<std::uint8_t>(of_b - taken.begin()));
  return use(text<std::uint8_t>(p), text<std::uint8_t>(q));
}

// The wildcards of a call: get() returns null if the texts contain none.
template <class Symbol> class used_wildcards {
public:
  used_wildcards(text<Symbol> a, text<Symbol> b, const lcs_options& options, const engine_choice& choice)
      : set_(options.wildcards) {
    if constexpr (sizeof(Symbol) == 1)
      used_ = !options.wildcards.empty() && (set_.occurs_in(a) || set_.occurs_in(b));
    if (used_) require_wildcards(choice);
  }
  [[nodiscard]] const byte_set* get() const { return used_ ? &set_ : nullptr; }

private:
  byte_set set_;
  bool used_ = false;
};

// Checks the options, and reports the requested engine.
engine_choice begin_call(const lcs_options& options) {
  check_letters(options);
  const engine_choice choice = choose_engine(options);
  report_engine(options.run, options.run.engine,
                runs_on_gpu(choice.id) ? choice.device : device_choice{device_kind::cpu, 0});
  return choice;
}

// Returns the distance that the path minimises; see entry/engine_basics.hpp.
template <class Symbol>
std::uint64_t distance(text<Symbol> a, text<Symbol> b, const engine_choice& choice,
                       const lcs_options& options, progress& work, const byte_set* wildcards) {
  if (a.empty() || b.empty()) return a.size() + b.size();
  const bool substitute = options.metric == lcs_metric::edit;
  switch (choice.id) {
  case engine::hirschberg_dp:
    require_memory("hirschberg-dp", two_row_engine<Symbol>::memory(b.size()), options.run.memory);
    return two_row_engine<Symbol>(substitute, work).distance(a, b);
  case engine::bit_parallel:
    require_memory("bit-parallel", bit_parallel_engine<Symbol>::memory(a.size(), b.size()),
                   options.run.memory);
    return bit_parallel_engine<Symbol>(substitute, work, wildcards)
        .distance(a, b, thread_count(options.run.threads));
  case engine::bit_sliced:
    return lcs_cpu::automatic(options, work).whole_distance(a, b);
  case engine::furthest_reaching:
    return lcs_cpu::automatic(options, work).near_distance(a, b);
  case engine::hunt_szymanski:
    return lcs_cpu::automatic(options, work).sparse_distance(a, b);
  case engine::systolic:
  case engine::wavefront:
    return lcs_cpu::automatic(options, work, make_gpu_table(choice, options).get()).whole_distance(a, b);
  case engine::automatic:
    break;
  }
  return lcs_cpu::automatic(options, work, make_gpu_table(choice, options).get(), wildcards).distance(a, b);
}

// Returns the canonical path.
template <class Symbol>
edit_script path(text<Symbol> a, text<Symbol> b, const engine_choice& choice, const lcs_options& options,
                 progress& work, const byte_set* wildcards) {
  const bool substitute = options.metric == lcs_metric::edit;
  edit_script path;
  if (a.empty() || b.empty()) {
    append_unmatched(path, a.size(), b.size());
    return path;
  }
  switch (choice.id) {
  case engine::hirschberg_dp: {
    require_memory("hirschberg-dp", two_row_engine<Symbol>::memory(b.size()), options.run.memory);
    work.expect_more(cells(a.size(), b.size())); // Hirschberg's recursion computes the table twice
    two_row_engine<Symbol> rows(substitute, work);
    return hirschberg_path("hirschberg-dp", rows, a, b, thread_count(options.run.threads),
                           two_row_engine<Symbol>::memory(b.size()), options.run.memory);
  }
  case engine::bit_parallel: {
    require_memory("bit-parallel", bit_parallel_engine<Symbol>::memory(a.size(), b.size()),
                   options.run.memory);
    work.expect_more(cells(a.size(), b.size()));
    bit_parallel_engine<Symbol> words(substitute, work, wildcards);
    return hirschberg_path("bit-parallel", words, a, b, thread_count(options.run.threads),
                           bit_parallel_engine<Symbol>::memory(a.size(), b.size()), options.run.memory);
  }
  case engine::bit_sliced:
    return lcs_cpu::automatic(options, work).whole_path(a, b);
  case engine::furthest_reaching:
    return lcs_cpu::automatic(options, work).near_path(a, b);
  case engine::hunt_szymanski:
    return lcs_cpu::automatic(options, work).sparse_path(a, b);
  case engine::systolic:
  case engine::wavefront:
    return lcs_cpu::automatic(options, work, make_gpu_table(choice, options).get()).whole_path(a, b);
  case engine::automatic:
    break;
  }
  return lcs_cpu::automatic(options, work, make_gpu_table(choice, options).get(), wildcards).path(a, b);
}

// Checks the options, and computes the canonical path with progress.
template <class Symbol> edit_script find_path(text<Symbol> a, text<Symbol> b, const lcs_options& options) {
  const engine_choice choice = begin_call(options);
  progress work(options.run.monitor);
  work.expect(cells(a.size(), b.size()));
  const used_wildcards<Symbol> wildcards(a, b, options, choice);
  edit_script found = path(a, b, choice, options, work, wildcards.get());
  work.finish();
  return found;
}

// Checks the options, and computes the value of the metric with progress.
template <class Symbol> std::uint64_t value(text<Symbol> a, text<Symbol> b, const lcs_options& options) {
  const engine_choice choice = begin_call(options);
  progress work(options.run.monitor);
  work.expect(cells(a.size(), b.size()));
  const used_wildcards<Symbol> wildcards(a, b, options, choice);
  const std::uint64_t min_distance = distance(a, b, choice, options, work, wildcards.get());
  work.finish();
  return options.metric == lcs_metric::lcs ? (a.size() + b.size() - min_distance) / 2 : min_distance;
}

// Computes lcs_all_pairs on the devices that options allow. If there are unmatched letters or wildcards,
// pairs are computed on the CPU, or one at a time on the GPU.
std::vector<std::uint64_t> all_pairs(const sequences_view& batch, engine_choice choice,
                                     const lcs_options& options) {
  lcs_options pair_options = options;
  pair_options.run.device = runs_on_gpu(choice.id) ? choice.device : device_choice{device_kind::cpu, 0};
  const bool required = choice.device.kind == device_kind::gpu;
  const bool plain = options.unmatched.empty() && options.wildcards.empty();
  if (!plain && required && choice.id == engine::automatic) {
    pair_options.run.engine = "systolic"; // computes pairs one by one
    pair_options.run.device = choice.device;
  }
  pair_batch pairs(batch, pair_options);
  if (plain && all_pairs_on_gpu(choice, pairs.total_cells()))
    if (auto values = base_detail::if_it_fits(required, options.run.monitor,
                                              [&] { return gpu_all_pairs(batch, choice, options); }))
      return std::move(*values);
  // On a GPU, one pair at a time is computed.
  return pairs.run(pair_options.run.device.kind == device_kind::gpu ? 1 : options.run.threads,
                   [](auto a, auto b, const lcs_options& inner) { return value(a, b, inner); });
}

// all_pairs() for metrics without substitutions. Removes unmatched letters, which leaves every LCS as it
// is, and adds their numbers to indel distances.
std::vector<std::uint64_t> all_pairs_of_matched(const sequences_view& batch, const engine_choice& choice,
                                                lcs_options options) {
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
  std::vector<std::uint64_t> values = all_pairs({kept, kept_offsets}, choice, options);
  if (options.metric == lcs_metric::indel)
    for (std::size_t i = 1, at = 0; i < num_removed.size(); ++i)
      for (std::size_t j = 0; j < i; ++j, ++at) values[at] += num_removed[i] + num_removed[j];
  return values;
}

// Returns the number that `metric` names, and reports the call.
std::uint64_t reported_value(std::string_view a, std::string_view b, lcs_metric metric, lcs_options options) {
  detail::run_record record(options.run, "cells");
  record.set_work(cells(a.size(), b.size()));
  options.metric = metric;
  return with_letters(a, b, options, [&](auto x, auto y) { return value(x, y, options); });
}
std::uint64_t reported_value(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                             lcs_metric metric, lcs_options options) {
  require_no_letters(options);
  detail::run_record record(options.run, "cells");
  record.set_work(cells(a.size(), b.size()));
  options.metric = metric;
  return value(a, b, options);
}

} // namespace

std::uint64_t lcs_length(std::string_view a, std::string_view b, const lcs_options& options) {
  return reported_value(a, b, lcs_metric::lcs, options);
}
std::uint64_t lcs_length(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                         const lcs_options& options) {
  return reported_value(a, b, lcs_metric::lcs, options);
}

std::uint64_t indel_distance(std::string_view a, std::string_view b, const lcs_options& options) {
  return reported_value(a, b, lcs_metric::indel, options);
}
std::uint64_t indel_distance(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                             const lcs_options& options) {
  return reported_value(a, b, lcs_metric::indel, options);
}

std::uint64_t edit_distance(std::string_view a, std::string_view b, const lcs_options& options) {
  return reported_value(a, b, lcs_metric::edit, options);
}
std::uint64_t edit_distance(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                            const lcs_options& options) {
  return reported_value(a, b, lcs_metric::edit, options);
}

edit_script lcs(std::string_view a, std::string_view b, const lcs_options& options) {
  detail::run_record record(options.run, "cells");
  record.set_work(cells(a.size(), b.size()));
  return with_letters(a, b, options, [&](auto x, auto y) { return find_path(x, y, options); });
}

edit_script lcs(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                const lcs_options& options) {
  require_no_letters(options);
  detail::run_record record(options.run, "cells");
  record.set_work(cells(a.size(), b.size()));
  return find_path(a, b, options);
}

std::string common_subsequence(const edit_script& path, std::string_view a) {
  std::string common;
  common.reserve(path.matches);
  std::uint64_t i = 0;
  for (const edit_run& run : path.runs) {
    if (run.op == edit_op::insert) continue;
    if (run.length > a.size() - i)
      throw std::invalid_argument("common_subsequence: not a path of this sequence");
    if (run.op == edit_op::match) common.append(a.substr(i, run.length));
    i += run.length;
  }
  if (i != a.size()) throw std::invalid_argument("common_subsequence: not a path of this sequence");
  return common;
}

std::vector<std::uint64_t> lcs_all_pairs(const sequences_view& batch, const lcs_options& options) {
  check_sequences(batch, "lcs_all_pairs");
  detail::run_record record(options.run, "cells");
  const engine_choice choice = begin_call(options);
  std::uint64_t all_cells = 0;
  for (std::uint64_t i = 0; i < batch.count(); ++i) all_cells += cells(batch.size(i), batch.offsets[i]);
  record.set_work(all_cells);
  lcs_options used_options = options;
  used_options.unmatched = find_occurring(options.unmatched, batch.data);
  used_options.wildcards = find_occurring(options.wildcards, batch.data);
  if (!used_options.wildcards.empty()) require_wildcards(choice);
  if (used_options.unmatched.empty() || options.metric == lcs_metric::edit)
    return all_pairs(batch, choice, used_options);
  return all_pairs_of_matched(batch, choice, used_options);
}

void check_lcs_options(const lcs_options& options) {
  (void)choose_engine(options);
  check_letters(options);
}

std::vector<engine_info> lcs_engines() { return list_engines(); }

} // namespace weft
