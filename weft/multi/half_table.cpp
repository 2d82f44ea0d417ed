#include <weft/multi/half_table.hpp>

#include <memory>
#include <optional>
#include <span>
#include <weft/multi/team.hpp>

namespace weft::multi_detail {

using namespace lcs_detail;

namespace {

// Rank 0 asks rank 1 to sweep a half of this shape, with this run_options::memory of the call.
struct half_request {
  half_shape shape;
  std::uint64_t memory;
};

// Returns a function that throws the failure of the job once there is one.
sweep_check check_of(const multi::communicator& ranks) {
  return [&ranks] {
    if (const std::optional<multi::rank_failure> failure = ranks.failure()) multi::throw_failure(*failure);
  };
}

bool can_help(const half_request& request, const gpu_table_engine* engine, const run_options& run) try {
  const half_shape& shape = request.shape;
  return engine != nullptr && run.device.kind == device_kind::gpu && engine->is_usable() &&
         memory_allowance(run.memory).fits(shape.m + shape.n + 4 * shape.border_words()) &&
         engine->can_sweep_half(shape, run);
} catch (const error&) { // this GPU does not exist, or has failed; rank 0 can go on alone
  return false;
}

} // namespace

std::vector<std::uint32_t> lead_half(multi::communicator& ranks, const half_shape& shape,
                                     text<std::uint8_t> a, text<std::uint8_t> b, std::uint64_t memory,
                                     const std::function<void(const sweep_check& check)>& own) {
  return depend_on_each_other(ranks, [&] {
    half_request request{shape, memory};
    ranks.send(bytes_of(request), 1);
    std::uint64_t helps = 0;
    ranks.receive(bytes_of(helps), 1);
    std::vector<std::uint32_t> border;
    if (helps == 0) return border;
    ranks.send(std::as_bytes(a), 1);
    ranks.send(std::as_bytes(b), 1);
    own(check_of(ranks));
    border.resize(shape.border_words());
    ranks.receive(std::as_writable_bytes(std::span(border)), 1);
    return border;
  });
}

void help_with_half(multi::communicator& ranks, const gpu_table_engine* engine, run_options run) {
  depend_on_each_other(ranks, [&] {
    half_request request{};
    ranks.receive(bytes_of(request), 0);
    run.memory = request.memory;
    run.info = nullptr;
    std::uint64_t helps = can_help(request, engine, run) ? 1 : 0;
    ranks.send(bytes_of(helps), 0);
    if (helps == 0) return;
    const auto receive = [&](std::uint64_t size) {
      auto symbols = std::make_unique_for_overwrite<std::uint8_t[]>(size);
      ranks.receive(std::as_writable_bytes(std::span(symbols.get(), size)), 0);
      return symbols;
    };
    const auto a = receive(request.shape.m), b = receive(request.shape.n);
    const std::vector<std::uint32_t> border = engine->sweep_half(
        request.shape, {a.get(), request.shape.m}, {b.get(), request.shape.n}, run, check_of(ranks));
    ranks.send(std::as_bytes(std::span(border)), 0);
  });
}

} // namespace weft::multi_detail
