// The right half of a table that rank 1 sweeps on its GPU, while rank 0 sweeps the left half on its own:
//
//   rank 0                                       rank 1
//   send the shape                               can this GPU sweep it? answer
//   if so: send a and the second half of b       receive them
//   sweep the left half                          sweep the right half
//   receive the border of the right half         send it
//
// Each sweep ends early if the other rank fails.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>
#include <weft/lcs/engines.hpp>
#include <weft/multi/communicator.hpp>

namespace weft::multi_detail {

// Rank 0 calls it; table_helpers::sweep_half() says what it does. If own() throws, or rank 1 does, the
// exchange of the job fails.
[[nodiscard]] std::vector<std::uint32_t>
lead_half(multi::communicator& ranks, const lcs_detail::half_shape& shape, lcs_detail::text<std::uint8_t> a,
          lcs_detail::text<std::uint8_t> b, std::uint64_t memory,
          const std::function<void(const lcs_detail::sweep_check& check)>& own);
// Rank 1 calls it meanwhile. `engine` is the engine that sweeps; null: there is none. Uses run.device, which
// must name a GPU, run.device_memory and run.monitor. Needs m + n + m / 8 bytes of memory for m rows and n
// columns of the half.
void help_with_half(multi::communicator& ranks, const lcs_detail::gpu_table_engine* engine, run_options run);

} // namespace weft::multi_detail
