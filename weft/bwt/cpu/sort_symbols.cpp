// Suffix arrays of symbols of several bytes, and suffix arrays and transforms of collections, by suffix-sort.
#include <algorithm>
#include <weft/base/parallel.hpp>
#include <weft/bwt/cpu/suffix_ranges.hpp>
#include <weft/bwt/entry/argument_checks.hpp>
#include <weft/bwt/entry/solve.hpp>

namespace weft::bwt_detail {

namespace {

constexpr std::uint64_t range_rows = std::uint64_t{1} << 16; // that a thread takes at a time

} // namespace

template <class Index>
void sort_by_ranges(const suffix_string& text, std::span<Index> sa, const run_options& run,
                    suffix_helpers* helpers) {
  const std::uint64_t n = text.size(), held = n * sizeof(Index) + suffix_string::memory_for(n, text.bits());
  require_memory(held + range_limits::min_bytes(n), run.memory, "the suffix array");
  const range_limits limits(n, memory_limit(run.memory) - held);
  sort_in_ranges(text, limits, run, helpers, [&](const sorted_range& range) {
    parallel_for(0, range.items.size(), range_rows, run, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t k = first; k < last; ++k)
        sa[range.first_row + k] = static_cast<Index>(range.layout.position(range.items[k]));
    });
  });
}

template void sort_by_ranges(const suffix_string&, std::span<std::uint32_t>, const run_options&,
                             suffix_helpers*);
template void sort_by_ranges(const suffix_string&, std::span<std::uint64_t>, const run_options&,
                             suffix_helpers*);

namespace {

template <class Index> std::vector<Index> sort_packed(const suffix_string& text, const run_options& run) {
  std::vector<Index> sa;
  allocate(sa, text.size());
  sort_by_ranges<Index>(text, sa, run, nullptr);
  return sa;
}

template <class Index> std::vector<Index> sort_collection(const sequences_view& of, const run_options& run) {
  const std::span<const unsigned char> symbols(reinterpret_cast<const unsigned char*>(of.data.data()),
                                               of.data.size());
  return sort_packed<Index>(suffix_string(symbols, run, of.offsets), run);
}

template <class Index>
collection_bwt_text transform_collection(const sequences_view& collection, const run_options& run) {
  const std::vector<Index> sa = sort_collection<Index>(collection, run);
  const auto [text, offsets, names] = collection;
  const std::uint64_t records = collection.count(), n = text.size();
  collection_bwt_text result{"", std::vector<std::uint64_t>(records)};
  result.bytes.reserve(n);
  std::vector<bool> begins(n);
  for (std::uint64_t r = 0; r < records; ++r) {
    if (offsets[r] == offsets[r + 1]) {
      result.starts[r] = r;
      continue;
    }
    result.bytes += text[offsets[r + 1] - 1];
    begins[offsets[r]] = true;
  }
  constexpr std::uint64_t ahead = 32;
  for (std::uint64_t i = 0; i < n; ++i) {
    if (i % range_rows == 0) base_detail::check_cancelled(run);
    __builtin_prefetch(text.data() + sa[std::min(i + ahead, n - 1)]);
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
    task.sa = sort_packed<Index>(suffix_string(task.text, run), run);
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
