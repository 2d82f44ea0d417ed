// Tests weft variants, end to end, and with bcftools where that is installed.
#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <sstream>
#include <test_paths.hpp>

#include "process.hpp"

namespace weft::test {

namespace {

using std::string;
using words = std::vector<string>;

const string header =
    "reference\tbegin\tend\ttype\tref\talt\tquery\tquery_begin\tquery_end\tstrand\tblock\tkind\n";

string random_letters(std::mt19937_64& random, std::size_t size) {
  string text(size, ' ');
  for (char& c : text) c = "ACGT"[random() % 4];
  return text;
}

string reverse_complement(string text) {
  std::reverse(text.begin(), text.end());
  for (char& c : text) c = "TGCA"[string("ACGT").find(c)];
  return text;
}

// Returns the letter that replaces `c` in a genome.
char other(char c) { return c == 'A' ? 'C' : c == 'C' ? 'G' : c == 'G' ? 'T' : 'A'; }

string fasta(const string& name, const string& letters) {
  string text = ">" + name + "\n";
  for (std::size_t i = 0; i < letters.size(); i += 70) text += letters.substr(i, 70) + "\n";
  return text;
}

// Returns the letters of the first record of FASTA.
string letters_of(const string& text) {
  std::istringstream stream(text);
  string letters, line;
  for (std::getline(stream, line); std::getline(stream, line) && line[0] != '>';) letters += line;
  return letters;
}

// Returns the lines of a VCF without its header.
string rows_of(const string& vcf) {
  std::istringstream stream(vcf);
  string rows;
  for (string line; std::getline(stream, line);)
    if (!line.starts_with("#")) rows += line + "\n";
  return rows;
}

// A fixture with a genome of a chromosome and a plasmid, and one with four variants of them.
class variants_verb : public testing::Test {
protected:
  void SetUp() override {
    std::mt19937_64 random(5);
    chromosome_ = random_letters(random, 3000);
    plasmid_ = random_letters(random, 800);
    chromosome_.replace(998, 6, "CGTTTG"); // a run of T in which a T is inserted
    string made = chromosome_;
    made[499] = other(made[499]);
    made.insert(1003, "T");
    made.erase(2001, 12);
    deleted_ = chromosome_.substr(2000, 12);
    made_plasmid_ = plasmid_;
    made_plasmid_[99] = other(plasmid_[99]);
    made_ = made;
    put("a.fa", fasta("chr", chromosome_) + fasta("plasmid", plasmid_));
    put("b.fa", fasta("contig1", made_) + fasta("contig2", reverse_complement(made_plasmid_)));
  }
  void put(const string& name, const string& text) const { folder_.put(name, text); }
  [[nodiscard]] string a() const { return folder_ / "a.fa"; }
  [[nodiscard]] string b() const { return folder_ / "b.fa"; }
  static outcome variants(words given) {
    given.insert(given.begin(), "variants");
    outcome result = weft_run(given);
    EXPECT_EQ(result.code, 0) << result.err;
    return result;
  }
  // Returns the rows of the table of the four variants.
  [[nodiscard]] string table() const {
    const auto letter = [](char c) { return string(1, c); };
    std::size_t begin = 2000; // deletions begin at the leftmost equivalent position
    for (; chromosome_[begin - 1] == chromosome_[begin + 11]; --begin) {
    }
    const string deleted = chromosome_.substr(begin, 12);
    return header + "chr\t500\t500\tsnp\t" + letter(chromosome_[499]) + "\t" + letter(made_[499]) +
           "\tcontig1\t500\t500\t+\t1\tcollinear\n" +
           "chr\t1001\t1000\tins\t-\tT\tcontig1\t1001\t1001\t+\t1\tcollinear\n" + "chr\t" +
           std::to_string(begin + 1) + "\t" + std::to_string(begin + 12) + "\tdel\t" + deleted +
           "\t-\tcontig1\t" + std::to_string(begin + 2) + "\t" + std::to_string(begin + 1) +
           "\t+\t1\tcollinear\n" + "plasmid\t100\t100\tsnp\t" + letter(plasmid_[99]) + "\t" +
           letter(made_plasmid_[99]) + "\tcontig2\t701\t701\t-\t2\tcollinear\n";
  }
  scratch_folder folder_;
  string chromosome_, plasmid_, made_, made_plasmid_, deleted_;
};

TEST_F(variants_verb, lists_variants_of_all_records_with_a_summary) {
  const outcome result = variants({a(), b(), "--format", "tsv"});
  EXPECT_EQ(result.out, table());
  EXPECT_EQ(result.err,
            "weft: identity 99.9472 %: 3786 matches of 3788 letters that are aligned with a letter\n"
            "weft: variants: SNPs 2, insertions 1, deletions 1, replacements 0\n"
            "weft: blocks: collinear 2, inverted 0, moved 0, duplicated 0\n"
            "weft: letters in no block: 0 of A (missing in B), 0 of B (added)\n"
            "weft: 'contig2' of B was compared on its reverse strand\n");
  const outcome quiet = variants({a(), b(), "--format", "tsv", "--quiet", "-t", "1"});
  EXPECT_EQ(quiet.out, table());
  EXPECT_EQ(quiet.err, "");
  EXPECT_EQ(variants({a(), a(), "--format", "tsv"}).out, header);
}

TEST_F(variants_verb, writes_vcf_by_default) {
  const string text = variants({a(), b()}).out;
  EXPECT_EQ(text, variants({a(), b(), "--format", "vcf"}).out);
  EXPECT_TRUE(text.starts_with("##fileformat=VCFv4.3\n##source=weft "));
  EXPECT_TRUE(has(text, "##reference=" + a() +
                            "\n##contig=<ID=chr,length=3000>\n##contig=<ID=plasmid,length=800>\n"));
  EXPECT_TRUE(has(text, "\tFORMAT\tb\n"));
  EXPECT_TRUE(has(text,
                  "\nchr\t1000\t.\tG\tGT\t.\t.\tTYPE=ins;BLOCK=1;KIND=collinear;BNAME=contig1;BPOS=1001;"
                  "BSTRAND=+\tGT\t1\n"));
  EXPECT_TRUE(has(variants({a(), b(), "--sample", "my strain"}).out, "\tFORMAT\tmy strain\n"));
  put("b.v2.fna", file_bytes(b()));
  EXPECT_TRUE(
      has(shell("gzip " + (folder_ / "b.v2.fna") + "; weft variants " + a() + " " + (folder_ / "b.v2.fna.gz"))
              .out,
          "\tFORMAT\tb.v2\n"));
}

TEST_F(variants_verb, writes_paf) {
  EXPECT_EQ(variants({a(), a(), "--format", "paf"}).out,
            "chr\t3000\t0\t3000\t+\tchr\t3000\t0\t3000\t3000\t3000\t255\ttp:A:P\tNM:i:0\tkd:Z:collinear\tcg:"
            "Z:3000=\n"
            "plasmid\t800\t0\t800\t+\tplasmid\t800\t0\t800\t800\t800\t255\ttp:A:P\tNM:i:0\tkd:Z:collinear\t"
            "cg:Z:800=\n");
}

TEST_F(variants_verb, reads_pipes_and_compressed_files_and_writes_files) {
  const string query = "contig1.fq", quality(made_.size(), 'I');
  EXPECT_EQ(shell("weft variants " + a() + " - --format tsv < " + b()).out, table());
  EXPECT_EQ(shell("gzip -c " + a() + " | weft variants - " + b() + " --format tsv").out, table());
  EXPECT_TRUE(has(shell("weft variants " + a() + " - < " + b()).out, "\tFORMAT\tstdin\n"));
  string lower = file_bytes(b());
  for (char& c : lower) c = c == 'T' ? 'u' : c;
  put("lower.fa", lower);
  EXPECT_EQ(variants({a(), folder_ / "lower.fa", "--format", "tsv"}).out, table()) << "u is the same as T";
  put("q.fq", "@contig1\n" + made_ + "\n+\n" + quality + "\n");
  EXPECT_TRUE(table().starts_with(variants({a(), folder_ / "q.fq", "--format", "tsv"}).out));
  EXPECT_EQ(variants({a(), b(), "--format", "tsv", "-o", folder_ / "out.tsv"}).out, "");
  EXPECT_EQ(file_bytes(folder_ / "out.tsv"), table());
}

TEST_F(variants_verb, says_what_is_rearranged) {
  // The letters [1000, 1600) are inverted, and the plasmid begins at its letter 300.
  string inverted = chromosome_;
  inverted.replace(1000, 600, reverse_complement(chromosome_.substr(1000, 600)));
  std::mt19937_64 random(6);
  put("r.fa", fasta("contig1", inverted) + fasta("contig2", plasmid_.substr(300) + plasmid_.substr(0, 300)) +
                  fasta("other", random_letters(random, 500)));
  const outcome result = variants({a(), folder_ / "r.fa"});
  EXPECT_TRUE(has(result.out, "##weft_block=<ID=2,KIND=inverted,NAME=\"chr\",BEGIN=")) << result.out;
  EXPECT_TRUE(has(result.out, "##weft_added=<ID=1,NAME=\"other\",BEGIN=1,END=500>\n")) << result.out;
  EXPECT_TRUE(has(result.err, ", inverted 1, moved 0, duplicated 0\n")) << result.err;
  EXPECT_TRUE(has(result.err, "weft: 'contig2' of B is circular and was compared from its letter 501 on\n"))
      << result.err;
  EXPECT_TRUE(has(result.err, "weft: records of B that have no match with A: 1\n")) << result.err;
  EXPECT_TRUE(has(result.err, " 500 of B (added)\n")) << result.err;
}

TEST_F(variants_verb, gaps_of_an_alignment_are_removed_in_b_alone) {
  string gaps = file_bytes(b());
  gaps.insert(200, "--");
  put("gaps.fa", gaps);
  const outcome result = variants({a(), folder_ / "gaps.fa", "--format", "tsv"});
  EXPECT_EQ(result.out, table());
  EXPECT_TRUE(has(result.err, "gaps.fa: gaps of an alignment ('-' and '.') were removed (2 in all)"));
  expect_failure({"variants", folder_ / "gaps.fa", a()}, 2, "record 'contig1' has gaps of an alignment");
}

TEST_F(variants_verb, refuses_what_it_cannot_do) {
  put("protein.fa", ">p\nMKVLAAGIVGLMKV\n");
  put("empty.fa", "");
  put("none.fa", ">none\n");
  put("twice.fa", fasta("chr", chromosome_) + fasta("chr", plasmid_));
  const string output = folder_ / "out";
  const words before = folder_.names();
  const auto fails = [&](words given, int code, const string& message) {
    given.insert(given.begin(), "variants");
    given.insert(given.end(), {"-o", output});
    expect_failure(given, code, message);
    EXPECT_EQ(folder_.names(), before) << message;
  };
  fails({a()}, 2, "weft variants needs");
  fails({a(), b(), b()}, 2, "");
  fails({"-", "-"}, 2, "standard input (-) can be read only once");
  fails({a(), folder_ / "missing.fa"}, 3, "missing.fa");
  fails({folder_ / "missing.fa", b()}, 3, "missing.fa");
  fails({folder_ / "protein.fa", b()}, 2, "protein.fa: the sequences are not DNA");
  fails({a(), folder_ / "protein.fa"}, 2, "protein.fa: the sequences are not DNA");
  fails({folder_ / "empty.fa", b()}, 2, "empty.fa: the file has no letters");
  fails({a(), folder_ / "none.fa"}, 2, "none.fa: the file has no letters");
  fails({folder_ / "twice.fa", b()}, 2, "twice.fa: two records have the name 'chr'");
  EXPECT_EQ(variants({a(), folder_ / "twice.fa", "--format", "tsv"}).out, header)
      << "names of B may be equal";
  fails({a(), b(), "--format", "sam"}, 2, "--format");
  fails({a(), b(), "--min-match", "7"}, 2, "--min-match must be a whole number of at least 8");
  fails({a(), b(), "--min-match", "32"}, 2, "--min-match must be at most 31, not 32");
  fails({a(), b(), "--min-block", "0"}, 2, "--min-block");
  fails({a(), b(), "--gap-extend", "0"}, 2, "--gap-extend");
  fails({a(), b(), "--mismatch", "1000001"}, 2, "--mismatch must be at most 1000000, not 1000001");
  fails({a(), b(), "--sample", ""}, 2, "--sample must not be empty");
  fails({a(), b(), "--sample", "x", "--format", "paf"}, 2, "--sample can be used only with --format vcf");
  fails({a(), b(), "--engine", "seeds"}, 2, "seeds");
  fails({a(), b(), "--device", "gpu"}, 2, "weft variants runs only on the CPU");
  fails({a(), b(), "--memory", "10K"}, 4, "memory");
}

TEST_F(variants_verb, the_limit_of_the_memory_includes_the_plot) {
  // A plot takes up to 48 MiB.
  const words given{a(), b(), "-q", "--memory", "40M", "-o", folder_ / "out.vcf"};
  (void)variants(given);
  words with_plot{"variants"};
  with_plot.insert(with_plot.end(), given.begin(), given.end());
  with_plot.insert(with_plot.end(), {"--plot", folder_ / "plot.svg"});
  expect_failure(with_plot, 4, "memory");
  const words names = folder_.names();
  EXPECT_EQ(std::count(names.begin(), names.end(), "plot.svg"), 0);
  (void)variants({a(), b(), "-q", "--memory", "80M", "--plot", folder_ / "plot.svg"});
}

// Compares odd genomes with themselves, and with two of them.
TEST_F(variants_verb, odd_genomes_give_valid_output) {
  std::mt19937_64 rng(9);
  const string letters = random_letters(rng, 400);
  string lower = letters, ambiguous = letters, contigs;
  for (char& c : lower) c = static_cast<char>(c - 'A' + 'a');
  for (std::size_t i = 0; i < ambiguous.size(); i += 37) ambiguous[i] = "NRYSWK"[i % 6];
  for (std::size_t i = 0; i < letters.size(); i += 50)
    contigs += fasta("c" + std::to_string(i), letters.substr(i, 50));
  put("one.fa", ">one\nA\n");
  put("unknown.fa", ">n\nNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN\n");
  put("empty_records.fa", ">e1\n>e2\n" + fasta("r", letters) + ">n\nNNNN\n>x\nT\n>e3\n");
  put("lower.fa", ">lower case\r\n" + lower + "\r\n");
  put("ambiguous.fa", fasta("ambiguous", ambiguous));
  put("contigs.fa", contigs);
  put("equal_records.fa", fasta("r1", letters) + fasta("r2", letters) + fasta("r3", letters));
  put("poly.fa", fasta("poly", string(3000, 'A')));
  put("packed.fa", fasta("packed", letters));
  ASSERT_EQ(shell("gzip '" + (folder_ / "packed.fa") + "'").code, 0);
  const words names = folder_.names();
  const bool has_bcftools = installed("bcftools");
  for (const string& first : names)
    for (const string& second : {first, string("empty_records.fa"), string("packed.fa.gz")}) {
      SCOPED_TRACE(first + " " + second);
      const string one = variants({folder_ / first, folder_ / second, "-q", "-t", "1"}).out;
      EXPECT_EQ(variants({folder_ / first, folder_ / second, "-q", "-t", "3"}).out, one);
      EXPECT_TRUE(one.starts_with("##fileformat=VCFv4.3\n"));
      EXPECT_TRUE(has(one, "\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t"));
      if (first == second) {
        EXPECT_EQ(rows_of(one), "");
      }
      (void)variants({folder_ / second, folder_ / first, "-q", "--format", "paf"});
      if (!has_bcftools) continue;
      const scratch_folder other;
      other.put("out.vcf", one);
      const outcome viewed = shell("bcftools view -H '" + (other / "out.vcf") + "'");
      EXPECT_EQ(viewed.code, 0) << viewed.err;
      EXPECT_EQ(viewed.out, rows_of(one));
    }
}

TEST_F(variants_verb, escapes_names) {
  put("odd.fa", fasta("a\x1b[2J,x", chromosome_));
  put("q.fa", fasta("q\x1b;[2J", made_));
  for (const char* format : {"vcf", "tsv", "paf"})
    EXPECT_EQ(variants({folder_ / "odd.fa", folder_ / "q.fa", "--format", format}).out.find('\x1b'),
              string::npos);
}

// Runs a line of the shell in a folder that has a.fa and b.fa, after b.vcf was made from them.
void expect_bcftools_agrees(const string& folder, const string& wanted) {
  const string enter = "cd '" + folder + "' && ";
  const outcome made = shell(enter + "weft variants a.fa b.fa -o b.vcf");
  ASSERT_EQ(made.code, 0) << made.err;
  const outcome normal = shell(enter + "bcftools norm --check-ref e -f a.fa b.vcf");
  EXPECT_EQ(normal.code, 0) << normal.err;
  EXPECT_EQ(rows_of(normal.out), rows_of(file_bytes(folder + "/b.vcf")));
  EXPECT_NE(rows_of(normal.out), "");
  const outcome strain = shell(enter + "bcftools view -Oz b.vcf > b.vcf.gz && bcftools index b.vcf.gz && "
                                       "bcftools consensus -H 1 -f a.fa b.vcf.gz");
  EXPECT_EQ(strain.code, 0) << strain.err;
  if (!wanted.empty()) {
    EXPECT_EQ(letters_of(strain.out), wanted);
  }
}

TEST(variants_and_bcftools, consensus_makes_b_out_of_a) {
  if (!installed("bcftools")) GTEST_SKIP() << "bcftools is not installed";
  std::mt19937_64 random(7);
  for (int round = 0; round < 6; ++round) {
    const scratch_folder folder;
    string a = random_letters(random, 3000 + random() % 3000);
    for (int repeat = 0; repeat < 60; ++repeat) // short repeats, in which gaps move
      a.insert(random() % a.size(), string(2 + random() % 9, "ACGT"[random() % 4]));
    string b;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const std::uint64_t kind = i == 0 || i + 1 == a.size() ? 100 : random() % (round < 3 ? 200 : 30);
      if (kind == 0) b += random_letters(random, 1 + random() % 20);
      if (kind == 1)
        i = std::min(a.size() - 2, i + random() % 20);
      else
        b += kind == 2 ? other(a[i]) : a[i];
    }
    folder.put("a.fa", fasta("a", a));
    folder.put("b.fa", fasta("b", b));
    expect_bcftools_agrees(folder / "", b);
  }
}

TEST(variants_and_bcftools, rearranged_genomes_are_accepted) {
  if (!installed("bcftools")) GTEST_SKIP() << "bcftools is not installed";
  std::mt19937_64 random(8);
  const scratch_folder folder;
  string a = random_letters(random, 8000), b = a;
  for (std::size_t i = 50; i < b.size(); i += 97) b[i] = other(b[i]);
  b = b.substr(0, 2000) + reverse_complement(b.substr(2000, 1000)) + b.substr(4000, 3000) +
      b.substr(3000, 1000) + b.substr(7000) + b.substr(500, 700);
  folder.put("a.fa", fasta("a,1", a)); // the name is another one in VCF, so only view reads it
  folder.put("b.fa", fasta("b", b));
  const outcome viewed = shell("cd '" + (folder / "") + "' && weft variants a.fa b.fa | bcftools view -");
  EXPECT_EQ(viewed.code, 0) << viewed.err;
  EXPECT_TRUE(has(viewed.out, "##weft_block=<ID=")) << viewed.out;
  folder.put("a.fa", fasta("a", a));
  expect_bcftools_agrees(folder / "", "");
}

TEST(variants_and_bcftools, on_two_genomes_of_sars_cov_2) {
  if (!installed("bcftools")) GTEST_SKIP() << "bcftools is not installed";
  const scratch_folder folder;
  folder.put("a.fa", file_bytes(WEFT_EXAMPLE_DATA "/sarscov2_WuhanHu1.fa"));
  folder.put("b.fa", file_bytes(WEFT_EXAMPLE_DATA "/sarscov2_21L_BA2.fa"));
  string wanted = letters_of(file_bytes(folder / "b.fa"));
  std::erase(wanted, '-');
  expect_bcftools_agrees(folder / "", wanted);
}

} // namespace

} // namespace weft::test
