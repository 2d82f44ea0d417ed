// Search with mismatches by a scan of the whole text. The plain version:
//     for each position of each record:  mismatches = 0
//         for each letter of the strand:  if it does not match the text there, ++mismatches
//         report the position if mismatches <= max_distance
// The text is scanned a block after the other, for all strands. Strands with the same exact letters are
// searched only where these match, if there are several such strands and few such places.
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>
#include <weft/base/parallel.hpp>
#include <weft/bwt/cpu/near_errors.hpp>
#include <weft/bwt/cpu/near_scan.hpp>

namespace weft::bwt_detail {

namespace {

constexpr double max_site_share = 0.125; // share of the positions where collecting them takes less time
constexpr std::size_t max_hits_at_once = 1 << 14; // hits that a thread collects before it hands them over
constexpr std::uint64_t range_blocks = 32;        // blocks that a thread takes at a time

near_scan_letters letters_of(const near_strand& strand, const text_planes& planes, unsigned max_distance) {
  near_scan_letters letters;
  unsigned num_wrong = 0; // letters that match nothing
  for (std::uint64_t i = 0; i < strand.size; ++i)
    if (strand.sets[i] == 0)
      ++num_wrong;
    else
      (strand.is_exact(i) ? letters.exact : letters.counted).push_back(planes.letter(strand.sets[i], i));
  while (letters.counted.size() % 8 != 0) letters.counted.push_back(planes.zeros());
  letters.max_distance = max_distance - num_wrong;
  return letters;
}

// The strands of a scan: those that are searched at every position, and groups with the same exact letters.
struct scan_plan {
  std::vector<const near_strand*> everywhere;
  std::vector<std::vector<const near_strand*>> groups;
};

// Returns the share of the positions of a random text where the exact letters of a strand match.
double exact_share(const near_strand& strand) {
  double share = 1;
  for (std::uint64_t i = 0; i < strand.size; ++i)
    if (strand.is_exact(i)) share *= 0.25 * __builtin_popcount(strand.sets[i]);
  return share;
}

scan_plan plan_scan(std::span<const near_strand> strands) {
  constexpr std::size_t min_strands = 4; // of a group
  scan_plan plan;
  std::map<std::string, std::vector<const near_strand*>> groups; // by the exact letters
  for (const near_strand& strand : strands) {
    if (strand.size > site_scan::max_size || exact_share(strand) > max_site_share) {
      plan.everywhere.push_back(&strand);
      continue;
    }
    std::string letters(strand.size, '\0');
    for (std::uint64_t i = 0; i < strand.size; ++i)
      if (strand.is_exact(i)) letters[i] = static_cast<char>(strand.sets[i]);
    while (letters.back() == '\0') letters.pop_back(); // free letters at the end do not matter
    groups[letters].push_back(&strand);
  }
  for (auto& [letters, members] : groups)
    if (members.size() >= min_strands)
      plan.groups.push_back(std::move(members));
    else
      plan.everywhere.insert(plan.everywhere.end(), members.begin(), members.end());
  return plan;
}

// Scans blocks [first, last) of the text.
void scan_blocks(const fm_index::view& index, std::span<const near_strand> strands, const scan_plan& plan,
                 unsigned max_distance, const run_options& run, std::uint64_t first, std::uint64_t last,
                 near_collector& to) {
  text_planes planes(index, strands);
  std::vector<near_scan_letters> letters;
  letters.reserve(plan.everywhere.size());
  for (const near_strand* strand : plan.everywhere)
    letters.push_back(letters_of(*strand, planes, max_distance));
  std::vector<site_scan> groups;
  groups.reserve(plan.groups.size());
  for (const auto& group : plan.groups) groups.emplace_back(group, max_distance, false);
  std::vector<near_scan_hit> found;
  std::vector<near_hit> hits;
  const auto report = [&](const near_strand& strand, std::uint64_t symbol, std::uint32_t mismatches) {
    append_scanned_hit(index, strand, symbol, mismatches, hits);
    if (hits.size() >= max_hits_at_once) to.add(hits);
  };
  const auto report_site = [&](const near_strand& strand, std::uint64_t symbol, std::uint32_t,
                               std::uint32_t mismatches) { report(strand, symbol, mismatches); };
  for (std::uint64_t block = first; block < last; ++block) {
    base_detail::check_cancelled(run);
    planes.load(block * near_scan_block);
    for (std::size_t s = 0; s < letters.size(); ++s) {
      found.clear();
      scan_positions(letters[s], near_scan_block / 8, found);
      for (const near_scan_hit& hit : found)
        report(*plan.everywhere[s], block * near_scan_block + hit.position,
               hit.mismatches + max_distance - letters[s].max_distance);
    }
    for (site_scan& group : groups) group.add(planes, block * near_scan_block, report_site);
    to.add(hits);
  }
  for (site_scan& group : groups) group.flush(report_site);
  to.add(hits);
}

} // namespace

double scan_cost(std::uint64_t num_symbols, const near_strand& strand, near_metric metric) {
  constexpr double letter_cost = 0.0015, load_cost = 0.02; // nanoseconds a symbol
  constexpr double site_cost = 0.12; // nanoseconds of a strand at a position where the exact letters match
  constexpr std::uint64_t max_letters = 24; // most positions have too many mismatches then
  if (metric == near_metric::errors) return column_cost(strand) * static_cast<double>(num_symbols);
  const double loaded =
      1 + static_cast<double>(strand.size) / near_scan_block; // a block, and the letters behind it
  // Several strands with the same exact letters are likely to be searched together.
  const double share = exact_share(strand);
  const double cost =
      strand.size <= site_scan::max_size && share <= max_site_share
          ? site_cost * share
          : letter_cost * static_cast<double>(std::min(strand.size, max_letters)) + load_cost * loaded;
  return cost * static_cast<double>(num_symbols);
}

void search_by_scan(const fm_index::view& index, std::span<const near_strand> strands,
                    const near_options& options, near_collector& to) {
  if (strands.empty()) return;
  if (options.metric == near_metric::errors) {
    parallel_for(0, strands.size(), 1, options.run, [&](std::uint64_t s, std::uint64_t) {
      error_search(index, options).search_all(strands[s], to);
    });
    return;
  }
  const std::uint64_t blocks = (index.record_offsets.back() + near_scan_block - 1) / near_scan_block;
  const scan_plan plan = plan_scan(strands);
  parallel_for(0, blocks, range_blocks, options.run, [&](std::uint64_t first, std::uint64_t last) {
    scan_blocks(index, strands, plan, options.max_distance, options.run, first, last, to);
  });
}

} // namespace weft::bwt_detail
