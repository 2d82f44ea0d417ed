// Searches on a GPU. fm_pieces.cpp searches for patterns in host memory, piece by piece, and keeps copies of
// the index in device memory. fm_search.cpp searches for patterns in device memory, as the functions of
// weft/bwt/fm_index.cuh, but their offsets need not begin at 0, because a piece of a batch begins anywhere.
// fm_match_search.cpp finds maximal matches.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/cuda/staged_copy.hpp>
#include <weft/bwt/cuda/fm/fm_kernels.hpp>
#include <weft/bwt/entry/near_plans.hpp>
#include <weft/bwt/fm_index.cuh>

namespace weft::bwt_detail {

struct fm_match_problem;

// The copy of an index on one device, and the objects that searches on the device keep between calls. A
// caller must hold `busy` while it uses them.
struct fm_device_copy {
  // The device must be the current one.
  explicit fm_device_copy(int of) : device(of), staging(of) {}
  ~fm_device_copy();
  fm_device_copy(const fm_device_copy&) = delete;
  fm_device_copy& operator=(const fm_device_copy&) = delete;

  const int device;
  std::mutex busy;
  gpu::staged_copy staging;
  gpu::stream work[2]; // destroyed before the memory that they copy; the index belongs to the first
  std::unique_ptr<gpu::device_fm_index> index;
  // For searches with differences (near_pieces.cpp): the contexts of the rows, once so many rows have been
  // looked up without them that it paid to make them.
  gpu::device_buffer<std::uint64_t> contexts;
  std::uint64_t rows_without_contexts = 0;
};

// The copies of one index on all devices. Thread-safe.
class fm_device_copies {
public:
  // Returns the entry of a device, which must be the current one. The entry lives as long as this object; it
  // may not have a copy of the index yet.
  [[nodiscard]] fm_device_copy& at(int device);
  // Returns a device that has a copy of the index, or -1.
  [[nodiscard]] int device_with_index() const;
  // Records that the device has a copy of the index. The first device that is recorded stays.
  void set_device_with_index(int device);

private:
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<fm_device_copy>> copies_;
  int with_index_ = -1;
};

// Exclusive use of an index copy for one call: holds its lock, and copies the index to the device if it has
// no copy yet. The device is the current one as long as the object lives.
class device_session {
public:
  // The options must live longer than the object. Throws memory_error if the index does not fit the memory of
  // the device that they allow.
  device_session(const fm_index& index, fm_device_copies& copies, int gpu, const run_options& options);

  [[nodiscard]] fm_device_copy& device_copy() { return device_copy_; }
  // Returns the bytes of device memory that the call may take besides the index.
  [[nodiscard]] std::uint64_t memory() const { return memory_; }
  // Copies from and to host memory, on the threads of the options, as gpu::staged_copy does.
  void upload(void* d_to, const void* from, std::uint64_t bytes, cudaStream_t stream);
  void download(void* to, const void* d_from, std::uint64_t bytes, cudaStream_t stream);
  // Adds finished work to the monitor of the options, if there is one. Throws cancelled_error if it has been
  // cancelled.
  void advance(std::uint64_t work) const;

private:
  gpu::device_scope scope_;
  fm_device_copy& device_copy_;
  std::lock_guard<std::mutex> lock_;
  const run_options& options_;
  std::uint64_t memory_ = 0;
};

[[nodiscard]] std::vector<std::uint64_t> count_in_pieces(const fm_index& index, fm_device_copies& copies,
                                                         int gpu, std::string_view patterns,
                                                         std::span<const std::uint64_t> offsets,
                                                         const fm_search_options& options);
[[nodiscard]] fm_hits locate_in_pieces(const fm_index& index, fm_device_copies& copies, int gpu,
                                       std::string_view patterns, std::span<const std::uint64_t> offsets,
                                       const fm_search_options& options);

// Does what find_matches() of entry/solve.hpp does, on the given GPU, for matches of kind mem
// (fm_match_search.cpp). The queries are not empty.
//
// Memory        of the GPU: the index; a quarter of a byte for each letter of the queries and strand, 16
//               bytes a stretch of bases and 8 a record; and buffers of at most 0.9 GB, which become smaller
//               if less is free. Of the host: the packed queries, and a part of the matches.
// Throws        memory_error before the first matches are passed on, and after that error(out_of_memory);
//               device_error.
void find_matches_on_device(const fm_match_problem& problem, fm_device_copies& copies, int gpu);

// Returns the end of a piece of a batch: as many patterns from `first` on as take at most `bytes` bytes, but
// at least one. A pattern takes its letters and `bytes_per_pattern` bytes.
[[nodiscard]] std::uint64_t end_of_piece(std::span<const std::uint64_t> offsets, std::uint64_t first,
                                         std::uint64_t bytes, std::uint64_t bytes_per_pattern);

// Searches with differences, and passes the hits to problem.take. Throws memory_error, device_error.
void search_near_in_pieces(const near_device_problem& problem, fm_device_copies& copies, int gpu);

// Replaces each number by the sum of the numbers before it.
void sum_before(gpu::device_buffer<std::uint64_t>& items, cudaStream_t stream);
// Does what gpu::count does. d_damaged: null, or *d_damaged becomes 1 if a row leads to no position.
void count(const fm_job& job, std::uint64_t* d_counts, std::uint32_t* d_damaged, cudaStream_t stream);
// Does what gpu::locate does.
[[nodiscard]] gpu::fm_device_hits locate(const fm_job& job, const fm_search_options& options,
                                         cudaStream_t stream);

} // namespace weft::bwt_detail
