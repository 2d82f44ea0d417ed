// The engines of a capability by name, and the devices that they run on.
//
//   constexpr std::array entries = {engine_entry<id>{"merge", id::merge, "any processor"}, ...};
//   constexpr engine_table<id> table("sort", entries);
//   const engine_entry<id>* chosen = table.find(options.engine);                   // null: auto
//   const device_choice device = table.resolve_device(chosen, table.match(chosen, options.device));
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <weft/base/device.hpp>

namespace weft::base_detail {

// A row of an engine table. `id` is the value by which the capability identifies the engine.
template <class Id> struct engine_entry {
  std::string_view name;
  Id id;
  std::string_view needs;
  bool on_gpu = false;
};

// Throws error(invalid_input) for a `name` that is not among the `known` engines.
[[noreturn]] void refuse_engine(std::string_view capability, std::string_view name,
                                const std::vector<std::string_view>& known);
// Throws error(invalid_input) for an engine that runs on another kind of device than the one asked for.
[[noreturn]] void refuse_device(std::string_view capability, std::string_view name, bool on_gpu,
                                const std::vector<std::string_view>& gpu_engines);
// Does the work of engine_table::resolve_device().
[[nodiscard]] device_choice resolve_engine_device(bool on_gpu, const device_choice& matched);

// Returns the index of the first known GPU, or 0 if there is none.
[[nodiscard]] int first_gpu();

// The engines of one capability. A view: the entries must outlive it.
template <class Id> class engine_table {
public:
  using entry = engine_entry<Id>;
  constexpr engine_table(std::string_view capability, std::span<const entry> entries)
      : capability_(capability), entries_(entries) {}

  // Returns the engine called `name`, or null for "auto". Throws error(invalid_input) if there is no such
  // engine.
  [[nodiscard]] const entry* find(std::string_view name) const {
    if (name == "auto") return nullptr;
    for (const entry& each : entries_)
      if (each.name == name) return &each;
    refuse_engine(capability_, name, names(false));
  }

  // Returns the part of the choice `requested` on which the engine can run: `requested` itself for null, and
  // the CPU for an engine of the CPU. Throws error(invalid_input) if the engine cannot run on the device
  // asked for.
  [[nodiscard]] device_choice match(const entry* chosen, const device_choice& requested) const {
    if (chosen == nullptr) return requested;
    if (requested.kind == (chosen->on_gpu ? device_kind::cpu : device_kind::gpu))
      refuse_device(capability_, chosen->name, chosen->on_gpu, names(true));
    return chosen->on_gpu ? requested : device_choice{device_kind::cpu, 0};
  }

  // Returns the device to run on: the first known GPU if the engine needs a GPU and the choice names none,
  // otherwise `matched`. Throws unavailable_error if `matched` is a GPU that does not exist.
  [[nodiscard]] static device_choice resolve_device(const entry* chosen, const device_choice& matched) {
    return resolve_engine_device(chosen != nullptr && chosen->on_gpu, matched);
  }

  // Returns all engines, each with the reason why it cannot run on this machine, if there is one.
  [[nodiscard]] std::vector<engine_info> list() const {
    std::vector<engine_info> infos;
    for (const entry& each : entries_)
      infos.push_back(
          {std::string(each.name), std::string(each.needs), each.on_gpu ? known_gpus().unavailable : ""});
    return infos;
  }

private:
  [[nodiscard]] std::vector<std::string_view> names(bool gpu_only) const {
    std::vector<std::string_view> all;
    for (const entry& each : entries_)
      if (each.on_gpu || !gpu_only) all.push_back(each.name);
    return all;
  }

  std::string_view capability_;
  std::span<const entry> entries_;
};

} // namespace weft::base_detail
