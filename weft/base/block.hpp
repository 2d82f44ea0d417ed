// Thread blocks for the bodies of cooperative kernels, on the device and on the host.
//
// A kernel body is a template over the type of its block and consists of phases: block.phase(f) calls f(t)
// for every thread t of the block and then synchronises the threads. In one phase a thread may read what
// other threads wrote in earlier phases, but not what they write in the same phase. Tests run the same body
// on the host with the threads in any order, so a race shows up as a result that depends on the order. A
// barrier cannot be forgotten, because every phase ends with one.
#pragma once

#include <span>
#include <weft/base/host_device.hpp>

namespace weft {

// The order in which a host_block runs its threads.
enum class thread_order { ascending, descending };

// A block whose threads run one after another on the calling host thread.
struct host_block {
  int threads = 1;
  thread_order order = thread_order::ascending;
  // If not empty, the order in which the threads run; `order` is ignored then.
  std::span<const int> permutation = {};

  template <class Body> void phase(Body body) const {
    for (int i = 0; i < threads; ++i) {
      const int t = order == thread_order::ascending ? i : threads - 1 - i;
      body(permutation.empty() ? t : permutation[static_cast<unsigned>(t)]);
    }
  }
};

#if defined(__CUDACC__)
// The block of the running kernel.
struct device_block {
  int threads;
  template <class Body> __device__ void phase(Body body) const {
    body(static_cast<int>(threadIdx.x));
    __syncthreads();
  }
};
#endif

} // namespace weft
