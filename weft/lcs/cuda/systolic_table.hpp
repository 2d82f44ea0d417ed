// A table on the GPU, as the host side of engine systolic sees it: texts, the plan of a sweep, and waiting
// for it.
#pragma once

#include <weft/base/cuda/device_call.hpp>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/lcs/cuda/engines.hpp>
#include <weft/lcs/cuda/systolic_kernels.hpp>
#include <weft/lcs/entry/call.hpp>

namespace weft::lcs_detail {

// The data of a path's window (systolic.cpp) that go to the device, and those that come back.
inline constexpr int max_tiles = 512, max_slabs = 512;
struct window_staging {
  tile tiles[max_tiles];
  slab_band bands[max_slabs];
  walk_end end;
  std::uint32_t counts[max_slabs]; // of runs, for each slab that was walked
  std::int64_t first_run[max_slabs];
};

// The properties of a device on which the plan of a sweep depends.
struct device_limits {
  int device = 0, multiprocessors = 0, shared_memory = 0; // shared_memory: in bytes, for each block
};
// Reads the limits of a device. Neither throws nor waits for the device.
[[nodiscard]] cudaError_t limits_of(int device, device_limits& limits) noexcept;

// What a thread keeps of a device between calls; see gpu::context_of.
struct gpu_context : device_limits {
  // poll_stream reads how many strips a sweep has begun; download_stream reads paths while `work` goes on.
  gpu::stream work, poll_stream, download_stream;
  gpu::event started; // recorded when a sweep starts, after its ticket and stop flag were reset
  gpu::pinned_buffer<int> stop{1};
  gpu::device_buffer<int> device_stop;
  gpu::pinned_buffer<unsigned> ticket{1};
  gpu::pinned_buffer<long long> sum{1};
  gpu::pinned_buffer<window_staging> windows{2};
  gpu::pinned_buffer<std::uint32_t> runs[2]; // of the windows
  explicit gpu_context(int index);
};

// The shape and the launch of a sweep.
struct sweep_plan {
  kernel_shape shape;
  launch_shape launch;
  std::int64_t strips;
  double cycles; // an estimate
};
// Returns the fastest plan for m rows and n columns. `kept`: with checkpoints of v, which are replayed.
// strips = 0 means that no plan has the requested form.
[[nodiscard]] sweep_plan plan_sweep(bool edit, bool kept, std::int64_t m, std::int64_t n, std::int64_t sigma,
                                    const device_limits& device, const forced_form& form = {}) noexcept;
// The plan for a value of texts of m and n symbols. If `transposed`, the text of n symbols has the rows,
// because that sweep is faster.
struct value_plan {
  bool transposed;
  sweep_plan sweep;
};
[[nodiscard]] value_plan plan_value(bool edit, std::int64_t m, std::int64_t n, std::int64_t sigma,
                                    const device_limits& device, const forced_form& form = {}) noexcept;
// Returns the job of a whole table without checkpoints, except for its memory.
[[nodiscard]] table_job plain_job(const sweep_plan& plan, std::int64_t m, std::int64_t n, int sigma) noexcept;

// Returns the fastest plan for the two halves of meet.cu. Its strips are those of one half.
[[nodiscard]] sweep_plan plan_meet(std::int64_t m, std::int64_t n, std::int64_t sigma,
                                   const device_limits& device, const forced_form& form = {}) noexcept;

// A table in device memory, with the texts a (rows) and b (columns).
class device_table {
public:
  // What the table is used for. reversed_value: for a value, with both texts reversed. path: for a path,
  // with both texts reversed, and with checkpoints and replays.
  enum class use { value, reversed_value, path };
  device_table(codes a, codes b, std::uint64_t sigma, use what, const sweep_plan& plan, gpu_context& device);
  // Returns the bytes of device memory that the table needs while it is made: the texts and everything that
  // a sweep needs, without checkpoints.
  [[nodiscard]] static std::uint64_t bytes(std::int64_t m, std::int64_t n, use what,
                                           const kernel_shape& shape);

  [[nodiscard]] std::int64_t missing_rows() const { return missing_rows_; } // see table_job
  [[nodiscard]] int words() const { return words_; }                        // words of 32 columns
  [[nodiscard]] const std::uint8_t* rows() const { return rows_.data(); }
  [[nodiscard]] const std::uint8_t* columns() const { return columns_.data(); }
  // Returns the job of a sweep without checkpoints.
  [[nodiscard]] table_job job() const;
  // Returns the job with the columns in the form that the kernels that replay its tiles take.
  [[nodiscard]] table_job replay_job(table_job job) const;
  // Returns the number of cells that a sweep of `strips` strips fills over columns of `words` words;
  // progress counts such cells.
  [[nodiscard]] std::uint64_t cells(std::int64_t strips, std::int64_t words) const;
  // Runs a job from the tops kept at `tops`, or, if it is null, from the top of the table. Reports to the
  // monitor, can be cancelled, and waits for the end.
  void sweep(const table_job& job, const std::uint32_t* tops, int kept_words, cell_counter& work);
  // Sweeps both halves at once, of tables with the same shape and rows. Returns the length of the LCS
  // (meet.cu).
  [[nodiscard]] static std::int64_t meet(device_table& left, device_table& right, cell_counter& work);
  // Returns the bytes of device memory for both halves.
  [[nodiscard]] static std::uint64_t meet_bytes(std::int64_t m, std::int64_t n, const sweep_plan& halves);
  // Sweeps this table, which is one half, and writes its border to `last` (launch_half()). Calls check()
  // often meanwhile, and waits for the end.
  void sweep_half(std::uint32_t* last, cell_counter& work, const sweep_check& check);
  // Returns the length of the LCS from the borders of both halves, of which this table is one.
  [[nodiscard]] std::int64_t best_meeting(const std::uint32_t* last);
  // Returns the bytes of device memory for one half of m rows and n columns, and the borders of both.
  [[nodiscard]] static std::uint64_t half_bytes(std::int64_t m, std::int64_t n, use what,
                                                const sweep_plan& half);
  // Returns the sum of the differences below the last strip of the last sweep.
  [[nodiscard]] std::int64_t sum();

private:
  // Returns encoded columns.
  [[nodiscard]] gpu::device_buffer<std::uint32_t> encoded(const kernel_shape& shape) const;
  // Waits for a sweep of `tickets` strips that are as wide as the job's. Ends the sweep if check() throws.
  void watch(const table_job& job, std::int64_t tickets, cell_counter& work, const sweep_check& check = {});
  // Returns the number of words of 32 rows of all strips.
  [[nodiscard]] std::int64_t border_words() const { return plan_.strips * plan_.shape.strip_rows() / 32; }
  [[nodiscard]] std::int64_t read_sum(); // waits, and returns what the device has written to sum_

  gpu_context& device_;
  sweep_plan plan_;
  std::int64_t n_, missing_rows_;
  int sigma_, words_;
  gpu::device_buffer<std::uint8_t> rows_, columns_;
  gpu::device_buffer<std::uint32_t> encoded_, replay_encoded_; // columns
  gpu::device_buffer<unsigned long long> link_;
  gpu::device_buffer<unsigned> ticket_;
  gpu::device_buffer<long long> sum_;
};

} // namespace weft::lcs_detail
