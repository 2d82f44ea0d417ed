#include <weft/scan/cuda/text/resident_text.hpp>

#include <weft/base/cuda/grid.cuh>
#include <weft/scan/core/complement.hpp>
#include <weft/scan/core/walk.hpp>

namespace weft::scan_detail {

namespace {

using gpu::blocks_for, gpu::this_thread;

constexpr unsigned block_threads = 256;

std::uint64_t granules_of(std::uint64_t residues) {
  return (residues + sequence_index::granule - 1) / sequence_index::granule;
}

// Checks the offsets, one thread for each: marks them invalid unless they ascend from 0 to the size, sets the
// start bit of each sequence, and computes the length of the longest sequence.
__global__ void __launch_bounds__(block_threads)
    check_offsets_kernel(const gpu::sequences_view text, std::uint32_t* starts, resident_text::flags* flags) {
  const std::uint64_t i = this_thread();
  unsigned long long length = 0;
  if (i <= text.count) {
    const std::uint64_t offset = text.d_offsets[i], next = i < text.count ? text.d_offsets[i + 1] : offset;
    if (next < offset || offset > text.size || (i == 0 && offset != 0) ||
        (i == text.count && offset != text.size)) {
      atomicOr(&flags->invalid, 1U);
    } else {
      length = next - offset;
      atomicOr(starts + offset / 32, 1U << offset % 32);
    }
  }
  for (int step = 16; step > 0; step /= 2) {
    const unsigned long long other = __shfl_down_sync(0xffffffffU, length, step);
    length = other > length ? other : length;
  }
  if (threadIdx.x % 32 == 0 && length > flags->longest) atomicMax(&flags->longest, length);
}

__global__ void __launch_bounds__(block_threads)
    mark_sequences_kernel(const gpu::sequences_view text, std::uint32_t* marks, std::uint64_t count) {
  const std::uint64_t i = this_thread();
  if (i < count) marks[i] = sequence_index::mark_of(text.d_offsets, text.count, text.size, i);
}

// Returns a word that is not 0 if and only if one of the four bytes is an X (in upper or lower case). Which
// bits are set is not exact.
__device__ inline std::uint32_t find_unknown_bytes(std::uint32_t four) {
  const std::uint32_t other = (four | 0x20202020U) ^ 0x78787878U;
  return (other - 0x01010101U) & ~other & 0x80808080U;
}

// Copies the text, one thread for each granule of residues, and sets the granule's bit in `unknown` if it
// contains an X. If `from` equals `to`, nothing is copied. `from` must be aligned to 16 bytes or equal `to`.
__global__ void __launch_bounds__(block_threads)
    load_kernel(const unsigned char* from, std::uint64_t size, unsigned char* to, std::uint32_t* unknown,
                resident_text::flags* flags) {
  constexpr std::uint64_t granule = sequence_index::granule;
  const std::uint64_t i = this_thread(), first = i * granule;
  std::uint32_t some = 0;
  if (first + granule <= size) {
    const auto* const vectors = reinterpret_cast<const uint4*>(from + first);
    auto* const destination = reinterpret_cast<uint4*>(to + first);
#pragma unroll
    for (std::uint64_t v = 0; v < granule / sizeof(uint4); ++v) {
      const uint4 residues = vectors[v];
      some |= find_unknown_bytes(residues.x) | find_unknown_bytes(residues.y) |
              find_unknown_bytes(residues.z) | find_unknown_bytes(residues.w);
      if (from != to) destination[v] = residues;
    }
  } else {
    for (std::uint64_t at = first; at < size; ++at) {
      const unsigned char c = from[at];
      some |= is_unknown(c);
      to[at] = c;
    }
  }
  const std::uint32_t bits = __ballot_sync(0xffffffffU, some != 0);
  if (threadIdx.x % 32 != 0 || first >= size) return;
  unknown[i / 32] = bits;
  if (bits != 0) flags->unknown = 1; // all threads write the same value
}

// Writes the reverse complement of each sequence, one thread for each residue.
__global__ void __launch_bounds__(block_threads)
    reverse_kernel(const gpu::sequences_view text, const sequence_index sequences, unsigned char* to) {
  const std::uint64_t i = this_thread();
  if (i >= text.size) return;
  const std::uint64_t s = sequences.sequence_at(i);
  const std::uint64_t mirrored = text.d_offsets[s] + (text.d_offsets[s + 1] - 1 - i);
  to[i] = static_cast<unsigned char>(complement(text.d_data[mirrored]));
}

template <class T> void clear(const gpu::device_buffer<T>& items, cudaStream_t stream) {
  gpu::check(cudaMemsetAsync(items.data(), 0, items.bytes(), stream), "clear memory of the GPU");
}

} // namespace

resident_text::resident_text(const gpu::sequences_view& from, cudaStream_t stream)
    : from_(from), stream_(stream), flags_(1, stream), residues_(from.size + text_padding, stream),
      starts_(start_words(from.size), stream), unknown_(granules_of(from.size) / 32 + 1, stream) {
  clear(flags_, stream);
  clear(starts_, stream);
  gpu::check(cudaMemsetAsync(residues_.data() + from.size, 0, text_padding, stream),
             "clear memory of the GPU");
  check_offsets_kernel<<<blocks_for(from_.count + 1, block_threads), block_threads, 0, stream>>>(
      from_, starts_.data(), flags_.data());
  gpu::check(cudaGetLastError(), "check offsets");
  if (from.size == 0) return;
  const std::uint64_t marks = sequence_index::count(from.size);
  marks_ = gpu::device_buffer<std::uint32_t>(marks, stream);
  mark_sequences_kernel<<<blocks_for(marks, block_threads), block_threads, 0, stream>>>(from_, marks_.data(),
                                                                                        marks);
  gpu::check(cudaGetLastError(), "mark the starts of sequences");
}

resident_text::offset_check resident_text::read_offset_check() const {
  const flags read = gpu::downloaded(flags_.data(), stream_, "wait for the GPU");
  return {read.longest, read.invalid == 0};
}

void resident_text::load(bool reverse) {
  gpu::check(cudaMemsetAsync(&flags_.data()->unknown, 0, sizeof(std::uint32_t), stream_),
             "clear memory of the GPU");
  if (reverse) {
    reverse_kernel<<<blocks_for(from_.size, block_threads), block_threads, 0, stream_>>>(from_, sequences(),
                                                                                         residues_.data());
    gpu::check(cudaGetLastError(), "reverse a sequence");
    return;
  }
  const auto* from = reinterpret_cast<const unsigned char*>(from_.d_data);
  if (reinterpret_cast<std::uintptr_t>(from) % sizeof(uint4) != 0) {
    gpu::copy(residues_.data(), from, from_.size, stream_, "copy a sequence");
    from = residues_.data();
  }
  load_kernel<<<blocks_for(granules_of(from_.size), block_threads), block_threads, 0, stream_>>>(
      from, from_.size, residues_.data(), unknown_.data(), flags_.data());
  gpu::check(cudaGetLastError(), "copy a sequence");
}

std::uint64_t resident_text::bytes(std::uint64_t residues) {
  const std::uint64_t marks = residues == 0 ? 0 : sequence_index::count(residues);
  return residues + text_padding + 4 * (start_words(residues) + marks + granules_of(residues) / 32 + 1);
}

} // namespace weft::scan_detail
