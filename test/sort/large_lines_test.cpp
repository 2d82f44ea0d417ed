// Tests what is special about many lines: runs of equal words that many threads find, memory that threads
// provide, and GPUs.
#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>
#include <weft/base/device.hpp>
#include <weft/sort/core/line_entry.hpp>
#include <weft/sort/cpu/string_sort.hpp>
#include <weft/sort/engines.hpp>
#include <weft/sort/line_sort.hpp>

namespace weft::test {

namespace {

using std::string;

// Returns the lines of a text in order, each with a newline.
string sorted_lines(const line_order& order, bool unique, const string& text, const run_options& run) {
  line_sorter sorter(order, '\n', {.run = run});
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = text.copy(sorter.free_space().data(), sorter.free_space().size(), at);
    sorter.add(size);
    at += size;
  }
  sorter.end_text();
  sorter.sort();
  string sorted;
  sorter.write([&](std::string_view lines) { sorted += lines; }, unique);
  return sorted;
}

// A GPU compares whole lines, unless lines agree in very many bytes or do not fit its memory.
TEST(gpu_line_sort, of_many_lines_is_that_of_the_cpu) {
  if (known_gpus().devices.empty()) GTEST_SKIP() << "no GPU can be used: " << known_gpus().unavailable;
  std::mt19937_64 random(58);
  string text;
  for (int i = 0; i < 300'000; ++i) {
    text += string(12, static_cast<char>('a' + random() % 4)) + '\t' + std::to_string(random() % 100'000);
    text += random() % 3 == 0 ? string("\tmore") + '\0' + std::to_string(random() % 10) + '\n' : "\n";
  }
  const std::vector<std::pair<line_order_options, std::vector<string>>> orders = {
      {{}, {}},
      {{.reverse = true}, {}},
      {{.unique = true}, {}},
      {{}, {"2,2n"}},
      {{.reverse = true}, {"1,1"}},
      {{.stable = true}, {"1,1", "2,2nr"}},
      {{.unique = true}, {"2.1,2.2"}}};
  for (const string& more : {string(), string(5000, 'z') + "1\n" + string(5000, 'z') + "0\n"})
    for (const auto& [options, keys] : orders)
      for (const std::uint64_t device_memory : {0U, 1U << 21}) {
        const line_order order(options, keys);
        run_options run{.device = {device_kind::gpu, 0}, .device_memory = device_memory};
        run.memory = std::uint64_t{1} << 30;
        const string on_gpu = sorted_lines(order, options.unique, text + more, run);
        run.device = {device_kind::cpu, 0};
        ASSERT_TRUE(on_gpu == sorted_lines(order, options.unique, text + more, run));
      }
}

// Returns the entries of the lines of a text, each of which ends in a newline.
std::vector<uint128> entries_of(std::string_view text) {
  std::vector<uint128> entries;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t size = text.find('\n', begin) - begin;
    entries.push_back(sort_detail::make_entry(sort_detail::word_at(text.substr(begin, size), 0),
                                              sort_detail::make_line_id(begin, size)));
    begin += size + 1;
  }
  return entries;
}

TEST(gpu_line_sort, leaves_nothing_to_the_cpu_unless_it_must) {
  if (known_gpus().devices.empty()) GTEST_SKIP() << "no GPU can be used: " << known_gpus().unavailable;
  std::mt19937_64 random(60);
  string text = "equal beginnings\nequal beginning\n";
  for (int i = 0; i < 100'000; ++i) text += "equal beginnings " + std::to_string(random() % 50'000) + '\n';
  const string long_lines = string(5000, 'z') + "1\n" + string(5000, 'z') + "0\n";
  struct sort_case {
    string text;
    std::uint64_t device_memory;
    bool is_whole;
  };
  for (const auto& [of, device_memory, is_whole] :
       {sort_case{"b\na\n", 0, true}, sort_case{text, 0, true},
        sort_case{text, std::uint64_t{1} << 21, false}, sort_case{text + long_lines, 0, false}}) {
    const auto before = entries_of(of);
    auto entries = before;
    const run_options run{.device = {device_kind::gpu, 0}, .device_memory = device_memory};
    EXPECT_EQ(sort_detail::sort_lines({entries, of, {}}, run), is_whole);
    auto expected = before;
    if (is_whole)
      std::stable_sort(expected.begin(), expected.end(), [&](uint128 a, uint128 b) {
        const auto line = [&](uint128 entry) {
          const std::uint64_t id = sort_detail::id_of(entry);
          return std::string_view(of).substr(sort_detail::begin_of_line(id),
                                             id & sort_detail::line_size_mask);
        };
        return line(a) < line(b);
      });
    EXPECT_TRUE(entries == expected);
  }
}

// Threads look for lines with equal first words in parts of the lines, and most parts here lie within such a
// run. Sorting a run changes its words, and lines of equal keys are sorted again, by their bytes.
TEST(line_sort, with_runs_that_are_longer_than_the_parts_of_threads) {
  constexpr std::uint64_t num_lines = 2'500'000;
  std::mt19937_64 random(57);
  std::vector<string> lines(num_lines);
  string text;
  for (string& line : lines) {
    const std::uint64_t kind = random() % 100;
    line = string(12, kind < 32 ? 'a' : kind < 60 ? 'b' : 'c') + '\t' + std::to_string(random() % 1'000'000);
    (text += line) += '\n';
  }
  const line_order order({}, {"1,1"});
  std::sort(lines.begin(), lines.end());
  string expected;
  for (const string& line : lines) (expected += line) += '\n';
  const run_options run{.device = {device_kind::cpu, 0}, .threads = 2, .memory = std::uint64_t{1} << 30};
  EXPECT_TRUE(sorted_lines(order, false, text, run) == expected);
}

TEST(line_sort, of_text_for_which_threads_provide_memory) {
  std::mt19937_64 random(59);
  string text;
  while (text.size() < 100'000'000) text += std::to_string(random()) + string(random() % 60, 'x') + '\n';
  const line_order order({}, {});
  run_options run{.device = {device_kind::cpu, 0}, .threads = 1};
  const string expected = sorted_lines(order, false, text, run);
  run.threads = 4;
  EXPECT_TRUE(sorted_lines(order, false, text, run) == expected);
}

} // namespace

} // namespace weft::test
