#include <weft/scan/engine_choice.hpp>

#include <array>
#include <fmt/format.h>
#include <weft/base/error.hpp>

namespace weft::scan_detail {

namespace {

struct engine_entry {
  std::string_view name;
  engine id;
  std::string_view needs;
};
// The first is what `auto` takes.
constexpr std::array engine_table = {
    engine_entry{"bit-stream", engine::bit_stream,
                 "any processor; vectors of 128 to 512 bits where it has them; or a CUDA GPU"},
    engine_entry{"shift-and", engine::shift_and, "any processor, or a CUDA GPU"},
    engine_entry{"nfa-array", engine::nfa_array, "any processor, or a CUDA GPU"},
};

const engine_entry& find_engine(std::string_view name) {
  if (name == "auto") return engine_table.front();
  std::string known = "auto";
  for (const engine_entry& entry : engine_table) {
    if (entry.name == name) return entry;
    known += fmt::format(", {}", entry.name);
  }
  throw error(errc::invalid_input, fmt::format("scan has no engine '{}' ({})", name, known));
}

} // namespace

engine_choice choose_engine(const scan_options& options) {
  const engine_entry& entry = find_engine(options.engine);
  require_device(options.device);
  return {entry.id, entry.name, options.device};
}

std::vector<engine_info> list_engines() {
  std::vector<engine_info> engines;
  for (const engine_entry& entry : engine_table)
    engines.push_back({std::string(entry.name), std::string(entry.needs), ""});
  return engines;
}

} // namespace weft::scan_detail
