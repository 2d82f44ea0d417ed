// The share of the machine that this process may take, where several processes of a job run on one host.
#pragma once

namespace weft::base_detail {

// Sets how many processes share this machine, at least 1. From then on, thread_count(0) is the number of the
// machine's processors divided by it (but not more than the processors on which this process may run), and
// memory_limit(0) is its part of the memory that is available now. Thread-safe.
void set_machine_share(int num_processes) noexcept;

// Returns the number that was set; 1 before.
[[nodiscard]] int machine_share() noexcept;

} // namespace weft::base_detail
