// Transforms and suffix arrays of texts of bytes on the CPU, one text or many.
#include <algorithm>
#include <array>
#include <divsufsort.h>
#include <divsufsort64.h>
#include <memory>
#include <new>
#include <numeric>
#include <span>
#include <weft/base/parallel.hpp>
#include <weft/bwt/core/min_rotation.hpp>
#include <weft/bwt/entry/argument_checks.hpp>
#include <weft/bwt/entry/solve.hpp>
#include <weft/bwt/published/ternary_quicksort.hpp>
#include <weft/bwt/suffix_array.hpp>

namespace weft::bwt_detail {

namespace {

// Suffix arrays of short texts are sorted by comparisons, because libdivsufsort clears 65,536 buckets for
// each text, which takes longer.
constexpr std::size_t min_divsufsort_size = 1000; // libdivsufsort is as fast or faster from this size on

// Sets sa[0 .. n-1] to the suffix array of text[0 .. n-1]. O(n log n) comparisons.
template <class Index> void sort_small_text(std::string_view text, std::span<Index> sa) {
  std::iota(sa.begin(), sa.end(), Index{0});
  std::sort(sa.begin(), sa.end(), [&](Index a, Index b) { return text.substr(a) < text.substr(b); });
}

constexpr std::uint64_t rows_between_checks = std::uint64_t{1} << 20; // of whether the call is cancelled

// Returns the sentinel form. Uses divbwt, which needs no second pass over a suffix array.
template <class Index> bwt_text transform_to_sentinel_form(std::string_view text) {
  const std::uint64_t n = text.size();
  bwt_text result{std::string(n, '\0'), 0, bwt_form::sentinel};
  if (n > 0 && n < min_divsufsort_size) {
    std::array<std::uint32_t, min_divsufsort_size> sa{};
    sort_small_text(text, std::span(sa).first(n));
    std::size_t to = 0;
    result.bytes[to++] = text.back(); // the byte before the end mark
    for (std::size_t row = 0; row < n; ++row)
      if (sa[row] == 0)
        result.primary_index = row + 1;
      else
        result.bytes[to++] = text[sa[row] - 1];
    return result;
  }
  const auto* from = reinterpret_cast<const sauchar_t*>(text.data());
  auto* to = reinterpret_cast<sauchar_t*>(result.bytes.data());
  std::int64_t index = 0;
  if constexpr (sizeof(Index) == 4) {
    const auto workspace = std::make_unique_for_overwrite<saidx_t[]>(n + 1);
    index = ::divbwt(from, to, workspace.get(), static_cast<saidx_t>(n));
  } else {
    const auto workspace = std::make_unique_for_overwrite<saidx64_t[]>(n + 1);
    index = ::divbwt64(from, to, workspace.get(), static_cast<saidx64_t>(n));
  }
  if (index < 0) throw std::bad_alloc();
  result.primary_index = static_cast<std::uint64_t>(index);
  return result;
}

// Returns the rotation form, by sorting the suffixes of the least rotation of the text's root. The rotations
// of a root are all different, and those of its least rotation have the order of its suffixes.
template <class Index> bwt_text transform_to_rotation_form(std::string_view text, const run_options& run) {
  const std::uint64_t n = text.size(), period = shortest_root(text), times = n / period;
  const std::uint64_t start = min_rotation(text.substr(0, period));
  std::string rotated(text.substr(start, period - start));
  rotated += text.substr(0, start);
  std::vector<Index> sa(period);
  base_detail::check_cancelled(run);
  suffix_array_into(rotated, sa);
  bwt_text result{std::string(n, '\0'), 0, bwt_form::rotation};
  const std::uint64_t text_start =
      start == 0 ? 0 : period - start; // where the text itself begins in `rotated`
  for (std::uint64_t first = 0; first < period; first += rows_between_checks) {
    base_detail::check_cancelled(run);
    const std::uint64_t last = std::min(period, first + rows_between_checks);
    for (std::uint64_t row = first; row < last; ++row) {
      const std::uint64_t at = sa[row];
      std::fill_n(result.bytes.begin() + static_cast<std::ptrdiff_t>(row * times), times,
                  rotated[at == 0 ? period - 1 : at - 1]);
      if (at == text_start) result.primary_index = row * times;
    }
  }
  return result;
}

// Returns either form, by ternary quicksort. Equal rotations begin at positions whose distance is a multiple
// of the root's length.
template <class Index>
bwt_text transform_by_quicksort(std::string_view text, bwt_form form, const run_options& run) {
  const bool sentinel = form == bwt_form::sentinel;
  const std::uint64_t n = text.size(), period = sentinel ? n : shortest_root(text);
  std::vector<Index> rows(n);
  ternary_quicksort<Index>(text, !sentinel, period, rows, run);
  bwt_text result{"", n, form};
  result.bytes.reserve(n);
  if (sentinel) result.bytes += text.back(); // the byte before the end mark
  for (std::uint64_t row = 0; row < n; ++row) {
    if (row % rows_between_checks == 0) base_detail::check_cancelled(run);
    const std::uint64_t at = rows[row];
    if (at != 0 || !sentinel) result.bytes += text[at == 0 ? n - 1 : at - 1];
    if (at % period == 0) result.primary_index = std::min(result.primary_index, row + (sentinel ? 1 : 0));
  }
  return result;
}

} // namespace

template <class Index>
bwt_text transform(std::string_view text, bwt_form form, text_sorter sorter, const run_options& run) {
  if (sorter == text_sorter::ternary_quicksort) return transform_by_quicksort<Index>(text, form, run);
  return form == bwt_form::sentinel ? transform_to_sentinel_form<Index>(text)
                                    : transform_to_rotation_form<Index>(text, run);
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

namespace weft {

namespace {

const sauchar_t* bytes_of(std::string_view text) { return reinterpret_cast<const sauchar_t*>(text.data()); }

// Throws bad_alloc if libdivsufsort failed: its only other failure, bad arguments, is excluded here.
void throw_if_failed(int status) {
  if (status != 0) throw std::bad_alloc();
}

} // namespace

void suffix_array_into(std::string_view text, std::span<std::uint32_t> sa) {
  bwt_detail::check_index<std::uint32_t>(text.size());
  if (sa.size() != text.size())
    throw std::invalid_argument("suffix_array_into: sa must have one entry per symbol");
  if (text.size() < bwt_detail::min_divsufsort_size) return bwt_detail::sort_small_text(text, sa);
  throw_if_failed(
      ::divsufsort(bytes_of(text), reinterpret_cast<saidx_t*>(sa.data()), static_cast<saidx_t>(text.size())));
}

void suffix_array_into(std::string_view text, std::span<std::uint64_t> sa) {
  if (sa.size() != text.size())
    throw std::invalid_argument("suffix_array_into: sa must have one entry per symbol");
  if (text.size() < bwt_detail::min_divsufsort_size) return bwt_detail::sort_small_text(text, sa);
  throw_if_failed(::divsufsort64(bytes_of(text), reinterpret_cast<saidx64_t*>(sa.data()),
                                 static_cast<saidx64_t>(text.size())));
}

} // namespace weft
