// The contents of a motif_set.
#pragma once

#include <memory>
#include <vector>
#include <weft/scan/core/flat_motifs.hpp>
#include <weft/scan/scan.hpp>

namespace weft {

namespace scan_detail {
struct bit_stream_plans; // cpu/bit_stream.hpp
}
namespace scan_cuda {
class engine_cache; // cuda/engine_cache.hpp
}

struct motif_set::compiled {
  std::vector<motif> motifs;
  motif_syntax syntax;
  scan_detail::flat_motif_tables tables;                // the motifs as the walks read them
  std::shared_ptr<scan_detail::bit_stream_plans> plans; // made when first needed
  std::shared_ptr<scan_cuda::engine_cache> gpu_engines; // made when first needed; null without CUDA
};

} // namespace weft
