#include <weft/scan/cuda/bit_stream/bit_stream_tables.hpp>

#include <algorithm>

namespace weft::scan_detail {

namespace {

// Costs in cycles of a multiprocessor for 512 positions.
constexpr stream_costs gpu_costs{.load = 0.3,
                                 .variant = 0.3,
                                 .candidate = 7,
                                 .row = 11,
                                 .second = 8,
                                 .tile_words = 8,
                                 .late = 0,
                                 .max_streams = max_streams - 1,
                                 .min_filters = 4,
                                 .max_filters = stream_filter::capacity,
                                 .second_elements = max_second_elements,
                                 .offsets = stream_words,
                                 .leads = true,
                                 .max_row_length = max_row_length,
                                 .anchored_of_any_length = false};

// The positions of streams in shared memory. Every class that a filter uses has a stream, sequence starts
// included. Streams are stored one after another, those with the longest halos first, in groups of eight
// streams with halos of the same length.
struct stream_layout {
  std::vector<std::uint32_t> classes; // class of each stream
  // stream_of: stream of each class; base, halo: first word and halo length of each stream.
  std::vector<std::uint32_t> stream_of, base, halo;
  std::uint32_t words = 0;

  explicit stream_layout(const bit_stream_plan& plan) : stream_of(plan.classes.size() + 1, 0) {
    std::vector<int> offset(plan.classes.size() + 1, -1);
    for (const stream_check& e : plan.filter_elements)
      offset[e.cls] = std::max(offset[e.cls], static_cast<int>(e.offset));
    for (std::uint32_t c = 0; c < offset.size(); ++c)
      if (offset[c] >= 0) classes.push_back(c);
    std::stable_sort(classes.begin(), classes.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return offset[a] > offset[b]; });
    for (std::uint32_t s = 0; s < classes.size(); ++s) {
      stream_of[classes[s]] = s;
      base.push_back(words);
      halo.push_back(static_cast<std::uint32_t>(offset[classes[s / 8 * 8]]));
      words += stream_words + halo.back();
    }
  }
};

// Returns the address of an element in words.
std::uint32_t address_of(const stream_check& e, const stream_layout& streams) {
  return streams.base[streams.stream_of[e.cls]] + e.offset;
}

stream_filter filter_of(const std::vector<stream_check>& elements, const stream_layout& streams) {
  stream_filter filter{};
  for (std::size_t i = 0; i < stream_filter::capacity; ++i)
    filter.at[i / 2] |= address_of(elements[std::min(i, elements.size() - 1)], streams)
                        << (i % 2 == 0 ? 0 : stream_filter::second_shift);
  return filter;
}

// Returns the elements of a variant that its group's filter does not contain.
std::vector<stream_check> elements_beside(const std::vector<stream_check>& filter, const stream_variant& v,
                                          const bit_stream_plan& plan) {
  std::vector<stream_check> elements = elements_of(plan, v);
  std::erase_if(elements, [&](const stream_check& e) {
    return std::find(filter.begin(), filter.end(), e) != filter.end();
  });
  return elements;
}

// Appends extra filters with the rarest of `elements`. Elements that do not fit there become checks: the
// checks of the last variant are moved to the end of `tables.checks` and these elements appended to them.
void append_second_elements(const std::vector<stream_check>& elements, const stream_check& other,
                            const bit_stream_plan& plan, const stream_layout& streams, bool shared,
                            variant_tables& tables) {
  const std::size_t capacity = shared ? extra_filter::capacity : max_second_elements;
  for (std::size_t i = 0; i < capacity; i += extra_filter::capacity) {
    extra_filter four{};
    for (std::size_t k = 0; k < extra_filter::capacity; ++k)
      four.at[k] =
          static_cast<std::uint16_t>(address_of(i + k < elements.size() ? elements[i + k] : other, streams));
    (i == 0 ? tables.second_filters : tables.third_filters).push_back(four);
  }
  if (elements.size() <= capacity) return;
  filter_checks& v = tables.variants.back();
  std::vector<stream_check>& checks = tables.checks;
  const std::vector<stream_check> own(checks.begin() + v.first_check, checks.begin() + v.last_check);
  v.first_check = static_cast<std::uint32_t>(checks.size());
  checks.insert(checks.end(), own.begin(), own.end());
  for (std::size_t i = capacity; i < elements.size(); ++i)
    if (elements[i].cls < plan.classes.size())
      // The variant's flags cover sequence starts.
      checks.push_back(elements[i]);
  v.last_check = static_cast<std::uint32_t>(checks.size());
}

// Returns for each class a 32-bit set: bit b % 32 is set for each byte b of the class.
std::vector<std::uint32_t> low_bits_of(const bit_stream_plan& plan) {
  std::vector<std::uint32_t> bits(plan.classes.size());
  for (std::size_t c = 0; c < bits.size(); ++c)
    for (unsigned b = 0; b < 256; ++b)
      if (plan.classes[c].has(static_cast<unsigned char>(b))) bits[c] |= 1U << b % 32;
  return bits;
}

// Appends residue tests for the rarest of the last variant's checks that lie in the tile's text.
void append_tests(const bit_stream_plan& plan, const std::vector<std::uint32_t>& low_bits,
                  variant_tables& tables) {
  constexpr double max_pass_rate = 0.9; // a test of a class with more residues would reject too little
  const filter_checks& v = tables.variants.back();
  std::vector<stream_check> checks;
  for (std::uint32_t c = v.first_check; c < v.last_check; ++c)
    if (tables.checks[c].offset < stream_words && plan.class_rates[tables.checks[c].cls] < max_pass_rate)
      checks.push_back(tables.checks[c]);
  std::stable_sort(checks.begin(), checks.end(), [&](const stream_check& a, const stream_check& b) {
    return plan.class_rates[a.cls] < plan.class_rates[b.cls];
  });
  checks.resize(std::min<std::size_t>(checks.size(), residue_test::max_per_variant));
  for (const stream_check& check : checks) tables.tests.push_back({low_bits[check.cls], check.offset});
  if (checks.size() % 2 != 0) tables.tests.push_back({~0U, 0});
  tables.first_tests.push_back(static_cast<std::uint32_t>(tables.tests.size() / 2));
}

void mark_same_first(std::vector<stream_filter>& filters) {
  for (std::size_t i = filters.size(); i-- > 1;)
    if (((filters[i].at[0] ^ filters[i - 1].at[0]) & stream_filter::address) == 0)
      filters[i].at[0] |= stream_filter::same_first;
}

filter_checks checks_of(const stream_variant& v, const bit_stream_plan& plan) {
  std::uint32_t flags = 0;
  if (v.complete) flags |= filter_checks::complete;
  if (v.late) flags |= filter_checks::late;
  if (v.anchor_n) flags |= filter_checks::anchor_n;
  if (plan.rows[v.row].anchor_c) flags |= filter_checks::anchor_c;
  return {v.motif,        v.row,   v.first_check, v.last_check, v.late ? v.lead : v.length,
          v.next_segment, v.slack, flags};
}

std::vector<std::uint32_t> members_of(const bit_stream_plan& plan, const stream_layout& streams) {
  std::vector<std::uint32_t> members(max_streams / 32 * 256);
  for (std::uint32_t s = 0; s < streams.classes.size(); ++s)
    for (unsigned b = 0; b < 256 && streams.classes[s] < plan.classes.size(); ++b)
      if (plan.classes[streams.classes[s]].has(static_cast<unsigned char>(b)))
        members[s / 32 * 256 + b] |= 1U << s % 32;
  return members;
}

std::vector<halo_word> halo_words_of(const stream_layout& streams) {
  std::vector<halo_word> halo;
  for (std::uint32_t s = 0; s < streams.classes.size(); ++s)
    for (std::uint32_t w = 0; w < streams.halo[s]; ++w)
      halo.push_back({static_cast<std::uint16_t>(streams.base[s] + w), static_cast<std::uint8_t>(s),
                      static_cast<std::uint8_t>(w)});
  return halo;
}

std::vector<std::uint32_t> class_bits_of(const bit_stream_plan& plan) {
  std::vector<std::uint32_t> classes;
  for (const byte_class& c : plan.classes)
    for (const std::uint64_t bits : c.bits) {
      classes.push_back(static_cast<std::uint32_t>(bits));
      classes.push_back(static_cast<std::uint32_t>(bits >> 32));
    }
  return classes;
}

// Returns `length`, or max_row_length + 1 if it is longer. Longer lengths only occur in dense rows, which the
// kernels do not read.
std::uint32_t clamp_length(std::uint64_t length) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(length, max_row_length + 1));
}

std::vector<row_segment> segments_of(const bit_stream_plan& plan) {
  std::vector<row_segment> segments;
  for (const stream_segment& s : plan.segments)
    segments.push_back({clamp_length(s.gap_min), clamp_length(s.gap_max), clamp_length(s.length),
                        s.first_check, s.last_check, s.gap_class});
  return segments;
}

std::vector<row_limits> rows_of(const bit_stream_plan& plan) {
  std::vector<row_limits> rows;
  for (const stream_row& r : plan.rows)
    rows.push_back({r.first_segment, r.last_segment, clamp_length(r.max_length), r.anchor_n, r.anchor_c});
  return rows;
}

template <class T> gpu::device_buffer<T> upload(const std::vector<T>& items, cudaStream_t stream) {
  if (items.empty()) return {1, stream};
  return gpu::uploaded(std::span<const T>(items), stream, "copy compiled motifs");
}

} // namespace

variant_tables::variant_tables(const bit_stream_plan& plan) : checks(plan.checks), first_tests{0} {
  const stream_layout streams(plan);
  const std::vector<variant_group> all = group_variants(plan);
  const bool shared = all.size() != plan.variants.size();
  const std::vector<std::uint32_t> low_bits = shared ? low_bits_of(plan) : std::vector<std::uint32_t>();
  for (const variant_group& group : all) {
    filters.push_back(filter_of(group.filter, streams));
    if (shared)
      groups.push_back(static_cast<std::uint32_t>(variants.size() << group_shift | group.members.size()));
    for (const std::uint32_t i : group.members) {
      const stream_variant& v = plan.variants[i];
      variants.push_back(checks_of(v, plan));
      append_second_elements(elements_beside(group.filter, v, plan), group.filter.front(), plan, streams,
                             shared, *this);
      if (shared) append_tests(plan, low_bits, *this);
      max_back = std::max(max_back, v.late ? v.lead + v.slack : 0U);
    }
  }
  num_filters = static_cast<std::uint32_t>(filters.size());
  mark_same_first(filters);
  filters.resize(filters.size() + 31);
  second_filters.resize(second_filters.size() + 31);
  third_filters.resize(third_filters.size() + 31);
}

uploaded_plan::uploaded_plan(const bit_stream_plan& plan, const variant_tables& tables, cudaStream_t stream) {
  const stream_layout streams(plan);
  filters_ = upload(tables.filters, stream);
  groups_ = upload(tables.groups, stream);
  second_filters_ = upload(tables.second_filters, stream);
  third_filters_ = upload(tables.third_filters, stream);
  tests_ = upload(tables.tests, stream);
  first_tests_ = upload(tables.first_tests, stream);
  variants_ = upload(tables.variants, stream);
  halo_ = upload(halo_words_of(streams), stream);
  members_ = upload(members_of(plan, streams), stream);
  classes_ = upload(class_bits_of(plan), stream);
  checks_ = upload(tables.checks, stream);
  segments_ = upload(segments_of(plan), stream);
  rows_ = upload(rows_of(plan), stream);
  const auto last = static_cast<std::uint32_t>(plan.classes.size());
  const bool bounded = std::count(streams.classes.begin(), streams.classes.end(), last) != 0;
  view_.filters = filters_.data();
  view_.groups = tables.groups.empty() ? nullptr : groups_.data();
  view_.second_filters = second_filters_.data();
  view_.third_filters = third_filters_.data();
  view_.tests = tests_.data();
  view_.first_tests = first_tests_.data();
  view_.variants = variants_.data();
  view_.num_filters = tables.num_filters;
  view_.num_variants = static_cast<std::uint32_t>(tables.variants.size());
  view_.max_back = tables.max_back;
  view_.num_streams = static_cast<std::uint32_t>(streams.classes.size());
  view_.arena_words = streams.words;
  view_.halo_words = streams.words - view_.num_streams * stream_words;
  view_.boundary_stream = bounded ? static_cast<std::int32_t>(streams.stream_of[last]) : -1;
  for (std::uint32_t s = 0; s < streams.classes.size(); s += 8) {
    view_.first_word[s / 8] = static_cast<std::uint16_t>(streams.base[s]);
    view_.stride[s / 8] = static_cast<std::uint16_t>(stream_words + streams.halo[s]);
  }
  view_.halo = halo_.data();
  view_.members = members_.data();
  view_.classes = classes_.data();
  view_.checks = checks_.data();
  view_.segments = segments_.data();
  view_.rows = rows_.data();
}

bit_stream_plan plan_for_gpu(std::span<const motif> motifs, alphabet letters, edge which,
                             std::uint32_t max_words) {
  return plan_variants(motifs, letters, which, gpu_costs,
                       [=](const bit_stream_plan& plan) { return stream_layout(plan).words <= max_words; });
}

host_plan::host_plan(const motif_set::compiled& motifs, edge edge_of_matches, std::uint32_t words)
    : which(edge_of_matches), max_words(words),
      plan(plan_for_gpu(motifs.motifs, motifs.syntax.alphabet, which, words)) {
  if (plan.variants.size() >> (64 - variant_shift) == 0) tables.emplace(plan);
}

} // namespace weft::scan_detail
