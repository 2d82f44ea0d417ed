// The calls of MPI that weft makes, as a table of functions.
//
// Open MPI and MPICH have different types behind the same names, so code that is compiled for one of them
// cannot run with the other. Only mpi/calls.hpp includes <mpi.h>. It fills this table, either in a program
// that is compiled for one library, or in a small plugin for each library, which weft opens at run time.
#pragma once

#include <cstdint>

namespace weft::multi_detail {

// A communicator of MPI and a request of MPI, each in an object that the table owns.
struct mpi_comm;
struct mpi_request;

// All functions may be called by several threads at a time. Those that return int return MPI_SUCCESS (0) or
// an error code for describe(). Those with a request start an operation, which is complete when test() says
// so; its memory must stay valid until then.
struct mpi_functions {
  static constexpr std::uint32_t current_version = 1;
  std::uint32_t version; // current_version of the code that filled the table

  // Initialises MPI for calls by several threads, unless the program has done so, and returns a duplicate of
  // MPI_COMM_WORLD. Sets *thread_safe to whether the library allows such calls.
  int (*start)(mpi_comm** world, bool* thread_safe);
  // Returns a duplicate of the MPI_Comm that `comm` points to.
  int (*adopt)(const void* comm, mpi_comm** copy);
  int (*duplicate)(mpi_comm* comm, mpi_comm** copy);
  void (*release)(mpi_comm* comm);
  int (*rank)(mpi_comm* comm, int* rank);
  int (*size)(mpi_comm* comm, int* size);

  int (*send)(mpi_comm* comm, const void* bytes, int count, int to, int tag, mpi_request** request);
  int (*receive)(mpi_comm* comm, void* bytes, int count, int from, int tag, mpi_request** request);
  int (*barrier)(mpi_comm* comm, mpi_request** request);
  int (*broadcast)(mpi_comm* comm, void* bytes, int count, int root, mpi_request** request);
  // `how`: 0 for the sum, 1 for the minimum, 2 for the maximum, both of the numbers as signed ones. In place.
  int (*all_reduce)(mpi_comm* comm, std::uint64_t* numbers, int count, int how, mpi_request** request);
  int (*exclusive_scan)(mpi_comm* comm, std::uint64_t* numbers, int count, mpi_request** request);
  int (*all_gather)(mpi_comm* comm, const void* own, int own_count, void* all, const int* counts,
                    const int* offsets, mpi_request** request);
  // Sets *done to whether the operation is complete, and then frees the request.
  int (*test)(mpi_request* request, bool* done);
  // Gives an operation up. A message that has not come is not received any more.
  void (*drop)(mpi_request* request);
  // Receives a message with this tag of up to `capacity` bytes if one has come, and sets *from to its rank
  // and *count to its size; without one, sets *from to -1.
  int (*poll)(mpi_comm* comm, int tag, void* bytes, int capacity, int* from, int* count);

  void (*describe)(int code, char* text, int capacity);
  void (*abort)(int exit_code);
  void (*finish)(); // MPI_Finalize, if start() has initialised MPI
};

} // namespace weft::multi_detail
