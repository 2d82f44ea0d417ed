#include <weft/lcs/engine_choice.hpp>

#include <array>
#include <fmt/format.h>
#include <weft/base/error.hpp>

namespace weft::lcs_detail {

namespace {

struct engine_entry {
  std::string_view name;
  engine id;
  std::string_view needs;
};
constexpr std::array engine_table = {
    engine_entry{"hirschberg-dp", engine::hirschberg_dp, "any processor; two rows of the table"},
    engine_entry{"bit-parallel", engine::bit_parallel, "any processor; 64 cells a word"},
    engine_entry{"bit-sliced", engine::bit_sliced,
                 "any processor; vectors of anti-diagonal cells: AVX-512, AVX2, SSE4, NEON"},
    engine_entry{"furthest-reaching", engine::furthest_reaching,
                 "any processor; time and memory by the distance"},
    engine_entry{"systolic", engine::systolic, "a CUDA GPU; up to 256 symbols"},
    engine_entry{"wavefront", engine::wavefront,
                 "a CUDA GPU; up to 256 symbols; metrics lcs and indel; a launch an anti-diagonal of tiles"},
};

engine find_engine(std::string_view name) {
  if (name == "auto") return engine::automatic;
  std::string known = "auto";
  for (const engine_entry& entry : engine_table) {
    if (entry.name == name) return entry.id;
    known += fmt::format(", {}", entry.name);
  }
  throw error(errc::invalid_input, fmt::format("'{}' is not an lcs engine ({})", name, known));
}

} // namespace

engine_choice choose_engine(const lcs_options& options) {
  engine_choice choice{find_engine(options.engine), options.device};
  const bool on_gpu = runs_on_gpu(choice.id);
  if (choice.id == engine::wavefront && options.metric == lcs_metric::edit)
    throw error(errc::invalid_input, "engine wavefront computes lcs and indel, not edit distances");
  if (on_gpu && options.device.kind == device_kind::cpu)
    throw error(errc::invalid_input,
                fmt::format("lcs engine '{}' runs on a GPU, not on the device cpu: leave "
                            "the device out, or the engine",
                            options.engine));
  if (!on_gpu && choice.id != engine::automatic) {
    if (options.device.kind == device_kind::gpu)
      throw error(
          errc::invalid_input,
          fmt::format("lcs engine '{}' runs on the CPU, not on a GPU (there: systolic, wavefront): leave "
                      "the device out, or the engine",
                      options.engine));
    choice.device = {device_kind::cpu, 0};
  }
  if (on_gpu && choice.device.kind == device_kind::automatic)
    choice.device = {device_kind::gpu, known_gpus().devices.empty() ? 0 : known_gpus().devices.front().index};
  require_device(choice.device);
  return choice;
}

std::vector<engine_info> list_engines() {
  std::vector<engine_info> engines;
  for (const engine_entry& entry : engine_table)
    engines.push_back({std::string(entry.name), std::string(entry.needs),
                       runs_on_gpu(entry.id) ? known_gpus().unavailable : ""});
  return engines;
}

} // namespace weft::lcs_detail
