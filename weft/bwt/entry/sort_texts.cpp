// Solves text_problems on the CPU: checks the memory, shares a batch among threads, and calls the algorithm
// of the engine for each text.
#include <algorithm>
#include <span>
#include <weft/base/parallel.hpp>
#include <weft/bwt/cpu/suffix_ranges.hpp>
#include <weft/bwt/cpu/suffix_sort.hpp>
#include <weft/bwt/cpu/text_algorithms.hpp>
#include <weft/bwt/entry/argument_checks.hpp>
#include <weft/bwt/entry/solve.hpp>
#include <weft/bwt/published/ternary_quicksort.hpp>
#include <weft/bwt/suffix_array.hpp>

namespace weft::bwt_detail {

namespace {

// Shorter texts are sorted by comparisons, which takes less time than to set up suffix-sort.
constexpr std::uint64_t min_suffix_sort_size = 300;

template <class Index>
void sort_rows(std::string_view text, std::span<Index> sa, text_sorter sorter, const run_options& run,
               suffix_helpers* helpers) {
  if (sorter == text_sorter::ternary_quicksort) {
    ternary_quicksort<Index>(text, false, text.size(), sa, run);
  } else if (sorter == text_sorter::libdivsufsort || text.size() < min_suffix_sort_size) {
    suffix_array_into(text, sa);
  } else {
    const std::span symbols(reinterpret_cast<const unsigned char*>(text.data()), text.size());
    if (are_shared(helpers, text.size()))
      sort_by_ranges<Index>(suffix_string(symbols, run), sa, run, helpers);
    else
      sort_suffixes<Index>(symbols, sa, run);
    return; // they have counted the work
  }
  base_detail::add_work(run, text.size());
}

} // namespace

template <class Index>
bwt_text transform(std::string_view text, bwt_form form, text_sorter sorter, const run_options& run,
                   suffix_helpers* helpers) {
  if (sorter == text_sorter::suffix_sort && form == bwt_form::sentinel && text.size() >= min_suffix_sort_size)
    return transform_by_suffix_sort<Index>(text, run, helpers);
  if (sorter != text_sorter::ternary_quicksort && form == bwt_form::rotation)
    return transform_rotations<Index>(text, run, [&](std::string_view root, std::span<Index> sa) {
      sort_rows(root, sa, sorter, run, helpers);
      base_detail::add_work(run, text.size() - root.size());
    });
  bwt_text result = sorter == text_sorter::ternary_quicksort ? transform_by_quicksort<Index>(text, form, run)
                                                             : transform_by_divsufsort<Index>(text);
  base_detail::add_work(run, text.size());
  return result;
}

template bwt_text transform<std::uint32_t>(std::string_view, bwt_form, text_sorter, const run_options&,
                                           suffix_helpers*);
template bwt_text transform<std::uint64_t>(std::string_view, bwt_form, text_sorter, const run_options&,
                                           suffix_helpers*);

namespace {

// Returns the transform of a text, with indexes of the width that the text needs.
bwt_text transform_text(std::string_view text, bwt_form form, text_sorter sorter, const run_options& run,
                        suffix_helpers* helpers = nullptr) {
  return text.size() < index_32_limit ? transform<std::uint32_t>(text, form, sorter, run, helpers)
                                      : transform<std::uint64_t>(text, form, sorter, run, helpers);
}

std::uint64_t index_width(std::uint64_t symbols) { return symbols < index_32_limit ? 4 : 8; }

// Returns the bytes that an engine takes beside a suffix array.
std::uint64_t workspace_of(std::uint64_t symbols, std::uint64_t width, text_sorter sorter) {
  switch (sorter) {
  case text_sorter::suffix_sort:
    return memory_to_induce(symbols);
  case text_sorter::ternary_quicksort:
    return 2 * width * symbols;
  case text_sorter::libdivsufsort:
    break;
  }
  return 0;
}

// Returns the bytes that the transform of `symbols` symbols takes, including the transform itself.
// suffix-sort checks the memory for a sentinel form itself.
std::uint64_t transform_memory(std::uint64_t symbols, bwt_form form, text_sorter sorter) {
  const std::uint64_t width = index_width(symbols), texts = form == bwt_form::rotation ? 2 : 1;
  if (sorter == text_sorter::ternary_quicksort) return symbols * (3 * width + 1);
  if (sorter == text_sorter::suffix_sort && form == bwt_form::sentinel) return symbols;
  return symbols * (width + texts) + workspace_of(symbols, width, sorter);
}

// Returns how many texts of a batch are sorted at the same time, each on one thread. If that would leave
// threads without work, texts are sorted one after another, each on all threads.
std::uint64_t texts_at_once(const sequences_view& texts, const text_problem& problem, text_sorter sorter) {
  const auto threads = static_cast<std::uint64_t>(thread_count(problem.run.threads));
  const bool sorts_on_all =
      sorter == text_sorter::suffix_sort && problem.largest_text > texts.data.size() / threads;
  return sorts_on_all ? 1 : std::min(threads, texts.count());
}

// Returns the bytes that each kind of task needs.
struct memory_counter {
  const text_problem& problem;
  text_sorter sorter;

  std::uint64_t operator()(const transform_task& task) const {
    return transform_memory(task.text.size(), task.form, sorter);
  }
  template <class Index> std::uint64_t operator()(const suffix_array_task<Index>& task) const {
    const std::uint64_t n = task.text.size();
    return n * sizeof(Index) + workspace_of(n, sizeof(Index), sorter);
  }
  std::uint64_t operator()(const transform_batch_task& task) const {
    const std::uint64_t largest = problem.largest_text, width = index_width(largest),
                        each = largest * (width + 2) + workspace_of(largest, width, sorter);
    return task.texts.data.size() + 8 * task.texts.count() +
           texts_at_once(task.texts, problem, sorter) * each;
  }
  template <class Index> std::uint64_t operator()(const suffix_array_batch_task<Index>& task) const {
    return task.texts.data.size() * sizeof(Index) +
           texts_at_once(task.texts, problem, sorter) *
               workspace_of(problem.largest_text, sizeof(Index), sorter);
  }
};

// Solves the tasks of a text_problem.
class cpu_text_solver {
public:
  cpu_text_solver(const text_problem& problem, text_sorter sorter)
      : problem_(problem), run_(problem.run), sorter_(sorter) {}

  void operator()(const transform_task& task) const {
    require("the transform");
    task.result = transform_text(task.text, task.form, sorter_, run_, problem_.helpers);
  }

  template <class Index> void operator()(const suffix_array_task<Index>& task) const {
    require("the suffix array");
    allocate(task.sa, task.text.size());
    sort_rows<Index>(task.text, task.sa, sorter_, run_, problem_.helpers);
  }

  void operator()(const transform_batch_task& task) const {
    require("the transforms");
    bwt_batch_text& result = task.result;
    result.bytes.resize(task.texts.data.size());
    for_each_text(task.texts, [&](std::uint64_t i, const run_options& run) {
      const bwt_text transformed = transform_text(task.texts[i], task.form, sorter_, run);
      std::copy(transformed.bytes.begin(), transformed.bytes.end(),
                result.bytes.begin() + static_cast<std::string::difference_type>(task.texts.offsets[i]));
      result.primary_indexes[i] = transformed.primary_index;
    });
  }

  template <class Index> void operator()(const suffix_array_batch_task<Index>& task) const {
    require("the suffix arrays");
    allocate(task.sa, task.texts.data.size());
    for_each_text(task.texts, [&](std::uint64_t i, const run_options& run) {
      const std::span<Index> rows = std::span(task.sa).subspan(task.texts.offsets[i], task.texts.size(i));
      sort_rows<Index>(task.texts[i], rows, sorter_, run, nullptr);
    });
  }

private:
  void require(std::string_view what) const {
    require_memory(memory_to_sort(problem_, sorter_), run_.memory, what);
  }

  // Calls solve_one(i, its options) for each text that is not empty.
  template <class One> void for_each_text(const sequences_view& texts, const One& solve_one) const {
    const std::uint64_t count = texts.count(), at_once = texts_at_once(texts, problem_, sorter_);
    const run_options run_of_one = {.threads = at_once == 1 ? run_.threads : 1, .monitor = run_.monitor};
    parallel_for(0, count, count / (64 * at_once) + 1, static_cast<int>(at_once),
                 [&](std::uint64_t first, std::uint64_t last) {
                   for (std::uint64_t i = first; i < last; ++i) {
                     if (texts.size(i) == 0) continue;
                     base_detail::check_cancelled(run_);
                     solve_one(i, run_of_one);
                   }
                 });
  }

  const text_problem& problem_;
  const run_options& run_;
  text_sorter sorter_;
};

} // namespace

std::uint64_t memory_to_sort(const text_problem& problem, text_sorter sorter) {
  return std::visit(memory_counter{problem, sorter}, problem.task);
}

void sort_texts(const text_problem& problem, text_sorter sorter) {
  std::visit(cpu_text_solver(problem, sorter), problem.task);
}

} // namespace weft::bwt_detail
