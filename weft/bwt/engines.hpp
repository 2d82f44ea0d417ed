// The engines of bwt: the problems that they solve, and a list of engines for each kind of problem. A public
// function checks its arguments, describes the problem, and lets the list solve it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>
#include <weft/base/engines.hpp>
#include <weft/base/sequences.hpp>
#include <weft/bwt/bwt_batch.hpp>
#include <weft/bwt/collection_bwt.hpp>
#include <weft/bwt/core/fm_row_task.hpp>
#include <weft/bwt/fm_index.hpp>

namespace weft::bwt_detail {

class suffix_helpers;

// The tasks below name the input and the object that receives the result. An input may be empty when an
// engine is chosen, but not when the engine runs. Batches have been checked and have offsets. Index is
// uint32_t or uint64_t.
struct transform_task {
  std::string_view text;
  bwt_form form;
  bwt_text& result;
};
template <class Index> struct suffix_array_task {
  std::string_view text;
  std::vector<Index>& sa;
  std::vector<Index>* lcp; // null, or becomes the LCP array if an engine of a GPU has the memory for it
};
struct transform_batch_task {
  sequences_view texts;
  bwt_form form;
  bwt_batch_text& result;
};
template <class Index> struct suffix_array_batch_task {
  sequences_view texts;
  std::vector<Index>& sa;
};

// Texts of bytes are to be transformed, or their suffixes sorted.
struct text_problem {
  std::variant<transform_task, suffix_array_task<std::uint32_t>, suffix_array_task<std::uint64_t>,
               transform_batch_task, suffix_array_batch_task<std::uint32_t>,
               suffix_array_batch_task<std::uint64_t>>
      task;
  const run_options& run;
  std::uint64_t symbols, largest_text; // numbers of symbols of all texts, and of the largest one
  suffix_helpers* helpers = nullptr;   // for the engine suffix-sort of the CPU, and for a single text
};

template <class Symbol, class Index> struct symbol_array_task {
  std::span<const Symbol> text;
  std::vector<Index>& sa;
};
template <class Index> struct collection_array_task {
  sequences_view records;
  std::vector<Index>& sa;
};
struct collection_transform_task {
  sequences_view records;
  collection_bwt_text& result;
};

// The suffixes of a text of 16-bit or 32-bit symbols, or of a collection, are to be sorted.
struct symbol_problem {
  std::variant<
      symbol_array_task<std::uint16_t, std::uint32_t>, symbol_array_task<std::uint16_t, std::uint64_t>,
      symbol_array_task<std::uint32_t, std::uint32_t>, symbol_array_task<std::uint32_t, std::uint64_t>,
      collection_array_task<std::uint32_t>, collection_array_task<std::uint64_t>, collection_transform_task>
      task;
  const run_options& run;
  std::uint64_t bytes; // number of bytes of the text
};

template <class Index> struct lcp_task {
  std::string_view text;
  std::span<const Index> sa;
  std::vector<Index>& lcp; // as large as the text
};

// The LCP array of a text and its suffix array is to be computed.
struct lcp_problem {
  std::variant<lcp_task<std::uint32_t>, lcp_task<std::uint64_t>> task;
  const run_options& run;
  std::uint64_t symbols;
};

// A transform is to be inverted.
struct inverse_problem {
  std::string_view bytes;
  std::uint64_t primary_index;
  bwt_form form;
  const run_options& run;
  std::string& text;
};

// A transform of a collection is to be inverted.
struct inverse_collection_problem {
  const collection_bwt_text& transformed;
  const run_options& run;
  sequences& records;
};

// The sections of an FM-index that depend on the order of the suffixes are to be written.
struct fm_build_problem {
  std::uint64_t symbols;
  const run_options& run;
  std::uint64_t memory_of_cpu; // bytes of host memory that an engine of the CPU takes, with the index
  std::variant<std::monostate, const fm_row_task<std::uint32_t>*, const fm_row_task<std::uint64_t>*> rows =
      {};
  bool has_contexts = false; // the engine sets it if it has written the contexts of the rows
};

// An fm_device_cache owns the copies of an index in the memory of GPUs. An fm_index and all its copies share
// it. The copies are an fm_device_copies object (cuda/fm/fm_search.hpp), a type that is known only to code
// for GPUs. Thread-safe.
class fm_device_cache {
public:
  // Returns the object; null before the first search on a GPU.
  [[nodiscard]] std::shared_ptr<void> get() const {
    const std::lock_guard lock(mutex_);
    return copies_;
  }
  // Returns the object. The first call creates it by make().
  template <class Make> [[nodiscard]] std::shared_ptr<void> get_or_create(const Make& make) {
    const std::lock_guard lock(mutex_);
    if (copies_ == nullptr) copies_ = make();
    return copies_;
  }

private:
  mutable std::mutex mutex_;
  std::shared_ptr<void> copies_;
};

// Patterns are to be counted or located in an index.
struct fm_search_problem {
  const fm_index& index;
  fm_device_cache& device_cache;
  sequences_view patterns;
  const fm_search_options& options;
  std::vector<std::uint64_t>* counts; // null: locates the patterns
  fm_hits* hits;                      // null: counts the patterns
  int gpu = -1;                       // the index of the GPU that searched, or -1
};

// Patterns are to be located in an index with differences.
struct near_problem {
  const fm_index& index;
  fm_device_cache& device_cache;
  sequences_view patterns;
  const near_options& options;
  near_hits hits = {};
  int gpu = -1; // the index of the GPU that searched, or -1
};

// The exact matches between queries and an index are to be found.
struct fm_match_problem {
  const fm_index& index;
  fm_device_cache& device_cache;
  sequences_view queries;
  const match_options& options;
  const std::function<void(const fm_matches&)>& take; // receives the matches part by part
  int gpu = -1;                                       // the index of the GPU that searched, or -1

  // Returns the number of letters to search, on all strands.
  [[nodiscard]] std::uint64_t letters() const noexcept {
    return queries.data.size() * (options.both_strands ? 2 : 1);
  }
};

// Return the engines of each kind of problem. The public functions of fm_index.hpp and bwt.hpp describe some
// of these lists to users.
[[nodiscard]] const base_detail::engine_list<text_problem>& text_engine_list();
[[nodiscard]] const base_detail::engine_list<symbol_problem>& symbol_engine_list();
[[nodiscard]] const base_detail::engine_list<lcp_problem>& lcp_engine_list();
[[nodiscard]] const base_detail::engine_list<inverse_problem>& inverse_engine_list();
[[nodiscard]] const base_detail::engine_list<inverse_collection_problem>& inverse_collection_engine_list();
[[nodiscard]] const base_detail::engine_list<fm_build_problem>& fm_build_engine_list();
[[nodiscard]] const base_detail::engine_list<fm_search_problem>& fm_search_engine_list();
[[nodiscard]] const base_detail::engine_list<near_problem>& near_engine_list();
[[nodiscard]] const base_detail::engine_list<fm_match_problem>& fm_match_engine_list();

// Returns whether `engine` is ternary-quicksort. Throws error(invalid_input) unless text_engine_list() has an
// engine of this name for GPUs. For functions on device memory, which choose no device.
[[nodiscard]] bool is_ternary_quicksort(const std::string& engine);

// Solves a problem, unless it is empty, and reports the engine.
template <class Problem>
void solve(const base_detail::engine_list<Problem>& engines, Problem& problem, const run_options& run,
           bool empty, base_detail::run_record& record) {
  if (!empty) base_detail::check_cancelled(run);
  base_detail::report_engine(record, empty ? engines.choose(problem, run) : engines.solve(problem, run), run);
}

} // namespace weft::bwt_detail
