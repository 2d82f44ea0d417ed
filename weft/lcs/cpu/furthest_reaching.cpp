#include <weft/lcs/cpu/furthest_reaching.hpp>

namespace weft::lcs_detail {

namespace {

// Calls use(engine) with the engine that suits the lengths of the texts.
template <class Symbol, class Use>
auto with_furthest_reaching(text<Symbol> a, text<Symbol> b, const lcs_call& call, const Use& use) {
  const bool narrow = is_narrow(a, b), edit = call.edit();
  cell_counter& work = call.work;
  if constexpr (sizeof(Symbol) == 1)
    if (call.wildcards != nullptr) {
      const equal_or_wild equal{call.wildcards};
      using index = std::int32_t;
      if (edit) return use(furthest_reaching<Symbol, index, true, equal_or_wild>(a, b, work, equal));
      return use(furthest_reaching<Symbol, index, false, equal_or_wild>(a, b, work, equal));
    }
  if (narrow && edit) return use(furthest_reaching<Symbol, std::int32_t, true>(a, b, work));
  if (narrow) return use(furthest_reaching<Symbol, std::int32_t, false>(a, b, work));
  if (edit) return use(furthest_reaching<Symbol, std::int64_t, true>(a, b, work));
  return use(furthest_reaching<Symbol, std::int64_t, false>(a, b, work));
}

} // namespace

template <class Symbol>
std::optional<std::uint64_t> furthest_reaching_distance(text<Symbol> a, text<Symbol> b, const lcs_call& call,
                                                        std::uint64_t max_steps) {
  const auto total = static_cast<double>(a.size() + b.size());
  return with_furthest_reaching(a, b, call, [&](auto engine) {
    const auto found =
        engine.search_from_both_ends([&](std::uint64_t, std::uint64_t steps, std::uint64_t reached) {
          return is_worth_continuing(steps, static_cast<double>(reached + 1) / total, max_steps);
        });
    if (!found) call.work.drop_estimate();
    return found;
  });
}

template <class Symbol>
std::optional<edit_script> furthest_reaching_path(text<Symbol> a, text<Symbol> b, const lcs_call& call,
                                                  std::uint64_t max_steps) {
  const auto total = static_cast<double>(a.size() + b.size());
  const std::uint64_t requested = call.options.run.memory;
  memory_allowance allowance(requested);
  return with_furthest_reaching(a, b, call, [&](auto engine) -> std::optional<edit_script> {
    const auto found = engine.search([&](std::uint64_t d, std::uint64_t steps, std::uint64_t reached) {
      const std::uint64_t runs = requested == 0 ? 0 : max_runs(a.size(), b.size(), d, call.edit()),
                          needed = engine.memory(d) + runs * sizeof(edit_run);
      if (max_steps == unlimited_steps) require_memory("engine furthest-reaching", needed, requested);
      return is_worth_continuing(steps, static_cast<double>(reached + 1) / total, max_steps) &&
             allowance.fits(needed);
    });
    if (!found) {
      call.work.drop_estimate();
      return std::nullopt;
    }
    return engine.path();
  });
}

template std::optional<std::uint64_t> furthest_reaching_distance(text<std::uint8_t>, text<std::uint8_t>,
                                                                 const lcs_call&, std::uint64_t);
template std::optional<std::uint64_t> furthest_reaching_distance(text<std::uint32_t>, text<std::uint32_t>,
                                                                 const lcs_call&, std::uint64_t);
template std::optional<edit_script> furthest_reaching_path(text<std::uint8_t>, text<std::uint8_t>,
                                                           const lcs_call&, std::uint64_t);
template std::optional<edit_script> furthest_reaching_path(text<std::uint32_t>, text<std::uint32_t>,
                                                           const lcs_call&, std::uint64_t);

} // namespace weft::lcs_detail
