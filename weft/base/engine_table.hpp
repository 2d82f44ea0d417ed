// The engines of a capability by their names: what options ask for, and on which device.
//
//   constexpr std::array entries = {engine_entry<id>{"merge", id::merge, "any processor"}, ...};
//   constexpr engine_table<id> table("sort", entries);
//   const engine_entry<id>* chosen = table.find(options.engine);                   // null: auto
//   const device_choice device = table.present(chosen, table.match(chosen, options.device));
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <weft/base/device.hpp>

namespace weft::base_detail {

// Id: by what the capability knows it.
template <class Id> struct engine_entry {
  std::string_view name;
  Id id;
  std::string_view needs;
  bool on_gpu = false;
};

[[noreturn]] void refuse_engine(std::string_view capability, std::string_view name,
                                const std::vector<std::string_view>& known);
[[noreturn]] void refuse_device(std::string_view capability, std::string_view name, bool on_gpu,
                                const std::vector<std::string_view>& on_gpus);
[[nodiscard]] device_choice present_device(bool on_gpu, const device_choice& matched);

// Index of the first known GPU; 0 if there is none.
[[nodiscard]] int first_gpu();

template <class Id> class engine_table {
public:
  using entry = engine_entry<Id>;
  constexpr engine_table(std::string_view capability, std::span<const entry> entries)
      : capability_(capability), entries_(entries) {}

  // Null for "auto". Throws error(invalid_input) for an unknown name.
  [[nodiscard]] const entry* find(std::string_view name) const {
    if (name == "auto") return nullptr;
    for (const entry& each : entries_)
      if (each.name == name) return &each;
    refuse_engine(capability_, name, names(false));
  }

  // Where the engine may run of what is asked for; null: anywhere. Throws error(invalid_input) if nowhere.
  [[nodiscard]] device_choice match(const entry* chosen, const device_choice& asked) const {
    if (chosen == nullptr) return asked;
    if (asked.kind == (chosen->on_gpu ? device_kind::cpu : device_kind::gpu))
      refuse_device(capability_, chosen->name, chosen->on_gpu, names(true));
    return chosen->on_gpu ? asked : device_choice{device_kind::cpu, 0};
  }

  // The device as it is there: the first known GPU where the engine runs on one and none is named. Throws
  // unavailable_error for a GPU that is not there.
  [[nodiscard]] static device_choice present(const entry* chosen, const device_choice& matched) {
    return present_device(chosen != nullptr && chosen->on_gpu, matched);
  }

  [[nodiscard]] std::vector<engine_info> list() const {
    std::vector<engine_info> infos;
    for (const entry& each : entries_)
      infos.push_back(
          {std::string(each.name), std::string(each.needs), each.on_gpu ? known_gpus().unavailable : ""});
    return infos;
  }

private:
  [[nodiscard]] std::vector<std::string_view> names(bool of_gpus_only) const {
    std::vector<std::string_view> all;
    for (const entry& each : entries_)
      if (each.on_gpu || !of_gpus_only) all.push_back(each.name);
    return all;
  }

  std::string_view capability_;
  std::span<const entry> entries_;
};

} // namespace weft::base_detail
