// Tests weft find --mismatches and --errors, end to end.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <sstream>

#include "process.hpp"

namespace weft::test {

namespace {

using std::string;
using words = std::vector<string>;

class near_verb : public testing::Test {
protected:
  void SetUp() override {
    folder_.put("t.fa", ">chr 1\nACGTNACGTTAGGATTACAGATTACATT\n");
    index_ = make("t");
  }
  [[nodiscard]] string make(const string& name) const {
    const outcome result = weft_run({"index", folder_ / (name + ".fa"), "-o", folder_ / (name + ".wfi")});
    EXPECT_EQ(result.code, 0) << result.err;
    return folder_ / (name + ".wfi");
  }
  [[nodiscard]] static string find(words given) {
    given.insert(given.begin(), "find");
    const outcome result = weft_run(given);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    return result.out;
  }
  // Makes a reference of 200,000 bases with repeats and N, and 600 patterns of `size` letters with up to four
  // differences, from both strands.
  void make_large(std::size_t size, bool unknown) const {
    std::mt19937 random(5);
    string text(200000, 'A'), patterns;
    for (char& c : text) c = unknown && random() % 500 == 0 ? 'N' : "ACGT"[random() % 4];
    for (int i = 0; i < 40; ++i) text.replace(random() % 190000, 3000, text.substr(random() % 190000, 3000));
    for (int p = 0; p < 600; ++p) {
      string pattern = text.substr(random() % (text.size() - size), size);
      for (unsigned i = 0; i < random() % 5; ++i) pattern[random() % size] = "ACGT"[random() % 4];
      if (!unknown) std::replace(pattern.begin(), pattern.end(), 'N', 'A');
      if (p % 2 == 0) {
        std::reverse(pattern.begin(), pattern.end());
        for (char& c : pattern) c = c == 'A' ? 'T' : c == 'T' ? 'A' : c == 'C' ? 'G' : c == 'G' ? 'C' : c;
      }
      patterns += fmt::format(">p{}\n{}\n", p, pattern);
    }
    folder_.put("large.fa", ">large\n" + text.substr(0, 120000) + "\n>second\n" + text.substr(120000) + "\n");
    folder_.put("patterns.fa", patterns);
  }
  // Returns the sorted lines of a text.
  [[nodiscard]] static words sorted_lines(const string& text) {
    std::istringstream in(text);
    words lines;
    for (string line; std::getline(in, line);) lines.push_back(line);
    std::sort(lines.begin(), lines.end());
    return lines;
  }
  scratch_folder folder_;
  string index_;
};

const string header = "pattern\treference\tbegin\tend\tstrand\tdistance\n";

TEST_F(near_verb, every_format) {
  const words call = {index_, "-e", "GATTGCA", "--mismatches", "2", "--both-strands", "--format"};
  const auto as = [&](const string& format) {
    words given = call;
    given.push_back(format);
    return find(given);
  };
  EXPECT_EQ(as("tsv"), header + "GATTGCA\tchr\t13\t19\t+\t1\nGATTGCA\tchr\t20\t26\t+\t1\n");
  EXPECT_EQ(as("bed"), "chr\t12\t19\tGATTGCA\t0\t+\nchr\t19\t26\tGATTGCA\t0\t+\n");
  EXPECT_TRUE(has(as("sam"),
                  "GATTGCA\t0\tchr\t13\t255\t4=1X2=\t*\t0\t0\tGATTGCA\t*\tNM:i:1\tMD:Z:4A2\tNH:i:2\n"
                  "GATTGCA\t256\tchr\t20\t255\t4=1X2=\t*\t0\t0\t*\t*\tNM:i:1\tMD:Z:4A2\tNH:i:2\n"));
  EXPECT_EQ(as("paf"), "GATTGCA\t7\t0\t7\t+\tchr\t28\t12\t19\t6\t7\t255\tNM:i:1\tNH:i:2\tcg:Z:4=1X2=\n"
                       "GATTGCA\t7\t0\t7\t+\tchr\t28\t19\t26\t6\t7\t255\tNM:i:1\tNH:i:2\tcg:Z:4=1X2=\n");
  EXPECT_TRUE(has(as("gff3"), "chr\tweft\tnucleotide_match\t13\t19\t.\t+\t.\tName=GATTGCA;distance=1\n"));
  EXPECT_TRUE(has(as("jsonl"), R"("begin":13,"end":19,"strand":"+","distance":1})"));
}

TEST_F(near_verb, reverse_strand_and_unknown_letters_in_sam) {
  EXPECT_TRUE(
      has(find({index_, "-e", "ACGTNACCT", "--mismatches", "3", "--both-strands", "--format", "sam", "-q"}),
          "ACGTNACCT\t0\tchr\t1\t255\t4=1X2=1X1=\t*\t0\t0\tACGTNACCT\t*\tNM:i:2\tMD:Z:4N2G1\t"));
  EXPECT_TRUE(has(find({index_, "-e", "TGTAATRC", "--mismatches", "1", "--iupac", "--both-strands",
                        "--format", "sam", "--max-hits", "1"}),
                  "TGTAATRC\t16\tchr\t12\t255\t1=1X6=\t*\t0\t0\tGYATTACA\t*\tNM:i:1\tMD:Z:1G6\t"))
      << find(
             {index_, "-e", "TGTAATRC", "--mismatches", "1", "--iupac", "--both-strands", "--format", "sam"});
}

TEST_F(near_verb, letters_that_match_nothing_are_counted_and_other_characters_are_errors) {
  const outcome note = weft_run({"find", index_, "-e", "ACGTNACCT", "-e", "ACGTTACCT", "--mismatches", "3"});
  EXPECT_EQ(note.code, 0);
  EXPECT_EQ(note.err, "weft: patterns with letters such as N, which match nothing without --iupac: 1 of 2\n");
  const outcome word = weft_run({"find", index_, "-e", "ACGT,ACCT", "--errors", "3"});
  EXPECT_EQ(word.code, 2);
  EXPECT_EQ(word.err, "weft: -e 'ACGT,ACCT': character 5 is ',', which is no IUPAC letter of DNA\n");
  folder_.put("columns.txt", "ACGTTACCT\nguide\tACGTTACCT\t+\n");
  const outcome file = weft_run({"find", index_, folder_ / "columns.txt", "--mismatches", "1"});
  EXPECT_EQ(file.code, 2);
  EXPECT_TRUE(has(file.err, "columns.txt:2:7: character 10 is byte 0x09, which is no IUPAC letter of DNA"))
      << file.err;
}

TEST_F(near_verb, counts_have_a_column_for_each_distance) {
  EXPECT_EQ(find({index_, "-e", "GATTGCA", "-e", "ACGTA", "--mismatches", "2", "--both-strands", "--count"}),
            "pattern\tcount\tdistance_0\tdistance_1\tdistance_2\nGATTGCA\t2\t0\t2\t0\nACGTA\t8\t0\t4\t4\n");
  EXPECT_EQ(find({index_, "-e", "ACGTA", "--mismatches", "2", "--count", "--format", "jsonl"}),
            "{\"pattern\":\"ACGTA\",\"count\":4,\"by_distance\":[0,2,2]}\n");
}

TEST_F(near_verb, best_iupac_exact_letters_and_max_hits) {
  EXPECT_EQ(find({index_, "-e", "GATTNCA", "--mismatches", "1", "--iupac", "--best"}),
            header + "GATTNCA\tchr\t13\t19\t+\t0\nGATTNCA\tchr\t20\t26\t+\t0\n");
  EXPECT_EQ(find({index_, "-e", "ACGAT", "--mismatches", "2", "--exact-suffix", "1", "--exact-prefix", "3"}),
            header + "ACGAT\tchr\t6\t10\t+\t1\n"); // ACGTN ends in a letter that must match
  const outcome cut = weft_run({"find", index_, "-e", "GATTACAG", "--mismatches", "1", "--max-hits", "1"});
  EXPECT_EQ(cut.out, header + "GATTACAG\tchr\t13\t20\t+\t0\nGATTACAG\t*\t1\t2\t*\t*\n");
  EXPECT_TRUE(has(cut.err, "patterns with more than 1 occurrences")) << cut.err;
}

TEST_F(near_verb, with_errors) {
  const words call = {index_,     "-e", "GATACAG",        "-e",      "TGTCTGT",
                      "--errors", "2",  "--both-strands", "--format"};
  const auto as = [&](const string& format) {
    words given = call;
    given.push_back(format);
    return find(given);
  };
  const string error_header = "pattern\treference\tbegin\tend\tstrand\tdistance\tcigar\n";
  EXPECT_EQ(as("tsv"), error_header +
                           "GATACAG\tchr\t13\t20\t+\t1\t2=1D5=\nGATACAG\tchr\t20\t26\t+\t2\t2=1D4=1I\n"
                           "TGTCTGT\tchr\t17\t21\t-\t2\t4=2I1=\n");
  EXPECT_TRUE(has(as("sam"),
                  "GATACAG\t256\tchr\t20\t255\t2=1D4=1I\t*\t0\t0\t*\t*\tNM:i:2\tMD:Z:2^T4\tNH:i:2\n"
                  "TGTCTGT\t16\tchr\t17\t255\t4=2I1=\t*\t0\t0\tACAGACA\t*\tNM:i:2\tMD:Z:5\tNH:i:1\n"));
  EXPECT_TRUE(
      has(as("paf"), "GATACAG\t7\t0\t7\t+\tchr\t28\t12\t20\t7\t8\t255\tNM:i:1\tNH:i:2\tcg:Z:2=1D5=\n"));
  EXPECT_TRUE(has(as("jsonl"), R"("begin":17,"end":21,"strand":"-","distance":2,"cigar":"4=2I1="})"));
  EXPECT_TRUE(has(as("bed"), "chr\t16\t21\tTGTCTGT\t0\t-\n"));
  EXPECT_EQ(find({index_, "-e", "GATACAG", "--errors", "2", "--all-ends", "--max-hits", "9"}),
            error_header + "GATACAG\tchr\t13\t19\t+\t2\t2=1D4=1I\nGATACAG\tchr\t13\t20\t+\t1\t2=1D5=\n"
                           "GATACAG\tchr\t13\t21\t+\t2\t2=1D5=1D\nGATACAG\tchr\t20\t26\t+\t2\t2=1D4=1I\n"
                           "GATACAG\tchr\t20\t27\t+\t2\t2=1D4=1X\n");
}

TEST_F(near_verb, over_the_origin_of_circular_records) {
  folder_.put("c.fa", ">c\nTACCGGAAACCGTTGA\n");
  const string index = make("c");
  const auto as = [&](const string& format, const words& more) {
    words call = {index, "--circular", "--format", format};
    call.insert(call.end(), more.begin(), more.end());
    return find(call);
  };
  const words mismatches = {"-e", "GATTCC", "--mismatches", "1"}; // GA TACC
  EXPECT_EQ(find({index, "-e", "GATTCC", "--mismatches", "1"}), header);
  EXPECT_EQ(as("tsv", mismatches), header + "GATTCC\tc\t15\t20\t+\t1\n");
  EXPECT_EQ(as("bed", mismatches), "c\t14\t16\tGATTCC\t0\t+\nc\t0\t4\tGATTCC\t0\t+\n");
  EXPECT_EQ(as("paf", mismatches),
            "GATTCC\t6\t0\t2\t+\tc\t16\t14\t16\t2\t2\t255\tNM:i:0\tNH:i:1\tcg:Z:2=\n"
            "GATTCC\t6\t2\t6\t+\tc\t16\t0\t4\t3\t4\t255\tNM:i:1\tNH:i:1\tcg:Z:1=1X2=\n");
  const words errors = {"-e", "GGTACTCAA", "--errors", "1",
                        "--both-strands"}; // TTGAGTACC on the other strand
  EXPECT_TRUE(has(as("gff3", errors),
                  "Is_circular=true\nc\tweft\tnucleotide_match\t13\t20\t.\t-\t.\tName=GGTACTCAA;"
                  "distance=1\n"));
  EXPECT_TRUE(has(as("jsonl", errors), R"("begin":13,"end":20,"strand":"-","distance":1,"cigar":"4=1I4="})"));
  EXPECT_TRUE(has(as("sam", errors),
                  "c\tLN:16\tTP:circular\n@PG\tID:weft\tPN:weft\tVN:0.1.0\n"
                  "GGTACTCAA\t16\tc\t13\t255\t4=1I4S\t*\t0\t0\tTTGAGTACC\t*\tNM:i:1\tMD:Z:4\tNH:i:1\t"
                  "SA:Z:c,1,-,5S4=,255,0;\n"
                  "GGTACTCAA\t2064\tc\t1\t255\t5H4=\t*\t0\t0\t*\t*\tNM:i:0\tMD:Z:4\tNH:i:1\t"
                  "SA:Z:c,13,-,4=1I4S,255,1;\n"));
  EXPECT_EQ(as("tsv", {"-e", "GATTCC", "--mismatches", "1", "--count"}),
            "pattern\tcount\tdistance_0\tdistance_1\nGATTCC\t1\t0\t1\n");
  // The hit over the origin is better than the one at the begin of the record, and overlaps it.
  EXPECT_TRUE(has(find({index, "-e", "GATACC", "--errors", "2"}), "\tc\t1\t4\t+\t2\t2I4=\n"));
  EXPECT_FALSE(has(find({index, "-e", "GATACC", "--errors", "2", "--circular"}), "\tc\t1\t4\t"));
}

TEST_F(near_verb, errors) {
  const auto refuses = [&](const words& more, const string& message) {
    words call = {"find", index_};
    call.insert(call.end(), more.begin(), more.end());
    expect_failure(call, 2, message);
  };
  refuses({"-e", "GAT", "--mismatches", "3"},
          "-e 'GAT': the pattern has 3 letters, but must have more than the 3 that may differ");
  refuses({"-e", "GATTACA", "--mismatches", "9"}, "--mismatches must be at most 8");
  refuses({"-e", "GATTACA", "--errors", "9"}, "--errors must be at most 8");
  refuses({"-e", "GATTACA", "--errors", "1", "--mismatches", "1"}, "--errors counts mismatches too");
  refuses({"-e", "GATTACA", "--mismatches", "1", "--all-ends"}, "--all-ends needs --errors");
  refuses({"-e", "GATTACA", "--best"}, "--best needs --mismatches");
  refuses({"-e", "GATTACA", "--iupac"}, "--iupac needs --mismatches");
  refuses({"-e", "GNNT", "--mismatches", "1"},
          "-e 'GNNT': the pattern can never match: 2 letters match no base, and only 1 may differ");
  refuses({"-e", "GATTAC", "--mismatches", "1", "--exact-suffix", "7"},
          "fewer than the 7 that must match exactly");
  refuses({"-e", "GATTACA", "--mismatches", "1", "--count", "--best"}, "--best");
  folder_.put("list.txt", "one\tGATTACA\nGAT\n");
  refuses({folder_ / "list.txt", "--mismatches", "3"}, "list.txt:2:1: the pattern has 3 letters");
}

TEST_F(near_verb, threads_memory_and_batches_do_not_show) {
  make_large(30, true);
  const string index = make("large"), patterns = folder_ / "patterns.fa";
  for (const char* metric : {"--mismatches", "--errors"}) {
    const words call = {index, patterns, metric, "4", "--both-strands", "-q"};
    const auto with = [&](const words& more) {
      words given = call;
      given.insert(given.end(), more.begin(), more.end());
      return find(given);
    };
    const string expected = with({"-t", "1"});
    EXPECT_GT(sorted_lines(expected).size(), 600U);
    EXPECT_EQ(with({"-t", "3"}), expected);
    EXPECT_EQ(with({"-t", "2", "--memory", "128K"}), expected);
  }
}

// Checks circular records that are copies of one sequence, each from another letter on: in all of them, a
// pattern has as many hits.
TEST_F(near_verb, circular_records_may_begin_at_any_letter) {
  std::mt19937 random(6);
  string record(300, 'A'), fasta, patterns;
  for (char& c : record) c = "ACGTACGTN"[random() % 9];
  record += record.substr(0, 40) + record.substr(5, 40);
  for (std::size_t from = 0; from < 40; ++from)
    fasta += fmt::format(">r{}\n{}\n", from, record.substr(9 * from) + record.substr(0, 9 * from));
  for (int p = 0; p < 50; ++p) {
    string pattern = (record + record).substr(random() % record.size(), 12 + random() % 20);
    for (int i = 0; i < 2; ++i) pattern[random() % pattern.size()] = "ACGT"[random() % 4];
    patterns += pattern + '\n';
  }
  folder_.put("turns.fa", fasta);
  folder_.put("patterns.txt", patterns);
  const string index = make("turns");
  for (const words& metric :
       {words{"--mismatches", "3"}, {"--errors", "3"}, {"--errors", "2", "--all-ends"}}) {
    words call = {index, folder_ / "patterns.txt", "--circular", "--both-strands", "--iupac"};
    call.insert(call.end(), metric.begin(), metric.end());
    const string expected = find(call);
    std::istringstream rows(expected);
    std::map<string, std::vector<int>> counts; // of the hits of a pattern with a distance, by records
    string line;
    for (std::getline(rows, line); std::getline(rows, line);) {
      std::istringstream columns(line);
      string pattern, name, begin, end, strand, distance;
      columns >> pattern >> name >> begin >> end >> strand >> distance;
      std::vector<int>& of_records = counts[pattern + strand + distance];
      of_records.resize(40);
      ++of_records[std::stoul(name.substr(1))];
      EXPECT_LE(std::stoul(begin), record.size());
    }
    EXPECT_GT(counts.size(), 25U);
    for (const auto& [key, of_records] : counts)
      EXPECT_EQ(of_records, std::vector<int>(40, of_records[0])) << key << ' ' << metric[0];
    for (const words& more : {words{"-t", "1"}, {"-t", "3"}, {"-t", "2", "--memory", "1M"}}) {
      words again = call;
      again.insert(again.end(), more.begin(), more.end());
      EXPECT_EQ(find(again), expected);
    }
  }
}

TEST_F(near_verb, finds_what_bowtie_finds) {
  if (!installed("bowtie")) GTEST_SKIP() << "bowtie is not installed";
  make_large(24, false);
  const string index = make("large"), patterns = folder_ / "patterns.fa";
  for (const string k : {"0", "1", "2", "3"}) {
    const outcome theirs =
        shell("cd " + (folder_ / "") + " && bowtie-build -q large.fa b >/dev/null && bowtie -v " + k +
              " -a -f --quiet -x b patterns.fa | cut -f 1-4");
    ASSERT_EQ(theirs.code, 0) << theirs.err;
    words ours;
    std::istringstream rows(find({index, patterns, "--mismatches", k, "--both-strands"}));
    string name, record, begin, end, strand, distance;
    for (std::getline(rows, name); rows >> name >> record >> begin >> end >> strand >> distance;)
      ours.push_back(fmt::format("{}\t{}\t{}\t{}", name, strand, record, std::stoul(begin) - 1));
    std::sort(ours.begin(), ours.end());
    EXPECT_GT(ours.size(), 100U);
    EXPECT_EQ(ours, sorted_lines(theirs.out)) << k;
  }
}

TEST_F(near_verb, samtools_accepts_the_rows) {
  if (!installed("samtools")) GTEST_SKIP() << "samtools is not installed";
  make_large(40, true);
  const string sam = folder_ / "out.sam";
  const string index = make("large");
  for (const char* metric : {"--mismatches", "--errors"}) {
    for (const char* letters : {"--iupac", "--quiet"}) { // N of a pattern matches all bases, or nothing
      (void)find({index, folder_ / "patterns.fa", metric, "3", "--both-strands", letters, "--format", "sam",
                  "-o", sam});
      const outcome checked =
          shell("samtools quickcheck -v " + sam + " && samtools view -b " + sam +
                " | samtools view | cut -f 1-6,10,12-13 >" + (folder_ / "rows") + " && samtools calmd -e " +
                sam + " " + (folder_ / "large.fa") + " 2>&1 | grep -c different");
      EXPECT_EQ(checked.out, "0\n") << checked.err; // rows whose NM or MD differ
    }
  }
}

} // namespace

} // namespace weft::test
