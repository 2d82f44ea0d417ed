// Checks the text helpers of the formats against the standard library: texts and numbers of all sizes.
#include <gtest/gtest.h>
#include <random>
#include <weft/files/formats/line_text.hpp>

namespace weft::test {

namespace {

using namespace weft::files;
using std::string;

TEST(line_text, texts_of_all_sizes_are_copied) {
  std::mt19937_64 random(1);
  string source;
  for (int i = 0; i < 300; ++i) source += static_cast<char>(random());
  for (std::size_t size = 0; size <= 200; ++size)
    for (const std::size_t begin : {std::size_t{0}, std::size_t{7}}) {
      string out = "before";
      const string text = source.substr(begin, size); // ends where its memory ends
      {
        line_text line(out, size + 1);
        line.add(text).add('\n');
      }
      ASSERT_EQ(out, "before" + text + "\n") << size;
    }
}

TEST(line_text, numbers_are_those_of_the_standard_library) {
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t number = 0; number < 20'000; ++number) numbers.push_back(number);
  for (std::uint64_t power = 1, digits = 0; digits < 20; ++digits, power *= 10)
    for (const std::uint64_t number : {power - 1, power, power + 1, ~power, ~std::uint64_t{0} - digits})
      numbers.push_back(number);
  for (const std::uint64_t number : numbers) {
    string out, appended = "x";
    {
      line_text line(out, line_text::max_digits);
      line.add_number(number);
    }
    append_number(appended, number);
    ASSERT_EQ(out, std::to_string(number));
    ASSERT_EQ(appended, "x" + out);
  }
}

TEST(line_text, every_byte_at_every_position_is_a_letter_or_not) {
  for (std::size_t size = 0; size <= 40; ++size) {
    EXPECT_TRUE(is_all_letters(string(size, 'q')));
    for (std::size_t at = 0; at < size; ++at)
      for (int byte = 0; byte < 256; ++byte) {
        string text(size, at % 2 == 0 ? 'Z' : 'a');
        text[at] = static_cast<char>(byte);
        const bool is_letter = (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
        ASSERT_EQ(is_all_letters(text), is_letter) << size << " " << at << " " << byte;
      }
  }
}

TEST(line_text, neighbours_that_are_not_letters_are_all_seen) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 20'000; ++round) {
    string text;
    for (std::size_t size = random() % 20; size > 0; --size)
      text += random() % 4 == 0 ? static_cast<char>(random()) : "AZaz"[random() % 4];
    bool want = true;
    for (const char c : text) want = want && ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'));
    ASSERT_EQ(is_all_letters(text), want);
  }
}

} // namespace

} // namespace weft::test
