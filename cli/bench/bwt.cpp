// weft bench bwt: transforms, and their inverses.
#include <bench/bwt/texts.hpp>
#include <cli/bench/bench.hpp>
#include <cli/bench/gpu.hpp>
#include <divsufsort.h>
#include <fmt/format.h>
#include <memory>
#include <weft/bwt/bwt.hpp>
#include <weft/io/checksum.hpp>

namespace weft::cli::bench {

namespace {

struct definition {
  bool inverse;
  const char* text; // of text_maker
  const char* size_name;
  std::uint64_t size;
  std::uint64_t expected; // of a transform: digest_of(); of an inverse: XXH3 of the text
};

constexpr definition definitions[] = {
    {false, "random-dna", "10k", 10'000, 0xcfc36e6da4ca1e7f},
    {false, "random-dna", "1M", 1'000'000, 0x7df075d0c3141e7d},
    {false, "random-dna", "16M", 16'000'000, 0xecbad714e8d06fc3},
    {false, "genome-like", "1M", 1'000'000, 0xca8ea9d33f6790b2},
    {false, "genome-like", "16M", 16'000'000, 0xa59d75451f392709},
    {false, "word-text", "1M", 1'000'000, 0xea610c752bbfc1bc},
    {false, "word-text", "16M", 16'000'000, 0x6b85209034040233},
    {true, "genome-like", "1M", 1'000'000, 0xeba307656962976a},
    {true, "genome-like", "16M", 16'000'000, 0x3daaeb49f5c6c1a1},
    {false, "random-dna", "100M", 100'000'000, 0x34038e414a363b0f},
    {true, "genome-like", "100M", 100'000'000, 0xc456d59dc3e0bdd5},
};

// What the ways of a case have in common.
struct text_data {
  const char* name;
  std::uint64_t size;
  std::string text = {};
  bwt_text transformed = {}; // the answer of a transform, the input of an inverse
  std::string back = {};     // the answer of an inverse
  std::vector<std::int32_t> rows = {};

  const std::string& made() {
    if (text.empty()) text = weft_bench::text_maker(size).make(name);
    return text;
  }
  const bwt_text& input() {
    if (transformed.bytes.empty())
      transformed = bwt(made(), bwt_form::sentinel, {.device = {device_kind::cpu, 0}});
    return transformed;
  }
};

way transform_way(const std::shared_ptr<text_data>& data, const std::string& name,
                  const std::function<void(text_data&)>& run) {
  return {name,
          false,
          false,
          1,
          "",
          [data] { (void)data->made(); },
          [data, run] { run(*data); },
          [data] { return digest_of(data->transformed); }};
}

// The library's own memory is allocated, and its result has the form of weft's.
way divbwt_way(const std::shared_ptr<text_data>& data) {
  way made = transform_way(data, "libdivsufsort", [](text_data& at) {
    const auto n = static_cast<saidx_t>(at.text.size());
    const saidx_t row = divbwt(reinterpret_cast<const sauchar_t*>(at.text.data()),
                               reinterpret_cast<sauchar_t*>(at.transformed.bytes.data()), nullptr, n);
    at.transformed.primary_index = static_cast<std::uint64_t>(row);
  });
  made.prepare = [data] { data->transformed = {std::string(data->made().size(), '\0'), 0}; };
  made.yardstick = true;
  return made;
}

way libsais_way(const std::shared_ptr<text_data>& data) {
  using function = std::int32_t(const std::uint8_t*, std::uint8_t*, std::int32_t*, std::int32_t, std::int32_t,
                                std::int32_t*);
  peer_library library({"libsais.so", "libsais.so.2"});
  function* const libsais_bwt = library.find<function>("libsais_bwt");
  way made = transform_way(data, "libsais", [libsais_bwt](text_data& at) {
    const std::int32_t row =
        libsais_bwt(reinterpret_cast<const std::uint8_t*>(at.text.data()),
                    reinterpret_cast<std::uint8_t*>(at.transformed.bytes.data()), at.rows.data(),
                    static_cast<std::int32_t>(at.text.size()), 0, nullptr);
    at.transformed.primary_index = static_cast<std::uint64_t>(row);
  });
  made.prepare = [data] {
    data->transformed = {std::string(data->made().size(), '\0'), 0};
    data->rows.resize(data->text.size());
  };
  made.not_here = library.not_here();
  made.yardstick = true;
  return made;
}

std::vector<way> transform_ways(const definition& of, int threads, bool with_kernels) {
  const auto data = std::make_shared<text_data>(text_data{of.text, of.size});
  std::vector<way> ways;
  for (const engine_info& engine : bwt_engines()) {
    ways.push_back(transform_way(data, engine.name, [engine, threads](text_data& at) {
      at.transformed = bwt(at.text, bwt_form::sentinel,
                           {.engine = engine.name, .device = {device_kind::cpu, 0}, .threads = threads});
    }));
    ways.back().threads = engine.name == "suffix-sort" ? 1 : 0;
  }
  ways.push_back(divbwt_way(data));
  ways.push_back(libsais_way(data));
  for (const engine_info& engine : bwt_engines()) {
    ways.push_back(transform_way(data, engine.name + ", from host memory", [engine](text_data& at) {
      at.transformed = bwt(at.text, bwt_form::sentinel, {.engine = engine.name, .device = first_gpu()});
    }));
    ways.back().on_gpu = true;
    ways.back().not_here = known_gpus().unavailable;
    ways.push_back(bwt_in_gpu_memory(engine.name, known_gpus().unavailable,
                                     [data] { return std::string_view(data->made()); }));
  }
  if (with_kernels)
    for (way& each : quicksort_kernels_in_gpu_memory([data] { return std::string_view(data->made()); }))
      ways.push_back(std::move(each));
  return ways;
}

std::vector<way> inverse_ways(const definition& of, int threads) {
  const auto data = std::make_shared<text_data>(text_data{of.text, of.size});
  const auto add = [&](const std::string& name, int own_threads, const std::function<void(text_data&)>& run) {
    return way{name,
               false,
               false,
               own_threads,
               "",
               [data] { data->back.assign(data->input().bytes.size(), '\0'); },
               [data, run] { run(*data); },
               [data] { return io::checksum(data->back); }};
  };
  std::vector<way> ways;
  ways.push_back(add("chains", 0, [threads](text_data& at) {
    at.back = inverse_bwt(at.transformed, {.device = {device_kind::cpu, 0}, .threads = threads});
  }));
  ways.push_back(add("libdivsufsort", 1, [](text_data& at) {
    (void)inverse_bw_transform(reinterpret_cast<const sauchar_t*>(at.transformed.bytes.data()),
                               reinterpret_cast<sauchar_t*>(at.back.data()), nullptr,
                               static_cast<saidx_t>(at.back.size()),
                               static_cast<saidx_t>(at.transformed.primary_index));
  }));
  ways.back().yardstick = true;
  ways.push_back(unbwt_in_gpu_memory("chains", known_gpus().unavailable,
                                     [data]() -> const bwt_text& { return data->input(); }));
  return ways;
}

bench_case case_of(const std::string& name, const definition& of, bool with_kernels, const limits& asked) {
  const double size = static_cast<double>(of.size);
  return {name,
          fmt::format("{}{} bytes, {}, seed 1", of.inverse ? "the sentinel form of " : "", of.size, of.text),
          size,
          2 * size,
          16 * of.size,
          of.expected,
          [of, with_kernels, asked] {
            return of.inverse ? inverse_ways(of, asked.threads)
                              : transform_ways(of, asked.threads, with_kernels);
          }};
}

} // namespace

bench_case bwt_case(const std::string& name, const char* text, std::uint64_t size, std::uint64_t expected,
                    const limits& asked) {
  return case_of(name, {false, text, "", size, expected}, true, asked);
}

suite bwt_suite(const limits& asked) {
  suite made{"bwt", "symbols", ceiling_kind::copy, a_copy_of_text, {}};
  for (const definition& each : definitions)
    made.cases.push_back(
        case_of(fmt::format("{}-{}/{}", each.inverse ? "unbwt" : "bwt", each.text, each.size_name), each,
                false, asked));
  return made;
}

} // namespace weft::cli::bench
