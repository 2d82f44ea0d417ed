#include <weft/files/find/searched_index.hpp>

#include <algorithm>
#include <weft/files/find/near_origin_search.hpp>

namespace weft::files {

std::vector<std::uint64_t> whole_index::count(const sequences_view& patterns,
                                              const fm_search_options& options) {
  return index_.count(patterns, options);
}

fm_hits whole_index::locate(const sequences_view& patterns, const fm_search_options& options, bool) {
  return index_.locate(patterns, options);
}

std::vector<std::uint64_t> whole_index::count_over_origins(std::string_view text,
                                                           std::span<const std::uint64_t> offsets) {
  return origin_->count_candidates(text, offsets);
}

fm_hits whole_index::locate_over_origins(std::string_view text, std::span<const std::uint64_t> offsets) {
  return origin_->locate(text, offsets);
}

near_rows whole_index::locate_near(const sequences_view& patterns, const near_options& options, bool) {
  return {origin_ ? near_origin_search(index_, *origin_).locate(patterns, options)
                  : index_.locate_near(patterns, options),
          {},
          {}};
}

// A hit over the origin of a record continues at the begin of the record.
std::string whole_index::letters_of(const near_rows& rows, std::uint64_t h) const {
  const std::uint64_t record = rows.hits.record[h], begin = rows.hits.begin[h], end = rows.hits.end[h],
                      length = index_.length(record);
  std::string letters = index_.extract(record, begin, std::min(end, length));
  if (end > length) letters += index_.extract(record, 0, end - length);
  return letters;
}

} // namespace weft::files
