// weft bench papers: the tables and figures of the four papers that weft began with, and what they say. Cases
// for rates are not in them: what the budget has no room for is extrapolated from the rates of these. More on
// the papers and their rows: docs/papers.md.
#include <algorithm>
#include <array>
#include <cli/bench/bench.hpp>
#include <fmt/format.h>

namespace weft::cli::bench {

namespace {

// Millions of symbols, and how many times as fast as Hirschberg's method on one core of a Core i3 530 theirs
// were.
struct lcs_row {
  double m, n;
  const char *on_cpu, *on_8800, *on_285, *on_480;
};
constexpr lcs_row lcs_table_1[] = {
    {1.16, 1.05, "13.21", "35.97", "51.77", "60.87"}, {1.50, 1.49, "13.14", "41.84", "62.25", "70.61"},
    {1.80, 1.32, "13.52", "42.41", "67.13", "74.90"}, {1.80, 0.27, "15.05", "26.56", "32.75", "37.34"},
    {1.80, 0.41, "14.59", "30.40", "42.15", "47.11"}, {1.80, 1.46, "13.45", "42.84", "68.46", "76.04"},
    {1.80, 1.51, "13.40", "43.10", "69.07", "76.50"},
};

struct lcs_size {
  int megabytes;
  const char *on_cpu, *on_285; // seconds
};
constexpr lcs_size lcs_table_2[] = {{2, "1,855.39", "327.82"},
                                    {4, "7,424.83", "940.72"},
                                    {8, "29,772.05", "2,992.01"},
                                    {16, "131,574.88", "10,306.66"}};

struct matching_row {
  int motifs;
  const char* published; // on the CPU, or on a GTX 480
};
constexpr matching_row matching_table_1[] = {
    {100, "NFA-ARRAY 144 s on the CPU and 341 s on the GPU, NFA-BP 6.93 s"},
    {200, "NFA-ARRAY 279 s on the CPU and 457 s on the GPU, NFA-BP 6.98 s"},
    {400, "NFA-ARRAY 543 s on the CPU and 464 s on the GPU, NFA-BP 7.24 s"},
    {800, "NFA-BP 12.1 s"},
    {1309, ""}, // weft's own column
    {1600, "NFA-BP 19.7 s"},
};

constexpr std::array elsewhere = {
    other_table{"lcs, Figures 3 to 5", "the rows of Table 1, drawn"},
    other_table{"sort, Table 1 (where the time goes)", "bench_sort --benchmark_filter=gpu/paper/steps"},
    other_table{"sort, Figure 1", "the rate of Baxter's merge sort (Modern GPU), which weft does not have"},
    other_table{"sort, Figure 8 (the number of buckets)", "bench_sort --benchmark_filter=gpu/paper/buckets"},
    other_table{"sort, Figure 9 (its two optimisations)", "bench_sort --benchmark_filter=gpu/paper/offsets"},
    other_table{"matching, Table 2 (threads a multiprocessor)",
                "bench_scan --benchmark_filter='gpu/shift-and/.*/400/180M/q:'"},
};

// The same case, what the paper says beside it, and none but these ways as yardsticks (none named: as it
// was). kind: whose rates it shares.
bench_case beside(bench_case of, const std::string& kind, const std::string& published,
                  const std::vector<std::string>& yardsticks) {
  of.kind = kind;
  of.published = published;
  if (yardsticks.empty()) return of;
  of.ways = [ways = of.ways, yardsticks] {
    std::vector<way> made = ways();
    for (way& each : made)
      each.yardstick = std::find(yardsticks.begin(), yardsticks.end(), each.name) != yardsticks.end();
    return made;
  };
  return of;
}

bench_case for_rates(bench_case of, const std::string& kind) {
  of.kind = kind;
  of.for_rates = true;
  return of;
}

std::size_t millions(double count) { return static_cast<std::size_t>(count * 1e6 + 0.5); }

suite lcs_1(const limits& asked) {
  suite made{"lcs, Table 1",
             "cells",
             ceiling_kind::logic,
             one_operation_a_cell,
             {},
             "Kawanami & Fujimoto's method is engine wavefront, on the CPU bit-parallel on one core. Paths."};
  for (std::size_t size = 10'000; size <= 640'000; size *= 2)
    made.cases.push_back(
        for_rates(lcs_path_case(fmt::format("lcs-rates/{}", size), size, size, asked), "lcs path"));
  for (const lcs_row& row : lcs_table_1)
    made.cases.push_back(
        beside(lcs_path_case(fmt::format("lcs-table-1/{:.2f}x{:.2f}", row.m, row.n), millions(row.m),
                             millions(row.n), asked),
               "lcs path",
               fmt::format("ratio {} on a Core i3 530, {} on an 8800 GTX, {} on a GTX 285, {} on a GTX 480",
                           row.on_cpu, row.on_8800, row.on_285, row.on_480),
               {"hirschberg-dp"}));
  return made;
}

suite lcs_2(const limits& asked) {
  suite made{"lcs, Table 2",       "cells", ceiling_kind::logic,
             one_operation_a_cell, {},      "As Table 1, both texts as long."};
  for (const lcs_size& row : lcs_table_2)
    made.cases.push_back(beside(lcs_path_case(fmt::format("lcs-table-2/{}M", row.megabytes),
                                              millions(row.megabytes), millions(row.megabytes), asked),
                                "lcs path",
                                fmt::format("{} s on the CPU, {} s on a GTX 285", row.on_cpu, row.on_285),
                                {"bit-parallel, one core"}));
  return made;
}

std::string sort_kind(bool wide) { return wide ? "sort u64" : "sort u32"; }

suite sort_6(const limits& asked) {
  suite made{
      "sort, Figure 6",
      "items",
      ceiling_kind::copy,
      a_copy_of_items,
      {},
      "Kozawa, Amagasa & Kitagawa's method is engine sample-merge, on a GPU sample-merge (published)."};
  for (const bool wide : {false, true}) {
    const char* const name = wide ? "sort-figure-6-u64" : "sort-figure-6-u32";
    for (const int size : {16, 18, 20})
      made.cases.push_back(
          for_rates(sort_case(wide ? "sort-rates-u64" : "sort-rates-u32", "uniform", wide, size, asked),
                    sort_kind(wide)));
    for (const int size : {22, 25, 26, 27, 28}) {
      const char* const published = !wide && size == 25  ? "1.32 times a merge sort, on a Tesla C2050"
                                    : wide && size == 22 ? "2.33 times a radix sort, on a Tesla C2050"
                                    : wide               ? "1.39 times a merge sort at most, on a Tesla C2050"
                                                         : "";
      made.cases.push_back(
          beside(sort_case(name, "uniform", wide, size, asked), sort_kind(wide), published, {}));
    }
  }
  return made;
}

suite sort_7(const limits& asked) {
  suite made{
      "sort, Figure 7",
      "items",
      ceiling_kind::copy,
      a_copy_of_items,
      {},
      "As Figure 6, by the distribution of the keys: theirs takes as long for normal and exponential ones."};
  const std::pair<const char*, const char*> kinds[] = {{"sort-figure-7-uniform", "uniform"},
                                                       {"sort-figure-7-normal", "normal"},
                                                       {"sort-figure-7-exponential", "exponential"}};
  for (const int size : {25, 28})
    for (const auto& [name, distribution] : kinds)
      made.cases.push_back(beside(sort_case(name, distribution, true, size, asked), sort_kind(true), "", {}));
  return made;
}

suite bwt_2(const limits& asked) {
  suite made{"bwt, Figure 2",
             "symbols",
             ceiling_kind::copy,
             a_copy_of_text,
             {},
             "Yamanaka, Ino & Hagihara's method is engine ternary-quicksort, theirs from host memory."};
  const std::pair<const char*, std::uint64_t> sizes[] = {{"1K", 1'000},       {"10K", 10'000},
                                                         {"100K", 100'000},   {"1M", 1'000'000},
                                                         {"10M", 10'000'000}, {"100M", 100'000'000}};
  for (const auto& [name, text] :
       {std::pair("bwt-figure-2-dna", "random-dna"), {"bwt-figure-2-words", "word-text"}})
    for (const auto& [size_name, size] : sizes) {
      const char* const published = size < 100'000    ? "less than a quicksort on a Core2 Duo, on a GTX 470"
                                    : size == 100'000 ? "as fast as a quicksort on a Core2 Duo, on a GTX 470"
                                    : size == 100'000'000
                                        ? "3.5 times a quicksort on a Core2 Duo, on a GTX 470"
                                        : "";
      made.cases.push_back(
          beside(bwt_case(fmt::format("{}/{}", name, size_name), text, size, asked), name, published, {}));
    }
  return made;
}

suite matching_1(const limits& asked) {
  suite made{
      "matching, Table 1",
      "pattern-characters",
      ceiling_kind::logic,
      one_operation_a_motif,
      {},
      "Sasakawa, Kaneta & Arimura's NFA-ARRAY is engine nfa-array, NFA-BP shift-and; 180 million residues."};
  for (const std::uint64_t residues : {20'000, 200'000, 2'000'000, 20'000'000})
    made.cases.push_back(for_rates(
        scan_case(fmt::format("matching-rates/100x{}", residues), match_rule::ends, 100, residues, asked),
        "matching"));
  for (const matching_row& row : matching_table_1)
    made.cases.push_back(beside(scan_case(fmt::format("matching-table-1/{}x180M", row.motifs),
                                          match_rule::ends, row.motifs, 180'000'000, asked),
                                "matching", row.published, {}));
  return made;
}

} // namespace

std::vector<suite> paper_suites(const limits& asked) {
  return {lcs_1(asked), lcs_2(asked), sort_6(asked), sort_7(asked), bwt_2(asked), matching_1(asked)};
}

std::span<const other_table> tables_elsewhere() { return elsewhere; }

} // namespace weft::cli::bench
