// Finds every match of some motifs in some proteins.
// prints: sequence 0: sequon at 1-3 (NGS)
// prints: sequence 1: basic_pair at 2-5 (KRAK)
#include <cstdio>
#include <string>
#include <vector>
// example-begin
#include <weft/scan/scan.hpp>

void print_matches() {
  weft::motif sequon = weft::parse_motif("N-{P}-[ST]");
  sequon.name = "sequon";
  weft::motif basic_pair = weft::parse_motif("[KR](2)-x(0,1)-[KR]");
  basic_pair.name = "basic_pair";
  const weft::motif_set motifs({sequon, basic_pair});

  weft::sequences proteins;
  proteins.add("MNGSA");
  proteins.add("MAKRAK");
  for (const weft::scan_match& match : weft::scan(motifs, proteins)) {
    const std::string residues(proteins[match.sequence].substr(match.begin, match.end - match.begin));
    std::printf("sequence %u: %s at %d-%d (%s)\n", match.sequence, motifs.motifs()[match.motif].name.c_str(),
                static_cast<int>(match.begin), static_cast<int>(match.end - 1), residues.c_str());
  }
}
// example-end

int main() { print_matches(); }
