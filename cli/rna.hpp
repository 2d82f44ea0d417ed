// RNA as an index of DNA has it.
#pragma once

#include <cstdint>
#include <string>
#include <weft/base/parallel.hpp>

namespace weft::cli {

// U becomes T, in its case.
inline void take_u_as_t(std::string& bases, int threads) {
  parallel_for(0, bases.size(), std::uint64_t{1} << 20, threads,
               [&](std::uint64_t first, std::uint64_t last) {
                 for (std::uint64_t i = first; i < last; ++i)
                   bases[i] = static_cast<char>(bases[i] - ((bases[i] | 0x20) == 'u'));
               });
}

} // namespace weft::cli
