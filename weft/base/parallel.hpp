// Threads. Two shapes: independent ranges (parallel_for), and a team whose members talk (run_team).
#pragma once

#include <cstdint>
#include <functional>

namespace weft {

// Threads to use for a request: itself if positive, else all processors this process may run on. At least 1.
[[nodiscard]] int thread_count(int requested = 0) noexcept;

// Calls body(first, last) over disjoint ranges that cover [begin, end), each of at most `grain` items
// (grain >= 1), on up to `threads` threads (0: all), in no stated order. An exception thrown by a body is
// rethrown after all have stopped. With one thread, ranges run in order on the caller's thread. Where the
// system has no more threads to give, those that there are do the work.
void parallel_for(std::uint64_t begin, std::uint64_t end, std::uint64_t grain, int threads,
                  const std::function<void(std::uint64_t first, std::uint64_t last)>& body);

// Runs body(0) .. body(members - 1), all at the same time, each on a thread of its own (member 0 on the
// caller's). Members for whom the system has no thread run on the caller's, in order, when member 0 has
// returned: a member may wait for what another has begun, not for another to begin. The first exception is
// rethrown when all have returned; a body that waits for another must also watch for that one's failure.
void run_team(int members, const std::function<void(int member)>& body);

} // namespace weft
