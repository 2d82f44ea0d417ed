// Finds motifs in sequences in GPU memory, on a stream. The matches stay in GPU memory.
// prints: sequence 0, motif 0: [1, 5)
// prints: sequence 1, motif 1: [0, 3)
#include <cstdio>
#include <vector>
#include <weft/base/device.hpp>
// example-begin
#include <weft/scan/scan.cuh>

// d_residues: n sequences in device memory, end to end; d_offsets: where each begins, and the end.
weft::gpu::scan_matches find(const char* d_residues, std::uint64_t size, const std::uint64_t* d_offsets,
                             std::uint64_t n, cudaStream_t stream) {
  static const weft::motif_set motifs({weft::parse_motif("N-{P}-[ST]-{P}"), weft::parse_motif("R-G-D")});
  return weft::gpu::scan(motifs, {d_residues, d_offsets, n, size}, {}, stream);
}

// To the host, in order; kernels on the stream could take matches.data() as it is.
weft::match_vector read(const weft::gpu::scan_matches& matches, cudaStream_t stream) {
  weft::match_vector items(matches.count());
  weft::gpu::copy(items.data(), matches.data(), items.size(), stream, "copy matches");
  weft::gpu::check(cudaStreamSynchronize(stream), "copy matches");
  return items;
}
// example-end

int main() {
  if (const weft::gpu_report& gpus = weft::known_gpus(); gpus.devices.empty()) {
    std::printf("no GPU: %s\n", gpus.unavailable.c_str());
    return 0;
  }
  const std::vector<char> residues = {'M', 'N', 'G', 'S', 'A', 'R', 'G', 'D'};
  const std::vector<std::uint64_t> offsets = {0, 5, 8};
  const weft::gpu::stream work;
  const cudaStream_t stream = work.get();
  const auto d_residues = weft::gpu::uploaded(std::span(residues), stream, "copy residues");
  const auto d_offsets = weft::gpu::uploaded(std::span(offsets), stream, "copy offsets");
  for (const weft::scan_match& m : read(find(d_residues.data(), 8, d_offsets.data(), 2, stream), stream))
    std::printf("sequence %d, motif %d: [%d, %d)\n", static_cast<int>(m.sequence), static_cast<int>(m.motif),
                static_cast<int>(m.begin), static_cast<int>(m.end));
  return 0;
}
