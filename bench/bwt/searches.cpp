// The cases of `weft-bench bwt` that count and locate patterns in an FM-index.
#include <algorithm>
#include <bench/bwt/gpu_searches.hpp>
#include <bench/bwt/index_builds.hpp>
#include <bench/bwt/texts.hpp>
#include <bench/gpu.hpp>
#include <bench/kept_input.hpp>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <weft/base/mixed.hpp>
#include <weft/base/parallel.hpp>
#include <weft/bwt/cpu/fm_search.hpp>
#include <weft/io/checksum.hpp>

namespace weft::bench {

namespace {

// every_step: counts by backward search alone (take_every_step() of weft/bwt/cpu/fm_search.hpp).
enum class task { count, locate, every_step };

constexpr const char* name_of(task asked) {
  return asked == task::count ? "count" : asked == task::locate ? "locate" : "count-by-every-step";
}

constexpr std::uint64_t all_hits = ~std::uint64_t{0};

// Patterns that are pieces of a text. Those with an error have another letter in the middle.
struct search_definition {
  text_definition text;
  std::uint64_t pattern_size, num_patterns;
  bool with_error = false;
  std::uint64_t max_hits = all_hits; // short patterns occur often
};

constexpr search_definition searched[] = {
    {{"random-dna", "1M", 1'000'000}, 100, 100'000},
    {{"random-dna", "64M", 64'000'000}, 100, 4'000'000},
    {{"random-dna", "1000M", 1'000'000'000}, 100, 10'000'000},
    {{"random-dna", "1M", 1'000'000}, 100, 100'000, true},
    {{"random-dna", "64M", 64'000'000}, 100, 4'000'000, true},
    {{"random-dna", "1M", 1'000'000}, 32, 100'000},
    {{"random-dna", "64M", 64'000'000}, 32, 4'000'000},
    {{"random-dna", "1M", 1'000'000}, 12, 100'000, false, 16},
    {{"random-dna", "64M", 64'000'000}, 12, 4'000'000, false, 16},
    {{"genome-like", "1M", 1'000'000}, 150, 20'000},
    {{"genome-like", "64M", 64'000'000}, 150, 1'000'000},
    {{"genome-like", "1M", 1'000'000}, 150, 20'000, true},
    {{"genome-like", "64M", 64'000'000}, 150, 1'000'000, true},
    {{"genome-like", "1M", 1'000'000}, 12, 20'000},
    {{"genome-like", "64M", 64'000'000}, 12, 300'000},
    {{"genome-like", "1M", 1'000'000}, 12, 20'000, false, 1},
    {{"genome-like", "64M", 64'000'000}, 12, 300'000, false, 1},
    // These patterns have about 60 and 900 rows, too many to compare each with the text, so that a search
    // takes every step.
    {{"repetitive", "64M", 64'000'000}, 150, 1'000'000, false, 16},
    {{"repetitive", "1000M", 1'000'000'000}, 150, 4'000'000, false, 16},
    {{"random-protein", "1M", 1'000'000}, 30, 100'000},
    {{"random-protein", "16M", 16'000'000}, 30, 4'000'000},
};

// A text and its index.
struct indexed_text {
  std::string text;
  fm_index index;
};

indexed_text make_indexed_text(const text_definition& of) {
  std::string text = text_maker(of.size).make(of.name);
  const std::vector<std::uint64_t> offsets = {0, of.size};
  fm_index index = fm_index::build({text, offsets}, {.alphabet = alphabet_of(of.name)});
  return {std::move(text), std::move(index)};
}

// The data that the methods of a case of `task::count` or `task::locate` share.
struct search_data {
  static constexpr std::uint64_t max_checked = 5000, max_scanned = 3;

  search_definition of;
  std::shared_ptr<const indexed_text> input = {};
  std::string letters = {}; // of all patterns, end to end
  std::vector<std::uint64_t> offsets = {};
  std::vector<std::uint64_t> origins = {}; // where the patterns were taken from the text
  fm_hits expected = {};                   // of the first max_checked patterns, by the CPU
  std::vector<std::uint64_t> scanned = {}; // counts of the first max_scanned patterns, by a scan of the text
  std::vector<std::uint32_t> sa = {};      // of the text, for the yardstick
  std::vector<std::uint64_t> counts = {};  // the last answer
  fm_hits hits = {};                       // the last answer

  const indexed_text& indexed() {
    if (input == nullptr)
      input = input_of<indexed_text>(fmt::format("index {} {}", of.text.name, of.text.size),
                                     [this] { return make_indexed_text(of.text); });
    return *input;
  }
  sequences_view patterns() {
    if (letters.empty()) take_patterns();
    return {letters, offsets};
  }
  sequences_view first_patterns(std::uint64_t count) {
    const sequences_view all = patterns();
    const std::uint64_t num_taken = std::min(count, all.count());
    return {all.data.substr(0, all.offsets[num_taken]), all.offsets.first(num_taken + 1)};
  }
  const std::vector<std::uint32_t>& suffixes() {
    if (sa.empty()) sa = divsufsort_array(indexed().text);
    return sa;
  }

  // Returns true if the counts are those of the CPU and of a scan, as far as these are known, and no pattern
  // is missed that was taken from the text as it is.
  [[nodiscard]] bool is_right(const std::vector<std::uint64_t>& given) {
    make_expected();
    return given.size() == of.num_patterns &&
           std::equal(expected.totals.begin(), expected.totals.end(), given.begin()) &&
           std::equal(scanned.begin(), scanned.end(), given.begin()) &&
           (of.with_error || std::find(given.begin(), given.end(), 0U) == given.end());
  }
  // Returns true if the totals are right, the hits are those of the CPU as far as these are known, and each
  // pattern of which all hits are given is found where it was taken from.
  [[nodiscard]] bool is_right(const fm_hits& given) {
    if (!is_right(given.totals) || given.offsets.size() != given.totals.size() + 1 ||
        given.offsets.back() != given.hits.size() ||
        !std::equal(expected.offsets.begin(), expected.offsets.end(), given.offsets.begin()) ||
        !std::equal(expected.hits.begin(), expected.hits.end(), given.hits.begin()))
      return false;
    for (std::uint64_t p = 0; p < of.num_patterns; ++p) {
      const auto begin = given.hits.begin() + static_cast<std::ptrdiff_t>(given.offsets[p]),
                 end = given.hits.begin() + static_cast<std::ptrdiff_t>(given.offsets[p + 1]);
      if (static_cast<std::uint64_t>(end - begin) != std::min(given.totals[p], of.max_hits)) return false;
      if (given.totals[p] <= of.max_hits && !std::binary_search(begin, end, fm_hit{0, origins[p]}))
        return false;
    }
    return true;
  }

private:
  // Takes pieces of the text at random positions. A piece with an N, which matches nothing, is taken again.
  void take_patterns() {
    const std::string& text = indexed().text;
    letters.resize(of.num_patterns * of.pattern_size);
    origins.resize(of.num_patterns);
    for (std::uint64_t p = 0; p <= of.num_patterns; ++p) offsets.push_back(p * of.pattern_size);
    const std::uint64_t num_positions = text.size() - of.pattern_size + 1;
    parallel_for(0, of.num_patterns, 1 << 14, 0, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t p = first; p < last; ++p) {
        const auto piece = [&] { return std::string_view(text).substr(origins[p], of.pattern_size); };
        std::uint64_t draw = p;
        do {
          origins[p] = weft::base_detail::mixed(draw) % num_positions;
          draw += of.num_patterns;
        } while (piece().find('N') != std::string_view::npos &&
                 alphabet_of(of.text.name) == fm_alphabet::dna);
        char* const pattern = letters.data() + p * of.pattern_size;
        std::copy(piece().begin(), piece().end(), pattern);
        char& middle = pattern[of.pattern_size / 2];
        if (of.with_error) middle = middle == 'A' ? 'C' : 'A';
      }
    });
  }

  void make_expected() {
    if (!scanned.empty()) return;
    expected = indexed().index.locate(first_patterns(max_checked),
                                      {.max_hits = of.max_hits, .run = {.device = on_cpu}});
    const sequences_view patterns_to_scan = first_patterns(max_scanned);
    for (std::uint64_t p = 0; p < patterns_to_scan.count(); ++p) {
      const std::boyer_moore_horspool_searcher searcher(patterns_to_scan[p].begin(),
                                                        patterns_to_scan[p].end());
      const std::string_view text = indexed().text;
      std::uint64_t count = 0;
      for (auto at = text.begin(); (at = std::search(at, text.end(), searcher)) != text.end(); ++at) ++count;
      scanned.push_back(count);
    }
  }
};

// Returns the rows of the suffix array whose suffixes begin with the pattern, from first to last (exclusive).
std::pair<std::uint64_t, std::uint64_t> rows_of(std::string_view text, const std::vector<std::uint32_t>& sa,
                                                std::string_view pattern) {
  const auto prefix = [&](std::uint32_t at) { return text.substr(at, pattern.size()); };
  const auto first =
      std::partition_point(sa.begin(), sa.end(), [&](std::uint32_t at) { return prefix(at) < pattern; });
  const auto last =
      std::partition_point(first, sa.end(), [&](std::uint32_t at) { return prefix(at) == pattern; });
  return {static_cast<std::uint64_t>(first - sa.begin()), static_cast<std::uint64_t>(last - sa.begin())};
}

void count_in_suffix_array(search_data& at) {
  const sequences_view patterns = at.patterns();
  for (std::uint64_t p = 0; p < patterns.count(); ++p) {
    const auto [first, last] = rows_of(at.indexed().text, at.sa, patterns[p]);
    at.counts[p] = last - first;
  }
}

void locate_in_suffix_array(search_data& at) {
  const sequences_view patterns = at.patterns();
  at.hits.offsets = {0};
  for (std::uint64_t p = 0; p < patterns.count(); ++p) {
    const auto [first, last] = rows_of(at.indexed().text, at.sa, patterns[p]);
    at.hits.totals.push_back(last - first);
    for (std::uint64_t row = first; row < first + std::min(last - first, at.of.max_hits); ++row)
      at.hits.hits.push_back({0, at.sa[row]});
    std::sort(at.hits.hits.begin() + static_cast<std::ptrdiff_t>(at.hits.offsets.back()), at.hits.hits.end());
    at.hits.offsets.push_back(at.hits.hits.size());
  }
}

// Counts without the table of k-mers, without ending early, and without comparing with the text.
void count_by_every_step(search_data& at, int threads) {
  constexpr std::uint64_t batch = 1024;
  const sequences_view all = at.patterns();
  const auto& view = static_cast<const fm_index::view&>(at.indexed().index.parts());
  parallel_for(0, all.count(), batch, threads, [&](std::uint64_t first, std::uint64_t last) {
    const bwt_detail::fm_patterns patterns(view, all.data, all.offsets.subspan(first, last - first + 1));
    std::vector<bwt_detail::fm_interval> intervals(last - first);
    bwt_detail::take_every_step(view, patterns, intervals);
    for (std::uint64_t p = first; p < last; ++p)
      at.counts[p] = intervals[p - first].high - intervals[p - first].low;
  });
}

// Returns a method that writes its answer to the counts or to the hits.
method search_method(const std::shared_ptr<search_data>& data, task asked, const std::string& name,
                     int own_threads, const std::function<void(search_data&)>& run) {
  method made{.name = name,
              .threads = own_threads,
              .prepare =
                  [data] {
                    (void)data->patterns();
                    data->counts.assign(data->of.num_patterns, ~std::uint64_t{0}); // no count is so large
                    data->hits = {};
                  },
              .run = [data, run] { run(*data); }};
  if (asked != task::locate) {
    made.digest = [data] { return digest_of(data->counts); };
    made.is_right = [data] { return data->is_right(data->counts); };
  } else {
    made.digest = [data] { return digest_of(data->hits); };
    made.is_right = [data] { return data->is_right(data->hits); };
  }
  return made;
}

std::vector<method> search_methods(task asked, const search_definition& of, int threads) {
  const auto data = std::make_shared<search_data>();
  data->of = of;
  if (asked == task::every_step) {
    const auto with = [=](const std::string& name, int shown, int own_threads) {
      return search_method(data, asked, name, shown,
                           [=](search_data& at) { count_by_every_step(at, own_threads); });
    };
    return {with("index", 0, threads), with("index, one thread", 1, 1)};
  }
  const auto by_index = [=](const std::string& name, device_choice device, int shown, int own_threads) {
    return search_method(data, asked, name, shown, [=](search_data& at) {
      const fm_search_options options = {.max_hits = at.of.max_hits,
                                         .run = {.device = device, .threads = own_threads}};
      if (asked == task::count)
        at.counts = at.indexed().index.count(at.patterns(), options);
      else
        at.hits = at.indexed().index.locate(at.patterns(), options);
    });
  };
  std::vector<method> methods = {by_index("index", on_cpu, 0, threads),
                                 by_index("index, one thread", on_cpu, 1, 1)};
  if (of.text.size <= max_size_of_suffix_array) {
    methods.push_back(search_method(data, asked, "binary search in libdivsufsort's array", 1,
                                    asked == task::count ? count_in_suffix_array : locate_in_suffix_array));
    methods.back().yardstick = true;
    methods.back().prepare = [data, prepare = methods.back().prepare] {
      prepare();
      (void)data->suffixes();
    };
  }
  methods.push_back(by_index("index, from host memory", first_gpu(), 0, 0));
  methods.back().on_gpu = true;
  methods.back().unavailable_reason = known_gpus().unavailable;
  const index_source index = [data]() -> const fm_index& { return data->indexed().index; };
  const pattern_source patterns = [data] { return data->patterns(); };
  methods.push_back(asked == task::count
                        ? counts_in_gpu_memory(index, patterns,
                                               [data](const std::vector<std::uint64_t>& counts) {
                                                 return data->is_right(counts);
                                               })
                        : hits_in_gpu_memory(index, patterns, of.max_hits,
                                             [data](const fm_hits& hits) { return data->is_right(hits); }));
  return methods;
}

bench_case search_case(task asked, const search_definition& of, const limits& given) {
  const auto symbols = static_cast<double>(of.num_patterns * of.pattern_size);
  const char* const kind = of.with_error ? "-with-error" : of.max_hits == 1 ? "-first" : "";
  bench_case made{
      fmt::format("{}-{}{}-{}/{}", name_of(asked), of.pattern_size, kind, of.text.name, of.text.size_name),
      fmt::format("{} patterns of {} symbols{}{}, {} bytes, {}, seed 1", of.num_patterns, of.pattern_size,
                  of.with_error ? ", one changed" : "",
                  asked != task::locate || of.max_hits == all_hits
                      ? ""
                      : fmt::format(", at most {} hits each", of.max_hits),
                  of.text.size, of.text.name),
      symbols,
      symbols + 8 * static_cast<double>(of.num_patterns),
      16 * of.text.size + 5 * of.num_patterns * (of.pattern_size + 24),
      std::nullopt,
      [=, threads = given.threads] { return search_methods(asked, of, threads); }};
  made.setup_seconds =
      seconds_to_make(of.text.size) + seconds_to_sort(of.text.size, !known_gpus().devices.empty());
  return made;
}

} // namespace

std::uint64_t digest_of(const std::vector<std::uint64_t>& counts) {
  return io::checksum({reinterpret_cast<const char*>(counts.data()), counts.size() * sizeof counts[0]});
}

std::uint64_t digest_of(const fm_hits& hits) {
  io::running_checksum sum;
  sum.add({reinterpret_cast<const char*>(hits.hits.data()), hits.hits.size() * sizeof(fm_hit)});
  for (const std::vector<std::uint64_t>* each : {&hits.offsets, &hits.totals})
    sum.add({reinterpret_cast<const char*>(each->data()), each->size() * sizeof(std::uint64_t)});
  return sum.value();
}

std::vector<bench_case> search_cases(const limits& asked) {
  std::vector<bench_case> made = index_build_cases(asked);
  for (const search_definition& each : searched) {
    if (each.max_hits != 1) made.push_back(search_case(task::count, each, asked));
    if (!each.with_error) made.push_back(search_case(task::locate, each, asked));
    if (each.pattern_size == 150) made.push_back(search_case(task::every_step, each, asked));
  }
  for (bench_case& each : match_cases(asked)) made.push_back(std::move(each));
  for (bench_case& each : made) each.on_request = true;
  return made;
}

} // namespace weft::bench
