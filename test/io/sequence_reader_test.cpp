#include <gtest/gtest.h>
#include <random>
#include <string>
#include <weft/base/error.hpp>
#include <weft/io/sequence_reader.hpp>

namespace {

// Returns "name|description|residues;" for each record, read in chunks of about `chunk` residues.
std::string records(const std::string& text, std::uint64_t chunk = 1, std::size_t step = 0) {
  weft::io::sequence_reader reader(weft::io::memory_bytes(text, "memory", step));
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
            "memory:1:1: before the first record: a record must start with '>' (FASTA) or '@' (FASTQ), "
            "not with 'A'");
  EXPECT_EQ(failure(">a\nAC\n>b x\nACG\nA\x01"),
            "memory:5:2: record 2 ('b'): byte 0x01 is not a valid residue");
  EXPECT_EQ(failure(">a\nAC\n  G\xc3\xa9\n"), "memory:3:4: record 1 ('a'): byte 0xc3 is not a valid residue");
  EXPECT_EQ(failure(std::string(">a\0b\nAC\n", 8)),
            "memory:1:3: record 1 ('a?b'): NUL byte in the header line: this is not a text file");
  EXPECT_EQ(failure("@a\nAC\n@b\nAC\n+\nIIIIII\n"),
            "memory:3:1: record 1 ('a'): expected the '+' line, but found '@'");
  EXPECT_EQ(failure("@a\n@b\n"), "memory:2:1: record 1 ('a'): expected the '+' line, but found '@'");
  EXPECT_EQ(failure("@a\nAC\n+"),
            "memory:3: record 1 ('a'): 2 residues but 0 quality scores before the file ends");
  EXPECT_EQ(failure(">" + std::string(1000, 'n') + "\n\x7f"),
            "memory:2:1: record 1 ('" + std::string(80, 'n') + "...'): byte 0x7f is not a valid residue");
  EXPECT_EQ(failure(">" + std::string((1 << 20) + 1, 'n')).substr(0, 20), "memory:1: record 1 (");
  EXPECT_EQ(failure(">a\n" + std::string(600'000, 'A') + "\x01"),
            "memory:2:600001: record 1 ('a'): byte 0x01 is not a valid residue");
  EXPECT_EQ(failure("@a\nACGT\n"), "memory:2: record 1 ('a'): the file ends before the '+' line");
  EXPECT_EQ(failure("@a\nACGT\n+\nIII\n"),
            "memory:4: record 1 ('a'): 4 residues but 3 quality scores before the file ends");
  EXPECT_EQ(failure("@a\nACGT\n+\nIIIII\n"), "memory:4: record 1 ('a'): 4 residues but 5 quality scores");
  EXPECT_EQ(failure("@a\nA\n+\nI\nfoo\n"),
            "memory:5:1: record 1 ('a'): the next record must start with '@', not with 'f'");
}

// Checks that random records in random layouts read the same for every chunk size. The expected text is built
// along with the file.
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

TEST(sequences, long_headers_and_lines_pass_the_buffer) {
  const std::string name(300'000, 'n'), description(500'000, 'd'), residues(700'001, 'A');
  EXPECT_EQ(records(">" + name + " " + description + "\n" + residues + "\n>b\nC"),
            name + "|" + description + "|" + residues + ";b||C;");
}

TEST(sequences, empty_records_are_bounded_too) {
  std::string file;
  for (int i = 0; i < 10'000; ++i) file += ">\n";
  weft::io::sequence_reader reader(weft::io::memory_bytes(file, "memory"));
  weft::io::sequence_chunk chunk;
  ASSERT_TRUE(reader.read(chunk, 5000));
  EXPECT_LE(chunk.count(), 100U);
  std::uint64_t count = chunk.count();
  while (reader.read(chunk, 5000)) count += chunk.count();
  EXPECT_EQ(count, 10'000U);
}

// Returns the records of a text that is read with records of at most `bound` residues, or the error's
// message.
std::string bounded(const std::string& text, std::uint64_t bound, std::size_t* capacity = nullptr) {
  weft::io::sequence_reader reader(weft::io::memory_bytes(text, "memory", 64), bound);
  weft::io::sequence_chunk chunk;
  std::string result;
  try {
    while (reader.read(chunk, 1000))
      for (std::uint64_t i = 0; i < chunk.count(); ++i) result += chunk.names[i] + ";";
  } catch (const weft::memory_error& error) {
    result = error.what();
  }
  if (capacity != nullptr) *capacity = chunk.residues.capacity();
  return result;
}

TEST(sequences, a_record_larger_than_the_bound_is_named_with_its_size) {
  const std::string line(99'999, 'A');
  const std::string fasta = ">a\nAC\n>b long\n" + line + "\r\nCC CC\n\n" + line + "\n>c\nA\n";
  EXPECT_EQ(bounded(fasta, 0), "a;b;c;");
  EXPECT_EQ(bounded(fasta, 200'002), "a;b;c;");
  EXPECT_EQ(bounded(fasta, 200'001),
            "memory: record 2 ('b') has 200002 residues, but the memory limit allows only 200001 in one "
            "record");
  EXPECT_EQ(bounded(">a\n" + line + "\n>b\nA\n", 10'000),
            "memory: record 1 ('a') has 99999 residues, but the memory limit allows only 10000 in one "
            "record");
  EXPECT_EQ(bounded("@a\n" + line + "\n+\n" + line + "\n", 10'000),
            "memory: record 1 ('a') has 99999 residues, but the memory limit allows only 10000 in one "
            "record");
  EXPECT_EQ(bounded(">a\n" + line + line, 1000).substr(0, 36), "memory: record 1 ('a') has at least ");
  std::size_t capacity = 0;
  EXPECT_EQ(bounded(">a\n" + line + "\n>b\n" + line, 100'000, &capacity), "a;b;");
  EXPECT_LE(capacity, 101'064U);
}

// Checks that any bytes, and any prefix, give the same records or the same error if the input arrives in
// steps.
TEST(sequences, any_step_of_input) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 3000; ++round) {
    std::string file(random() % 40, ' ');
    for (char& c : file) c = ">@+;\n\r\nAC \x01I"[random() % 12];
    const std::string whole = failure(file);
    for (const std::size_t step : {1U, 3U}) {
      std::string stepped;
      try {
        stepped = "read: " + records(file, 1, step);
      } catch (const weft::parse_error& error) {
        stepped = error.what();
      }
      ASSERT_EQ(stepped, whole) << file;
    }
  }
}

} // namespace
