// weft's communicator over an MPI_Comm of a program that uses MPI itself.
//
//   MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
//   {
//     const auto ranks = weft::multi::communicator_of(MPI_COMM_WORLD);
//     weft::multi::sort(*ranks, numbers);
//   }
//   MPI_Finalize();
//
// The program includes the <mpi.h> of the library that it is linked with.
#pragma once

#include <memory>
#include <weft/multi/communicator.hpp>
#include <weft/multi/mpi/calls.hpp>
#include <weft/multi/mpi_communicator.hpp>

namespace weft::multi {

// Returns a communicator of the ranks of `comm`, of which it makes duplicates. All ranks call it together,
// and destroy the result together, before MPI_Finalize. MPI must have been initialised with
// MPI_THREAD_MULTIPLE, because a thread of each rank carries failures between the ranks. Throws io_error if a
// call of MPI fails.
[[nodiscard]] inline std::unique_ptr<communicator> communicator_of(MPI_Comm comm,
                                                                   const mpi_options& options = {}) {
  const multi_detail::mpi_functions& mpi = multi_detail::functions_of_mpi();
  multi_detail::mpi_comm* copy = nullptr;
  multi_detail::check_mpi(mpi, mpi.adopt(&comm, &copy), "MPI_Comm_dup");
  std::shared_ptr<multi_detail::mpi_control> control;
  return multi_detail::make_mpi_communicator(mpi, copy, options, control);
}

} // namespace weft::multi
