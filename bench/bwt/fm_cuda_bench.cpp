// Measures fm_index on a GPU: exact counts and positions of patterns in device memory and in host memory,
// beside the CPU in the same run. Patterns are pieces of the text; those "with an error" have another letter
// in the middle. Every timed result is checked: a part of it against the CPU, and all patterns that were
// taken from the text must occur.
//
// Environment: WEFT_BENCH_INDEX names the file of an index of DNA, which `weft index` writes; without it, 64
// million random bases are indexed. WEFT_BENCH_PATTERNS is the number of patterns, 4 million by default.
#include <algorithm>
#include <bench/define.hpp>
#include <bench/rate.hpp>
#include <bench/run_on_gpu.hpp>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>
#include <weft/base/device.hpp>
#include <weft/base/mixed.hpp>
#include <weft/base/parallel.hpp>
#include <weft/bwt/fm_index.cuh>
#include <weft/io/mapped_file.hpp>

namespace {

using weft_bench::define;

const weft::fm_search_options on_cpu = {.run = {.device = {weft::device_kind::cpu, 0}}};

weft::fm_index random_index(std::size_t size, const std::string& letters, weft::fm_alphabet alphabet) {
  std::mt19937_64 random(1);
  std::string text(size, ' ');
  for (char& c : text) c = letters[random() % letters.size()];
  const std::vector<std::uint64_t> offsets = {0, size};
  const std::vector<std::string> names = {"random"};
  return weft::fm_index::build({text, offsets, names}, {.alphabet = alphabet});
}

const weft::fm_index& index_of(const std::string& alphabet) {
  static std::map<std::string, weft::fm_index> cache;
  if (const auto found = cache.find(alphabet); found != cache.end()) return found->second;
  if (alphabet == "protein")
    return cache
        .emplace(alphabet, random_index(16'000'000, "ACDEFGHIKLMNPQRSTVWY", weft::fm_alphabet::protein))
        .first->second;
  if (const char* path = std::getenv("WEFT_BENCH_INDEX")) {
    const weft::io::mapped_file file = weft::io::map_file(path);
    return cache.emplace(alphabet, weft::fm_index::from_bytes(file.bytes, file.owner)).first->second;
  }
  return cache.emplace(alphabet, random_index(64'000'000, "ACGT", weft::fm_alphabet::dna)).first->second;
}

// Patterns, concatenated: pattern p is text[offsets[p], offsets[p + 1]).
struct pattern_list {
  std::string text;
  std::vector<std::uint64_t> offsets{0};
  [[nodiscard]] std::uint64_t count() const { return offsets.size() - 1; }
};

// Returns `count` pieces of the text at random positions, drawn from the records that are long enough.
pattern_list sample(const weft::fm_index& index, std::uint64_t size, bool changed, std::uint64_t count) {
  std::vector<std::uint64_t> records, ends;
  for (std::uint64_t r = 0, sum = 0; r < index.num_records(); ++r)
    if (index.length(r) >= size) {
      records.push_back(r);
      ends.push_back(sum += index.length(r) - size + 1);
    }
  pattern_list patterns;
  patterns.text.resize(count * size);
  for (std::uint64_t p = 1; p <= count; ++p) patterns.offsets.push_back(p * size);
  weft::parallel_for(0, count, 1 << 14, 0, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t p = first; p < last; ++p) {
      const std::uint64_t at = weft::detail::mixed(p) % ends.back();
      const auto r = static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), at) - ends.begin());
      const std::uint64_t begin = at - (r > 0 ? ends[r - 1] : 0);
      std::string piece = index.extract(records[r], begin, begin + size);
      if (changed) piece[size / 2] = piece[size / 2] == 'A' ? 'C' : 'A';
      std::copy(piece.begin(), piece.end(), patterns.text.begin() + static_cast<std::ptrdiff_t>(p * size));
    }
  });
  return patterns;
}

const pattern_list& patterns_of(const std::string& alphabet, std::uint64_t size, bool changed) {
  static std::map<std::string, pattern_list> cache;
  static const char* asked = std::getenv("WEFT_BENCH_PATTERNS");
  const std::uint64_t count = asked != nullptr ? std::strtoull(asked, nullptr, 10) : 4'000'000;
  const std::string name = alphabet + std::to_string(size) + (changed ? "x" : "");
  if (const auto found = cache.find(name); found != cache.end()) return found->second;
  cache.clear(); // rows with the same patterns are consecutive
  return cache.emplace(name, sample(index_of(alphabet), size, changed, count)).first->second;
}

// Says where the patterns of a row are, and which device searches them. device: the patterns are in device
// memory, and a GPU searches; host: they are in host memory, and a GPU searches; cpu: they are in host
// memory, and the CPU searches.
enum class location { device, host, cpu };

void set_rates(benchmark::State& state, const pattern_list& patterns, std::uint64_t positions) {
  using weft_bench::rate;
  state.counters["patterns/s"] = rate(patterns.count());
  state.counters["symbols/s"] = rate(patterns.text.size());
  if (positions > 0) state.counters["positions/s"] = rate(positions);
}

pattern_list part_of(const pattern_list& all) {
  const std::uint64_t num_checked = std::min<std::uint64_t>(all.count(), 5000);
  return {all.text.substr(0, all.offsets[num_checked]),
          {all.offsets.begin(), all.offsets.begin() + static_cast<std::ptrdiff_t>(num_checked + 1)}};
}

bool counts_are_right(const weft::fm_index& index, const pattern_list& patterns, bool changed,
                      const std::vector<std::uint64_t>& counts) {
  const pattern_list part = part_of(patterns);
  const std::vector<std::uint64_t> expected = index.count({part.text, part.offsets}, on_cpu);
  const auto none = static_cast<std::uint64_t>(std::count(counts.begin(), counts.end(), 0));
  return std::equal(expected.begin(), expected.end(), counts.begin()) &&
         (changed || none <= patterns.count() / 10); // patterns with N are not found
}

bool hits_are_right(const weft::fm_index& index, const pattern_list& patterns, std::uint64_t max_hits,
                    const weft::fm_hits& hits) {
  const pattern_list part = part_of(patterns);
  weft::fm_search_options options = on_cpu;
  options.max_hits = max_hits;
  const weft::fm_hits expected = index.locate({part.text, part.offsets}, options);
  return std::equal(expected.offsets.begin(), expected.offsets.end(), hits.offsets.begin()) &&
         std::equal(expected.hits.begin(), expected.hits.end(), hits.hits.begin());
}

template <class T>
std::vector<T> read_back(const weft::gpu::device_buffer<T>& from, const weft::gpu::stream& work) {
  std::vector<T> items(from.size());
  weft::gpu::copy(items.data(), from.data(), items.size(), work.get(), "read back");
  work.wait();
  return items;
}

// An index and a batch of patterns in device memory.
struct resident {
  resident(const weft::fm_index& index, const pattern_list& patterns)
      : device_index(index, work.get()), letters(patterns.text.size(), work.get()),
        offsets(patterns.offsets.size(), work.get()), batch{letters.data(), patterns.text.size(),
                                                            offsets.data(), patterns.count()} {
    weft::gpu::copy(letters.data(), reinterpret_cast<const unsigned char*>(patterns.text.data()),
                    patterns.text.size(), work.get(), "copy letters");
    weft::gpu::copy(offsets.data(), patterns.offsets.data(), patterns.offsets.size(), work.get(),
                    "copy offsets");
    work.wait();
  }
  weft::gpu::stream work;
  weft::gpu::device_fm_index device_index;
  weft::gpu::device_buffer<unsigned char> letters;
  weft::gpu::device_buffer<std::uint64_t> offsets;
  weft::gpu::fm_pattern_batch batch;
};

weft::fm_search_options options_of(location where, std::uint64_t max_hits = ~std::uint64_t{0}) {
  return {.max_hits = max_hits,
          .run = {.device = {where == location::cpu ? weft::device_kind::cpu : weft::device_kind::gpu, 0}}};
}

void count(benchmark::State& state, std::string alphabet, std::uint64_t size, bool changed, location where) {
  if (where != location::cpu && weft_bench::skip_without_gpu(state)) return;
  const weft::fm_index& index = index_of(alphabet);
  const pattern_list& patterns = patterns_of(alphabet, size, changed);
  std::vector<std::uint64_t> counts;
  if (where == location::device) {
    const resident on(index, patterns);
    const weft::gpu::device_buffer<std::uint64_t> d_counts(patterns.count(), on.work.get());
    for (auto _ : state) {
      weft::gpu::count(on.device_index.view(), on.batch, d_counts.data(), on.work.get());
      on.work.wait();
    }
    counts = read_back(d_counts, on.work);
  } else {
    // Copies the index to the device.
    counts = index.count({patterns.text, patterns.offsets}, options_of(where));
    for (auto _ : state) counts = index.count({patterns.text, patterns.offsets}, options_of(where));
  }
  if (!counts_are_right(index, patterns, changed, counts)) state.SkipWithError("wrong answer");
  set_rates(state, patterns, 0);
}

void locate(benchmark::State& state, std::string alphabet, std::uint64_t size, std::uint64_t max_hits,
            location where) {
  if (where != location::cpu && weft_bench::skip_without_gpu(state)) return;
  const weft::fm_index& index = index_of(alphabet);
  const pattern_list& patterns = patterns_of(alphabet, size, false);
  weft::fm_hits hits;
  if (where == location::device) {
    const resident on(index, patterns);
    weft::gpu::fm_device_hits found;
    for (auto _ : state) {
      found = {};
      found = weft::gpu::locate(on.device_index.view(), on.batch, {.max_hits = max_hits}, on.work.get());
      on.work.wait();
    }
    hits = {read_back(found.hits, on.work), read_back(found.offsets, on.work),
            read_back(found.totals, on.work)};
    found = {}; // must be destroyed before the stream
  } else {
    hits = index.locate({patterns.text, patterns.offsets}, options_of(where, max_hits));
    for (auto _ : state) hits = index.locate({patterns.text, patterns.offsets}, options_of(where, max_hits));
  }
  if (!hits_are_right(index, patterns, max_hits, hits)) state.SkipWithError("wrong answer");
  set_rates(state, patterns, hits.hits.size());
}

// Rows with the same patterns are consecutive, because only one list of patterns is kept.
const bool defined = [] {
  const auto name = [](const char* what, location where, const std::string& rest) {
    const char* const prefix = where == location::cpu ? "cpu/" : "gpu/";
    return prefix + std::string(what) + rest + (where == location::host ? "/host to host" : "");
  };
  constexpr std::uint64_t all = ~std::uint64_t{0};
  const auto define_all = [&](const std::string& alphabet, std::uint64_t size, std::uint64_t max_hits) {
    const std::string rest = "/" + alphabet + "/" + std::to_string(size);
    for (const location where : {location::device, location::host, location::cpu}) {
      define(name("count", where, rest), count, alphabet, size, false, where);
      define(name("locate", where, rest + (max_hits == all ? "" : "/max " + std::to_string(max_hits))),
             locate, alphabet, size, max_hits, where);
    }
  };
  define_all("dna", 100, all);
  for (const location where : {location::device, location::host, location::cpu})
    define(name("count", where, "/dna/100 with an error"), count, "dna", std::uint64_t{100}, true, where);
  define_all("dna", 32, all);
  define_all("dna", 12, 16); // max_hits is 16, because such short words occur often
  define_all("protein", 30, all);
  return true;
}();

} // namespace
