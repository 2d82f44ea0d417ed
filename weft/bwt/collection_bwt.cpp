#include <weft/bwt/collection_bwt.hpp>

#include <weft/bwt/engines.hpp>
#include <weft/bwt/entry/argument_checks.hpp>

namespace weft {

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
