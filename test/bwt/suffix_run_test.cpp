// Tests how the engine suffix-sort of the CPU runs: with little memory, on every number of threads,
// cancelled, and what progress it reports.
#include <algorithm>
#include <chrono>
#include <ctime>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <thread>
#include <weft/base/error.hpp>
#include <weft/bwt/bwt.hpp>
#include <weft/bwt/bwt_batch.hpp>
#include <weft/bwt/collection_bwt.hpp>

#include "suffix_texts.hpp"

namespace weft::test {

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_sanitized = true;
#else
constexpr bool is_sanitized = false;
#endif

bwt_options on_cpu(run_options run) {
  run.device = {device_kind::cpu, 0};
  return {run};
}

// A call of one function of bwt. The result is hashed or compared by its maker.
struct bwt_call {
  std::string name;
  std::uint64_t symbols; // that it reports as its work
  std::function<std::string(const run_options&)> result;
};

template <class T> std::string bytes_of(const std::vector<T>& items) {
  return {reinterpret_cast<const char*>(items.data()), items.size() * sizeof(T)};
}

template <class Symbol> std::vector<Symbol> widened(const std::string& text) {
  std::vector<Symbol> symbols;
  for (const unsigned char c : text) symbols.push_back(static_cast<Symbol>(c * 257U));
  return symbols;
}

text_parts cut(const std::string& text, std::size_t size) {
  text_parts of;
  for (std::size_t at = 0; at < text.size(); at += size) of.add(text.substr(at, size));
  return of;
}

// Returns calls of every function that sorts suffixes, for one text.
std::vector<bwt_call> calls_for(const std::string& text) {
  const std::uint64_t n = text.size();
  const text_parts of = cut(text, 999), two = cut(text, text.size() * 2 / 3 + 1);
  std::vector<bwt_call> calls = {
      {"suffix_array", n, [=](const run_options& run) { return bytes_of(suffix_array(text, on_cpu(run))); }},
      {"suffix_array of 64 bits", n,
       [=](const run_options& run) { return bytes_of(suffix_array<std::uint64_t>(text, on_cpu(run))); }}};
  for (const bwt_form form : {bwt_form::sentinel, bwt_form::rotation}) {
    const std::string name = form == bwt_form::sentinel ? " with a sentinel" : " of rotations";
    calls.push_back({"bwt" + name, n, [=](const run_options& run) {
                       const bwt_text made = bwt(text, form, on_cpu(run));
                       return made.bytes + std::to_string(made.primary_index);
                     }});
    for (const text_parts& batch : {of, two})
      calls.push_back({"bwt_batch" + name, n, [=](const run_options& run) {
                         const auto made = bwt_batch({batch.text, batch.offsets}, form, on_cpu(run));
                         return made.bytes + bytes_of(made.primary_indexes);
                       }});
  }
  for (const text_parts& batch : {of, two})
    calls.push_back({"suffix_array_batch", n, [=](const run_options& run) {
                       return bytes_of(suffix_array_batch({batch.text, batch.offsets}, on_cpu(run)));
                     }});
  return calls;
}

// Returns calls of the functions that only suffix-sort has on a CPU.
std::vector<bwt_call> calls_of_symbols_for(const std::string& text) {
  const std::uint64_t n = text.size();
  const text_parts of = cut(text, 150);
  const auto narrow = widened<std::uint16_t>(text);
  const auto wide = widened<std::uint32_t>(text);
  return {{"suffix_array of 16-bit symbols", n,
           [=](const run_options& run) {
             return bytes_of(suffix_array(std::span<const std::uint16_t>(narrow), on_cpu(run)));
           }},
          {"suffix_array of 32-bit symbols", n,
           [=](const run_options& run) {
             return bytes_of(suffix_array(std::span<const std::uint32_t>(wide), on_cpu(run)));
           }},
          {"collection_suffix_array", n,
           [=](const run_options& run) {
             return bytes_of(collection_suffix_array({of.text, of.offsets}, on_cpu(run)));
           }},
          {"collection_bwt", n, [=](const run_options& run) {
             const auto made = collection_bwt({of.text, of.offsets}, on_cpu(run));
             return made.bytes + bytes_of(made.starts);
           }}};
}

std::vector<named_text> sample_texts(std::size_t n) {
  std::mt19937_64 random(n);
  return {{"random", random_letters(random, n, 4)}, {"bytes", random_letters(random, n, 256)},
          {"all equal", std::string(n, 'a')},       {"copies", copies(random, n, n / 7 + 1, 1000)},
          {"powers", powers("ab", "cA", n)},        {"Thue-Morse", thue_morse(n)}};
}

TEST(suffix_sort_progress, adds_up_to_the_symbols) {
  for (const std::size_t n : {1, 2, 299, 300, 5000, 70'001})
    for (const auto& [name, text] : sample_texts(n)) {
      const auto expect_work = [&](const bwt_call& call, const std::string& engine) {
        task_monitor monitor;
        (void)call.result({.engine = engine, .threads = 2, .monitor = &monitor});
        ASSERT_EQ(monitor.done(), call.symbols) << call.name << " by " << engine << ", " << name << ", " << n;
      };
      for (const bwt_call& call : calls_for(text))
        for (const engine_info& engine : bwt_engines())
          if (engine.name != "ternary-quicksort" || n <= 300) expect_work(call, engine.name);
      for (const bwt_call& call : calls_of_symbols_for(text)) expect_work(call, "suffix-sort");
    }
}

TEST(suffix_sort_progress, adds_up_if_the_transform_is_made_by_ranges) {
  for (const auto& [name, text] : sample_texts(200'000)) {
    task_monitor monitor;
    (void)bwt(text, bwt_form::sentinel,
              on_cpu({.engine = "suffix-sort", .memory = 7 * text.size(), .monitor = &monitor}));
    EXPECT_EQ(monitor.done(), text.size()) << name;
  }
}

void expect_same(const bwt_call& call, std::initializer_list<int> numbers, const std::string& name) {
  const std::string expected = call.result({.engine = "suffix-sort", .threads = 1});
  for (const int threads : numbers)
    ASSERT_TRUE(call.result({.engine = "suffix-sort", .threads = threads}) == expected)
        << call.name << ", " << name << ", threads " << threads;
}

TEST(suffix_sort_threads, all_have_the_same_result) {
  for (const auto& [name, text] : sample_texts(66'000))
    for (const auto& calls : {calls_for(text), calls_of_symbols_for(text)})
      for (const bwt_call& call : calls)
        if (name == "copies" || name == "powers") expect_same(call, {2, 3, 4, 5, 6, 7, 8}, name);
}

TEST(suffix_sort_threads, have_slices_of_their_own) {
  for (const auto& [name, text] : sample_texts(560'000)) // nine slices
    if (name == "copies")
      for (const auto& calls : {calls_for(text), calls_of_symbols_for(text)})
        for (const bwt_call& call : calls)
          if (call.name.find("batch") == std::string::npos) expect_same(call, {8}, name);
}

// Calls with ever more memory. Checks that they fail until a limit of at most `enough`, and then succeed.
void expect_limit(const bwt_call& call, std::uint64_t enough) {
  const std::string expected = call.result({.engine = "suffix-sort", .threads = 2});
  bool succeeded = false;
  for (std::uint64_t memory = enough / 10; memory < 2 * enough; memory += enough / 10) {
    try {
      ASSERT_TRUE(call.result({.engine = "suffix-sort", .threads = 2, .memory = memory}) == expected)
          << call.name << ", memory " << memory;
      succeeded = true;
    } catch (const memory_error&) {
      ASSERT_FALSE(succeeded) << call.name << ", memory " << memory;
      ASSERT_LT(memory, enough) << call.name;
    }
  }
  EXPECT_TRUE(succeeded);
}

TEST(suffix_sort_memory, is_enough_or_refused) {
  constexpr std::uint64_t n = 40'000;
  for (const auto& [name, text] : sample_texts(n)) {
    if (name == "all equal" || name == "Thue-Morse") continue;
    for (const bwt_call& call : calls_for(text)) {
      if (call.name == "bwt with a sentinel") expect_limit(call, 7 * n); // by ranges
      if (call.name == "bwt of rotations") expect_limit(call, 11 * n + 1);
      if (call.name == "suffix_array") expect_limit(call, 9 * n + 1);
      if (call.name == "suffix_array of 64 bits") expect_limit(call, 13 * n + 1);
    }
    for (const bwt_call& call : calls_of_symbols_for(text)) {
      if (call.name == "collection_bwt" || call.name == "collection_suffix_array") expect_limit(call, 10 * n);
      if (call.name == "suffix_array of 16-bit symbols") expect_limit(call, 26 * n);
    }
  }
}

TEST(suffix_sort_memory, of_a_transform_by_ranges_of_every_size) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 40; ++round) {
    const std::string text = random_text(random, round % 4 == 0 ? 60'000 : 9000);
    const bwt_text expected = bwt(text, bwt_form::sentinel, on_cpu({.engine = "libdivsufsort"}));
    const std::uint64_t n = text.size(), least = 8 * n + 60'000;
    for (int k = 0; k < 4; ++k)
      ASSERT_EQ(bwt(text, bwt_form::sentinel,
                    on_cpu({.engine = "suffix-sort", .threads = 2, .memory = least + random() % (6 * n)})),
                expected)
          << "round " << round;
  }
}

TEST(suffix_sort_memory, is_left_to_libdivsufsort_if_it_is_little) {
  std::mt19937_64 random(4);
  const std::string text = random_letters(random, 50'000, 4);
  run_info used;
  EXPECT_EQ(suffix_array(text, on_cpu({.memory = 5 * text.size(), .info = &used})),
            sorted_by_divsufsort(text));
  EXPECT_EQ(used.engine, "libdivsufsort");
  EXPECT_EQ(suffix_array(text, on_cpu({.memory = 10 * text.size(), .info = &used})),
            sorted_by_divsufsort(text));
  EXPECT_EQ(used.engine, "suffix-sort");
  EXPECT_THROW((void)suffix_array(text, on_cpu({.engine = "suffix-sort", .memory = 5 * text.size()})),
               memory_error);
}

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Cancels a call after `delay` seconds from another thread. Returns the processor time from then to its end,
// 0 if it has ended before.
double seconds_to_cancel(const bwt_call& call, run_options run, double delay) {
  task_monitor monitor;
  run.monitor = &monitor;
  double cancelled = 0;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::duration<double>(delay));
    cancelled = processor_seconds();
    monitor.cancel();
  });
  bool stopped = false;
  try {
    (void)call.result(run);
  } catch (const cancelled_error&) {
    stopped = true;
  }
  const double ended = processor_seconds();
  other.join();
  return stopped ? ended - cancelled : 0;
}

double seconds_of(const bwt_call& call, const run_options& run) {
  const auto begin = std::chrono::steady_clock::now();
  (void)call.result(run);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

TEST(suffix_sort_cancel, at_random_moments) {
  std::mt19937_64 random(6);
  for (const auto& [name, text] : sample_texts(80'000))
    for (const auto& calls : {calls_for(text), calls_of_symbols_for(text)})
      for (const bwt_call& call : calls) {
        const run_options run{.engine = "suffix-sort", .threads = 1 + static_cast<int>(random() % 4)};
        const double all = std::min(0.2, seconds_of(call, run));
        for (int k = 0; k < 2; ++k)
          ASSERT_LT(seconds_to_cancel(call, run, all * static_cast<double>(random() % 100) / 100), 1)
              << call.name << ", " << name;
      }
}

TEST(suffix_sort_cancel, within_a_second) {
  const std::size_t n = is_sanitized ? 500'000 : 20'000'000;
  std::mt19937_64 random(7);
  const std::vector<named_text> large = {{"random", random_letters(random, n, 4)},
                                         {"copies", copies(random, n, n / 20, 1000)},
                                         {"powers", powers("ab", "cA", n)}};
  for (const auto& [name, text] : large) {
    const std::string& of = text;
    const bwt_call call{"suffix_array", n,
                        [&](const run_options& run) { return bytes_of(suffix_array(of, on_cpu(run))); }};
    for (const double delay : {0.1, 0.4, 1.0})
      EXPECT_LT(seconds_to_cancel(call, {.engine = "suffix-sort", .threads = 1}, delay), 1)
          << name << ", after " << delay;
  }
}

} // namespace
} // namespace weft::test
