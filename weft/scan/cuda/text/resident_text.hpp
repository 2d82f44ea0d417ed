// A text of a caller's device memory, as engines and resolution want it.
#pragma once

#include <weft/base/cuda/device_memory.hpp>
#include <weft/scan/core/match_keys.hpp>
#include <weft/scan/cuda/gpu_engine.hpp>
#include <weft/scan/scan.cuh>

namespace weft::scan_cuda {

class resident_text {
public:
  // Enqueues what looks at the offsets and marks where sequences begin; there is one or more. Memory is given
  // back in the stream's order. Throws memory_error, device_error.
  resident_text(const gpu::scan_text& from, cudaStream_t stream);

  struct facts {
    std::uint64_t longest; // residues of a sequence
    bool valid;            // the offsets ascend from 0 to the size; if not, nothing else here may be used
  };
  [[nodiscard]] facts read_facts() const; // waits

  // Enqueues the copy that text() and what is unknown are about from now on: of the text, which is not empty,
  // or of the reverse complement of each sequence, which has no X noted.
  void load(bool reverse);

  [[nodiscard]] device_text text() const {
    return {residues_.data(), from_.size, from_.d_offsets, from_.sequences, starts_.data()};
  }
  [[nodiscard]] scan_detail::sequence_index sequences() const { return {from_.d_offsets, marks_.data()}; }
  [[nodiscard]] const std::uint32_t* unknown() const { return unknown_.data(); } // a bit a granule
  [[nodiscard]] const std::uint32_t* has_unknown() const { return &flags_.data()->unknown; }

  // Bytes of device memory for so many residues.
  [[nodiscard]] static std::uint64_t bytes(std::uint64_t residues);

  struct flags {
    unsigned long long longest;
    std::uint32_t invalid, unknown;
  };

private:
  gpu::scan_text from_;
  cudaStream_t stream_;
  gpu::device_buffer<flags> flags_;
  gpu::device_buffer<unsigned char> residues_;
  gpu::device_buffer<std::uint32_t> starts_, marks_, unknown_;
};

} // namespace weft::scan_cuda
