// Every match of some motifs in some proteins.
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

  const std::string residues = "MNGSAMAKRAK";            // two proteins, end to end
  const std::vector<std::uint64_t> offsets = {0, 5, 11}; // where each begins, and the end
  for (const weft::scan_match& match : weft::scan(motifs, {residues, offsets})) {
    const std::uint64_t begin = offsets[match.sequence] + match.begin;
    std::printf("sequence %u: %s at %d-%d (%s)\n", match.sequence, motifs.motifs()[match.motif].name.c_str(),
                static_cast<int>(match.begin), static_cast<int>(match.end - 1),
                residues.substr(begin, match.end - match.begin).c_str());
  }
}
// example-end

int main() { print_matches(); }
