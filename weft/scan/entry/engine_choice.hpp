// Chooses the scan engine and the device that the options ask for.
#pragma once

#include <string_view>
#include <vector>
#include <weft/scan/scan.hpp>

namespace weft::scan_detail {

enum class engine { bit_stream, shift_and, nfa_array };

struct engine_choice {
  engine id;
  std::string_view name;
  device_choice device; // kind gpu: an existing GPU; automatic: not decided yet
};

// Returns the engine that the options name, with the device they ask for. Throws error(invalid_input) for an
// unknown engine and unavailable_error for a GPU that does not exist.
[[nodiscard]] engine_choice choose_engine(const scan_options& options);

[[nodiscard]] std::vector<engine_info> list_engines();

} // namespace weft::scan_detail
