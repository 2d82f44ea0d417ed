// weft::fm_index: the searches.
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nanobind/stl/string.h>
#include <numeric>
#include <optional>
#include <string>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/files/find/patterns.hpp>

#include "device_arrays.hpp"
#include "index.hpp"
#include "integers.hpp"
#include "sequences.hpp"

namespace weft::python {

namespace {

// Rough costs in nanoseconds: of searching for a pattern, of each letter of it, and of listing a hit.
constexpr double pattern_cost = 500, letter_cost = 30, hit_cost = 50;

// The patterns of a search, or the queries of a comparison: one text, or a batch. Searches share the object,
// because its views refer to it.
class pattern_batch {
public:
  pattern_batch(nb::handle value, const char* name, const char* function, const index_object& index,
                const call& started) {
    is_single_ = PyUnicode_Check(value.ptr()) != 0 || PyObject_CheckBuffer(value.ptr()) != 0;
    if (is_single_) {
      batch_.data = read_text(value, name, {io::element_type::u8}, started).symbols;
      batch_.on_gpu = batch_.data.on_gpu();
      ends_ = {0, batch_.data.size};
    } else {
      batch_ = read_sequences(value, name, started);
    }
    if (batch_.on_gpu) refuse_device_array(function);
    view_ = batch_.view();
    if (is_single_) view_.offsets = ends_;
    if (view_.offsets.empty()) view_.offsets = std::span(ends_).first(1);
    if (!index.is_dna() || !files::has_u(view_.data)) return;
    as_dna_ = view_.data;
    files::replace_u_by_t(as_dna_, 1);
    view_.data = as_dna_;
  }
  pattern_batch(const pattern_batch&) = delete;
  pattern_batch& operator=(const pattern_batch&) = delete;

  [[nodiscard]] bool is_single() const noexcept { return is_single_; }
  // Returns the patterns, with T for U if the index is of DNA.
  [[nodiscard]] const sequences_view& view() const noexcept { return view_; }
  [[nodiscard]] std::uint64_t count() const noexcept { return view_.count(); }
  // Returns the cost of finding `strands` strands of the patterns, without listing hits.
  [[nodiscard]] double cost(unsigned strands) const {
    return strands * (pattern_cost * static_cast<double>(count()) +
                      letter_cost * static_cast<double>(view_.data.size()));
  }
  // Returns the reverse complements of the patterns.
  [[nodiscard]] std::string reverse_complements() const {
    std::string reversed(view_.data.size(), '\0');
    for (std::uint64_t p = 0; p < count(); ++p)
      files::reverse_complement(view_[p], reversed.data() + view_.offsets[p]);
    return reversed;
  }

private:
  bool is_single_ = false;
  sequences_argument batch_;
  std::vector<std::uint64_t> ends_{0};
  std::string as_dna_;
  sequences_view view_;
};

std::shared_ptr<const pattern_batch> read_patterns(nb::handle value, const char* function,
                                                   const index_object& index, const call& started) {
  return std::make_shared<const pattern_batch>(value, "p", function, index, started);
}

// Throws InputError unless the index is of DNA, which `what` needs.
void require_dna(const index_object& index, const char* what) {
  if (!index.is_dna())
    throw error(errc::invalid_input, fmt::format("{} can be used only with an index of DNA", what));
}

// Returns the number of hits that are listed: all for None.
std::uint64_t max_hits_of(nb::handle value) {
  return value.is_none() ? ~std::uint64_t{0} : read_integer(value, "max_hits");
}

// Returns how often each pattern occurs.
std::vector<std::uint64_t> count_strands(const fm_index& index, const pattern_batch& patterns,
                                         bool both_strands, const fm_search_options& options) {
  std::vector<std::uint64_t> counts = index.count(patterns.view(), options);
  if (!both_strands) return counts;
  const std::string reversed = patterns.reverse_complements();
  const std::vector<std::uint64_t> others = index.count({reversed, patterns.view().offsets}, options);
  std::transform(counts.begin(), counts.end(), others.begin(), counts.begin(), std::plus<>());
  return counts;
}

// Returns the patterns, if they are (data, offsets) in the memory of a GPU.
std::optional<sequences_argument> read_device_patterns(nb::handle p, bool both_strands, const call& started) {
  if (!is_device_batch(p)) return std::nullopt;
  started.refuse_engine("p");
  if (both_strands)
    throw nb::value_error("both_strands can be used only with patterns in the memory of the host");
  return read_sequences(p, "p", started);
}

nb::object count(const index_object& self, nb::handle p, bool both_strands, const nb::tuple& arguments) {
  call started(arguments);
  if (const auto on_gpu = read_device_patterns(p, both_strands, started))
    return device_count(started, self.index(), self.copies(), *on_gpu);
  if (both_strands) require_dna(self, "both_strands");
  const auto patterns = read_patterns(p, "weft.FMIndex.count", self, started);
  const unsigned strands = both_strands ? 2 : 1;
  std::vector<std::uint64_t> counts =
      started.execute(patterns->cost(strands), strands * patterns->count(), [&](const run_options& run) {
        return count_strands(self.index(), *patterns, both_strands, {.run = run});
      });
  if (patterns->is_single()) return nb::int_(counts.front());
  return numpy_array(std::move(counts));
}

// The columns of weft.Hits.
struct hit_columns {
  unwritten_vector<std::uint64_t> record, begin, end;
  unwritten_vector<std::uint8_t> reverse, distance;
  unwritten_vector<std::uint64_t> offsets{0}, totals;

  void add(const fm_hit& hit, std::uint64_t size, bool is_reverse) {
    record.push_back(hit.record);
    begin.push_back(hit.begin);
    end.push_back(hit.begin + size);
    reverse.push_back(is_reverse ? 1 : 0);
  }
};

// Returns the strands as mappy has them: 1, or -1 for a reverse complement.
numpy_object strands_of(const unwritten_vector<std::uint8_t>& reverse) {
  std::vector<std::int8_t> strands(reverse.size());
  std::transform(reverse.begin(), reverse.end(), strands.begin(),
                 [](std::uint8_t is_reverse) { return static_cast<std::int8_t>(is_reverse != 0 ? -1 : 1); });
  return numpy_array(std::move(strands));
}

// Returns (record, begin, end, strand, distance, offsets, totals), with one total for each pattern or, if
// `num_totals` is not 0, a row of so many.
nb::tuple arrays_of(hit_columns columns, std::uint64_t num_totals) {
  const std::uint64_t num_patterns = columns.offsets.size() - 1;
  nb::object totals = numpy_array(std::move(columns.totals));
  if (num_totals > 0) totals = totals.attr("reshape")(num_patterns, num_totals);
  return nb::make_tuple(numpy_array(std::move(columns.record)), numpy_array(std::move(columns.begin)),
                        numpy_array(std::move(columns.end)), strands_of(columns.reverse),
                        numpy_array(std::move(columns.distance)), numpy_array(std::move(columns.offsets)),
                        totals);
}

// Returns the hits of both strands in one order: for each pattern by record and begin, the forward strand
// first, and of these the first `max_hits`.
hit_columns merge_strands(const sequences_view& patterns, const fm_hits& forward, const fm_hits& reverse,
                          std::uint64_t max_hits) {
  hit_columns columns;
  const std::uint64_t bound = forward.hits.size() + reverse.hits.size();
  for (auto* column : {&columns.record, &columns.begin, &columns.end}) column->reserve(bound);
  columns.reverse.reserve(bound);
  const bool both = !reverse.totals.empty();
  for (std::uint64_t p = 0; p < patterns.count(); ++p) {
    std::uint64_t f = forward.offsets[p], r = both ? reverse.offsets[p] : 0;
    const std::uint64_t f_end = forward.offsets[p + 1], r_end = both ? reverse.offsets[p + 1] : 0;
    std::uint64_t num_left = std::min(max_hits, f_end - f + (r_end - r));
    for (; num_left > 0; --num_left) {
      const bool is_reverse = f == f_end || (r < r_end && reverse.hits[r] < forward.hits[f]);
      columns.add(is_reverse ? reverse.hits[r++] : forward.hits[f++], patterns.size(p), is_reverse);
    }
    columns.offsets.push_back(columns.record.size());
    columns.totals.push_back(forward.totals[p] + (both ? reverse.totals[p] : 0));
  }
  columns.distance.assign(columns.record.size(), 0);
  return columns;
}

// Returns the cost of listing the hits. Without knowing how many there are, an upper bound, unless the
// patterns are so few that they can be counted at once: then it throws memory_error if the hits do not fit in
// memory.
double cost_of_hits(const fm_index& index, const pattern_batch& patterns, bool both_strands,
                    std::uint64_t max_hits) {
  constexpr std::uint64_t letters_to_count = 4096, bytes_of_hit = 64;
  constexpr double large_cost = 10e6;
  const double bound = hit_cost * (both_strands ? 2 : 1) * static_cast<double>(patterns.count()) *
                       static_cast<double>(std::min(max_hits, index.num_symbols()));
  if (bound < large_cost || patterns.view().data.size() > letters_to_count) return bound;
  const nb::gil_scoped_release released;
  std::uint64_t hits = 0;
  for (const std::uint64_t total :
       count_strands(index, patterns, both_strands, {.run = {.device = {device_kind::cpu, 0}, .threads = 1}}))
    hits += std::min(total, max_hits);
  constexpr std::uint64_t unchecked_hits = std::uint64_t{1} << 18;
  if (hits > unchecked_hits && hits > memory_limit(0) / bytes_of_hit)
    throw memory_error(
        fmt::format("the {} occurrences need up to {} of memory, more than is available: count them, "
                    "or set max_hits",
                    hits, format_size(hits * bytes_of_hit)));
  return hit_cost * static_cast<double>(hits);
}

nb::tuple locate(const index_object& self, nb::handle p, nb::handle max_hits, bool both_strands,
                 const nb::tuple& arguments) {
  call started(arguments);
  if (const auto on_gpu = read_device_patterns(p, both_strands, started))
    return device_locate(started, self.index(), self.copies(), *on_gpu, max_hits_of(max_hits));
  if (both_strands) require_dna(self, "both_strands");
  const auto patterns = read_patterns(p, "weft.FMIndex.locate", self, started);
  const std::uint64_t limit = max_hits_of(max_hits);
  const unsigned strands = both_strands ? 2 : 1;
  const double cost = patterns->cost(strands) + cost_of_hits(self.index(), *patterns, both_strands, limit);
  hit_columns columns = started.execute(cost, strands * patterns->count(), [&](const run_options& run) {
    const fm_search_options options{.max_hits = limit, .run = run};
    const fm_hits forward = self.index().locate(patterns->view(), options);
    if (!both_strands) return merge_strands(patterns->view(), forward, {}, limit);
    const std::string reversed = patterns->reverse_complements();
    const fm_hits reverse = self.index().locate({reversed, patterns->view().offsets}, options);
    return merge_strands(patterns->view(), forward, reverse, limit);
  });
  return arrays_of(std::move(columns), 0);
}

// `choices` is (max_distance, metric, both_strands, iupac, best, all_ends, max_hits, exact_prefix,
// exact_suffix).
near_options near_options_of(const nb::tuple& choices) {
  near_options options;
  options.max_distance =
      static_cast<std::uint32_t>(read_integer(choices[0], "max_distance", max_near_distance));
  const std::string metric = read_str(choices[1], "metric");
  if (metric != "mismatches" && metric != "errors")
    throw nb::value_error(
        fmt::format("metric must be \"mismatches\" or \"errors\", not \"{}\"", metric).c_str());
  options.metric = metric == "errors" ? near_metric::errors : near_metric::mismatches;
  options.both_strands = nb::cast<bool>(choices[2]);
  options.iupac = nb::cast<bool>(choices[3]);
  options.best = nb::cast<bool>(choices[4]);
  options.all_ends = nb::cast<bool>(choices[5]);
  if (options.all_ends && options.metric != near_metric::errors)
    throw nb::value_error("all_ends can be used only with metric=\"errors\"");
  options.max_hits = max_hits_of(choices[6]);
  options.exact_prefix = read_integer(choices[7], "exact_prefix");
  options.exact_suffix = read_integer(choices[8], "exact_suffix");
  return options;
}

// Throws InputError, as the command does, for a pattern that is none of DNA or too short.
void check_near_patterns(const sequences_view& patterns, const near_options& options) {
  for (std::uint64_t p = 0; p < patterns.count(); ++p)
    for (const std::string& why :
         {files::why_not_dna(patterns[p]), files::why_too_short(patterns[p], options)})
      if (!why.empty()) throw error(errc::invalid_input, fmt::format("pattern {}: {}", p, why));
}

nb::tuple locate_near(const index_object& self, nb::handle p, const nb::tuple& choices,
                      const nb::tuple& arguments) {
  call started(arguments);
  require_dna(self, "locate_near");
  const auto patterns = read_patterns(p, "weft.FMIndex.locate_near", self, started);
  near_options options = near_options_of(choices);
  // A scan compares each pattern with all symbols.
  const double cost = static_cast<double>(patterns->count()) * 1000 *
                      (100 + static_cast<double>(self.index().num_symbols()) / 4096);
  near_hits hits = started.execute(cost, patterns->count(), [&](const run_options& run) {
    check_near_patterns(patterns->view(), options);
    near_options with_run = options;
    with_run.run = run;
    return self.index().locate_near(patterns->view(), with_run);
  });
  return arrays_of({std::move(hits.record), std::move(hits.begin), std::move(hits.end),
                    std::move(hits.reverse), std::move(hits.distance), std::move(hits.offsets),
                    std::move(hits.totals)},
                   options.max_distance + 1);
}

match_kind match_kind_of(const std::string& name) {
  if (name == "mem") return match_kind::mem;
  if (name == "mum") return match_kind::mum;
  if (name == "mum-ref") return match_kind::mum_ref;
  if (name == "smem") return match_kind::smem;
  throw nb::value_error(
      fmt::format("kind must be \"mem\", \"mum\", \"mum-ref\" or \"smem\", not \"{}\"", name).c_str());
}

// Returns (query, query_begin, record, begin, length, strand). `choices` is (min_length, kind,
// min_occurrences, both_strands).
nb::tuple matches(const index_object& self, nb::handle queries, const nb::tuple& choices,
                  const nb::tuple& arguments) {
  call started(arguments);
  require_dna(self, "matches");
  const pattern_batch batch(queries, "queries", "weft.FMIndex.matches", self, started);
  match_options options;
  options.min_length = read_integer(choices[0], "min_length");
  options.kind = match_kind_of(read_str(choices[1], "kind"));
  options.min_occurrences = read_integer(choices[2], "min_occurrences");
  options.both_strands = nb::cast<bool>(choices[3]);
  if (options.min_length == 0 || options.min_occurrences == 0)
    throw nb::value_error("min_length and min_occurrences must be at least 1");
  if (options.min_occurrences > 1 && options.kind != match_kind::smem)
    throw nb::value_error("min_occurrences can be used only with kind=\"smem\"");
  const std::uint64_t letters = batch.view().data.size() * (options.both_strands ? 2 : 1);
  // A letter may begin a match with each letter of the references.
  const double cost =
      static_cast<double>(letters) * std::min(1000.0, 100 + static_cast<double>(self.index().num_symbols()));
  fm_matches found = started.execute(cost, letters, [&](const run_options& run) {
    match_options with_run = options;
    with_run.run = run;
    return self.index().matches(batch.view(), with_run);
  });
  return nb::make_tuple(numpy_array(std::move(found.query)), numpy_array(std::move(found.query_begin)),
                        numpy_array(std::move(found.record)), numpy_array(std::move(found.begin)),
                        numpy_array(std::move(found.length)), strands_of(found.reverse));
}

} // namespace

void bind_index_search(nb::class_<index_object>& index) {
  index.def("count", count, nb::arg("p").none(), nb::arg("both_strands"), nb::arg("run"));
  index.def("locate", locate, nb::arg("p").none(), nb::arg("max_hits").none(), nb::arg("both_strands"),
            nb::arg("run"));
  index.def("locate_near", locate_near, nb::arg("p").none(), nb::arg("choices"), nb::arg("run"));
  index.def("matches", matches, nb::arg("queries").none(), nb::arg("choices"), nb::arg("run"));
}

} // namespace weft::python
