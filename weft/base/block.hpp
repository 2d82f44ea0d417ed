// A thread block, as the bodies of cooperative kernels see it.
//
// A body is a template over its block and a sequence of phases: phase(f) runs f(t) for every thread t, then
// synchronises. Between two phases threads may read what others wrote; inside one they may not. The host runs
// the very body that the device runs, in any order of threads, so that a race shows as a result that depends
// on the order, and a forgotten barrier cannot be written.
#pragma once

#include <span>
#include <weft/base/host_device.hpp>

namespace weft {

enum class thread_order { ascending, descending };

struct host_block {
  int threads = 1;
  thread_order order = thread_order::ascending;
  std::span<const int> permutation = {}; // if not empty: the order to run the threads in

  template <class Body> void phase(Body body) const {
    for (int i = 0; i < threads; ++i) {
      const int t = order == thread_order::ascending ? i : threads - 1 - i;
      body(permutation.empty() ? t : permutation[static_cast<unsigned>(t)]);
    }
  }
};

#if defined(__CUDACC__)
struct device_block {
  int threads;
  template <class Body> __device__ void phase(Body body) const {
    body(static_cast<int>(threadIdx.x));
    __syncthreads();
  }
};
#endif

} // namespace weft
