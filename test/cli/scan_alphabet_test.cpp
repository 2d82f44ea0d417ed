// Tests the alphabet that weft scan guesses, the flags that are for DNA alone, and the selection of motifs.
#include <gtest/gtest.h>

#include "process.hpp"

namespace weft::test {

namespace {

using std::string;
using words = std::vector<string>;

const string header = "sequence\tbegin\tend\tstrand\tmotif\tname\tmatch\n";

// Checks a former defect: DNA was scanned as protein, on one strand, and GGNCC found nothing.
TEST(scan_alphabet, dna_is_found_by_its_letters_and_said) {
  const scratch_folder folder;
  folder.put("genome.fa", ">g\nacGAATTCacGGACCttttNNN\n");
  const outcome result = weft_run({"scan", "-e", "GAATTC", "-e", "GGNCC", folder / "genome.fa"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, header + "g\t3\t8\t+\tUSER001\tGAATTC\tGAATTC\n"
                                 "g\t3\t8\t-\tUSER001\tGAATTC\tGAATTC\n"
                                 "g\t11\t15\t+\tUSER002\tGGNCC\tGGACC\n"
                                 "g\t11\t15\t-\tUSER002\tGGNCC\tGGTCC\n");
  EXPECT_EQ(result.err, "weft scan: alphabet dna, because at least 95 % of the first letters are "
                        "nucleotides (use --alphabet to choose another)\n");
  const string line = "weft scan -q -e GAATTC -e GGNCC - < " + (folder / "genome.fa");
  EXPECT_EQ(shell(line).out, result.out);
  EXPECT_EQ(shell(line).err, "");
  EXPECT_EQ(shell("gzip -c " + (folder / "genome.fa") + " | weft scan -q -e GAATTC -e GGNCC -").out,
            result.out);
}

TEST(scan_alphabet, proteins_and_prosite_files_are_protein) {
  const scratch_folder folder;
  folder.put("dna.fa", ">g\nGAATTC\n");
  const outcome proteins = weft_run({"scan", "-e", "N-x-[ST]", "proteins.fa"});
  EXPECT_EQ(proteins.err, "weft scan: alphabet protein, because less than 95 % of the first letters are "
                          "nucleotides (use --alphabet to choose another)\n");
  const outcome prosite = weft_run({"scan", "motifs.dat", folder / "dna.fa", "--strand", "both"});
  EXPECT_EQ(prosite.code, 2);
  EXPECT_TRUE(has(prosite.err, "--strand can be used only for DNA, but weft uses alphabet protein, "
                               "because motifs.dat is a PROSITE file"))
      << prosite.err;
  EXPECT_EQ(weft_run({"scan", "-e", "C-x", folder / "dna.fa", "--strand", "-"}).code, 0);
  expect_failure({"scan", "-q", "-e", "C-x", "proteins.fa", "--strand", "+"}, 2, "less than 95 %");
  expect_failure({"scan", "-q", "-e", "C-x", "proteins.fa", "--circular"}, 2,
                 "--circular can be used only for DNA");
}

// The first 64 KiB of letters of all inputs, in order, decide: 95 % of them must be DNA, in whatever form the
// inputs come.
TEST(scan_alphabet, all_inputs_in_order_decide) {
  const scratch_folder folder;
  const auto guess = [&](const words& files) {
    words call{"scan", "-e", "C"};
    for (const string& file : files) call.push_back(folder / file);
    const string err = weft_run(call).err;
    return has(err, "alphabet dna") ? "dna" : has(err, "alphabet protein") ? "protein" : "none";
  };
  folder.put("few.fa", ">a\nMKL\n");
  folder.put("dna.fa", ">b\n" + string(200, 'A') + "\n>c\n" + string(100, 'u') + "\n");
  folder.put("long.fa", ">d\n" + string(70'000, 'L') + "\n");
  folder.put("empty.fa", "");
  folder.put("gaps.fa", ">e\n---***\n");
  EXPECT_STREQ(guess({"few.fa"}), "protein");
  EXPECT_STREQ(guess({"few.fa", "dna.fa"}), "dna");
  EXPECT_STREQ(guess({"empty.fa", "gaps.fa", "dna.fa", "few.fa"}), "dna");
  EXPECT_STREQ(guess({"dna.fa", "long.fa"}), "protein");
  EXPECT_STREQ(guess({"long.fa", "dna.fa"}), "protein");
  EXPECT_STREQ(guess({"empty.fa", "gaps.fa"}), "none");
  // The letters that were read to guess the alphabet must be scanned too, and only once.
  const string files = (folder / "few.fa") + " - " + (folder / "dna.fa") + " " + (folder / "long.fa");
  EXPECT_EQ(shell("printf '>x\\nCCAC\\n' | weft scan -q -e C-A -e L -e K --matches count " + files).out,
            "motif\tname\tmatches\nUSER001\tC-A\t1\nUSER002\tL\t70001\nUSER003\tK\t1\n");
}

TEST(scan_alphabet, u_and_t_are_one_letter) {
  const scratch_folder folder;
  folder.put("rna.fa", ">r\nGAUUC\n>d\nGATTC\n");
  const string rows = header + "r\t1\t5\t+\tUSER001\t";
  for (const char* pattern : {"GATTC", "GAUUC"})
    EXPECT_EQ(weft_run({"scan", "-q", "--strand", "+", "-e", pattern, folder / "rna.fa"}).out,
              rows + pattern + "\tGAUUC\nd\t1\t5\t+\tUSER001\t" + pattern + "\tGATTC\n");
}

TEST(scan_circular, sites_over_the_origin) {
  const scratch_folder folder;
  folder.put("c.fa", ">p\nTTCAAGAA\n>short\nGA\n");
  const words call{"scan", "-q", "--circular", "--alphabet", "dna", "-e", "GAATTC", folder / "c.fa"};
  const auto with = [&](const string& format) {
    words all = call;
    all.insert(all.end(), {"--format", format});
    return weft_run(all).out;
  };
  EXPECT_EQ(weft_run({"scan", "-q", "-e", "GAATTC", "--alphabet", "dna", folder / "c.fa"}).out, header);
  EXPECT_EQ(with("tsv"), header + "p\t6\t11\t+\tUSER001\tGAATTC\tGAATTC\n"
                                  "p\t6\t11\t-\tUSER001\tGAATTC\tGAATTC\n");
  EXPECT_EQ(with("bed"), "p\t5\t11\tUSER001\t0\t+\np\t5\t11\tUSER001\t0\t-\n");
  EXPECT_EQ(with("scan"), ">p : USER001  \n       6 - 11  GAATTC\n       6 - 11  GAATTC\n");
  EXPECT_EQ(with("gff3"),
            "##gff-version 3\n##sequence-region p 1 8\n"
            "p\tweft\tregion\t1\t8\t.\t+\t.\tIs_circular=true\n"
            "p\tweft\tnucleotide_motif\t6\t11\t.\t+\t.\tName=GAATTC;motif=USER001;match=GAATTC\n"
            "p\tweft\tnucleotide_motif\t6\t11\t.\t-\t.\tName=GAATTC;motif=USER001;match=GAATTC\n");
  expect_failure({"scan", "-q", "--circular", "--alphabet", "dna", "-e", "<GA", folder / "c.fa"}, 2,
                 "no ends");
}

TEST(scan_motif, is_chosen_by_accession) {
  const auto with = [](const words& flags) {
    words all{"scan", "-q", "motifs.dat", "proteins.fa", "--format", "pff"};
    all.insert(all.end(), flags.begin(), flags.end());
    return weft_run(all);
  };
  const string all = with({}).out, sequons = with({"--motif", "TX00001"}).out;
  EXPECT_TRUE(has(all, "PS99992") && has(all, "TX00001"));
  EXPECT_TRUE(!has(sequons, "PS99992") && has(sequons, "TX00001"));
  EXPECT_EQ(with({"--motif", "TEST_SEQUON"}).out, sequons);
  EXPECT_EQ(with({"--motif", "PS99992", "--motif", "TX00001"}).out, all);
  EXPECT_EQ(with({"--motif", "PS00001"}).code, 2);
  EXPECT_TRUE(has(with({"--motif", "PS00001"}).err, "--motif PS00001: motifs.dat has no motif"));
}

TEST(scan_counts, of_each_sequence) {
  const scratch_folder folder;
  folder.put("a.fa", ">one\nACCA\n>none\nGGG\n>three\nCAC\n");
  const words call{"scan", "-q", "--alphabet", "protein",       "-e",        "A",     "-e",
                   "C",    "-e", "W",          folder / "a.fa", "--matches", "count", "--per-sequence"};
  EXPECT_EQ(weft_run(call).out, "sequence\tmotif\tname\tmatches\none\tUSER001\tA\t2\none\tUSER002\tC\t2\n"
                                "three\tUSER001\tA\t1\nthree\tUSER002\tC\t2\n");
  words json = call;
  json.insert(json.end(), {"--format", "jsonl"});
  EXPECT_TRUE(
      has(weft_run(json).out, "{\"sequence\":\"one\",\"motif\":\"USER001\",\"name\":\"A\",\"matches\":2}\n"));
  expect_failure({"scan", "-q", "-e", "A", folder / "a.fa", "--per-sequence"}, 2, "--matches count");
}

} // namespace

} // namespace weft::test
