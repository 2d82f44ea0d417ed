// The suite of `weft-bench lcs`: lengths, edit distances and paths.
#include <algorithm>
#include <bench/bench.hpp>
#include <bench/gpu.hpp>
#include <bench/lcs/texts.hpp>
#include <fmt/format.h>
#include <memory>
#include <utility>
#include <weft/base/error.hpp>
#include <weft/io/byte_source.hpp>
#include <weft/io/checksum.hpp>
#include <weft/lcs/core/bit_vector.hpp>
#include <weft/lcs/lcs.hpp>
#include <weft/multi/lcs.hpp>
#include <weft/multi/thread_ranks.hpp>
#if defined(WEFT_BENCH_EDLIB)
#include <edlib.h>
#endif

namespace weft::bench {

namespace {

enum class question { length, edit, path, edit_path, penalty, penalty_path };

constexpr lcs_metric metric_of(question asked) {
  if (asked == question::penalty || asked == question::penalty_path) return lcs_metric::affine;
  return asked == question::edit || asked == question::edit_path ? lcs_metric::edit : lcs_metric::lcs;
}
constexpr bool is_path(question asked) {
  return asked == question::path || asked == question::edit_path || asked == question::penalty_path;
}

// The definition of a case.
struct definition {
  question asked;
  const char* texts; // dna, protein, bytes: random; related: dna and a mutated copy of it
  const char* size_name;
  std::size_t size;
  // The length or distance, or the XXH3 of the runs of a path. Without it, each answer is held against
  // text_pair::reference().
  std::optional<std::uint64_t> expected;
  bool on_request = false;
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
    {question::penalty, "dna", "1k", 1'000, 2314},
    {question::penalty, "dna", "10k", 10'000, 22806},
    {question::penalty, "related", "100k", 100'000, 22468, true},
    {question::penalty_path, "dna", "10k", 10'000, 0x1e58b94515232ac6},
    {question::path, "dna", "10k", 10'000, 0x29040f06003c583b},
    {question::path, "dna", "100k", 100'000, 0xdc8e6580a6b6f45d},
    {question::length, "dna", "1M", 1'000'000, 654092},
    {question::path, "dna", "1M", 1'000'000, 0x6f3fa218d98d2a8b},
    {question::length, "related", "1M", 1'000'000, 958407, true},
    {question::length, "related", "16M", 16'000'000, std::nullopt, true},
    {question::length, "dna", "4M", 4'000'000, 2616760, true},
    {question::length, "dna", "16M", 16'000'000, std::nullopt, true},
    {question::length, "protein", "1M", 1'000'000, 362524, true},
    {question::length, "protein", "16M", 16'000'000, std::nullopt, true},
    {question::length, "bytes", "1M", 1'000'000, 117441, true},
    {question::length, "bytes", "4M", 4'000'000, std::nullopt, true},
    {question::edit, "dna", "1M", 1'000'000, 516548, true},
    {question::edit, "related", "10k", 10'000, 472, true},
    {question::edit, "related", "100k", 100'000, 4687, true},
    {question::edit, "related", "1M", 1'000'000, 47351, true},
    {question::edit, "related", "16M", 16'000'000, std::nullopt, true},
    {question::path, "related", "10k", 10'000, 0xab9f4b1053205055, true},
    {question::path, "related", "100k", 100'000, 0xbc4d7917c5d8c3a9, true},
    {question::path, "related", "1M", 1'000'000, 0x3dc3a48e2d5a4352, true},
    {question::path, "related", "16M", 16'000'000, std::nullopt, true},
    {question::edit_path, "related", "10k", 10'000, 0xcee47717082a3847, true},
    {question::edit_path, "related", "100k", 100'000, 0x65f75cbc36b0bbfb, true},
    {question::edit_path, "related", "1M", 1'000'000, 0xad6ebdd9dfe861a1, true},
    {question::edit_path, "related", "16M", 16'000'000, std::nullopt, true},
};

constexpr const char* name_of(question asked) {
  switch (asked) {
  case question::length:
    return "length";
  case question::edit:
    return "edit";
  case question::path:
    return "path";
  case question::penalty:
    return "penalty";
  case question::penalty_path:
    return "penalty-path";
  default:
    return "edit-path";
  }
}

std::string reversed(const std::string& text) { return {text.rbegin(), text.rend()}; }

// Two texts, which make() generates unless they are given, and the answer of the last run: a value or a path.
struct text_pair {
  std::string kind;
  std::size_t m, n;
  std::string a = {}, b = {};
  std::uint64_t answer = 0;
  edit_script path = {};
  std::optional<std::uint64_t> known_value = {};

  void make() {
    if (!a.empty() || !b.empty()) return;
    const std::string letters = letters_of(kind);
    a = random_text(m, letters, 1);
    b = kind == "related" ? mutated(a, 2) : random_text(n, letters, 2);
  }

  // Returns the value of the texts, computed once: by the CPU or, if that would take minutes and there is a
  // GPU, by the GPU from the exchanged and reversed texts. Their value is the same, but their table is
  // another one, with other masks and other differences between its strips.
  std::uint64_t reference(lcs_metric metric) {
    if (known_value) return *known_value;
    const bool on_gpu =
        static_cast<double>(a.size()) * static_cast<double>(b.size()) > 3e12 && !known_gpus().devices.empty();
    known_value =
        on_gpu
            ? lcs_value(reversed(b), reversed(a),
                        {.metric = metric, .run = {.engine = "systolic", .device = first_gpu()}})
            : lcs_value(a, b,
                        {.metric = metric, .run = {.engine = "bit-sliced", .device = {device_kind::cpu, 0}}});
    return *known_value;
  }
  // Returns true if the path leads from the first text to the second one.
  [[nodiscard]] bool is_connected() const {
    std::uint64_t i = 0, j = 0, matches = 0;
    for (const edit_run& run : path.runs) {
      const bool down = run.op != edit_op::insert, right = run.op != edit_op::remove;
      if ((down && run.length > a.size() - i) || (right && run.length > b.size() - j)) return false;
      if (run.op == edit_op::match && a.compare(i, run.length, b, j, run.length) != 0) return false;
      if (run.op == edit_op::match) matches += run.length;
      i += down ? run.length : 0;
      j += right ? run.length : 0;
    }
    return i == a.size() && j == b.size() && matches == path.matches;
  }
  // Returns the number of edits of the path.
  [[nodiscard]] std::uint64_t num_edits() const {
    std::uint64_t edits = 0;
    for (const edit_run& run : path.runs)
      if (run.op != edit_op::match) edits += run.length;
    return edits;
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
  using lcs_detail::word;
  const std::size_t words = (b.size() + 63) / 64;
  std::vector<word> match(256 * words), ones(words, ~word{0}), minus(words);
  for (std::size_t j = 0; j < b.size(); ++j)
    match[static_cast<unsigned char>(b[j]) * words + j / 64] |= word{1} << j % 64;
  const word last = b.size() % 64 == 0 ? ~word{0} : (word{1} << b.size() % 64) - 1;
  for (const char c : a) {
    const word* const row = &match[static_cast<unsigned char>(c) * words];
    word carry = 0;
    lcs_detail::edit_carry edge{1, 0};
    for (std::size_t w = 0; w < words; ++w)
      if (edit)
        lcs_detail::edit_step(ones[w], minus[w], row[w], edge);
      else
        lcs_detail::lcs_step(ones[w], row[w], carry);
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

// The yardstick for penalties: computes the tables of Gotoh row by row, cell by cell, on one core.
std::uint64_t plain_gotoh(const std::string& a, const std::string& b) {
  const affine_penalties cost;
  const std::uint64_t open = cost.gap_open, extend = cost.gap_extend, never = ~std::uint64_t{0} / 2;
  std::vector<std::uint64_t> closed(b.size() + 1), deleting(b.size() + 1, never);
  for (std::size_t j = 1; j <= b.size(); ++j) closed[j] = open + j * extend;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::uint64_t diagonal = closed[0], inserting = never;
    closed[0] = open + i * extend;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      deleting[j] = extend + std::min(closed[j] + open, deleting[j]);
      inserting = extend + std::min(closed[j - 1] + open, inserting);
      const std::uint64_t straight = diagonal + (a[i - 1] == b[j - 1] ? 0 : cost.mismatch);
      diagonal = std::exchange(closed[j], std::min({straight, deleting[j], inserting}));
    }
  }
  return closed.back();
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

// Computes the answer of the texts.
void answer(text_pair& texts, question asked, const lcs_options& options) {
  if (is_path(asked))
    texts.path = lcs(texts.a, texts.b, options);
  else
    texts.answer = lcs_value(texts.a, texts.b, options);
}

// Computes the length of the texts on the first two GPUs. Returns the seconds without those for making the
// threads of the ranks and what they keep of their GPUs between calls.
double answer_on_two_gpus(text_pair& texts) {
  double seconds = 0;
  multi::run_ranks(2, [&](multi::communicator& ranks) {
    lcs_options options;
    options.run.engine = "systolic";
    options.run.device = {device_kind::gpu,
                          known_gpus().devices[static_cast<std::size_t>(ranks.rank())].index};
    (void)multi::lcs_value(ranks, "AC", "CA", options, {.min_gpu_cells = 1});
    ranks.barrier();
    const double begin = steady_seconds();
    const std::uint64_t length = multi::lcs_value(ranks, texts.a, texts.b, options);
    if (ranks.rank() == 0) texts.answer = length, seconds = steady_seconds() - begin;
  });
  return seconds;
}

// Returns true if the answer of the last run is right: a path must lead from one text to the other, and
// `with_reference`, the value must be that of text_pair::reference().
bool is_right(text_pair& texts, question asked, bool with_reference) {
  if (is_path(asked) && !texts.is_connected()) return false;
  if (!with_reference) return true;
  const std::uint64_t value = asked == question::path        ? texts.path.matches
                              : asked == question::edit_path ? texts.num_edits()
                                                             : texts.answer;
  return value == texts.reference(metric_of(asked));
}

std::vector<method> methods_of(question asked, const std::shared_ptr<text_pair>& texts, int threads,
                               bool with_reference) {
  const lcs_metric metric = metric_of(asked);
  std::vector<method> methods;
  const auto add = [&](const std::string& name, const std::string& unavailable_reason,
                       const std::function<void(text_pair&)>& run) -> method& {
    methods.push_back({name, false, false, 1, unavailable_reason, [texts] { texts->make(); },
                       [texts, run] { run(*texts); },
                       [texts, asked] { return is_path(asked) ? digest_of(texts->path) : texts->answer; }});
    if (is_path(asked) || with_reference)
      methods.back().is_right = [=] { return is_right(*texts, asked, with_reference); };
    return methods.back();
  };
  for (const device_kind device : {device_kind::cpu, device_kind::gpu}) {
    const device_choice on = device == device_kind::cpu ? device_choice{device_kind::cpu, 0} : first_gpu();
    for_each_engine(
        lcs_engines(), device,
        [&](const std::string& engine, device_choice choice) {
          check_lcs_options({.metric = metric, .run = {.engine = engine, .device = choice}});
        },
        [&](const std::string& engine, const std::string& unavailable_reason) {
          const lcs_options options{.metric = metric,
                                    .run = {.engine = engine, .device = on, .threads = threads}};
          method& made = add(engine, unavailable_reason, [=](text_pair& at) { answer(at, asked, options); });
          made.threads = 0;
          made.on_gpu = device == device_kind::gpu;
        });
    if (device == device_kind::cpu && metric == lcs_metric::affine && !is_path(asked))
      add("plain rows of Gotoh", "", [](text_pair& at) { at.answer = plain_gotoh(at.a, at.b); }).yardstick =
          true;
    else if (device == device_kind::cpu && metric == lcs_metric::affine)
      add("affine-table, one core", "", [=](text_pair& at) {
        answer(at, asked, {.metric = metric, .run = {.engine = "affine-table", .threads = 1}});
      }).yardstick = true;
    else if (device == device_kind::cpu && is_path(asked))
      add("bit-parallel, one core", "", [=](text_pair& at) {
        answer(at, asked,
               {.metric = metric,
                .run = {.engine = "bit-parallel", .device = {device_kind::cpu, 0}, .threads = 1}});
      }).yardstick = true;
    else if (device == device_kind::cpu)
      add("plain 64-bit rows", "", [metric](text_pair& at) {
        at.answer = plain_rows(at.a, at.b, metric == lcs_metric::edit);
      }).yardstick = true;
    if (device == device_kind::gpu && asked == question::length && known_gpus().devices.size() > 1 &&
        texts->m * texts->n >= multi::table_limits().min_gpu_cells) {
      const auto seconds = std::make_shared<double>();
      method& made =
          add("systolic, 2 GPUs", "", [seconds](text_pair& at) { *seconds = answer_on_two_gpus(at); });
      made.seconds = [seconds] { return *seconds; };
      made.threads = 0;
      made.on_gpu = true;
    }
    if (device == device_kind::cpu && asked == question::edit) methods.push_back(edlib_method(texts));
  }
  return methods;
}

bench_case case_of(const std::string& name, question kind, const text_pair& texts,
                   std::optional<std::uint64_t> expected, bool with_reference, const limits& asked) {
  const double cells = static_cast<double>(texts.m) * static_cast<double>(texts.n);
  return {
      name,
      fmt::format("{} x {}{}, {}, seeds 1 and 2", texts.m, texts.n, texts.kind == "related" ? " or so" : "",
                  texts.kind),
      cells,
      cells,
      1200 * texts.n + (std::uint64_t{1} << 20),
      expected,
      [=] { return methods_of(kind, std::make_shared<text_pair>(texts), asked.threads, with_reference); }};
}

// Returns cases for two files of the user, byte by byte, after cases for parts of them, from which their
// times are extrapolated.
std::vector<bench_case> cases_of_files(const std::vector<std::string>& files, const limits& asked) {
  const std::string a = io::read_all(*io::open_bytes(files[0])), b = io::read_all(*io::open_bytes(files[1]));
  std::vector<bench_case> made;
  for (const question kind : {question::length, question::edit, question::path, question::edit_path})
    for (const std::size_t part : {64, 8, 1}) {
      const text_pair texts{"files", a.size() / part, b.size() / part, a.substr(0, a.size() / part),
                            b.substr(0, b.size() / part)};
      made.push_back(
          case_of(fmt::format("{}/files", name_of(kind)), kind, texts, std::nullopt, false, asked));
      made.back().input = fmt::format("{} and {}, {} x {} bytes", files[0], files[1], texts.m, texts.n);
      made.back().for_rates = part > 1;
    }
  return made;
}

} // namespace

bench_case lcs_path_case(const std::string& name, std::size_t m, std::size_t n, const limits& asked) {
  return case_of(name, question::path, {"dna", m, n}, std::nullopt, false, asked);
}

suite lcs_suite(const limits& asked, const std::vector<std::string>& files) {
  suite made{"lcs", "cells", ceiling_kind::logic, one_operation_a_cell, {}};
  if (!files.empty()) {
    made.cases = cases_of_files(files, asked);
    return made;
  }
  for (const definition& each : definitions) {
    made.cases.push_back(case_of(fmt::format("{}-{}/{}", name_of(each.asked), each.texts, each.size_name),
                                 each.asked, {each.texts, each.size, each.size}, each.expected,
                                 !each.expected, asked));
    made.cases.back().on_request = each.on_request;
  }
  for (bench_case& each : all_pairs_cases(asked)) made.cases.push_back(std::move(each));
  return made;
}

} // namespace weft::bench
