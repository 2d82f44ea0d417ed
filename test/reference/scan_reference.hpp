// Defines a scan plainly: recursive backtracking over the elements and their repeats, from every start, as
// Perl's regular expressions do it in ps_scan.pl. Failures are remembered, because a failure does not depend
// on how its state was reached.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>
#include <weft/scan/scan.hpp>

namespace weft_test {

struct scan_reference {
  const weft::motif& m;
  std::string_view text;
  std::size_t start = 0; // the position where [<M] sees the start of the sequence
  std::uint64_t unknown = 0;
  std::set<std::array<std::size_t, 3>> failed = {}; // the arguments of failed calls of repeat()

  // Returns the first end of the elements from k on at p, or npos if there is none. Adds all ends, in order
  // of preference, to `ends` if it is given.
  std::size_t match(std::size_t k, std::size_t p, std::vector<std::size_t>* ends = nullptr) {
    if (k == m.elements.size()) {
      if (m.anchor_c && p != text.size()) return std::string_view::npos;
      if (ends) ends->push_back(p);
      return ends ? std::string_view::npos : p;
    }
    return repeat(k, p, 0, ends);
  }

  // Returns the same for the repeats of element k after the first `done` ones. A repeat is a residue or, up
  // to the minimal number of repeats, the anchor of its bracket.
  std::size_t repeat(std::size_t k, std::size_t p, std::size_t done, std::vector<std::size_t>* ends) {
    if (!ends && failed.contains({k, p, done})) return std::string_view::npos;
    const std::size_t end = repeat_anew(k, p, done, ends);
    if (end == std::string_view::npos) failed.insert({k, p, done});
    return end;
  }
  std::size_t repeat_anew(std::size_t k, std::size_t p, std::size_t done, std::vector<std::size_t>* ends) {
    const weft::motif_element& e = m.elements[k];
    const auto go_on = [&] { return done < e.min ? std::string_view::npos : match(k + 1, p, ends); };
    if (e.lazy)
      if (const std::size_t end = go_on(); end != std::string_view::npos) return end;
    if (done < e.max && p < text.size() && e.accepts[static_cast<unsigned char>(text[p])])
      if (const std::size_t end = repeat(k, p + 1, done + 1, ends); end != std::string_view::npos) {
        unknown += !e.any && !e.negated && (text[p] == 'X' || text[p] == 'x');
        return end;
      }
    if (done < e.min && ((e.or_sequence_start && p == start) || (e.or_sequence_end && p == text.size())))
      if (const std::size_t end = repeat(k, p, done + 1, ends); end != std::string_view::npos) return end;
    return e.lazy ? std::string_view::npos : go_on();
  }
};

// Returns the matches that ps_scan.pl reports for one sequence, as (begin, end) pairs.
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

// Returns the begin and end of every match of a motif in one text by the definition of the rule. The order is
// not stated.
inline std::vector<std::pair<std::size_t, std::size_t>>
reference_matches(const weft::motif& m, std::string_view text, const weft::scan_options& options) {
  if (options.rule == weft::match_rule::ps_scan) return reference_ps_scan(m, text, options);
  std::vector<std::pair<std::size_t, std::size_t>> matches;
  std::map<std::size_t, std::size_t> largest_start; // the largest start for each end
  for (std::size_t begin = 0; begin < text.size() && (begin == 0 || !m.anchor_n); ++begin) {
    scan_reference reference{m, text};
    std::vector<std::size_t> ends;
    if (options.rule == weft::match_rule::ends) {
      (void)reference.match(0, begin, &ends);
      for (const std::size_t end : ends)
        if (end > begin) largest_start[end] = begin;
    } else if (const std::size_t end = reference.match(0, begin);
               end != std::string_view::npos && end > begin) {
      matches.emplace_back(begin, end);
    }
  }
  for (const auto& [end, begin] : largest_start) matches.emplace_back(begin, end);
  return matches;
}

} // namespace weft_test
