// Search in an FM-index on a GPU: counts and occurrences of patterns in device memory, on the caller's
// stream. Needs <cuda_runtime_api.h>, not nvcc. For patterns in host memory see weft/bwt/fm_index.hpp, which
// also defines index, pattern and occurrence, and whose functions can use a GPU as well.
//
//   // How often each pattern occurs, in device memory: kernels on the stream could read it there.
//   // Does not wait for the device.
//   weft::gpu::device_buffer<std::uint64_t> count(const weft::gpu::device_fm_index& index,
//                                                 const weft::gpu::sequences_view& patterns,
//                                                 cudaStream_t stream) {
//     weft::gpu::device_buffer<std::uint64_t> counts(patterns.count, stream);
//     weft::gpu::count(index.view(), patterns, counts.data(), stream);
//     return counts;
//   }
//
// The tests run the whole program: examples/find_gpu.cpp.
//
// For all functions here:
//   Device      The functions use the current device. The stream and all memory called d_... belong to it.
//   Result      The result is the same as the CPU's, on every device.
//   Patterns    Pattern p is d_data[d_offsets[p] .. d_offsets[p + 1] - 1]. The caller guarantees that
//               d_offsets[0 .. count] ascend from 0 to size. There are at most 2^38 patterns. The empty
//               pattern occurs nowhere. Letters may begin at any address, offsets need the alignment of their
//               type; a pointer to an empty array may be null.
//   Aliasing    The memory that a call writes must not overlap any other of its arrays.
//   Threads     Several threads may call at once, on their own streams, also with the same view.
//   Throws      std::invalid_argument (a null pointer to an array that is not empty, too many patterns),
//               memory_error, device_error.
//
// Sources: those named in weft/bwt/fm_index.hpp.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/bwt/core/fm_parts.hpp>
#include <weft/bwt/fm_index.hpp>

namespace weft::gpu {

// A view of an index in device memory, valid as long as the memory is. Owns nothing, is trivially copyable,
// and may be a parameter of a kernel (weft/bwt/core/fm_steps.hpp has the steps of a search). In a
// default-constructed view no pattern occurs.
struct fm_index_view {
  // For internal use.
  weft::bwt_detail::fm_parts parts;
};

// A copy of an index in the memory of the current device, without names and offsets of records. Movable, not
// copyable.
//
// Extra memory  of the device: 1.8 bytes per base at a sample rate of 4, 1.3 at a rate of 8.
// Waits         for the copy. The memory is released in stream order; the stream must outlive this object.
class device_fm_index {
public:
  // Copies the index to the device, in stream order.
  device_fm_index(const fm_index& index, cudaStream_t stream);
  // The view to pass to searches, and the size of the copy in device memory.
  [[nodiscard]] fm_index_view view() const noexcept { return {parts_}; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return memory_.size(); }
  // Returns the bytes of device memory that a copy of the index would take.
  [[nodiscard]] static std::uint64_t bytes_of(const fm_index& index);

private:
  weft::bwt_detail::fm_parts parts_;
  device_buffer<char> memory_;
};

// Writes the number of occurrences of pattern p to d_counts[p].
//
// Time          for DNA, a pattern of m bases in a text of n takes log4(n) - k steps of two reads of 64 bytes
//               each (k: length of the k-mers of the index's table, 12 at most). Each row that is left then
//               takes the reads of sample_rate / 2 further steps, and m / 4 bytes of the text.
// Extra memory  of the device, in stream order: 24 bytes per pattern.
// Waits         not for the device, unless memory is short.
// Damage        from_bytes() checks everything in an index except where rows lead. If rows lead nowhere, the
//               counts are unspecified, but no other memory is read or written.
void count(const fm_index_view& index, const sequences_view& patterns, std::uint64_t* d_counts,
           cudaStream_t stream);

// The device counterpart of fm_hits. Its memory is released in stream order; the stream of the call must
// outlive this object.
struct fm_device_hits {
  device_buffer<fm_hit> hits;           // by pattern, record and position
  device_buffer<std::uint64_t> offsets; // patterns + 1, the last being the number of hits
  device_buffer<std::uint64_t> totals;  // patterns
};

// Returns where the patterns occur: the hits of fm_index::locate, in the same order.
//
// Options       max_hits; run.device_memory limits what the call takes; run.device is automatic or the
// current
//               device; work is counted in patterns. The other options are not needed.
// Time          that of count(), of looking up one position per row, and of sorting each pattern's positions.
// Extra memory  of the device, released before the call returns except for hits, offsets and totals: 48 bytes
//               per pattern, 16 per row that is looked up, and 34 per hit.
// Ranges        at most 2^38 rows in all.
// Waits         for all earlier work on the stream, and for three numbers that the next step needs; must not
//               be captured into a graph.
// Throws        also error(invalid_input) if a row of the index leads nowhere.
[[nodiscard]] fm_device_hits locate(const fm_index_view& index, const sequences_view& patterns,
                                    const fm_search_options& options, cudaStream_t stream);

} // namespace weft::gpu
