// Tests how names with control characters are printed in columns and on terminals.
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <weft/io/escape.hpp>

namespace {

using std::string;
using weft::io::append_bed_name;
using weft::io::escaped;
using weft::io::printable;

// Returns the text whose escaped form is `text`.
string unescaped(const string& text) {
  string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      result += text[i];
      continue;
    }
    const char kind = text.at(++i);
    if (kind == 'x') {
      result += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else {
      result += kind == 't' ? '\t' : kind == 'r' ? '\r' : kind == 'n' ? '\n' : kind;
    }
  }
  return result;
}

string bed_name(const string& name) {
  string result;
  append_bed_name(result, name);
  return result;
}

TEST(escape, plain_names_and_utf_8_stay) {
  for (const char* name :
       {"", "sp|P12345|CYC_HUMAN", "a b",
        "Stra\xc3\x9f"
        "e",
        "\xe2\x82\xac", "\xf0\x9f\xa7\xac", "\xe9t\xe9", "\xc2\xa0"}) // the second to last is Latin-1
    EXPECT_EQ(escaped(name), name);
}

TEST(escape, control_characters_and_backslashes_are_written_out) {
  EXPECT_EQ(escaped("a\tb\rc\nd\\e"), R"(a\tb\rc\nd\\e)");
  EXPECT_EQ(escaped("\x1b[2J\x7f\x01"), R"(\x1b[2J\x7f\x01)");
  EXPECT_EQ(escaped(string("a\0b", 3)), R"(a\x00b)");
  EXPECT_EQ(escaped("\xc2\x9b"
                    "2J"),
            R"(\xc2\x9b2J)"); // CSI in UTF-8
  EXPECT_EQ(escaped("\x9b"
                    "2J"),
            R"(\x9b2J)"); // CSI as a single byte
  EXPECT_EQ(escaped("\xc2"), "\xc2");
}

TEST(escape, is_reversible_and_leaves_no_control_character) {
  std::mt19937_64 random(17);
  for (int round = 0; round < 20000; ++round) {
    string text(random() % 12, ' ');
    for (char& c : text)
      c = random() % 2 == 0 ? static_cast<char>(random()) : "\\x\t9b\xc2\x9bn"[random() % 9];
    const string safe = escaped(text);
    EXPECT_EQ(unescaped(safe), text);
    for (const char c : safe) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
  }
}

TEST(escape, bed_rows_do_not_look_like_headers) {
  EXPECT_EQ(bed_name("chr1"), "chr1");
  EXPECT_EQ(bed_name("#1"), R"(\x231)");
  EXPECT_EQ(bed_name("track"), R"(\x74rack)");
  EXPECT_EQ(bed_name("browser1\t"), R"(\x62rowser1\t)");
  EXPECT_EQ(bed_name(""), ".");
  EXPECT_EQ(bed_name("my_track#"), "my_track#");
}

TEST(escape, messages_keep_their_lines_and_backslashes) {
  EXPECT_EQ(printable("a\\b\nc\x1b[1m\td\n"), "a\\b\nc\\x1b[1m\\td\n");
}

} // namespace
