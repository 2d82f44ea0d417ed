#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/io/motif_reader.hpp>
#include <weft/io/sequence_reader.hpp>

namespace {

// "name|description|residues;" for each record, read in chunks of about `chunk` residues.
std::string records(const std::string& text, std::uint64_t chunk = 1) {
  weft::io::sequence_reader reader(weft::io::memory_bytes(text, "memory"));
  weft::io::sequence_chunk records;
  std::string result;
  while (reader.read(records, chunk))
    for (std::uint64_t i = 0; i < records.count(); ++i)
      result +=
          records.names[i] + "|" + records.descriptions[i] + "|" + std::string(records.sequence(i)) + ";";
  EXPECT_EQ(records.count(), 0U);
  return result;
}

std::string failure(const std::string& text) {
  try {
    return "read: " + records(text);
  } catch (const weft::parse_error& error) {
    return error.what();
  }
}

TEST(fasta, records) {
  EXPECT_EQ(records(""), "");
  EXPECT_EQ(records("\n\n"), "");
  EXPECT_EQ(records(">a\nACGT\n"), "a||ACGT;");
  EXPECT_EQ(records(">a  some text \nAC\nGT"), "a|some text|ACGT;");
  EXPECT_EQ(records(">a\r\nAC\r\n\r\nGT\r\n>b\r\n"), "a||ACGT;b||;");
  EXPECT_EQ(records(">\nac>gt\n>\n>x\n"), "||ac>gt;||;x||;");
  EXPECT_EQ(records("\n; a comment\n>a\nA C\tG\n\n\nT*-\n"), "a||ACGT*-;");
  EXPECT_EQ(records(">a"), "a||;");
  EXPECT_EQ(records(">"), "||;");
}

TEST(fastq, records) {
  EXPECT_EQ(records("@a x\nACGT\n+\nIIII\n@b\nA\n+b\n@\n"), "a|x|ACGT;b||A;");
  EXPECT_EQ(records("@a\nAC\nGT\n+\n@I\nI+\n@b\r\nA\r\n+\r\nI"), "a||ACGT;b||A;");
  EXPECT_EQ(records("@a\n\n+\n\n@b\nA\n+\nI\n\n"), "a||;b||A;");
  EXPECT_EQ(records("@a\n+\n@b\nA\n+\nI\n"), "a||;b||A;");
}

TEST(sequences, faults_are_located) {
  EXPECT_EQ(failure("ACGT\n"),
            "memory:1:1: before the first record: 'A' where a record starts with '>' (FASTA) or '@' (FASTQ)");
  EXPECT_EQ(failure(">a\nAC\n>b x\nACG\nA\x01"),
            "memory:5:2: record 2 ('b'): byte 0x01 in the sequence, which is no residue");
  EXPECT_EQ(failure(">a\nAC\n  G\xc3\xa9\n"),
            "memory:3:4: record 1 ('a'): byte 0xc3 in the sequence, which is no residue");
  EXPECT_EQ(failure(std::string(">a\0b\nAC\n", 8)),
            "memory:1:3: record 1 ('" + std::string("a\0b", 3).substr(0, 1));
  EXPECT_EQ(failure("@a\nACGT\n"), "memory:2: record 1 ('a'): the file ends before the '+' line");
  EXPECT_EQ(failure("@a\nACGT\n+\nIII\n"),
            "memory:4: record 1 ('a'): 4 residues but 3 quality scores before the file ends");
  EXPECT_EQ(failure("@a\nACGT\n+\nIIIII\n"), "memory:4: record 1 ('a'): 4 residues but 5 quality scores");
  EXPECT_EQ(failure("@a\nA\n+\nI\nfoo\n"),
            "memory:5:1: record 1 ('a'): 'f' where the next record starts with '@'");
}

// Random records in random layouts read the same whatever the chunk; the expected text is built beside the
// file.
TEST(sequences, any_layout_and_chunk) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    const bool fastq = random() % 2 == 0;
    std::string file, expected;
    for (std::uint64_t i = random() % 6; i > 0; --i) {
      const std::string name = "r" + std::to_string(random() % 1000), end = random() % 3 == 0 ? "\r\n" : "\n";
      const std::uint64_t size = random() % (round % 20 == 0 ? 600'000 : 300), width = 1 + random() % 100;
      file += (fastq ? "@" : ">") + name + end;
      std::string residues;
      for (std::uint64_t k = 0; k < size; ++k) residues += "ACGTNacgtn"[random() % 10];
      for (std::uint64_t k = 0; k < size; k += width) file += residues.substr(k, width) + end;
      if (fastq) {
        file += "+" + end;
        for (std::uint64_t k = 0; k < size; k += width)
          file += std::string(std::min(width, size - k), '@') + end;
        if (size == 0) file += end;
      }
      expected += name + "||" + residues + ";";
    }
    for (const std::uint64_t chunk : {1ULL, 100ULL, 1ULL << 40}) ASSERT_EQ(records(file, chunk), expected);
  }
}

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
  EXPECT_EQ(file.records[1].places[0].line, 4U);
  EXPECT_EQ(file.records[1].places[0].column, 13U);
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
  EXPECT_EQ(file.records[0].places[7].line, 8U);
  EXPECT_TRUE(file.records[0].skip_flag);
  EXPECT_EQ(file.matrix_entries, 1U);
  EXPECT_EQ(file.rule_entries, 1U);
}

std::string motif_failure(const std::string& text) {
  try {
    (void)motifs(text);
    return "read";
  } catch (const weft::parse_error& error) {
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
            "m.dat:3:1: a second ID line: does the entry 'X' lack its '//'?");
  EXPECT_EQ(motif_failure("a\t\n"), "m.dat:1:2: 'a' has no pattern behind the tab");
  EXPECT_EQ(motif_failure(std::string("A-\0\n", 4)), "m.dat:1:3: byte 0x00: this is no text file");
}

} // namespace
