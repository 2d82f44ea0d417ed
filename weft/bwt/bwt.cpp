#include <weft/bwt/bwt.hpp>

#include <weft/bwt/bwt_batch.hpp>
#include <weft/bwt/collection_bwt.hpp>
#include <weft/bwt/engines.hpp>
#include <weft/bwt/entry/argument_checks.hpp>

namespace weft {

bwt_text bwt(std::string_view text, bwt_form form, const bwt_options& options) {
  const run_options& run = options.run;
  const std::uint64_t n = text.size();
  base_detail::run_record record(run, "symbols");
  record.set_work(n);
  // The result takes n bytes on every device; an engine of the CPU also checks its own memory.
  bwt_detail::require_memory(n, run.memory, "the transform");
  bwt_text result{"", 0, form};
  bwt_detail::text_problem problem{bwt_detail::transform_task{text, form, result}, run, n, n,
                                   options.helpers};
  bwt_detail::solve(bwt_detail::text_engine_list(), problem, run, n == 0, record);
  return result;
}

std::string inverse_bwt(std::string_view bytes, std::uint64_t primary_index, bwt_form form,
                        const bwt_options& options) {
  const run_options& run = options.run;
  const std::uint64_t n = bytes.size();
  bwt_detail::check_primary_index(n, primary_index, form);
  base_detail::run_record record(run, "symbols");
  record.set_work(n);
  bwt_detail::require_memory(n, run.memory, "the inverse transform");
  std::string text;
  bwt_detail::inverse_problem problem{bytes, primary_index, form, run, text};
  bwt_detail::solve(bwt_detail::inverse_engine_list(), problem, run, n == 0, record);
  return text;
}

std::string inverse_bwt(const bwt_text& transformed, const bwt_options& options) {
  return inverse_bwt(transformed.bytes, transformed.primary_index, transformed.form, options);
}

bwt_batch_text bwt_batch(const sequences_view& batch, bwt_form form, const bwt_options& options) {
  const run_options& run = options.run;
  const sequences_view texts = bwt_detail::checked_batch(batch, "bwt_batch");
  const std::uint64_t n = texts.data.size(), count = texts.count();
  base_detail::run_record record(run, "symbols");
  record.set_work(n);
  bwt_detail::require_memory(n + 8 * count, run.memory, "the transforms");
  bwt_batch_text result{"", std::vector<std::uint64_t>(count), form};
  bwt_detail::text_problem problem{bwt_detail::transform_batch_task{texts, form, result}, run, n,
                                   bwt_detail::largest_text_size(texts.offsets)};
  bwt_detail::solve(bwt_detail::text_engine_list(), problem, run, n == 0, record);
  return result;
}

template <class Index>
std::vector<Index> suffix_array_batch(const sequences_view& batch, const bwt_options& options) {
  const run_options& run = options.run;
  const sequences_view texts = bwt_detail::checked_batch(batch, "suffix_array_batch");
  const std::uint64_t n = texts.data.size(), largest = bwt_detail::largest_text_size(texts.offsets);
  bwt_detail::check_index<Index>(largest);
  base_detail::run_record record(run, "symbols");
  record.set_work(n);
  bwt_detail::require_memory(n * sizeof(Index), run.memory, "the suffix arrays");
  std::vector<Index> sa;
  bwt_detail::text_problem problem{bwt_detail::suffix_array_batch_task<Index>{texts, sa}, run, n, largest};
  bwt_detail::solve(bwt_detail::text_engine_list(), problem, run, n == 0, record);
  return sa;
}

template std::vector<std::uint32_t> suffix_array_batch(const sequences_view&, const bwt_options&);
template std::vector<std::uint64_t> suffix_array_batch(const sequences_view&, const bwt_options&);

collection_bwt_text collection_bwt(const sequences_view& collection, const bwt_options& options) {
  const sequences_view records = bwt_detail::checked_batch(collection, "collection_bwt");
  const std::uint64_t n = records.data.size();
  base_detail::run_record record(options.run, "symbols");
  record.set_work(n);
  bwt_detail::require_memory(n + 8 * records.offsets.size(), options.run.memory,
                             "the transform of the collection");
  collection_bwt_text result{"", std::vector<std::uint64_t>(records.count())};
  for (std::uint64_t r = 0; r < records.count(); ++r) result.starts[r] = r; // if all records are empty
  bwt_detail::symbol_problem problem{bwt_detail::collection_transform_task{records, result}, options.run, n};
  bwt_detail::solve(bwt_detail::symbol_engine_list(), problem, options.run, n == 0, record);
  return result;
}

sequences inverse_collection_bwt(const collection_bwt_text& transformed, const bwt_options& options) {
  const std::uint64_t symbols = transformed.bytes.size();
  base_detail::run_record record(options.run, "symbols");
  record.set_work(symbols);
  sequences records;
  bwt_detail::inverse_collection_problem problem{transformed, options.run, records};
  bwt_detail::solve(bwt_detail::inverse_collection_engine_list(), problem, options.run, false, record);
  return records;
}

} // namespace weft
