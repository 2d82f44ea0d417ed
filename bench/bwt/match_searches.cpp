// The cases of `weft-bench bwt` that find the maximal matches between a text and a changed copy of it.
#include <bench/bwt/index_builds.hpp>
#include <bench/bwt/texts.hpp>
#include <bench/gpu.hpp>
#include <bench/kept_input.hpp>
#include <fmt/format.h>
#include <memory>
#include <weft/base/mixed.hpp>
#include <weft/io/checksum.hpp>

namespace weft::bench {

namespace {

// One letter of the query in `distance` differs from the text, on average.
struct match_definition {
  text_definition text;
  std::uint64_t min_length, distance;
};

constexpr match_definition matched[] = {
    {{"random-dna", "4M", 4'000'000}, 20, 100},        {{"random-dna", "64M", 64'000'000}, 50, 100},
    {{"random-dna", "1000M", 1'000'000'000}, 50, 100}, {{"genome-like", "4M", 4'000'000}, 20, 100},
    {{"genome-like", "64M", 64'000'000}, 50, 100},     {{"genome-like", "1000M", 1'000'000'000}, 50, 100},
};

struct match_input {
  std::string query;
  fm_index index;
};

match_input make_input(const match_definition& of) {
  std::string text = text_maker(of.text.size).make(of.text.name);
  const std::vector<std::uint64_t> offsets = {0, of.text.size};
  fm_index index = fm_index::build({text, offsets});
  for (std::uint64_t i = 0, draw = 0; i < text.size();
       i += 1 + base_detail::mixed(++draw) % (2 * of.distance))
    text[i] = text[i] == 'A' ? 'C' : 'A';
  return {std::move(text), std::move(index)};
}

// The data that the methods of a case share.
struct match_data {
  match_definition of;
  std::shared_ptr<const match_input> input = {};
  fm_matches found = {}; // the last answer

  const match_input& get() {
    if (input == nullptr)
      input = input_of<match_input>(fmt::format("matches {} {}", of.text.name, of.text.size),
                                    [this] { return make_input(of); });
    return *input;
  }
  // Finds the matches of the first `letters` letters of the query.
  fm_matches find(std::uint64_t letters, device_choice device, int threads) {
    const std::vector<std::uint64_t> offsets = {0, letters};
    return get().index.matches(
        sequences_view{std::string_view(get().query).substr(0, letters), offsets},
        {.min_length = of.min_length, .both_strands = true, .run = {.device = device, .threads = threads}});
  }
};

std::uint64_t digest_of(const fm_matches& found) {
  io::running_checksum sum;
  for (const auto* each : {&found.query, &found.query_begin, &found.record, &found.begin, &found.length})
    sum.add({reinterpret_cast<const char*>(each->data()), each->size() * sizeof(std::uint64_t)});
  sum.add({reinterpret_cast<const char*>(found.reverse.data()), found.reverse.size()});
  return sum.value();
}

std::vector<method> match_methods(const match_definition& of, int threads) {
  const auto data = std::make_shared<match_data>();
  data->of = of;
  const auto with = [=](const std::string& name, device_choice device, int shown, int own_threads) {
    // The first search copies the index to a GPU, which the time does not include.
    return method{.name = name,
                  .on_gpu = device.kind == device_kind::gpu,
                  .threads = shown,
                  .prepare = [=] { data->found = data->find(1000, device, own_threads); },
                  .run = [=] { data->found = data->find(of.text.size, device, own_threads); },
                  .digest = [=] { return digest_of(data->found); }};
  };
  std::vector<method> methods = {with("seeds", on_cpu, 0, threads), with("seeds, one thread", on_cpu, 1, 1),
                                 with("seeds, from host memory", first_gpu(), 0, threads)};
  methods.back().unavailable_reason = known_gpus().unavailable;
  return methods;
}

} // namespace

std::vector<bench_case> match_cases(const limits& asked) {
  std::vector<bench_case> made;
  for (const match_definition& each : matched) {
    const auto letters = static_cast<double>(each.text.size);
    made.push_back(
        {fmt::format("mem-{}-{}/{}", each.min_length, each.text.name, each.text.size_name),
         fmt::format("matches of {} letters, both strands, of {} bytes of {}, seed 1, with a copy in "
                     "which a letter in {} is changed",
                     each.min_length, each.text.size, each.text.name, each.distance),
         2 * letters, 2 * letters, 16 * each.text.size, std::nullopt,
         [each, threads = asked.threads] { return match_methods(each, threads); }});
    made.back().setup_seconds =
        seconds_to_make(each.text.size) + seconds_to_sort(each.text.size, !known_gpus().devices.empty());
  }
  return made;
}

} // namespace weft::bench
