// The plain definition of a scan: recursive backtracking over the elements, start by start. Exponential in
// the worst case.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>
#include <weft/scan/scan.hpp>

namespace weft_test {

struct scan_reference {
  const weft::motif& m;
  std::string_view text;
  std::size_t start = 0; // where [<M] sees the start of the sequence
  std::uint64_t unknown = 0;

  // First end of the elements from k on at p (all of them, in order of preference, if `ends` is given); npos:
  // none.
  std::size_t match(std::size_t k, std::size_t p, std::vector<std::size_t>* ends = nullptr) {
    if (k == m.elements.size()) {
      if (m.anchor_c && p != text.size()) return std::string_view::npos;
      if (ends) ends->push_back(p);
      return ends ? std::string_view::npos : p;
    }
    const weft::motif_element& e = m.elements[k];
    std::size_t run = 0;
    while (run < e.max && p + run < text.size() && e.accepts[static_cast<unsigned char>(text[p + run])])
      ++run;
    for (std::size_t i = 0; i <= run; ++i) {
      const std::size_t count = e.lazy ? i : run - i;
      if (count < e.min && !(e.or_sequence_end && p + count == text.size()) &&
          !(e.or_sequence_start && p == start))
        continue;
      if (const std::size_t end = match(k + 1, p + count, ends); end != std::string_view::npos) {
        for (std::size_t at = p; at < p + count && !e.any && !e.negated; ++at)
          unknown += text[at] == 'X' || text[at] == 'x';
        return end;
      }
    }
    return std::string_view::npos;
  }
};

// What ps_scan.pl reports for one sequence: (begin, end) pairs.
inline std::vector<std::pair<std::size_t, std::size_t>>
reference_ps_scan(const weft::motif& m, std::string_view text, const weft::scan_options& options) {
  std::vector<std::pair<std::size_t, std::size_t>> matches;
  std::size_t search = 0;
  long last_end = -1;
  for (std::size_t at = 0; at < text.size(); ++at) {
    scan_reference reference{m, text, search};
    const std::size_t end = m.anchor_n && at > 0 ? std::string_view::npos : reference.match(0, at);
    if (end == std::string_view::npos) continue;
    const bool known = options.max_x < 0 || reference.unknown <= static_cast<std::uint64_t>(options.max_x);
    if (end > at && known && (options.included || static_cast<long>(end) > last_end)) {
      matches.emplace_back(at, end);
      last_end = static_cast<long>(end);
    }
    search = options.overlap || end == at ? at + 1 : end;
    at = search - 1;
  }
  return matches;
}

} // namespace weft_test
