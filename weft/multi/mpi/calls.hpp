// Fills the table of mpi/functions.hpp with the calls of the MPI library that this file is compiled for.
#pragma once

#include <cstdint>
#include <cstdio>
#define OMPI_SKIP_MPICXX 1 // the C++ bindings, which no MPI standard has any more
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#include <new>
#include <weft/multi/mpi/functions.hpp>

namespace weft::multi_detail {

struct mpi_comm {
  MPI_Comm value = MPI_COMM_NULL;
};

struct mpi_request {
  MPI_Request value = MPI_REQUEST_NULL;
  bool is_receive = false;
};

// The calls, as the table describes them.
struct mpi_calls {
  static inline bool is_initialised_here = false;

  static int copy_of(MPI_Comm comm, mpi_comm** copy) {
    auto* result = new (std::nothrow) mpi_comm;
    if (result == nullptr) return MPI_ERR_NO_MEM;
    int code = MPI_Comm_dup(comm, &result->value);
    if (code == MPI_SUCCESS) code = MPI_Comm_set_errhandler(result->value, MPI_ERRORS_RETURN);
    if (code != MPI_SUCCESS) {
      delete result;
      return code;
    }
    *copy = result;
    return MPI_SUCCESS;
  }

  static int start(mpi_comm** world, bool* thread_safe) {
    int is_initialised = 0, provided = 0;
    int code = MPI_Initialized(&is_initialised);
    if (code == MPI_SUCCESS && is_initialised == 0) {
      code = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
      is_initialised_here = code == MPI_SUCCESS;
    }
    if (code == MPI_SUCCESS) code = MPI_Query_thread(&provided);
    if (code != MPI_SUCCESS) return code;
    *thread_safe = provided == MPI_THREAD_MULTIPLE;
    return copy_of(MPI_COMM_WORLD, world);
  }

  static int adopt(const void* comm, mpi_comm** copy) {
    return copy_of(*static_cast<const MPI_Comm*>(comm), copy);
  }

  static int duplicate(mpi_comm* comm, mpi_comm** copy) { return copy_of(comm->value, copy); }

  static void release(mpi_comm* comm) {
    MPI_Comm_free(&comm->value);
    delete comm;
  }

  static int rank(mpi_comm* comm, int* rank) { return MPI_Comm_rank(comm->value, rank); }
  static int size(mpi_comm* comm, int* size) { return MPI_Comm_size(comm->value, size); }

  // Calls operation(request) with a new request, which is deleted again if the call fails.
  template <class Operation> static int begin(mpi_request** request, const Operation& operation) {
    auto* result = new (std::nothrow) mpi_request;
    if (result == nullptr) return MPI_ERR_NO_MEM;
    const int code = operation(&result->value);
    if (code != MPI_SUCCESS) {
      delete result;
      return code;
    }
    *request = result;
    return MPI_SUCCESS;
  }

  static int send(mpi_comm* comm, const void* bytes, int count, int to, int tag, mpi_request** request) {
    return begin(request, [&](MPI_Request* started) {
      return MPI_Isend(bytes, count, MPI_BYTE, to, tag, comm->value, started);
    });
  }

  static int receive(mpi_comm* comm, void* bytes, int count, int from, int tag, mpi_request** request) {
    const int code = begin(request, [&](MPI_Request* started) {
      return MPI_Irecv(bytes, count, MPI_BYTE, from, tag, comm->value, started);
    });
    if (code == MPI_SUCCESS) (*request)->is_receive = true;
    return code;
  }

  static int barrier(mpi_comm* comm, mpi_request** request) {
    return begin(request, [&](MPI_Request* started) { return MPI_Ibarrier(comm->value, started); });
  }

  static int broadcast(mpi_comm* comm, void* bytes, int count, int root, mpi_request** request) {
    return begin(request, [&](MPI_Request* started) {
      return MPI_Ibcast(bytes, count, MPI_BYTE, root, comm->value, started);
    });
  }

  static int all_reduce(mpi_comm* comm, std::uint64_t* numbers, int count, int how, mpi_request** request) {
    return begin(request, [&](MPI_Request* started) {
      return MPI_Iallreduce(MPI_IN_PLACE, numbers, count, how == 0 ? MPI_UINT64_T : MPI_INT64_T,
                            how == 0   ? MPI_SUM
                            : how == 1 ? MPI_MIN
                                       : MPI_MAX,
                            comm->value, started);
    });
  }

  static int exclusive_scan(mpi_comm* comm, std::uint64_t* numbers, int count, mpi_request** request) {
    return begin(request, [&](MPI_Request* started) {
      return MPI_Iexscan(MPI_IN_PLACE, numbers, count, MPI_UINT64_T, MPI_SUM, comm->value, started);
    });
  }

  static int all_gather(mpi_comm* comm, const void* own, int own_count, void* all, const int* counts,
                        const int* offsets, mpi_request** request) {
    return begin(request, [&](MPI_Request* started) {
      return MPI_Iallgatherv(own, own_count, MPI_BYTE, all, counts, offsets, MPI_BYTE, comm->value, started);
    });
  }

  static int test(mpi_request* request, bool* done) {
    int is_complete = 0;
    const int code = MPI_Test(&request->value, &is_complete, MPI_STATUS_IGNORE);
    *done = is_complete != 0;
    if (*done || code != MPI_SUCCESS) delete request;
    return code;
  }

  // Only receiving can be cancelled. Other operations are left to the library.
  static void drop(mpi_request* request) {
    int is_complete = 0;
    if (request->is_receive && MPI_Cancel(&request->value) == MPI_SUCCESS)
      for (int tests = 0; is_complete == 0 && tests < 1000; ++tests)
        if (MPI_Test(&request->value, &is_complete, MPI_STATUS_IGNORE) != MPI_SUCCESS) break;
    delete request;
  }

  static int poll(mpi_comm* comm, int tag, void* bytes, int capacity, int* from, int* count) {
    *from = -1;
    int has_come = 0;
    MPI_Message message;
    MPI_Status status;
    int code = MPI_Improbe(MPI_ANY_SOURCE, tag, comm->value, &has_come, &message, &status);
    if (code != MPI_SUCCESS || has_come == 0) return code;
    MPI_Get_count(&status, MPI_BYTE, count);
    *from = status.MPI_SOURCE;
    return MPI_Mrecv(bytes, capacity, MPI_BYTE, &message, MPI_STATUS_IGNORE);
  }

  static void describe(int code, char* text, int capacity) {
    char message[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, message, &length);
    std::snprintf(text, static_cast<std::size_t>(capacity), "%s", message);
  }

  static void abort(int exit_code) { MPI_Abort(MPI_COMM_WORLD, exit_code); }

  static void finish() {
    if (is_initialised_here) MPI_Finalize();
  }
};

// Returns the table for the MPI library that this file is compiled for.
inline const mpi_functions& functions_of_mpi() {
  using calls = mpi_calls;
  static const mpi_functions table{mpi_functions::current_version,
                                   calls::start,
                                   calls::adopt,
                                   calls::duplicate,
                                   calls::release,
                                   calls::rank,
                                   calls::size,
                                   calls::send,
                                   calls::receive,
                                   calls::barrier,
                                   calls::broadcast,
                                   calls::all_reduce,
                                   calls::exclusive_scan,
                                   calls::all_gather,
                                   calls::test,
                                   calls::drop,
                                   calls::poll,
                                   calls::describe,
                                   calls::abort,
                                   calls::finish};
  return table;
}

} // namespace weft::multi_detail
