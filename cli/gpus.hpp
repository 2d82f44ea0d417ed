// GPUs: the start of CUDA beside other work, and several GPUs of one host (the flag --gpus).
#pragma once

#include <atomic>
#include <cli/flags.hpp>
#include <exception>
#include <thread>
#include <weft/base/device.hpp>

namespace weft::cli {

// A gpu_start starts CUDA in a thread, which takes a third of a second, so that a verb can read its input
// meanwhile. Whoever calls require_device() waits for the start. The destructor waits, too.
class gpu_start {
public:
  // Starts CUDA if `device` is a GPU. If the system has no thread for that, the first call of
  // require_device() starts CUDA instead.
  explicit gpu_start(const device_choice& device);
  gpu_start(const gpu_start&) = delete;
  gpu_start& operator=(const gpu_start&) = delete;

  // Returns whether the thread is still starting CUDA.
  [[nodiscard]] bool is_running() const noexcept { return is_running_; }
  // Throws what require_device() would throw, if the thread has failed already.
  void check() const {
    if (!is_running_ && failure_) std::rethrow_exception(failure_);
  }

private:
  std::atomic<bool> is_running_{false};
  std::exception_ptr failure_; // written before is_running_ becomes false
  std::jthread thread_;
};

// Calls call(arguments) on one rank for each GPU that --gpus names, with --device set to the GPU of the rank,
// and returns the result of rank 0. Without --gpus, calls call(given) once. Under mpirun, the ranks of a host
// take the GPUs in turn, and each calls call() once. Throws error(invalid_input) if --gpus is no number of
// GPUs or stands beside --device, and unavailable_error if there are not so many GPUs.
int run_on_gpus(const arguments& given, int (*call)(const arguments&));

} // namespace weft::cli
