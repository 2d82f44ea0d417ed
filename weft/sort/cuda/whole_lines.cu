#include <weft/sort/cuda/whole_lines.hpp>

#include <weft/sort/sort.cuh>

namespace weft::sort_detail {

namespace {

struct whole_line_order {
  line_memory memory;
  std::uint32_t* d_gave_up;
  __device__ bool operator()(const uint128& a, const uint128& b) const {
    bool gave_up = false;
    const bool result = comes_before(a, b, memory, gave_up);
    if (gave_up) *d_gave_up = 1; // all threads write the same
    return result;
  }
};

} // namespace

cudaError_t sort_whole_lines(void* d_temp_storage, std::size_t& temp_storage_bytes, uint128* d_entries,
                             std::uint64_t num_entries, const line_memory& memory, std::uint32_t* d_gave_up,
                             cudaStream_t stream) noexcept {
  return gpu::sort_async(d_temp_storage, temp_storage_bytes, d_entries, num_entries,
                         whole_line_order{memory, d_gave_up}, stream);
}

} // namespace weft::sort_detail
