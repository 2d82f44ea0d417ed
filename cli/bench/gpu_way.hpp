// What ways from device memory to device memory have in common.
#pragma once

#include <cli/bench/gpu.hpp>
#include <memory>
#include <string>
#include <weft/base/device.hpp>
#if defined(WEFT_WITH_CUDA)
#include <weft/base/cuda/device_memory.hpp>
#endif

namespace weft::cli::bench {

#if defined(WEFT_WITH_CUDA)

// A way that makes Memory by make() on the GPU's stream, and then prepares, runs and tells of it there; timed
// by its seconds(), if it has them.
template <class Memory, class Make>
way gpu_way(const std::string& name, const std::string& not_here, const Make& make) {
  const auto memory = std::make_shared<std::unique_ptr<Memory>>();
  way made{name,
           false,
           true,
           0,
           not_here,
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

// What the ways of a case share, made by make() when the first of them asks.
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

inline way no_gpu_way(const std::string& name) { return {name, false, true, 0, known_gpus().unavailable}; }

} // namespace weft::cli::bench
