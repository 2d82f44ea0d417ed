// The host side of engine systolic: values, and paths from checkpoints.
//
// A value needs one sweep (sweep.cuh, sliced.cu) and the sum of the differences below the last row, or two
// half tables that meet (meet.cu), on one GPU or on two.
//
// A path is found in the table of the reversed texts, so that the walk back from its last cell is the
// canonical path from the front.
//   sweep, and keep the differences above each strip, and v of every strip left of every slab of columns
//   (x, y) = (m, n)
//   while x > 0 and y > 0:
//     choose a window: slabs from y to the left, in each a band of strips around the expected path
//     replay the window's tiles, all at once, tracing v
//     walk through it (walk.cuh) to the point where the path leaves it, and append the runs to the path
//   delete or insert the symbols that are left
// Checkpoints take m n / 8 (1 / rows of a strip + 1 / columns of a slab) bytes, twice that for edit. If
// that is more than allowed, slabs get wider. If that is not enough either, the strips are divided into
// groups: one sweep keeps the differences above each group, and then each group, from the last one back, is
// swept again with checkpoints over the columns that are left. That takes about half of the first sweep's
// time in all.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <weft/base/error.hpp>
#include <weft/lcs/cuda/systolic_table.hpp>
#include <weft/lcs/cuda/systolic_window.hpp>

namespace weft::lcs_detail {

namespace {

constexpr int min_tiles = 4;

// Returns the number of rows by which a path is expected to stray from a line over `columns` columns. The
// power is that of unrelated texts.
double stray_rows(double factor, std::int64_t columns) {
  return 256 + factor * std::pow(static_cast<double>(columns), 2.0 / 3);
}

// Returns the plan. Throws an error if there is none.
sweep_plan require_plan(const sweep_plan& plan) {
  if (plan.strips == 0) throw error(errc::invalid_input, "lcs: engine systolic has no strips of this form");
  return plan;
}

// How the table is divided so that its checkpoints and traces fit the device memory.
struct checkpoint_plan {
  int slab_shift;
  std::int64_t strips; // in a group
  std::int64_t tiles;  // in a window
};

// Finds the canonical path of two texts. (x_, y_) is the cell that the walk has reached.
class path_finder {
public:
  path_finder(codes a, codes b, std::uint64_t sigma, const gpu_options& options, gpu_context& device,
              cell_counter& work)
      : edit_(options.metric == lcs_metric::edit), device_(device), work_(work),
        x_(static_cast<std::int64_t>(a.size())), y_(static_cast<std::int64_t>(b.size())),
        words_((y_ + 31) / 32),
        sweep_(require_plan(
            plan_sweep(edit_, true, x_, y_, static_cast<std::int64_t>(sigma), device, options.form))),
        plan_(plan_checkpoints(options)), table_(a, b, sigma, device_table::use::path, sweep_, device) {}

  // Waits for the stream of the runs before its memory is freed, after a failure too.
  ~path_finder() { (void)cudaStreamSynchronize(device_.download_stream.get()); }
  path_finder(const path_finder&) = delete;
  path_finder& operator=(const path_finder&) = delete;

  edit_script find();

private:
  // The following functions return bytes of device memory.
  [[nodiscard]] std::int64_t top_bytes() const { return words_ * 4 * sweep_.shape.vectors(); }
  [[nodiscard]] std::int64_t state_bytes() const { // of a strip's v
    return std::int64_t{4} * warp_lanes * sweep_.shape.state_words();
  }
  [[nodiscard]] std::int64_t tile_bytes(int shift) const {
    return 4 * tile_words(sweep_.shape.vectors(), sweep_.shape.words, shift);
  }
  [[nodiscard]] std::int64_t window_bytes(int shift, std::int64_t tiles) const {
    return 2 * tiles * (tile_bytes(shift) + 5 * (rows() + (32LL << shift)));
  }

  [[nodiscard]] std::int64_t slabs(int shift) const { return (words_ + (1LL << shift) - 1) >> shift; }
  [[nodiscard]] std::int64_t rows() const { return sweep_.shape.strip_rows(); } // in a strip

  [[nodiscard]] checkpoint_plan plan_checkpoints(const gpu_options& options) const;
  void solve_group(std::int64_t first, std::int64_t strips, const std::uint32_t* tops);
  void choose_window(const table_job& job, path_window& window) const;
  void learn_from(const path_window& window, const walk_end& end);

  bool edit_;
  gpu_context& device_;
  cell_counter& work_;
  std::int64_t x_, y_; // rows and columns that are left
  std::int64_t words_; // words of all columns
  sweep_plan sweep_;
  checkpoint_plan plan_;
  device_table table_;
  // Estimates from the last windows: rows for each column along the expected path; a factor of how far the
  // path strays from it; the number of slabs over which it can be followed.
  double slope_ = 0, stray_factor_ = 1;
  int max_window_slabs_ = 128;
  edit_script path_;
  gpu::device_buffer<std::uint32_t> tops_, states_;
  path_window windows_[2]; // while one is followed, the runs of the other are assembled
  int next_window_ = 0;
};

// Returns the plan with the fewest groups, and among those with the narrowest slabs.
checkpoint_plan path_finder::plan_checkpoints(const gpu_options& options) const {
  const auto allowed = static_cast<std::int64_t>(gpu::device_memory_allowed(options.device_memory));
  const auto texts =
      static_cast<std::int64_t>(device_table::bytes(x_, y_, device_table::use::path, sweep_.shape));
  const std::int64_t strips = sweep_.strips;
  checkpoint_plan best{};
  std::int64_t min_groups = 0, min_needed = 0;
  for (int shift = narrowest_slab; shift == narrowest_slab || 1LL << (shift - 1) < words_; ++shift) {
    const std::int64_t strip = top_bytes() + (slabs(shift) - 1) * state_bytes();
    const std::int64_t tiles = strips * slabs(shift);
    const std::int64_t window = window_bytes(shift, std::min<std::int64_t>(tiles, min_tiles));
    for (std::int64_t groups = 1; groups < 2 * strips; groups *= 2) {
      const std::int64_t group = (strips + groups - 1) / groups;
      const std::int64_t needed = texts + window + group * strip + (groups > 1 ? groups * top_bytes() : 0);
      if (min_needed == 0 || needed < min_needed) min_needed = needed;
      if (needed > allowed || (min_groups != 0 && groups >= min_groups)) continue;
      min_groups = groups;
      const std::int64_t spare = (allowed - needed) / window_bytes(shift, 1);
      best = {shift, group, std::min<std::int64_t>({tiles, min_tiles + spare, max_tiles})};
    }
    if (min_groups == 1) break;
  }
  if (min_groups == 0)
    throw memory_error(
        fmt::format("lcs: engine systolic needs {} of device memory for this path, but only {} is "
                    "allowed",
                    format_size(static_cast<std::uint64_t>(min_needed)),
                    format_size(static_cast<std::uint64_t>(allowed))));
  return best;
}

edit_script path_finder::find() {
  const cudaStream_t stream = device_.work.get();
  path_.runs.reserve(static_cast<std::size_t>(std::min<std::int64_t>(x_ + y_, 1 << 25)));
  slope_ = static_cast<double>(x_) / static_cast<double>(y_);
  tops_ = {static_cast<std::size_t>(plan_.strips * top_bytes() / 4), stream};
  states_ = {static_cast<std::size_t>(plan_.strips * (slabs(plan_.slab_shift) - 1) * state_bytes() / 4),
             stream};
  for (int i : {0, 1}) windows_[i] = path_window(plan_.tiles, tile_bytes(plan_.slab_shift), device_, i);
  const std::int64_t strips = sweep_.strips, groups = (strips + plan_.strips - 1) / plan_.strips;
  work_.expect(table_.cells(groups > 1 ? 2 * strips : strips, table_.words()));
  gpu::device_buffer<std::uint32_t> group_tops;
  if (groups > 1) {
    group_tops = {static_cast<std::size_t>(groups * top_bytes() / 4), stream};
    table_job job = table_.job();
    job.kept_tops = group_tops.data();
    job.kept_every = static_cast<int>(plan_.strips);
    table_.sweep(job, nullptr, 0, work_);
  }
  for (std::int64_t group = groups - 1; group >= 0 && x_ > 0 && y_ > 0; --group) {
    const std::int64_t first = group * plan_.strips;
    solve_group(first, std::min(plan_.strips, strips - first),
                group == 0 ? nullptr : group_tops.data() + group * top_bytes() / 4);
  }
  windows_[1 - next_window_].take(path_);
  append_unmatched(path_, static_cast<std::uint64_t>(x_), static_cast<std::uint64_t>(y_));
  return std::move(path_);
}

// Walks through the strips [first, first + strips), which the path enters at their last row. `tops` are the
// differences above them, or null for those at the top of the table.
void path_finder::solve_group(std::int64_t first, std::int64_t strips, const std::uint32_t* tops) {
  table_job job = table_.job();
  job.words = static_cast<int>((y_ + 31) / 32);
  job.first_strip = static_cast<int>(first);
  job.strips = static_cast<int>(strips);
  job.kept_tops = tops_.data();
  job.kept_states = states_.data();
  job.slab_shift = plan_.slab_shift;
  windows_[1 - next_window_].take(path_); // waits for the runs of the last group
  table_.sweep(job, tops, table_.words(), work_);
  // The path has passed these columns, so they are not swept again.
  work_.add(table_.cells(strips, table_.words() - job.words));
  const table_job replayed = table_.replay_job(job);
  const std::int64_t end_row = std::max<std::int64_t>(first * rows() - table_.missing_rows(), 0);
  while (y_ > 0 && x_ > end_row) {
    work_.check();
    path_window& window = windows_[next_window_];
    next_window_ = 1 - next_window_;
    choose_window(job, window);
    window.follow(sweep_.shape.replay_shape(), replayed);
    windows_[next_window_].take(path_);
    learn_from(window, window.finish(edit_));
  }
}

// Chooses slabs from y to the left, and in each slab the lanes around the expected line of the path, as
// long as there is memory to trace them.
void path_finder::choose_window(const table_job& job, path_window& window) const {
  const std::int64_t columns = 32LL << plan_.slab_shift, missing_rows = table_.missing_rows();
  const std::int64_t lane_rows = rows() / warp_lanes, first_lane = std::int64_t{job.first_strip} * warp_lanes;
  const std::int64_t first_row = std::max<std::int64_t>(job.first_strip * rows() - missing_rows, 0);
  const std::int64_t last_slab = (y_ - 1) / columns;
  slab_band* const bands = window.host_bands(); // at first from the right to the left
  int slabs = 0;
  window.tiles = 0;
  for (std::int64_t slab = last_slab; slab >= 0 && slabs < max_window_slabs_; --slab) {
    const std::int64_t left = slab * columns, right = std::min(left + columns, y_);
    const auto line = [&](std::int64_t y) {
      return static_cast<double>(x_) - slope_ * static_cast<double>(y_ - y);
    };
    const double high =
        slab == last_slab ? static_cast<double>(x_) : line(right) + stray_rows(stray_factor_, y_ - right);
    if (high <= static_cast<double>(first_row)) break;
    const std::int64_t end = std::min(x_, static_cast<std::int64_t>(high) + 1);
    const std::int64_t begin =
        static_cast<std::int64_t>(std::clamp(line(left) - stray_rows(stray_factor_, y_ - left),
                                             static_cast<double>(first_row), static_cast<double>(end - 1)));
    slab_band band{static_cast<int>((begin + missing_rows) / lane_rows - first_lane),
                   static_cast<int>((end - 1 + missing_rows) / lane_rows - first_lane + 1), window.tiles};
    const int spare_tiles = static_cast<int>(plan_.tiles) - window.tiles,
              last_strip = (band.last - 1) / warp_lanes;
    if (last_strip - band.first / warp_lanes >= spare_tiles) {
      if (slab < last_slab) break;
      band.first = (last_strip - spare_tiles + 1) * warp_lanes;
    }
    for (int strip = band.first / warp_lanes; strip <= last_strip; ++strip)
      window.host_tiles()[window.tiles++] = {strip, static_cast<int>(slab),
                                             std::max(band.first - strip * warp_lanes, 0),
                                             std::min(band.last - strip * warp_lanes, warp_lanes)};
    bands[slabs++] = band;
  }
  std::reverse(bands, bands + slabs);
  walk_job& walk = window.walk;
  walk.rows = table_.rows(), walk.columns = table_.columns();
  walk.missing_rows = missing_rows;
  walk.first_strip = job.first_strip, walk.strips = job.strips;
  walk.words_shift = std::countr_zero(static_cast<unsigned>(sweep_.shape.words));
  walk.slab_shift = plan_.slab_shift;
  walk.first_slab = static_cast<int>(last_slab) - slabs + 1, walk.slabs = slabs;
  walk.x = x_, walk.y = y_;
}

// Continues at the point where a window has ended, and adapts the estimates to what that window has shown.
void path_finder::learn_from(const path_window& window, const walk_end& end) {
  const std::int64_t down = x_ - end.x, right = y_ - end.y;
  x_ = end.x, y_ = end.y;
  if (y_ == window.walk.first_slab * (32LL << plan_.slab_shift)) {
    slope_ = y_ == 0 ? 0 : static_cast<double>(x_) / static_cast<double>(y_);
    stray_factor_ = std::max(stray_factor_ * 0.9, 0.35);
    max_window_slabs_ = std::min(2 * max_window_slabs_, max_slabs);
  } else { // the path left the band
    slope_ = static_cast<double>(down) / static_cast<double>(std::max<std::int64_t>(right, 1));
    stray_factor_ = std::min(stray_factor_ * 1.5, 6.0);
    max_window_slabs_ = std::max(end.slabs, 32);
  }
}

// Returns the fastest plan for a half on each of two GPUs. If `transposed`, the text of n symbols has the
// rows.
value_plan plan_halves(std::int64_t m, std::int64_t n, std::int64_t sigma, const device_limits& device,
                       const forced_form& form) {
  const sweep_plan plan = plan_sweep(false, false, m, (n + 1) / 2, sigma, device, form);
  const sweep_plan transposed = plan_sweep(false, false, n, (m + 1) / 2, sigma, device, form);
  const bool transpose = transposed.strips != 0 && (plan.strips == 0 || transposed.cycles < plan.cycles);
  return {transpose, transpose ? transposed : plan};
}

std::array<char, 16> uuid_of(int device) {
  cudaDeviceProp properties{};
  gpu::check(cudaGetDeviceProperties(&properties, device), "read the properties of a GPU");
  return std::to_array(properties.uuid.bytes);
}

// Computes the length of the LCS of texts of two or more symbols, together with the GPU of a helper. Returns
// nothing, before the sweep begins, if this GPU or that of the helper cannot do it.
std::optional<std::int64_t> length_with_helper(codes a, codes b, std::uint64_t sigma,
                                               const gpu_options& options, gpu_context& device,
                                               cell_counter& work) {
  using use = device_table::use;
  const value_plan chosen =
      plan_halves(static_cast<std::int64_t>(a.size()), static_cast<std::int64_t>(b.size()),
                  static_cast<std::int64_t>(sigma), device, options.form);
  const sweep_plan& plan = chosen.sweep;
  if (chosen.transposed) std::swap(a, b);
  const codes left = b.first(b.size() / 2), right = b.subspan(b.size() / 2);
  if (plan.strips == 0 ||
      device_table::half_bytes(static_cast<std::int64_t>(a.size()), static_cast<std::int64_t>(left.size()),
                               use::value, plan) > gpu::device_memory_allowed(options.device_memory))
    return std::nullopt;
  const half_shape shape{a.size(), right.size(), sigma, static_cast<std::uint64_t>(plan.shape.words),
                         uuid_of(options.device)};
  gpu::device_buffer<std::uint32_t> borders;
  std::optional<device_table> table;
  const std::vector<std::uint32_t> border =
      options.helpers->sweep_half(shape, a, right, options.memory, [&](const sweep_check& check) {
        table.emplace(a, left, sigma, use::value, plan, device);
        borders = {2 * shape.border_words(), device.work.get()};
        work.expect(table->cells(plan.strips, table->words()));
        table->sweep_half(borders.data(), work, check);
      });
  if (border.empty()) return std::nullopt;
  gpu::copy(borders.data() + border.size(), border.data(), border.size(), device.work.get(),
            "copy the border of a table");
  return table->best_meeting(borders.data());
}

} // namespace

bool systolic_can_sweep_half(const half_shape& shape, const gpu_options& options) {
  if (shape.gpu != std::array<char, 16>{} && shape.gpu == uuid_of(options.device)) return false;
  const gpu::device_scope scope(options.device);
  const auto m = static_cast<std::int64_t>(shape.m), n = static_cast<std::int64_t>(shape.n);
  const sweep_plan plan =
      plan_sweep(false, false, m, n, static_cast<std::int64_t>(shape.sigma),
                 gpu::context_of<gpu_context>(options.device), {.words = static_cast<int>(shape.words)});
  return plan.strips != 0 && device_table::half_bytes(m, n, device_table::use::reversed_value, plan) <=
                                 gpu::device_memory_allowed(options.device_memory);
}

std::vector<std::uint32_t> systolic_half(const half_shape& shape, codes a, codes b,
                                         const gpu_options& options, const sweep_check& check) {
  const gpu::device_scope scope(options.device);
  gpu_context& device = gpu::context_of<gpu_context>(options.device);
  cell_counter work(options.monitor);
  const sweep_plan plan = require_plan(
      plan_sweep(false, false, static_cast<std::int64_t>(shape.m), static_cast<std::int64_t>(shape.n),
                 static_cast<std::int64_t>(shape.sigma), device, {.words = static_cast<int>(shape.words)}));
  device_table table(a, b, shape.sigma, device_table::use::reversed_value, plan, device);
  const gpu::device_buffer<std::uint32_t> border(shape.border_words(), device.work.get());
  work.expect(table.cells(plan.strips, table.words()));
  table.sweep_half(border.data(), work, check);
  return gpu::downloaded(border.data(), border.size(), device.work.get(), "copy the border of a table");
}

std::uint64_t systolic_distance(codes a, codes b, std::uint64_t sigma, const gpu_options& options) {
  using use = device_table::use;
  const gpu::device_scope scope(options.device);
  gpu_context& device = gpu::context_of<gpu_context>(options.device);
  cell_counter work(options.monitor, options.counting);
  const bool edit = options.metric == lcs_metric::edit;
  const auto symbols = static_cast<std::int64_t>(sigma);
  auto m = static_cast<std::int64_t>(a.size()), n = static_cast<std::int64_t>(b.size());
  if (!edit && options.helpers != nullptr && std::min(m, n) > 1 &&
      options.helpers->is_worthwhile_on_gpu(a.size(), b.size()))
    if (const auto length = length_with_helper(a, b, sigma, options, device, work))
      return static_cast<std::uint64_t>(m + n - 2 * *length);
  const value_plan chosen = plan_value(edit, m, n, symbols, device, options.form);
  const sweep_plan plan = require_plan(chosen.sweep);
  if (chosen.transposed) std::swap(a, b), std::swap(m, n);
  const std::uint64_t needed = device_table::bytes(m, n, use::value, plan.shape);
  const std::uint64_t allowed = gpu::device_memory_allowed(options.device_memory);
  if (needed > allowed)
    throw memory_error(
        fmt::format("lcs: engine systolic needs {} of device memory for these sequences, but only {} is "
                    "allowed",
                    format_size(needed), format_size(allowed)));
  const sweep_plan halves = plan_meet(m, n, symbols, device, options.form);
  const bool meet = options.form.words != 0 ? options.form.meet : halves.cycles < 0.9 * plan.cycles;
  if (meet && !edit && n > 1 && device_table::meet_bytes(m, n, halves) <= allowed) {
    device_table left(a, b.first(b.size() / 2), sigma, use::value, halves, device);
    device_table right(a, b.subspan(b.size() / 2), sigma, use::reversed_value, halves, device);
    work.expect(left.cells(2 * halves.strips, left.words()));
    return static_cast<std::uint64_t>(m + n - 2 * device_table::meet(left, right, work));
  }
  device_table table(a, b, sigma, use::value, plan, device);
  work.expect(table.cells(plan.strips, table.words()));
  table.sweep(table.job(), nullptr, 0, work);
  const std::int64_t sum = table.sum();
  return static_cast<std::uint64_t>(edit ? m + sum : m + n - 2 * sum);
}

edit_script systolic_path(codes a, codes b, std::uint64_t sigma, const gpu_options& options) {
  const gpu::device_scope scope(options.device);
  cell_counter work(options.monitor);
  edit_script path =
      path_finder(a, b, sigma, options, gpu::context_of<gpu_context>(options.device), work).find();
  work.finish();
  return path;
}

} // namespace weft::lcs_detail
