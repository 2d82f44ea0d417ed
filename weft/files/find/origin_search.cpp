#include <weft/files/find/origin_search.hpp>

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>

namespace weft::files {

namespace {

// Returns the level of patterns of `size` letters: the smallest k with size <= 2^k. Level 0 has no junctions,
// because a pattern of one letter cannot extend over an origin.
std::size_t level_of(std::uint64_t size) {
  return size < 2 ? 0 : static_cast<std::size_t>(std::bit_width(size - 1));
}

// Returns options for a search on the CPU, because junctions are small compared with the references.
fm_search_options cpu_options() {
  fm_search_options options;
  options.run.device = {device_kind::cpu};
  options.run.threads = 1;
  return options;
}

} // namespace

std::vector<origin_search::level_patterns>
origin_search::group_patterns(std::string_view text, std::span<const std::uint64_t> offsets,
                              std::uint64_t extra) {
  std::array<level_patterns, max_levels> levels;
  for (std::uint64_t p = 0; p + 1 < offsets.size(); ++p) {
    const std::string_view pattern = text.substr(offsets[p], offsets[p + 1] - offsets[p]);
    level_patterns& level = levels[level_of(pattern.size() + extra)];
    level.numbers.push_back(p);
    level.text += pattern;
    level.offsets.push_back(level.text.size());
  }
  std::vector<level_patterns> result;
  for (std::size_t k = 1; k < max_levels; ++k) {
    if (levels[k].numbers.empty()) continue;
    levels[k].side = (std::uint64_t{1} << k) - 1;
    levels[k].junctions = &junctions(k);
    result.push_back(std::move(levels[k]));
  }
  return result;
}

const fm_index& origin_search::junctions(std::size_t level) {
  const std::lock_guard lock(mutex_);
  if (!levels_[level]) levels_[level] = std::make_unique<fm_index>(build((std::uint64_t{1} << level) - 1));
  return *levels_[level];
}

fm_index origin_search::build(std::uint64_t side) const {
  // An index takes about 10 bytes per letter while it is built. All smaller levels together have about as
  // many letters as this level, so 20 bytes per letter of this level are enough for all of them.
  constexpr std::uint64_t bytes_a_letter = 2 * 10;
  std::uint64_t letters = 0;
  for (std::uint64_t r = 0; r < index_.num_records(); ++r) letters += 2 * std::min(index_.length(r), side);
  if (letters > memory_ / bytes_a_letter)
    throw memory_error(
        fmt::format("circular records need {} of memory for the {} letters around their origins, but only {} "
                    "is allowed: allow more memory",
                    format_size(letters * bytes_a_letter), letters, format_size(memory_)));
  std::string text;
  text.reserve(letters);
  std::vector<std::uint64_t> offsets{0};
  for (std::uint64_t r = 0; r < index_.num_records(); ++r) {
    const std::uint64_t length = index_.length(r), taken = std::min(length, side);
    text += index_.extract(r, length - taken, length);
    text += index_.extract(r, 0, taken);
    offsets.push_back(text.size());
  }
  fm_build_options options;
  options.run.device = {device_kind::cpu};
  options.run.threads = 1;
  options.run.memory = memory_;
  return fm_index::build({text, offsets}, options);
}

std::vector<std::uint64_t> origin_search::count_candidates(std::string_view text,
                                                           std::span<const std::uint64_t> offsets) {
  std::vector<std::uint64_t> counts(offsets.size() - 1);
  for (const level_patterns& level : group_patterns(text, offsets)) {
    const std::vector<std::uint64_t> found =
        level.junctions->count({level.text, level.offsets}, cpu_options());
    for (std::size_t i = 0; i < found.size(); ++i) counts[level.numbers[i]] = found[i];
  }
  return counts;
}

fm_hits origin_search::locate(std::string_view text, std::span<const std::uint64_t> offsets) {
  std::vector<std::vector<fm_hit>> hits(offsets.size() - 1);
  for (const level_patterns& level : group_patterns(text, offsets)) {
    const fm_hits found = level.junctions->locate({level.text, level.offsets}, cpu_options());
    for (std::size_t i = 0; i < level.numbers.size(); ++i) {
      const std::uint64_t size = level.offsets[i + 1] - level.offsets[i];
      for (std::uint64_t h = found.offsets[i]; h < found.offsets[i + 1]; ++h) {
        const auto [record, begin] = found.hits[h];
        const std::uint64_t length = index_.length(record), before = std::min(length, level.side);
        if (begin < before && begin + size > before && size <= length)
          hits[level.numbers[i]].push_back({record, length - before + begin});
      }
    }
  }
  fm_hits result;
  for (const std::vector<fm_hit>& pattern_hits : hits) {
    result.hits.insert(result.hits.end(), pattern_hits.begin(), pattern_hits.end());
    result.offsets.push_back(result.hits.size());
    result.totals.push_back(pattern_hits.size());
  }
  return result;
}

} // namespace weft::files
