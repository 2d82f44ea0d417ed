// The cases whose instructions count.sh counts: fixed inputs, one thread of the CPU, each result checked.
//
//   instruction_cases --list   their names
//   instruction_cases NAME     runs one; prints what the count depends on: compiler and vector instructions
//   instruction_cases nothing  runs none, for what a program takes to begin and to end
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <random>
#include <string>
#include <vector>
#include <weft/bwt/bwt.hpp>
#include <weft/bwt/fm_index.hpp>
#include <weft/bwt/suffix_array.hpp>
#include <weft/lcs/lcs.hpp>
#include <weft/scan/scan.hpp>
#include <weft/sort/sort.hpp>

namespace {

using weft::device_kind;

template <class Options> Options on_one_thread(Options options = {}) {
  options.device = {device_kind::cpu};
  options.threads = 1;
  return options;
}

template <class T> std::vector<T> numbers(std::size_t n) {
  std::mt19937_64 random(1);
  std::vector<T> made(n);
  for (T& number : made) number = static_cast<T>(random());
  return made;
}

std::string bases(std::size_t n, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::string made(n, 'A');
  for (char& base : made) base = "ACGT"[random() % 4];
  return made;
}

// Words of a small vocabulary, the first ones most often, with spaces between them.
std::string words(std::size_t n) {
  std::mt19937_64 random(2);
  std::vector<std::string> vocabulary(2000);
  for (std::string& word : vocabulary) {
    word.resize(2 + random() % 8);
    for (char& letter : word) letter = static_cast<char>('a' + random() % 26);
  }
  std::string text;
  while (text.size() < n) text += vocabulary[random() % (1 + random() % vocabulary.size())] + ' ';
  text.resize(n);
  return text;
}

// A text with one base in `every` drawn anew.
std::string changed(std::string text, std::uint64_t every) {
  std::mt19937_64 random(3);
  for (char& base : text)
    if (random() % every == 0) base = "ACGT"[random() % 4];
  return text;
}

template <class T> bool sorts(std::size_t n) {
  std::vector<T> items = numbers<T>(n);
  weft::sort(items, {}, on_one_thread<weft::sort_options>());
  return std::is_sorted(items.begin(), items.end());
}

bool sorts_by_comparator() {
  struct record {
    std::uint32_t key, number;
  };
  std::vector<record> items;
  for (const std::uint32_t key : numbers<std::uint32_t>(1 << 17))
    items.push_back({key % 10'000, static_cast<std::uint32_t>(items.size())});
  const auto by_key = [](const record& a, const record& b) { return a.key < b.key; };
  weft::stable_sort(items, by_key, on_one_thread<weft::sort_options>());
  return std::is_sorted(items.begin(), items.end(), [](const record& a, const record& b) {
    return a.key != b.key ? a.key < b.key : a.number < b.number;
  });
}

bool transforms(const std::string& text, weft::bwt_form form) {
  const auto options = on_one_thread<weft::bwt_options>();
  const weft::bwt_text transformed = weft::bwt(text, form, options);
  return weft::inverse_bwt(transformed, options) == text;
}

bool makes_lcp_arrays() {
  const std::string text = words(1 << 18);
  const auto both = weft::suffix_and_lcp_array(text, on_one_thread<weft::bwt_options>());
  for (std::size_t i = 1; i < text.size(); i += 97) {
    const std::string_view before = std::string_view(text).substr(both.sa[i - 1]),
                           after = std::string_view(text).substr(both.sa[i]);
    const std::uint32_t same = both.lcp[i];
    if (before.substr(0, same) != after.substr(0, same) || before.substr(same, 1) >= after.substr(same, 1))
      return false;
  }
  return true;
}

bool finds_patterns() {
  const std::string text = bases(1 << 18);
  const std::vector<std::uint64_t> records = {0, text.size()};
  const std::vector<std::string> names = {"one"};
  weft::fm_build_options build;
  build.threads = 1;
  build.device = {device_kind::cpu};
  const weft::fm_index index = weft::fm_index::build({text, records, names}, build);
  std::string patterns;
  std::vector<std::uint64_t> offsets = {0};
  for (std::size_t at = 0; at + 40 < text.size(); at += 61) {
    patterns.append(text, at, 40);
    offsets.push_back(patterns.size());
  }
  const auto options = on_one_thread<weft::fm_search_options>();
  const weft::fm_hits hits = index.locate(patterns, offsets, options);
  if (index.count(patterns, offsets, options) != hits.totals || hits.hits.size() + 1 < offsets.size())
    return false;
  for (std::size_t p = 0; p + 1 < offsets.size(); ++p) {
    const auto first = hits.hits.begin() + static_cast<std::ptrdiff_t>(hits.offsets[p]),
               last = hits.hits.begin() + static_cast<std::ptrdiff_t>(hits.offsets[p + 1]);
    if (!std::any_of(first, last, [&](const weft::fm_hit& hit) { return hit.begin == p * 61; })) return false;
  }
  return true;
}

// Whether the path is as long as the value that the engine gives without one.
bool measures(weft::lcs_metric metric, const char* engine, const std::string& a, const std::string& b) {
  auto options = on_one_thread<weft::lcs_options>();
  options.metric = metric;
  options.engine = engine;
  const weft::edit_script path = weft::lcs(a, b, options);
  return weft::lcs_value(a, b, options) == (metric == weft::lcs_metric::lcs
                                                ? path.matches
                                                : path.substitutions + path.insertions + path.deletions);
}

bool scans(const char* engine, std::size_t n) {
  std::mt19937_64 random(4);
  const std::string letters = "ALGVESIKDTRPNFQYHMCW";
  std::vector<weft::motif> motifs;
  while (motifs.size() < 300) {
    std::string pattern;
    for (int k = 0; k < 8; ++k) {
      const std::string one(1, letters[random() % 20]), two(1, letters[random() % 20]);
      const std::uint64_t kind = random() % 4;
      pattern += (k > 0 ? "-" : "") + (kind == 0 ? "[" + one + two + "]" : kind == 1 ? "x(1,3)" : one);
    }
    motifs.push_back(weft::parse_motif(pattern));
  }
  std::string residues(n, 'A');
  for (char& residue : residues) residue = letters[std::min(random() % 20, random() % 20)];
  std::vector<std::uint64_t> offsets;
  for (std::uint64_t at = 0; at <= residues.size(); at += 512) offsets.push_back(at);
  const weft::motif_set set(std::move(motifs));
  auto options = on_one_thread<weft::scan_options>();
  options.engine = engine;
  const auto matches = weft::scan(set, {residues, offsets}, options);
  const std::vector<std::uint64_t> counts = weft::scan_count(set, {residues, offsets}, options);
  std::uint64_t sum = 0;
  for (const std::uint64_t count : counts) sum += count;
  return !matches.empty() && sum == matches.size();
}

struct instruction_case {
  const char* name;
  bool (*run)(); // whether the answer is right
};

const instruction_case cases[] = {
    {"sort/u64", [] { return sorts<std::uint64_t>(1 << 18); }},
    {"sort/u32", [] { return sorts<std::uint32_t>(1 << 18); }},
    {"sort/i16", [] { return sorts<std::int16_t>(1 << 18); }},
    {"sort/records-by-comparator", [] { return sorts_by_comparator(); }},
    {"bwt/dna", [] { return transforms(bases(1 << 18), weft::bwt_form::sentinel); }},
    {"bwt/words", [] { return transforms(words(1 << 18), weft::bwt_form::sentinel); }},
    {"bwt/words-rotation", [] { return transforms(words(1 << 18), weft::bwt_form::rotation); }},
    {"bwt/lcp-array", [] { return makes_lcp_arrays(); }},
    {"bwt/index", [] { return finds_patterns(); }},
    {"lcs/bit-parallel",
     [] { return measures(weft::lcs_metric::lcs, "bit-parallel", bases(8000), bases(9000, 2)); }},
    {"lcs/bit-sliced",
     [] { return measures(weft::lcs_metric::lcs, "bit-sliced", bases(8000), bases(9000, 2)); }},
    {"lcs/bit-sliced-edit",
     [] { return measures(weft::lcs_metric::edit, "bit-sliced", bases(8000), bases(9000, 2)); }},
    {"lcs/furthest-reaching",
     [] {
       return measures(weft::lcs_metric::lcs, "furthest-reaching", bases(1 << 17),
                       changed(bases(1 << 17), 100));
     }},
    {"scan/shift-and", [] { return scans("shift-and", 1 << 14); }},
    {"scan/bit-stream", [] { return scans("bit-stream", 1 << 17); }},
};

} // namespace

int main(int count, char** arguments) {
  const std::string name = count == 2 ? arguments[1] : "--list";
  if (name == "--list") {
    for (const instruction_case& each : cases) std::puts(each.name);
    return 0;
  }
  std::printf("%s, %s\n", __VERSION__,
              __builtin_cpu_supports("avx512f") ? "AVX-512"
              : __builtin_cpu_supports("avx2")  ? "AVX2"
                                                : "SSE");
  if (name == "nothing") return 0;
  const auto* const found =
      std::find_if(std::begin(cases), std::end(cases), [&](const auto& each) { return name == each.name; });
  if (found == std::end(cases)) {
    std::fprintf(stderr, "no case %s\n", name.c_str());
    return 2;
  }
  if (found->run()) return 0;
  std::fprintf(stderr, "%s: wrong answer\n", found->name);
  return 1;
}
