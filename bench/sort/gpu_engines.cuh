// The engines and yardsticks that the rows of sorts on the GPU measure.
#pragma once

#include <bench/sort/gpu_rows.cuh>
#include <initializer_list>
#include <weft/sort/sort.cuh>

namespace weft_bench {

using weft::gpu::detail::device_engine;

// The following types are engines for define_sort(): function objects that sort arrays in two phases as the
// functions of weft/sort/sort.cuh do. weft_engine is an engine of weft.
template <device_engine Engine> struct weft_engine {
  static constexpr bool sorts = true, stable = weft::gpu::detail::engine_is_stable<Engine>;
  template <class Key, class Value, class Less>
  cudaError_t operator()(void* d_temp, std::size_t& bytes, arrays<Key, Value>& at, Less less,
                         cudaStream_t stream) const {
    if constexpr (has_values<Value>)
      return weft::gpu::detail::sort_pairs<Engine>(d_temp, bytes, at.keys, at.values, at.n, less, stream);
    else
      return weft::gpu::detail::sort_items<Engine>(d_temp, bytes, at.keys, at.n, less, stream);
  }
};

// CUB's radix sort between two buffers, with counts of type `Count`.
template <class Count> struct cub_radix {
  static constexpr bool sorts = true, stable = true;
  template <class Key, class Value, class Less>
  cudaError_t operator()(void* d_temp, std::size_t& bytes, arrays<Key, Value>& at, Less,
                         cudaStream_t stream) const {
    using value = std::conditional_t<has_values<Value>, Value, cub::NullType>;
    constexpr int bits = sizeof(Key) * 8;
    auto* const values = reinterpret_cast<value*>(at.values);
    std::size_t radix_bytes = 0;
    cub::DoubleBuffer<Key> key_buffers(at.keys, nullptr);
    cub::DoubleBuffer<value> value_buffers(values, nullptr);
    const auto call = [&](void* d_own) {
      return weft::gpu::detail::call_radix<false>(d_own, radix_bytes, key_buffers, value_buffers,
                                                  at.template count<Count>(), bits, stream);
    };
    if (const cudaError_t status = call(nullptr)) return status;
    void* parts[3] = {};
    const std::size_t sizes[] = {at.n * sizeof(Key), has_values<Value> ? at.n * sizeof(Value) : 0,
                                 radix_bytes};
    const cudaError_t cut = weft::gpu::detail::cut_storage(d_temp, bytes, sizes, parts);
    if (cut != cudaSuccess || d_temp == nullptr) return cut;
    key_buffers = {at.keys, static_cast<Key*>(parts[0])};
    value_buffers = {values, static_cast<value*>(parts[1])};
    const cudaError_t status = call(parts[2]);
    at.keys = key_buffers.Current();
    at.values = reinterpret_cast<Value*>(value_buffers.Current());
    return status;
  }
};

// CUB's stable merge sort, with counts of type `Count`.
template <class Count> struct cub_merge {
  static constexpr bool sorts = true, stable = true;
  template <class Key, class Value, class Less>
  cudaError_t operator()(void* d_temp, std::size_t& bytes, arrays<Key, Value>& at, Less less,
                         cudaStream_t stream) const {
    const auto count = at.template count<Count>();
    if constexpr (has_values<Value>)
      return cub::DeviceMergeSort::StableSortPairs(d_temp, bytes, at.keys, at.values, count, less, stream);
    else
      return cub::DeviceMergeSort::StableSortKeys(d_temp, bytes, at.keys, count, less, stream);
  }
};

// Copies the items once, and does not sort them.
struct copy_items {
  static constexpr bool sorts = false, stable = false;
  template <class Key, class Value, class Less>
  cudaError_t operator()(void* d_temp, std::size_t& bytes, arrays<Key, Value>& at, Less,
                         cudaStream_t stream) const {
    const std::size_t key_bytes = at.n * sizeof(Key),
                      value_bytes = has_values<Value> ? at.n * sizeof(Value) : 0;
    if (d_temp == nullptr) bytes = key_bytes + value_bytes;
    if (d_temp == nullptr) return cudaSuccess;
    const cudaError_t status = cudaMemcpyAsync(d_temp, at.keys, key_bytes, cudaMemcpyDeviceToDevice, stream);
    if (status != cudaSuccess || value_bytes == 0) return status;
    return cudaMemcpyAsync(static_cast<char*>(d_temp) + key_bytes, at.values, value_bytes,
                           cudaMemcpyDeviceToDevice, stream);
  }
};

template <class Key, class Value, class Less>
void define_engines(const std::string& rest, distribution kind, std::uint64_t n, Less less) {
  const auto define = [&](const std::string& name, auto engine) {
    define_sort<Key, Value>("gpu/" + name + rest, kind, n, less, engine);
  };
  const bool counts_in_32_bits = n >> 32 == 0;
  define("copy", copy_items());
  define("automatic", weft_engine<device_engine::automatic_unstable>());
  if constexpr (has_values<Value> || !weft::gpu::detail::radix_sorts<Key, Less>)
    define("automatic-stable", weft_engine<device_engine::automatic>());
  constexpr bool carries = weft::gpu::detail::sample_sort_carries<Key, Value, Less>;
  if constexpr (has_values<Value> ? carries : !weft::gpu::detail::radix_sorts<Key, Less>)
    define("stable-sample-sort", weft_engine<device_engine::stable_sample_sort>());
  if constexpr (weft::gpu::detail::radix_sorts<Key, Less>) {
    define("radix", weft_engine<device_engine::radix>());
    if (counts_in_32_bits) define("cub-radix-32", cub_radix<std::uint32_t>());
    define("cub-radix-64", cub_radix<std::uint64_t>());
  }
  define("sample-merge", weft_engine<device_engine::sample_merge>());
  if constexpr (!has_values<Value> || carries)
    define("sample-sort", weft_engine<device_engine::sample_sort>());
  define("merge", weft_engine<device_engine::merge>());
  if (counts_in_32_bits) define("cub-merge-32", cub_merge<std::uint32_t>());
  define("cub-merge-64", cub_merge<std::uint64_t>());
}

struct named_size {
  const char* name;
  std::uint64_t items;
};

template <class Key, class Value = no_value, class Less = weft::ascending>
void define_type(const std::string& type, std::initializer_list<named_size> sizes, Less less = {}) {
  for (const named_distribution& each : distributions)
    for (const named_size& at : sizes)
      define_engines<Key, Value>("/" + type + "/" + each.name + "/" + at.name, each.kind, at.items, less);
}
inline constexpr std::initializer_list<named_size> usual_sizes = {
    {"2^12", 1 << 12}, {"2^16", 1 << 16}, {"2^18", 1 << 18},     {"2^20", 1 << 20}, {"2^22", 1 << 22},
    {"2^25", 1 << 25}, {"2^27", 1 << 27}, {"250M", 250'000'000}, {"2^28", 1 << 28}};

// Define rows in sort_gpu_pairs_bench.cu, sort_gpu_segments_bench.cu and sort_gpu_paper_bench.cu.
void define_pairs();
void define_segments();
void define_paper();

} // namespace weft_bench
