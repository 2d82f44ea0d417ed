// The engines by name, and where options let them run.
#pragma once

#include <string>
#include <weft/base/device.hpp>
#include <weft/sort/sort_options.hpp>

namespace weft::detail {

enum class sort_engine { automatic, vqsort, merge, sample_merge, gpu };

struct sort_choice {
  sort_engine id;
  device_choice device; // gpu: one that is there; automatic: not known yet
};

// not_there: why what is to be done has no way on a GPU; null: it has. Throws error(invalid_input) for an
// unknown engine, one that does not run on options.device, and a GPU that is asked for what it has no way to
// do; unavailable_error for a GPU that is not there.
[[nodiscard]] sort_choice choose_sort_engine(const sort_options& options, const char* not_there);
[[noreturn]] void engine_does_not_apply(const std::string& name, const char* reason);

// That this engine of the CPU sorts.
inline void tell_engine(const sort_options& options, const char* name) {
  if (options.used != nullptr) options.used->engine = name;
}

// Throws error(invalid_input) if equal items have to keep their order, and the engine is one that does not.
inline void check_stable(sort_engine engine, bool stable, const sort_options& options) {
  if (stable && engine == sort_engine::sample_merge)
    engine_does_not_apply(options.engine, "it is not stable");
}

inline constexpr char numbers_only[] = "it sorts numbers in their own order only";
inline constexpr char small_numbers_only[] = "it orders numbers of up to 64 bits in their own order only";

} // namespace weft::detail
