#include <weft/lcs/lcs.cuh>

// Asks what can be asked without a GPU: the storage for an empty text, and for a text that is too long.
int main() {
  std::size_t bytes = 0;
  if (weft::gpu::lcs_length_async(nullptr, bytes, nullptr, 0, nullptr, 5, 4, nullptr, nullptr) != cudaSuccess)
    return 1;
  const std::uint64_t too_long = std::uint64_t{1} << 40;
  if (weft::gpu::lcs_length_async(nullptr, bytes, nullptr, 1, nullptr, too_long, 4, nullptr, nullptr) !=
      cudaErrorInvalidValue)
    return 1;
  return bytes > 0 ? 0 : 1;
}
