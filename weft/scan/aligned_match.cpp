#include <algorithm>
#include <weft/scan/cpu/host_walker.hpp>
#include <weft/scan/scan.hpp>

namespace weft {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

} // namespace

std::string aligned_match(const motif& m, std::string_view sequence, std::uint64_t begin, std::uint64_t end) {
  const scan_detail::flat_motif_tables tables({m});
  scan_detail::host_walker walk(tables);
  std::string text(sequence.substr(begin, end - begin));
  if (walk(0, sequence, begin, begin) != end) return text;
  const std::vector<std::uint64_t> counts = walk.counts();
  std::string aligned;
  for (std::size_t k = 0, at = 0; k < m.elements.size(); at += counts[k++]) {
    const motif_element& element = m.elements[k];
    for (std::uint64_t i = 0; i < counts[k]; ++i)
      aligned += element.any ? lower(text[at + i]) : upper(text[at + i]);
    // Ps_scan.pl adds no dots then.
    const bool has_anchor = element.or_sequence_start || element.or_sequence_end;
    if (element.max != motif_element::unbounded && !has_anchor) aligned.append(element.max - counts[k], '.');
  }
  return aligned;
}

} // namespace weft
