// An index of two records, and where a pattern occurs in them.
// prints: GATTACA in chr1 at 4
// prints: GATTACA in chr2 at 0
#include <cstdio>
#include <string>
#include <vector>
// example-begin
#include <weft/bwt/fm_index.hpp>

void print_occurrences() {
  const std::string text = "CCCCGATTACAGATTACA"; // two records, end to end
  const std::vector<std::uint64_t> offsets = {0, 11, 18};
  const std::vector<std::string> names = {"chr1", "chr2"};
  const weft::fm_index index = weft::fm_index::build({text, offsets, names});

  const std::string patterns = "GATTACA"; // a batch of one
  const std::vector<std::uint64_t> pattern_offsets = {0, 7};
  for (const weft::fm_hit& hit : index.locate(patterns, pattern_offsets).hits)
    std::printf("GATTACA in %s at %d\n", std::string(index.name(hit.record)).c_str(),
                static_cast<int>(hit.begin));
}
// example-end

int main() { print_occurrences(); }
