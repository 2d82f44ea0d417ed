// How long the methods of a search with differences take.
#include <algorithm>
#include <limits>
#include <weft/bwt/core/near_context.hpp>
#include <weft/bwt/cpu/near_scan.hpp>
#include <weft/bwt/cpu/near_search.hpp>

namespace weft::bwt_detail {

near_costs::near_costs(const fm_index::view& index, const near_options& options, std::uint64_t num_symbols)
    : num_symbols_(num_symbols), options_(options) {
  constexpr double site_cost = 0.05; // nanoseconds of a strand at a position
  if (index.contexts == nullptr) return;
  const auto rows = static_cast<double>(index.num_rows),
             segments = static_cast<double>(index.segments.size());
  const double incomplete = std::min(rows, segments * (context_left + context_right)); // contexts
  window_text_ = {rows, index.kmer_size, rows > 0 ? incomplete / rows : 0};
  other_letters_cost_ = site_cost * static_cast<double>(index.other_letters.size()) *
                        static_cast<double>(site_scan::max_size + options.max_distance);
}

const near_parts& near_costs::parts(const near_strand& strand) {
  constexpr std::uint64_t max_size = 48; // longer strands have seeds that are long enough
  static const near_parts none{{}, std::numeric_limits<double>::infinity()};
  if (options_.metric != near_metric::mismatches || options_.max_distance == 0 || strand.size > max_size)
    return none;
  const auto [found, is_new] = parts_of_size_.try_emplace(strand.size);
  if (is_new) found->second = divide_strand(strand.size, options_.max_distance, num_symbols_);
  return found->second;
}

const near_windows& near_costs::windows(const near_strand& strand) {
  static const near_windows none{{}, std::numeric_limits<double>::infinity()};
  if (options_.metric != near_metric::mismatches || strand.size > site_scan::max_size ||
      window_text_.kmer_size < letters_left_out)
    return none;
  const auto [found, is_new] = windows_of_shape_.try_emplace(shape_of(strand));
  if (is_new) {
    found->second = choose_windows(strand, options_.max_distance, window_text_);
    found->second.cost += other_letters_cost_;
  }
  return found->second;
}

} // namespace weft::bwt_detail
