// The suites of `weft-bench papers`: the tables and figures of the four papers on which the first version of
// weft was based, with the published numbers. Cases `for_rates` are not part of a table; they are run to
// extrapolate the times of cases for which the budget is too small. More on the papers and their rows:
// docs/papers.md.
#include <algorithm>
#include <array>
#include <bench/bwt/gpu_transforms.hpp>
#include <bench/gpu.hpp>
#include <bench/papers/papers.hpp>
#include <fmt/format.h>

namespace weft::bench {

namespace {

// A row of Table 1: the lengths of the texts in millions of symbols, the published speedups over Hirschberg's
// method on one core of a Core i3 530, and, if the paper reports it, the speedup over Kloetzli's method on an
// 8800 GTX.
struct lcs_row {
  double m, n;
  const char *on_cpu, *on_8800, *on_285, *on_480, *of_kloetzli = "-";
};
constexpr lcs_row lcs_table_1[] = {
    {1.16, 1.05, "13.21", "35.97", "51.77", "60.87"},
    {1.50, 1.49, "13.14", "41.84", "62.25", "70.61", "18.1"},
    {1.80, 1.32, "13.52", "42.41", "67.13", "74.90"},
    {1.80, 0.27, "15.05", "26.56", "32.75", "37.34", "12.0"},
    {1.80, 0.41, "14.59", "30.40", "42.15", "47.11", "10.9"},
    {1.80, 1.46, "13.45", "42.84", "68.46", "76.04"},
    {1.80, 1.51, "13.40", "43.10", "69.07", "76.50", "17.6"},
};

// A row of Table 2 on lcs: the length of both texts, and the published times.
struct lcs_size {
  int megabytes;
  const char *on_cpu, *on_285; // seconds
};
constexpr lcs_size lcs_table_2[] = {{2, "1,855.39", "327.82"},
                                    {4, "7,424.83", "940.72"},
                                    {8, "29,772.05", "2,992.01"},
                                    {16, "131,574.88", "10,306.66"}};

// A row of Table 1 on matching: the number of motifs, and the published times.
struct matching_row {
  int motifs;
  const char* published; // times on the CPU or on a GTX 480
};
constexpr matching_row matching_table_1[] = {
    {100, "NFA-ARRAY 144 s on the CPU and 341 s on the GPU, NFA-BP 6.93 s"},
    {200, "NFA-ARRAY 279 s on the CPU and 457 s on the GPU, NFA-BP 6.98 s"},
    {400, "NFA-ARRAY 543 s on the CPU and 464 s on the GPU, NFA-BP 7.24 s"},
    {800, "NFA-BP 12.1 s"},
    {1309, ""}, // a size that only weft's table has
    {1600, "NFA-BP 19.7 s"},
};

// A size in Figure 2 on bwt, and the published results.
struct bwt_size_row {
  const char* name;
  std::uint64_t size;
  const char *published, *share; // share: of the first kernel in the time of both
};
constexpr bwt_size_row bwt_figure_2_sizes[] = {
    {"1K", 1'000, "less than a quicksort on a Core2 Duo, on a GTX 470", "0.50"},
    {"10K", 10'000, "less than a quicksort on a Core2 Duo, on a GTX 470", "-"},
    {"100K", 100'000, "as fast as a quicksort on a Core2 Duo, on a GTX 470", "-"},
    {"1M", 1'000'000, "", "-"},
    {"10M", 10'000'000, "", "-"},
    {"100M", 100'000'000, "3.5 times a quicksort on a Core2 Duo, on a GTX 470", "0.22"}};

// A text of Figure 2 on bwt, and the expected digests.
struct bwt_text_row {
  const char *name, *text;
  std::array<std::uint64_t, std::size(bwt_figure_2_sizes)> expected; // digests for each size
};
constexpr bwt_text_row bwt_figure_2_texts[] = {
    {"bwt-figure-2-dna",
     "random-dna",
     {0xce7714c2bedc4470, 0xcfc36e6da4ca1e7f, 0x6aa2efc64447cdd0, 0x7df075d0c3141e7d, 0xa72fc1862d568e68,
      0x34038e414a363b0f}},
    {"bwt-figure-2-words",
     "word-text",
     {0x32d174486a429858, 0xc9d3725fe4ae83bc, 0x9a27a2835a578d0a, 0xea610c752bbfc1bc, 0x28842858ee9cc858,
      0x66dbb8523e2a7307}}};

constexpr std::array elsewhere = {
    other_table{"lcs, Figure 5 (the method of Kloetzli et al.)",
                "weft does not have it; in its place the figure has systolic"},
    other_table{"sort, Table 1 and Figures 1 and 6 (Baxter's merge sort, Modern GPU)",
                "weft does not have it; CUB's merge sort stands for it"},
};

std::size_t millions(double count) { return static_cast<std::size_t>(count * 1e6 + 0.5); }

std::string name_of(const lcs_row& row) { return fmt::format("lcs-table-1/{:.2f}x{:.2f}", row.m, row.n); }

// Returns the figures that the paper draws from Table 1, with the ratios that it reports.
std::vector<figure> lcs_figures() {
  figure third{"lcs-figure-3",
               "the rows of Table 1, both methods on the CPU; published on a Core i3 530",
               {"hirschberg-dp", "bit-parallel, one core"},
               {}},
      fourth{"lcs-figure-4",
             "the rows of Table 1, the paper's method on the CPU and on a GPU; published on a GTX 285",
             {"bit-parallel, one core", "wavefront"},
             {}},
      fifth{"lcs-figure-5",
            "the rows of Table 1, the paper's method beside another of a GPU; published: that of Kloetzli et "
            "al. by theirs on an 8800 GTX, here theirs by systolic",
            {"wavefront", "systolic"},
            {}};
  for (const lcs_row& row : lcs_table_1) {
    const std::string name = name_of(row);
    third.rows.emplace_back(name, row.on_cpu);
    fourth.rows.emplace_back(name, fmt::format("{:.2f}", std::stod(row.on_285) / std::stod(row.on_cpu)));
    fifth.rows.emplace_back(name, row.of_kloetzli);
  }
  return {third, fourth, fifth};
}

suite lcs_table_1_suite(const limits& asked) {
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
        beside(lcs_path_case(name_of(row), millions(row.m), millions(row.n), asked), "lcs path",
               fmt::format("ratio {} on a Core i3 530, {} on an 8800 GTX, {} on a GTX 285, {} on a GTX 480",
                           row.on_cpu, row.on_8800, row.on_285, row.on_480),
               {"hirschberg-dp"}));
  made.figures = lcs_figures();
  return made;
}

suite lcs_table_2_suite(const limits& asked) {
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

suite bwt_figure_2_suite(const limits& asked) {
  suite made{
      "bwt, Figure 2",
      "symbols",
      ceiling_kind::copy,
      a_copy_of_text,
      {},
      "Yamanaka, Ino & Hagihara's method is engine ternary-quicksort, theirs from host memory; its kernels "
      "are timed in the stream."};
  figure kernels{"bwt-figure-2-first-kernel",
                 "the share of the first kernel in both of the paper's engine, in the stream; published on a "
                 "GTX 470",
                 {quicksort_kernels[0], quicksort_kernels[1]},
                 {}};
  for (const bwt_text_row& text : bwt_figure_2_texts)
    for (const bwt_size_row& row : bwt_figure_2_sizes) {
      const std::string name = fmt::format("{}/{}", text.name, row.name);
      const std::uint64_t expected = text.expected[&row - bwt_figure_2_sizes];
      made.cases.push_back(
          beside(bwt_case(name, text.text, row.size, expected, asked), text.name, row.published, {}));
      kernels.rows.emplace_back(name, row.share);
    }
  made.figures.push_back(std::move(kernels));
  return made;
}

suite matching_table_1_suite(const limits& asked) {
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

suite matching_table_2_suite(const limits&) {
  suite made{
      "matching, Table 2",
      "pattern-characters",
      ceiling_kind::logic,
      one_operation_a_motif,
      {},
      "q: threads of a multiprocessor, here of a block. NFA-BPL: masks in shared memory, NFA-BP: through "
      "the caches."};
  const auto add = [&](const char* size, std::uint64_t residues, std::uint64_t expected,
                       const std::string& published) {
    made.cases.push_back(
        beside(scan_threads_case(fmt::format("matching-table-2/400x{}", size), 400, residues, expected), "",
               published, {"NFA-BPL, q = 14"}));
  };
  add("2M", 2'000'000, 0x5885ed47fad7fbdf, "");
  add("180M", 180'000'000, 0xfa5cfb9d2833979e,
      "NFA-ARRAY 464 s (q = 4), NFA-BPL 7.24 s (14), NFA-BP 8.38 s (14) and 12.1 s (32), on a GTX 480");
  return made;
}

} // namespace

bench_case beside(bench_case of, const std::string& kind, const std::string& published,
                  const std::vector<std::string>& yardsticks) {
  of.kind = kind;
  of.published = published;
  if (yardsticks.empty()) return of;
  of.methods = [methods = of.methods, yardsticks] {
    std::vector<method> made = methods();
    for (method& each : made)
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

std::vector<suite> paper_suites(const limits& asked) {
  std::vector<suite> made{lcs_table_1_suite(asked), lcs_table_2_suite(asked)};
  for (suite& each : sort_paper_suites(asked)) made.push_back(std::move(each));
  made.insert(made.end(),
              {bwt_figure_2_suite(asked), matching_table_1_suite(asked), matching_table_2_suite(asked)});
  return made;
}

std::span<const other_table> tables_elsewhere() { return elsewhere; }

} // namespace weft::bench
