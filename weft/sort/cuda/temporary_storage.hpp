// Divides the temporary storage of a two-phase function into the parts that the function needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>

namespace weft::sort_detail {

constexpr std::size_t part_alignment = 256;
constexpr std::size_t max_item_bytes = 64;
constexpr std::uint64_t max_items = std::uint64_t{1} << 48;

constexpr std::size_t aligned_size(std::size_t bytes) {
  return (bytes + part_alignment - 1) / part_alignment * part_alignment;
}

// If d_storage is null, sets `bytes` to what parts of these sizes need, at any alignment of the storage. Else
// sets parts[i] to sizes[i] aligned bytes, never to null, or returns cudaErrorInvalidValue if `bytes` is too
// small.
template <std::size_t Count>
cudaError_t cut_storage(void* d_storage, std::size_t& bytes, const std::size_t (&sizes)[Count],
                        void* (&parts)[Count]) {
  std::size_t needed = part_alignment - 1;
  for (const std::size_t size : sizes) needed += aligned_size(size);
  if (d_storage == nullptr) {
    bytes = needed;
    return cudaSuccess;
  }
  if (bytes < needed) return cudaErrorInvalidValue;
  auto* at = reinterpret_cast<char*>(aligned_size(reinterpret_cast<std::uintptr_t>(d_storage)));
  for (std::size_t i = 0; i < Count; ++i) {
    parts[i] = at;
    at += aligned_size(sizes[i]);
  }
  return cudaSuccess;
}

// Returns the result of a function that has nothing to do. It needs one byte, so that no storage is a null
// pointer.
inline cudaError_t need_nothing(void* d_storage, std::size_t& bytes) {
  if (d_storage == nullptr) bytes = 1;
  return cudaSuccess;
}

// Returns whether the arguments are valid in this phase. Pointers matter only in the second phase.
template <class... Arrays>
bool valid_arrays(const void* d_storage, std::uint64_t num_items, const Arrays*... arrays) {
  return num_items <= max_items && (d_storage == nullptr || num_items == 0 || (... && (arrays != nullptr)));
}

// Calls work with a zero of the narrowest type that can count the items, because engines are faster with 32
// bits. One bit is left for the sums that they compute.
template <class Work> cudaError_t with_count_type(std::uint64_t num_items, Work work) {
  return num_items < std::uint64_t{1} << 31 ? work(std::uint32_t{}) : work(std::uint64_t{});
}

} // namespace weft::sort_detail
