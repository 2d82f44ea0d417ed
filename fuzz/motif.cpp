// Takes a pattern, a newline and a text. Checks that the parser does not crash and that all engines find the
// same matches.
#include <cstdlib>
#include <string_view>
#include <weft/scan/scan.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view data(reinterpret_cast<const char*>(bytes) + 1, size - 1);
  const std::string_view pattern = data.substr(0, data.find('\n')),
                         text = data.substr(std::min(pattern.size() + 1, data.size()));
  const weft::motif_syntax syntax{.alphabet = static_cast<weft::alphabet>(bytes[0] % 3),
                                  .greedy = (bytes[0] & 4) == 0,
                                  .unknown_in_sets = (bytes[0] & 8) == 0};
  weft::motif m;
  weft::motif_fault fault;
  if (!weft::parse_motif(pattern, syntax, m, fault)) {
    if (fault.column == 0 || fault.column > pattern.size() + 1 || fault.expected.empty()) std::abort();
    return 0;
  }
  std::uint64_t longest = 0;
  for (const weft::motif_element& element : m.elements)
    longest += element.max == weft::motif_element::unbounded ? 1 : element.max;
  if (longest > 2000 || text.size() > 500) return 0;
  const weft::motif_set motifs({m}, syntax);
  const std::uint64_t offsets[] = {0, text.size() / 3, text.size()};
  for (const auto rule : {weft::match_rule::ps_scan, weft::match_rule::ends}) {
    weft::scan_options options{.rule = rule, .overlap = (bytes[0] & 16) == 0, .run = {.threads = 1}};
    options.run.engine = "nfa-array";
    const auto matches = weft::scan(motifs, {text, offsets}, options);
    for (const char* engine : {"shift-and", "bit-stream"}) {
      options.run.engine = engine;
      if (weft::scan(motifs, {text, offsets}, options) != matches) std::abort();
    }
  }
  return 0;
}
