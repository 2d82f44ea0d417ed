// What calls that work on a device share: the check and the report of a function on device memory, and the
// streams and memory that a host thread keeps between calls because creating them would take longer than a
// short call.
//
//   device_call call("weft::gpu::scan", options.run, "residues");
//   call.begin("bit-stream", num_residues); // the engine, and the work of the call
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/run.hpp>

namespace weft::gpu {

// Checks that the options of a function on device memory do not name another device than the current one,
// and writes the report that they ask for when the object goes out of scope.
class device_call {
public:
  // `function` and `work_unit` appear in messages and in the report. Throws std::invalid_argument unless the
  // device of the options is automatic or the current one; throws device_error.
  device_call(std::string_view function, const run_options& run, std::string_view work_unit)
      : device_(current_device()), record_(run, work_unit) {
    const device_kind kind = run.device.kind;
    if (kind == device_kind::cpu || (kind == device_kind::gpu && run.device.index != device_))
      throw std::invalid_argument(
          fmt::format("{}: the device must be automatic or the current one", function));
  }

  // Returns the CUDA index of the current device.
  [[nodiscard]] int device() const noexcept { return device_; }
  // Sets the engine of the report, and the amount of work.
  void begin(std::string_view engine, std::uint64_t work) {
    record_.set_engine(engine, {device_kind::gpu, device_});
    record_.set_work(work);
  }

private:
  int device_;
  weft::base_detail::run_record record_;
};

// Returns the calling thread's own Context of the current device, whose index is `device`. Makes it as
// Context(device) at the first call.
template <class Context> [[nodiscard]] Context& context_of(int device) {
  thread_local std::map<int, std::unique_ptr<Context>> known;
  std::unique_ptr<Context>& context = known[device];
  if (!context) context = std::make_unique<Context>(device);
  return *context;
}

} // namespace weft::gpu
