// An engine on a GPU over texts of host memory: what it finds, sorted and in host memory again.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/scan/core/compiled.hpp>
#include <weft/scan/core/pieces.hpp>
#include <weft/scan/cuda/found_search.hpp>
#include <weft/scan/cuda/text/text_upload.hpp>

namespace weft::scan_cuda {

struct gpu_options {
  int device = 0;
  std::uint64_t device_memory = 0; // bytes; 0: what is free
  int threads = 0;                 // of the host, for copying
};

// Makes options.device current while it lives. Its engine is kept in motifs.gpu_engines, and made at the
// first call; scanners that share one take turns, a text or a search each.
class piece_scanner final : public scan_detail::piece_searcher {
public:
  // Throws memory_error, device_error.
  piece_scanner(const motif_set::compiled& motifs, const engine_key& key, const gpu_options& options);

  // What the texts may take.
  [[nodiscard]] scan_detail::piece_limits limits() const;

  // Both wait for the device, and throw memory_error and device_error.
  void load(const sequence_batch& text) override;
  [[nodiscard]] part find(std::uint64_t begin, std::uint64_t end) override;

private:
  [[nodiscard]] std::span<const std::uint64_t> sorted(std::uint64_t count);

  gpu::device_scope scope_;
  engine_place& place_;
  gpu_options options_;
  int key_bits_;                                 // of an occurrence as a number
  std::uint64_t allowed_ = 0, engine_bytes_ = 0; // of the device's memory
  std::optional<uploaded_text> text_;
  std::optional<found_search> search_;
  std::uint64_t step_ = ~std::uint64_t{0};
  std::unique_ptr<std::uint64_t[]> host_found_;
  std::uint64_t host_capacity_ = 0;
};

} // namespace weft::scan_cuda
