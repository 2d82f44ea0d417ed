// The plain version, which processes all segments at once:
//     segments = {all rows, depth 0}
//     while there are segments:
//         count:    how many rows of each segment are less than, equal to and greater than its pivot
//         scatter:  copy the rows, grouped into these three parts, from one array into another
//         segments = the parts of more than 32 rows; the '=' part is one symbol deeper. Smaller parts are
//                    sorted by one warp each, and are done
//
// Departures from the paper, each explained where it is implemented: prefix sums over tiles, not counters,
// determine where a tile's rows go (published/ternary_partition.hpp); small segments are compared by words,
// and in texts with repeats ranks replace symbols (published/ternary_level.hpp). All lists of segments are
// made on the device: the host reads five numbers per level.
//
// Source: Yamanaka, Ino & Hagihara, Fast Burrows-Wheeler Transform with CUDA.
#include <weft/bwt/published/cuda/ternary_quicksort.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/bwt/cuda/api_steps.hpp>
#include <weft/bwt/published/cuda/ternary_kernels.hpp>

namespace weft::bwt_detail {

namespace {

using gpu::device_buffer;

constexpr std::uint64_t levels_of_ranks = 16; // levels until ranks are computed anew
constexpr int small_rounds_of_ranks = 4;

// The time between two points of a stream.
class time_span {
public:
  time_span() {
    gpu::check(cudaEventCreate(&begin_), "make an event");
    if (const cudaError_t status = cudaEventCreate(&end_); status != cudaSuccess) {
      (void)cudaEventDestroy(begin_);
      gpu::check(status, "make an event");
    }
  }
  ~time_span() {
    (void)cudaEventDestroy(begin_);
    (void)cudaEventDestroy(end_);
  }
  time_span(const time_span&) = delete;
  time_span& operator=(const time_span&) = delete;
  void begin(cudaStream_t stream) { gpu::check(cudaEventRecord(begin_, stream), "mark a stream"); }
  void end(cudaStream_t stream) { gpu::check(cudaEventRecord(end_, stream), "mark a stream"); }
  [[nodiscard]] double milliseconds() const { // the stream must have reached the end
    float time = 0;
    gpu::check(cudaEventElapsedTime(&time, begin_, end_), "read the time");
    return static_cast<double>(time);
  }

private:
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

struct kernel_spans {
  time_span first, second;
};

// Capacities of the lists: segments of more rows than a small segment (and one more, because the first
// segment may be small), the tiles of these segments, and the small segments that a level can make.
struct list_sizes {
  std::uint64_t segments, tiles, small, tied_words;

  explicit list_sizes(std::uint64_t n)
      : segments(n / (small_segment_rows + 1) + 1), tiles(n / tile_rows + segments), small(3 * segments),
        tied_words(n / 32 + 2) {}
  template <class Index> [[nodiscard]] std::uint64_t bytes(std::uint64_t n) const {
    return n * sizeof(Index) + 2 * segments * sizeof(open_segment<Index>) + 2 * tiles * sizeof(Index) +
           small * sizeof(row_segment<Index>) + (tiles + 1) * sizeof(part_numbers<Index>) +
           2 * tied_words * sizeof(std::uint32_t) + sizeof(level_numbers);
  }
};

template <class Index> class level_sorter {
public:
  level_sorter(const row_text<Index>& text, std::uint64_t limit, Index* d_rows,
               const quicksort_options& options, cudaStream_t stream)
      : options_(options), stream_(stream), sizes_(text.size) {
    reserve_memory(sizes_.template bytes<Index>(text.size) + scan_bytes());
    for (int i = 0; i < 2; ++i) {
      segments_[i] = device_buffer<open_segment<Index>>(sizes_.segments, stream);
      segment_of_tile_[i] = device_buffer<Index>(sizes_.tiles, stream);
      tied_[i] = device_buffer<std::uint32_t>(sizes_.tied_words, stream);
    }
    rows_ = device_buffer<Index>(text.size, stream);
    small_ = device_buffer<row_segment<Index>>(sizes_.small, stream);
    sums_ = device_buffer<part_numbers<Index>>(sizes_.tiles + 1, stream);
    scan_memory_ = device_buffer<std::byte>(scan_bytes_, stream);
    d_numbers_ = device_buffer<level_numbers>(1, stream);
    clear(tied_[0].data(), tied_[0].bytes());
    state_ = {.text = text,
              .ranks = nullptr,
              .known = 0,
              .limit = static_cast<Index>(limit),
              .small_rounds = options.small_rounds,
              .from = d_rows,
              .to = rows_.data(),
              .result = d_rows,
              .now = {segments_[0].data(), segment_of_tile_[0].data()},
              .next = {segments_[1].data(), segment_of_tile_[1].data()},
              .small = small_.data(),
              .sums = sums_.data(),
              .tied = tied_[0].data(),
              .other_tied = tied_[1].data(),
              .numbers = d_numbers_.data()};
    if (options.times != nullptr) spans_.emplace();
  }

  void run() {
    kernels::start(state_, stream_);
    read_numbers();
    for (std::uint64_t left = options_.symbol_levels; is_open() || is_tied();) {
      if (options_.monitor != nullptr) options_.monitor->check();
      if ((left == 0 || !is_open()) && min_depth() > 0) {
        take_ranks();
        left = levels_of_ranks;
      }
      if (is_open()) {
        split_segments();
        left -= left > 0 ? 1 : 0;
      }
      read_numbers();
    }
  }

private:
  using kernels = level_kernels<Index>;

  [[nodiscard]] bool is_open() const { return numbers_.segments > 0; }
  [[nodiscard]] bool is_tied() const { return numbers_.tied_left > 0; }
  // Returns the minimal number of symbols in which rows that are not yet in order agree.
  [[nodiscard]] Index min_depth() const {
    return state_.limit - static_cast<Index>(std::max(numbers_.left, numbers_.tied_left));
  }

  void split_segments() {
    const std::uint64_t tiles = numbers_.tiles;
    clear(d_numbers_.data(), offsetof(level_numbers, tied_left));
    kernels::choose_pivots(state_, numbers_.segments, stream_);
    if (spans_) spans_->first.begin(stream_);
    kernels::count(state_, tiles, stream_);
    std::size_t bytes = scan_memory_.bytes();
    gpu::check(kernels::sum_parts(scan_memory_.data(), bytes, state_, tiles + 1, stream_), "add up tiles");
    if (spans_) spans_->first.end(stream_);
    if (spans_) spans_->second.begin(stream_);
    kernels::scatter(state_, tiles, stream_);
    if (spans_) spans_->second.end(stream_);
    kernels::make_next(state_, tiles, stream_);
    kernels::sort_small(state_, 3 * numbers_.segments, stream_);
    std::swap(state_.from, state_.to);
    std::swap(state_.now, state_.next);
    measured_ = spans_.has_value();
  }

  // Computes the ranks of all rows, by which rows are compared from here on. Also sorts tied rows by these
  // ranks.
  void take_ranks() {
    if (state_.ranks == nullptr) {
      reserve_memory(state_.text.size * sizeof(Index));
      ranks_ = device_buffer<Index>(state_.text.size, stream_);
      state_.ranks = ranks_.data();
      state_.small_rounds = small_rounds_of_ranks;
    }
    if (state_.from != state_.result) {
      kernels::copy_open(state_, numbers_.tiles, stream_);
      std::swap(state_.from, state_.to);
    }
    state_.known = min_depth();
    kernels::take_ranks(state_, numbers_.tiles, stream_);
    if (!is_tied()) return;
    const Index depth = state_.limit - static_cast<Index>(numbers_.tied_left);
    std::swap(state_.tied, state_.other_tied);
    clear(state_.tied, tied_[0].bytes());
    clear(&d_numbers_.data()->tied_left, sizeof(level_numbers::tied_left));
    kernels::sort_tied(state_, depth, stream_);
  }

  void read_numbers() {
    numbers_ = gpu::downloaded(d_numbers_.data(), stream_, "sort rows");
    if (!std::exchange(measured_, false)) return;
    options_.times->first += spans_->first.milliseconds();
    options_.times->second += spans_->second.milliseconds();
    ++options_.times->levels;
  }

  [[nodiscard]] std::uint64_t scan_bytes() {
    gpu::check(kernels::sum_parts(nullptr, scan_bytes_, state_, sizes_.tiles + 1, stream_), "add up tiles");
    return scan_bytes_;
  }

  void reserve_memory(std::uint64_t bytes) {
    reserved_ += bytes;
    if (options_.device_memory != 0)
      base_detail::require_device_memory(reserved_, options_.device_memory, "engine ternary-quicksort");
  }

  void clear(void* d_memory, std::size_t bytes) {
    gpu::check(cudaMemsetAsync(d_memory, 0, bytes, stream_), "clear memory of the GPU");
  }

  const quicksort_options& options_;
  cudaStream_t stream_;
  list_sizes sizes_;
  std::uint64_t reserved_ = 0;
  std::size_t scan_bytes_ = 0;
  device_buffer<open_segment<Index>> segments_[2];
  device_buffer<Index> segment_of_tile_[2], rows_, ranks_;
  device_buffer<std::uint32_t> tied_[2];
  device_buffer<row_segment<Index>> small_;
  device_buffer<part_numbers<Index>> sums_;
  device_buffer<std::byte> scan_memory_;
  device_buffer<level_numbers> d_numbers_;
  level_state<Index> state_{};
  level_numbers numbers_{};
  std::optional<kernel_spans> spans_;
  bool measured_ = false;
};

} // namespace

template <class Index>
void ternary_quicksort(const unsigned char* d_text, std::uint64_t n, bool cyclic, std::uint64_t depth_limit,
                       Index* d_rows, const quicksort_options& options, cudaStream_t stream) {
  require(n >> (sizeof(Index) == 4 ? 31 : 36) == 0, "ternary_quicksort: the text is too long");
  require(n == 0 || (d_text != nullptr && d_rows != nullptr),
          "ternary_quicksort: a pointer to a non-empty array is null");
  require(options.small_rounds > 0, "ternary_quicksort: small_rounds is at least 1");
  if (n == 0) return;
  level_sorter<Index>({d_text, static_cast<Index>(n), cyclic}, std::min(depth_limit, n), d_rows, options,
                      stream)
      .run();
}

template void ternary_quicksort(const unsigned char*, std::uint64_t, bool, std::uint64_t, std::uint32_t*,
                                const quicksort_options&, cudaStream_t);
template void ternary_quicksort(const unsigned char*, std::uint64_t, bool, std::uint64_t, std::uint64_t*,
                                const quicksort_options&, cudaStream_t);

} // namespace weft::bwt_detail
