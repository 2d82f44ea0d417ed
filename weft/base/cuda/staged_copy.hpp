// Fast copies of large arrays between the device and host memory that is not page-locked. Several threads
// copy piece by piece through page-locked slots, which reaches the speed of the bus; the driver's own copy
// uses one thread and is as slow as that.
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
#include <weft/base/parallel.hpp>

namespace weft::gpu {

// Staging memory and threads for such copies, kept between calls: 8 MiB for each thread that has been used,
// at most 64 MiB. One call at a time.
class staged_copy {
public:
  explicit staged_copy(int device) : device_(device) {}

  // Copies `bytes` bytes to the device in the order of the stream, and returns when `from` has been read.
  // After each piece, calls `read` with the piece's size in bytes, on several threads; an exception from
  // `read` ends the copy.
  void to_device(
      void* d_to, const void* from, std::uint64_t bytes, cudaStream_t stream, int threads,
      const std::function<void(std::uint64_t)>& read = [](std::uint64_t) {});

  // Copies `bytes` bytes from the device in the order of the stream. Calls `take` with the offset and the
  // bytes of each piece, on several threads in unspecified order (with one thread: on the calling thread, in
  // order), and returns after the last call. Pieces have up to piece_bytes bytes and begin at multiples of
  // 4,096.
  using taker = std::function<void(std::uint64_t at, std::span<const std::byte> piece)>;
  void from_device(const void* d_from, std::uint64_t bytes, cudaStream_t stream, int threads,
                   const taker& take);
  // Copies `bytes` bytes to `to` likewise, and returns when all have arrived.
  void from_device(void* to, const void* d_from, std::uint64_t bytes, cudaStream_t stream, int threads);

  static constexpr std::uint64_t piece_bytes = std::uint64_t{1} << 22;

private:
  struct slot {
    pinned_buffer<std::byte> bytes{piece_bytes};
    // Marks the last copy of the device from or to `bytes`.
    event copied;
  };
  class piece_queue;
  // Calls work(pieces, slot) on as many threads as there is work for, at most `threads`, where `slot` is the
  // first of two slots that the thread owns. The first exception of a thread ends the copy.
  void run(std::uint64_t bytes, int threads,
           const std::function<void(piece_queue& pieces, std::size_t slot)>& work);

  int device_;
  std::deque<slot> slots_;
  kept_team team_;
};

} // namespace weft::gpu
