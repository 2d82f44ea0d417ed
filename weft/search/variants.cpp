#include <weft/search/variants.hpp>

namespace weft {

genome_comparison compare_genomes(const sequences_view&, const sequences_view&, const comparison_options&) {
  return {};
}

std::vector<engine_info> comparison_engines() { return {}; }

} // namespace weft
