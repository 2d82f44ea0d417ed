// The suite of `weft-bench lcs`: lengths, edit distances and paths.
#include <bench/bench.hpp>
#include <bench/gpu.hpp>
#include <bench/lcs/texts.hpp>
#include <fmt/format.h>
#include <memory>
#include <weft/base/error.hpp>
#include <weft/io/checksum.hpp>
#include <weft/lcs/core/bit_vector.hpp>
#include <weft/lcs/lcs.hpp>
#if defined(WEFT_BENCH_EDLIB)
#include <edlib.h>
#endif

namespace weft::bench {

namespace {

enum class question { length, edit, path };

// The definition of a case.
struct definition {
  question asked;
  const char* texts; // dna, protein, bytes: random; related: dna and a mutated copy of it
  const char* size_name;
  std::size_t size;
  std::uint64_t expected; // the length or distance, or the XXH3 of the runs of a path
};

constexpr definition definitions[] = {
    {question::length, "dna", "1k", 1'000, 654},
    {question::length, "dna", "10k", 10'000, 6543},
    {question::length, "dna", "100k", 100'000, 65353},
    {question::length, "related", "10k", 10'000, 9585},
    {question::length, "related", "100k", 100'000, 95864},
    {question::length, "protein", "10k", 10'000, 3609},
    {question::length, "protein", "100k", 100'000, 36240},
    {question::length, "bytes", "10k", 10'000, 1165},
    {question::length, "bytes", "100k", 100'000, 11733},
    {question::edit, "dna", "10k", 10'000, 5195},
    {question::edit, "dna", "100k", 100'000, 51700},
    {question::path, "dna", "10k", 10'000, 0x29040f06003c583b},
    {question::path, "dna", "100k", 100'000, 0xdc8e6580a6b6f45d},
    {question::length, "dna", "1M", 1'000'000, 654092},
    {question::path, "dna", "1M", 1'000'000, 0x6f3fa218d98d2a8b},
};

constexpr const char* name_of(question asked) {
  return asked == question::length ? "length" : asked == question::edit ? "edit" : "path";
}

// Two texts, which make() generates, and the answer of the last run.
struct text_pair {
  std::string kind;
  std::size_t m, n;
  std::string a = {}, b = {};
  std::uint64_t answer = 0;

  void make() {
    if (!a.empty()) return;
    const std::string letters = weft_bench::letters_of(kind);
    a = weft_bench::random_text(m, letters, 1);
    b = kind == "related" ? weft_bench::mutated(a, 2) : weft_bench::random_text(n, letters, 2);
  }
};

std::uint64_t digest_of(const edit_script& path) {
  io::running_checksum sum;
  for (const edit_run& run : path.runs) sum.add(fmt::format("{}{}", run.length, static_cast<char>(run.op)));
  return sum.value();
}

// The yardstick for lengths and distances: computes the table row by row, 64 columns per word, on one core,
// without leaving out any part of the table and without blocking. Returns the LCS length, or the edit
// distance if `edit`.
std::uint64_t plain_rows(const std::string& a, const std::string& b, bool edit) {
  using lcs_core::word;
  const std::size_t words = (b.size() + 63) / 64;
  std::vector<word> match(256 * words), ones(words, ~word{0}), minus(words);
  for (std::size_t j = 0; j < b.size(); ++j)
    match[static_cast<unsigned char>(b[j]) * words + j / 64] |= word{1} << j % 64;
  const word last = b.size() % 64 == 0 ? ~word{0} : (word{1} << b.size() % 64) - 1;
  for (const char c : a) {
    const word* const row = &match[static_cast<unsigned char>(c) * words];
    word carry = 0;
    lcs_core::edit_carry edge{1, 0};
    for (std::size_t w = 0; w < words; ++w)
      if (edit)
        lcs_core::edit_step(ones[w], minus[w], row[w], edge);
      else
        lcs_core::lcs_step(ones[w], row[w], carry);
  }
  std::uint64_t value = edit ? a.size() : 0; // the distance at the left edge of the last row
  for (std::size_t w = 0; w < words; ++w) {
    const word columns = w + 1 == words ? last : ~word{0};
    const auto count = [&](word bits) {
      return static_cast<std::uint64_t>(__builtin_popcountll(bits & columns));
    };
    value += edit ? count(ones[w]) - count(minus[w]) : count(~ones[w]);
  }
  return value;
}

// Returns the yardstick that computes edit distances with edlib, where it was installed when weft-bench was
// built.
method edlib_method(const std::shared_ptr<text_pair>& texts) {
  method made{"edlib", true, false, 1, "", [texts] { texts->make(); }, {}, [texts] { return texts->answer; }};
#if defined(WEFT_BENCH_EDLIB)
  made.run = [texts] {
    const EdlibAlignResult result =
        edlibAlign(texts->a.data(), static_cast<int>(texts->a.size()), texts->b.data(),
                   static_cast<int>(texts->b.size()),
                   edlibNewAlignConfig(-1, EDLIB_MODE_NW, EDLIB_TASK_DISTANCE, nullptr, 0));
    texts->answer = static_cast<std::uint64_t>(result.editDistance);
    edlibFreeAlignResult(result);
    if (result.status != EDLIB_STATUS_OK) throw error(errc::unavailable, "edlib has failed");
  };
#else
  made.unavailable_reason = "built without edlib";
#endif
  return made;
}

std::uint64_t answer_of(const text_pair& texts, question asked, const lcs_options& options) {
  if (asked == question::path) return digest_of(lcs(texts.a, texts.b, options));
  return lcs_value(texts.a, texts.b, options);
}

std::vector<method> methods_of(question asked, const std::shared_ptr<text_pair>& texts, int threads) {
  const lcs_metric metric = asked == question::edit ? lcs_metric::edit : lcs_metric::lcs;
  std::vector<method> methods;
  const auto add = [&](const std::string& name, const std::string& unavailable_reason,
                       const std::function<std::uint64_t(const text_pair&)>& run) -> method& {
    methods.push_back({name, false, false, 1, unavailable_reason, [texts] { texts->make(); },
                       [texts, run] { texts->answer = run(*texts); }, [texts] { return texts->answer; }});
    return methods.back();
  };
  for (const device_kind device : {device_kind::cpu, device_kind::gpu}) {
    const device_choice on = device == device_kind::cpu ? device_choice{device_kind::cpu, 0} : first_gpu();
    for_each_engine(
        lcs_engines(), device,
        [&](const std::string& engine, device_choice choice) {
          check_lcs_options({.metric = metric, .engine = engine, .device = choice});
        },
        [&](const std::string& engine, const std::string& unavailable_reason) {
          const lcs_options options{.metric = metric, .engine = engine, .device = on, .threads = threads};
          method& made = add(engine, unavailable_reason,
                             [=](const text_pair& at) { return answer_of(at, asked, options); });
          made.threads = 0;
          made.on_gpu = device == device_kind::gpu;
        });
    if (device == device_kind::cpu && asked == question::path)
      add("bit-parallel, one core", "", [](const text_pair& at) {
        return answer_of(at, question::path,
                         {.engine = "bit-parallel", .device = {device_kind::cpu, 0}, .threads = 1});
      }).yardstick = true;
    else if (device == device_kind::cpu)
      add("plain 64-bit rows", "", [metric](const text_pair& at) {
        return plain_rows(at.a, at.b, metric == lcs_metric::edit);
      }).yardstick = true;
    if (device == device_kind::cpu && asked == question::edit) methods.push_back(edlib_method(texts));
  }
  return methods;
}

bench_case case_of(const std::string& name, question kind, const text_pair& texts,
                   std::optional<std::uint64_t> expected, const limits& asked) {
  const double cells = static_cast<double>(texts.m) * static_cast<double>(texts.n);
  return {name,
          fmt::format("{} x {}{}, {}, seeds 1 and 2", texts.m, texts.n,
                      texts.kind == "related" ? " or so" : "", texts.kind),
          cells,
          cells,
          1200 * texts.n + (std::uint64_t{1} << 20),
          expected,
          [=] { return methods_of(kind, std::make_shared<text_pair>(texts), asked.threads); }};
}

} // namespace

bench_case lcs_path_case(const std::string& name, std::size_t m, std::size_t n, const limits& asked) {
  return case_of(name, question::path, {"dna", m, n}, std::nullopt, asked);
}

suite lcs_suite(const limits& asked) {
  suite made{"lcs", "cells", ceiling_kind::logic, one_operation_a_cell, {}};
  for (const definition& each : definitions)
    made.cases.push_back(case_of(fmt::format("{}-{}/{}", name_of(each.asked), each.texts, each.size_name),
                                 each.asked, {each.texts, each.size, each.size}, each.expected, asked));
  return made;
}

} // namespace weft::bench
