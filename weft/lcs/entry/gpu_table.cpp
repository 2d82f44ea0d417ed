#include <weft/lcs/entry/gpu_table.hpp>

#if defined(WEFT_WITH_CUDA)
#include <weft/base/engine_table.hpp>
#include <weft/base/parallel.hpp>
#include <weft/lcs/cpu/bit_parallel.hpp>
#include <weft/lcs/cpu/hirschberg.hpp>
#include <weft/lcs/cpu/pair_codes.hpp>
#include <weft/lcs/cuda/engines.hpp>

namespace weft::lcs_detail {

namespace {

using bytes = text<std::uint8_t>;

lcs_cuda::gpu_options options_for(const lcs_options& options, int gpu) {
  return {gpu, options.run.device_memory, options.metric, thread_count(options.run.threads),
          options.run.monitor};
}

// Computes the parts that engine wavefront leaves to the CPU; no text is empty.
std::uint64_t small_distance(bytes a, bytes b, const lcs_options& options) {
  progress silent(nullptr);
  return lcs_cpu::bit_parallel_engine<std::uint8_t>(options.metric == lcs_metric::edit, silent)
      .distance(a, b, thread_count(options.run.threads));
}

edit_script small_path(bytes a, bytes b, const lcs_options& options) {
  edit_script path;
  progress silent(nullptr);
  lcs_cpu::bit_parallel_engine<std::uint8_t> words(options.metric == lcs_metric::edit, silent);
  lcs_cpu::hirschberg(words, a, b, thread_count(options.run.threads), path);
  return path;
}

// Fills tables by engine systolic or wavefront.
class gpu_table final : public full_table {
public:
  gpu_table(const engine_choice& choice, const lcs_options& options)
      : wavefront_(choice.id == engine::wavefront), device_(choice.device), options_(options) {}

  [[nodiscard]] bool required() const override { return device_.kind == device_kind::gpu; }
  [[nodiscard]] bool is_worthwhile(std::uint64_t m, std::uint64_t n, bool path) const override {
    return std::max(m, n) <= lcs_cuda::max_symbols &&
           static_cast<double>(m) * static_cast<double>(n) >= (path ? gpu_path_cells : gpu_value_cells);
  }
  [[nodiscard]] bool usable() const override { return required() || !known_gpus().devices.empty(); }
  [[nodiscard]] double cells_per_second(std::uint64_t m, std::uint64_t n) const override {
    const auto shorter = static_cast<double>(std::min(m, n));
    return 100e12 * shorter / (shorter + 500000);
  }

  [[nodiscard]] std::uint64_t distance(bytes a, bytes b, std::uint64_t sigma) const override {
    const lcs_cuda::gpu_options gpu = used();
    if (!wavefront_) return lcs_cuda::systolic_distance(a, b, sigma, gpu);
    return lcs_cuda::wavefront_distance(a, b, gpu,
                                        [this](bytes x, bytes y) { return small_distance(x, y, options_); });
  }
  [[nodiscard]] edit_script path(bytes a, bytes b, std::uint64_t sigma) const override {
    // Runs are copied while the vector of them grows.
    (void)memory_of_runs(
        wavefront_ ? "wavefront" : "systolic", a.size(), b.size(), options_.metric == lcs_metric::edit,
        a.size() + b.size(), options_.run.memory, [&] { return distance(a, b, sigma); },
        2 * sizeof(edit_run));
    const lcs_cuda::gpu_options gpu = used();
    if (!wavefront_) return lcs_cuda::systolic_path(a, b, sigma, gpu);
    return lcs_cuda::wavefront_path(a, b, gpu,
                                    [this](bytes x, bytes y) { return small_path(x, y, options_); });
  }

private:
  [[nodiscard]] lcs_cuda::gpu_options used() const {
    const int gpu = required() ? device_.index : base_detail::first_gpu();
    report_engine(options_.run, wavefront_ ? "wavefront" : "systolic", {device_kind::gpu, gpu});
    return options_for(options_, gpu);
  }

  bool wavefront_;
  device_choice device_;
  const lcs_options& options_;
};

} // namespace

std::unique_ptr<full_table> make_gpu_table(const engine_choice& choice, const lcs_options& options) {
  if (choice.device.kind == device_kind::cpu) return nullptr;
  return std::make_unique<gpu_table>(choice, options);
}

bool all_pairs_on_gpu(engine_choice& choice, std::uint64_t all_cells) {
  if (choice.id != engine::automatic && choice.id != engine::systolic) return false;
  if (choice.device.kind != device_kind::automatic) return choice.device.kind == device_kind::gpu;
  if (static_cast<double>(all_cells) < gpu_value_cells || known_gpus().devices.empty()) return false;
  choice.device = {device_kind::gpu, base_detail::first_gpu()};
  return true;
}

std::vector<std::uint64_t> gpu_all_pairs(const sequences_view& batch, const engine_choice& choice,
                                         const lcs_options& options) {
  const std::uint64_t count = batch.count(), pairs = count < 2 ? 0 : cells(count, count - 1) / 2;
  require_memory("systolic", cells(pairs, 8) + batch.data.size(), options.run.memory);
  if (pairs == 0) return {};
  const auto [codes, sigma] = lcs_cpu::dense_codes(batch.data);
  std::vector<std::uint64_t> values =
      lcs_cuda::systolic_all_pairs(codes, batch.offsets, sigma, options_for(options, choice.device.index));
  report_engine(options.run, "systolic", choice.device);
  if (options.metric == lcs_metric::lcs)
    turn_into_lengths(values, batch.offsets, thread_count(options.run.threads));
  return values;
}

} // namespace weft::lcs_detail

#else

namespace weft::lcs_detail {

std::unique_ptr<full_table> make_gpu_table(const engine_choice&, const lcs_options&) { return nullptr; }

bool all_pairs_on_gpu(engine_choice&, std::uint64_t) { return false; }

std::vector<std::uint64_t> gpu_all_pairs(const sequences_view&, const engine_choice&, const lcs_options&) {
  throw unavailable_error(known_gpus().unavailable); // choose_engine() has thrown this error before
}

} // namespace weft::lcs_detail

#endif
