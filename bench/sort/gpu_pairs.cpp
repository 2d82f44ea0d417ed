#include <bench/sort/gpu_pairs.hpp>

#include <bench/gpu_method.hpp>
#if defined(WEFT_WITH_CUDA)
#include <bench/sort/gpu_pair_sorts.hpp>
#endif

namespace weft::bench {

namespace {

struct named_sort {
  const char* name;
  pair_sort how;
  bool stable, yardstick;
};

// CUB's radix sort takes no comparator, and so does not sort records.
std::vector<named_sort> sorts_of(item_kind items) {
  std::vector<named_sort> sorts = {{"sort", pair_sort::weft, false, false},
                                   {"stable sort", pair_sort::weft_stable, true, false},
                                   {"CUB's merge sort", pair_sort::cub_merge, true, true}};
  if (items != item_kind::record16) sorts.push_back({"CUB's radix sort", pair_sort::cub_radix, true, true});
  return sorts;
}

#if defined(WEFT_WITH_CUDA)

struct item_bytes {
  std::size_t key, value; // of records, `key` is the whole record and `value` 0
};
constexpr item_bytes bytes_of(item_kind items) {
  return items == item_kind::u32_u32   ? item_bytes{4, 4}
         : items == item_kind::u64_u32 ? item_bytes{8, 4}
         : items == item_kind::u64_u64 ? item_bytes{8, 8}
                                       : item_bytes{16, 0};
}

// The input and the buffers to sort it, which all methods of a case share.
struct pair_buffers {
  item_kind kind;
  std::span<const std::byte> keys;
  std::uint64_t count = keys.size() / (kind == item_kind::u32_u32 ? 4 : 8);
  gpu::stream work = {};
  gpu::device_buffer<std::byte> d_input = gpu::uploaded(keys, work.get(), "copy the keys"),
                                d_keys{count * bytes_of(kind).key, work.get()},
                                d_values{count * bytes_of(kind).value, work.get()}, d_temporary = {};
  gpu::device_buffer<std::uint32_t> d_seen{count / 32 + 1, work.get()};
  gpu::device_buffer<unsigned long long> d_faults{1, work.get()};

  device_pairs prepare(std::size_t temporary_bytes) {
    if (d_temporary.size() < temporary_bytes) {
      d_temporary = {};
      d_temporary = gpu::device_buffer<std::byte>(temporary_bytes, work.get());
    }
    const device_pairs at = {d_keys.data(), d_values.data(), count};
    gpu::check(enqueue_pairs(kind, d_input.data(), at, work.get()), "make pairs");
    work.wait();
    return at;
  }
  [[nodiscard]] bool are_sorted(const device_pairs& at, bool stable) const {
    gpu::check(cudaMemsetAsync(d_seen.data(), 0, d_seen.bytes(), work.get()), "prepare a check");
    gpu::check(cudaMemsetAsync(d_faults.data(), 0, d_faults.bytes(), work.get()), "prepare a check");
    gpu::check(enqueue_check(kind, d_input.data(), at, stable, d_seen.data(), d_faults.data(), work.get()),
               "check pairs");
    return gpu::downloaded(d_faults.data(), work.get(), "read a check") == 0;
  }
};
using shared_buffers = std::shared_ptr<made_once<pair_buffers>>;

// Sorts the pairs in the shared buffers.
struct pair_memory {
  shared_buffers buffers;
  pair_sort how;
  bool stable;
  pair_buffers& shared = buffers->get();
  device_pairs at = {};
  std::size_t temporary_bytes = 0;

  void call(void* d_temp) {
    gpu::check(sort_pairs_by(how, shared.kind, d_temp, temporary_bytes, at, shared.work.get()), "sort pairs");
  }
  void prepare() {
    at = {shared.d_keys.data(), shared.d_values.data(), shared.count};
    if (temporary_bytes == 0) call(nullptr);
    at = shared.prepare(temporary_bytes);
  }
  void run() {
    call(shared.d_temporary.data());
    shared.work.wait();
  }
  [[nodiscard]] bool is_right() const { return shared.are_sorted(at, stable); }
};

#endif

} // namespace

#if defined(WEFT_WITH_CUDA)

std::vector<method> pairs_in_gpu_memory(item_kind items, const item_source& keys) {
  const auto buffers = std::make_shared<made_once<pair_buffers>>([=] {
    return std::unique_ptr<pair_buffers>(new pair_buffers{items, keys()});
  });
  std::vector<method> methods;
  for (const named_sort& each : sorts_of(items)) {
    methods.push_back(gpu_method<pair_memory>(each.name, known_gpus().unavailable, [=] {
      return std::unique_ptr<pair_memory>(new pair_memory{buffers, each.how, each.stable});
    }));
    methods.back().yardstick = each.yardstick;
  }
  return methods;
}

#else

std::vector<method> pairs_in_gpu_memory(item_kind items, const item_source&) {
  std::vector<method> methods;
  for (const named_sort& each : sorts_of(items)) {
    methods.push_back(no_gpu_method(each.name));
    methods.back().yardstick = each.yardstick;
  }
  return methods;
}

#endif

} // namespace weft::bench
