#include <weft/lcs/lcs.hpp>

#include <weft/base/if_it_fits.hpp>
#include <weft/lcs/cpu/all_pairs.hpp>
#include <weft/lcs/cpu/automatic.hpp>
#include <weft/lcs/cpu/two_row.hpp>
#include <weft/lcs/entry/engine_choice.hpp>
#include <weft/lcs/entry/full_table.hpp>
#include <weft/lcs/entry/gpu_table.hpp>

namespace weft {

namespace {

using namespace lcs_cpu;

text<std::uint8_t> bytes(std::string_view symbols) {
  return {reinterpret_cast<const std::uint8_t*>(symbols.data()), symbols.size()};
}

engine_choice start(const lcs_options& options) {
  const engine_choice choice = choose_engine(options);
  if (options.used != nullptr)
    *options.used = {options.engine, runs_on_gpu(choice.id) ? choice.device.index : -1};
  return choice;
}

// The distance that the path minimises; see entry/engine_basics.hpp.
template <class Symbol>
std::uint64_t distance(text<Symbol> a, text<Symbol> b, const engine_choice& choice,
                       const lcs_options& options, progress& work) {
  if (a.empty() || b.empty()) return a.size() + b.size();
  const bool substitute = options.metric == lcs_metric::edit;
  switch (choice.id) {
  case engine::hirschberg_dp:
    require_memory("hirschberg-dp", two_row_engine<Symbol>::memory(b.size()), options.memory);
    return two_row_engine<Symbol>(substitute, work).distance(a, b);
  case engine::bit_parallel:
    require_memory("bit-parallel", bit_parallel_engine<Symbol>::memory(a.size(), b.size()), options.memory);
    return bit_parallel_engine<Symbol>(substitute, work).distance(a, b, thread_count(options.threads));
  case engine::bit_sliced:
    return lcs_cpu::automatic(options, work).whole_distance(a, b);
  case engine::furthest_reaching:
    return lcs_cpu::automatic(options, work).near_distance(a, b);
  case engine::systolic:
  case engine::wavefront:
    return lcs_cpu::automatic(options, work, make_gpu_table(choice, options).get()).whole_distance(a, b);
  case engine::automatic:
    break;
  }
  return lcs_cpu::automatic(options, work, make_gpu_table(choice, options).get()).distance(a, b);
}

template <class Symbol>
edit_script path(text<Symbol> a, text<Symbol> b, const engine_choice& choice, const lcs_options& options,
                 progress& work) {
  const bool substitute = options.metric == lcs_metric::edit;
  edit_script path;
  if (a.empty() || b.empty()) {
    append_unmatched(path, a.size(), b.size());
    return path;
  }
  switch (choice.id) {
  case engine::hirschberg_dp: {
    require_memory("hirschberg-dp", two_row_engine<Symbol>::memory(b.size()), options.memory);
    two_row_engine<Symbol> rows(substitute, work);
    hirschberg(rows, a, b, thread_count(options.threads), path);
    return path;
  }
  case engine::bit_parallel: {
    require_memory("bit-parallel", bit_parallel_engine<Symbol>::memory(a.size(), b.size()), options.memory);
    bit_parallel_engine<Symbol> words(substitute, work);
    hirschberg(words, a, b, thread_count(options.threads), path);
    return path;
  }
  case engine::bit_sliced:
    return lcs_cpu::automatic(options, work).whole_path(a, b);
  case engine::furthest_reaching:
    return lcs_cpu::automatic(options, work).near_path(a, b);
  case engine::systolic:
  case engine::wavefront:
    return lcs_cpu::automatic(options, work, make_gpu_table(choice, options).get()).whole_path(a, b);
  case engine::automatic:
    break;
  }
  return lcs_cpu::automatic(options, work, make_gpu_table(choice, options).get()).path(a, b);
}

template <class Symbol>
edit_script shortest_path(text<Symbol> a, text<Symbol> b, const lcs_options& options) {
  const engine_choice choice = start(options);
  progress work(options.monitor);
  work.expect(cells(a.size(), b.size()));
  edit_script found = path(a, b, choice, options, work);
  work.finish();
  return found;
}

template <class Symbol> std::uint64_t value(text<Symbol> a, text<Symbol> b, const lcs_options& options) {
  const engine_choice choice = start(options);
  progress work(options.monitor);
  work.expect(cells(a.size(), b.size()));
  const std::uint64_t least = distance(a, b, choice, options, work);
  work.finish();
  return options.metric == lcs_metric::lcs ? (a.size() + b.size() - least) / 2 : least;
}

lcs_options with_lcs_metric(lcs_options options) {
  options.metric = lcs_metric::lcs;
  return options;
}

} // namespace

std::uint64_t lcs_length(std::string_view a, std::string_view b, const lcs_options& options) {
  return value(bytes(a), bytes(b), with_lcs_metric(options));
}

std::uint64_t lcs_length(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                         const lcs_options& options) {
  return value(a, b, with_lcs_metric(options));
}

std::uint64_t lcs_value(std::string_view a, std::string_view b, const lcs_options& options) {
  return value(bytes(a), bytes(b), options);
}

std::uint64_t lcs_value(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                        const lcs_options& options) {
  return value(a, b, options);
}

edit_script lcs(std::string_view a, std::string_view b, const lcs_options& options) {
  return shortest_path(bytes(a), bytes(b), options);
}

edit_script lcs(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                const lcs_options& options) {
  return shortest_path(a, b, options);
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
  engine_choice choice = start(options);
  if (offsets.empty()) return {};
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
    if (offsets[i] > offsets[i + 1]) throw std::invalid_argument("lcs_all_pairs: offsets must not fall");
  if (offsets.back() > symbols.size()) throw std::invalid_argument("lcs_all_pairs: offsets past the text");
  lcs_options each = options;
  each.device = runs_on_gpu(choice.id) ? choice.device : device_choice{device_kind::cpu, 0};
  pair_batch batch(symbols, offsets, each);
  const bool required = choice.device.kind == device_kind::gpu;
  if (all_pairs_on_gpu(choice, batch.total()))
    if (auto values = base_detail::if_it_fits(
            required, options.monitor, [&] { return gpu_all_pairs(symbols, offsets, choice, options); }))
      return std::move(*values);
  return batch.run(runs_on_gpu(choice.id) ? 1 : options.threads, // one pair at a time has the GPU
                   [](auto a, auto b, const lcs_options& inner) { return value(a, b, inner); });
}

void check_lcs_options(const lcs_options& options) { (void)choose_engine(options); }

std::vector<engine_info> lcs_engines() { return list_engines(); }

} // namespace weft
