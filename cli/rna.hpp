// Converts RNA to DNA for an index of DNA.
#pragma once

#include <cstdint>
#include <string>
#include <weft/base/parallel.hpp>

namespace weft::cli {

// Replaces U by T and u by t.
inline void replace_u_by_t(std::string& bases, int threads) {
  parallel_for(0, bases.size(), std::uint64_t{1} << 20, threads,
               [symbols = bases.data()](std::uint64_t first, std::uint64_t last) {
                 char* const at = symbols; // a local copy, without which the loop is not vectorised
                 for (std::uint64_t i = first; i < last; ++i)
                   at[i] = static_cast<char>(at[i] - ((at[i] | 0x20) == 'u' ? 1 : 0));
               });
}

} // namespace weft::cli
