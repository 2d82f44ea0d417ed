// The engines by name, and where options let them run.
#pragma once

#include <string_view>
#include <vector>
#include <weft/scan/scan.hpp>

namespace weft::scan_detail {

enum class engine { bit_stream, shift_and, nfa_array };

struct engine_choice {
  engine id;
  std::string_view name;
  device_choice device; // gpu: one that is there; automatic: not known yet
};

// Throws error(invalid_input) for an unknown engine, unavailable_error for a GPU that is not there.
[[nodiscard]] engine_choice choose_engine(const scan_options& options);

[[nodiscard]] std::vector<engine_info> list_engines();

} // namespace weft::scan_detail
