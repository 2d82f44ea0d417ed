// Tests what weft info reports of an index, a transform, sequences, an array and motifs.
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>
#include <test_paths.hpp>

#include "process.hpp"

namespace weft::test {

namespace {

using std::string;
using words = std::vector<string>;

// Returns the values of the table for one file, by property.
std::map<string, string> info(const words& given) {
  words call{"info"};
  call.insert(call.end(), given.begin(), given.end());
  const outcome result = weft_run(call);
  EXPECT_EQ(result.code, 0) << result.err;
  std::istringstream lines(result.out);
  std::map<string, string> values;
  string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "file\tproperty\tvalue");
  while (std::getline(lines, line)) {
    const std::size_t first = line.find('\t'), second = line.find('\t', first + 1);
    values[line.substr(first + 1, second - first - 1)] = line.substr(second + 1);
  }
  return values;
}

TEST(info_verb, fasta) {
  const scratch_folder folder;
  folder.put("x.fa", "; a comment\n>one first\nACGTacgtNN\n--AC\r\n\n>two\n>three x\nGG GG\tGG\nGGGGGGGGG");
  std::map<string, string> values = info({folder / "x.fa"});
  EXPECT_EQ(values["kind"], "fasta");
  EXPECT_EQ(values["compression"], "none");
  EXPECT_EQ(values["records"], "3");
  EXPECT_EQ(values["residues"], "29");
  EXPECT_EQ(values["shortest"], "0");
  EXPECT_EQ(values["longest"], "15");
  EXPECT_EQ(values["longest_record"], "three");
  EXPECT_EQ(values["alphabet"], "dna");
  EXPECT_EQ(values["unknown"], "2");
  EXPECT_EQ(values["gaps"], "2");
  EXPECT_EQ(values["lower_case"], "4");
  EXPECT_EQ(values["letters.A"], "3");
  EXPECT_EQ(values["letters.G"], "17");
  EXPECT_EQ(values["letters.-"], "2");
  EXPECT_EQ(values["gc"], "0.800000"); // 17 G and 3 C of 25
  EXPECT_EQ(info({data("proteins.fa")})["alphabet"], "protein");
}

// Compares the counts with those of other programs, for a file whose records span several lines.
TEST(info_verb, fasta_as_grep_and_wc_have_it) {
  const string file = string(WEFT_EXAMPLE_DATA) + "/proteins.fa";
  std::map<string, string> values = info({file});
  EXPECT_EQ(values["records"] + "\n", shell("grep -c '^>' '" + file + "'").out);
  EXPECT_EQ(values["residues"] + "\n", shell("grep -v '^>' '" + file + "' | tr -d '\\n' | wc -c").out);
  EXPECT_EQ(values["letters.W"] + "\n", shell("grep -v '^>' '" + file + "' | tr -cd 'Ww' | wc -c").out);
}

TEST(info_verb, fastq_and_compressed_files) {
  const scratch_folder folder;
  folder.put("r.fq", "@r1\nACGTN\n+\nIIIII\n@r2\nAC\n+\nII\n");
  ASSERT_EQ(shell("gzip -k '" + (folder / "r.fq") + "'").code, 0);
  for (const char* name : {"r.fq", "r.fq.gz"}) {
    std::map<string, string> values = info({folder / name});
    EXPECT_EQ(values["kind"], "fastq");
    EXPECT_EQ(values["compression"], string(name) == "r.fq" ? "none" : "gzip");
    EXPECT_EQ(values["records"], "2");
    EXPECT_EQ(values["residues"], "7");
    EXPECT_EQ(values["longest_record"], "r1");
  }
}

// Reads a record of 128 MiB with less private memory than that. The limit is on data alone, because the
// program file itself takes more addresses if it holds code for many GPUs.
TEST(info_verb, a_record_larger_than_memory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need more addresses than there are then";
#endif
  const outcome result = shell("(echo '>long'; head -c 134217728 /dev/zero | tr '\\0' A) | "
                               "(ulimit -d 100000; weft info -)");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(has(result.out, "-\tlongest\t134217728\n")) << result.out;
}

TEST(info_verb, index_transform_and_arrays) {
  const scratch_folder folder;
  folder.put("r.fa", ">one\nACGTACGT\n>two\nGGG\n");
  folder.put("text", "mississippi");
  ASSERT_EQ(
      shell("cd '" + (folder / "") +
            "' && weft index r.fa -o i.wfi --sa-sample-rate 2 && weft bwt text -o t.wbwt --form rotation && "
            "weft sa text -o a.npy")
          .code,
      0);
  std::map<string, string> index = info({folder / "i.wfi", "--names"});
  EXPECT_EQ(index["kind"], "index");
  EXPECT_EQ(index["version"], "1");
  EXPECT_EQ(index["alphabet"], "dna");
  EXPECT_EQ(index["records"], "2");
  EXPECT_EQ(index["residues"], "11");
  EXPECT_EQ(index["sa_sample_rate"], "2");
  EXPECT_EQ(index["checksum"], "verified");
  EXPECT_EQ(index["lengths.one"], "8");
  EXPECT_EQ(index["lengths.two"], "3");
  std::map<string, string> transform = info({folder / "t.wbwt"});
  EXPECT_EQ(transform["kind"], "transform");
  EXPECT_EQ(transform["form"], "rotation");
  EXPECT_EQ(transform["length"], "11");
  EXPECT_EQ(transform["primary_index"] + "\n",
            shell("weft bwt --form rotation --raw -o /dev/null '" + (folder / "text") + "'").out);
  std::map<string, string> array = info({folder / "a.npy"});
  EXPECT_EQ(array["kind"], "array");
  EXPECT_EQ(array["type"], "u32");
  EXPECT_EQ(array["items"], "11");
}

TEST(info_verb, motifs) {
  const scratch_folder folder;
  folder.put("list", "# comment\nsequon\tN-{P}-[ST]\nA-x(2)-C\n[[[\n");
  std::map<string, string> list = info({folder / "list"});
  EXPECT_EQ(list["kind"], "motifs");
  EXPECT_EQ(list["patterns"], "3");
  EXPECT_EQ(list["bad_patterns"], "1");
  folder.put("flat", "ID   A; PATTERN.\nAC   PS00001;\nDE   d.\nPA   N-{P}-[ST].\nCC   /SKIP-FLAG=TRUE;\n//\n"
                     "ID   B; MATRIX.\nAC   PS50001;\n//\n");
  std::map<string, string> flat = info({folder / "flat"});
  EXPECT_EQ(flat["kind"], "prosite");
  EXPECT_EQ(flat["patterns"], "1");
  EXPECT_EQ(flat["frequent"], "1");
  EXPECT_EQ(flat["profiles"], "1");
}

TEST(info_verb, json_is_the_same) {
  const scratch_folder folder;
  folder.put("x.fa", ">a\"b\nACGT\n");
  const outcome lines = weft_run({"info", folder / "x.fa", "--format", "jsonl"});
  EXPECT_EQ(lines.out, weft_run({"info", folder / "x.fa", "--json"}).out);
  EXPECT_EQ(lines.out,
            R"({"file":")" + (folder / "x.fa") +
                R"(","kind":"fasta","compression":"none","file_size":10,"records":1,"residues":4,)"
                R"("shortest":4,"longest":4,"longest_record":"a\"b","alphabet":"dna","gc":0.500000,)"
                R"("unknown":0,"gaps":0,"lower_case":0,"letters":{"A":1,"C":1,"G":1,"T":1}})"
                "\n");
}

TEST(info_verb, damaged_and_unknown_files_are_faults_and_the_others_are_described) {
  const scratch_folder folder;
  folder.put("r.fa", ">one\nACGTACGT\n");
  folder.put("text", string(1000, 'x') + "yz");
  ASSERT_EQ(shell("cd '" + (folder / "") +
                  "' && weft index r.fa -o i.wfi && weft bwt text -o t.wbwt && weft sa text -o a.npy")
                .code,
            0);
  const auto damage = [&](const string& name, std::size_t at) {
    string bytes = file_bytes(folder / name);
    bytes[bytes.size() - at] ^= 1;
    folder.put("damaged", bytes);
    return weft_run({"info", folder / "damaged", folder / "r.fa"});
  };
  const auto cut = [&](const string& name) {
    folder.put("damaged", file_bytes(folder / name).substr(0, file_bytes(folder / name).size() - 3));
    return weft_run({"info", folder / "damaged", folder / "r.fa"});
  };
  folder.put("bad.fa", ">one\nAC\nA\x01G\n");
  folder.put("unknown", "PK\x03\x04 is a zip file\n");
  folder.put("empty", "");
  for (const outcome& result : {damage("i.wfi", 70), damage("t.wbwt", 1), cut("i.wfi"), cut("t.wbwt"),
                                cut("a.npy"), weft_run({"info", folder / "bad.fa", folder / "r.fa"}),
                                weft_run({"info", folder / "unknown", folder / "r.fa"}),
                                weft_run({"info", folder / "empty", folder / "r.fa"})}) {
    EXPECT_EQ(result.code, 2) << result.err;
    EXPECT_NE(result.err, "");
    EXPECT_TRUE(has(result.out, "residues\t8\n")) << result.out;
  }
  EXPECT_TRUE(has(weft_run({"info", folder / "bad.fa"}).err, "bad.fa:3:2: record 1 ('one')"));
  EXPECT_EQ(weft_run({"info", folder / "none"}).code, 3);
  expect_failure({"info"}, 2, "needs an argument: FILE");
  EXPECT_EQ(weft_run({"info", folder / "r.fa", "--names"}).code, 2);
  EXPECT_EQ(weft_run({"info", folder / "r.fa", "--json", "--format", "tsv"}).code, 2);
}

// Checks that good files are described even if another one is damaged, and that no file is written if none is
// good.
TEST(info_verb, an_output_file_needs_something_to_tell) {
  const scratch_folder folder;
  folder.put("good.fa", ">a\nACGT\n");
  folder.put("bad", "[[[\n");
  EXPECT_EQ(weft_run({"info", folder / "bad", "-o", folder / "none.tsv"}).code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder / "none.tsv"));
  EXPECT_EQ(weft_run({"info", folder / "bad", folder / "good.fa", "-o", folder / "some.tsv"}).code, 2);
  EXPECT_TRUE(has(file_bytes(folder / "some.tsv"), "good.fa\tresidues\t4\n"));
}

} // namespace

} // namespace weft::test
