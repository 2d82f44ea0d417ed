// Makes rows of motifs: lists of segments that an engine can match without further rules.
#include <algorithm>
#include <weft/scan/core/bit_stream_plan.hpp>

namespace weft::scan_detail {
namespace {

// An element of an alternative: between min and max residues of a class.
struct pattern_element {
  byte_class cls;
  bool any;
  std::uint64_t min, max;
  bool or_start = false, or_end = false; // as or_sequence_start and or_sequence_end of motif_element
};

// A motif of which parts at the ends of a sequence have been left out.
struct alternative {
  std::vector<pattern_element> elements;
  bool anchor_n, anchor_c;
};

byte_class to_class(const residue_set& set) {
  static const residue_set low(~std::uint64_t{0});
  byte_class result;
  for (std::size_t word = 0; word < 4; ++word) result.bits[word] = (set >> 64 * word & low).to_ullong();
  return result;
}

pattern_element to_element(const motif_element& e) {
  const byte_class cls = to_class(e.accepts);
  const bool any = e.any || e.accepts.all();
  return {cls,
          any,
          e.min,
          e.max == motif_element::unbounded ? unbounded_gap : e.max,
          e.or_sequence_start,
          e.or_sequence_end};
}

std::uint64_t add(std::uint64_t a, std::uint64_t b) { return a > unbounded_gap - b ? unbounded_gap : a + b; }

void reverse(alternative& a) {
  std::reverse(a.elements.begin(), a.elements.end());
  std::swap(a.anchor_n, a.anchor_c);
  for (pattern_element& p : a.elements) std::swap(p.or_start, p.or_end);
}

// Appends the alternatives of a motif with "[G>]": the motif itself; and for each [G>], if the elements
// behind it may be left out, the motif up to an optional G, anchored at the end of the sequence.
void append_end_alternatives(const alternative& whole, std::vector<alternative>& result) {
  result.push_back(whole);
  bool rest_may_go = true;
  for (std::size_t k = whole.elements.size(); k-- > 0;) {
    if (whole.elements[k].or_end && rest_may_go) {
      alternative cut{whole.elements, whole.anchor_n, true};
      cut.elements.resize(k + 1);
      cut.elements[k].min = 0;
      result.push_back(std::move(cut));
    }
    rest_may_go = rest_may_go && (whole.elements[k].min == 0 || whole.elements[k].or_end);
  }
}

// Returns the alternatives for "[G>]" and "[<G]". The latter is handled as "[G>]" of the reversed motif.
std::vector<alternative> edge_alternatives(const motif& m) {
  alternative whole{{}, m.anchor_n, m.anchor_c};
  for (const motif_element& e : m.elements) whole.elements.push_back(to_element(e));
  std::vector<alternative> cut_at_end, result;
  append_end_alternatives(whole, cut_at_end);
  for (alternative& a : cut_at_end) {
    reverse(a);
    append_end_alternatives(a, result);
  }
  for (alternative& a : result) reverse(a);
  return result;
}

// Appends the alternatives that together match the nonempty texts of `a`. If `a` can match the empty text,
// alternative k is the one in which element k is the first that takes residues.
void split_if_nullable(const alternative& a, std::vector<alternative>& result) {
  const auto nullable = [](const pattern_element& p) { return p.min == 0; };
  if (!std::all_of(a.elements.begin(), a.elements.end(), nullable)) {
    result.push_back(a);
    return;
  }
  for (std::size_t k = 0; k < a.elements.size(); ++k) {
    if (a.elements[k].max == 0) continue;
    alternative part{
        {a.elements.begin() + static_cast<std::ptrdiff_t>(k), a.elements.end()}, a.anchor_n, a.anchor_c};
    part.elements[0].min = 1;
    result.push_back(std::move(part));
  }
}

void append_row(const alternative& a, std::uint32_t index, class_ids& ids, bit_stream_plan& plan) {
  constexpr std::uint64_t max_checks = 32; // a longer run of one class becomes a gap of that class
  stream_row row{index, static_cast<std::uint32_t>(plan.segments.size()), 0, 0, 0, a.anchor_n, a.anchor_c};
  const auto checks = [&] { return static_cast<std::uint32_t>(plan.checks.size()); };
  const auto open = [&](std::uint64_t min, std::uint64_t max, std::int32_t cls) {
    plan.segments.push_back({min, max, cls, 0, checks(), checks()});
  };
  const auto id_of = [&](const byte_class& cls) {
    const auto [at, is_new] = ids.try_emplace(cls, static_cast<std::uint32_t>(plan.classes.size()));
    if (is_new) plan.classes.push_back(cls);
    return at->second;
  };
  open(0, 0, -1);
  for (const pattern_element& p : a.elements) {
    row.min_length = add(row.min_length, p.min);
    row.max_length = add(row.max_length, p.max);
    const std::int32_t cls = p.any ? -1 : static_cast<std::int32_t>(id_of(p.cls));
    if (!p.any && p.min > max_checks) {
      open(p.min, p.max, cls);
      continue;
    }
    stream_segment& s = plan.segments.back();
    if (p.any && s.length + p.min > 0xffffffU) {
      open(p.min, p.max, -1);
      continue;
    }
    for (std::uint64_t i = 0; i < p.min && !p.any; ++i)
      plan.checks.push_back({static_cast<std::uint32_t>(s.length + i), static_cast<std::uint32_t>(cls)});
    s.length += p.min;
    s.last_check = checks();
    if (p.max > p.min) open(0, p.max == unbounded_gap ? unbounded_gap : p.max - p.min, cls);
  }
  row.last_segment = static_cast<std::uint32_t>(plan.segments.size());
  plan.rows.push_back(row);
}

} // namespace

void append_stream_rows(const motif& m, std::uint32_t index, class_ids& ids, bit_stream_plan& plan) {
  if (!is_searched_by_engines(m, plan.which)) return;
  std::vector<alternative> nonempty;
  for (const alternative& a : edge_alternatives(m)) split_if_nullable(a, nonempty);
  for (alternative& a : nonempty) {
    if (plan.which == edge::ends) reverse(a);
    append_row(a, index, ids, plan);
  }
}

} // namespace weft::scan_detail
