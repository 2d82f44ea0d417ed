// Parallel work on threads: over independent ranges (parallel_for), or by a team whose members work together
// (run_team).
#pragma once

#include <cstdint>
#include <functional>
#include <weft/base/run.hpp>

namespace weft {

// Returns the number of threads to use: `requested` if that is positive, otherwise the number of processors
// on which this process may run. At least 1.
[[nodiscard]] int thread_count(int requested = 0) noexcept;

// Calls body(first, last) for disjoint ranges that cover [begin, end), each of at most `grain` items (grain
// >= 1), on up to `threads` threads (0: all), in unspecified order. With one thread, the ranges run in order
// on the calling thread. If the system cannot start that many threads, fewer do the work. If a body throws,
// the others finish the ranges they are at, and the first exception is rethrown.
void parallel_for(std::uint64_t begin, std::uint64_t end, std::uint64_t grain, int threads,
                  const std::function<void(std::uint64_t first, std::uint64_t last)>& body);

// Does the same on run.threads threads, and calls check_cancelled(run) before each range.
void parallel_for(std::uint64_t begin, std::uint64_t end, std::uint64_t grain, const run_options& run,
                  const std::function<void(std::uint64_t first, std::uint64_t last)>& body);

// Calls body(0) .. body(members - 1), all at the same time, each on its own thread (member 0 on the calling
// thread). If the system cannot start enough threads, the calling thread runs the remaining members in order
// after member 0 has returned. Therefore a member may wait for work that another member has begun, but not
// for another member to begin. When all have returned, rethrows the first exception. A body that waits for
// another member must also notice that the other has failed.
void run_team(int members, const std::function<void(int member)>& body);

} // namespace weft
