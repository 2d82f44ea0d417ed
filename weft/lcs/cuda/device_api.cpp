// Implements weft/lcs/lcs.cuh by engine systolic.
#include <weft/lcs/lcs.cuh>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <weft/base/cuda/device_call.hpp>
#include <weft/base/cuda/two_phases.hpp>
#include <weft/base/parallel.hpp>
#include <weft/lcs/cuda/systolic_table.hpp>
#include <weft/lcs/entry/path_memory.hpp>

namespace weft::gpu {

namespace {

// The table of a value: m rows and n columns.
struct value_table {
  bool transposed = false; // if so, b has the rows and a the columns
  std::int64_t m = 0, n = 0;
  lcs_detail::sweep_plan sweep{};
};

// The offsets of the parts of a value's temporary storage, and its size.
struct storage_layout {
  std::size_t columns, link, ticket, sum, bytes;
};

constexpr std::size_t alignment = 256;
constexpr std::size_t aligned(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

bool in_range(std::uint64_t m, std::uint64_t n, int sigma) {
  return sigma >= 1 && sigma <= 256 && std::max(m, n) <= lcs_detail::max_symbols;
}

cudaError_t plan_table(bool edit, std::int64_t m, std::int64_t n, int sigma, value_table& table) {
  int current = 0;
  lcs_detail::device_limits device;
  if (const cudaError_t status = cudaGetDevice(&current)) return status;
  if (const cudaError_t status = lcs_detail::limits_of(current, device)) return status;
  const auto [transposed, sweep] = lcs_detail::plan_value(edit, m, n, sigma, device);
  table = transposed ? value_table{true, n, m, sweep} : value_table{false, m, n, sweep};
  return cudaSuccess;
}

storage_layout layout_of(const value_table& plan) {
  const std::size_t words = static_cast<std::size_t>((plan.n + 31) / 32);
  storage_layout layout{};
  layout.link = aligned(static_cast<std::size_t>(lcs_detail::encoded_size(plan.sweep.shape, plan.n)) *
                        sizeof(std::uint32_t));
  layout.ticket = layout.link + aligned(words * static_cast<std::size_t>(plan.sweep.shape.vectors()) *
                                        sizeof(unsigned long long));
  layout.sum = layout.ticket + alignment;
  layout.bytes = layout.sum + alignment;
  return layout;
}

// Enqueues all work for a value. `storage` must be aligned.
cudaError_t enqueue_value(const value_table& plan, char* storage, const std::uint8_t* rows,
                          const std::uint8_t* columns, int sigma, lcs_metric metric, std::uint64_t* d_value,
                          cudaStream_t stream) {
  const storage_layout layout = layout_of(plan);
  const lcs_detail::kernel_shape& shape = plan.sweep.shape;
  auto* const encoded = reinterpret_cast<std::uint32_t*>(storage + layout.columns);
  auto* const sum = reinterpret_cast<long long*>(storage + layout.sum);
  lcs_detail::table_job job = lcs_detail::plain_job(plan.sweep, plan.m, plan.n, sigma);
  job.rows = rows;
  job.columns = reinterpret_cast<const uint4*>(encoded + lcs_detail::first_column(shape));
  job.link = reinterpret_cast<unsigned long long*>(storage + layout.link);
  job.ticket = reinterpret_cast<unsigned*>(storage + layout.ticket);
  if (const cudaError_t status = lcs_detail::launch_encode(shape, columns, plan.n, sigma, encoded, stream))
    return status;
  if (const cudaError_t status =
          lcs_detail::launch_start(shape.edit, job.link, job.words, nullptr, 0, job.ticket, stream))
    return status;
  if (const cudaError_t status = lcs_detail::launch_sweep(shape, job, plan.sweep.launch, stream))
    return status;
  if (const cudaError_t status = lcs_detail::launch_sum(shape.edit, job.link, job.words, plan.n, sum, stream))
    return status;
  const auto m = static_cast<std::uint64_t>(plan.m), n = static_cast<std::uint64_t>(plan.n);
  switch (metric) {
  case lcs_metric::lcs:
    return lcs_detail::launch_value(0, 1, sum, d_value, stream);
  case lcs_metric::indel:
    return lcs_detail::launch_value(m + n, -2, sum, d_value, stream);
  case lcs_metric::edit:
    return lcs_detail::launch_value(m, 1, sum, d_value, stream);
  case lcs_metric::affine: // options_for() has refused it
    break;
  }
  return cudaErrorInvalidValue;
}

// Returns the value of two texts, one of which is empty.
std::uint64_t value_of_empty(lcs_metric metric, std::uint64_t m, std::uint64_t n) {
  return metric == lcs_metric::lcs ? 0 : m + n;
}

void require(bool holds, const char* function, const char* what) {
  if (!holds) throw std::invalid_argument(std::string("weft::gpu::") + function + ": " + what);
}

void require_texts(const char* function, const std::uint8_t* d_a, std::uint64_t m, const std::uint8_t* d_b,
                   std::uint64_t n, int sigma) {
  require(in_range(m, n, sigma), function, "sigma must be from 1 to 256, and lengths must be at most 2^33");
  require((m == 0 || d_a != nullptr) && (n == 0 || d_b != nullptr), function, "a text is null");
}

// Lets the stream `after` wait for the work that the stream `before` has at present.
void wait_for_stream(cudaStream_t before, cudaStream_t after) {
  event reached;
  reached.record(before);
  check(cudaStreamWaitEvent(after, reached.get(), 0), "wait for a stream");
}

// Throws error(invalid_input) if the options ask for another engine than systolic, or for metric affine.
lcs_detail::gpu_options options_for(const lcs_device_options& options, int device) {
  const run_options& run = options.run;
  if (run.engine != "auto" && run.engine != "systolic")
    throw error(errc::invalid_input, "weft::gpu computes lcs only with engine systolic");
  if (options.metric == lcs_metric::affine)
    throw error(errc::invalid_input, "weft::gpu does not compute metric affine, which only the CPU does");
  return {device, run.device_memory, options.metric, thread_count(run.threads), run.monitor};
}

// Writes the number that the metric names, in two phases.
cudaError_t write_value(void* d_temp_storage, std::size_t& temp_storage_bytes, const std::uint8_t* d_a,
                        std::uint64_t m, const std::uint8_t* d_b, std::uint64_t n, int sigma,
                        lcs_metric metric, std::uint64_t* d_value, cudaStream_t stream) noexcept {
  if (!in_range(m, n, sigma)) return cudaErrorInvalidValue;
  const bool empty = m == 0 || n == 0;
  value_table plan;
  if (!empty)
    if (const cudaError_t status = plan_table(metric == lcs_metric::edit, static_cast<std::int64_t>(m),
                                              static_cast<std::int64_t>(n), sigma, plan))
      return status;
  // The caller's storage need not be aligned.
  const std::size_t needed = empty ? 1 : layout_of(plan).bytes + alignment - 1;
  if (d_temp_storage == nullptr) {
    temp_storage_bytes = needed;
    return cudaSuccess;
  }
  if (temp_storage_bytes < needed || d_value == nullptr) return cudaErrorInvalidValue;
  if (empty) return lcs_detail::launch_value(value_of_empty(metric, m, n), 0, nullptr, d_value, stream);
  if (d_a == nullptr || d_b == nullptr) return cudaErrorInvalidValue;
  auto* const storage = reinterpret_cast<char*>(aligned(reinterpret_cast<std::uintptr_t>(d_temp_storage)));
  if (plan.transposed) std::swap(d_a, d_b);
  return enqueue_value(plan, storage, d_a, d_b, sigma, metric, d_value, stream);
}

// Returns the number that the metric names. `function` is the name of the caller.
std::uint64_t computed_value(const char* function, const std::uint8_t* d_a, std::uint64_t m,
                             const std::uint8_t* d_b, std::uint64_t n, int sigma, lcs_metric metric,
                             cudaStream_t stream) {
  require_texts(function, d_a, m, d_b, n, sigma);
  if (m == 0 || n == 0) return value_of_empty(metric, m, n);
  const device_buffer<std::uint64_t> d_result(1, stream);
  in_two_phases(stream, "fill a table", [&](void* d_temp, std::size_t& bytes) {
    return write_value(d_temp, bytes, d_a, m, d_b, n, sigma, metric, d_result.data(), stream);
  });
  return downloaded(d_result.data(), stream, "fill a table");
}

} // namespace

cudaError_t lcs_length_async(void* d_temp_storage, std::size_t& temp_storage_bytes, const std::uint8_t* d_a,
                             std::uint64_t m, const std::uint8_t* d_b, std::uint64_t n, int sigma,
                             std::uint64_t* d_length, cudaStream_t stream) noexcept {
  return write_value(d_temp_storage, temp_storage_bytes, d_a, m, d_b, n, sigma, lcs_metric::lcs, d_length,
                     stream);
}
cudaError_t indel_distance_async(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                 const std::uint8_t* d_a, std::uint64_t m, const std::uint8_t* d_b,
                                 std::uint64_t n, int sigma, std::uint64_t* d_distance,
                                 cudaStream_t stream) noexcept {
  return write_value(d_temp_storage, temp_storage_bytes, d_a, m, d_b, n, sigma, lcs_metric::indel, d_distance,
                     stream);
}
cudaError_t edit_distance_async(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                const std::uint8_t* d_a, std::uint64_t m, const std::uint8_t* d_b,
                                std::uint64_t n, int sigma, std::uint64_t* d_distance,
                                cudaStream_t stream) noexcept {
  return write_value(d_temp_storage, temp_storage_bytes, d_a, m, d_b, n, sigma, lcs_metric::edit, d_distance,
                     stream);
}

std::uint64_t lcs_length(const std::uint8_t* d_a, std::uint64_t m, const std::uint8_t* d_b, std::uint64_t n,
                         int sigma, cudaStream_t stream) {
  return computed_value("lcs_length", d_a, m, d_b, n, sigma, lcs_metric::lcs, stream);
}
std::uint64_t indel_distance(const std::uint8_t* d_a, std::uint64_t m, const std::uint8_t* d_b,
                             std::uint64_t n, int sigma, cudaStream_t stream) {
  return computed_value("indel_distance", d_a, m, d_b, n, sigma, lcs_metric::indel, stream);
}
std::uint64_t edit_distance(const std::uint8_t* d_a, std::uint64_t m, const std::uint8_t* d_b,
                            std::uint64_t n, int sigma, cudaStream_t stream) {
  return computed_value("edit_distance", d_a, m, d_b, n, sigma, lcs_metric::edit, stream);
}

edit_script lcs(const std::uint8_t* d_a, std::uint64_t m, const std::uint8_t* d_b, std::uint64_t n, int sigma,
                const lcs_device_options& options, cudaStream_t stream) {
  require_texts("lcs", d_a, m, d_b, n, sigma);
  device_call call("weft::gpu::lcs", options.run, "cells");
  const lcs_detail::gpu_options inner = options_for(options, call.device());
  call.begin("systolic", lcs_detail::cells(m, n));
  if (m == 0 || n == 0) {
    edit_script path;
    lcs_detail::append_unmatched(path, m, n);
    return path;
  }
  const cudaStream_t work = context_of<lcs_detail::gpu_context>(inner.device).work.get();
  wait_for_stream(stream, work);
  const quiet_at_end quiet(work); // afterwards the caller's texts are no longer read
  const lcs_detail::codes a(d_a, m), b(d_b, n);
  const auto symbols = static_cast<std::uint64_t>(sigma);
  // Runs are copied while the vector of them grows.
  (void)lcs_detail::memory_of_runs(
      "engine systolic", m, n, options.metric == lcs_metric::edit, 0, options.run.memory,
      [&] {
        lcs_detail::gpu_options uncounted = inner;
        uncounted.counting = false;
        return lcs_detail::systolic_distance(a, b, symbols, uncounted);
      },
      2 * sizeof(edit_run));
  return lcs_detail::systolic_path(a, b, symbols, inner);
}

void lcs_all_pairs(const sequences_view& batch, int sigma, std::uint64_t* d_values,
                   const lcs_device_options& options, cudaStream_t stream) {
  constexpr const char* function = "lcs_all_pairs";
  require(sigma >= 1 && sigma <= 256, function, "sigma must be from 1 to 256");
  device_call call("weft::gpu::lcs_all_pairs", options.run, "cells");
  const lcs_detail::gpu_options inner = options_for(options, call.device());
  call.begin("systolic", 0);
  if (batch.count < 2) return;
  require(batch.d_offsets != nullptr && d_values != nullptr, function, "offsets or values are null");
  require(batch.size == 0 || batch.d_data != nullptr, function, "the text is null");
  const std::vector<std::uint64_t> offsets =
      downloaded(batch.d_offsets, batch.count + 1, stream, "copy a batch from the GPU");
  require(std::is_sorted(offsets.begin(), offsets.end()) && offsets.front() == 0 &&
              offsets.back() == batch.size,
          function, "offsets must ascend from 0 to the size of the batch");
  call.begin("systolic", lcs_detail::cells_of_all_pairs(offsets));
  const cudaStream_t work = context_of<lcs_detail::gpu_context>(inner.device).work.get();
  wait_for_stream(stream, work);
  const quiet_at_end quiet(work); // afterwards the caller's batch is no longer read
  const lcs_detail::codes d_text(reinterpret_cast<const std::uint8_t*>(batch.d_data), batch.size);
  lcs_detail::systolic_all_pairs_on_device(d_text, offsets, static_cast<std::uint64_t>(sigma), inner,
                                           d_values);
}

} // namespace weft::gpu
