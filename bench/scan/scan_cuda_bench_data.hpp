// The motifs and texts of scan_cuda_bench.cpp.
#pragma once

#include <algorithm>
#include <bench/scan/inputs.hpp>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/io/motif_reader.hpp>
#include <weft/scan/cuda/text/text_upload.hpp>
#include <weft/scan/scan.hpp>

namespace weft_bench {

inline constexpr std::uint64_t checked_residues = 50'000;

// Motifs, and a label that says where they come from.
struct motif_source {
  std::vector<weft::motif> motifs;
  std::string label;
};

// Returns the motifs of the file WEFT_BENCH_MOTIFS, if there is one, and random motifs up to a number of
// 1309.
inline const motif_source& motifs_of_bench() {
  static const motif_source source = [] {
    motif_source made;
    made.label = "generated motifs";
    if (const char* path = std::getenv("WEFT_BENCH_MOTIFS"); path != nullptr) {
      for (const auto& record : weft::io::read_motifs(path).records)
        made.motifs.push_back(weft::parse_motif(record.pattern));
      made.label = std::filesystem::path(path).filename().string();
    }
    std::mt19937_64 random(1);
    while (made.motifs.size() < 1309) made.motifs.push_back(weft::parse_motif(random_pattern(random)));
    return made;
  }();
  return source;
}

// Returns `count` motifs. If there are fewer, they are repeated from the first one on.
inline weft::motif_set first_motifs(std::size_t count) {
  const auto& all = motifs_of_bench().motifs;
  std::vector<weft::motif> list;
  for (std::size_t k = 0; k < count; ++k) list.push_back(all[k % all.size()]);
  return weft::motif_set(std::move(list));
}

// Sequences of residues in host memory and in device memory.
struct text_on_gpu {
  std::string residues;
  std::vector<std::uint64_t> offsets{0};
  weft::gpu::stream stream;
  std::unique_ptr<weft::scan_cuda::uploaded_text> uploaded;
  [[nodiscard]] weft::sequence_batch batch() const { return {residues, offsets}; }
  // Returns the sequences that lie within the first checked_residues.
  [[nodiscard]] weft::sequence_batch beginning() const {
    const auto last = std::upper_bound(offsets.begin(), offsets.end(), checked_residues) - 1;
    return {std::string_view(residues).substr(0, *last),
            std::span(offsets).first(static_cast<std::size_t>(last - offsets.begin()) + 1)};
  }
};

// Returns a text of this size in host and device memory. Only the last text is kept, because rows with the
// same text are consecutive.
inline const text_on_gpu& text_of(std::uint64_t residues) {
  static std::unique_ptr<text_on_gpu> kept;
  if (kept != nullptr && kept->residues.size() == residues) return *kept;
  kept.reset();
  protein_text proteins = random_proteins(residues);
  auto made = std::make_unique<text_on_gpu>();
  made->residues = std::move(proteins.residues);
  made->offsets = std::move(proteins.offsets);
  made->uploaded = std::make_unique<weft::scan_cuda::uploaded_text>(made->batch(), made->stream.get());
  made->stream.wait();
  kept = std::move(made);
  return *kept;
}

} // namespace weft_bench
