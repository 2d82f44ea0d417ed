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

// Checks the options, and sets options.used to the requested engine.
engine_choice begin_call(const lcs_options& options) {
  check_letters(options);
  const engine_choice choice = choose_engine(options);
  if (options.used != nullptr)
    *options.used = {options.engine, runs_on_gpu(choice.id) ? choice.device.index : -1};
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
    require_memory("hirschberg-dp", two_row_engine<Symbol>::memory(b.size()), options.memory);
    return two_row_engine<Symbol>(substitute, work).distance(a, b);
  case engine::bit_parallel:
    require_memory("bit-parallel", bit_parallel_engine<Symbol>::memory(a.size(), b.size()), options.memory);
    return bit_parallel_engine<Symbol>(substitute, work, wildcards)
        .distance(a, b, thread_count(options.threads));
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
    require_memory("hirschberg-dp", two_row_engine<Symbol>::memory(b.size()), options.memory);
    work.expect_more(cells(a.size(), b.size())); // Hirschberg's recursion computes the table twice
    two_row_engine<Symbol> rows(substitute, work);
    return hirschberg_path("hirschberg-dp", rows, a, b, thread_count(options.threads),
                           two_row_engine<Symbol>::memory(b.size()), options.memory);
  }
  case engine::bit_parallel: {
    require_memory("bit-parallel", bit_parallel_engine<Symbol>::memory(a.size(), b.size()), options.memory);
    work.expect_more(cells(a.size(), b.size()));
    bit_parallel_engine<Symbol> words(substitute, work, wildcards);
    return hirschberg_path("bit-parallel", words, a, b, thread_count(options.threads),
                           bit_parallel_engine<Symbol>::memory(a.size(), b.size()), options.memory);
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
  progress work(options.monitor);
  work.expect(cells(a.size(), b.size()));
  const used_wildcards<Symbol> wildcards(a, b, options, choice);
  edit_script found = path(a, b, choice, options, work, wildcards.get());
  work.finish();
  return found;
}

// Checks the options, and computes the value of the metric with progress.
template <class Symbol> std::uint64_t value(text<Symbol> a, text<Symbol> b, const lcs_options& options) {
  const engine_choice choice = begin_call(options);
  progress work(options.monitor);
  work.expect(cells(a.size(), b.size()));
  const used_wildcards<Symbol> wildcards(a, b, options, choice);
  const std::uint64_t min_distance = distance(a, b, choice, options, work, wildcards.get());
  work.finish();
  return options.metric == lcs_metric::lcs ? (a.size() + b.size() - min_distance) / 2 : min_distance;
}

// Computes lcs_all_pairs on the devices that options allow. If there are unmatched letters or wildcards,
// pairs are computed on the CPU, or one at a time on the GPU.
std::vector<std::uint64_t> all_pairs(std::string_view symbols, std::span<const std::uint64_t> offsets,
                                     engine_choice choice, const lcs_options& options) {
  lcs_options pair_options = options;
  pair_options.device = runs_on_gpu(choice.id) ? choice.device : device_choice{device_kind::cpu, 0};
  const bool required = choice.device.kind == device_kind::gpu;
  const bool plain = options.unmatched.empty() && options.wildcards.empty();
  if (!plain && required && choice.id == engine::automatic) {
    pair_options.engine = "systolic"; // computes pairs one by one
    pair_options.device = choice.device;
  }
  pair_batch batch(symbols, offsets, pair_options);
  if (plain && all_pairs_on_gpu(choice, batch.total_cells()))
    if (auto values = base_detail::if_it_fits(
            required, options.monitor, [&] { return gpu_all_pairs(symbols, offsets, choice, options); }))
      return std::move(*values);
  // On a GPU, one pair at a time is computed.
  return batch.run(pair_options.device.kind == device_kind::gpu ? 1 : options.threads,
                   [](auto a, auto b, const lcs_options& inner) { return value(a, b, inner); });
}

// all_pairs() for metrics without substitutions. Removes unmatched letters, which leaves every LCS as it
// is, and adds their numbers to indel distances.
std::vector<std::uint64_t> all_pairs_of_matched(std::string_view symbols,
                                                std::span<const std::uint64_t> offsets,
                                                const engine_choice& choice, lcs_options options) {
  const byte_set unmatched(options.unmatched);
  options.unmatched.clear();
  std::string kept;
  std::vector<std::uint64_t> kept_offsets = {0}, num_removed;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    for (const char c : symbols.substr(offsets[i], offsets[i + 1] - offsets[i]))
      if (!unmatched.contains(static_cast<std::uint8_t>(c))) kept += c;
    kept_offsets.push_back(kept.size());
    num_removed.push_back(offsets[i + 1] - offsets[i] - (kept.size() - kept_offsets[i]));
  }
  std::vector<std::uint64_t> values = all_pairs(kept, kept_offsets, choice, options);
  if (options.metric == lcs_metric::indel)
    for (std::size_t i = 1, at = 0; i < num_removed.size(); ++i)
      for (std::size_t j = 0; j < i; ++j, ++at) values[at] += num_removed[i] + num_removed[j];
  return values;
}

lcs_options with_lcs_metric(lcs_options options) {
  options.metric = lcs_metric::lcs;
  return options;
}

} // namespace

std::uint64_t lcs_length(std::string_view a, std::string_view b, const lcs_options& options) {
  return lcs_value(a, b, with_lcs_metric(options));
}

std::uint64_t lcs_length(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                         const lcs_options& options) {
  return lcs_value(a, b, with_lcs_metric(options));
}

std::uint64_t lcs_value(std::string_view a, std::string_view b, const lcs_options& options) {
  return with_letters(a, b, options, [&](auto x, auto y) { return value(x, y, options); });
}

std::uint64_t lcs_value(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                        const lcs_options& options) {
  require_no_letters(options);
  return value(a, b, options);
}

edit_script lcs(std::string_view a, std::string_view b, const lcs_options& options) {
  return with_letters(a, b, options, [&](auto x, auto y) { return find_path(x, y, options); });
}

edit_script lcs(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                const lcs_options& options) {
  require_no_letters(options);
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

std::vector<std::uint64_t> lcs_all_pairs(std::string_view symbols, std::span<const std::uint64_t> offsets,
                                         const lcs_options& options) {
  const engine_choice choice = begin_call(options);
  if (offsets.empty()) return {};
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
    if (offsets[i] > offsets[i + 1]) throw std::invalid_argument("lcs_all_pairs: offsets must not fall");
  if (offsets.back() > symbols.size()) throw std::invalid_argument("lcs_all_pairs: offsets past the text");
  lcs_options used_options = options;
  used_options.unmatched = find_occurring(options.unmatched, symbols);
  used_options.wildcards = find_occurring(options.wildcards, symbols);
  if (!used_options.wildcards.empty()) require_wildcards(choice);
  if (used_options.unmatched.empty() || options.metric == lcs_metric::edit)
    return all_pairs(symbols, offsets, choice, used_options);
  return all_pairs_of_matched(symbols, offsets, choice, used_options);
}

void check_lcs_options(const lcs_options& options) {
  (void)choose_engine(options);
  check_letters(options);
}

std::vector<engine_info> lcs_engines() { return list_engines(); }

} // namespace weft
