#include <weft/lcs/cuda/systolic_table.hpp>

#include <algorithm>
#include <chrono>
#include <thread>
#include <weft/base/error.hpp>
#include <weft/lcs/cuda/systolic_kernels.hpp>

namespace weft::lcs_detail {

namespace {

device_limits checked_limits(int device) {
  device_limits limits;
  gpu::check(limits_of(device, limits), "query the GPU's attributes");
  return limits;
}

// Estimate the cycles that a column takes a warp: by the operations of the multiprocessor's quarter, and by
// the latency from the beginning of the column to its end, if no other warp runs. Both were measured; see
// bench/record/notes-lcs.md.
double operation_cycles(const kernel_shape& shape) {
  if (shape.planes > 0) return 2 * ((5 + shape.planes) * shape.words + 9);
  return shape.edit ? 2 * (10.4 * shape.words + 4) : 2 * 3.15 * shape.words + (shape.words <= 4 ? 11 : 4);
}
double latency_cycles(const kernel_shape& shape) {
  if (shape.planes > 0) return 20 + 2.2 * (5 + shape.planes) * shape.words;
  if (shape.edit) return 16 + 22.0 * shape.words;
  return shape.words <= 4 ? 27.5 + 4.1 * shape.words : 33 + 5.1 * shape.words;
}
// Returns the number of columns by which a strip lags behind the strip above.
double lag(const kernel_shape& shape) { return (shape.planes > 0 ? 32 * 40 : 32 * sweep_step) + 32 * 5; }

gpu::device_buffer<std::uint8_t> uploaded_text(codes symbols, bool reversed, cudaStream_t stream) {
  gpu::device_buffer<std::uint8_t> uploaded = gpu::uploaded(symbols, stream, "copy a text to the GPU");
  if (!reversed) return uploaded;
  gpu::device_buffer<std::uint8_t> backwards(symbols.size(), stream);
  gpu::check(
      launch_reverse(uploaded.data(), backwards.data(), static_cast<std::int64_t>(symbols.size()), stream),
      "reverse a text");
  return backwards;
}

} // namespace

cudaError_t limits_of(int device, device_limits& limits) noexcept {
  limits.device = device;
  if (const cudaError_t status =
          cudaDeviceGetAttribute(&limits.multiprocessors, cudaDevAttrMultiProcessorCount, device))
    return status;
  return cudaDeviceGetAttribute(&limits.shared_memory, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
}

gpu_context::gpu_context(int index) : device_limits(checked_limits(index)), device_stop(1, work.get()) {}

namespace {

// The size of `tables` tables of m rows and n columns that are swept at once, and the requested form.
struct table_size {
  std::int64_t m, n, sigma;
  int tables;
  forced_form form;
};

// Replaces `best` by the plan for a shape, with up to max_block_warps warps in a block, if that plan is
// faster.
void consider_shape(sweep_plan& best, const kernel_shape& shape, int max_block_warps, const table_size& size,
                    const device_limits& device) noexcept {
  if (size.form.words != 0 && (shape.words != size.form.words || (shape.planes > 0) != size.form.sliced))
    return;
  const std::int64_t strips = (size.m + shape.strip_rows() - 1) / shape.strip_rows(),
                     all = size.tables * strips;
  const auto block_warps = static_cast<int>(
      std::min<std::int64_t>(max_block_warps, (all + device.multiprocessors - 1) / device.multiprocessors));
  if (block_warps * shape.mask_bytes(static_cast<int>(size.sigma)) > device.shared_memory) return;
  const auto warps = static_cast<std::int64_t>(block_warps) * device.multiprocessors;
  const auto rounds = static_cast<double>((all + warps - 1) / warps);
  const double column = std::max((block_warps + 3) / 4 * operation_cycles(shape), latency_cycles(shape));
  const double cycles =
      (rounds * static_cast<double>(size.n) + static_cast<double>(strips) * lag(shape)) * column;
  if (best.strips == 0 || cycles < best.cycles)
    best = {shape,
            {static_cast<int>(std::min<std::int64_t>(all, device.multiprocessors)), block_warps},
            strips,
            cycles};
}

sweep_plan plan_tables(bool edit, const table_size& size, const device_limits& device) noexcept {
  sweep_plan best{};
  const int mask_tables = size.sigma <= 32 ? 1 : 2;
  for (const int words : {16, 8, 4, 2}) {
    const kernel_shape shape{edit, words, mask_tables};
    if (words == 16 && (edit || mask_tables > 1 || size.tables > 1)) continue;
    if (shape.mask_bytes(static_cast<int>(size.sigma)) + shape.replay_bytes() > device.shared_memory)
      continue;
    for (const int max_block_warps : {4, 8, 12, 16})
      consider_shape(best, shape, max_block_warps, size, device);
  }
  return best;
}

void consider_sliced(sweep_plan& best, bool kept, const table_size& size,
                     const device_limits& device) noexcept {
  if (size.sigma > 8) return;
  const int planes = size.sigma <= 4 ? 2 : 3;
  for (const int words : {32, 16, 8})
    for (const int max_block_warps : {4, 8, 12, 16})
      if (max_block_warps <= max_sliced_warps(words) && (words < 32 || planes == 2) &&
          (!kept || words == kept_sliced_words))
        consider_shape(best, {true, words, 1, planes}, max_block_warps, size, device);
}

} // namespace

sweep_plan plan_sweep(bool edit, bool kept, std::int64_t m, std::int64_t n, std::int64_t sigma,
                      const device_limits& device, const forced_form& form) noexcept {
  const table_size size{m, n, sigma, 1, form};
  sweep_plan best = plan_tables(edit, size, device);
  if (edit) consider_sliced(best, kept, size, device);
  return best;
}

value_plan plan_value(bool edit, std::int64_t m, std::int64_t n, std::int64_t sigma,
                      const device_limits& device, const forced_form& form) noexcept {
  const sweep_plan plan = plan_sweep(edit, false, m, n, sigma, device, form);
  const sweep_plan transposed = plan_sweep(edit, false, n, m, sigma, device, form);
  const bool transpose = transposed.strips != 0 && (plan.strips == 0 || transposed.cycles < plan.cycles);
  return {transpose, transpose ? transposed : plan};
}

sweep_plan plan_meet(std::int64_t m, std::int64_t n, std::int64_t sigma, const device_limits& device,
                     const forced_form& form) noexcept {
  return plan_tables(false, {m, (n + 1) / 2, sigma, 2, form}, device);
}

table_job plain_job(const sweep_plan& plan, std::int64_t m, std::int64_t n, int sigma) noexcept {
  table_job job{};
  job.missing_rows = plan.strips * plan.shape.strip_rows() - m;
  job.sigma = sigma;
  job.row_size = static_cast<std::uint32_t>(plan.shape.words) * 128;
  job.words = static_cast<int>((n + 31) / 32);
  job.strips = static_cast<int>(plan.strips);
  job.kept_every = 1;
  job.slab_shift = 31;
  return job;
}

std::uint64_t device_table::bytes(std::int64_t m, std::int64_t n, use what, const kernel_shape& shape) {
  std::int64_t encoded = encoded_size(shape, n);
  if (what == use::path && shape.planes > 0) encoded += encoded_size(shape.replay_shape(), n);
  const std::int64_t link = (n + 31) / 32 * shape.vectors();
  constexpr std::int64_t other_bytes = 4096;
  return static_cast<std::uint64_t>((what == use::value ? 1 : 2) * (m + n) + 4 * encoded + 8 * link +
                                    other_bytes);
}

device_table::device_table(codes a, codes b, std::uint64_t sigma, use what, const sweep_plan& plan,
                           gpu_context& device)
    : device_(device), plan_(plan), n_(static_cast<std::int64_t>(b.size())),
      missing_rows_(plan.strips * plan.shape.strip_rows() - static_cast<std::int64_t>(a.size())),
      sigma_(static_cast<int>(sigma)) {
  if (b.size() > max_symbols || plan.strips > 1 << 30)
    throw error(errc::invalid_input, "lcs: engine systolic supports only texts of at most 8 G symbols");
  const cudaStream_t stream = device.work.get();
  words_ = static_cast<int>((n_ + 31) / 32);
  rows_ = uploaded_text(a, what != use::value, stream);
  columns_ = uploaded_text(b, what != use::value, stream);
  encoded_ = encoded(plan.shape);
  if (what == use::path && plan.shape.planes > 0) replay_encoded_ = encoded(plan.shape.replay_shape());
  link_ = {static_cast<std::size_t>(words_) * static_cast<std::size_t>(plan.shape.vectors()), stream};
  ticket_ = {1, stream};
  sum_ = {1, stream};
}

gpu::device_buffer<std::uint32_t> device_table::encoded(const kernel_shape& shape) const {
  const cudaStream_t stream = device_.work.get();
  gpu::device_buffer<std::uint32_t> columns(static_cast<std::size_t>(encoded_size(shape, n_)), stream);
  gpu::check(launch_encode(shape, columns_.data(), n_, sigma_, columns.data(), stream), "encode a text");
  return columns;
}

table_job device_table::job() const {
  table_job job = plain_job(plan_, static_cast<std::int64_t>(rows_.size()), n_, sigma_);
  job.rows = rows_.data();
  job.columns = reinterpret_cast<const uint4*>(encoded_.data() + first_column(plan_.shape));
  job.link = link_.data();
  job.ticket = ticket_.data();
  job.stop = device_.device_stop.data();
  job.sliced = plan_.shape.planes > 0;
  return job;
}

table_job device_table::replay_job(table_job job) const {
  if (job.sliced)
    job.columns =
        reinterpret_cast<const uint4*>(replay_encoded_.data() + first_column(plan_.shape.replay_shape()));
  return job;
}

std::uint64_t device_table::cells(std::int64_t strips, std::int64_t words) const {
  return lcs_detail::cells(static_cast<std::uint64_t>(strips * plan_.shape.strip_rows()),
                           static_cast<std::uint64_t>(32 * words));
}

void device_table::sweep(const table_job& job, const std::uint32_t* tops, int kept_words,
                         cell_counter& work) {
  const cudaStream_t stream = device_.work.get();
  gpu::check(cudaMemsetAsync(device_.device_stop.data(), 0, sizeof(int), stream), "start a table");
  gpu::check(launch_start(plan_.shape.edit, job.link, job.words, tops, kept_words, job.ticket, stream),
             "start a table");
  device_.started.record(stream);
  launch_shape launch = plan_.launch;
  launch.blocks = std::min(launch.blocks, job.strips);
  gpu::check(launch_sweep(plan_.shape, job, launch, stream), "fill a table");
  watch(job, job.strips, work);
}

// Waits for a sweep, and polls the ticket of its strips ten times a second.
void device_table::watch(const table_job& job, std::int64_t tickets, cell_counter& work,
                         const sweep_check& check) {
  using clock = std::chrono::steady_clock;
  std::uint64_t reported = 0;
  const auto start = clock::now();
  auto next_poll = start + std::chrono::milliseconds(100);
  for (cudaError_t status; (status = cudaStreamQuery(device_.work.get())) != cudaSuccess;) {
    if (status != cudaErrorNotReady) gpu::check(status, "fill a table");
    try {
      work.check();
      if (check) check();
      if (clock::now() >= next_poll && device_.started.has_passed()) {
        gpu::copy(device_.ticket.data(), job.ticket, 1, device_.poll_stream.get(),
                  "read the progress of a sweep");
        device_.poll_stream.wait();
        const std::int64_t resident = std::int64_t{plan_.launch.blocks} * plan_.launch.warps;
        const std::int64_t begun = *device_.ticket.data();
        const std::uint64_t done = cells(std::max<std::int64_t>(begun - resident, 0), job.words);
        if (done > reported) work.add(done - reported), reported = done;
        next_poll = clock::now() + std::chrono::milliseconds(100);
      }
    } catch (...) {
      *device_.stop.data() = 1;
      // The start of a sweep resets the stop flag, so wait for that start first.
      (void)cudaStreamWaitEvent(device_.poll_stream.get(), device_.started.get(), 0);
      (void)cudaMemcpyAsync(device_.device_stop.data(), device_.stop.data(), sizeof(int),
                            cudaMemcpyHostToDevice, device_.poll_stream.get());
      // Wait, because the flag must not be set during the next sweep.
      (void)cudaStreamSynchronize(device_.poll_stream.get());
      device_.work.wait();
      throw;
    }
    if (clock::now() - start > std::chrono::milliseconds(2))
      std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  const std::uint64_t all = cells(tickets, job.words);
  if (all > reported) work.add(all - reported);
}

std::uint64_t device_table::meet_bytes(std::int64_t m, std::int64_t n, const sweep_plan& halves) {
  const std::int64_t last = 2 * halves.strips * halves.shape.strip_rows() / 8;
  return bytes(m, n / 2, use::value, halves.shape) + bytes(m, n - n / 2, use::reversed_value, halves.shape) +
         static_cast<std::uint64_t>(last) + max_stretches * sizeof(meeting_stretch);
}

std::int64_t device_table::meet(device_table& left, device_table& right, cell_counter& work) {
  gpu_context& device = left.device_;
  const cudaStream_t stream = device.work.get();
  gpu::check(cudaMemsetAsync(device.device_stop.data(), 0, sizeof(int), stream), "start a table");
  const table_job first = left.job(), second = right.job();
  for (const table_job& job : {first, second})
    gpu::check(launch_start(false, job.link, job.words, nullptr, 0, job.ticket, stream), "start a table");
  device.started.record(stream);
  gpu::device_buffer<std::uint32_t> last(static_cast<std::size_t>(2 * left.border_words()), stream);
  gpu::check(launch_meet(left.plan_.shape, first, second, last.data(), left.plan_.launch, stream),
             "fill two tables");
  left.watch(first, 2 * left.plan_.strips, work);
  return left.best_meeting(last.data());
}

std::uint64_t device_table::half_bytes(std::int64_t m, std::int64_t n, use what, const sweep_plan& half) {
  const std::int64_t last = 2 * half.strips * half.shape.strip_rows() / 8;
  return bytes(m, n, what, half.shape) + static_cast<std::uint64_t>(last) +
         max_stretches * sizeof(meeting_stretch);
}

void device_table::sweep_half(std::uint32_t* last, cell_counter& work, const sweep_check& check) {
  const cudaStream_t stream = device_.work.get();
  const table_job half = job();
  gpu::check(cudaMemsetAsync(device_.device_stop.data(), 0, sizeof(int), stream), "start a table");
  gpu::check(launch_start(false, half.link, half.words, nullptr, 0, half.ticket, stream), "start a table");
  device_.started.record(stream);
  gpu::check(launch_half(plan_.shape, half, last, plan_.launch, stream), "fill half of a table");
  watch(half, plan_.strips, work, check);
}

std::int64_t device_table::best_meeting(const std::uint32_t* last) {
  const cudaStream_t stream = device_.work.get();
  gpu::device_buffer<meeting_stretch> stretches(max_stretches, stream);
  gpu::check(launch_best_meeting(last, border_words(), missing_rows_, stretches.data(), sum_.data(), stream),
             "join two tables");
  return read_sum();
}

std::int64_t device_table::sum() {
  gpu::check(launch_sum(plan_.shape.edit, link_.data(), words_, n_, sum_.data(), device_.work.get()),
             "sum the last row of a table");
  return read_sum();
}

std::int64_t device_table::read_sum() {
  gpu::copy(device_.sum.data(), sum_.data(), 1, device_.work.get(), "read a result");
  device_.work.wait();
  return *device_.sum.data();
}

} // namespace weft::lcs_detail
