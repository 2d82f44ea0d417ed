#include <weft/scan/entry/engine_choice.hpp>

#include <array>
#include <weft/base/engine_table.hpp>

namespace weft::scan_detail {

namespace {

using entry = base_detail::engine_entry<engine>;
// `auto` takes the first engine. Each engine runs on the CPU and on GPUs.
constexpr std::array entries = {
    entry{"bit-stream", engine::bit_stream,
          "any processor; vectors of 128 to 512 bits where it has them; or a CUDA GPU"},
    entry{"shift-and", engine::shift_and, "any processor, or a CUDA GPU"},
    entry{"nfa-array", engine::nfa_array, "any processor, or a CUDA GPU"},
};
constexpr base_detail::engine_table<engine> table("scan", entries);

} // namespace

engine_choice choose_engine(const scan_options& options) {
  const entry* const named = table.find(options.run.engine);
  const entry& chosen = named != nullptr ? *named : entries.front();
  require_device(options.run.device);
  return {chosen.id, chosen.name, options.run.device};
}

std::vector<engine_info> list_engines() { return table.list(); }

} // namespace weft::scan_detail
