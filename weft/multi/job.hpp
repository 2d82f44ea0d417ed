// The job that this process is a rank of: processes that were started together by mpirun or a like program.
//
//   weft::multi::launched_ranks();                  // == 1
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <weft/multi/communicator.hpp>
#include <weft/multi/mpi_communicator.hpp>

namespace weft::multi {

// Returns whether a launcher of MPI has started this process. False if the environment variable WEFT_MPI is
// "none".
[[nodiscard]] bool is_launched();
// Returns the number of ranks that it has started; 1 if there is no launcher.
[[nodiscard]] int launched_ranks();
// Returns the number of this process among them; 0 if there is no launcher.
[[nodiscard]] int launched_rank();

// The connection of this process to its job. It opens the plugin weft_mpi_openmpi.so or weft_mpi_mpich.so for
// the library of the launcher. WEFT_MPI can name the library: openmpi or mpich. Plugins are looked for in the
// folder of the program, and in those that the build names.
class job {
public:
  // Joins the other ranks. Returns null if no launcher has started this process. Throws unavailable_error if
  // one has, and there is no plugin for its library.
  [[nodiscard]] static std::unique_ptr<job> join(const mpi_options& options);
  ~job();
  job(const job&) = delete;
  job& operator=(const job&) = delete;

  [[nodiscard]] communicator& ranks() noexcept { return *ranks_; }
  // How many ranks run on the host of this rank, and how many of them have smaller numbers.
  struct host_ranks {
    int count, before;
  };
  // All ranks call it together.
  [[nodiscard]] host_ranks ranks_on_this_host();
  // Returns, on rank 0, the sum of mpi_options::progress of all ranks, as of a second ago.
  [[nodiscard]] std::uint64_t total_progress() const { return control_->total_progress(); }
  // Waits for the other ranks after a success. Throws the failure of another rank, unless the job had failed
  // before.
  void wait_for_all();
  // Leaves the job; to be called at the end of the program, after wait_for_all(). When a rank has left, the
  // launcher may end the others, so that messages come before it. Returns when all ranks have called it, or
  // after some seconds.
  void leave();
  // Ends all ranks at once.
  void abort(int exit_code) noexcept { mpi_->abort(exit_code); }

private:
  job(const multi_detail::mpi_functions& mpi, const mpi_options& options);

  const multi_detail::mpi_functions* mpi_;
  std::shared_ptr<multi_detail::mpi_control> control_;
  std::unique_ptr<communicator> ranks_;
};

} // namespace weft::multi
