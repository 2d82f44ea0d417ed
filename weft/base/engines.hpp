// The engines of a capability: what each is called, what it needs, which problems it solves and how fast.
//
//   struct addition { std::uint64_t count = 0; };       // a capability's problem: what an engine has to know
//   class plain final : public weft::base_detail::engine<addition> { ... };
//   const weft::base_detail::engine_list<addition> engines("add", {&plain_on_cpu, &plain_on_gpu});
//   const auto& used = engines.solve(problem, options.run);
//
// An engine is one object of a class derived from engine<Problem>. A capability has one engine_list; a build
// without CUDA has no engines of GPUs in it. Two engines of one name are one method on two kinds of device.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include <weft/base/device.hpp>
#include <weft/base/error.hpp>
#include <weft/base/monitor.hpp>
#include <weft/base/run.hpp>

namespace weft::base_detail {

// Calls work() and returns its result. If work() throws memory_error and `rethrow` is false, subtracts the
// progress that work() added to `monitor` (null: none) and returns nothing, so that the caller can try
// another way. If `rethrow` is true, the memory_error is passed on.
template <class Work>
[[nodiscard]] auto try_within_memory(bool rethrow, task_monitor* monitor, const Work& work)
    -> std::optional<decltype(work())> {
  const std::uint64_t before = monitor != nullptr ? monitor->done() : 0;
  try {
    return work();
  } catch (const memory_error&) {
    if (rethrow) throw;
    if (monitor != nullptr) monitor->take_back(monitor->done() - before);
    return std::nullopt;
  }
}

// An engine_description is the part of an engine that does not depend on the problem.
class engine_description {
public:
  // `needs` says in a line what the engine is and needs. `device` is cpu or gpu.
  constexpr engine_description(std::string_view name, std::string_view needs, device_kind device)
      : name_(name), needs_(needs), device_(device) {}
  [[nodiscard]] constexpr std::string_view name() const noexcept { return name_; }
  [[nodiscard]] constexpr std::string_view needs() const noexcept { return needs_; }
  [[nodiscard]] constexpr bool on_gpu() const noexcept { return device_ == device_kind::gpu; }

protected:
  ~engine_description() = default;

private:
  std::string_view name_, needs_;
  device_kind device_;
};

// An engine of a capability. Problem holds the inputs, the options and where the result goes.
template <class Problem> class engine : public engine_description {
public:
  using engine_description::engine_description;
  // Returns why the engine cannot solve the problem, such as "it computes lcs and indel, not edit distances";
  // empty if it can. For an engine of GPUs this is asked only if there is a GPU.
  [[nodiscard]] virtual std::string why_not(const Problem& problem) const = 0;
  // Returns the time that the problem is expected to take. Must not look for a GPU, which takes a second.
  [[nodiscard]] virtual double estimated_seconds(const Problem& problem) const = 0;
  // Solves the problem. If it throws memory_error, the problem is as before.
  virtual void run(Problem& problem) const = 0;

protected:
  ~engine() = default;
};

// Throws error(invalid_input): `capability` has no engine `name`. The message lists the engines.
[[noreturn]] void refuse_engine_name(std::string_view capability, std::string_view name,
                                     const std::vector<const engine_description*>& engines);
// Throws error(invalid_input): the engine `name` does not run on the kind of device that was requested.
[[noreturn]] void refuse_engine_device(std::string_view capability, std::string_view name,
                                       device_kind requested,
                                       const std::vector<const engine_description*>& engines);
// Throws error(invalid_input): no engine of the capability (if `name` is auto) or not the engine `name` can
// solve the problem; `reason` says why.
[[noreturn]] void refuse_problem(std::string_view capability, std::string_view name, std::string_view reason);

// Returns an engine_info for each name: what the engines of that name need, and why none of them can run on
// this machine.
[[nodiscard]] std::vector<engine_info>
describe_engines(const std::vector<const engine_description*>& engines);

// Returns what is known of a GPU, or null if it cannot run this program. The first call for a GPU starts it,
// which takes a third of a second. Other GPUs are not started, unlike by known_gpus(). Thread-safe.
[[nodiscard]] const gpu_info* usable_gpu(int index);
// Returns the usable GPU with the least index, or null. Starts GPUs until one is usable.
[[nodiscard]] const gpu_info* first_usable_gpu();
// Returns whether there is a GPU that `device` allows.
[[nodiscard]] bool has_usable_gpu(const device_choice& device);
// Returns the index of the GPU that `device` names, or of the first one if it names none.
[[nodiscard]] int gpu_index(const device_choice& device);

// Reports that `used` has solved a problem, on the device that `run` asks for.
void report_engine(run_record& record, const engine_description& used, const run_options& run);

// The engines of one capability.
template <class Problem> class engine_list {
public:
  using engine_type = engine<Problem>;
  // The engines, at most 16, must outlive the list. Of engines with equal estimates the first is chosen.
  engine_list(std::string_view capability, std::vector<const engine_type*> engines)
      : capability_(capability), engines_(std::move(engines)) {}

  // Returns the engine for a problem: of those with the name and on the kind of device that `run` asks for,
  // the supported one with the least estimate. If `run` asks for neither, a GPU is looked for only if an
  // engine of GPUs has the least estimate. Throws error(invalid_input) if no engine has the name, or none of
  // that name runs on the device or solves the problem; unavailable_error if a GPU is needed and does not
  // exist.
  [[nodiscard]] const engine_type& choose(const Problem& problem, const run_options& run) const {
    shortlist candidates = allowed_engines(run);
    return *remove_unfit_and_choose(problem, run, candidates);
  }

  // Solves a problem with the engine that choose() returns, and returns the engine. If that is one of a GPU,
  // the GPU's memory does not suffice, and `run` does not ask for a GPU, takes back the progress and solves
  // the problem with the next best engine.
  const engine_type& solve(Problem& problem, const run_options& run) const {
    shortlist candidates = allowed_engines(run);
    for (;;) {
      const engine_type* const best = remove_unfit_and_choose(problem, run, candidates);
      const bool rethrow = !best->on_gpu() || run.device.kind == device_kind::gpu || candidates.size() == 1;
      if (try_within_memory(rethrow, run.monitor, [&] { return best->run(problem), true; })) return *best;
      candidates.erase(std::ranges::find(candidates, best));
    }
  }

  // Throws the errors of choose() that follow from the names in `run` alone: the engine does not exist, or
  // does not run on the device. Does not look for a GPU, which takes a part of a second.
  void check_names(const run_options& run) const { (void)named_engines(run); }

  // Throws what choose() throws whatever the problem is.
  void check(const run_options& run) const {
    const shortlist allowed = allowed_engines(run);
    if (std::ranges::all_of(allowed, &engine_type::on_gpu))
      require_device({device_kind::gpu, gpu_index(run.device)});
  }

  // Returns the engines for people and programs: see describe_engines().
  [[nodiscard]] std::vector<engine_info> list() const { return describe_engines(descriptions()); }
  [[nodiscard]] const std::vector<const engine_type*>& all() const noexcept { return engines_; }

private:
  // Some of the engines, in order. Does not allocate memory, because a sort of 32 numbers takes less than a
  // microsecond.
  class shortlist {
  public:
    void push_back(const engine_type* each) { engines_.at(size_++) = each; }
    void erase(const engine_type** at) { std::copy(at + 1, end(), at), --size_; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] const engine_type** begin() noexcept { return engines_.data(); }
    [[nodiscard]] const engine_type** end() noexcept { return engines_.data() + size_; }
    [[nodiscard]] const engine_type* const* begin() const noexcept { return engines_.data(); }
    [[nodiscard]] const engine_type* const* end() const noexcept { return engines_.data() + size_; }

  private:
    std::array<const engine_type*, 16> engines_;
    std::size_t size_ = 0;
  };

  [[nodiscard]] std::vector<const engine_description*> descriptions() const {
    return {engines_.begin(), engines_.end()};
  }

  // Returns the engines with the name and on the kind of device that `run` asks for. There may be none if the
  // engine is auto.
  [[nodiscard]] shortlist named_engines(const run_options& run) const {
    shortlist found;
    const bool automatic = run.engine == "auto";
    bool known = automatic;
    for (const engine_type* each : engines_) {
      if (!automatic && each->name() != run.engine) continue;
      known = true;
      if (run.device.kind == device_kind::automatic ||
          (run.device.kind == device_kind::gpu) == each->on_gpu())
        found.push_back(each);
    }
    if (!known) refuse_engine_name(capability_, run.engine, descriptions());
    if (found.empty() && run.engine != "auto")
      refuse_engine_device(capability_, run.engine, run.device.kind, descriptions());
    return found;
  }

  // Returns the same engines, at least one, and looks for the GPU that `run` asks for.
  [[nodiscard]] shortlist allowed_engines(const run_options& run) const {
    const shortlist found = named_engines(run);
    require_device(run.device);
    if (found.empty()) refuse_engine_device(capability_, run.engine, run.device.kind, descriptions());
    return found;
  }

  // Removes the engines that cannot solve the problem from `candidates`, as far as they have lower estimates
  // than the engine that it returns: of the remaining ones, the one with the lowest estimate.
  [[nodiscard]] const engine_type* remove_unfit_and_choose(const Problem& problem, const run_options& run,
                                                           shortlist& candidates) const {
    const bool any_device = run.device.kind == device_kind::automatic;
    if (std::ranges::all_of(candidates, &engine_type::on_gpu))
      require_device({device_kind::gpu, gpu_index(run.device)});
    std::string reason;
    while (!candidates.empty()) {
      const auto best = std::ranges::min_element(
          candidates, {}, [&](const engine_type* each) { return each->estimated_seconds(problem); });
      if (any_device && (*best)->on_gpu() && first_usable_gpu() == nullptr) {
        candidates.erase(best);
        continue;
      }
      std::string why = (*best)->why_not(problem);
      if (why.empty()) return *best;
      reason = std::move(why);
      candidates.erase(best);
    }
    refuse_problem(capability_, run.engine, reason);
  }

  std::string_view capability_;
  std::vector<const engine_type*> engines_;
};

} // namespace weft::base_detail
