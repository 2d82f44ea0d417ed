// Tests what weft find reads, checks and writes, except for its table. Each test is named after the sentence
// that it checks.
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <random>
#include <test_paths.hpp>
#include <thread>

#include "process.hpp"

namespace weft::test {

namespace {

using std::string;
using words = std::vector<string>;

class find_formats : public testing::Test {
protected:
  string index(const string& fasta, words more = {}) const {
    folder_.put("ref.fa", fasta);
    words given = {"index", folder_ / "ref.fa", "-q", "-o", folder_ / "ref.wfi"};
    given.insert(given.end(), more.begin(), more.end());
    EXPECT_EQ(weft_run(given).code, 0);
    return folder_ / "ref.wfi";
  }
  static string find(words given, int code = 0) {
    given.insert(given.begin(), "find");
    const outcome result = weft_run(given);
    EXPECT_EQ(result.code, code) << result.err;
    return result.out;
  }
  scratch_folder folder_;
};

const string header = "pattern\treference\tbegin\tend\tstrand\n";
const string reference = ">r1\nACGTNACG\nTTAGGAT\n>track\ngattaca\n>empty\n";

TEST_F(find_formats, item_4_lists_have_names_comments_byte_order_mark_and_crlf) {
  const string dna = index(reference);
  folder_.put("list", "\xef\xbb\xbf# patterns\r\nmine\tTTA\r\n\r\nGAT\r\n");
  folder_.put("fasta", ">mine\nTT\nA\n>\nGAT\n");
  folder_.put("fastq", "@mine\nTTA\n+\nIII\n@\nGAT\n+\nIII\n");
  for (const char* name : {"list", "fasta", "fastq"})
    EXPECT_EQ(find({dna, folder_ / name, "--count"}), "pattern\tcount\nmine\t2\nGAT\t2\n") << name;
}

TEST_F(find_formats, item_4_a_pattern_of_the_command_line_that_can_never_match_is_an_error) {
  const string dna = index(reference);
  expect_failure({"find", dna, "-e", "ACX"}, 2, "-e 'ACX': the pattern can never match: letter 3 is 'X'");
  expect_failure({"find", dna, "-e", "name\tACG"}, 2, "can never match");
  expect_failure({"find", dna, "-e", ""}, 2, "-e '': the pattern can never match: it has no letters");
  EXPECT_EQ(find({dna, "-e", "CCCCC"}), header); // may match, and does not
}

TEST_F(find_formats, item_4_patterns_of_a_file_that_can_never_match_are_one_warning_or_with_strict_an_error) {
  const string dna = index(reference);
  folder_.put("list", "# reads\none\tACG\ntwo\tACNT\nNNN\n");
  folder_.put("fastq", "@a\nACG\n+\nIII\n@b\nANG\n+\nIII\n@c\n\n+\n\n");
  const string reason = " (--strict makes this an error); the first: ",
               alphabet = "'N', and an index of DNA has only A, C, G, T and U\n";
  EXPECT_EQ(weft_run({"find", dna, folder_ / "list"}).err, "weft: patterns that can never match: 2 of 3" +
                                                               reason + (folder_ / "list") +
                                                               ":3:5: letter 3 is " + alphabet);
  EXPECT_EQ(weft_run({"find", dna, folder_ / "fastq"}).err, "weft: patterns that can never match: 2 of 3" +
                                                                reason + (folder_ / "fastq") +
                                                                ": record 2 ('b'): letter 2 is " + alphabet);
  EXPECT_EQ(weft_run({"find", dna, folder_ / "list", "-q"}).err, "");
  expect_failure({"find", dna, folder_ / "list", "--strict", "-o", folder_ / "out"}, 2,
                 (folder_ / "list") + ":3:5: the pattern can never match: letter 3 is 'N'");
  expect_failure({"find", dna, folder_ / "fastq", "--strict", "-o", folder_ / "out"}, 2, "record 2 ('b')");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
}

TEST_F(find_formats, every_format) {
  const string dna = index(reference);
  const words query = {dna, "-e", "TTA", "-e", "TAA", "-e", "CCC", "--both-strands", "--format"};
  const auto as = [&](const char* format) {
    words given = query;
    given.emplace_back(format);
    return find(given);
  };
  EXPECT_EQ(as("tsv"),
            header + "TTA\tr1\t9\t11\t+\nTTA\ttrack\t3\t5\t+\nTAA\tr1\t9\t11\t-\nTAA\ttrack\t3\t5\t-\n");
  EXPECT_EQ(as("bed"), "r1\t8\t11\tTTA\t0\t+\n\\x74rack\t2\t5\tTTA\t0\t+\n"
                       "r1\t8\t11\tTAA\t0\t-\n\\x74rack\t2\t5\tTAA\t0\t-\n");
  EXPECT_EQ(as("sam"),
            "@HD\tVN:1.6\tGO:query\n@SQ\tSN:r1\tLN:15\n@SQ\tSN:track\tLN:7\n@PG\tID:weft\tPN:weft\tVN:0.1.0\n"
            "TTA\t0\tr1\t9\t255\t3=\t*\t0\t0\tTTA\t*\tNM:i:0\tNH:i:2\n"
            "TTA\t256\ttrack\t3\t255\t3=\t*\t0\t0\t*\t*\tNM:i:0\tNH:i:2\n"
            "TAA\t16\tr1\t9\t255\t3=\t*\t0\t0\tTTA\t*\tNM:i:0\tNH:i:2\n"
            "TAA\t272\ttrack\t3\t255\t3=\t*\t0\t0\t*\t*\tNM:i:0\tNH:i:2\n"
            "CCC\t4\t*\t0\t0\t*\t*\t0\t0\tCCC\t*\n");
  EXPECT_EQ(as("paf"), "TTA\t3\t0\t3\t+\tr1\t15\t8\t11\t3\t3\t255\tNM:i:0\tNH:i:2\tcg:Z:3=\n"
                       "TTA\t3\t0\t3\t+\ttrack\t7\t2\t5\t3\t3\t255\tNM:i:0\tNH:i:2\tcg:Z:3=\n"
                       "TAA\t3\t0\t3\t-\tr1\t15\t8\t11\t3\t3\t255\tNM:i:0\tNH:i:2\tcg:Z:3=\n"
                       "TAA\t3\t0\t3\t-\ttrack\t7\t2\t5\t3\t3\t255\tNM:i:0\tNH:i:2\tcg:Z:3=\n");
  EXPECT_EQ(as("gff3"), "##gff-version 3\n##sequence-region r1 1 15\n##sequence-region track 1 7\n"
                        "r1\tweft\tnucleotide_match\t9\t11\t.\t+\t.\tName=TTA\n"
                        "track\tweft\tnucleotide_match\t3\t5\t.\t+\t.\tName=TTA\n"
                        "r1\tweft\tnucleotide_match\t9\t11\t.\t-\t.\tName=TAA\n"
                        "track\tweft\tnucleotide_match\t3\t5\t.\t-\t.\tName=TAA\n");
  EXPECT_EQ(as("jsonl"),
            "{\"pattern\":\"TTA\",\"reference\":\"r1\",\"begin\":9,\"end\":11,\"strand\":\"+\"}\n"
            "{\"pattern\":\"TTA\",\"reference\":\"track\",\"begin\":3,\"end\":5,\"strand\":\"+\"}\n"
            "{\"pattern\":\"TAA\",\"reference\":\"r1\",\"begin\":9,\"end\":11,\"strand\":\"-\"}\n"
            "{\"pattern\":\"TAA\",\"reference\":\"track\",\"begin\":3,\"end\":5,\"strand\":\"-\"}\n");
  EXPECT_EQ(find({dna, "-e", "TTA", "--count", "--format", "jsonl"}), "{\"pattern\":\"TTA\",\"count\":2}\n");
  EXPECT_EQ(find({dna, "-e", "TTA", "--bed"}), find({dna, "-e", "TTA", "--format", "bed"}));
}

TEST_F(find_formats, cut_results_are_marked_in_every_format) {
  const string dna = index(reference);
  const auto ends = [&](const char* format, const string& end) {
    const string out = find({dna, "-e", "TTA", "--max-hits", "1", "--format", format});
    EXPECT_TRUE(out.ends_with(end)) << out;
  };
  ends("tsv", "TTA\t*\t1\t2\t*\n");
  ends("bed", "# TTA: 1 of 2 occurrences\n");
  ends("gff3", "# TTA: 1 of 2 occurrences\n");
  ends("jsonl", "{\"pattern\":\"TTA\",\"written\":1,\"total\":2}\n");
  ends("sam", "\tNH:i:2\n");
  ends("paf", "\tNH:i:2\tcg:Z:3=\n");
}

TEST_F(find_formats, item_9_names_are_escaped_in_every_format) {
  const string dna = index(">r\x1b[2J\nACGT\n");
  folder_.put("list", "n\x1b[2J\tACG\n");
  for (const char* format : {"tsv", "bed", "sam", "paf", "gff3", "jsonl"})
    EXPECT_EQ(find({dna, "-e", "ACG", "--format", format}).find('\x1b'), string::npos) << format;
  folder_.put("p.fa", ">n\x1b[2J\nACG\n");
  for (const char* format : {"tsv", "bed", "sam", "paf", "gff3", "jsonl"})
    EXPECT_EQ(find({dna, folder_ / "p.fa", "--format", format}).find('\x1b'), string::npos) << format;
  EXPECT_EQ(find({dna, folder_ / "p.fa", "--count"}), "pattern\tcount\nn\\x1b[2J\t1\n");
}

TEST_F(find_formats, sam_refuses_names_that_it_cannot_tell_apart) {
  expect_failure({"find", index(">a\nACGT\n>a\nACGT\n"), "-e", "ACG", "--format", "sam"}, 2,
                 "several records have the name 'a'");
  folder_.put("list", string(255, 'A') + "\n");
  expect_failure({"find", index(">a\nACGT\n"), folder_ / "list", "--format", "sam"}, 2, "254 bytes");
}

TEST_F(find_formats, circular_rows) {
  const string dna = index(">c\nTACCGGA\n"); // GATA lies across the origin
  EXPECT_EQ(find({dna, "-e", "GATA"}), header);
  EXPECT_EQ(find({dna, "-e", "GATA", "--circular"}), header + "GATA\tc\t6\t9\t+\n");
  EXPECT_EQ(find({dna, "-e", "TATC", "--circular", "--both-strands"}), header + "TATC\tc\t6\t9\t-\n");
  EXPECT_EQ(find({dna, "-e", "GATA", "--circular", "--count"}), "pattern\tcount\nGATA\t1\n");
  EXPECT_EQ(find({dna, "-e", "GATA", "--circular", "--format", "bed"}),
            "c\t5\t7\tGATA\t0\t+\nc\t0\t2\tGATA\t0\t+\n");
  EXPECT_EQ(
      find({dna, "-e", "GATA", "--circular", "--format", "gff3"}),
      "##gff-version 3\n##sequence-region c 1 7\nc\tweft\tregion\t1\t7\t.\t.\t.\tID=c;Is_circular=true\n"
      "c\tweft\tnucleotide_match\t6\t9\t.\t+\t.\tName=GATA\n");
  EXPECT_EQ(find({dna, "-e", "GATAC", "--circular", "--format", "sam"}),
            "@HD\tVN:1.6\tGO:query\n@SQ\tSN:c\tLN:7\tTP:circular\n@PG\tID:weft\tPN:weft\tVN:0.1.0\n"
            "GATAC\t0\tc\t6\t255\t2=3S\t*\t0\t0\tGATAC\t*\tNM:i:0\tNH:i:1\tSA:Z:c,1,+,2S3=,255,0;\n"
            "GATAC\t2048\tc\t1\t255\t2H3=\t*\t0\t0\t*\t*\tNM:i:0\tNH:i:1\tSA:Z:c,6,+,2=3S,255,0;\n");
  EXPECT_EQ(find({dna, "-e", "GTATC", "--circular", "--both-strands", "--format", "paf"}),
            "GTATC\t5\t3\t5\t-\tc\t7\t5\t7\t2\t2\t255\tNM:i:0\tNH:i:1\tcg:Z:2=\n"
            "GTATC\t5\t0\t3\t-\tc\t7\t0\t3\t3\t3\t255\tNM:i:0\tNH:i:1\tcg:Z:3=\n");
  EXPECT_EQ(find({dna, "-e", "TACCGGAT", "--circular"}), header); // the pattern is longer than the record
}

// Checks that every occurrence in the doubled text that begins in the record is reported once, with N and
// with short and empty records.
TEST_F(find_formats, circular_against_doubled_text) {
  std::mt19937_64 random(5);
  const auto complement = [](string bases) {
    std::reverse(bases.begin(), bases.end());
    for (char& c : bases) c = c == 'A' ? 'T' : c == 'C' ? 'G' : c == 'G' ? 'C' : c == 'T' ? 'A' : c;
    return bases;
  };
  for (int round = 0; round < 6; ++round) {
    words records = {"", "A", "AC"};
    for (int r = 0; r < 4; ++r) {
      string record;
      for (std::uint64_t i = random() % 60; i > 0; --i)
        record += "ACGTACN"[random() % (round % 2 == 0 ? 2 : 7)];
      records.push_back(record);
    }
    string fasta, list, expected = header;
    for (std::size_t r = 0; r < records.size(); ++r)
      fasta += ">r" + std::to_string(r) + "\n" + records[r] + "\n";
    for (int p = 0; p < 60; ++p) {
      const string& from = records[3 + random() % 4] + records[3 + random() % 4];
      string pattern = from.empty() ? "A" : (from + from).substr(random() % from.size(), 1 + random() % 40);
      std::replace(pattern.begin(), pattern.end(), 'N', 'A');
      list += pattern + "\n";
      for (std::size_t r = 0; r < records.size(); ++r)
        for (std::size_t at = 0; at < records[r].size() && pattern.size() <= records[r].size(); ++at)
          for (const bool reverse : {false, true})
            if ((records[r] + records[r]).substr(at, pattern.size()) ==
                (reverse ? complement(pattern) : pattern))
              expected += pattern + "\tr" + std::to_string(r) + "\t" + std::to_string(at + 1) + "\t" +
                          std::to_string(at + pattern.size()) + (reverse ? "\t-\n" : "\t+\n");
    }
    folder_.put("list", list);
    const string dna = index(fasta);
    for (const words& more : {words{}, {"-t", "1"}, {"--memory", "1M"}}) {
      words given = {dna, folder_ / "list", "--both-strands", "--circular"};
      given.insert(given.end(), more.begin(), more.end());
      EXPECT_TRUE(find(given) == expected) << fasta << list;
    }
  }
}

// Checks that many batches on several threads, and patterns with very many occurrences, give the same bytes
// as one thread.
TEST_F(find_formats, batches_are_written_in_order) {
  std::mt19937_64 random(6);
  string text, list;
  while (text.size() < 20'000) text += "ACGT"[random() % 4];
  for (int p = 0; p < 60'000; ++p)
    list += p % 5000 == 0
                ? string(1, "ACGT"[random() % 4]) + "\n"
                : "p" + std::to_string(p) + "\t" + text.substr(random() % 19'000, 4 + random() % 30) + "\n";
  folder_.put("list", list);
  const string dna = index(">r\n" + text + "\n");
  for (const char* how : {"--count", "--both-strands"}) {
    const string one = find({dna, folder_ / "list", how, "-t", "1"});
    EXPECT_TRUE(find({dna, folder_ / "list", how, "-t", "3"}) == one);
    EXPECT_TRUE(find({dna, folder_ / "list", how, "--memory", "20M"}) == one);
  }
}

TEST_F(find_formats, a_pattern_larger_than_the_memory_names_file_and_line) {
  const string dna = index(reference);
  folder_.put("list", "ACG\n" + string(3'000'000, 'A') + "\n");
  folder_.put("fasta", ">a\nACG\n>b\n" + string(3'000'000, 'A') + "\n");
  expect_failure({"find", dna, folder_ / "list", "--memory", "16M", "-o", folder_ / "out"}, 4,
                 (folder_ / "list") + ":2: the line is longer than the 1.0 MiB that is allowed");
  expect_failure({"find", dna, folder_ / "fasta", "--memory", "16M", "-o", folder_ / "out"}, 4,
                 (folder_ / "fasta") +
                     ": record 2 ('b') has 3000000 residues, but the memory limit allows only 1048576 in "
                     "one record");
}

// Truncates the index file while find waits for patterns.
TEST_F(find_formats, item_8_an_index_truncated_while_it_is_mapped) {
  std::mt19937_64 random(7);
  string text;
  while (text.size() < 200'000) text += "ACGT"[random() % 4];
  const string dna = index(">r\n" + text + "\n");
  std::filesystem::create_directory(folder_ / "results");
  process waiting({WEFT_PROGRAM, "find", dna, "-", "-o", folder_ / "results/out"}, "");
  for (int i = 0; i < 500 && std::filesystem::is_empty(folder_ / "results"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20)); // waits until the index is open
  ASSERT_FALSE(std::filesystem::is_empty(folder_ / "results"));
  std::filesystem::resize_file(dna, 4096);
  waiting.write(text.substr(0, 50) + "\n");
  waiting.close_input();
  const outcome result = waiting.wait();
  EXPECT_EQ(result.code, 3) << result.err;
  EXPECT_EQ(result.err, "weft: cannot read '" + dna +
                            "': the file became shorter, or its disk failed, while weft "
                            "was reading it\n");
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "results"));
  std::filesystem::remove_all(folder_ / "results");
}

} // namespace
} // namespace weft::test
