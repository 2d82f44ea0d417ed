// Tests weft index and weft find, end to end.
#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <sstream>

#include "process.hpp"

namespace weft::test {

namespace {

using std::string;
using words = std::vector<string>;

// A fixture with a folder of references and their indexes.
class find_verb : public testing::Test {
protected:
  void SetUp() override {
    folder_.put("one.fa", ">r1 first\nACGTNACG\nTTAGGAT\n>r2\ngattaca\n");
    folder_.put("two.fa", ">r3\nGAATTC\n>r4\nNNNN\n>r5\n");
  }
  string make(const string& name, words given, const string& remark = "") const {
    given.insert(given.begin(), "index");
    given.insert(given.end(), {"-o", folder_ / name});
    const outcome result = weft_run(given);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.out + result.err, remark);
    return folder_ / name;
  }
  string dna() const { return make("dna.wfi", {folder_ / "one.fa", folder_ / "two.fa"}); }
  static string find(words given, const string& warning = "") {
    given.insert(given.begin(), "find");
    const outcome result = weft_run(given);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.err, warning);
    return result.out;
  }
  static void refuses(words given, int code, const string& part) {
    const outcome result = weft_run(given);
    EXPECT_EQ(result.code, code) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find(part), string::npos) << result.err;
  }
  scratch_folder folder_;
};

string impossible(int patterns, int all, const string& first) {
  return "weft: patterns that can never match: " + std::to_string(patterns) + " of " + std::to_string(all) +
         " (--strict makes this an error); the first: " + first +
         ", and an index of DNA has only A, C, G, T and U\n";
}

const string header = "pattern\treference\tbegin\tend\tstrand\n";

TEST_F(find_verb, lists_patterns_as_given_then_references_then_positions) {
  EXPECT_EQ(find({dna(), "-e", "TTA", "-e", "acg", "-e", "GATTACA", "-e", "TTA"}),
            header + "TTA\tr1\t9\t11\t+\nTTA\tr2\t3\t5\t+\nacg\tr1\t1\t3\t+\nacg\tr1\t6\t8\t+\n"
                     "GATTACA\tr2\t1\t7\t+\nTTA\tr1\t9\t11\t+\nTTA\tr2\t3\t5\t+\n");
}

TEST_F(find_verb, nothing_spans_other_letters_or_records) {
  // If the N were left out, TACGT would span it; ATGAT and CAGAA would span two records.
  folder_.put("spanning", "TACGT\nATGAT\nCAGAA\nN\nANA\n");
  const string list = folder_ / "spanning";
  EXPECT_EQ(find({dna(), list}, impossible(2, 5, list + ":4:1: letter 1 is 'N'")), header);
  const string bytes = make("bytes.wfi", {folder_ / "one.fa", folder_ / "two.fa", "--alphabet", "bytes"});
  EXPECT_EQ(find({bytes, "-e", "TNA", "-e", "gat", "-e", "GAT", "-e", "NNN", "-e", "ATgat"}),
            header + "TNA\tr1\t4\t6\t+\ngat\tr2\t1\t3\t+\nGAT\tr1\t13\t15\t+\nNNN\tr4\t1\t3\t+\n"
                     "NNN\tr4\t2\t4\t+\n");
}

TEST_F(find_verb, counts) {
  EXPECT_EQ(find({dna(), "--count", "-e", "TTA", "-e", "ACGTACGT", "-e", "A"}),
            "pattern\tcount\nTTA\t2\nACGTACGT\t0\nA\t9\n");
}

TEST_F(find_verb, writes_bed) {
  EXPECT_EQ(find({dna(), "--bed", "-e", "TTA", "-e", "CCC"}), "r1\t8\t11\tTTA\t0\t+\nr2\t2\t5\tTTA\t0\t+\n");
}

TEST_F(find_verb, finds_both_strands) {
  // GAATTC and ACGT are their own reverse complements, so they occur on both strands.
  EXPECT_EQ(find({dna(), "--both-strands", "-e", "GAATTC", "-e", "ACGT", "-e", "TAA"}),
            header + "GAATTC\tr3\t1\t6\t+\nGAATTC\tr3\t1\t6\t-\nACGT\tr1\t1\t4\t+\nACGT\tr1\t1\t4\t-\n"
                     "ACGT\tr1\t6\t9\t+\nACGT\tr1\t6\t9\t-\nTAA\tr1\t9\t11\t-\nTAA\tr2\t3\t5\t-\n");
  EXPECT_EQ(find({dna(), "--both-strands", "--count", "-e", "GAATTC", "-e", "TAA"}),
            "pattern\tcount\nGAATTC\t2\nTAA\t2\n");
}

TEST_F(find_verb, marks_patterns_that_are_cut) {
  const string warning = "weft: patterns with more than 2 occurrences, of which only the first ones are "
                         "listed: 1\n";
  const string out = find({dna(), "--max-hits", "2", "-e", "GAT", "-e", "TT"}, warning);
  EXPECT_EQ(out.rfind(header + "GAT\tr1\t13\t15\t+\nGAT\tr2\t1\t3\t+\nTT\tr", 0), 0U) << out;
  // the numbers of occurrences that are shown and found
  EXPECT_EQ(out.substr(out.size() - 11), "TT\t*\t2\t3\t*\n");
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 6);
  EXPECT_EQ(find({dna(), "--max-hits", "2", "--quiet", "-e", "TT"}), header + out.substr(header.size() + 28));
  EXPECT_EQ(find({dna(), "--max-hits", "3", "-e", "TT"}),
            header + "TT\tr1\t9\t10\t+\nTT\tr2\t3\t4\t+\nTT\tr3\t4\t5\t+\n");
}

TEST_F(find_verb, patterns_come_from_lists_fasta_and_fastq) {
  const string index = dna();
  folder_.put("list", "TTA\r\n\nGAATTC\nCCC");
  folder_.put("p.fa", ">a text\nTT\nA\n>b\nGAATTC\n>c\nCCC\n");
  folder_.put("p.fq", "@a\nTTA\n+\nIII\n@b\nGAATTC\n+\nIIIIII\n@c\nCCC\n+\nIII\n");
  const string named = "pattern\tcount\na\t2\nb\t1\nc\t0\n",
               plain = "pattern\tcount\nTTA\t2\nGAATTC\t1\nCCC\t0\n";
  EXPECT_EQ(find({index, folder_ / "list", "--count"}), plain);
  EXPECT_EQ(find({index, folder_ / "p.fa", "--count"}), named);
  EXPECT_EQ(find({index, folder_ / "p.fq", "--count"}), named);
  for (const auto& [file, expected] : {std::pair{"list", plain}, {"p.fa", named}, {"p.fq", named}}) {
    const string from = folder_ / file;
    EXPECT_EQ(shell("weft find " + index + " - --count < " + from).out, expected);
    EXPECT_EQ(shell("cat " + from + " | weft find " + index + " - --count").out, expected);
    EXPECT_EQ(shell("gzip -c " + from + " | weft find " + index + " /dev/stdin --count").out, expected);
  }
  EXPECT_EQ(find({index, "/dev/null"}, "weft: there are no patterns to search for\n"), header);
}

TEST_F(find_verb, references_come_compressed_and_from_standard_input) {
  const string plain = file_bytes(make("plain.wfi", {folder_ / "one.fa"}));
  EXPECT_EQ(shell("gzip -c " + (folder_ / "one.fa") + " | weft index - -o " + (folder_ / "gz.wfi")).code, 0);
  EXPECT_EQ(file_bytes(folder_ / "gz.wfi"), plain);
  EXPECT_EQ(file_bytes(make("threads.wfi", {folder_ / "one.fa", "--threads", "1"})), plain);
}

TEST_F(find_verb, alphabets_are_told_apart) {
  folder_.put("protein.fa", ">p\nMKVLAAGIVGLMKV\n");
  const string protein = make("protein.wfi", {folder_ / "protein.fa"});
  EXPECT_EQ(find({protein, "-e", "mkv", "-e", "X"}), header + "mkv\tp\t1\t3\t+\nmkv\tp\t12\t14\t+\n");
  refuses({"find", protein, "-e", "MKV", "--both-strands"}, 2, "--both-strands");
  refuses({"find", protein, "-e", "MKV", "--circular"}, 2,
          "--circular can be used only with an index of "
          "DNA");
  refuses({"find", protein, "-e", "MKV", "--format", "sam"}, 2,
          "--format sam can be used only with an index of DNA");
  folder_.put("nothing.fa", "");
  EXPECT_EQ(find({make("nothing.wfi", {folder_ / "nothing.fa"}, "weft: the references have no letters\n"),
                  "-e", "A"}),
            header);
  // DNA with IUPAC codes, X and gaps is not taken for a protein.
  folder_.put("codes.fa", ">r\nACGTACGTRYSWACGNNNXXX--ac\n>r\nNNN\n");
  const string codes =
      make("codes.wfi", {folder_ / "codes.fa"},
           "weft: several records have the name 'r'\nweft: 15 of 28 letters are not A, C, G, T or U, "
           "and match nothing in this index of DNA\n");
  folder_.put("list", "NN\nCGR\nRY\nGTA\n");
  EXPECT_EQ(find({codes, folder_ / "list"}, impossible(3, 4, (folder_ / "list") + ":1:1: letter 1 is 'N'")),
            header + "GTA\tr\t3\t5\t+\n");
}

TEST_F(find_verb, rna_is_dna_with_u_for_t) {
  folder_.put("rna.fa", ">a\nACGUACGUNuu\n");
  folder_.put("dna.fa", ">a\nACGTACGTNtt\n");
  const string rna = make("rna.wfi", {folder_ / "rna.fa"});
  EXPECT_EQ(file_bytes(rna), file_bytes(make("same.wfi", {folder_ / "dna.fa"})));
  EXPECT_EQ(file_bytes(rna), file_bytes(make("told.wfi", {folder_ / "rna.fa", "--alphabet", "dna"})));
  EXPECT_EQ(find({rna, "-e", "GUAC", "-e", "UT", "-e", "acgt"}),
            header + "GUAC\ta\t3\t6\t+\nUT\ta\t10\t11\t+\nacgt\ta\t1\t4\t+\nacgt\ta\t5\t8\t+\n");
  EXPECT_EQ(find({rna, "-e", "AA", "--both-strands", "--bed"}), "a\t9\t11\tAA\t0\t-\n");
  const string protein = make("protein.wfi", {folder_ / "rna.fa", "--alphabet", "protein"});
  EXPECT_EQ(find({protein, "-e", "GTAC", "-e", "GUA"}), header + "GUA\ta\t3\t5\t+\n");
}

TEST_F(find_verb, no_patterns_are_a_warning) {
  folder_.put("none", "\n\n");
  EXPECT_EQ(find({dna(), folder_ / "none"}, "weft: there are no patterns to search for\n"), header);
  EXPECT_EQ(find({dna(), folder_ / "none", "-q"}), header);
}

TEST_F(find_verb, lists_are_told_from_records) {
  const string index = dna(), bytes = make("bytes.wfi", {folder_ / "one.fa", "--alphabet", "bytes"});
  const string named = "pattern\tcount\np\t2\n";
  for (const string start : {"\n\r\n", "; a comment\n", ";one\n\n;two\n"}) {
    folder_.put("p.fa", start + ">p\nTT\nA\n");
    EXPECT_EQ(find({index, folder_ / "p.fa", "--count"}), named);
  }
  folder_.put("list", "\n TTA \n>p\n");
  refuses({"find", index, folder_ / "list", "--count"}, 2,
          "list:3:1: a list of patterns (one per line) must not contain a FASTA header");
  folder_.put("list", "\n TTA\t \n\t\n");
  refuses({"find", index, folder_ / "list", "--count"}, 2, "list:2:4: 'TTA' has no pattern after the tab");
  folder_.put("list", "\n TTA \n\t\n");
  EXPECT_EQ(find({index, folder_ / "list", "--count"}), "pattern\tcount\nTTA\t2\n");
  folder_.put("list", " TTA\nTTA\nT\tA\nT\\A\n");
  EXPECT_EQ(find({bytes, folder_ / "list", "--count"}),
            "pattern\tcount\n TTA\t0\nTTA\t1\nT\t4\nT\\\\A\t0\n"); // T is the name of the pattern A
}

// Searches for a letter that occurs as often as the record is long: the occurrences are located in pieces, by
// all threads, within a memory limit.
TEST_F(find_verb, lists_what_is_everywhere) {
  constexpr int n = 150'000;
  folder_.put("as.fa", ">a\n" + string(n, 'A') + "\n");
  const string index = make("as.wfi", {folder_ / "as.fa"});
  string expected = header;
  for (int i = 1; i <= n; ++i) expected += "A\ta\t" + std::to_string(i) + "\t" + std::to_string(i) + "\t+\n";
  EXPECT_TRUE(find({index, "-e", "A"}) == expected);
  EXPECT_TRUE(find({index, "-e", "T", "--both-strands", "--threads", "1"}).size() == expected.size());
  refuses({"find", index, "-e", "C", "-e", "A", "--memory", "1M", "-o", folder_ / "out"}, 4,
          "the 150000 occurrences of 'A' do not fit in 1.0 MiB");
  EXPECT_EQ(find({index, "-e", "A", "--memory", "1M", "--count"}), "pattern\tcount\nA\t150000\n");
}

TEST_F(find_verb, outputs_do_not_take_the_place_of_inputs) {
  const string index = dna(), before = file_bytes(index);
  refuses({"index", folder_ / "one.fa", folder_ / "two.fa", "-o", folder_ / "./two.fa"}, 2, "two.fa");
  refuses({"find", index, "-e", "A", "-o", index}, 2, "dna.wfi");
  EXPECT_EQ(file_bytes(index), before);
}

// Compares every occurrence of substrings of a repetitive reference with a search by hand, for every sampling
// rate.
TEST_F(find_verb, lists_what_is_there) {
  std::mt19937_64 random(3);
  std::vector<string> records;
  string fasta;
  for (int r = 0; r < 5; ++r) {
    string record;
    while (record.size() < 3000)
      record += record.size() > 100 && random() % 3 == 0
                    ? record.substr(random() % 50, 40)
                    : string(1, "ACGTN"[random() % (r % 2 == 0 ? 4 : 5)]);
    fasta += ">s" + std::to_string(r) + "\n" + record + "\n";
    records.push_back(record);
  }
  folder_.put("many.fa", fasta);
  string list, expected = header;
  int others = 0;
  for (int p = 0; p < 200; ++p) {
    const string& from = records[random() % records.size()];
    const string pattern = from.substr(random() % 2900, 1 + random() % (p % 2 == 0 ? 8 : 90));
    list += pattern + "\n";
    if (pattern.find('N') != string::npos) {
      ++others;
      continue;
    }
    for (std::size_t r = 0; r < records.size(); ++r)
      for (std::size_t at = records[r].find(pattern); at != string::npos;
           at = records[r].find(pattern, at + 1))
        expected += pattern + "\ts" + std::to_string(r) + "\t" + std::to_string(at + 1) + "\t" +
                    std::to_string(at + pattern.size()) + "\t+\n";
  }
  folder_.put("list", list);
  for (const char* rate : {"1", "8", "1024"}) {
    const string index = make("many.wfi", {folder_ / "many.fa", "--sa-sample-rate", rate});
    const outcome all = weft_run({"find", index, folder_ / "list"});
    EXPECT_TRUE(all.out == expected) << rate;
    EXPECT_EQ(all.err.find("weft: patterns that can never match: " + std::to_string(others) + " of 200 "), 0U)
        << all.err;
    EXPECT_TRUE(weft_run({"find", index, folder_ / "list", "--threads", "1"}).out == expected) << rate;
  }
}

TEST_F(find_verb, refuses_files_that_are_no_index) {
  const string index = dna(), bytes = file_bytes(index);
  string damaged = bytes, newer = bytes;
  damaged[damaged.size() / 2] ^= 1;
  newer[8] = 99;
  folder_.put("damaged", damaged);
  folder_.put("newer", newer);
  folder_.put("truncated", bytes.substr(0, bytes.size() - 64));
  folder_.put("header", bytes.substr(0, 100));
  folder_.put("longer", bytes + "x");
  folder_.put("empty", "");
  for (const auto& [name, part] : {std::pair{"damaged", "damaged"},
                                   {"newer", "version 99"},
                                   {"truncated", "truncated"},
                                   {"header", "truncated"},
                                   {"longer", "extra data after the end"},
                                   {"empty", "not an index"},
                                   {"one.fa", "not an index"}}) {
    refuses({"find", folder_ / name, "-e", "A"}, 2, part);
    refuses({"find", folder_ / name, "-e", "A"}, 2, folder_ / name);
  }
  refuses({"find", folder_ / "missing", "-e", "A"}, 3, "missing");
  refuses({"find", "-", "-e", "A"}, 2, "an index cannot be read from standard input");
}

TEST_F(find_verb, refuses_wrong_use) {
  const string index = dna();
  refuses({"find", index}, 2, "patterns");
  refuses({"find", index, folder_ / "one.fa", "-e", "A"}, 2, "patterns");
  refuses({"find", index, "-e", "A", "--count", "--bed"}, 2, "--count needs --format tsv or jsonl");
  refuses({"find", index, "-e", "A", "--bed", "--format", "sam"}, 2,
          "cannot be combined with another --format");
  refuses({"find", index, "-e", "A", "--count", "--max-hits", "1"}, 2, "--max-hits");
  refuses({"find", index, "-e", "A", "--max-hits", "x"}, 2, "--max-hits");
  refuses({"find", index, folder_ / "missing"}, 3, "missing");
  refuses({"index", folder_ / "missing", "-o", folder_ / "out"}, 3, "missing");
  refuses({"index", folder_ / "one.fa", "--sa-sample-rate", "-1", "-o", folder_ / "out"}, 2,
          "--sa-sample-rate");
  refuses({"index", folder_ / "one.fa", "--sa-sample-rate", "1025", "-o", folder_ / "out"}, 2,
          "--sa-sample-rate");
  refuses({"index", folder_ / "one.fa", "--alphabet", "rna", "-o", folder_ / "out"}, 2, "--alphabet");
  const words names = folder_.names();
  EXPECT_EQ(std::count(names.begin(), names.end(), "out"), 0);
  EXPECT_EQ(weft_run({"find", index, "-e", "CCC", "--fail-if-none"}).code, 1);
  EXPECT_EQ(weft_run({"find", index, "-e", "TTA", "--fail-if-none"}).code, 0);
}

// Checks that a limit of a few bytes is refused with a message, or is enough.
TEST_F(find_verb, index_with_next_to_no_memory) {
  for (const char* limit : {"1", "2", "5", "64"}) {
    const outcome result =
        weft_run({"index", folder_ / "one.fa", "-o", folder_ / "x.wfi", "--memory", limit});
    EXPECT_TRUE(result.code == 0 || result.code == 4) << limit << ": " << result.code << result.err;
  }
}

} // namespace
} // namespace weft::test
