// The suites of `weft-bench papers` for the tables and figures of Kozawa, Amagasa & Kitagawa.
#include <algorithm>
#include <bench/gpu.hpp>
#include <bench/papers/papers.hpp>
#include <fmt/format.h>

namespace weft::bench {

namespace {

std::string type_name(bool wide) { return wide ? "u64" : "u32"; }
std::size_t item_bytes(bool wide) { return wide ? 8 : 4; }

suite sort_suite_of(std::string_view name, std::string_view about) {
  return {name, "items", ceiling_kind::copy, a_copy_of_items, {}, about};
}

bench_case steps_case(const std::string& name, bool wide, int log2_count, std::uint32_t num_buckets,
                      const std::string& published) {
  bench_case made = sort_case_by(name, wide, log2_count, [=](const item_source& items) {
    return sample_merge_steps_in_gpu_memory(num_buckets, items, item_bytes(wide));
  });
  made.published = published;
  return made;
}

suite sort_table_1_suite(const limits&) {
  suite made =
      sort_suite_of("sort, Table 1", "The steps of sample-merge, timed in the stream: of 128 buckets "
                                     "and, for the merge sort beside it, of one.");
  made.ceiling_is = "none for a step";
  for (const bool wide : {false, true})
    for (const int size : {22, 25, 27}) {
      const bool theirs = !wide && size == 25;
      const std::string type = type_name(wide);
      made.cases.push_back(steps_case("sort-table-1-" + type, wide, size, 128,
                                      theirs ? "splitters 0.8 ms, bucket sizes 4.4, prefix sum 0.3, "
                                               "transposition 0.3, relocation 8.5, tile sort 16.5, merges "
                                               "22.4 (6); in all 53.2; on a Tesla C2050"
                                             : ""));
      made.cases.push_back(
          steps_case("sort-table-1-merge-sort-" + type, wide, size, 1,
                     theirs ? "tile sort 13.7 ms, merges 56.5 (14); in all 70.2; on a Tesla C2050" : ""));
    }
  return made;
}

// Returns the case with only the methods of these names.
bench_case with_only_methods(bench_case of, const std::vector<std::string>& names) {
  of.methods = [methods = of.methods, names] {
    std::vector<method> made = methods();
    std::erase_if(made, [&](const method& each) {
      return std::find(names.begin(), names.end(), each.name) == names.end();
    });
    return made;
  };
  return of;
}

suite sort_figure_1_suite(const limits& asked) {
  suite made =
      sort_suite_of("sort, Figure 1", "Their peer, Baxter's merge sort (Modern GPU), is not at hand: "
                                      "CUB's stands for it, and on the CPU std::stable_sort.");
  for (const bool wide : {false, true}) {
    const std::string name = "sort-figure-1-" + type_name(wide);
    for (const int size : {16, 18, 20, 22, 24, 26, 28})
      made.cases.push_back(beside(with_only_methods(sort_case(name.c_str(), "uniform", wide, size, asked),
                                                    {"std::stable_sort", "CUB's merge sort"}),
                                  name, size == 20 ? "the size of the highest rate, on a Tesla C2050" : "",
                                  {"std::stable_sort"}));
  }
  return made;
}

std::string sort_kind(bool wide) { return wide ? "sort u64" : "sort u32"; }

suite sort_figure_6_suite(const limits& asked) {
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

suite sort_figure_7_suite(const limits& asked) {
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

// Adds cases of these sizes, with items of 32 and 64 bits, whose methods are sample-merge with each set of
// switches.
void add_switched(suite& to, const std::string& name, const std::vector<int>& sizes,
                  const std::vector<std::pair<std::string, sample_merge_switches>>& named,
                  const std::string& yardstick, const std::string& published_32,
                  const std::string& published_64) {
  for (const bool wide : {false, true})
    for (const int size : sizes) {
      const std::string kind = name + type_name(wide);
      to.cases.push_back(beside(sort_case_by(kind, wide, size,
                                             [=](const item_source& items) {
                                               return sample_merges_in_gpu_memory(named, items,
                                                                                  item_bytes(wide));
                                             }),
                                kind, wide ? published_64 : published_32, {yardstick}));
    }
}

suite sort_figure_8_suite(const limits&) {
  suite made =
      sort_suite_of("sort, Figure 8", "sample-merge by the number of buckets; one bucket is a merge sort.");
  std::vector<std::pair<std::string, sample_merge_switches>> named;
  for (std::uint32_t k = 1; k <= 1024; k *= 2)
    named.emplace_back(k == 1 ? "1 bucket" : fmt::format("{} buckets", k), sample_merge_switches{k});
  add_switched(made, "sort-figure-8-", {22, 25, 27}, named, "128 buckets",
               "128 buckets are the best of 64, 128 and 256, on a Tesla C2050",
               "256 buckets are the best of 64, 128 and 256 up to 2^25, above that 128, on a Tesla C2050");
  return made;
}

suite sort_figure_9_suite(const limits&) {
  suite made = sort_suite_of("sort, Figure 9",
                             "sample-merge with and without its two optimisations, as many buckets as is "
                             "quickest.");
  const std::string published = "alignment gains more than transposition, both more of large inputs";
  add_switched(made, "sort-figure-9-", {22, 25, 27},
               {{"neither", {0, false, false}},
                {"aligned", {0, false, true}},
                {"transposed", {0, true, false}},
                {"both", {0, true, true}}},
               "neither", published, published);
  return made;
}

} // namespace

std::vector<suite> sort_paper_suites(const limits& asked) {
  return {sort_table_1_suite(asked),  sort_figure_1_suite(asked), sort_figure_6_suite(asked),
          sort_figure_7_suite(asked), sort_figure_8_suite(asked), sort_figure_9_suite(asked)};
}

} // namespace weft::bench
