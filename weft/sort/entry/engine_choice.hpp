// Chooses the engine and the device of a call by its options.
#pragma once

#include <string>
#include <weft/base/device.hpp>
#include <weft/sort/sort_options.hpp>

namespace weft::detail {

enum class sort_engine { automatic, vqsort, merge, sample_merge, gpu };

// The engine and the device that a call runs on.
struct sort_choice {
  sort_engine id;
  device_choice device; // gpu: a GPU that is present; automatic: not decided yet
};

// Returns the engine and the device that the options ask for, and sets options.used to the engine as it was
// asked for. `cpu_only_reason` says why the task cannot run on a GPU, or is null if it can. Throws
// error(invalid_input) for an unknown engine, for an engine that does not run on options.device, and if a GPU
// is asked for but the task cannot run there. Throws unavailable_error if the GPU that is asked for is not
// present.
[[nodiscard]] sort_choice choose_sort_engine(const sort_options& options, const char* cpu_only_reason);
// Throws error(invalid_input), which says that engine `name` cannot do the task, and why.
[[noreturn]] void engine_does_not_apply(const std::string& name, const char* reason);

// Records in options.used that the engine `name` of the CPU sorts.
inline void record_engine(const sort_options& options, const char* name) {
  if (options.used != nullptr) options.used->engine = name;
}

// Throws error(invalid_input) if equal items must keep their order, but the engine does not keep it.
inline void check_stable(sort_engine engine, bool stable, const sort_options& options) {
  if (stable && engine == sort_engine::sample_merge)
    engine_does_not_apply(options.engine, "it is not stable");
}

inline constexpr char numbers_only[] = "it sorts numbers in their own order only";
inline constexpr char small_numbers_only[] = "it orders numbers of up to 64 bits in their own order only";

} // namespace weft::detail
