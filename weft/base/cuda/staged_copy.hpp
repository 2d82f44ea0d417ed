// Large copies between memory of the host that is not page-locked and the device, by way of pieces that are,
// on several threads: at the speed of the bus, where the driver's own copy goes at that of one thread.
//
//   weft::gpu::staged_copy staging(device);
//   staging.to_device(d_items, items, bytes, stream, threads);     // items have been read
//   ... enqueue what works on them ...
//   staging.from_device(items, d_items, bytes, stream, threads);   // all came
//   staging.from_device(d_items, bytes, stream, threads,
//                       [&](std::uint64_t at, std::span<const std::byte> piece) { ... });   // the same
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <deque>
#include <functional>
#include <span>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/kept_team.hpp>

namespace weft::gpu {

// Not for calls at the same time. Keeps its threads, and their pieces: 8 MiB each that has been used, at most
// 64 MiB.
class staged_copy {
public:
  explicit staged_copy(int device) : device_(device) {}

  // Copies, in the order of the stream; returns when `from` has been read. `read` is called on several
  // threads with the bytes of each piece that has been; what it throws ends the copy.
  void to_device(
      void* d_to, const void* from, std::uint64_t bytes, cudaStream_t stream, int threads,
      const std::function<void(std::uint64_t)>& read = [](std::uint64_t) {});

  // Copies what the stream leaves there; returns when `take` has been called, on several threads and in no
  // stated order (one thread: the caller's, in order), with the place and the bytes of each piece, of up
  // to piece_bytes. Pieces begin at multiples of 4,096.
  using taker = std::function<void(std::uint64_t at, std::span<const std::byte> piece)>;
  void from_device(const void* d_from, std::uint64_t bytes, cudaStream_t stream, int threads,
                   const taker& take);
  // The same to `to`; returns when all is there.
  void from_device(void* to, const void* d_from, std::uint64_t bytes, cudaStream_t stream, int threads);

  static constexpr std::uint64_t piece_bytes = std::uint64_t{1} << 22;

private:
  struct slot {
    pinned_buffer<std::byte> bytes{piece_bytes};
    event copied; // what was last asked of these bytes
  };
  class piece_turns;
  // work(turns, the first of two slots that the thread has), on so many threads as there is work for. What a
  // thread throws ends the copy.
  void run(std::uint64_t bytes, int threads,
           const std::function<void(piece_turns& turns, std::size_t slot)>& work);

  int device_;
  std::deque<slot> slots_;
  kept_team team_;
};

} // namespace weft::gpu
