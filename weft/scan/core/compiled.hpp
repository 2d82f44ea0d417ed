// What a motif_set holds.
#pragma once

#include <vector>
#include <weft/scan/scan.hpp>

namespace weft {

struct motif_set::compiled {
  std::vector<motif> motifs;
  motif_syntax syntax;
};

} // namespace weft
