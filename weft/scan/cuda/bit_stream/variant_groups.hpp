// Groups of variants that share a filter, which a warp applies once for all of them. In a set of 100,000
// similar motifs, most variants share a filter.
#pragma once

#include <cstdint>
#include <vector>
#include <weft/scan/core/bit_stream_plan.hpp>

namespace weft::scan_cuda {

// A filter and the variants that share it.
struct variant_group {
  std::vector<scan_detail::stream_check> filter; // up to stream_filter::capacity elements, the rarest first
  std::vector<std::uint32_t> members;            // indices of variants in the plan, up to max_members
  static constexpr std::size_t max_members = 255;
};

// Returns the elements of a variant's filter and its second elements, the rarest first, without duplicates.
[[nodiscard]] std::vector<scan_detail::stream_check> elements_of(const scan_detail::bit_stream_plan& plan,
                                                                 const scan_detail::stream_variant& variant);

// Returns groups such that each variant is in exactly one of them; groups with the same first element are
// adjacent. A group's filter consists of elements that all its members have: three or four elements if
// several variants have them and sharing them saves time, else the filter of the only member. If sharing
// would save few filters, no variant shares one. Takes two seconds for 100,000 similar motifs, and a kilobyte
// of memory for each variant.
[[nodiscard]] std::vector<variant_group> group_variants(const scan_detail::bit_stream_plan& plan);

} // namespace weft::scan_cuda
