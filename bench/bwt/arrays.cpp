// The cases of `weft-bench bwt` for suffix and LCP arrays.
#include <bench/bwt/gpu_arrays.hpp>
#include <bench/bwt/texts.hpp>
#include <bench/gpu.hpp>
#include <bench/kept_input.hpp>
#include <divsufsort.h>
#include <fmt/format.h>
#include <memory>
#include <random>
#include <stdexcept>
#include <unordered_map>
#include <weft/bwt/bwt.hpp>
#include <weft/bwt/suffix_array.hpp>
#include <weft/io/checksum.hpp>

namespace weft::bench {

namespace {

// The task of a case: to compute the suffix array of bytes or of symbols of 32 bits, or the LCP array.
enum class task { sa, sa32, lcp };

constexpr const char* name_of(task asked) {
  return asked == task::sa ? "sa" : asked == task::sa32 ? "sa32" : "lcp";
}

// The definition of a case. Answers are held against each other, and each is checked in part.
struct definition {
  task asked;
  const char* text; // name of a text of text_maker; of sa32: random or words
  const char* size_name;
  std::uint64_t size;
};

constexpr definition definitions[] = {
    {task::sa, "random-dna", "200k", 200'000},
    {task::sa, "random-dna", "1M", 1'000'000},
    {task::sa, "random-dna", "16M", 16'000'000},
    {task::sa, "random-dna", "100M", 100'000'000},
    {task::sa, "random-dna", "1000M", 1'000'000'000},
    {task::sa, "random-bytes", "16M", 16'000'000},
    {task::sa, "random-protein", "16M", 16'000'000},
    {task::sa, "genome-like", "1M", 1'000'000},
    {task::sa, "genome-like", "16M", 16'000'000},
    {task::sa, "genome-like", "100M", 100'000'000},
    {task::sa, "genome-like", "1000M", 1'000'000'000},
    {task::sa, "word-text", "200k", 200'000},
    {task::sa, "word-text", "1M", 1'000'000},
    {task::sa, "word-text", "16M", 16'000'000},
    {task::sa, "word-text", "100M", 100'000'000},
    {task::sa, "word-text", "1000M", 1'000'000'000},
    {task::sa, "repetitive", "16M", 16'000'000},
    {task::sa, "repetitive", "250M", 250'000'000},
    {task::sa, "periodic", "16M", 16'000'000},
    {task::sa, "equal", "16M", 16'000'000},
    {task::sa, "fibonacci", "16M", 16'000'000},
    {task::sa, "fibonacci", "100M", 100'000'000},
    {task::sa32, "random", "1M", 1'000'000},
    {task::sa32, "random", "100M", 100'000'000},
    {task::sa32, "words", "1M", 1'000'000},
    {task::sa32, "words", "100M", 100'000'000},
    {task::lcp, "random-dna", "16M", 16'000'000},
    {task::lcp, "random-dna", "100M", 100'000'000},
    {task::lcp, "random-dna", "1000M", 1'000'000'000},
    {task::lcp, "genome-like", "1M", 1'000'000},
    {task::lcp, "genome-like", "100M", 100'000'000},
    {task::lcp, "genome-like", "1000M", 1'000'000'000},
    {task::lcp, "word-text", "100M", 100'000'000},
    {task::lcp, "word-text", "1000M", 1'000'000'000},
    {task::lcp, "repetitive", "100M", 100'000'000},
    {task::lcp, "repetitive", "1000M", 1'000'000'000},
    {task::lcp, "equal", "100M", 100'000'000},
    {task::lcp, "equal", "1000M", 1'000'000'000},
    {task::lcp, "one-b", "100M", 100'000'000},
    {task::lcp, "one-b", "1000M", 1'000'000'000},
};

using symbols = std::vector<std::uint32_t>;

// Returns the first n words of a text as numbers, in the order of their first occurrences.
symbols word_numbers(std::uint64_t n) {
  const std::string text = text_maker(8 * n + 100'000).make("word-text"); // a word has 7 bytes
  std::unordered_map<std::string_view, std::uint32_t> known;
  symbols numbers;
  for (std::size_t at = 0; at < text.size() && numbers.size() < n;) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = std::string_view(text).substr(at, end - at);
    numbers.push_back(known.try_emplace(word, static_cast<std::uint32_t>(known.size())).first->second);
    at = end + 1;
  }
  if (numbers.size() < n) throw std::runtime_error("too few words");
  return numbers;
}

// Returns random symbols of 20 bits, or words.
symbols make_symbols(const std::string& name, std::uint64_t n) {
  if (name == "words") return word_numbers(n);
  symbols made(n);
  std::mt19937_64 random(1);
  for (std::uint32_t& symbol : made) symbol = static_cast<std::uint32_t>(random() >> 44);
  return made;
}

// The data that the methods of a case share.
struct array_data {
  std::string name;
  std::uint64_t size;
  std::shared_ptr<const std::string> text = {};
  std::shared_ptr<const symbols> numbers = {};
  symbols sa = {}, answer = {}; // sa: of lcp

  const std::string& made() {
    if (text == nullptr)
      text = input_of<std::string>(fmt::format("text {} {}", name, size),
                                   [this] { return text_maker(size).make(name); });
    return *text;
  }
  const symbols& made_symbols() {
    if (numbers == nullptr)
      numbers = input_of<symbols>(fmt::format("symbols {} {}", name, size),
                                  [this] { return make_symbols(name, size); });
    return *numbers;
  }
  [[nodiscard]] std::uint64_t digest() const {
    return io::checksum({reinterpret_cast<const char*>(answer.data()), answer.size() * sizeof answer[0]});
  }
};

method array_method(const std::shared_ptr<array_data>& data, const std::string& name, int own_threads,
                    const std::function<void(array_data&)>& run) {
  return {name,
          false,
          false,
          own_threads,
          "",
          [data] {
            (void)data->made();
            data->answer.assign(data->size, 0);
          },
          [data, run] { run(*data); },
          [data] { return data->digest(); }};
}

bwt_options options_of(const std::string& engine, int threads) {
  return {.run = {.engine = engine, .device = {device_kind::cpu, 0}, .threads = threads}};
}

std::vector<method> suffix_array_methods(const std::shared_ptr<array_data>& data, int threads) {
  std::vector<method> methods;
  const auto add = [&](const std::string& name, const std::string& engine, int shown, int own_threads) {
    methods.push_back(array_method(data, name, shown, [=](array_data& at) {
      at.answer = suffix_array(*at.text, options_of(engine, own_threads));
    }));
  };
  add("suffix-sort", "suffix-sort", 0, threads);
  add("suffix-sort, one thread", "suffix-sort", 1, 1);
  if (!repeats_itself(data->name)) add("ternary-quicksort", "ternary-quicksort", 0, threads);
  const auto wide = std::make_shared<std::vector<std::uint16_t>>();
  methods.push_back(array_method(data, "suffix-sort, symbols of 16 bits", 0, [=](array_data& at) {
    at.answer = suffix_array(std::span<const std::uint16_t>(*wide), options_of("auto", threads));
  }));
  methods.back().prepare = [data, wide] {
    data->answer.clear();
    if (wide->empty())
      for (const char c : data->made()) wide->push_back(static_cast<unsigned char>(c));
  };
  methods.push_back(array_method(data, "libdivsufsort", 1, [](array_data& at) {
    divsufsort(reinterpret_cast<const sauchar_t*>(at.text->data()),
               reinterpret_cast<saidx_t*>(at.answer.data()), static_cast<saidx_t>(at.size));
  }));
  methods.back().yardstick = true;
  for (method& each : methods)
    each.is_right = [data] {
      const std::string& text = data->made();
      return is_suffix_array<unsigned char>(
          {reinterpret_cast<const unsigned char*>(text.data()), text.size()}, data->answer);
    };
  methods.push_back(
      suffix_array_in_gpu_memory(text_source([data] { return std::string_view(data->made()); })));
  methods.push_back(pair_sort_in_gpu_memory(data->size));
  return methods;
}

// Sorts the suffixes of symbols with libdivsufsort: as a text of the bytes of the symbols, the highest one
// first, of whose suffixes only every fourth one is kept.
symbols sort_as_bytes(const symbols& numbers) {
  std::string bytes;
  bytes.reserve(4 * numbers.size());
  for (const std::uint32_t number : numbers)
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift);
  symbols sa(bytes.size()), kept;
  divsufsort(reinterpret_cast<const sauchar_t*>(bytes.data()), reinterpret_cast<saidx_t*>(sa.data()),
             static_cast<saidx_t>(bytes.size()));
  kept.reserve(numbers.size());
  for (const std::uint32_t position : sa)
    if (position % 4 == 0) kept.push_back(position / 4);
  return kept;
}

std::vector<method> symbol_methods(const std::shared_ptr<array_data>& data, int threads) {
  const auto method_of = [&](const std::string& name, int shown, const std::function<void()>& run) {
    return method{
        .name = name,
        .threads = shown,
        .prepare =
            [data] {
              (void)data->made_symbols();
              data->answer.assign(data->size, 0);
            },
        .run = run,
        .digest = [data] { return data->digest(); },
        .is_right = [data] { return is_suffix_array<std::uint32_t>(data->made_symbols(), data->answer); }};
  };
  const auto sort = [data](int own_threads) {
    data->answer =
        suffix_array(std::span<const std::uint32_t>(*data->numbers), options_of("auto", own_threads));
  };
  std::vector<method> methods = {
      method_of("suffix-sort", 0, [=] { sort(threads); }),
      method_of("suffix-sort, one thread", 1, [=] { sort(1); }),
      method_of("libdivsufsort, as bytes", 1, [data] { data->answer = sort_as_bytes(*data->numbers); })};
  methods.back().yardstick = true;
  methods.push_back(suffix_array_in_gpu_memory(
      symbol_source([data] { return std::span<const std::uint32_t>(data->made_symbols()); })));
  methods.push_back(pair_sort_in_gpu_memory(data->size));
  return methods;
}

std::vector<method> lcp_methods(const std::shared_ptr<array_data>& data, int threads) {
  const bool one_run = data->name == "equal" || data->name == "one-b";
  method on_cpu = array_method(data, "lcp", 0, [threads](array_data& at) {
    at.answer = lcp_array<std::uint32_t>(*at.text, at.sa,
                                         {.run = {.device = {device_kind::cpu, 0}, .threads = threads}});
  });
  on_cpu.prepare = [data] {
    if (data->sa.empty()) data->sa = suffix_array(data->made());
  };
  on_cpu.is_right = [data] { return is_lcp_array<std::uint32_t>(*data->text, data->sa, data->answer); };
  std::vector<method> methods = {on_cpu};
  for (method& each : lcp_arrays_in_gpu_memory([data] { return std::string_view(data->made()); }, one_run))
    methods.push_back(std::move(each));
  return methods;
}

} // namespace

std::vector<bench_case> array_cases(const limits& asked) {
  std::vector<bench_case> made;
  for (const definition& each : definitions) {
    const double size = static_cast<double>(each.size);
    made.push_back({fmt::format("{}-{}/{}", name_of(each.asked), each.text, each.size_name),
                    fmt::format("{} symbols, {}, seed 1", each.size, each.text), size, 5 * size,
                    (each.asked == task::sa32 ? 36 : 24) * each.size, std::nullopt,
                    [each, threads = asked.threads] {
                      const auto data = std::make_shared<array_data>(array_data{each.text, each.size});
                      return each.asked == task::sa     ? suffix_array_methods(data, threads)
                             : each.asked == task::sa32 ? symbol_methods(data, threads)
                                                        : lcp_methods(data, threads);
                    }});
    made.back().on_request = true;
    made.back().setup_seconds = seconds_to_make(each.size);
    if (each.asked == task::lcp)
      made.back().setup_seconds += seconds_to_sort(each.size, !known_gpus().devices.empty());
  }
  return made;
}

} // namespace weft::bench
