// Patterns in host memory, searched for on a GPU in pieces; and where an index is on GPUs.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/cuda/staged_copy.hpp>
#include <weft/bwt/fm_index.cuh>

namespace weft::bwt_cuda {

// An index on a device, with what searching there takes between calls. Whoever uses it holds `busy`.
struct fm_place {
  // The device is the current one.
  explicit fm_place(int of) : device(of), staging(of) {}
  ~fm_place();
  fm_place(const fm_place&) = delete;
  fm_place& operator=(const fm_place&) = delete;

  const int device;
  std::mutex busy;
  gpu::staged_copy staging;
  gpu::stream work[2]; // end before the memory that they copy from and to; the index belongs to the first
  std::unique_ptr<gpu::device_fm_index> index;
};

} // namespace weft::bwt_cuda

namespace weft::detail {

// Of one index. Thread-safe.
class fm_device_copies {
public:
  // The device is the current one. Lives as long as this; the index is perhaps not there yet.
  [[nodiscard]] bwt_cuda::fm_place& at(int device);
  // A device that has the index, or -1.
  [[nodiscard]] int first_with_index() const;
  void note_index(int device);

private:
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<bwt_cuda::fm_place>> places_;
  int with_index_ = -1;
};

} // namespace weft::detail

namespace weft::bwt_cuda {

[[nodiscard]] std::vector<std::uint64_t>
count_in_pieces(const fm_index& index, detail::fm_device_copies& places, int gpu, std::string_view patterns,
                std::span<const std::uint64_t> offsets, const fm_search_options& options);
[[nodiscard]] fm_hits locate_in_pieces(const fm_index& index, detail::fm_device_copies& places, int gpu,
                                       std::string_view patterns, std::span<const std::uint64_t> offsets,
                                       const fm_search_options& options);

// Patterns [first, end) of a batch, as many as take at most so many bytes, but one at least: letters, and
// `of_pattern` bytes for each.
[[nodiscard]] std::uint64_t end_of_piece(std::span<const std::uint64_t> offsets, std::uint64_t first,
                                         std::uint64_t bytes, std::uint64_t of_pattern);

} // namespace weft::bwt_cuda
