#include <cstdio>
#include <weft/base/version.hpp>
#include <weft/lcs/lcs.hpp>
#include <weft/scan/scan.hpp>

int main() {
  std::printf("LCS %d\n", static_cast<int>(weft::lcs_length("ABCBDAB", "BDCABA")));
  const weft::motif_set motifs({weft::parse_motif("N-{P}-[ST]-{P}")});
  const std::string text = "MNGSA";
  const std::uint64_t offsets[] = {0, text.size()};
  for (const weft::scan_match& match : weft::scan(motifs, {text, offsets}))
    std::printf("match %d-%d\n", static_cast<int>(match.begin), static_cast<int>(match.end));
}
