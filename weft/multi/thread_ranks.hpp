// Ranks that are threads of one process: for tests, and for the GPUs of one host.
//
//   weft::multi::run_ranks(4, [](weft::multi::communicator& ranks) { ranks.barrier(); });
#pragma once

#include <functional>
#include <memory>
#include <vector>
#include <weft/multi/communicator.hpp>

namespace weft::multi {

// Returns the communicators of `count` ranks of one process, one for each rank. Each is for one thread at a
// time. send() waits until the other rank has received. Throws std::invalid_argument unless count >= 1.
[[nodiscard]] std::vector<std::unique_ptr<communicator>> thread_ranks(int count);

// Calls body(ranks) on `count` threads, each with the communicator of one rank, and returns when all have
// returned. If a body throws, the exchanges of all ranks fail with its error, and the exception of the rank
// that failed first is rethrown. Throws std::system_error if the system has not so many threads.
void run_ranks(int count, const std::function<void(communicator& ranks)>& body);

} // namespace weft::multi
