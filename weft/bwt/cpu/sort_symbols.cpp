// Suffix arrays of symbols of several bytes, and suffix arrays and transforms of collections, by prefix
// doubling.
#include <algorithm>
#include <weft/bwt/cpu/text_algorithms.hpp>
#include <weft/bwt/entry/argument_checks.hpp>
#include <weft/bwt/entry/solve.hpp>

namespace weft::bwt_detail {

namespace {

constexpr std::uint64_t rows_between_checks = std::uint64_t{1} << 20; // of whether the call is cancelled

// Returns the suffix array of a collection. With its sentinels it is a text over the symbols 0 .. records -
// 1, which are the sentinels, and records + byte.
template <class Index> std::vector<Index> sort_collection(const sequences_view& of, const run_options& run) {
  const auto [text, offsets, names] = of;
  const std::uint64_t records = of.count();
  require_memory(56 * (text.size() + records), run.memory, "the suffix array");
  std::vector<std::uint64_t> symbols;
  symbols.reserve(text.size() + records);
  for (std::uint64_t r = 0; r < records; ++r) {
    for (std::uint64_t i = offsets[r]; i < offsets[r + 1]; ++i)
      symbols.push_back(records + static_cast<unsigned char>(text[i]));
    symbols.push_back(r);
  }
  const std::vector<std::uint64_t> order = prefix_doubling(
      symbols.size(), [&](std::uint64_t i) { return symbols[i]; }, run);
  std::vector<std::uint64_t> ends; // where each record ends in the text with sentinels
  for (std::uint64_t r = 0; r < records; ++r) ends.push_back(offsets[r + 1] + r);
  std::vector<Index> sa;
  sa.reserve(text.size());
  for (std::uint64_t i = 0; i < order.size(); ++i) {
    if (i % rows_between_checks == 0) base_detail::check_cancelled(run);
    const std::uint64_t at = order[i];
    if (symbols[at] >= records)
      sa.push_back(static_cast<Index>(
          at - static_cast<std::uint64_t>(std::lower_bound(ends.begin(), ends.end(), at) - ends.begin())));
  }
  base_detail::add_work(run, text.size());
  return sa;
}

template <class Index>
collection_bwt_text transform_collection(const sequences_view& collection, const run_options& run) {
  const std::vector<Index> sa = sort_collection<Index>(collection, run);
  const auto [text, offsets, names] = collection;
  const std::uint64_t records = collection.count();
  collection_bwt_text result{"", std::vector<std::uint64_t>(records)};
  result.bytes.reserve(text.size());
  for (std::uint64_t r = 0; r < records; ++r) {
    if (offsets[r] == offsets[r + 1])
      result.starts[r] = r;
    else
      result.bytes += text[offsets[r + 1] - 1];
  }
  std::vector<bool> begins(text.size());
  for (std::uint64_t r = 0; r < records; ++r)
    if (offsets[r] < offsets[r + 1]) begins[offsets[r]] = true;
  for (std::uint64_t i = 0; i < sa.size(); ++i) {
    if (i % rows_between_checks == 0) base_detail::check_cancelled(run);
    const std::uint64_t at = sa[i];
    if (!begins[at]) {
      result.bytes += text[at - 1];
      continue;
    }
    // If empty records begin here as well, the record with letters is the last one.
    const auto next = std::upper_bound(offsets.begin(), offsets.end(), at);
    result.starts[static_cast<std::uint64_t>(next - offsets.begin()) - 1] = records + i;
  }
  return result;
}

// Solves the tasks of a symbol_problem.
struct cpu_symbol_solver {
  template <class Symbol, class Index> void operator()(const symbol_array_task<Symbol, Index>& task) const {
    const std::uint64_t n = task.text.size();
    require_memory(48 * n, run.memory, "the suffix array");
    const std::vector<std::uint64_t> sa = prefix_doubling(
        n, [&](std::uint64_t i) { return task.text[i]; }, run);
    task.sa.assign(sa.begin(), sa.end());
    base_detail::add_work(run, n);
  }
  template <class Index> void operator()(const collection_array_task<Index>& task) const {
    task.sa = sort_collection<Index>(task.records, run);
  }
  void operator()(const collection_transform_task& task) const {
    task.result = task.records.data.size() < index_32_limit
                      ? transform_collection<std::uint32_t>(task.records, run)
                      : transform_collection<std::uint64_t>(task.records, run);
  }
  const run_options& run;
};

} // namespace

void sort_symbols(symbol_problem& problem) { std::visit(cpu_symbol_solver{problem.run}, problem.task); }

} // namespace weft::bwt_detail
