// A team of ranks: rank 0 leads, and the other ranks help it until it dismisses them. Rank 0 broadcasts what
// the ranks do next, and then all of them do their part:
//
//   rank 0:          for each task: broadcast an order; do its part
//                    dismiss(): broadcast the order to end
//   other ranks:     help(): until the order is to end: receive the order; do its part
#pragma once

#include <cstddef>
#include <exception>
#include <span>
#include <weft/base/error.hpp>
#include <weft/base/run.hpp>
#include <weft/multi/communicator.hpp>

namespace weft::multi_detail {

// Returns the bytes of an order, which has a trivial type.
template <class Order> std::span<std::byte> bytes_of(Order& what) {
  return std::as_writable_bytes(std::span(&what, 1));
}

// Returns the bytes that rank 0 broadcasts, and which it only reads.
inline std::span<std::byte> bytes_to_give(std::span<const std::byte> bytes) {
  return {const_cast<std::byte*>(bytes.data()), bytes.size()};
}

// Returns work(). If it throws, the exchange of the job fails: for steps in which ranks wait for each other.
template <class Work> auto fail_together(multi::communicator& ranks, const Work& work) {
  try {
    return work();
  } catch (...) {
    ranks.fail(multi::describe_failure(std::current_exception(), ranks.rank()));
    throw;
  }
}

// Does the same for work whose lack of memory nobody can make up for by another engine: throws error in place
// of memory_error.
template <class Work> auto depend_on_each_other(multi::communicator& ranks, const Work& work) {
  try {
    return fail_together(ranks, work);
  } catch (const memory_error& fault) {
    throw error(errc::out_of_memory, fault.what());
  }
}

// Calls work() on rank 0, and team.help(run) on the other ranks until that has returned. All ranks throw what
// work() throws.
template <class Team, class Work>
void work_together(multi::communicator& ranks, Team& team, const run_options& run, const Work& work) {
  std::exception_ptr fault;
  if (ranks.rank() == 0) {
    try {
      work();
    } catch (...) {
      fault = std::current_exception();
    }
    team.dismiss();
  } else {
    team.help(run);
  }
  multi::run_together(ranks, [&] {
    if (fault) std::rethrow_exception(fault);
  });
}

} // namespace weft::multi_detail
