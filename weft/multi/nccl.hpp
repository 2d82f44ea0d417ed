// Ranks whose bytes are in the memory of GPUs, connected by NCCL. Needs the CUDA runtime's headers.
//
//   const int gpus[] = {0, 1};
//   weft::multi::run_on_gpus(gpus, [&](weft::multi::gpu_rank& own) {
//     own.device.broadcast(bytes_in_device_memory, 0);              // over NVLink, on own.stream
//     weft::multi::sort(own, d_numbers, count);                     // the numbers of all GPUs
//   });
//
// The functions for bytes (broadcast, all_gather, all_to_all, send, receive) take memory of the current
// device, or nothing. They enqueue their work in the stream and wait for it. While they wait, they ask NCCL
// for errors (ncclCommGetAsyncError), and the control communicator for the failure of another rank; both, and
// a wait of more than max_wait, end the exchange on all ranks. Numbers (all_reduce, exclusive_scan),
// barrier() and failures travel by the control communicator, which is one of MPI or of threads, and is used
// by this communicator alone while its functions run. duplicate() throws: GPUs exchange one thing at a time.
//
// NCCL 2.18 or later is opened at run time (weft/multi/cuda/nccl_functions.hpp).
#pragma once

#include <chrono>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <functional>
#include <memory>
#include <span>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/multi/communicator.hpp>
#include <weft/multi/sorted_parts.hpp>

struct ncclComm;

namespace weft::multi {

// How long a rank waits for others.
struct nccl_options {
  std::chrono::milliseconds max_wait = std::chrono::seconds(60);
};

// A communicator for device memory.
class nccl_communicator : public communicator {
public:
  // Ends the ncclComm_t (ncclCommAbort), which its owner then must not destroy. Functions that fail do so.
  // The other ranks of a process must do so as well, because NCCL waits for them. A second call does nothing.
  virtual void abort() noexcept = 0;

  // Enqueues what all_to_all() does in the stream, and does not wait for it. The memory must stay as it is
  // until wait_for() has returned for an event that was recorded in the stream afterwards.
  void enqueue_all_to_all(std::span<const std::span<const std::byte>> send, std::span<std::byte> receive,
                          std::span<const std::uint64_t> receive_sizes) {
    count_pieces(send, receive, receive_sizes);
    do_enqueue_all_to_all(send, receive, receive_sizes);
  }
  // Waits until the stream has passed an event that was recorded in it.
  virtual void wait_for(const weft::gpu::event& passed) = 0;

protected:
  using communicator::communicator;

private:
  virtual void do_enqueue_all_to_all(std::span<const std::span<const std::byte>> send,
                                     std::span<std::byte> receive,
                                     std::span<const std::uint64_t> receive_sizes) = 0;
};

// Returns the communicator of an ncclComm_t, whose ranks must be those of `control`, and a stream of the
// current device. All three must outlive it. If the ncclComm_t was made with ncclConfig_t::blocking = 1, NCCL
// itself may wait for a rank that does not come, and cannot be interrupted. Throws unavailable_error if there
// is no NCCL, and std::invalid_argument if the ranks differ.
[[nodiscard]] std::unique_ptr<nccl_communicator>
communicator_of(communicator& control, ncclComm* comm, cudaStream_t stream, const nccl_options& options = {});

// A rank of run_on_gpus(): its connections for host and for device memory, and its stream, which has the
// highest priority, so that exchanges do not wait for kernels of other streams.
struct gpu_rank {
  communicator& control;
  nccl_communicator& device;
  cudaStream_t stream;
};

// Calls body(rank) on a thread for each of these GPUs, which is current there, and returns when all have
// returned. If a body throws, the exchanges of all ranks fail with its error, and the exception of the rank
// that failed first is rethrown. Throws unavailable_error if there is no NCCL, or no such GPU.
void run_on_gpus(std::span<const int> gpus, const std::function<void(gpu_rank& own)>& body,
                 const nccl_options& options = {});

// The seconds that the steps of a sort have taken on a rank.
struct gpu_sort_times {
  double local_sort = 0; // until all ranks have sorted their own numbers
  double cut_search = 0; // until each rank knows what it sends and receives
  double exchange = 0;   // of sending, receiving and merging
};

struct gpu_sort_options {
  // Numbers travel in up to 16 groups. If there are several, those of the largest part have at least about so
  // many bytes each. A group costs about 0.15 ms, and hides the time of its merge, which is 1 ms for 1 GiB.
  std::uint64_t min_group_bytes = std::uint64_t{1} << 30;
  gpu_sort_times* times = nullptr; // is set if it is not null
};

// Sorts the numbers of all ranks, which are in the memory of their GPUs; each rank keeps its number of them.
// The result has the same bytes as weft::multi::sort of the numbers. T is one of std::uint32_t,
// std::uint64_t, std::int32_t, std::int64_t, float and double, in the order of weft::ascending. All ranks
// call it together, with the same min_group_bytes. Waits for the stream.
//
// Each GPU sorts its numbers by weft::gpu::sort, and the ranks cut the order of all numbers exactly into the
// parts of the ranks, and each part into groups. Numbers that change their rank travel once. While a group
// travels, the group before it is merged by cub::DeviceMerge, in log2(ranks) rounds, on a stream of its own.
// Merged numbers are copied to `d_items` as soon as the numbers there have been sent.
//
// Extra memory of a GPU with n numbers: first what weft::gpu::sort takes, about 1.1 n. Then n for the part,
// and what holds two groups, or three with more than two ranks: up to 0.14 n or 0.21 n with 16 groups. With
// one group, which has no other to travel beside, it is n, or 2 n with more than two ranks. Throws
// memory_error on all ranks if one of them lacks memory for the exchange; then no number has left its rank.
// Throws device_error and the failure of other ranks; an error in the exchange fails it on all ranks, ends
// the ncclComm_t, and leaves any numbers in `d_items`.
template <class T>
void sort(gpu_rank& own, T* d_items, std::uint64_t num_items, const gpu_sort_options& options = {});

// Does the same, and replaces the buffer by the part of this rank, whose size is `wanted`; no number is
// copied back. The new buffer belongs to own.stream.
template <class T>
void sort(gpu_rank& own, weft::gpu::device_buffer<T>& items, sizes wanted,
          const gpu_sort_options& options = {});

} // namespace weft::multi
