// A table on the GPU as the host side of engine systolic sees it: texts, the plan of its sweep, waiting.
#pragma once

#include <weft/base/cuda/device_context.hpp>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/lcs/cuda/engines.hpp>
#include <weft/lcs/cuda/systolic_kernels.hpp>
#include <weft/lcs/entry/engine_basics.hpp>

namespace weft::lcs_cuda {

// A window of a path (systolic.cpp) as it is given to the device, and what comes back of it.
inline constexpr int max_tiles = 512, max_slabs = 512;
struct window_staging {
  tile tiles[max_tiles];
  slab_band bands[max_slabs];
  walk_end end;
  std::uint32_t counts[max_slabs]; // of runs, a slab walked
  std::int64_t first_run[max_slabs];
};

// What a sweep's plan depends on.
struct device_limits {
  int device = 0, multiprocessors = 0, shared_memory = 0; // bytes a block
};
// Neither throws nor waits for the device.
[[nodiscard]] cudaError_t limits_of(int device, device_limits& limits) noexcept;

// What a thread keeps of a device between calls, see gpu::context_of.
struct gpu_context : device_limits {
  gpu::stream work, look, back; // look: to see how far the work has come; back: paths, behind the work
  gpu::event started;           // a sweep: its ticket and its stop are what they should be at its start
  gpu::pinned_buffer<int> stop{1};
  gpu::device_buffer<int> device_stop;
  gpu::pinned_buffer<unsigned> ticket{1};
  gpu::pinned_buffer<long long> sum{1};
  gpu::pinned_buffer<window_staging> windows{2};
  gpu::pinned_buffer<std::uint32_t> runs[2]; // of the windows
  explicit gpu_context(int index);
};

struct sweep_plan {
  kernel_shape shape;
  launch_shape launch;
  std::int64_t strips;
  double cycles; // about
};
// The quickest for m rows and n columns; kept: with checkpoints of v and to be replayed. strips = 0: there is
// none of the form that is wanted.
[[nodiscard]] sweep_plan plan_sweep(bool edit, bool kept, std::int64_t m, std::int64_t n, std::int64_t sigma,
                                    const device_limits& device, const wanted_form& form = {}) noexcept;
// Of a value of texts of m and n symbols: whether those of n are the rows, for the quicker sweep.
struct value_plan {
  bool turned;
  sweep_plan sweep;
};
[[nodiscard]] value_plan plan_value(bool edit, std::int64_t m, std::int64_t n, std::int64_t sigma,
                                    const device_limits& device, const wanted_form& form = {}) noexcept;
// The sweep of all of a table without checkpoints, but for where its memory is.
[[nodiscard]] table_job plain_job(const sweep_plan& plan, std::int64_t m, std::int64_t n, int sigma) noexcept;

// The quickest for the two halves of meet.cu: strips of one half.
[[nodiscard]] sweep_plan plan_meet(std::int64_t m, std::int64_t n, std::int64_t sigma,
                                   const device_limits& device, const wanted_form& form = {}) noexcept;

class device_table {
public:
  // Rows a, columns b; reversed: of both from the last symbol on, for a path: kept, and to be replayed.
  enum class use { value, reversed_value, path };
  device_table(codes a, codes b, std::uint64_t sigma, use what, const sweep_plan& plan, gpu_context& device);
  // Bytes of device memory while it is made, of texts and all that a sweep needs without checkpoints.
  [[nodiscard]] static std::uint64_t bytes(std::int64_t m, std::int64_t n, use what,
                                           const kernel_shape& shape);

  [[nodiscard]] std::int64_t above() const { return above_; } // rows of the first strip that do not exist
  [[nodiscard]] int words() const { return words_; }          // of 32 columns
  [[nodiscard]] const std::uint8_t* rows() const { return rows_.data(); }
  [[nodiscard]] const std::uint8_t* columns() const { return columns_.data(); }
  // Without checkpoints.
  [[nodiscard]] table_job job() const;
  // A job as the kernels that replay its tiles take it.
  [[nodiscard]] table_job of_replay(table_job job) const;
  // That a sweep of so many strips fills, over columns of so many words: progress is counted in these.
  [[nodiscard]] std::uint64_t cells(std::int64_t strips, std::int64_t words) const;
  // Runs a job from the tops kept at `tops`, or (null) from the top of the table, tells the monitor and can
  // be cancelled; waits for the end.
  void sweep(const table_job& job, const std::uint32_t* tops, int kept_words, progress& work);
  // Both halves at once, of tables of the same shape and rows: the length of the LCS (meet.cu).
  [[nodiscard]] static std::int64_t meet(device_table& left, device_table& right, progress& work);
  // Bytes of device memory for both halves.
  [[nodiscard]] static std::uint64_t meet_bytes(std::int64_t m, std::int64_t n, const sweep_plan& halves);
  // The sum of the differences below the last strip of the last sweep.
  [[nodiscard]] std::int64_t sum();

private:
  [[nodiscard]] gpu::device_buffer<std::uint32_t> encoded(const kernel_shape& shape) const; // columns
  // tickets: of strips as wide as the job's.
  void watch(const table_job& job, std::int64_t tickets, progress& work);
  [[nodiscard]] std::int64_t read_sum(); // what the device has put into sum_; waits

  gpu_context& device_;
  sweep_plan plan_;
  std::int64_t n_, above_;
  int sigma_, words_;
  gpu::device_buffer<std::uint8_t> rows_, columns_;
  gpu::device_buffer<std::uint32_t> encoded_, replay_encoded_; // columns
  gpu::device_buffer<unsigned long long> link_;
  gpu::device_buffer<unsigned> ticket_;
  gpu::device_buffer<long long> sum_;
};

} // namespace weft::lcs_cuda
