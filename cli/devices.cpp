#include <cli/program.hpp>
#include <cli/task.hpp>
#include <fmt/format.h>
#include <utility>
#include <weft/base/device.hpp>
#include <weft/base/memory.hpp>
#include <weft/bwt/bwt.hpp>
#include <weft/bwt/fm_index.hpp>
#include <weft/io/json.hpp>
#include <weft/io/output_file.hpp>
#include <weft/lcs/lcs.hpp>
#include <weft/scan/scan.hpp>
#include <weft/search/variants.hpp>
#include <weft/sort/line_sort.hpp>
#include <weft/sort/sort.hpp>

namespace weft::cli {

namespace {

// A capability and its engines.
struct capability {
  std::string_view name;
  std::vector<engine_info> engines;
};

std::string as_json(const gpu_report& gpus, const std::vector<capability>& capabilities) {
  std::string text = fmt::format("{{\"cpu\":{},\"available_memory\":{},\"gpus\":[",
                                 io::json_string(describe_cpu()), available_memory());
  for (std::size_t i = 0; i < gpus.devices.size(); ++i) {
    const gpu_info& gpu = gpus.devices[i];
    text += fmt::format("{}{{\"index\":{},\"name\":{},\"compute\":\"{}.{}\",\"multiprocessors\":{},"
                        "\"memory\":{},\"free_memory\":{}}}",
                        i > 0 ? "," : "", gpu.index, io::json_string(gpu.name), gpu.compute_major,
                        gpu.compute_minor, gpu.multiprocessors, gpu.total_memory, gpu.free_memory);
  }
  text += fmt::format("],\"gpu_unavailable\":{}", io::json_string(gpus.unavailable));
  for (const capability& each : capabilities) {
    text += fmt::format(",{}:[", io::json_string(each.name));
    for (std::size_t i = 0; i < each.engines.size(); ++i)
      text += fmt::format("{}{{\"engine\":{},\"needs\":{},\"unavailable\":{}}}", i > 0 ? "," : "",
                          io::json_string(each.engines[i].name), io::json_string(each.engines[i].needs),
                          io::json_string(each.engines[i].unavailable));
    text += "]";
  }
  return text + "}\n";
}

} // namespace

int run_devices(const arguments& given) {
  const bool json = wants_json(given);
  const gpu_report& gpus = known_gpus();
  std::vector<capability> capabilities;
  if (given.has("engines")) {
    std::vector<engine_info> sorts = sort_engines();
    for (engine_info& engine : line_sort_engines()) sorts.push_back(std::move(engine));
    capabilities = {
        {"sort", std::move(sorts)},         {"bwt", bwt_engines()},        {"unbwt", inverse_bwt_engines()},
        {"index", fm_build_engines()},      {"find", fm_search_engines()}, {"mem", fm_match_engines()},
        {"variants", comparison_engines()}, {"lcs", lcs_engines()},        {"scan", scan_engines()}};
  }
  io::output_file out("-");
  if (json) {
    out.write(as_json(gpus, capabilities));
    out.commit();
    return 0;
  }
  out.write(fmt::format("cpu\t{}, {} free\n", describe_cpu(), format_size(available_memory())));
  for (const gpu_info& gpu : gpus.devices)
    out.write(fmt::format("gpu:{}\t{}, compute {}.{}, {} multiprocessors, {} of {} free\n", gpu.index,
                          gpu.name, gpu.compute_major, gpu.compute_minor, gpu.multiprocessors,
                          format_size(gpu.free_memory), format_size(gpu.total_memory)));
  if (gpus.devices.empty()) out.write(fmt::format("gpu\tnone: {}\n", gpus.unavailable));
  for (const capability& each : capabilities)
    for (const engine_info& engine : each.engines)
      out.write(fmt::format("{}\t{}\t{}\t{}\n", each.name, engine.name,
                            engine.unavailable.empty() ? "available" : "unavailable: " + engine.unavailable,
                            engine.needs));
  out.commit();
  return 0;
}

} // namespace weft::cli
