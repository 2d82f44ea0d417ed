#include <bench/bwt/index_builds.hpp>

#include <algorithm>
#include <bench/bwt/gpu_arrays.hpp>
#include <bench/bwt/texts.hpp>
#include <bench/gpu.hpp>
#include <bench/kept_input.hpp>
#include <divsufsort.h>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <weft/io/checksum.hpp>

namespace weft::bench {

fm_alphabet alphabet_of(std::string_view text_name) {
  return text_name == "word-text"        ? fm_alphabet::bytes
         : text_name == "random-protein" ? fm_alphabet::protein
                                         : fm_alphabet::dna;
}

std::vector<std::uint32_t> divsufsort_array(std::string_view text) {
  std::vector<std::uint32_t> sa(text.size());
  divsufsort(reinterpret_cast<const sauchar_t*>(text.data()), reinterpret_cast<saidx_t*>(sa.data()),
             static_cast<saidx_t>(text.size()));
  return sa;
}

namespace {

constexpr text_definition built[] = {
    {"random-dna", "1M", 1'000'000},        {"random-dna", "100M", 100'000'000},
    {"random-dna", "1000M", 1'000'000'000}, {"genome-like", "1M", 1'000'000},
    {"genome-like", "64M", 64'000'000},     {"genome-like", "1000M", 1'000'000'000},
    {"word-text", "1M", 1'000'000},         {"word-text", "250M", 250'000'000},
};

// The data that the methods of a case share.
struct build_data {
  text_definition of;
  std::shared_ptr<const std::string> text = {};
  std::vector<std::uint64_t> offsets = {};
  std::vector<std::string> names = {"first", "second"};
  std::optional<fm_index> index = {}; // the last answer
  std::vector<std::uint32_t> sa = {}; // the last answer of libdivsufsort

  // Returns the text in two records.
  sequences_view made() {
    if (text == nullptr)
      text = input_of<std::string>(fmt::format("text {} {}", of.name, of.size),
                                   [this] { return text_maker(of.size).make(of.name); });
    offsets = {0, of.size / 3, of.size};
    return {*text, offsets, names};
  }
  // Returns true if 1,000 pieces of the second record are found where they were taken.
  [[nodiscard]] bool finds_pieces() {
    if (!index) return false;
    const sequences_view records = made();
    const std::string_view record = records[1];
    sequences patterns;
    std::vector<std::uint64_t> positions;
    for (std::uint64_t i = 0; i < 1000; ++i) {
      const std::uint64_t at = (record.size() - 100) / 1000 * i;
      if (record.substr(at, 100).find('N') != std::string_view::npos) continue; // N matches nothing
      positions.push_back(at);
      patterns.add(record.substr(at, 100));
    }
    const fm_hits found = index->locate(patterns, {.run = {.device = on_cpu}});
    for (std::size_t p = 0; p < positions.size(); ++p)
      if (!std::binary_search(found.hits.begin() + static_cast<std::ptrdiff_t>(found.offsets[p]),
                              found.hits.begin() + static_cast<std::ptrdiff_t>(found.offsets[p + 1]),
                              fm_hit{1, positions[p]}))
        return false;
    return index->num_symbols() == of.size && !positions.empty();
  }
};

std::vector<method> build_methods(const text_definition& of, int threads) {
  const auto data = std::make_shared<build_data>(build_data{of});
  const auto add = [&](const std::string& name, device_choice device, int shown, int own_threads) {
    return method{.name = name,
                  .on_gpu = device.kind == device_kind::gpu,
                  .threads = shown,
                  .prepare =
                      [data] {
                        (void)data->made();
                        data->index.reset();
                      },
                  .run =
                      [=] {
                        data->index = fm_index::build(data->made(),
                                                      {.alphabet = alphabet_of(data->of.name),
                                                       .run = {.device = device, .threads = own_threads}});
                      },
                  .digest =
                      [data] {
                        const auto bytes = data->index->bytes();
                        return io::checksum({bytes.data(), bytes.size()});
                      },
                  .is_right = [data] { return data->finds_pieces(); }};
  };
  std::vector<method> methods = {add("index", on_cpu, 0, threads), add("index, one thread", on_cpu, 1, 1)};
  if (of.size <= max_size_of_suffix_array)
    methods.push_back({.name = "libdivsufsort, the suffix array alone",
                       .yardstick = true,
                       .prepare =
                           [data] {
                             (void)data->made();
                             data->sa.clear();
                           },
                       .run = [data] { data->sa = divsufsort_array(*data->text); },
                       .is_right =
                           [data] {
                             return is_suffix_array<unsigned char>(
                                 {reinterpret_cast<const unsigned char*>(data->text->data()), data->of.size},
                                 data->sa);
                           }});
  methods.push_back(add("index, from host memory", first_gpu(), 0, 0));
  methods.back().unavailable_reason = known_gpus().unavailable;
  return methods;
}

} // namespace

std::vector<bench_case> index_build_cases(const limits& asked) {
  std::vector<bench_case> made;
  for (const text_definition& each : built) {
    const double size = static_cast<double>(each.size);
    made.push_back({fmt::format("index-{}/{}", each.name, each.size_name),
                    fmt::format("{} bytes in two records, {}, seed 1", each.size, each.name), size, 2 * size,
                    24 * each.size, std::nullopt,
                    [each, threads = asked.threads] { return build_methods(each, threads); }});
    made.back().setup_seconds = seconds_to_make(each.size);
  }
  return made;
}

} // namespace weft::bench
