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

// Returns a method that creates a `Memory` with make() and calls its prepare(), run() and digest() with the
// first GPU as the current device. If `Memory` has seconds(), it returns the time that counts.
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
              [=] {
                const gpu::device_scope scope(first_gpu().index);
                return (*memory)->digest();
              }};
  if constexpr (requires(Memory & of) { of.seconds(); }) made.seconds = [=] { return (*memory)->seconds(); };
  return made;
}

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
