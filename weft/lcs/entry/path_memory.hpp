// Bounds for the memory of a path: how many runs it can have, and whether they fit the limit of a call.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <weft/lcs/entry/call.hpp>

namespace weft::lcs_detail {

// Returns the largest number of runs that a path of m and n symbols at this distance can have. Each step
// that is no match uses up one of the distance, and each match uses up two of the other m + n - distance
// symbols. Runs of matches stand between runs of other steps. Without substitutions at most two runs of
// other steps stand between two matches.
inline std::uint64_t max_runs(std::uint64_t m, std::uint64_t n, std::uint64_t distance, bool edit) {
  const std::uint64_t matches = (m + n - distance) / 2;
  const std::uint64_t runs = std::min(distance + matches, 2 * distance + 1);
  return edit ? runs : std::min(runs, 3 * matches + 2);
}

// Returns the largest number of runs at any distance.
inline std::uint64_t max_runs(std::uint64_t m, std::uint64_t n, bool edit) {
  if (edit) return max_runs(m, n, std::max(m, n), true); // it grows with the distance
  return 3 * std::min({m, n, (m + n) / 4 + 1}) + 2;      // most runs occur with a quarter of m + n matches
}

// Returns an upper bound for the bytes of a path's runs. First assumes the worst distance. If that bound is
// more than half of the requested limit or more than `spare` bytes, calls distance(), which is expensive, and
// returns the bound for that distance. bytes_per_run exceeds the size of a run if runs are copied.
template <class Distance>
std::uint64_t max_bytes_of_runs(std::uint64_t m, std::uint64_t n, bool edit, std::uint64_t spare,
                                std::uint64_t requested, const Distance& distance,
                                std::uint64_t bytes_per_run = sizeof(edit_run)) {
  const std::uint64_t bytes = cells(max_runs(m, n, edit), bytes_per_run);
  if (bytes <= requested / 2 && bytes <= spare) return bytes;
  return cells(max_runs(m, n, distance(), edit), bytes_per_run);
}

// Returns the bytes to reserve for the runs of a path (max_bytes_of_runs()) beside `held` other bytes, or 0
// if no limit was requested. Throws memory_error if both together exceed the limit.
template <class Distance>
std::uint64_t memory_of_runs(std::string_view subject, std::uint64_t m, std::uint64_t n, bool edit,
                             std::uint64_t held, std::uint64_t requested, const Distance& distance,
                             std::uint64_t bytes_per_run = sizeof(edit_run)) {
  if (requested == 0) return 0;
  const std::uint64_t bytes = max_bytes_of_runs(m, n, edit, requested - std::min(requested, held), requested,
                                                distance, bytes_per_run);
  require_memory(subject, held + bytes, requested);
  return bytes;
}

// Throws memory_error if a limit was requested, and `runs` runs and `held` bytes exceed it.
inline void require_memory_of_runs(std::string_view subject, std::uint64_t runs, std::uint64_t held,
                                   std::uint64_t requested) {
  if (requested != 0) require_memory(subject, held + cells(runs, sizeof(edit_run)), requested);
}

} // namespace weft::lcs_detail
