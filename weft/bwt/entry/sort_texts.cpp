// Solves text_problems on the CPU: checks the memory, shares a batch among threads, and calls the algorithm
// of the engine for each text.
#include <algorithm>
#include <span>
#include <weft/base/parallel.hpp>
#include <weft/bwt/cpu/text_algorithms.hpp>
#include <weft/bwt/entry/argument_checks.hpp>
#include <weft/bwt/entry/solve.hpp>
#include <weft/bwt/published/ternary_quicksort.hpp>
#include <weft/bwt/suffix_array.hpp>

namespace weft::bwt_detail {

template <class Index>
bwt_text transform(std::string_view text, bwt_form form, text_sorter sorter, const run_options& run) {
  return sorter == text_sorter::ternary_quicksort ? transform_by_quicksort<Index>(text, form, run)
                                                  : transform_by_divsufsort<Index>(text, form, run);
}

template bwt_text transform<std::uint32_t>(std::string_view, bwt_form, text_sorter, const run_options&);
template bwt_text transform<std::uint64_t>(std::string_view, bwt_form, text_sorter, const run_options&);

namespace {

// Returns the transform of a text, with indexes of the width that the text needs.
bwt_text transform(std::string_view text, bwt_form form, text_sorter sorter, const run_options& run) {
  return text.size() < index_32_limit ? transform<std::uint32_t>(text, form, sorter, run)
                                      : transform<std::uint64_t>(text, form, sorter, run);
}

// Returns the bytes that the transform of `symbols` symbols takes, including the transform itself.
std::uint64_t transform_memory(std::uint64_t symbols, bwt_form form, text_sorter sorter) {
  const std::uint64_t width = symbols < index_32_limit ? 4 : 8, texts = form == bwt_form::rotation ? 2 : 1;
  return symbols * (sorter == text_sorter::ternary_quicksort ? 3 * width + 1 : width + texts);
}

template <class Index>
void sort_suffixes(std::string_view text, std::span<Index> sa, text_sorter sorter, const run_options& run) {
  if (sorter == text_sorter::ternary_quicksort)
    ternary_quicksort<Index>(text, false, text.size(), sa, run);
  else
    suffix_array_into(text, sa);
}

// Solves the tasks of a text_problem.
class cpu_text_solver {
public:
  cpu_text_solver(const text_problem& problem, text_sorter sorter)
      : run_(problem.run), largest_(problem.largest_text), sorter_(sorter) {}

  void operator()(const transform_task& task) const {
    const std::uint64_t n = task.text.size();
    require_memory(transform_memory(n, task.form, sorter_), run_.memory, "the transform");
    task.result = transform(task.text, task.form, sorter_, run_);
    base_detail::add_work(run_, n);
  }

  template <class Index> void operator()(const suffix_array_task<Index>& task) const {
    const std::uint64_t n = task.text.size();
    require_memory(n * sizeof(Index) * (sorter_ == text_sorter::ternary_quicksort ? 3 : 1), run_.memory,
                   "the suffix array");
    task.sa.resize(n);
    sort_suffixes<Index>(task.text, task.sa, sorter_, run_);
    base_detail::add_work(run_, n);
  }

  void operator()(const transform_batch_task& task) const {
    const std::uint64_t n = task.texts.data.size(), count = task.texts.count();
    const std::uint64_t each = transform_memory(largest_, task.form, sorter_);
    require_memory(n + 8 * count + threads_for(task.texts) * each, run_.memory, "the transforms");
    bwt_batch_text& result = task.result;
    result.bytes.resize(n);
    for_each_text(task.texts, [&](std::uint64_t i, const run_options& run) {
      const bwt_text transformed = transform(task.texts[i], task.form, sorter_, run);
      std::copy(transformed.bytes.begin(), transformed.bytes.end(),
                result.bytes.begin() + static_cast<std::string::difference_type>(task.texts.offsets[i]));
      result.primary_indexes[i] = transformed.primary_index;
    });
  }

  template <class Index> void operator()(const suffix_array_batch_task<Index>& task) const {
    const std::uint64_t n = task.texts.data.size();
    const std::uint64_t workspace =
        sorter_ == text_sorter::ternary_quicksort ? threads_for(task.texts) * largest_ * 2 : 0;
    require_memory((n + workspace) * sizeof(Index), run_.memory, "the suffix arrays");
    task.sa.resize(n);
    for_each_text(task.texts, [&](std::uint64_t i, const run_options& run) {
      const std::span<Index> rows = std::span(task.sa).subspan(task.texts.offsets[i], task.texts.size(i));
      sort_suffixes<Index>(task.texts[i], rows, sorter_, run);
    });
  }

private:
  // Returns how many threads the texts keep busy.
  [[nodiscard]] std::uint64_t threads_for(const sequences_view& texts) const {
    return std::min(static_cast<std::uint64_t>(thread_count(run_.threads)), texts.count());
  }

  // Calls solve_one(i, its options) for each text that is not empty, one thread for each text.
  template <class One> void for_each_text(const sequences_view& texts, const One& solve_one) const {
    const std::uint64_t count = texts.count(), threads = threads_for(texts);
    const run_options on_one_thread = {.threads = 1, .monitor = run_.monitor};
    parallel_for(0, count, count / (64 * threads) + 1, static_cast<int>(threads),
                 [&](std::uint64_t first, std::uint64_t last) {
                   for (std::uint64_t i = first; i < last; ++i) {
                     if (texts.size(i) == 0) continue;
                     base_detail::check_cancelled(run_);
                     solve_one(i, on_one_thread);
                     base_detail::add_work(run_, texts.size(i));
                   }
                 });
  }

  const run_options& run_;
  std::uint64_t largest_;
  text_sorter sorter_;
};

} // namespace

void sort_texts(const text_problem& problem, text_sorter sorter) {
  std::visit(cpu_text_solver(problem, sorter), problem.task);
}

} // namespace weft::bwt_detail
