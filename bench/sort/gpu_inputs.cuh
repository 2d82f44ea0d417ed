// Inputs for sorts on the GPU, made there, and the check of what came out.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/mixed.hpp>
#include <weft/sort/core/ordered_bits.hpp>

namespace weft_bench {

struct no_value {};
struct record16 {
  std::uint64_t key, payload;
};
struct record_less {
  WEFT_HOST_DEVICE bool operator()(const record16& a, const record16& b) const { return a.key < b.key; }
};

enum class distribution {
  uniform,
  normal,
  exponential,
  zipf,
  sorted,
  reversed,
  few,
  equal,
  entropy_544,
  entropy_201,
  misleading // uniform, but for what engine sample-merge samples: that is the least of all
};
struct named_distribution {
  const char* name;
  distribution kind;
};
inline constexpr named_distribution distributions[] = {{"uniform", distribution::uniform},
                                                       {"normal", distribution::normal},
                                                       {"exponential", distribution::exponential},
                                                       {"zipf", distribution::zipf},
                                                       {"sorted", distribution::sorted},
                                                       {"reversed", distribution::reversed},
                                                       {"16-distinct", distribution::few},
                                                       {"all-equal", distribution::equal},
                                                       {"entropy-0.544", distribution::entropy_544},
                                                       {"entropy-0.201", distribution::entropy_201}};

// The numbers that splitmix64 gives one after another, counted by i.
WEFT_HOST_DEVICE inline std::uint64_t hash(std::uint64_t i, std::uint64_t seed) {
  return weft::detail::mixed(i * 0x9e3779b97f4a7c15 + seed * 0xd1342543de82ef95);
}
// 1 of 2^words bits is set.
WEFT_HOST_DEVICE inline std::uint64_t sparse(std::uint64_t i, std::uint64_t seed, int words) {
  std::uint64_t bits = ~std::uint64_t{0};
  for (int w = 0; w < words; ++w) bits &= hash(i, seed + static_cast<std::uint64_t>(w));
  return bits;
}
// x in [0, 1), else the nearest to it, of 64 bits.
__device__ inline std::uint64_t of_range(double x) {
  return static_cast<std::uint64_t>(fmin(fmax(x, 0.0), 1 - 0x1p-53) * 0x1p64);
}
__device__ inline double unit(std::uint64_t bits) { return static_cast<double>((bits >> 11) + 1) * 0x1p-53; }

WEFT_HOST_DEVICE constexpr bool is_small(distribution kind) {
  return kind == distribution::zipf || kind == distribution::few || kind == distribution::equal;
}

// Item i of n: a number below 2^30 if is_small(kind), else spread over 64 bits.
__device__ inline std::uint64_t draw(distribution kind, std::uint64_t i, std::uint64_t n,
                                     std::uint64_t seed) {
  switch (kind) {
  case distribution::uniform:
  case distribution::misleading:
    return hash(i, seed);
  case distribution::normal: // mean 1/2, deviation 1/8 of the range
    return of_range(0.5 + sqrt(-2 * log(unit(hash(i, seed)))) * cospi(2 * unit(hash(i, ~seed))) / 8);
  case distribution::exponential: // mean 1/16 of the range
    return of_range(-log(unit(hash(i, seed))) / 16);
  case distribution::zipf:
    return 1'000'000'000 / (hash(i, seed) % 1'000'000'000 + 1);
  case distribution::sorted:
    return i * (~std::uint64_t{0} / n);
  case distribution::reversed:
    return (n - 1 - i) * (~std::uint64_t{0} / n);
  case distribution::few:
    return hash(i, seed) % 16;
  case distribution::equal:
    return 7;
  case distribution::entropy_544:
    return sparse(i, seed, 3);
  case distribution::entropy_201:
    return sparse(i, seed, 5);
  }
  return 0;
}

template <class Key>
__device__ Key make_key(distribution kind, std::uint64_t i, std::uint64_t n, std::uint64_t seed) {
  const std::uint64_t bits = draw(kind, i, n, seed);
  if constexpr (std::is_same_v<Key, record16>) {
    return {bits, i};
  } else if constexpr (sizeof(Key) == 16) {
    const bool ordered = kind == distribution::sorted || kind == distribution::reversed;
    const std::uint64_t low = ordered ? 0 : draw(kind, i, n, seed + 8);
    return static_cast<Key>(is_small(kind) ? bits : static_cast<weft::uint128>(bits >> 1) << 64 | low);
  } else {
    return static_cast<Key>(is_small(kind) ? bits : bits >> (64 - 8 * sizeof(Key)));
  }
}

// Keys of a distribution; values are positions.
template <class Key, class Value>
__global__ void fill_kernel(distribution kind, std::uint64_t seed, std::uint64_t n, Key* keys,
                            Value* values) {
  const std::uint64_t threads = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += threads) {
    keys[i] = make_key<Key>(kind, i, n, seed);
    if constexpr (!std::is_same_v<Value, no_value>) values[i] = static_cast<Value>(i);
  }
}

// Where engine sample-merge looks, by its default seed (choose_splitters, core/sample_partition.hpp).
inline constexpr std::uint32_t max_samples = 1 << 14;
template <class Key> __global__ void mislead_kernel(std::uint64_t n, Key* keys) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < max_samples) keys[weft::detail::mixed(weft::detail::mixed(1) ^ i) % n] = Key{};
}

// Of an array: a sum over its items that does not depend on their order, how many neighbours are out of
// order, and how many equal ones have changed places.
struct summary {
  unsigned long long hash, misplaced, unstable;
};

// Where an item stood, as what is moved with its key tells.
template <class Key, class Value>
__device__ std::uint64_t position_of(const Key* keys, const Value* values, std::uint64_t i) {
  if constexpr (std::is_same_v<Key, record16>)
    return keys[i].payload;
  else if constexpr (std::is_same_v<Value, no_value>)
    return 0;
  else
    return values[i];
}
template <class Key> __device__ std::uint64_t hash_key(const Key& key) {
  if constexpr (std::is_same_v<Key, record16>)
    return hash(key.key, 1);
  else if constexpr (sizeof(Key) == 16)
    return hash(static_cast<std::uint64_t>(key), hash(static_cast<std::uint64_t>(key >> 64), 1));
  else
    return hash(static_cast<std::uint64_t>(key), 1);
}

template <class Key, class Value, class Less>
__global__ void summary_kernel(std::uint64_t n, const Key* keys, const Value* values, Less less,
                               summary* result) {
  summary own{};
  const std::uint64_t threads = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += threads) {
    const std::uint64_t position = position_of(keys, values, i);
    own.hash += hash(position, hash_key(keys[i]));
    if (i + 1 == n) continue;
    if (less(keys[i + 1], keys[i]))
      ++own.misplaced;
    else if (!less(keys[i], keys[i + 1]) && position_of(keys, values, i + 1) < position)
      ++own.unstable;
  }
  atomicAdd(&result->hash, own.hash);
  if (own.misplaced != 0) atomicAdd(&result->misplaced, own.misplaced);
  if (own.unstable != 0) atomicAdd(&result->unstable, own.unstable);
}

inline constexpr int input_blocks = 1056, input_threads = 256;

// Waits for the stream.
template <class Key, class Value, class Less>
summary summarise(const Key* d_keys, const Value* d_values, std::uint64_t n, Less less, cudaStream_t stream) {
  const weft::gpu::device_buffer<summary> result(1, stream);
  weft::gpu::check(cudaMemsetAsync(result.data(), 0, result.bytes(), stream), "clear a summary");
  summary_kernel<<<input_blocks, input_threads, 0, stream>>>(n, d_keys, d_values, less, result.data());
  weft::gpu::check(cudaGetLastError(), "look at a result");
  summary there{};
  weft::gpu::copy(&there, result.data(), 1, stream, "read a summary");
  weft::gpu::check(cudaStreamSynchronize(stream), "look at a result");
  return there;
}

// An input in device memory.
template <class Key, class Value> struct device_input {
  weft::gpu::device_buffer<Key> keys;
  weft::gpu::device_buffer<Value> values;
  summary expected{};

  template <class Less>
  device_input(distribution kind, std::uint64_t n, Less less, cudaStream_t stream)
      : keys(n, stream), values(std::is_same_v<Value, no_value> ? 0 : n, stream) {
    fill_kernel<<<input_blocks, input_threads, 0, stream>>>(kind, 1, n, keys.data(), values.data());
    if (kind == distribution::misleading)
      mislead_kernel<<<max_samples / input_threads, input_threads, 0, stream>>>(n, keys.data());
    weft::gpu::check(cudaGetLastError(), "make an input");
    expected = summarise(keys.data(), values.data(), n, less, stream);
  }
};

} // namespace weft_bench
