// Motifs and texts of scan_gpu_bench.cpp.
#pragma once

#include <algorithm>
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

struct motif_source {
  std::vector<weft::motif> motifs;
  std::string label;
};

inline std::string random_pattern(std::mt19937_64& random) {
  const std::string letters = "ALGVESIKDTRPNFQYHMCW";
  std::string pattern;
  for (unsigned k = 8 + static_cast<unsigned>(random() % 6); k > 0; --k) {
    const unsigned roll = random() % 8;
    const std::string one(1, letters[random() % 20]), two(1, letters[random() % 20]);
    pattern += roll < 3    ? one
               : roll < 5  ? "[" + one + two + "]"
               : roll == 5 ? "x(2,4)"
                           : "x(" + std::to_string(1 + random() % 3) + ")";
    if (k > 1) pattern += '-';
  }
  return pattern;
}

inline const motif_source& motifs_of_bench() {
  static const motif_source source = [] {
    motif_source made;
    std::vector<std::string> paths = {"shared/data/prosite-20.119.dat", "../shared/data/prosite-20.119.dat"};
    if (const char* path = std::getenv("WEFT_BENCH_MOTIFS"); path != nullptr) paths = {path};
    for (const std::string& path : paths)
      if (made.motifs.empty() && std::filesystem::exists(path)) {
        for (const auto& record : weft::io::read_motifs(path).records)
          made.motifs.push_back(weft::parse_motif(record.pattern));
        made.label = std::filesystem::path(path).filename().string();
      }
    if (made.motifs.empty()) made.label = "generated motifs";
    std::mt19937_64 random(1);
    while (made.motifs.size() < 1309) made.motifs.push_back(weft::parse_motif(random_pattern(random)));
    return made;
  }();
  return source;
}

inline weft::motif_set first_motifs(std::size_t count) {
  const auto& all = motifs_of_bench().motifs;
  std::vector<weft::motif> list;
  for (std::size_t k = 0; k < count; ++k) list.push_back(all[k % all.size()]);
  return weft::motif_set(std::move(list));
}

struct text_on_gpu {
  std::string residues;
  std::vector<std::uint64_t> offsets{0};
  weft::gpu::stream stream;
  std::unique_ptr<weft::scan_cuda::uploaded_text> uploaded;
  [[nodiscard]] weft::sequence_batch batch() const { return {residues, offsets}; }
  // The sequences that lie in the first checked_residues.
  [[nodiscard]] weft::sequence_batch beginning() const {
    const auto last = std::upper_bound(offsets.begin(), offsets.end(), checked_residues) - 1;
    return {std::string_view(residues).substr(0, *last),
            std::span(offsets).first(static_cast<std::size_t>(last - offsets.begin()) + 1)};
  }
};

// Only the last one is kept: rows of one text follow each other.
inline const text_on_gpu& text_of(std::uint64_t residues) {
  static std::unique_ptr<text_on_gpu> kept;
  if (kept != nullptr && kept->residues.size() == residues) return *kept;
  kept.reset();
  const std::string letters = "ARNDCQEGHILKMFPSTWYV";
  const double frequencies[] = {8.25, 5.53, 4.06, 5.46, 1.38, 3.93, 6.72, 7.07, 2.27, 5.91,
                                9.65, 5.80, 2.41, 3.86, 4.74, 6.65, 5.36, 1.10, 2.92, 6.86};
  std::mt19937_64 random(2);
  std::discrete_distribution<std::size_t> draw(std::begin(frequencies), std::end(frequencies));
  std::string drawn(1 << 16, ' ');
  for (char& c : drawn) c = letters[draw(random)];
  auto made = std::make_unique<text_on_gpu>();
  made->residues.resize(residues);
  std::uint64_t bits = 0;
  for (std::uint64_t i = 0; i < residues; ++i, bits >>= 16) {
    if (i % 4 == 0) bits = random();
    made->residues[i] = drawn[bits & 0xffff];
  }
  for (std::uint64_t at = 0; at < residues;) {
    at = std::min(residues, at + 40 + random() % 641);
    made->offsets.push_back(at);
  }
  made->uploaded = std::make_unique<weft::scan_cuda::uploaded_text>(made->batch(), made->stream.get());
  made->stream.wait();
  kept = std::move(made);
  return *kept;
}

} // namespace weft_bench
