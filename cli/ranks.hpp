// The command as a rank of a job: of one process, of those that mpirun has started, or of the threads of one
// process for several GPUs.
#pragma once

#include <functional>
#include <string_view>
#include <weft/multi/communicator.hpp>

namespace weft::cli {

// Returns the ranks of this job: one, unless a launcher of MPI has started the program, or the calling thread
// is that of a rank in run_in_threads().
[[nodiscard]] multi::communicator& ranks();
// Returns whether this is rank 0, which alone writes messages.
[[nodiscard]] bool is_first_rank() noexcept;
// Returns how many ranks share the work, also on threads that ranks have started.
[[nodiscard]] int num_ranks();
// Returns how many ranks with smaller numbers run on this host.
[[nodiscard]] int ranks_before_on_host();
// Returns the work that the monitors of all ranks count, as far as rank 0 knows.
[[nodiscard]] std::uint64_t progress_of_all_ranks();

// Joins the job, calls body(), which returns the exit code of the program, and leaves the job. Reports errors
// on standard error as report_errors(), and returns their exit codes. If a rank fails, all ranks return the
// exit code of its error.
int run_in_job(std::string_view name, const std::function<int()>& body);

// Calls body() on `count` threads, each of which is a rank, and returns the result of rank 0.
int run_in_threads(int count, const std::function<int()>& body);

// Calls body() on rank 0 and returns its result on all ranks: for work that is not shared. Meanwhile the
// other ranks call help(), if it is not null.
int run_on_first_rank(const std::function<int()>& body, const std::function<void()>& help = nullptr);

// Returns the value of an environment variable that tests set, or `otherwise`.
[[nodiscard]] std::uint64_t test_setting(const char* name, std::uint64_t otherwise);

} // namespace weft::cli
