// Variants that share a filter, which a warp asks once for all of them: of 100,000 motifs that are like each
// other most do.
#pragma once

#include <cstdint>
#include <vector>
#include <weft/scan/core/bit_stream_plan.hpp>

namespace weft::scan_cuda {

struct variant_group {
  std::vector<scan_detail::stream_check> filter; // up to stream_filter::most, the rarest first
  std::vector<std::uint32_t> members;            // variants of the plan, up to max_members
  static constexpr std::size_t max_members = 255;
};

// The elements that a variant's filter and what is asked next have, the rarest first, each once.
[[nodiscard]] std::vector<scan_detail::stream_check> elements_of(const scan_detail::bit_stream_plan& plan,
                                                                 const scan_detail::stream_variant& variant);

// Each variant is in one group; groups with the same first element stand together. A filter has elements that
// all its members have: three or four where several have them and it saves something, else a variant's own.
// Where few share, none do. Two seconds for 100,000 motifs that are like each other; a kilobyte a variant.
[[nodiscard]] std::vector<variant_group> group_variants(const scan_detail::bit_stream_plan& plan);

} // namespace weft::scan_cuda
