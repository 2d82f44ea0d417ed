// Sorts the numbers of several GPUs; weft/multi/nccl.hpp says how.
#include <weft/multi/nccl.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cub/device/device_merge.cuh>
#include <exception>
#include <optional>
#include <span>
#include <utility>
#include <vector>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/multi/cuts.hpp>
#include <weft/multi/sorted_parts.hpp>
#include <weft/sort/core/merge_runs.hpp>
#include <weft/sort/sort.cuh>

namespace weft::multi_detail {

namespace {

constexpr unsigned block_threads = 256;

unsigned blocks_for(std::size_t count) {
  return static_cast<unsigned>((count + block_threads - 1) / block_threads);
}

// The items of a rank that a bracket may cut: [low, high).
struct own_range {
  std::uint64_t low, high;
};

template <class T> __global__ void read_pivots(const T* items, pivot<T>* pivots, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) pivots[i].item = items[pivots[i].index];
}

// Counts the items before each pivot in the order by (item, rank, index), by binary search.
template <class T>
__global__ void search_pivots(const T* items, const pivot<T>* pivots, std::size_t count,
                              const own_range* ranges, std::uint32_t own_rank, std::uint64_t* before) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const pivot<T> at = pivots[i];
  if (at.rank == own_rank) {
    before[i] = at.index;
    return;
  }
  const ascending less;
  std::uint64_t low = ranges[at.bracket].low, high = ranges[at.bracket].high;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    const bool is_before = own_rank < at.rank ? !less(at.item, items[middle]) : less(items[middle], at.item);
    if (is_before)
      low = middle + 1;
    else
      high = middle;
  }
  before[i] = low;
}

// Sorted items in device memory, as a cut_search reads them.
template <class T> class sorted_device_items {
public:
  using item = T;
  sorted_device_items(const T* d_items, std::uint64_t count, cudaStream_t stream)
      : d_items_(d_items), count_(count), stream_(stream) {}

  [[nodiscard]] std::uint64_t size() const { return count_; }
  void read_items(std::span<pivot<T>> pivots) const {
    if (pivots.empty()) return;
    const gpu::device_buffer<pivot<T>> d_pivots =
        gpu::uploaded(std::span<const pivot<T>>(pivots), stream_, "copy pivots");
    read_pivots<<<blocks_for(pivots.size()), block_threads, 0, stream_>>>(d_items_, d_pivots.data(),
                                                                          pivots.size());
    gpu::check(cudaGetLastError(), "read pivots");
    gpu::copy(pivots.data(), d_pivots.data(), pivots.size(), stream_, "copy pivots");
    gpu::check(cudaStreamSynchronize(stream_), "read pivots");
  }
  [[nodiscard]] std::vector<std::uint64_t> count_before(std::span<const pivot<T>> pivots,
                                                        std::span<const bracket> brackets,
                                                        std::uint32_t own_rank) const {
    if (pivots.empty()) return {};
    std::vector<own_range> ranges;
    for (const bracket& each : brackets) ranges.push_back({each.low.own, each.high.own});
    const gpu::device_buffer<pivot<T>> d_pivots = gpu::uploaded(pivots, stream_, "copy pivots");
    const gpu::device_buffer<own_range> d_ranges =
        gpu::uploaded(std::span<const own_range>(ranges), stream_, "copy brackets");
    const gpu::device_buffer<std::uint64_t> d_before(pivots.size(), stream_);
    search_pivots<<<blocks_for(pivots.size()), block_threads, 0, stream_>>>(
        d_items_, d_pivots.data(), pivots.size(), d_ranges.data(), own_rank, d_before.data());
    gpu::check(cudaGetLastError(), "search for pivots");
    return gpu::downloaded(d_before.data(), pivots.size(), stream_, "search for pivots");
  }

private:
  const T* d_items_;
  std::uint64_t count_;
  cudaStream_t stream_;
};

// A sorted run in device memory.
template <class T> struct device_run {
  T* begin;
  std::uint64_t count;
};

// A device_merger merges sorted runs. Its storage and its kernels are in the memory of the GPU from the
// beginning: while an exchange waits for other ranks, loading a kernel could wait for the exchange, for ever.
template <class T> class device_merger {
public:
  // For runs of at most `max_items` together. Waits for the stream, in which the storage is released.
  device_merger(std::uint64_t max_items, cudaStream_t stream) {
    std::size_t bytes = 0;
    const device_run<T> largest{nullptr, std::max<std::uint64_t>(max_items, 2)};
    gpu::check(merge_pair(nullptr, bytes, largest, {nullptr, 0}, nullptr, stream), "merge sorted runs");
    temp_ = gpu::device_buffer<std::byte>(bytes, stream);
    const gpu::device_buffer<T> items(4, stream);
    merge_neighbours({{items.data(), 1}, {items.data() + 1, 1}}, items.data() + 2, stream);
    gpu::copy(items.data(), items.data() + 2, 1, stream, "copy a sorted run");
    gpu::check(cudaStreamSynchronize(stream), "merge sorted runs");
  }

  // Merges runs to `to`. Rounds before the last write to `other` and `to` in turn. No run may overlap them.
  void merge(std::vector<device_run<T>> runs, T* to, T* other, cudaStream_t stream) {
    if (runs.empty()) return;
    for (int round = std::max(sort_detail::num_merge_rounds(runs.size()), 1); round > 0; --round)
      runs = merge_neighbours(runs, round % 2 == 1 ? to : other, stream);
  }

private:
  static cudaError_t merge_pair(void* d_temp, std::size_t& bytes, device_run<T> a, device_run<T> b, T* to,
                                cudaStream_t stream) {
    return cub::DeviceMerge::MergeKeys(d_temp, bytes, a.begin, static_cast<std::int64_t>(a.count), b.begin,
                                       static_cast<std::int64_t>(b.count), to, ascending(), stream);
  }

  // Merges neighbours of the runs, and the last run with none if their number is odd, to `to`. Returns the
  // merged runs.
  std::vector<device_run<T>> merge_neighbours(const std::vector<device_run<T>>& runs, T* to,
                                              cudaStream_t stream) {
    std::vector<device_run<T>> merged;
    std::size_t bytes = temp_.size();
    for (std::size_t r = 0; r < runs.size(); r += 2) {
      const device_run<T> a = runs[r], b = r + 1 < runs.size() ? runs[r + 1] : device_run<T>{nullptr, 0};
      if (b.count == 0)
        gpu::copy(to, a.begin, a.count, stream, "copy a sorted run");
      else
        gpu::check(merge_pair(temp_.data(), bytes, a, b, to, stream), "merge sorted runs");
      merged.push_back({to, a.count + b.count});
      to += a.count + b.count;
    }
    return merged;
  }

  gpu::device_buffer<std::byte> temp_;
};

// A device_exchange makes the part of this rank out of the sorted items of all ranks.
//
// The stream of the communicator exchanges the groups, one after another. When a group has come, the host
// enqueues its merge in a second stream, while the next group is travelling. So no merge reads what a failed
// exchange has left. Two buffers hold received items; an exchange waits until the last merge has read its
// buffer.
template <class T> class device_exchange {
public:
  // Exchanges the items after `table`. If `puts_back`, copies the part to the items, whose number it must
  // have. All ranks construct it together. Throws memory_error on all ranks if one of them lacks the memory.
  device_exchange(multi::gpu_rank& own, T* d_items, const group_table& table, std::uint64_t part_size,
                  bool puts_back)
      : own_(own), d_items_(d_items), table_(table), puts_back_(puts_back) {
    std::uint64_t max_received = 0, max_group = 0;
    for (std::uint64_t g = 0; g < table.num_groups(); ++g) {
      std::uint64_t count = 0;
      for (std::uint64_t r = 0; r < table.num_ranks(); ++r) count += table.received(r, g);
      max_group = std::max(max_group, count);
      max_received = std::max(max_received, count - table.received(self(), g));
    }
    for (std::uint64_t r = 0; r < table.num_ranks(); ++r) num_put_back_.push_back(table.sent(r, 0).begin);
    multi::run_together(own.control, [&] {
      part_ = gpu::device_buffer<T>(part_size, own.stream);
      for (std::uint64_t g = 0; g < std::min<std::uint64_t>(table.num_groups(), 2); ++g)
        received_[g] = gpu::device_buffer<T>(max_received, own.stream);
      if (table.num_ranks() > 2) between_rounds_ = gpu::device_buffer<T>(max_group, own.stream);
      merger_.emplace(max_group, own.stream);
    });
  }

  // Returns the part. Waits for both streams.
  gpu::device_buffer<T> run() {
    exchange(0);
    for (std::uint64_t g = 0; g < table_.num_groups(); ++g) {
      if (g + 1 < table_.num_groups()) exchange(g + 1);
      own_.device.wait_for(has_come_[g % 2]);
      merge(g);
      if (puts_back_) put_back(g);
    }
    merging_.wait();
    return std::move(part_);
  }

private:
  [[nodiscard]] std::uint64_t self() const { return static_cast<std::uint64_t>(own_.control.rank()); }

  // Enqueues the exchange of a group. Items that stay on this rank are no part of it.
  void exchange(std::uint64_t group) {
    if (group >= 2)
      gpu::check(cudaStreamWaitEvent(own_.stream, is_merged_[group % 2].get(), 0), "wait for a merge");
    std::vector<std::span<const std::byte>> pieces(table_.num_ranks());
    std::vector<std::uint64_t> bytes(table_.num_ranks());
    std::uint64_t count = 0;
    for (std::uint64_t r = 0; r < table_.num_ranks(); ++r) {
      if (r == self()) continue;
      const item_range sent = table_.sent(r, group);
      pieces[r] = std::as_bytes(std::span<const T>(d_items_ + sent.begin, sent.size()));
      bytes[r] = table_.received(r, group) * sizeof(T);
      count += table_.received(r, group);
    }
    const std::span<T> received(received_[group % 2].data(), count);
    own_.device.enqueue_all_to_all(pieces, std::as_writable_bytes(received), bytes);
    has_come_[group % 2].record(own_.stream);
  }

  // Enqueues the merge of a group that has come.
  void merge(std::uint64_t group) {
    std::vector<device_run<T>> runs;
    T* received = received_[group % 2].data();
    T* const to = part_.data() + num_merged_;
    for (std::uint64_t r = 0; r < table_.num_ranks(); ++r) {
      const std::uint64_t count = table_.received(r, group);
      if (count > 0) runs.push_back({r == self() ? d_items_ + table_.sent(r, group).begin : received, count});
      if (r != self()) received += count;
      num_merged_ += count;
    }
    merger_->merge(std::move(runs), to, between_rounds_.data(), merging_.get());
    is_merged_[group % 2].record(merging_.get());
  }

  // Enqueues copies of merged items to where all items have been sent or merged, up to this group. The own
  // items for each rank are one interval, which the groups leave from its begin on.
  void put_back(std::uint64_t group) {
    for (std::uint64_t r = 0; r < table_.num_ranks(); ++r) {
      std::uint64_t& begin = num_put_back_[r];
      const std::uint64_t end = std::min(num_merged_, table_.sent(r, group).end);
      if (end <= begin) continue;
      gpu::copy(d_items_ + begin, part_.data() + begin, end - begin, merging_.get(),
                "copy the sorted numbers");
      begin = end;
    }
  }

  multi::gpu_rank& own_;
  T* const d_items_;
  const group_table& table_;
  const bool puts_back_;
  gpu::device_buffer<T> part_, received_[2], between_rounds_;
  std::optional<device_merger<T>> merger_;
  std::vector<std::uint64_t> num_put_back_; // the end of what has been copied of the interval of each rank
  std::uint64_t num_merged_ = 0;            // items of the part whose merge has been enqueued
  gpu::event has_come_[2], is_merged_[2];   // of the group in each buffer
  gpu::stream merging_; // is destroyed first, so that the merges have ended when the buffers are released
};

// Calls step(). If it throws, the exchange fails on all ranks.
template <class Step> auto run_or_fail(multi::gpu_rank& own, const Step& step) {
  try {
    return step();
  } catch (...) {
    own.control.fail(multi::describe_failure(std::current_exception(), own.control.rank()));
    own.device.abort();
    throw;
  }
}

// Measures the time since the last call, or since the object was made.
class lap_clock {
public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
  }

private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Sorts the items of all ranks. Returns the part of this rank, and if `puts_back`, copies it to the items,
// too. With one rank, sorts the items in place, and returns nothing.
template <class T>
gpu::device_buffer<T> sorted_device_part(multi::gpu_rank& own, T* d_items, std::uint64_t num_items,
                                         multi::sizes wanted, bool puts_back,
                                         const multi::gpu_sort_options& options) {
  multi::gpu_sort_times ignored;
  multi::gpu_sort_times& times = options.times != nullptr ? *options.times : ignored;
  times = {};
  lap_clock clock;
  multi::run_together(own.control, [&] {
    gpu::sort(d_items, num_items, ascending(), own.stream);
    gpu::check(cudaStreamSynchronize(own.stream), "sort numbers");
  });
  times.local_sort = clock.lap();
  if (own.control.size() == 1) return {};
  const part_plan plan = part_plan::of(part_sizes(own.control, num_items, wanted), sizeof(T),
                                       std::max<std::uint64_t>(options.min_group_bytes, 1));
  const group_table table = run_or_fail(own, [&] {
    const run_options run;
    const std::vector<cut_target> targets = plan.targets();
    cut_search search(own.control, sorted_device_items<T>(d_items, num_items, own.stream),
                      std::span<const cut_target>(targets), run);
    return group_table(own.control, plan, search.run(), num_items);
  });
  times.cut_search = clock.lap();
  const std::uint64_t part_size = plan.part_sizes[static_cast<std::size_t>(own.control.rank())];
  device_exchange<T> exchange(own, d_items, table, part_size, puts_back);
  gpu::device_buffer<T> part = run_or_fail(own, [&] { return exchange.run(); });
  times.exchange = clock.lap();
  return part;
}

} // namespace

} // namespace weft::multi_detail

namespace weft::multi {

template <class T>
void sort(gpu_rank& own, T* d_items, std::uint64_t num_items, const gpu_sort_options& options) {
  (void)multi_detail::sorted_device_part(own, d_items, num_items, sizes::keep, true, options);
}

template <class T>
void sort(gpu_rank& own, weft::gpu::device_buffer<T>& items, sizes wanted, const gpu_sort_options& options) {
  auto part = multi_detail::sorted_device_part(own, items.data(), items.size(), wanted, false, options);
  if (own.control.size() > 1) items = std::move(part);
}

#define WEFT_SORTS_ON_GPUS(T)                                                                                \
  template void sort(gpu_rank&, T*, std::uint64_t, const gpu_sort_options&);                                 \
  template void sort(gpu_rank&, weft::gpu::device_buffer<T>&, sizes, const gpu_sort_options&);
WEFT_SORTS_ON_GPUS(std::uint32_t)
WEFT_SORTS_ON_GPUS(std::uint64_t)
WEFT_SORTS_ON_GPUS(std::int32_t)
WEFT_SORTS_ON_GPUS(std::int64_t)
WEFT_SORTS_ON_GPUS(float)
WEFT_SORTS_ON_GPUS(double)
#undef WEFT_SORTS_ON_GPUS

} // namespace weft::multi
