// The suite of `weft-bench bwt`: Burrows-Wheeler transforms and their inverses.
#include <array>
#include <bench/bench.hpp>
#include <bench/bwt/gpu_transforms.hpp>
#include <bench/bwt/texts.hpp>
#include <bench/gpu.hpp>
#include <bench/kept_input.hpp>
#include <divsufsort.h>
#include <fmt/format.h>
#include <memory>
#include <weft/base/error.hpp>
#include <weft/bwt/bwt.hpp>
#include <weft/io/byte_source.hpp>
#include <weft/io/checksum.hpp>
#if defined(WEFT_BENCH_LIBSAIS)
#include <libsais.h>
#endif

namespace weft::bench {

namespace {

// The task of a case: to compute a transform in one of the two forms, or the text of such a transform.
enum class task { bwt, rotation, unbwt, unrotation };

constexpr bwt_form form_of(task asked) {
  return asked == task::rotation || asked == task::unrotation ? bwt_form::rotation : bwt_form::sentinel;
}
constexpr bool is_inverse(task asked) { return asked == task::unbwt || asked == task::unrotation; }
constexpr const char* name_of(task asked) {
  switch (asked) {
  case task::bwt:
    return "bwt";
  case task::rotation:
    return "bwt-rotation";
  case task::unbwt:
    return "unbwt";
  default:
    return "unbwt-rotation";
  }
}

// The definition of a case.
struct definition {
  task asked;
  const char* text; // name of a text of text_maker
  const char* size_name;
  std::uint64_t size;
  // digest_of() the transform; for an inverse, the XXH3 of the text. Without it, transforms are inverted, and
  // texts compared with the text.
  std::optional<std::uint64_t> expected;
  bool on_request = false;
};

constexpr definition definitions[] = {
    {task::bwt, "random-dna", "10k", 10'000, 0xcfc36e6da4ca1e7f},
    {task::bwt, "random-dna", "200k", 200'000, std::nullopt, true},
    {task::bwt, "random-dna", "1M", 1'000'000, 0x7df075d0c3141e7d},
    {task::bwt, "random-dna", "16M", 16'000'000, 0xecbad714e8d06fc3},
    {task::bwt, "random-bytes", "1M", 1'000'000, std::nullopt, true},
    {task::bwt, "random-bytes", "16M", 16'000'000, std::nullopt, true},
    {task::bwt, "random-protein", "1M", 1'000'000, std::nullopt, true},
    {task::bwt, "random-protein", "16M", 16'000'000, std::nullopt, true},
    {task::bwt, "genome-like", "1M", 1'000'000, 0xca8ea9d33f6790b2},
    {task::bwt, "genome-like", "16M", 16'000'000, 0xa59d75451f392709},
    {task::bwt, "word-text", "200k", 200'000, std::nullopt, true},
    {task::bwt, "word-text", "1M", 1'000'000, 0xea610c752bbfc1bc},
    {task::bwt, "word-text", "16M", 16'000'000, 0x6b85209034040233},
    {task::unbwt, "genome-like", "1M", 1'000'000, 0xeba307656962976a},
    {task::unbwt, "genome-like", "16M", 16'000'000, 0x3daaeb49f5c6c1a1},
    {task::bwt, "random-dna", "100M", 100'000'000, 0x34038e414a363b0f},
    {task::unbwt, "genome-like", "100M", 100'000'000, 0xc456d59dc3e0bdd5},
    {task::bwt, "random-dna", "1000M", 1'000'000'000, std::nullopt, true},
    {task::bwt, "genome-like", "100M", 100'000'000, std::nullopt, true},
    {task::bwt, "genome-like", "1000M", 1'000'000'000, std::nullopt, true},
    {task::bwt, "word-text", "100M", 100'000'000, std::nullopt, true},
    {task::bwt, "word-text", "1000M", 1'000'000'000, std::nullopt, true},
    {task::bwt, "repetitive", "1M", 1'000'000, std::nullopt, true},
    {task::bwt, "repetitive", "16M", 16'000'000, std::nullopt, true},
    {task::bwt, "repetitive", "250M", 250'000'000, std::nullopt, true},
    {task::bwt, "periodic", "1M", 1'000'000, std::nullopt, true},
    {task::bwt, "periodic", "16M", 16'000'000, std::nullopt, true},
    {task::bwt, "equal", "1M", 1'000'000, std::nullopt, true},
    {task::bwt, "equal", "16M", 16'000'000, std::nullopt, true},
    {task::bwt, "fibonacci", "1M", 1'000'000, std::nullopt, true},
    {task::bwt, "fibonacci", "16M", 16'000'000, std::nullopt, true},
    {task::bwt, "fibonacci", "100M", 100'000'000, std::nullopt, true},
    {task::rotation, "random-dna", "10k", 10'000, std::nullopt, true},
    {task::rotation, "random-dna", "1M", 1'000'000, std::nullopt, true},
    {task::rotation, "random-dna", "1000M", 1'000'000'000, std::nullopt, true},
    {task::rotation, "fibonacci", "1M", 1'000'000, std::nullopt, true},
    {task::rotation, "fibonacci", "100M", 100'000'000, std::nullopt, true},
    {task::unbwt, "random-dna", "1M", 1'000'000, std::nullopt, true},
    {task::unbwt, "random-dna", "64M", 64'000'000, std::nullopt, true},
    {task::unbwt, "random-dna", "1000M", 1'000'000'000, std::nullopt, true},
    {task::unbwt, "word-text", "1M", 1'000'000, std::nullopt, true},
    {task::unbwt, "word-text", "64M", 64'000'000, std::nullopt, true},
    {task::unbwt, "word-text", "1000M", 1'000'000'000, std::nullopt, true},
    {task::unrotation, "genome-like", "1M", 1'000'000, std::nullopt, true},
    {task::unrotation, "genome-like", "16M", 16'000'000, std::nullopt, true},
};

bwt_options options_of(const std::string& engine, device_choice on, int threads) {
  return {.run = {.engine = engine, .device = on, .threads = threads}};
}
constexpr device_choice on_cpu = {device_kind::cpu, 0};

// The data that the methods of a case share.
struct text_data {
  std::string name;
  std::uint64_t size;
  bwt_form form;
  std::string given = {}; // a text of the user, which is not made
  std::shared_ptr<const std::string> text = {};
  bwt_text transformed = {}; // the answer of a transform, the input of an inverse
  std::string back = {};     // the answer of an inverse
  std::vector<std::int32_t> rows = {};

  const std::string& made() {
    if (text == nullptr && !given.empty()) text = std::make_shared<const std::string>(std::move(given));
    if (text == nullptr)
      text = input_of<std::string>(fmt::format("text {} {}", name, size),
                                   [this] { return text_maker(size).make(name); });
    return *text;
  }
  const bwt_text& input() {
    if (transformed.bytes.empty())
      transformed = bwt(made(), form, options_of("auto", size > 100'000'000 ? device_choice{} : on_cpu, 0));
    return transformed;
  }
};

// `inverted`: each answer is inverted and compared with the text.
method transform_method(const std::shared_ptr<text_data>& data, const std::string& name, bool inverted,
                        const std::function<void(text_data&)>& run) {
  method made{name,
              false,
              false,
              1,
              "",
              [data] { (void)data->made(); },
              [data, run] { run(*data); },
              [data] { return digest_of(data->transformed); }};
  if (inverted) made.is_right = [data] { return inverse_bwt(data->transformed) == data->made(); };
  return made;
}

// The measured time includes the memory that libdivsufsort allocates itself. Its result has the same form as
// weft's.
method divbwt_method(const std::shared_ptr<text_data>& data, bool inverted) {
  method made = transform_method(data, "libdivsufsort", inverted, [](text_data& at) {
    const auto n = static_cast<saidx_t>(at.text->size());
    const saidx_t row = divbwt(reinterpret_cast<const sauchar_t*>(at.text->data()),
                               reinterpret_cast<sauchar_t*>(at.transformed.bytes.data()), nullptr, n);
    at.transformed.primary_index = static_cast<std::uint64_t>(row);
  });
  made.prepare = [data] { data->transformed = {std::string(data->made().size(), '\0'), 0}; };
  made.yardstick = true;
  return made;
}

method libsais_method(const std::shared_ptr<text_data>& data, bool inverted) {
#if defined(WEFT_BENCH_LIBSAIS)
  method made = transform_method(data, "libsais", inverted, [](text_data& at) {
    const std::int32_t row =
        libsais_bwt(reinterpret_cast<const std::uint8_t*>(at.text->data()),
                    reinterpret_cast<std::uint8_t*>(at.transformed.bytes.data()), at.rows.data(),
                    static_cast<std::int32_t>(at.text->size()), 0, nullptr);
    at.transformed.primary_index = static_cast<std::uint64_t>(row);
  });
#else
  method made = transform_method(data, "libsais", inverted, {});
  made.unavailable_reason = "built without libsais";
#endif
  made.prepare = [data] {
    data->transformed = {std::string(data->made().size(), '\0'), 0};
    data->rows.resize(data->text->size());
  };
  made.yardstick = true;
  return made;
}

std::vector<method> transform_methods(const std::shared_ptr<text_data>& data, bool inverted, int threads,
                                      bool with_kernels) {
  const bwt_form form = data->form;
  std::vector<method> methods;
  std::vector<engine_info> engines = bwt_engines();
  std::erase_if(engines, [&](const engine_info& each) {
    return each.name == "libdivsufsort" || (each.name == "ternary-quicksort" && repeats_itself(data->name));
  });
  const auto add = [&](const std::string& name, const std::string& engine, int shown, int own_threads) {
    methods.push_back(transform_method(data, name, inverted, [=](text_data& at) {
      at.transformed = bwt(*at.text, form, options_of(engine, on_cpu, own_threads));
    }));
    methods.back().threads = shown;
  };
  for (const engine_info& engine : engines) add(engine.name, engine.name, 0, threads);
  add("suffix-sort, one thread", "suffix-sort", 1, 1);
  if (form == bwt_form::sentinel) {
    methods.push_back(divbwt_method(data, inverted));
    methods.push_back(libsais_method(data, inverted));
  } else {
    add("libdivsufsort", "libdivsufsort", 1, 1);
    methods.back().yardstick = true;
  }
  const text_source text = [data] { return std::string_view(data->made()); };
  for (const engine_info& engine : engines) {
    methods.push_back(
        transform_method(data, engine.name + ", from host memory", inverted, [=](text_data& at) {
          at.transformed = bwt(*at.text, form, options_of(engine.name, first_gpu(), 0));
        }));
    methods.back().on_gpu = true;
    methods.back().unavailable_reason = known_gpus().unavailable;
    methods.push_back(bwt_in_gpu_memory(engine.name, known_gpus().unavailable, form, text, inverted));
  }
  methods.push_back(bwt_from_locked_memory(form, text, inverted));
  if (with_kernels)
    for (method& each : quicksort_kernels_in_gpu_memory(text)) methods.push_back(std::move(each));
  return methods;
}

// The textbook's inverse of the sentinel form: follows one chain. (next row, byte) are packed in one word, so
// that a symbol costs one random read.
void invert_by_one_chain(text_data& at) {
  const std::string& bytes = at.transformed.bytes;
  std::array<std::size_t, 256> c_array{};
  for (const char c : bytes) ++c_array[static_cast<unsigned char>(c)];
  std::size_t sum = 1;
  for (std::size_t& each : c_array) sum += std::exchange(each, sum);
  std::vector<std::uint64_t> next(bytes.size() + 1);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto c = static_cast<unsigned char>(bytes[i]);
    next[c_array[c]++] = (i + (i >= at.transformed.primary_index ? 1 : 0)) << 8 | c;
  }
  std::uint64_t row = at.transformed.primary_index;
  for (char& c : at.back) {
    c = static_cast<char>(next[row] & 255);
    row = next[row] >> 8;
  }
}

std::vector<method> inverse_methods(const std::shared_ptr<text_data>& data, int threads) {
  const auto add = [&](const std::string& name, int own_threads, const std::function<void(text_data&)>& run) {
    method made{name,
                false,
                false,
                own_threads,
                "",
                [data] { data->back.assign(data->input().bytes.size(), '\0'); },
                [data, run] { run(*data); },
                [data] { return io::checksum(data->back); }};
    made.is_right = [data] { return data->back == data->made(); };
    return made;
  };
  std::vector<method> methods;
  methods.push_back(add("chains", 0, [threads](text_data& at) {
    at.back = inverse_bwt(at.transformed, {.run = {.device = on_cpu, .threads = threads}});
  }));
  if (data->form == bwt_form::sentinel) {
    methods.push_back(add("libdivsufsort", 1, [](text_data& at) {
      (void)inverse_bw_transform(reinterpret_cast<const sauchar_t*>(at.transformed.bytes.data()),
                                 reinterpret_cast<sauchar_t*>(at.back.data()), nullptr,
                                 static_cast<saidx_t>(at.back.size()),
                                 static_cast<saidx_t>(at.transformed.primary_index));
    }));
    methods.push_back(add("one chain", 1, invert_by_one_chain));
    methods[1].yardstick = methods[2].yardstick = true;
  }
  methods.push_back(add("chains, from host memory", 0, [](text_data& at) {
    at.back = inverse_bwt(at.transformed, {.run = {.device = first_gpu()}});
  }));
  methods.back().on_gpu = true;
  methods.back().unavailable_reason = known_gpus().unavailable;
  for (method& each :
       inverses_on_gpu([data]() -> const bwt_text& { return data->input(); }, data->name == "random-dna"))
    methods.push_back(std::move(each));
  return methods;
}

bench_case case_of(const std::string& name, const definition& benchmark, bool with_kernels,
                   const limits& asked) {
  const double size = static_cast<double>(benchmark.size);
  bench_case made{name,
                  fmt::format("{}{} bytes, {}, seed 1",
                              is_inverse(benchmark.asked)                      ? "a transform of "
                              : form_of(benchmark.asked) == bwt_form::rotation ? "rotations of "
                                                                               : "",
                              benchmark.size, benchmark.text),
                  size,
                  2 * size,
                  16 * benchmark.size,
                  benchmark.expected,
                  [benchmark, with_kernels, threads = asked.threads] {
                    const auto data = std::make_shared<text_data>(
                        text_data{benchmark.text, benchmark.size, form_of(benchmark.asked)});
                    return is_inverse(benchmark.asked)
                               ? inverse_methods(data, threads)
                               : transform_methods(data, !benchmark.expected, threads, with_kernels);
                  }};
  made.on_request = benchmark.on_request;
  made.setup_seconds = seconds_to_make(benchmark.size);
  if (is_inverse(benchmark.asked)) // texts above 100 MB are transformed on a GPU if there is one
    made.setup_seconds += seconds_to_sort(benchmark.size, size > 1e8 && !known_gpus().devices.empty());
  return made;
}

// Returns cases for a file of the user, after cases for parts of it, from which their times are extrapolated.
std::vector<bench_case> cases_of_file(const std::string& path, const limits& asked) {
  const std::string text = io::read_all(*io::open_bytes(path));
  if (text.size() < 2)
    throw error(errc::invalid_input, fmt::format("{}: a text to measure has at least two bytes", path));
  std::vector<bench_case> made;
  for (const task each : {task::bwt, task::unbwt})
    for (const std::uint64_t part : {64, 8, 1}) {
      const std::uint64_t size = text.size() / part;
      if (part > 1 && size < 1000) continue;
      const double units = static_cast<double>(size);
      made.push_back({fmt::format("{}/file", name_of(each)), fmt::format("{} bytes of {}", size, path), units,
                      2 * units, 16 * size, std::nullopt, [=, threads = asked.threads] {
                        const auto data = std::make_shared<text_data>(
                            text_data{"file", size, form_of(each), text.substr(0, size)});
                        return is_inverse(each) ? inverse_methods(data, threads)
                                                : transform_methods(data, true, threads, false);
                      }});
      made.back().for_rates = part > 1;
    }
  return made;
}

} // namespace

bench_case bwt_case(const std::string& name, const char* text, std::uint64_t size, std::uint64_t expected,
                    const limits& asked) {
  return case_of(name, {task::bwt, text, "", size, expected}, true, asked);
}

suite bwt_suite(const limits& asked, const std::vector<std::string>& files) {
  suite made{"bwt", "symbols", ceiling_kind::copy, a_copy_of_text, {}};
  if (!files.empty()) {
    made.cases = cases_of_file(files.front(), asked);
    return made;
  }
  for (const definition& each : definitions)
    made.cases.push_back(
        case_of(fmt::format("{}-{}/{}", name_of(each.asked), each.text, each.size_name), each, false, asked));
  for (const auto& more : {array_cases, batch_cases, search_cases, near_cases})
    for (bench_case& each : more(asked)) made.cases.push_back(std::move(each));
  return made;
}

} // namespace weft::bench
