// The device, the stream and the execution of a call on arrays in the memory of a GPU.
#pragma once

#include <algorithm>
#include <cstdint>
#include <weft/base/cuda/device_memory.hpp>

#include "device_array.hpp"

namespace weft::python {

// The stream and the device of a call. Makes the device current while the object exists.
class device_work {
public:
  device_work(const call& started, int index) : stream(stream_of(started)), device(index), scope_(index) {}
  const call_stream stream;
  const int device;

  // Returns work(options), which runs without the GIL. It runs on this thread if it is short or if the caller
  // chose the stream, because another thread would not be part of a capture. `cost` is in nanoseconds.
  template <class Work> auto execute(const call& started, double cost, std::uint64_t total, Work work) const {
    return started.execute(stream.given ? 100e3 : std::max(cost, 100e3), total,
                           [index = device, work](const run_options& run) {
                             const gpu::device_scope scope(index);
                             run_options on_device = run;
                             on_device.device = {device_kind::gpu, index};
                             return work(on_device);
                           });
  }

private:
  gpu::device_scope scope_;
};

// Returns a number that a kernel adds to.
template <class Enqueue> [[nodiscard]] std::uint64_t counted(const device_work& work, Enqueue enqueue) {
  const cudaStream_t stream = work.stream.handle;
  const gpu::device_buffer<std::uint64_t> d_count(1, stream);
  std::uint64_t count = 0;
  gpu::check(cudaMemsetAsync(d_count.data(), 0, sizeof count, stream), "clear a counter");
  enqueue(d_count.data());
  gpu::copy(&count, d_count.data(), 1, stream, "copy a counter");
  gpu::check(cudaStreamSynchronize(stream), "wait for the GPU");
  return count;
}

} // namespace weft::python
