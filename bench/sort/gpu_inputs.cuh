// Makes inputs for sorts on the GPU in device memory, and checks the results there.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/mixed.hpp>
#include <weft/sort/core/ordered_bits.hpp>

namespace weft_bench {

// The type of the values of rows without values.
struct no_value {};
// An item of 16 bytes that is compared by its key.
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
  distinct_16,
  equal,
  entropy_544,
  entropy_201,
  misleading // uniform, except that the items which the engine sample-merge samples are the smallest of all
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
                                                       {"16-distinct", distribution::distinct_16},
                                                       {"all-equal", distribution::equal},
                                                       {"entropy-0.544", distribution::entropy_544},
                                                       {"entropy-0.201", distribution::entropy_201}};

// Returns the i-th number of a splitmix64 sequence.
WEFT_HOST_DEVICE inline std::uint64_t hash(std::uint64_t i, std::uint64_t seed) {
  return weft::detail::mixed(i * 0x9e3779b97f4a7c15 + seed * 0xd1342543de82ef95);
}
// Returns a word in which each bit is set with a probability of 1 / 2^num_words.
WEFT_HOST_DEVICE inline std::uint64_t sparse_bits(std::uint64_t i, std::uint64_t seed, int num_words) {
  std::uint64_t bits = ~std::uint64_t{0};
  for (int w = 0; w < num_words; ++w) bits &= hash(i, seed + static_cast<std::uint64_t>(w));
  return bits;
}
// Scales x from [0, 1) to the range of 64 bits. Other numbers are moved to the nearest end of the interval.
__device__ inline std::uint64_t scaled_to_64_bits(double x) {
  return static_cast<std::uint64_t>(fmin(fmax(x, 0.0), 1 - 0x1p-53) * 0x1p64);
}
__device__ inline double above_zero(std::uint64_t bits) {
  return static_cast<double>((bits >> 11) + 1) * 0x1p-53;
}

WEFT_HOST_DEVICE constexpr bool is_small(distribution kind) {
  return kind == distribution::zipf || kind == distribution::distinct_16 || kind == distribution::equal;
}

// Returns item i of n: a number of at most 10^9 if is_small(kind), or else a number spread over 64 bits.
__device__ inline std::uint64_t draw(distribution kind, std::uint64_t i, std::uint64_t n,
                                     std::uint64_t seed) {
  switch (kind) {
  case distribution::uniform:
  case distribution::misleading:
    return hash(i, seed);
  case distribution::normal: // mean 1/2, deviation 1/8 of the range
    return scaled_to_64_bits(0.5 + sqrt(-2 * log(above_zero(hash(i, seed)))) *
                                       cospi(2 * above_zero(hash(i, ~seed))) / 8);
  case distribution::exponential: // mean 1/16 of the range
    return scaled_to_64_bits(-log(above_zero(hash(i, seed))) / 16);
  case distribution::zipf:
    return 1'000'000'000 / (hash(i, seed) % 1'000'000'000 + 1);
  case distribution::sorted:
    return i * (~std::uint64_t{0} / n);
  case distribution::reversed:
    return (n - 1 - i) * (~std::uint64_t{0} / n);
  case distribution::distinct_16:
    return hash(i, seed) % 16;
  case distribution::equal:
    return 7;
  case distribution::entropy_544:
    return sparse_bits(i, seed, 3);
  case distribution::entropy_201:
    return sparse_bits(i, seed, 5);
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

// Writes keys of a distribution. The values are the keys' positions.
template <class Key, class Value>
__global__ void fill_kernel(distribution kind, std::uint64_t seed, std::uint64_t n, Key* keys,
                            Value* values) {
  const std::uint64_t threads = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += threads) {
    keys[i] = make_key<Key>(kind, i, n, seed);
    if constexpr (!std::is_same_v<Value, no_value>) values[i] = static_cast<Value>(i);
  }
}

// Writes the smallest key to the positions that the engine sample-merge samples with its default seed
// (choose_splitters, core/sample_partition.hpp).
inline constexpr std::uint32_t max_samples = 1 << 14;
template <class Key> __global__ void mislead_kernel(std::uint64_t n, Key* keys) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < max_samples) keys[weft::detail::mixed(weft::detail::mixed(1) ^ i) % n] = Key{};
}

// A summary of an array: a sum over its items that does not depend on their order, the number of adjacent
// items that are out of order, and the number of adjacent equal items whose original order was exchanged.
struct summary {
  unsigned long long hash, misplaced, unstable;
};

// Returns the original position of item i, which its payload or value holds.
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

// Returns the summary of an array in device memory. Waits for the stream.
template <class Key, class Value, class Less>
summary summarise(const Key* d_keys, const Value* d_values, std::uint64_t n, Less less, cudaStream_t stream) {
  const weft::gpu::device_buffer<summary> result(1, stream);
  weft::gpu::check(cudaMemsetAsync(result.data(), 0, result.bytes(), stream), "clear a summary");
  summary_kernel<<<input_blocks, input_threads, 0, stream>>>(n, d_keys, d_values, less, result.data());
  weft::gpu::check(cudaGetLastError(), "look at a result");
  summary host_summary{};
  weft::gpu::copy(&host_summary, result.data(), 1, stream, "read a summary");
  weft::gpu::check(cudaStreamSynchronize(stream), "look at a result");
  return host_summary;
}

// An input in device memory and its summary.
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
