// The cases of `weft-bench lcs` for all pairs of a batch of sequences.
#include <bench/bench.hpp>
#include <bench/gpu.hpp>
#include <bench/lcs/texts.hpp>
#include <fmt/format.h>
#include <memory>
#include <weft/io/checksum.hpp>
#include <weft/lcs/lcs.hpp>

namespace weft::bench {

namespace {

// The definition of a case: `count` random sequences of min_size to max_size symbols.
struct definition {
  lcs_metric metric;
  const char* letters;
  std::uint64_t count;
  // XXH3 of the values; without it the values of the sequences and of the reversed ones are held against each
  // other.
  std::optional<std::uint64_t> expected;
  std::uint64_t min_size = 1'000, max_size = 1'000;
  const char* name = letters; // in the name of the case, after the metric

  // Returns where the sequences begin and end.
  [[nodiscard]] std::vector<std::uint64_t> offsets() const {
    std::mt19937_64 random(2);
    std::vector<std::uint64_t> made = {0};
    for (std::uint64_t i = 0; i < count; ++i)
      made.push_back(made.back() + min_size + random() % (max_size - min_size + 1));
    return made;
  }
  // Returns the cells of the tables of all pairs.
  [[nodiscard]] double cells() const {
    double cells = 0, before = 0;
    const std::vector<std::uint64_t> ends = offsets();
    for (std::size_t i = 1; i < ends.size(); ++i) {
      const auto size = static_cast<double>(ends[i] - ends[i - 1]);
      cells += size * before;
      before += size;
    }
    return cells;
  }
};

constexpr definition definitions[] = {
    {lcs_metric::lcs, "dna", 100, 0x27413dc99135bd92},
    {lcs_metric::lcs, "dna", 1'000, 0x15f932ea2fe73eca},
    {lcs_metric::lcs, "dna", 10'000, std::nullopt},
    {lcs_metric::lcs, "protein", 100, 0xceabd005b1a3ea5d},
    {lcs_metric::lcs, "protein", 1'000, 0xe38099249325ca1e},
    {lcs_metric::lcs, "protein", 10'000, std::nullopt},
    {lcs_metric::lcs, "bytes", 100, 0x14706f5934dba241},
    {lcs_metric::lcs, "bytes", 1'000, 0xae537eb8881ded4c},
    {lcs_metric::lcs, "bytes", 10'000, std::nullopt},
    {lcs_metric::edit, "dna", 100, 0xbc88712ed2612ba9},
    {lcs_metric::edit, "dna", 1'000, 0xa0d133c0b9ba8aff},
    {lcs_metric::edit, "dna", 10'000, std::nullopt},
    {lcs_metric::edit, "protein", 100, 0x10593bae32aa50e9},
    {lcs_metric::edit, "protein", 1'000, 0xbd5dd7a5d9808c25},
    {lcs_metric::edit, "protein", 10'000, std::nullopt},
    {lcs_metric::edit, "bytes", 100, 0x6a447c0c5be8f006},
    {lcs_metric::edit, "bytes", 1'000, 0x2529ceb06769c290},
    {lcs_metric::edit, "bytes", 10'000, std::nullopt},
    {lcs_metric::affine, "dna", 1'415, std::nullopt, 100, 150, "dna-reads"},
    {lcs_metric::affine, "dna", 10'000, std::nullopt, 100, 150, "dna-reads"},
    {lcs_metric::affine, "dna", 1'415, std::nullopt, 20, 500, "dna-mixed"},
    {lcs_metric::affine, "dna", 10'000, std::nullopt, 20, 500, "dna-mixed"},
    {lcs_metric::affine, "protein", 1'415, std::nullopt, 20, 500, "protein-mixed"},
    {lcs_metric::affine, "protein", 10'000, std::nullopt, 20, 500, "protein-mixed"},
};

// The sequences, also in reversed order and from their ends, and the values of the last run.
struct batch {
  std::string text = {}, reversed_text = {};
  std::vector<std::uint64_t> offsets = {}, reversed_offsets = {}, values = {};

  void make(const definition& of) {
    if (!text.empty()) return;
    offsets = of.offsets();
    text = random_text(offsets.back(), letters_of(of.letters), 1);
    reversed_text.assign(text.rbegin(), text.rend());
    for (std::size_t i = offsets.size(); i-- > 0;) reversed_offsets.push_back(offsets.back() - offsets[i]);
  }
  // Returns the digest of the values; of those of the reversed sequences in the order of the sequences.
  [[nodiscard]] std::uint64_t digest(bool reversed) const {
    const auto index_of = [](std::uint64_t i, std::uint64_t j) { return i * (i - 1) / 2 + j; };
    const std::uint64_t count = offsets.size() - 1;
    std::vector<std::uint64_t> ordered(reversed ? values.size() : 0);
    for (std::uint64_t i = 1; reversed && i < count; ++i)
      for (std::uint64_t j = 0; j < i; ++j)
        ordered[index_of(i, j)] = values[index_of(count - 1 - j, count - 1 - i)];
    const std::vector<std::uint64_t>& all = reversed ? ordered : values;
    return io::checksum({reinterpret_cast<const char*>(all.data()), all.size() * sizeof all[0]});
  }
};

std::vector<method> methods_of(const definition& of, int threads) {
  const auto data = std::make_shared<batch>();
  const auto method_of = [&](const std::string& name, bool on_gpu, const std::string& unavailable_reason,
                             const lcs_options& options, bool reversed = false) {
    return method{name,
                  false,
                  on_gpu,
                  0,
                  unavailable_reason,
                  [=] { data->make(of); },
                  [=] {
                    data->values = reversed
                                       ? lcs_all_pairs({data->reversed_text, data->reversed_offsets}, options)
                                       : lcs_all_pairs({data->text, data->offsets}, options);
                  },
                  [=] { return data->digest(reversed); }};
  };
  if (of.metric == lcs_metric::affine) {
    const lcs_options by_batch{.metric = of.metric, .run = {.engine = "affine-batch", .device = first_gpu()}};
    std::vector<method> methods{
        method_of("pair by pair, affine-table", false, "",
                  {.metric = of.metric,
                   .run = {.engine = "affine-table", .device = {device_kind::cpu, 0}, .threads = threads}}),
        method_of("affine-batch", true, known_gpus().unavailable, by_batch),
        method_of("affine-batch, reversed sequences", true, known_gpus().unavailable, by_batch, true)};
    methods[0].yardstick = true;
    return methods;
  }
  const lcs_options on_gpu{.metric = of.metric, .run = {.engine = "systolic", .device = first_gpu()}};
  std::vector<method> methods{
      method_of("eight sequences at once", false, "",
                {.metric = of.metric, .run = {.device = {device_kind::cpu, 0}, .threads = threads}}),
      method_of("pair by pair, bit-parallel", false, "",
                {.metric = of.metric,
                 .run = {.engine = "bit-parallel", .device = {device_kind::cpu, 0}, .threads = threads}}),
      method_of("systolic", true, known_gpus().unavailable, on_gpu),
      method_of("systolic, reversed sequences", true, known_gpus().unavailable, on_gpu, true)};
  methods[1].yardstick = true;
  return methods;
}

} // namespace

std::vector<bench_case> all_pairs_cases(const limits& asked) {
  std::vector<bench_case> made;
  for (const definition& each : definitions) {
    const double count = static_cast<double>(each.count), pairs = count * (count - 1) / 2;
    const double cells = each.cells();
    const char* const metric = each.metric == lcs_metric::edit     ? "edit"
                               : each.metric == lcs_metric::affine ? "affine"
                                                                   : "length";
    const std::string size = each.min_size == each.max_size
                                 ? fmt::format("{}", each.min_size)
                                 : fmt::format("{} to {}", each.min_size, each.max_size);
    made.push_back(
        {fmt::format("all-pairs-{}-{}/{}", metric, each.name, each.count),
         fmt::format("all pairs of {} sequences of {} symbols, {}, seed 1", each.count, size, each.letters),
         cells, cells, static_cast<std::uint64_t>(32 * pairs), each.expected,
         [each, threads = asked.threads] { return methods_of(each, threads); }});
    made.back().on_request = true;
  }
  return made;
}

} // namespace weft::bench
