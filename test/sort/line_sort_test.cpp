// Tests the order of lines, and sorting by it. The tests of the command check that it is the order of GNU
// sort.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/sort/line_order.hpp>
#include <weft/sort/line_sort.hpp>

namespace weft::test {

namespace {

using std::string;

// Checks that texts of each row come before those of the next, and that texts of one row are equal.
void expect_rows(const line_order_options& options, const std::vector<std::vector<string>>& rows) {
  const line_order order(options);
  for (std::size_t a = 0; a < rows.size(); ++a)
    for (std::size_t b = 0; b < rows.size(); ++b)
      for (const string& x : rows[a])
        for (const string& y : rows[b]) {
          const int result = order.compare(x, y);
          EXPECT_EQ(result < 0, a < b) << x << " | " << y;
          EXPECT_EQ(result > 0, a > b) << x << " | " << y;
        }
}

TEST(line_order, numbers) {
  const std::vector<std::vector<string>> rows = {{"-100000000000000000000000000"},
                                                 {"-12", " -0012.0"},
                                                 {"-11.99"},
                                                 {"-1"},
                                                 {"-0.5", "-.5"},
                                                 {"", "0", "-0", "x", "-", ".", "+5", "-.", "0.000", "\t 00"},
                                                 {".001"},
                                                 {"0.5", ".50"},
                                                 {"1", "01", "1x", "1e9"},
                                                 {"1.01"},
                                                 {"9"},
                                                 {"10"},
                                                 {"11.9"},
                                                 {"12", "12."},
                                                 {string(111, '9')},
                                                 {"1" + string(111, '0')},
                                                 {"1" + string(111, '0') + ".1"},
                                                 {"2" + string(111, '0')},
                                                 {"1" + string(300, '0')}};
  expect_rows({.numeric = true, .stable = true}, rows);
}

TEST(line_order, keys) {
  const auto less = [](const line_order_options& options, const std::vector<string>& keys, const string& a,
                       const string& b) { return line_order(options, keys).compare(a, b) < 0; };
  EXPECT_TRUE(less({}, {"2"}, "z a", "a b"));
  EXPECT_TRUE(less({}, {"2,2n"}, "x 9", "x 10"));
  EXPECT_TRUE(less({}, {"2,2nr"}, "x 10", "x 9"));
  EXPECT_TRUE(less({.separator = ','}, {"2.2,2.2"}, "a,xay", "a,wbx"));
  EXPECT_TRUE(less({.fold_case = true, .stable = true}, {}, "ABC", "abd"));
  EXPECT_FALSE(less({.fold_case = true, .stable = true}, {}, "abc", "ABC"));
  EXPECT_TRUE(less({.dictionary = true, .stable = true}, {}, "a-b", "ac"));
  EXPECT_TRUE(less({.ignore_blanks = true}, {"2,2"}, "x    a", "x b"));
  EXPECT_TRUE(less({}, {"1,1", "2,2r"}, "a z", "a b"));
  EXPECT_TRUE(less({}, {"9"}, "a", "b")); // both keys are empty, so the lines decide
  EXPECT_TRUE(less({.separator = '\t'}, {"1,1"}, "a\tz", string("a\0\ta", 4)));
}

TEST(line_order, bad_keys_are_quoted) {
  const std::vector<std::pair<string, string>> keys = {
      {"", "invalid number at field start: invalid count at start of ''"},
      {"x", "invalid number at field start: invalid count at start of 'x'"},
      {"-1", "invalid number at field start: invalid count at start of '-1'"},
      {"0", "field number is zero: invalid field specification '0'"},
      {"1,0", "field number is zero: invalid field specification '1,0'"},
      {"1.0", "character offset is zero: invalid field specification '1.0'"},
      {"1.", "invalid number after '.': invalid count at start of ''"},
      {"1,", "invalid number after ',': invalid count at start of ''"},
      {"1,2.x", "invalid number after '.': invalid count at start of 'x'"},
      {"1x", "stray character in field spec: invalid field specification '1x'"},
      {"1,2,3", "stray character in field spec: invalid field specification '1,2,3'"},
      {"+1 -2x", "stray character in field spec: invalid field specification '+1 -2x'"},
      {"1nd", "options '-dn' are incompatible"},
      {"1hg", "options '-gh' are incompatible"}};
  for (const auto& [key, message] : keys) {
    try {
      const line_order order({}, {key});
      ADD_FAILURE() << key;
    } catch (const error& failure) {
      EXPECT_EQ(failure.code(), errc::invalid_input);
      EXPECT_EQ(failure.what(), message);
    }
  }
  EXPECT_NO_THROW(line_order({}, {"99999999999999999999999999.5,3"}));
}

TEST(line_order, general_numbers) {
  expect_rows({.general_numeric = true, .stable = true},
              {{"", "x", "-", ".", "e5"},
               {"nan", " NaN"},
               {"-nan"},
               {"-inf", "-1e5000", "-infinity"},
               {"-1e4000"},
               {"-1.5", "-15e-1", "-0x1.8"},
               {"-1e-5000x", "-0", "0", "0e99"},
               {"1e-4940"},
               {"1e-4900"},
               {"0.1", ".1", "1e-1"},
               {"1", "+1", "1e", "1e+", "0x1", "1.0000000000000000000001"},
               {"1.0000000000000000002"},
               {"18446744073709551615"},
               {"18446744073709551616", "18446744073709551616.1"},
               {"1e400"},
               {"inf", "1e5000"}});
}

TEST(line_order, human_numbers) {
  expect_rows({.human_numeric = true, .stable = true}, {{"-2G"},
                                                        {"-1G", "-1.0GiB"},
                                                        {"-3M"},
                                                        {"-3K", "-3k"},
                                                        {"-1000"},
                                                        {"", "0", "x", "0Y", "-0K", "K"},
                                                        {".5", "0.5"},
                                                        {"1", "1..2E"},
                                                        {"1023"},
                                                        {"1K", "1.k", " 01.0K"},
                                                        {"1030K"},
                                                        {"1M"},
                                                        {"1Y"}});
}

TEST(line_order, months) {
  expect_rows({.month = true, .stable = true}, {{"", "x", "JA", "1JAN"},
                                                {"JAN", "january", " \tJaN 7"},
                                                {"feb"},
                                                {"MARCH"},
                                                {"apr"},
                                                {"may"},
                                                {"jun"},
                                                {"jul"},
                                                {"aug"},
                                                {"sep"},
                                                {"oct"},
                                                {"nov"},
                                                {"dec"}});
}

TEST(line_order, versions) {
  expect_rows({.version = true, .stable = true}, {{""},
                                                  {"."},
                                                  {".."},
                                                  {".a"},
                                                  {".a1"},
                                                  {"1.2~rc1"},
                                                  {"1.2", "01.2", "1.02"},
                                                  {"1.2.tar.gz"},
                                                  {"1.10"},
                                                  {"1.10.tar.gz"},
                                                  {"a~"},
                                                  {"a0~"},
                                                  {"a", "a0", "a00"},
                                                  {"a.b"},
                                                  {"a9"},
                                                  {"a" + string(300, '9')},
                                                  {"a1" + string(300, '0')},
                                                  {"ab"},
                                                  {"a-1"}});
}

TEST(line_order, random_keeps_equal_keys_together) {
  std::vector<string> lines;
  for (int i = 0; i < 300; ++i) lines.push_back(std::to_string(i % 50));
  const auto shuffled = [&](std::uint64_t seed) {
    const line_order order({.random = true, .stable = true, .seed = seed});
    std::vector<string> result = lines;
    std::stable_sort(result.begin(), result.end(),
                     [&](const string& a, const string& b) { return order.compare(a, b) < 0; });
    return result;
  };
  std::vector<string> result = shuffled(1);
  EXPECT_NE(result, shuffled(2));
  EXPECT_FALSE(std::is_sorted(result.begin(), result.end()));
  result.erase(std::unique(result.begin(), result.end()), result.end());
  EXPECT_EQ(result.size(), 50U);
}

TEST(line_order, values_of_csv) {
  const line_order order({.stable = true, .separator = ',', .csv = true}, {"2,2"});
  const auto same = [&](const string& a, const string& b) { return order.compare(a, b) == 0; };
  EXPECT_TRUE(same("x,\"a\"", "y,a,z"));
  EXPECT_TRUE(same("x,\"a \"\"q\"\", b\"", "y,\"a \"\"q\"\", b\"\r"));
  EXPECT_TRUE(same("\"1,2\",b", "1,b\r"));
  EXPECT_TRUE(same("5\" disk,b", "x,b")); // a quote within a field is a character
  EXPECT_TRUE(same("alone", "x,"));
  EXPECT_FALSE(same("x,a", "x,a "));
}

// Returns texts whose lines share long prefixes, end early, contain zeros, or are all alike.
std::vector<string> line_texts() {
  std::mt19937_64 random(4);
  std::vector<string> result = {"", "\n", "a", "b\na\n", "\n\n\na\n\n"};
  for (const std::uint64_t lines : {100, 20'000}) {
    string nested, repeated, zeros, words;
    for (std::uint64_t i = 0; i < lines; ++i) {
      nested += string(random() % 40, 'a') + '\n';
      repeated += "one line and only one line\n";
      zeros += string(random() % 20, '\0') + (random() % 2 == 0 ? "\1" : "") + '\n';
      words += "chr" + std::to_string(random() % 30) + "\tgene" + std::to_string(random() % 500) + '\n';
    }
    for (const string& text : {nested, repeated, zeros, words}) result.push_back(text);
  }
  return result;
}

std::vector<string> split(const string& text) {
  std::vector<string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

void check_stable_sort_by_the_order(sort_options how) {
  const std::vector<std::pair<line_order_options, std::vector<string>>> orders = {
      {{}, {}},
      {{.reverse = true}, {}},
      {{.stable = true}, {"1.4,1.5"}},
      {{}, {"1.4,1.5n"}},
      {{.reverse = true}, {"2,2"}}};
  for (const string& text : line_texts())
    for (const auto& [options, keys] : orders)
      for (const int threads : {1, 3}) {
        const line_order order(options, keys);
        std::vector<string> expected = split(text);
        std::stable_sort(expected.begin(), expected.end(),
                         [&](const string& a, const string& b) { return order.compare(a, b) < 0; });
        how.run.threads = threads;
        how.run.memory = 1 << 24;
        run_info used;
        how.run.info = &used;
        line_sorter sorter(order, '\n', how);
        for (std::size_t at = 0; at < text.size();) { // the input arrives in pieces of odd sizes
          const std::span<char> free_space = sorter.free_space();
          const std::size_t size = std::min({free_space.size(), text.size() - at, std::size_t{777}});
          ASSERT_GT(size, 0U);
          std::memcpy(free_space.data(), text.data() + at, size);
          sorter.add(size);
          at += size;
        }
        sorter.end_text();
        ASSERT_EQ(sorter.num_lines(), expected.size());
        sorter.sort();
        ASSERT_EQ(used.engine, "words");
        ASSERT_EQ(used.work, expected.size());
        ASSERT_EQ(used.work_unit, "lines");
        if (!expected.empty()) {
          ASSERT_EQ(used.on_gpu(), how.run.device.kind == device_kind::gpu);
        }
        string sorted;
        sorter.write([&](std::string_view lines) { sorted += lines; }, false);
        ASSERT_EQ(split(sorted), expected);
      }
}

TEST(line_sort, is_a_stable_sort_by_the_order) {
  check_stable_sort_by_the_order({.run = {.device = {device_kind::cpu, 0}}});
}

TEST(gpu_line_sort, is_a_stable_sort_by_the_order) {
  if (known_gpus().devices.empty()) GTEST_SKIP() << "no GPU can be used: " << known_gpus().unavailable;
  check_stable_sort_by_the_order({.run = {.device = {device_kind::gpu, 0}}});
  check_stable_sort_by_the_order(
      {.run = {.device = {device_kind::gpu, 0}, .device_memory = std::uint64_t{1} << 19}});
}

TEST(line_sort, keeps_an_unfinished_line_for_the_next_text) {
  const line_order order({});
  line_sorter sorter(order, '\n', {.run = {.threads = 1, .memory = 1 << 20}});
  std::memcpy(sorter.free_space().data(), "b\na\nunfin", 9);
  sorter.add(9);
  sorter.sort();
  sorter.clear();
  std::memcpy(sorter.free_space().data(), "ished\nc\n", 8);
  sorter.add(8);
  sorter.sort();
  string sorted;
  sorter.write([&](std::string_view lines) { sorted += lines; }, false);
  EXPECT_EQ(sorted, "c\nunfinished\n");
}

// Sorts more lines in one piece than the sort makes keys for at a time.
TEST(line_sort, sorts_many_short_lines_by_keys) {
  constexpr std::size_t num_lines = 300'000;
  string text;
  for (std::size_t i = 0; i < num_lines; ++i) text += string(1, static_cast<char>('a' + i * i % 23)) + "\n";
  const line_order order({.stable = true}, {"1,1r"});
  for (const int threads : {1, 3}) {
    line_sorter sorter(order, '\n',
                       {.run = {.device = {device_kind::cpu, 0}, .threads = threads, .memory = 1 << 26}});
    ASSERT_GE(sorter.free_space().size(), 1U << 17);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t size = text.copy(sorter.free_space().data(), sorter.free_space().size(), at);
      sorter.add(size);
      at += size;
    }
    ASSERT_EQ(sorter.num_lines(), num_lines);
    sorter.sort();
    string sorted;
    sorter.write([&](std::string_view lines) { sorted += lines; }, false);
    std::vector<string> expected = split(text);
    std::sort(expected.rbegin(), expected.rend());
    ASSERT_EQ(split(sorted), expected);
  }
}

} // namespace
// Writes the lines in order and at positions, from up to eight threads: lines that are longer than a piece,
// and empty ones, so that slices of the text begin within lines and pieces have any size.
TEST(line_sort, threads_cut_and_write_the_text) {
  std::mt19937_64 random(8);
  string text;
  while (text.size() < std::size_t{6} << 20) {
    const std::size_t kind = random() % 400;
    const std::size_t size = kind == 0 ? random() % 400'000 : kind < 100 ? 0 : random() % 100;
    text += string(size, static_cast<char>('a' + random() % 5)) + std::to_string(random() % 300) + '\n';
  }
  for (const auto& [options, keys] : std::vector<std::pair<line_order_options, std::vector<string>>>{
           {{}, {}}, {{.reverse = true}, {}}, {{.unique = true}, {"1.1,1.2"}}, {{}, {"1.1,1.2r"}}}) {
    const line_order order(options, keys);
    std::vector<string> expected = split(text);
    const auto before = [&](const string& a, const string& b) { return order.compare(a, b) < 0; };
    std::stable_sort(expected.begin(), expected.end(), before);
    const auto same = [&](const string& a, const string& b) { return order.compare(a, b) == 0; };
    if (options.unique) expected.erase(std::unique(expected.begin(), expected.end(), same), expected.end());
    string joined;
    for (const string& line : expected) (joined += line) += '\n';
    for (int threads = 1; threads <= 8; threads += threads < 3 ? 1 : 5) {
      line_sorter sorter(order, '\n', {.run = {.threads = threads, .memory = 1 << 25}});
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t size = text.copy(sorter.free_space().data(), sorter.free_space().size(), at);
        sorter.add(size);
        at += size;
      }
      sorter.sort();
      EXPECT_EQ(sorter.size(), text.size());
      string in_order, at_positions(joined.size(), '\0');
      sorter.write([&](std::string_view lines) { in_order += lines; }, options.unique);
      ASSERT_TRUE(in_order == joined) << threads;
      std::atomic<std::uint64_t> bytes{0};
      sorter.write_at(
          [&](std::uint64_t position, std::string_view lines) {
            bytes += lines.copy(at_positions.data() + position, at_positions.size() - position);
          },
          options.unique);
      ASSERT_EQ(bytes, joined.size());
      ASSERT_TRUE(at_positions == joined) << threads;
      const auto fails = [](std::uint64_t position, std::string_view) {
        if (position > 0) throw std::runtime_error("full");
      };
      if (joined.size() > 1 << 22) {
        EXPECT_THROW(sorter.write_at(fails, options.unique), std::runtime_error);
      }
    }
  }
}

} // namespace weft::test
