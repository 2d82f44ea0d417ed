#include <weft/lcs/lcs.hpp>

#include <array>
#include <weft/lcs/cpu/all_pairs.hpp>
#include <weft/lcs/cpu/automatic.hpp>
#include <weft/lcs/cpu/two_row.hpp>

namespace weft {

namespace {

using namespace lcs_cpu;

enum class engine { automatic, hirschberg_dp, bit_parallel, bit_sliced, furthest_reaching };
struct engine_entry {
  std::string_view name;
  engine id;
  std::string_view needs;
};
constexpr std::array engine_table = {
    engine_entry{"hirschberg-dp", engine::hirschberg_dp, "any processor; two rows of the table"},
    engine_entry{"bit-parallel", engine::bit_parallel, "any processor; 64 cells a word"},
    engine_entry{"bit-sliced", engine::bit_sliced,
                 "any processor; vectors of anti-diagonal cells: AVX-512, AVX2, SSE4, NEON"},
    engine_entry{"furthest-reaching", engine::furthest_reaching,
                 "any processor; time and memory by the distance"},
};

engine find_engine(std::string_view name) {
  if (name == "auto") return engine::automatic;
  std::string known = "auto";
  for (const engine_entry& entry : engine_table) {
    if (entry.name == name) return entry.id;
    known += fmt::format(", {}", entry.name);
  }
  throw error(errc::invalid_input, fmt::format("'{}' is not an lcs engine ({})", name, known));
}

text<std::uint8_t> bytes(std::string_view symbols) {
  return {reinterpret_cast<const std::uint8_t*>(symbols.data()), symbols.size()};
}

// The distance that the path minimises; see common.hpp.
template <class Symbol>
std::uint64_t distance(text<Symbol> a, text<Symbol> b, const lcs_options& options, progress& work) {
  if (a.empty() || b.empty()) return a.size() + b.size();
  const bool substitute = options.metric == lcs_metric::edit;
  switch (find_engine(options.engine)) {
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
  case engine::automatic:
    break;
  }
  return lcs_cpu::automatic(options, work).distance(a, b);
}

template <class Symbol>
edit_script path(text<Symbol> a, text<Symbol> b, const lcs_options& options, progress& work) {
  const bool substitute = options.metric == lcs_metric::edit;
  edit_script path;
  if (a.empty() || b.empty()) {
    append(path, edit_op::remove, a.size());
    append(path, edit_op::insert, b.size());
    return path;
  }
  switch (find_engine(options.engine)) {
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
  case engine::automatic:
    break;
  }
  return lcs_cpu::automatic(options, work).path(a, b);
}

template <class Symbol>
edit_script shortest_path(text<Symbol> a, text<Symbol> b, const lcs_options& options) {
  (void)find_engine(options.engine);
  progress work(options.monitor);
  work.expect(cells(a.size(), b.size()));
  edit_script found = path(a, b, options, work);
  work.finish();
  return found;
}

template <class Symbol> std::uint64_t value(text<Symbol> a, text<Symbol> b, const lcs_options& options) {
  (void)find_engine(options.engine);
  progress work(options.monitor);
  work.expect(cells(a.size(), b.size()));
  const std::uint64_t least = distance(a, b, options, work);
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
  (void)find_engine(options.engine);
  if (offsets.empty()) return {};
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
    if (offsets[i] > offsets[i + 1]) throw std::invalid_argument("lcs_all_pairs: offsets must not fall");
  if (offsets.back() > symbols.size()) throw std::invalid_argument("lcs_all_pairs: offsets past the text");
  pair_batch batch(symbols, offsets, options);
  return batch.run(options.threads,
                   [](auto a, auto b, const lcs_options& inner) { return value(a, b, inner); });
}

std::vector<engine_info> lcs_engines() {
  std::vector<engine_info> engines;
  for (const engine_entry& entry : engine_table)
    engines.push_back({std::string(entry.name), std::string(entry.needs), ""});
  return engines;
}

} // namespace weft
