// Declares the parts that all methods on device memory share.
#pragma once

#include <bench/gpu.hpp>
#include <memory>
#include <string>
#include <weft/base/device.hpp>
#if defined(WEFT_WITH_CUDA)
#include <weft/base/cuda/device_memory.hpp>
#endif

namespace weft::bench {

#if defined(WEFT_WITH_CUDA)

// Returns a method that creates a `Memory` with make() and calls its prepare() and run() with the first GPU
// as the current device. The answer is checked by those of digest() and is_right() that `Memory` has. If it
// has seconds(), that returns the time that counts.
template <class Memory, class Make>
method gpu_method(const std::string& name, const std::string& unavailable_reason, const Make& make) {
  const auto memory = std::make_shared<std::unique_ptr<Memory>>();
  method made{name,
              false,
              true,
              0,
              unavailable_reason,
              [=] {
                const gpu::device_scope scope(first_gpu().index);
                if (*memory == nullptr) *memory = make();
                (*memory)->prepare();
              },
              [=] {
                const gpu::device_scope scope(first_gpu().index);
                (*memory)->run();
              },
              {}};
  if constexpr (requires(Memory & of) { of.is_right(); })
    made.is_right = [=] {
      const gpu::device_scope scope(first_gpu().index);
      return (*memory)->is_right();
    };
  if constexpr (requires(Memory & of) { of.digest(); })
    made.digest = [=] {
      const gpu::device_scope scope(first_gpu().index);
      return (*memory)->digest();
    };
  if constexpr (requires(Memory & of) { of.seconds(); }) made.seconds = [=] { return (*memory)->seconds(); };
  return made;
}

// Measures the time between two points of a stream, by the clock of the GPU.
class event_timer {
public:
  event_timer() {
    for (cudaEvent_t& each : events_) gpu::check(cudaEventCreate(&each), "make an event");
  }
  ~event_timer() {
    for (const cudaEvent_t each : events_) (void)cudaEventDestroy(each);
  }
  event_timer(const event_timer&) = delete;
  event_timer& operator=(const event_timer&) = delete;

  void begin(cudaStream_t stream) const { gpu::check(cudaEventRecord(events_[0], stream), "mark a stream"); }
  void end(cudaStream_t stream) const { gpu::check(cudaEventRecord(events_[1], stream), "mark a stream"); }
  // Returns the time from begin() to end(). The work before end() must have been waited for.
  [[nodiscard]] double seconds() const {
    float milliseconds = 0;
    gpu::check(cudaEventElapsedTime(&milliseconds, events_[0], events_[1]), "read the time");
    return static_cast<double>(milliseconds) / 1000;
  }

private:
  cudaEvent_t events_[2] = {};
};

// An object that the methods of a case share. make() creates it when the first method asks for it.
template <class Shared> class made_once {
public:
  explicit made_once(std::function<std::unique_ptr<Shared>()> make) : make_(std::move(make)) {}
  Shared& get() {
    if (made_ == nullptr) made_ = make_();
    return *made_;
  }

private:
  std::function<std::unique_ptr<Shared>()> make_;
  std::unique_ptr<Shared> made_;
};

#endif

inline method no_gpu_method(const std::string& name) {
  return {name, false, true, 0, known_gpus().unavailable};
}

} // namespace weft::bench
