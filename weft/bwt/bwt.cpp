#include <weft/bwt/bwt.hpp>

#include <weft/bwt/bwt_batch.hpp>
#include <weft/bwt/collection_bwt.hpp>
#include <weft/bwt/engines.hpp>
#include <weft/bwt/entry/argument_checks.hpp>

namespace weft {

bwt_text bwt(std::string_view text, bwt_form form, const bwt_options& options) {
  const run_options& run = options.run;
  const std::uint64_t n = text.size();
  detail::run_record record(run, "symbols");
  record.set_work(n);
  detail::require_memory(n, run.memory, "the transform");
  bwt_text result{"", 0, form};
  detail::text_problem problem{detail::transform_task{text, form, result}, run, n, n};
  detail::solve(detail::text_engines(), problem, run, n == 0, record);
  return result;
}

std::string inverse_bwt(std::string_view bytes, std::uint64_t primary_index, bwt_form form,
                        const bwt_options& options) {
  const run_options& run = options.run;
  const std::uint64_t n = bytes.size();
  detail::check_primary_index(n, primary_index, form);
  detail::run_record record(run, "symbols");
  record.set_work(n);
  detail::require_memory(n, run.memory, "the inverse transform");
  std::string text;
  detail::inverse_problem problem{bytes, primary_index, form, run, text};
  detail::solve(detail::inverse_engines(), problem, run, n == 0, record);
  return text;
}

std::string inverse_bwt(const bwt_text& transformed, const bwt_options& options) {
  return inverse_bwt(transformed.bytes, transformed.primary_index, transformed.form, options);
}

bwt_batch_text bwt_batch(const sequences_view& batch, bwt_form form, const bwt_options& options) {
  const run_options& run = options.run;
  const sequences_view texts = detail::checked_batch(batch, "bwt_batch");
  const std::uint64_t n = texts.data.size(), count = texts.count();
  detail::run_record record(run, "symbols");
  record.set_work(n);
  detail::require_memory(n + 8 * count, run.memory, "the transforms");
  bwt_batch_text result{"", std::vector<std::uint64_t>(count), form};
  detail::text_problem problem{detail::transform_batch_task{texts, form, result}, run, n,
                               detail::largest_text_size(texts.offsets)};
  detail::solve(detail::text_engines(), problem, run, n == 0, record);
  return result;
}

template <class Index>
std::vector<Index> suffix_array_batch(const sequences_view& batch, const bwt_options& options) {
  const run_options& run = options.run;
  const sequences_view texts = detail::checked_batch(batch, "suffix_array_batch");
  const std::uint64_t n = texts.data.size(), largest = detail::largest_text_size(texts.offsets);
  detail::check_index<Index>(largest);
  detail::run_record record(run, "symbols");
  record.set_work(n);
  detail::require_memory(n * sizeof(Index), run.memory, "the suffix arrays");
  std::vector<Index> sa;
  detail::text_problem problem{detail::suffix_array_batch_task<Index>{texts, sa}, run, n, largest};
  detail::solve(detail::text_engines(), problem, run, n == 0, record);
  return sa;
}

template std::vector<std::uint32_t> suffix_array_batch(const sequences_view&, const bwt_options&);
template std::vector<std::uint64_t> suffix_array_batch(const sequences_view&, const bwt_options&);

collection_bwt_text collection_bwt(const sequences_view& collection, const bwt_options& options) {
  const sequences_view records = detail::checked_batch(collection, "collection_bwt");
  const std::uint64_t n = records.data.size();
  detail::run_record record(options.run, "symbols");
  record.set_work(n);
  detail::require_memory(n + 8 * records.offsets.size(), options.run.memory,
                         "the transform of the collection");
  collection_bwt_text result{"", std::vector<std::uint64_t>(records.count())};
  for (std::uint64_t r = 0; r < records.count(); ++r) result.starts[r] = r; // if all records are empty
  detail::symbol_problem problem{detail::collection_transform_task{records, result}, options.run, n};
  detail::solve(detail::symbol_engines(), problem, options.run, n == 0, record);
  return result;
}

sequences inverse_collection_bwt(const collection_bwt_text& transformed, const bwt_options& options) {
  const std::uint64_t symbols = transformed.bytes.size();
  detail::run_record record(options.run, "symbols");
  record.set_work(symbols);
  sequences records;
  detail::inverse_collection_problem problem{transformed, options.run, records};
  detail::solve(detail::inverse_collection_engines(), problem, options.run, false, record);
  return records;
}

} // namespace weft
