// Builds an index of two records and finds where a pattern occurs in them.
// prints: GATTACA in chr1 at 4
// prints: GATTACA in chr2 at 0
#include <cstdio>
#include <string>
// example-begin
#include <weft/bwt/fm_index.hpp>

void print_occurrences() {
  weft::sequences references;
  references.add("CCCCGATTACA", "chr1");
  references.add("GATTACA", "chr2");
  const weft::fm_index index = weft::fm_index::build(references);
  for (const weft::fm_hit& hit : index.locate("GATTACA").hits) // of one pattern; a batch is faster for many
    std::printf("GATTACA in %s at %d\n", std::string(index.name(hit.record)).c_str(),
                static_cast<int>(hit.begin));
}
// example-end

int main() { print_occurrences(); }
