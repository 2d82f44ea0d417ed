// The suite of `weft-bench bwt`: Burrows-Wheeler transforms and their inverses.
#include <bench/bench.hpp>
#include <bench/bwt/texts.hpp>
#include <bench/gpu.hpp>
#include <divsufsort.h>
#include <fmt/format.h>
#include <memory>
#include <weft/bwt/bwt.hpp>
#include <weft/io/checksum.hpp>
#if defined(WEFT_BENCH_LIBSAIS)
#include <libsais.h>
#endif

namespace weft::bench {

namespace {

// The definition of a case.
struct definition {
  bool inverse;
  const char* text; // name of a text of weft_bench::text_maker
  const char* size_name;
  std::uint64_t size;
  std::uint64_t expected; // digest_of() the transform; for an inverse, the XXH3 of the text
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

// The data that the methods of a case share.
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

method transform_method(const std::shared_ptr<text_data>& data, const std::string& name,
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

// The measured time includes the memory that libdivsufsort allocates itself. Its result has the same form as
// weft's.
method divbwt_method(const std::shared_ptr<text_data>& data) {
  method made = transform_method(data, "libdivsufsort", [](text_data& at) {
    const auto n = static_cast<saidx_t>(at.text.size());
    const saidx_t row = divbwt(reinterpret_cast<const sauchar_t*>(at.text.data()),
                               reinterpret_cast<sauchar_t*>(at.transformed.bytes.data()), nullptr, n);
    at.transformed.primary_index = static_cast<std::uint64_t>(row);
  });
  made.prepare = [data] { data->transformed = {std::string(data->made().size(), '\0'), 0}; };
  made.yardstick = true;
  return made;
}

method libsais_method(const std::shared_ptr<text_data>& data) {
#if defined(WEFT_BENCH_LIBSAIS)
  method made = transform_method(data, "libsais", [](text_data& at) {
    const std::int32_t row =
        libsais_bwt(reinterpret_cast<const std::uint8_t*>(at.text.data()),
                    reinterpret_cast<std::uint8_t*>(at.transformed.bytes.data()), at.rows.data(),
                    static_cast<std::int32_t>(at.text.size()), 0, nullptr);
    at.transformed.primary_index = static_cast<std::uint64_t>(row);
  });
#else
  method made = transform_method(data, "libsais", {});
  made.unavailable_reason = "built without libsais";
#endif
  made.prepare = [data] {
    data->transformed = {std::string(data->made().size(), '\0'), 0};
    data->rows.resize(data->text.size());
  };
  made.yardstick = true;
  return made;
}

std::vector<method> transform_methods(const definition& benchmark, int threads, bool with_kernels) {
  const auto data = std::make_shared<text_data>(text_data{benchmark.text, benchmark.size});
  std::vector<method> methods;
  for (const engine_info& engine : bwt_engines()) {
    methods.push_back(transform_method(data, engine.name, [engine, threads](text_data& at) {
      at.transformed = bwt(at.text, bwt_form::sentinel,
                           {.engine = engine.name, .device = {device_kind::cpu, 0}, .threads = threads});
    }));
    methods.back().threads = engine.name == "suffix-sort" ? 1 : 0;
  }
  methods.push_back(divbwt_method(data));
  methods.push_back(libsais_method(data));
  for (const engine_info& engine : bwt_engines()) {
    methods.push_back(transform_method(data, engine.name + ", from host memory", [engine](text_data& at) {
      at.transformed = bwt(at.text, bwt_form::sentinel, {.engine = engine.name, .device = first_gpu()});
    }));
    methods.back().on_gpu = true;
    methods.back().unavailable_reason = known_gpus().unavailable;
    methods.push_back(bwt_in_gpu_memory(engine.name, known_gpus().unavailable,
                                        [data] { return std::string_view(data->made()); }));
  }
  if (with_kernels)
    for (method& each : quicksort_kernels_in_gpu_memory([data] { return std::string_view(data->made()); }))
      methods.push_back(std::move(each));
  return methods;
}

std::vector<method> inverse_methods(const definition& benchmark, int threads) {
  const auto data = std::make_shared<text_data>(text_data{benchmark.text, benchmark.size});
  const auto add = [&](const std::string& name, int own_threads, const std::function<void(text_data&)>& run) {
    return method{name,
                  false,
                  false,
                  own_threads,
                  "",
                  [data] { data->back.assign(data->input().bytes.size(), '\0'); },
                  [data, run] { run(*data); },
                  [data] { return io::checksum(data->back); }};
  };
  std::vector<method> methods;
  methods.push_back(add("chains", 0, [threads](text_data& at) {
    at.back = inverse_bwt(at.transformed, {.device = {device_kind::cpu, 0}, .threads = threads});
  }));
  methods.push_back(add("libdivsufsort", 1, [](text_data& at) {
    (void)inverse_bw_transform(reinterpret_cast<const sauchar_t*>(at.transformed.bytes.data()),
                               reinterpret_cast<sauchar_t*>(at.back.data()), nullptr,
                               static_cast<saidx_t>(at.back.size()),
                               static_cast<saidx_t>(at.transformed.primary_index));
  }));
  methods.back().yardstick = true;
  methods.push_back(unbwt_in_gpu_memory("chains", known_gpus().unavailable,
                                        [data]() -> const bwt_text& { return data->input(); }));
  return methods;
}

bench_case case_of(const std::string& name, const definition& benchmark, bool with_kernels,
                   const limits& asked) {
  const double size = static_cast<double>(benchmark.size);
  return {name,
          fmt::format("{}{} bytes, {}, seed 1", benchmark.inverse ? "the sentinel form of " : "",
                      benchmark.size, benchmark.text),
          size,
          2 * size,
          16 * benchmark.size,
          benchmark.expected,
          [benchmark, with_kernels, asked] {
            return benchmark.inverse ? inverse_methods(benchmark, asked.threads)
                                     : transform_methods(benchmark, asked.threads, with_kernels);
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

} // namespace weft::bench
