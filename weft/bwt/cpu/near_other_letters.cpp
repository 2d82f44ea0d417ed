// Search with mismatches where the text has letters that are no bases, for strands whose other hits are
// known. The plain version:
//     for each stretch of letters that are no bases:  for each position from which a strand would contain
//     some of them:
//         compare the strand with the text there
// Differences from the plain version: the positions are collected, and strands are compared with many of them
// at a time (near_scan.hpp).
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>
#include <weft/base/parallel.hpp>
#include <weft/bwt/cpu/near_scan.hpp>
#include <weft/bwt/cpu/near_search.hpp>

namespace weft::bwt_detail {

namespace {

// Calls site(symbol) for each position of the records, end to end, whose next 32 letters contain a letter of
// runs [first, last) that is no base. Leaves out positions that begin with more than max_distance such
// letters, because every strand has too many mismatches there.
template <class Site>
void each_site(const fm_index::view& index, std::size_t first, std::size_t last, unsigned max_distance,
               const Site& site) {
  const std::span<const fm_run> runs = index.other_letters;
  const std::uint64_t reach = site_scan::max_size - 1;
  // The first position that may be passed to site(). The positions before belong to the run before.
  std::uint64_t next = first > 0 ? runs[first - 1].position + runs[first - 1].length : 0;
  while (first < last && first > 0 && runs[first].position == next) next += runs[first++].length;
  while (first < last) {
    const std::uint64_t begin = runs[first].position;
    std::uint64_t end = begin;
    for (; first < runs.size() && runs[first].position == end; ++first) end += runs[first].length;
    for (std::uint64_t at = std::max(next, begin - std::min(begin, reach)); at < begin; ++at) site(at);
    for (std::uint64_t at = std::max({next, begin, end - std::min<std::uint64_t>(end, max_distance)});
         at < end; ++at)
      site(at);
    next = end;
  }
}

void search_runs(const fm_index::view& index, std::span<const near_strand* const> strands, std::size_t first,
                 std::size_t last, const near_options& options, near_collector& to) {
  text_planes planes(index, {});
  site_scan scan(strands, options.max_distance, true);
  std::vector<near_hit> hits;
  const auto report = [&](const near_strand& strand, std::uint64_t symbol, std::uint32_t is_base,
                          std::uint32_t mismatches) {
    const std::uint32_t letters = ~std::uint32_t{0} >> (32 - strand.size);
    if ((is_base & letters) != letters) append_scanned_hit(index, strand, symbol, mismatches, hits);
  };
  std::uint64_t loaded = ~std::uint64_t{0}; // the block whose planes are there
  each_site(index, first, last, options.max_distance, [&](std::uint64_t symbol) {
    if (const std::uint64_t block = symbol / near_scan_block; block != loaded) {
      base_detail::check_cancelled(options.run);
      planes.load(block * near_scan_block);
      loaded = block;
      to.add(hits);
    }
    scan.add_site(planes, symbol % near_scan_block, symbol, report);
  });
  scan.flush(report);
  to.add(hits);
}

} // namespace

void search_other_letters(const fm_index::view& index, std::span<const near_strand> strands,
                          const near_options& options, near_collector& to) {
  constexpr std::uint64_t runs_at_once = 1 << 8;
  if (strands.empty()) return;
  std::vector<const near_strand*> pointers;
  for (const near_strand& strand : strands) pointers.push_back(&strand);
  parallel_for(0, index.other_letters.size(), runs_at_once, options.run,
               [&](std::uint64_t first, std::uint64_t last) {
                 search_runs(index, pointers, first, last, options, to);
               });
}

} // namespace weft::bwt_detail
