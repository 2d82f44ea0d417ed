#include <gtest/gtest.h>
#include <string>
#include <weft/base/error.hpp>
#include <weft/io/pattern_reader.hpp>

namespace {

// Returns "name|pattern|location;" for each pattern, read in chunks of about `bytes` bytes.
std::string patterns(const std::string& text, const weft::io::pattern_list_options& options = {},
                     std::uint64_t bytes = 1, std::size_t step = 0) {
  weft::io::pattern_reader reader(weft::io::memory_bytes(text, "p", step), options);
  weft::io::pattern_chunk chunk;
  std::string result;
  while (reader.read(chunk, bytes))
    for (std::uint64_t p = 0; p < chunk.count(); ++p)
      result +=
          std::string(chunk.name(p)) + "|" + std::string(chunk.pattern(p)) + "|" + chunk.location(p) + ";";
  EXPECT_EQ(chunk.count(), 0U);
  return result;
}

std::string failure(const std::string& text, const weft::io::pattern_list_options& options = {}) {
  try {
    return "read: " + patterns(text, options);
  } catch (const weft::error& error) {
    return error.what();
  }
}

TEST(pattern_list, names_comments_byte_order_mark_and_crlf) {
  EXPECT_EQ(patterns(""), "");
  EXPECT_EQ(patterns("ACGT\n\n \t\nGG"), "ACGT|ACGT|p:1:1;GG|GG|p:4:1;");
  EXPECT_EQ(patterns("\xef\xbb\xbf"
                     "EcoRI\tGAATTC\r\n# BamHI\tGGATCC\r\n  x y \t  AC GT \t\r\n"),
            "EcoRI|GAATTC|p:1:7;x y|AC GT|p:3:10;");
  EXPECT_EQ(patterns("\tACGT\n"), "ACGT|ACGT|p:1:2;");   // an empty name counts as no name
  EXPECT_EQ(patterns("a\tAC\tGT\n"), "a|AC\tGT|p:1:3;"); // the first tab ends the name
}

TEST(pattern_list, patterns_of_bytes_keep_their_blanks) {
  const weft::io::pattern_list_options bytes{.letters = false};
  EXPECT_EQ(patterns(" a \r\n#no\nname\t #>\n>b\n\t\n", bytes),
            " a | a |p:1:1;name| #>|p:3:6;>b|>b|p:4:1;\t|\t|p:5:1;");
}

TEST(pattern_list, records_are_patterns) {
  EXPECT_EQ(patterns("\xef\xbb\xbf\n; comment\n>a text\nAC\nGT\n>\nGG\n>c\n"),
            "a|ACGT|p: record 1 ('a');GG|GG|p: record 2 ('GG');c||p: record 3 ('c');");
  EXPECT_EQ(patterns("@a\nAC\n+\nII\n@b\nGT\n+\nII\n"), "a|AC|p: record 1 ('a');b|GT|p: record 2 ('b');");
}

TEST(pattern_list, faults_name_file_line_and_column) {
  EXPECT_EQ(failure("AC\nname\t \n"), "p:2:5: 'name' has no pattern after the tab");
  EXPECT_EQ(failure("AC\n>a\nGT\n"), "p:2:1: a list of patterns (one per line) must not contain a FASTA "
                                     "header");
  EXPECT_EQ(failure(std::string("AC\nG\0\n", 6)), "p:2:2: byte 0x00: this is not a text file");
  EXPECT_EQ(failure("AC\nACGTA\n", {.max_bytes = 4}), "p:2: the line is longer than the 4 B that is allowed");
  EXPECT_EQ(failure("AC\n" + std::string(1 << 20, 'A'), {.max_bytes = 1 << 19}),
            "p:2: the line is longer than the 512 KiB that is allowed");
  EXPECT_EQ(failure(">a\nACGTA\n", {.max_bytes = 4}),
            "p: record 1 ('a') has 5 residues, but the memory limit allows only 4 in one record");
  EXPECT_EQ(failure("#" + std::string(1 << 20, 'A') + "\nAC\n", {.max_bytes = 1 << 19}),
            "read: AC|AC|p:2:1;");
}

// Checks that the size of chunks and of input steps does not change the patterns.
TEST(pattern_list, chunks_and_steps_do_not_matter) {
  std::string list;
  for (int i = 0; i < 300; ++i)
    list += (i % 3 == 0 ? "n" + std::to_string(i) + "\t" : std::string()) +
            std::string(1 + i % 40, "ACGT"[i % 4]) + (i % 2 == 0 ? "\r\n" : "\n");
  list += "long\t" + std::string(600'000, 'G') + "\nAC";
  const std::string whole = patterns(list, {}, 1 << 30);
  EXPECT_TRUE(patterns(list, {}, 1) == whole);
  EXPECT_TRUE(patterns(list, {}, 1000, 7) == whole);
}

} // namespace
