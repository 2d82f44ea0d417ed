#include <weft/lcs/cpu/affine_wavefront.hpp>

#include <weft/lcs/cpu/furthest_reaching.hpp>

namespace weft::lcs_detail {

namespace {

// Calls use(engine) with the engine that suits the lengths of the texts.
template <class Symbol, class Use>
auto with_affine_wavefront(text<Symbol> a, text<Symbol> b, const lcs_call& call, const Use& use) {
  const affine_penalties& penalties = call.options.penalties;
  if constexpr (sizeof(Symbol) == 1)
    if (call.wildcards != nullptr)
      return use(affine_wavefront<Symbol, std::int64_t, equal_or_wild>(a, b, penalties, call.work,
                                                                       equal_or_wild{call.wildcards}));
  if (is_narrow(a, b)) return use(affine_wavefront<Symbol, std::int32_t>(a, b, penalties, call.work));
  return use(affine_wavefront<Symbol, std::int64_t>(a, b, penalties, call.work));
}

// Searches for the penalty, and calls found(engine, penalty) if it is found within the limits.
template <class Symbol, class Found>
bool search(text<Symbol> a, text<Symbol> b, const lcs_call& call, std::uint64_t max_steps, bool wants_path,
            const Found& found) {
  const auto total = static_cast<double>(a.size() + b.size());
  const affine_penalties& penalties = call.options.penalties;
  const std::uint64_t requested = call.options.run.memory;
  memory_allowance allowance(requested);
  return with_affine_wavefront(a, b, call, [&](auto engine) {
    const auto should_continue = [&](std::uint64_t penalty, std::uint64_t memory, std::uint64_t steps,
                                     std::uint64_t reached) {
      // The vector of runs is reserved at once if memory is limited.
      const std::uint64_t runs =
          requested == 0 || !wants_path ? 0 : max_affine_runs(penalties, a.size(), b.size(), penalty);
      const std::uint64_t needed = memory + runs * sizeof(edit_run);
      const bool fits = allowance.fits(needed);
      if (max_steps == unlimited_steps && !fits) require_memory("engine affine-wavefront", needed, requested);
      return fits && is_worth_continuing(steps, static_cast<double>(reached + 1) / total, max_steps);
    };
    const auto penalty = engine.search(wants_path, should_continue);
    if (!penalty) {
      call.work.drop_estimate();
      return false;
    }
    found(engine, *penalty);
    return true;
  });
}

} // namespace

template <class Symbol>
std::optional<std::uint64_t> affine_wavefront_penalty(text<Symbol> a, text<Symbol> b, const lcs_call& call,
                                                      std::uint64_t max_steps) {
  std::optional<std::uint64_t> result;
  (void)search(a, b, call, max_steps, false, [&](auto&, std::uint64_t penalty) { result = penalty; });
  return result;
}

template <class Symbol>
std::optional<edit_script> affine_wavefront_path(text<Symbol> a, text<Symbol> b, const lcs_call& call,
                                                 std::uint64_t max_steps) {
  std::optional<edit_script> result;
  (void)search(a, b, call, max_steps, true, [&](auto& engine, std::uint64_t penalty) {
    result.emplace();
    if (call.options.run.memory != 0)
      result->runs.reserve(max_affine_runs(call.options.penalties, a.size(), b.size(), penalty));
    engine.append_path(*result);
  });
  return result;
}

template std::optional<std::uint64_t> affine_wavefront_penalty(text<std::uint8_t>, text<std::uint8_t>,
                                                               const lcs_call&, std::uint64_t);
template std::optional<std::uint64_t> affine_wavefront_penalty(text<std::uint32_t>, text<std::uint32_t>,
                                                               const lcs_call&, std::uint64_t);
template std::optional<edit_script> affine_wavefront_path(text<std::uint8_t>, text<std::uint8_t>,
                                                          const lcs_call&, std::uint64_t);
template std::optional<edit_script> affine_wavefront_path(text<std::uint32_t>, text<std::uint32_t>,
                                                          const lcs_call&, std::uint64_t);

} // namespace weft::lcs_detail
