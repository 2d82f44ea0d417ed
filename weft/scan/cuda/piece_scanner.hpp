// Searches texts in host memory on a GPU, and returns the occurrences sorted and in host memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/scan/core/engine.hpp>
#include <weft/scan/core/pieces.hpp>
#include <weft/scan/cuda/occurrence_search.hpp>
#include <weft/scan/cuda/text/resident_text.hpp>

namespace weft::scan_detail {

// The device and the resources that a piece_scanner may use.
struct piece_scanner_options {
  int device = 0;
  std::uint64_t device_memory = 0; // bytes; 0: all free memory
  int threads = 0;                 // of the host, for copying; as in scan_options
};

// A piece_searcher that runs on a GPU. Makes options.device the current device during its lifetime. The
// searcher is kept in motifs.gpu_searchers and made at the first call. Scanners that share a searcher take
// turns: each call of load() or find() excludes the others.
class piece_scanner final : public piece_searcher {
public:
  // Throws memory_error, device_error.
  piece_scanner(const motif_set::compiled& motifs, const searcher_key& key,
                const piece_scanner_options& options);

  // Returns the limits for the pieces that load() accepts.
  [[nodiscard]] piece_limits limits() const;

  // Both functions wait for the device and throw memory_error and device_error.
  void load(const sequences_view& text) override;
  [[nodiscard]] part find(std::uint64_t begin, std::uint64_t end) override;

private:
  [[nodiscard]] std::span<const std::uint64_t> sort_and_download(std::uint64_t count);

  gpu::device_scope scope_;
  searcher_context& context_;
  piece_scanner_options options_;
  int key_bits_;                                   // number of bits of an occurrence
  std::uint64_t allowed_ = 0, searcher_bytes_ = 0; // bytes of device memory
  std::optional<uploaded_text> text_;
  std::optional<occurrence_search> search_;
  std::uint64_t step_ = ~std::uint64_t{0};
  std::unique_ptr<std::uint64_t[]> host_codes_;
  std::uint64_t host_capacity_ = 0;
};

} // namespace weft::scan_detail
