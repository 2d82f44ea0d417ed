#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <test_paths.hpp>
#include <weft/base/error.hpp>
#include <weft/io/motif_reader.hpp>

namespace {

weft::io::motif_file motifs(const std::string& text) {
  const auto source = weft::io::memory_bytes(text, "m.dat");
  return weft::io::read_motifs(*source);
}

TEST(motif_list, names_and_patterns) {
  const auto file = motifs("# comment\n\nA-x-C.\r\nname of it\t <M-A(2) \n");
  ASSERT_EQ(file.records.size(), 2U);
  EXPECT_EQ(file.records[0].name, "A-x-C");
  EXPECT_EQ(file.records[1].name, "name of it");
  EXPECT_EQ(file.records[1].pattern, "<M-A(2)");
  EXPECT_EQ(file.records[1].positions[0].line, 4U);
  EXPECT_EQ(file.records[1].positions[0].column, 13U);
}

TEST(motif_list, records_of_fasta_and_fastq_are_motifs) {
  for (const char* text :
       {"\xef\xbb\xbf>one first\r\nA-x-\r\n C\r\n>\nM-A.\n", "@one\nA-x-C\n+\nIIIII\n@\nM-A\n+\nIII\n"}) {
    const auto file = motifs(text);
    ASSERT_EQ(file.records.size(), 2U);
    EXPECT_EQ(file.records[0].name, "one");
    EXPECT_EQ(file.records[0].pattern, "A-x-C");
    EXPECT_EQ(file.records[1].name, "M-A");
    EXPECT_EQ(file.records[1].pattern, "M-A");
  }
}

TEST(motif_list, a_byte_order_mark_is_skipped) {
  EXPECT_EQ(motifs("\xef\xbb\xbf# comment\nA-C\n").records[0].pattern, "A-C");
  EXPECT_EQ(motifs("\xef\xbb\xbfID   ONE; PATTERN.\nAC   PS1;\nPA   A.\n//\n").records[0].name, "ONE");
}

TEST(motif_flat_file, entries) {
  const auto file = motifs("CC   Release\n//\nID   ONE; PATTERN.\nAC   PS1; PS2;\nDE   A thing\nDE   of two "
                           "lines.\nPA   A-x(2)-\nPA   [BC].\n"
                           "CC   /SKIP-FLAG=TRUE;\n//\nID   P; MATRIX.\nAC   PS3;\nMA   /GENERAL\n//\nID   "
                           "R; RULE.\nAC   PS4;\n//\n");
  ASSERT_EQ(file.records.size(), 1U);
  EXPECT_EQ(file.records[0].accession, "PS1");
  EXPECT_EQ(file.records[0].pattern, "A-x(2)-[BC]");
  EXPECT_EQ(file.records[0].description, "A thing of two lines.");
  EXPECT_EQ(file.records[0].positions[7].line, 8U);
  EXPECT_TRUE(file.records[0].skip_flag);
  EXPECT_EQ(file.matrix_entries, 1U);
  EXPECT_EQ(file.rule_entries, 1U);
}

TEST(motif_flat_file, every_line_code_of_prosite_and_crlf) {
  std::string text = "ID   ONE; PATTERN.\nAC   PS00001;\nDT   01-APR-1990 CREATED.\nPA   A-x-\nPA   C.\n"
                     "NR   /RELEASE=40.7,103373;\nCC\nCC   /TAXO-RANGE=??E?V;\nPR   PRU00498;\n"
                     "DR   P01001, ACRO_PIG, T;\n3D   1ABC; 2DEF;\nDO   PDOC00001;\n//\n";
  for (const bool crlf : {false, true}) {
    if (crlf)
      for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2)
        text.insert(at, "\r");
    const auto file = motifs(text);
    ASSERT_EQ(file.records.size(), 1U);
    EXPECT_EQ(file.records[0].pattern, "A-x-C");
    EXPECT_EQ(file.records[0].name, "ONE");
  }
  EXPECT_EQ(motifs("//\r\nID   A; RULE.\r\n//\r\n").rule_entries, 1U);
}

TEST(motif_list, patterns_that_begin_as_line_codes_do) {
  ASSERT_EQ(motifs("MK P\n").records.size(), 1U);
  EXPECT_EQ(motifs("MK P\n").records[0].pattern, "MKP");
  EXPECT_EQ(motifs("ACD\nPA-x\n").records.size(), 2U);
  for (const char* code : {"CC", "AC", "PA", "ID", "3D"})
    for (const char* end : {"\n", "\r\n", "\tA-C\n"}) {
      const auto file = motifs(code + std::string(end) + "GG\nTT\n");
      ASSERT_EQ(file.records.size(), 3U) << code;
      EXPECT_EQ(file.records[0].name, code);
      EXPECT_EQ(file.records[2].pattern, "TT");
    }
}

// Checks that a pattern may be broken anywhere: it has the same characters, and each has its own line and
// column.
TEST(motif_flat_file, patterns_break_anywhere) {
  const std::string pattern = "[AC]-x(2,13)-{P}-<M-E>";
  for (std::size_t first = 1; first < pattern.size(); ++first) {
    const auto file = motifs("ID   X; PATTERN.\nAC   P;\nPA   " + pattern.substr(0, first) + "\nPA   " +
                             pattern.substr(first) + ".\n//\n");
    ASSERT_EQ(file.records.size(), 1U);
    const auto& record = file.records[0];
    ASSERT_EQ(record.pattern, pattern);
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      ASSERT_EQ(record.positions[i].line, i < first ? 3U : 4U);
      ASSERT_EQ(record.positions[i].column, 6 + i - (i < first ? 0 : first));
    }
  }
}

TEST(motif_flat_file, real_releases) {
  const std::string folder = WEFT_EXTRA_DATA;
  if (!std::filesystem::exists(folder + "/prosite-20.119.dat"))
    GTEST_SKIP() << "no PROSITE releases in " << folder;
  EXPECT_EQ(weft::io::read_motifs(folder + "/prosite-20.119.dat").records.size(), 1309U);
  EXPECT_EQ(weft::io::read_motifs(folder + "/prosite-1995.dat").records.size(), 1149U);
}

std::string motif_failure(const std::string& text) {
  try {
    (void)motifs(text);
    return "read";
  } catch (const weft::error& error) {
    return error.what();
  }
}

TEST(motif_files, faults_are_located) {
  EXPECT_EQ(motif_failure("ID   X; PATTERN.\nPA   A.\n//\n"), "m.dat:1: the entry 'X' has no AC line");
  EXPECT_EQ(motif_failure("ID   X; PATTERN.\nAC   P;\n//\n"),
            "m.dat:1: the PATTERN entry 'X' has no PA line");
  EXPECT_EQ(motif_failure("ID   X; PATTERN.\nAC   P;\nPA   A.\n"),
            "m.dat:1: the entry 'X' does not end with '//'");
  EXPECT_EQ(motif_failure("ID   X; PATTERN.\nAC   P;\nID   Y; PATTERN.\n"),
            "m.dat:3:1: second ID line in the entry 'X': is its '//' missing?");
  EXPECT_EQ(motif_failure("ID   X; PATTERN.\nAC   P;\nPA   .\n//\n"),
            "m.dat:3: the PA line of the entry 'X' contains no pattern");
  EXPECT_EQ(motif_failure("ID   X; PATTERN.\nAC   P;\nhello\n"),
            "m.dat:3:1: a line of a PROSITE file must start with a two-letter code and spaces");
  EXPECT_EQ(motif_failure("ID   X; THING.\n"),
            "m.dat:1:7: the ID line must end with '; PATTERN.', '; MATRIX.' or '; RULE.'");
  EXPECT_EQ(motif_failure("AC   P;\n"), "m.dat:1:1: an AC line outside an entry: its ID line is missing");
  EXPECT_EQ(motif_failure("CC   x\nPA   A.\n"),
            "m.dat:2:1: a PA line outside an entry: its ID line is missing");
  for (const std::string none : {"CC AT\nGG\n", "CC   x\n//\n", "// A-C\n", "\nDT x"}) {
    const std::string failure = motif_failure(none);
    EXPECT_EQ(failure.rfind("m.dat: the file begins with '", 0), 0U) << failure;
    EXPECT_NE(failure.find("', as a PROSITE file does, but has no entry"), std::string::npos) << failure;
  }
  EXPECT_EQ(motif_failure(std::string((1 << 20) + 1, 'A')),
            "m.dat:1: the line is longer than the 1.0 MiB that is allowed");
  EXPECT_EQ(motif_failure("a\t\n"), "m.dat:1:2: 'a' has no pattern after the tab");
  EXPECT_EQ(motif_failure(std::string("A-\0\n", 4)), "m.dat:1:3: byte 0x00: this is not a text file");
}

TEST(motifs, patterns_that_take_too_much_memory_are_refused) {
  std::string list, flat;
  for (int i = 0; i < 1000; ++i) {
    list += "A-C\n";
    flat += "ID   A; PATTERN.\nAC   PS00001;\nPA   A-C.\n//\n";
  }
  for (const std::string& text : {list, flat}) {
    EXPECT_EQ(weft::io::read_motifs(*weft::io::memory_bytes(text, "m")).records.size(), 1000U);
    EXPECT_EQ(weft::io::read_motifs(*weft::io::memory_bytes(text, "m"), 1 << 20).records.size(), 1000U);
    EXPECT_THROW((void)weft::io::read_motifs(*weft::io::memory_bytes(text, "m"), 100'000),
                 weft::memory_error);
  }
}

TEST(motifs, are_passed_on_one_at_a_time) {
  const std::string flat = "ID   A; PATTERN.\nAC   PS1;\nPA   A-C.\n//\nID   M; MATRIX.\n//\n"
                           "ID   B; PATTERN.\nAC   PS2;\nPA   G.\n//\n";
  for (const std::string& text : {flat, std::string("A\tA-C\nB\tG\n"), std::string(">A\nA-C\n>B\nG\n")}) {
    std::string seen;
    const auto take = [&](const weft::io::motif_record& record) {
      seen += record.name + "=" + record.pattern + " ";
    };
    const auto file = weft::io::for_each_motif(*weft::io::memory_bytes(text, "m"), take);
    EXPECT_EQ(seen, "A=A-C B=G ");
    EXPECT_TRUE(file.records.empty());
    EXPECT_EQ(file.name, "m");
    EXPECT_EQ(file.is_prosite, text == flat);
    EXPECT_EQ(file.matrix_entries, text == flat ? 1U : 0U);
  }
}

TEST(motifs, one_pattern_that_takes_too_much_memory_is_refused) {
  const std::string entry = "ID   A; PATTERN.\nAC   PS00001;\n", line = std::string(1000, 'A') + "\n";
  std::string description = entry, pattern = entry, list;
  for (int i = 0; i < 100; ++i) {
    description += "DE   " + line;
    pattern += "PA   " + line;
    list += line;
  }
  const auto nothing = [](const weft::io::motif_record&) {};
  const auto read = [&](const std::string& text, std::uint64_t memory) {
    (void)weft::io::for_each_motif(*weft::io::memory_bytes(text, "m"), nothing, memory);
  };
  EXPECT_THROW(read(description + "PA   A.\n//\n", 90'000), weft::memory_error);
  EXPECT_THROW(read(pattern + "//\n", 1'000'000), weft::memory_error);
  EXPECT_THROW(read(">A\n" + line, 900), weft::memory_error);
  EXPECT_THROW(read(line, 16'000), weft::memory_error);
  EXPECT_NO_THROW(read(list, 20'000)); // all entries together take more
  EXPECT_NO_THROW(read(pattern + "//\n", 4'000'000));
  try {
    read("A\n" + line, 16'000);
    ADD_FAILURE();
  } catch (const weft::memory_error& failure) {
    EXPECT_EQ(std::string(failure.what()).rfind("m:2: the pattern needs at least 17", 0), 0U)
        << failure.what();
  }
}

} // namespace
