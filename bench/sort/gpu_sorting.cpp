// The methods that sort device memory.
#include <bench/gpu.hpp>
#include <bench/gpu_method.hpp>
#include <optional>
#include <weft/base/error.hpp>
#include <weft/io/checksum.hpp>
#include <weft/sort/core/number_key.hpp>
#if defined(WEFT_WITH_CUDA)
#include <bench/sort/gpu_pair_sorts.hpp>
#include <bench/sort/gpu_sorts.hpp>
#include <weft/sort/cuda/number_sort.hpp>
#endif

namespace weft::bench {

namespace {

// A range of steps of a sort, from first to last (inclusive).
struct step_range {
  std::string name;
  std::size_t first, last;
};

// Returns each step, and all steps together. A single bucket only needs the steps from tile_sort on.
std::vector<step_range> step_ranges(std::uint32_t num_buckets) {
  std::vector<step_range> ranges;
  for (std::size_t step = 0; step < sort_step_names.size(); ++step)
    if (num_buckets > 1 || step >= static_cast<std::size_t>(sort_step::tile_sort))
      ranges.push_back({sort_step_names[step], step, step});
  ranges.push_back({"in all", 0, sort_step_names.size() - 1});
  return ranges;
}

// Names of the methods that are compared with weft's engine.
constexpr const char *cub_radix_name = "CUB's radix sort", *cub_merge_name = "CUB's merge sort",
                     *published_name = "sample-merge (published)";
bool has_peers(number_type type) { return weft::sort_detail::is_plain(type) && type.bytes >= 4; }
bool has_published(number_type type) { return has_peers(type) && type.bytes <= 8; }

// The segmented sorts, by their numbers in segment_sort.
constexpr const char* segment_sort_names[] = {"segmented_sort", "CUB's segmented sort",
                                              "CUB's segmented radix sort"};
// Returns how many of the segmented sorts give the right answer: CUB's radix sort does not for 2^31 items.
constexpr std::size_t num_segment_sorts(std::uint64_t num_items) { return num_items >> 31 == 0 ? 3 : 2; }

#if defined(WEFT_WITH_CUDA)

void check_sort(cudaError_t status) {
  if (status == cudaErrorNotSupported)
    throw error(errc::unavailable, "the blocks of this GPU have too little shared memory");
  gpu::check(status, "sort");
}

// The items and the buffers to sort them, which all methods of a case share.
struct sort_buffers {
  std::span<const std::byte> items;
  gpu::stream work = {};
  gpu::device_buffer<std::byte> d_input = gpu::uploaded(items, work.get(), "copy items"),
                                d_items{items.size(), work.get()}, d_temporary = {};
  gpu::device_buffer<unsigned long long> d_sum{1, work.get()};
  // Fingerprint and digest of the answer that was copied to the host last.
  std::optional<unsigned long long> fingerprint = {};
  std::uint64_t last_digest = 0;

  void prepare(std::size_t temporary_bytes) {
    if (d_temporary.size() < temporary_bytes) {
      d_temporary = {};
      d_temporary = gpu::device_buffer<std::byte>(temporary_bytes, work.get());
    }
    gpu::copy(d_items.data(), d_input.data(), items.size(), work.get(), "copy items");
  }
  // Returns the digest of the sorted items in `d_sorted`. It is computed on the host, and copying many items
  // takes longer than sorting them; so an answer with the fingerprint of the last one gets the last digest
  // without a copy.
  [[nodiscard]] std::uint64_t digest(const void* d_sorted) {
    gpu::check(cudaMemsetAsync(d_sum.data(), 0, d_sum.bytes(), work.get()), "prepare a sum");
    gpu::check(enqueue_fingerprint(static_cast<const std::uint32_t*>(d_sorted),
                                   items.size() / sizeof(std::uint32_t), d_sum.data(), work.get()),
               "sum items");
    const unsigned long long sum = gpu::downloaded(d_sum.data(), work.get(), "read a sum");
    if (fingerprint == sum) return last_digest;
    const auto sorted =
        gpu::downloaded(static_cast<const std::byte*>(d_sorted), items.size(), work.get(), "copy items");
    last_digest = io::checksum({reinterpret_cast<const char*>(sorted.data()), sorted.size()});
    fingerprint = sum;
    return last_digest;
  }
};
using shared_buffers = std::shared_ptr<made_once<sort_buffers>>;

shared_buffers buffers_of(const item_source& items) {
  return std::make_shared<made_once<sort_buffers>>(
      [items] { return std::unique_ptr<sort_buffers>(new sort_buffers{items()}); });
}

// A sort that is called in two phases: with null storage for the size, then to sort. It sets `d_items` if the
// result is elsewhere.
using sort_call = std::function<cudaError_t(void* d_temp, std::size_t& bytes, void*& d_items,
                                            std::size_t items_bytes, cudaStream_t stream)>;

// Sorts the items in the shared buffers.
struct sort_memory {
  shared_buffers buffers;
  sort_call sort;
  sort_buffers& at = buffers->get();
  std::size_t temporary_bytes = 0;
  void* d_answer = nullptr; // the items, which the sort may have moved

  void call(void* d_temp) {
    d_answer = at.d_items.data();
    check_sort(sort(d_temp, temporary_bytes, d_answer, at.items.size(), at.work.get()));
  }
  void prepare() {
    if (temporary_bytes == 0) call(nullptr);
    at.prepare(temporary_bytes);
    d_answer = at.d_items.data();
    at.work.wait();
  }
  void run() {
    call(at.d_temporary.data());
    at.work.wait();
  }
  [[nodiscard]] std::uint64_t digest() const { return at.digest(d_answer); }
};

method sort_method(const std::string& name, const std::string& unavailable_reason,
                   const shared_buffers& buffers, const sort_call& call) {
  return gpu_method<sort_memory>(name, unavailable_reason, [=] {
    return std::unique_ptr<sort_memory>(new sort_memory{buffers, call});
  });
}

sort_call call_of(gpu_sort how, std::size_t item_bytes, const sample_merge_switches& switches = {}) {
  return [=](void* d_temp, std::size_t& bytes, void*& d_items, std::size_t items_bytes, cudaStream_t stream) {
    return sort_by(how, switches, item_bytes, d_temp, bytes, d_items, items_bytes / item_bytes, stream);
  };
}

// A sort that is run step by step. The steps from first to last are timed between two events in the stream.
struct steps_memory {
  shared_buffers buffers;
  sort_buffers& at = buffers->get();
  std::size_t first, last;
  std::unique_ptr<sample_merge_steps> steps;
  std::size_t temporary_bytes = 0;
  event_timer clock = {};

  steps_memory(const shared_buffers& shared, std::size_t item_bytes, std::uint32_t num_buckets,
               std::size_t first_step, std::size_t last_step)
      : buffers(shared), first(first_step), last(last_step),
        steps(make_sample_merge_steps(num_buckets, item_bytes, at.d_items.data(),
                                      at.items.size() / item_bytes, at.work.get())) {
    check_sort(steps->set_memory(nullptr, temporary_bytes));
  }

  void enqueue(std::size_t from, std::size_t to) const {
    for (std::size_t step = from; step < to; ++step) check_sort(steps->run(static_cast<sort_step>(step)));
  }
  void prepare() {
    at.prepare(temporary_bytes);
    check_sort(steps->set_memory(at.d_temporary.data(), temporary_bytes));
    enqueue(0, first);
    at.work.wait();
  }
  void run() const {
    clock.begin(at.work.get());
    enqueue(first, last + 1);
    clock.end(at.work.get());
    at.work.wait();
  }
  [[nodiscard]] double seconds() const { return clock.seconds(); }
  [[nodiscard]] std::uint64_t digest() const {
    enqueue(last + 1, sort_step_names.size());
    return at.digest(at.d_items.data());
  }
};

#endif

} // namespace

#if defined(WEFT_WITH_CUDA)

std::vector<method> sorts_in_gpu_memory(const std::string& engine, const std::string& unavailable_reason,
                                        const item_source& items, number_type type) {
  std::vector<method> methods;
  const shared_buffers buffers = buffers_of(items);
  const auto add = [&](const std::string& name, const sort_call& call, bool yardstick) {
    methods.push_back(sort_method(name, unavailable_reason, buffers, call));
    methods.back().yardstick = yardstick;
  };
  add(
      engine,
      [type](void* d_temp, std::size_t& bytes, void*& d_items, std::size_t items_bytes, cudaStream_t stream) {
        return sort_detail::sort_typed_numbers(d_temp, bytes, d_items, false, nullptr,
                                               items_bytes / type.bytes, type, stream);
      },
      false);
  if (!has_peers(type)) return methods;
  add(cub_radix_name, call_of(gpu_sort::cub_radix, type.bytes), true);
  add(cub_merge_name, call_of(gpu_sort::cub_merge, type.bytes), true);
  if (has_published(type)) add(published_name, call_of(gpu_sort::sample_merge, type.bytes), false);
  return methods;
}

std::vector<method> segment_sorts_in_gpu_memory(const item_source& items, const offset_source& offsets,
                                                std::uint64_t num_items) {
  const shared_buffers buffers = buffers_of(items);
  using offset_buffer = gpu::device_buffer<std::uint64_t>;
  const auto d_offsets = std::make_shared<made_once<offset_buffer>>([=] {
    return std::make_unique<offset_buffer>(
        gpu::uploaded(offsets(), buffers->get().work.get(), "copy the offsets"));
  });
  std::vector<method> methods;
  for (std::size_t i = 0; i < num_segment_sorts(num_items); ++i) {
    const auto call = [=](void* d_temp, std::size_t& bytes, void*& d_items, std::size_t,
                          cudaStream_t stream) {
      device_segments at = {static_cast<std::uint64_t*>(d_items), num_items, d_offsets->get().data(),
                            d_offsets->get().size() - 1};
      const cudaError_t status = sort_segments_by(static_cast<segment_sort>(i), d_temp, bytes, at, stream);
      d_items = at.d_items;
      return status;
    };
    methods.push_back(sort_method(segment_sort_names[i], known_gpus().unavailable, buffers, call));
    methods.back().yardstick = i > 0;
  }
  return methods;
}

std::vector<method>
sample_merges_in_gpu_memory(const std::vector<std::pair<std::string, sample_merge_switches>>& named,
                            const item_source& items, std::size_t item_bytes) {
  const shared_buffers buffers = buffers_of(items);
  std::vector<method> methods;
  for (const auto& [name, switches] : named)
    methods.push_back(sort_method(name, known_gpus().unavailable, buffers,
                                  call_of(gpu_sort::sample_merge, item_bytes, switches)));
  return methods;
}

std::vector<method> sample_merge_steps_in_gpu_memory(std::uint32_t num_buckets, const item_source& items,
                                                     std::size_t item_bytes) {
  const shared_buffers buffers = buffers_of(items);
  std::vector<method> methods;
  for (const step_range& each : step_ranges(num_buckets)) {
    methods.push_back(gpu_method<steps_memory>(each.name, known_gpus().unavailable, [=] {
      return std::make_unique<steps_memory>(buffers, item_bytes, num_buckets, each.first, each.last);
    }));
    methods.back().step = true;
  }
  return methods;
}

#else

std::vector<method> sorts_in_gpu_memory(const std::string& engine, const std::string&, const item_source&,
                                        number_type type) {
  std::vector<method> methods = {no_gpu_method(engine)};
  if (has_peers(type))
    for (const char* const name : {cub_radix_name, cub_merge_name}) methods.push_back(no_gpu_method(name));
  if (has_published(type)) methods.push_back(no_gpu_method(published_name));
  return methods;
}
std::vector<method> segment_sorts_in_gpu_memory(const item_source&, const offset_source&,
                                                std::uint64_t num_items) {
  std::vector<method> methods;
  for (std::size_t i = 0; i < num_segment_sorts(num_items); ++i)
    methods.push_back(no_gpu_method(segment_sort_names[i]));
  return methods;
}
std::vector<method>
sample_merges_in_gpu_memory(const std::vector<std::pair<std::string, sample_merge_switches>>& named,
                            const item_source&, std::size_t) {
  std::vector<method> methods;
  for (const auto& each : named) methods.push_back(no_gpu_method(each.first));
  return methods;
}
std::vector<method> sample_merge_steps_in_gpu_memory(std::uint32_t num_buckets, const item_source&,
                                                     std::size_t) {
  std::vector<method> methods;
  for (const step_range& each : step_ranges(num_buckets)) methods.push_back(no_gpu_method(each.name));
  return methods;
}

#endif

} // namespace weft::bench
