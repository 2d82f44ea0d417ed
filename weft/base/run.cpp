#include <weft/base/run.hpp>

#include <weft/base/memory.hpp>
#if defined(WEFT_WITH_CUDA)
#include <weft/base/cuda/device_memory.hpp>
#endif

namespace weft::base_detail {

namespace {

// Returns the most memory of a GPU that weft has had allocated at once since reset_peak(); 0 without CUDA.
std::uint64_t device_peak([[maybe_unused]] int index) noexcept {
#if defined(WEFT_WITH_CUDA)
  return gpu::peak_device_memory(index);
#else
  return 0;
#endif
}

} // namespace

run_record::run_record(const run_options& options, std::string_view work_unit)
    : info_(options.info), work_unit_(work_unit) {
  if (info_ == nullptr) return; // a short call does not even ask for the time
  start_ = std::chrono::steady_clock::now();
  *info_ = {};
#if defined(WEFT_WITH_CUDA)
  gpu::reset_peak_device_memory();
#endif
}

run_record::~run_record() {
  if (info_ == nullptr) return;
  info_->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  info_->work = work_;
  info_->work_unit = work_unit_;
  info_->peak_bytes = peak_memory();
  info_->peak_device_bytes = info_->on_gpu() ? device_peak(info_->device.index) : 0;
}

void run_record::set_engine(std::string_view name, device_choice device) {
  if (info_ == nullptr) return;
  info_->engine = name;
  info_->device = device;
}

} // namespace weft::base_detail
