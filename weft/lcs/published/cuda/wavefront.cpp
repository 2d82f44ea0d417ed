// The host side of engine wavefront; wavefront.cu describes the algorithm.
#include <weft/lcs/published/cuda/wavefront.hpp>

#include <algorithm>
#include <bit>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/lcs/published/cuda/wavefront_recursion.hpp>

namespace weft::lcs_detail {

namespace {

// The number of launches between two checks of the monitor.
constexpr std::uint64_t launches_per_batch = 256;

int planes_of(codes a, codes b) {
  std::uint8_t all = 0;
  for (const codes text : {a, b})
    for (const std::uint8_t symbol : text) all |= symbol;
  return std::bit_width(static_cast<unsigned>(all));
}

// Holds both texts and all memory on the device during a call.
class device_sweeps {
public:
  device_sweeps(codes a, codes b, const gpu_options& options)
      : a_(a), b_(b), planes_(planes_of(a, b)),
        words_(static_cast<std::size_t>(wavefront_tiles(b.size()) * wavefront_tile_words)),
        progress_(options.monitor) {
    const std::uint64_t needed = a.size() + b.size() + 4 * words_ * sizeof(std::uint32_t);
    require_device_memory(needed, options.device_memory);
    try {
      allocate();
    } catch (const memory_error& failure) {
      throw memory_error(
          fmt::format("lcs: engine wavefront needs {} of device memory for these sequences: {}",
                      format_size(needed), failure.what()));
    }
    gpu::copy(d_a_.data(), a.data(), a.size(), stream_.get(), "copy a sequence to the GPU");
    gpu::copy(d_b_.data(), b.data(), b.size(), stream_.get(), "copy a sequence to the GPU");
  }

  cell_counter& progress_of_call() { return progress_; }

  // Returns the length of the LCS of both texts.
  std::uint64_t length() {
    sweep({0, a_.size(), 0, b_.size()}, 0);
    fetch(0, b_.size());
    return count_zero_bits(host_[0].data(), b_.size());
  }

  // Returns the smallest column in which an optimal path touches row m / 2.
  std::uint64_t split(const wavefront_part& part) {
    const std::uint64_t mid = part.m / 2;
    sweep({part.a_first, mid, part.b_first, part.n}, 0);
    sweep({part.a_first + mid, part.m - mid, part.b_first, part.n}, 1);
    fetch(0, part.n);
    fetch(1, part.n);
    return smallest_best_split(host_[0].data(), host_[1].data(), part.n);
  }

private:
  static void require_device_memory(std::uint64_t needed, std::uint64_t limit) {
    const std::uint64_t allowed = limit != 0 ? limit : gpu::free_device_memory();
    if (needed > allowed)
      throw memory_error(
          fmt::format("lcs: engine wavefront needs {} of device memory for these sequences, but only {} "
                      "is {}",
                      format_size(needed), format_size(allowed), limit != 0 ? "allowed" : "free"));
  }

  void allocate() {
    d_a_ = gpu::device_buffer<std::uint8_t>(a_.size(), stream_.get());
    d_b_ = gpu::device_buffer<std::uint8_t>(b_.size(), stream_.get());
    for (auto& vector : d_vector_) vector = gpu::device_buffer<std::uint32_t>(words_, stream_.get());
    d_carries_ = gpu::device_buffer<std::uint32_t>(2 * words_, stream_.get());
    for (auto& vector : host_) vector = gpu::pinned_buffer<std::uint32_t>(words_);
  }

  // Sweeps a part; `direction` is 0 for forward, 1 for backward. The vector of the direction is complete
  // when the stream is.
  void sweep(const wavefront_part& part, std::size_t direction) {
    const wavefront_sweep work{d_b_.data() + part.b_first,  part.n,
                               d_a_.data() + part.a_first,  part.m,
                               d_vector_[direction].data(), d_carries_.data()};
    const std::uint64_t diagonals = wavefront_diagonals(work), total = cells(part.m, part.n);
    std::uint64_t reported = 0;
    for (std::uint64_t d = 0; d < diagonals; ++d) {
      gpu::check(launch_wavefront(work, direction == 1, planes_, d, stream_.get()), "start an anti-diagonal");
      if ((d + 1) % launches_per_batch != 0) continue;
      stream_.wait();
      progress_.add(total / diagonals * launches_per_batch);
      reported += total / diagonals * launches_per_batch;
    }
    progress_.add(total - reported);
  }

  void fetch(std::size_t direction, std::uint64_t columns) {
    gpu::copy(host_[direction].data(), d_vector_[direction].data(), (columns + 31) / 32, stream_.get(),
              "copy a bit vector from the GPU");
    stream_.wait();
  }

  codes a_, b_;
  int planes_;
  std::size_t words_;
  cell_counter progress_;
  gpu::stream stream_; // declared before the buffers, which are freed in its order
  gpu::device_buffer<std::uint8_t> d_a_, d_b_;
  gpu::device_buffer<std::uint32_t> d_vector_[2], d_carries_;
  gpu::pinned_buffer<std::uint32_t> host_[2];
};

} // namespace

std::uint64_t wavefront_distance(codes a, codes b, const gpu_options& options, const small_distance& small) {
  if (a.empty() || b.empty()) return a.size() + b.size();
  if (std::min(a.size(), b.size()) < wavefront_smallest) return small(a, b);
  const gpu::device_scope device(options.device);
  device_sweeps sweeps(a, b, options);
  sweeps.progress_of_call().expect(cells(a.size(), b.size()));
  const std::uint64_t length = sweeps.length();
  sweeps.progress_of_call().finish();
  return a.size() + b.size() - 2 * length;
}

edit_script wavefront_path(codes a, codes b, const gpu_options& options, const small_path& small) {
  const wavefront_part all{0, a.size(), 0, b.size()};
  edit_script path;
  const auto solve = [&](const wavefront_part& part) {
    return small(a.subspan(part.a_first, part.m), b.subspan(part.b_first, part.n));
  };
  if (std::min(a.size(), b.size()) < wavefront_smallest) {
    divide(
        all, wavefront_smallest, [](const wavefront_part&) { return std::uint64_t{0}; }, solve, path);
    return path;
  }
  const gpu::device_scope device(options.device);
  device_sweeps sweeps(a, b, options);
  cell_counter& done = sweeps.progress_of_call();
  done.expect(cells(2 * a.size(), b.size()));
  divide(
      all, wavefront_smallest, [&](const wavefront_part& part) { return sweeps.split(part); },
      [&](const wavefront_part& part) {
        edit_script script = solve(part);
        done.add(cells(2 * part.m, part.n));
        return script;
      },
      path);
  done.finish();
  return path;
}

} // namespace weft::lcs_detail
