// Compares the order of whole lines by their entries with the plain version, for all pairs of short strings
// that lie anywhere in memory.
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <tuple>
#include <vector>
#include <weft/sort/core/line_entry.hpp>
#include <weft/sort/cpu/string_sort.hpp>

namespace weft::test {

namespace {

using namespace weft::sort_detail;
using std::string;

// Strings in memory of aligned words, one after another with `gap` bytes between them.
struct memory_of_strings {
  std::vector<std::uint64_t> words;
  std::vector<std::uint64_t> begins;
  explicit memory_of_strings(const std::vector<string>& strings, std::size_t gap = 1) {
    string bytes;
    for (const string& each : strings) {
      bytes.append(gap, '\n');
      begins.push_back(bytes.size());
      bytes += each;
    }
    words.resize(bytes.size() / 8 + 3);
    std::memcpy(words.data(), bytes.data(), bytes.size());
  }
  [[nodiscard]] uint128 entry(const std::vector<string>& strings, std::size_t i) const {
    return make_entry(word_at(strings[i], 0), make_line_id(begins[i], strings[i].size()));
  }
};

std::vector<string> short_strings(std::mt19937_64& random, std::size_t count) {
  std::vector<string> strings(count);
  for (string& each : strings) {
    each.assign(random() % 3 * 8, 'x'); // so that many differ only behind a word
    for (std::size_t i = random() % 10; i > 0; --i) each += "\0\1x\xff"[random() % 4];
  }
  return strings;
}

TEST(line_entry, orders_lines_by_their_bytes) {
  std::mt19937_64 random(3);
  const std::vector<string> lines = short_strings(random, 400);
  const memory_of_strings memory(lines);
  for (std::size_t i = 0; i < lines.size(); ++i)
    for (std::size_t j = 0; j < lines.size(); ++j) {
      bool gave_up = false;
      ASSERT_EQ(comes_before(memory.entry(lines, i), memory.entry(lines, j),
                             {memory.words.data(), nullptr, false, false}, gave_up),
                std::tie(lines[i], i) < std::tie(lines[j], j));
      ASSERT_FALSE(gave_up);
    }
}

TEST(line_entry, orders_codes_then_lines) {
  std::mt19937_64 random(4);
  const std::vector<string> lines = short_strings(random, 200);
  std::vector<string> codes = short_strings(random, 30);
  for (std::size_t i = codes.size(); i < lines.size(); ++i) codes.push_back(codes[random() % 30]);
  const memory_of_strings text(lines);
  memory_of_strings coded(codes, 19); // 16 bytes before each code hold its size and the id of its line
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const std::uint64_t id = make_line_id(text.begins[i], lines[i].size()) | line_id_flag;
    std::memcpy(reinterpret_cast<char*>(coded.words.data()) + coded.begins[i] - 8, &id, 8);
  }
  for (const bool by_lines : {false, true})
    for (const bool reversed : {false, true})
      for (std::size_t i = 0; i < codes.size(); ++i)
        for (std::size_t j = 0; j < codes.size(); ++j) {
          const string none, &a = by_lines ? lines[i] : none, &b = by_lines ? lines[j] : none;
          bool gave_up = false;
          ASSERT_EQ(comes_before(coded.entry(codes, i), coded.entry(codes, j),
                                 {text.words.data(), coded.words.data(), by_lines, reversed}, gave_up),
                    reversed ? std::tie(codes[i], b, i) < std::tie(codes[j], a, j)
                             : std::tie(codes[i], a, i) < std::tie(codes[j], b, j));
          ASSERT_FALSE(gave_up);
        }
}

TEST(line_entry, gives_up_if_strings_agree_in_very_many_bytes) {
  for (const std::size_t equal : {max_compared_bytes - 1, max_compared_bytes, max_compared_bytes + 1}) {
    const std::vector<string> lines = {string(equal, 'a') + "bc", string(equal, 'a') + "ac",
                                       string(equal, 'a')};
    const memory_of_strings memory(lines);
    bool gave_up = false;
    const bool result = comes_before(memory.entry(lines, 1), memory.entry(lines, 0),
                                     {memory.words.data(), nullptr, false, false}, gave_up);
    EXPECT_EQ(gave_up, equal >= max_compared_bytes);
    EXPECT_EQ(result, equal < max_compared_bytes); // else by their ids
    gave_up = false;
    EXPECT_TRUE(comes_before(memory.entry(lines, 2), memory.entry(lines, 0),
                             {memory.words.data(), nullptr, false, false}, gave_up) ||
                gave_up);
  }
}

} // namespace

} // namespace weft::test
