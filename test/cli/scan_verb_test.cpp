// Tests weft scan: its formats against golden files, chunks, inputs, and ps_scan.pl itself if it is
// installed.
#include <gtest/gtest.h>
#include <test_paths.hpp>

#include "process.hpp"

namespace weft::test {

namespace {

using std::string;
using words = std::vector<string>;

const words formats = {"tsv", "pff", "scan", "fasta", "gff3", "bed", "jsonl"};

outcome scan(const words& given) {
  words all{"scan", "-q"};
  all.insert(all.end(), given.begin(), given.end());
  return weft_run(all);
}

TEST(scan_verb, formats_are_golden) {
  for (const string& format : formats) {
    const outcome list = scan({"motifs.txt", "proteins.fa", "--format", format});
    EXPECT_EQ(list.code, 0);
    EXPECT_EQ(list.err, "");
    EXPECT_EQ(list.out, file_bytes(data("scan_list." + format)));
    EXPECT_EQ(scan({"motifs.dat", "proteins.fa", "--format", format}).out,
              file_bytes(data("scan_prosite." + format)));
    EXPECT_EQ(scan({"-e", "GAATTY", "-e", "G-A-x-T", "--alphabet", "dna", "dna.fa", "--format", format}).out,
              file_bytes(data("scan_dna." + format)));
  }
}

TEST(scan_verb, chunks_do_not_show) {
  for (const string& format : formats)
    for (const char* size : {"1", "20", "40"})
      EXPECT_EQ(
          shell(string("WEFT_CHUNK=") + size + " weft scan motifs.txt proteins.fa --format " + format).out,
          file_bytes(data("scan_list." + format)));
}

TEST(scan_verb, reads_several_files_pipes_and_compressed_ones) {
  const string golden = file_bytes(data("scan_list.tsv"));
  EXPECT_EQ(shell("cat proteins.fa | weft scan motifs.txt -").out, golden);
  EXPECT_EQ(shell("cat motifs.txt | weft scan - proteins.fa").out, golden);
  for (const char* packer : {"gzip", "bzip2", "xz", "zstd"}) {
    if (shell(string("command -v ") + packer).code != 0) continue;
    EXPECT_EQ(shell(string(packer) + " -c proteins.fa | weft scan motifs.txt -").out, golden) << packer;
  }
  const string rows = golden.substr(golden.find('\n') + 1);
  EXPECT_EQ(scan({"motifs.txt", "proteins.fa", "proteins.fa"}).out, golden + rows);
  EXPECT_EQ(scan({"motifs.txt", "/dev/null"}).out, golden.substr(0, golden.size() - rows.size()));
}

TEST(scan_verb, same_on_every_engine_and_thread_count) {
  for (const char* engine : {"auto", "bit-stream", "shift-and", "nfa-array"})
    for (const char* threads : {"1", "3"})
      EXPECT_EQ(scan({"motifs.dat", "proteins.fa", "--engine", engine, "-t", threads}).out,
                file_bytes(data("scan_prosite.tsv")));
}

TEST(scan_verb, counts) {
  EXPECT_EQ(scan({"motifs.dat", "proteins.fa", "--matches", "count"}).out,
            "motif\tname\tmatches\nTX00001\tTEST_SEQUON\t5\nPS99992\tTEST_ZINC\t4\n");
  EXPECT_EQ(scan({"motifs.dat", "proteins.fa", "--matches", "count", "--format", "jsonl"}).out,
            "{\"motif\":\"TX00001\",\"name\":\"TEST_SEQUON\",\"matches\":5}\n"
            "{\"motif\":\"PS99992\",\"name\":\"TEST_ZINC\",\"matches\":4}\n");
}

TEST(scan_verb, frequent_motifs_can_be_left_out) {
  const string text = scan({"motifs.dat", "proteins.fa", "-s", "--format", "pff"}).out;
  EXPECT_EQ(text.find("TX00001"), string::npos);
  EXPECT_NE(text.find("PS99992"), string::npos);
}

TEST(scan_verb, profiles_are_passed_over_with_a_word) {
  const outcome result = weft_run({"scan", "motifs.dat", "proteins.fa"});
  EXPECT_NE(result.err.find("1 profiles"), string::npos) << result.err;
}

TEST(scan_verb, none_found_can_be_an_exit_code) {
  EXPECT_EQ(scan({"-e", "W-W-W", "proteins.fa"}).code, 0);
  EXPECT_EQ(scan({"-e", "W-W-W", "proteins.fa", "--fail-if-none"}).code, 1);
  EXPECT_EQ(scan({"-e", "A", "proteins.fa", "--fail-if-none"}).code, 0);
}

TEST(scan_verb, every_bad_pattern_is_shown_before_anything_is_read) {
  const outcome result = weft_run({"scan", "bad_motifs.txt", "missing.fa"});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.err,
            "weft: 3 bad patterns, 2 good\n"
            "bad_motifs.txt:2:5: A-[B-C: expected an amino acid letter or ']'\n  A-[B-C\n      ^\n"
            "bad_motifs.txt:3:12: long: expected an element: a letter, [..], {..} or x\n  C-{P}-\n        ^\n"
            "bad_motifs.txt:4:3: A(4,2): expected a range (n,m) with n <= m\n  A(4,2)\n    ^\n");
}

TEST(scan_verb, many_bad_patterns_are_cut_short) {
  const scratch_folder folder;
  string list;
  for (int i = 0; i < 4000; ++i) list += "A-[C\n";
  folder.put("list", list);
  const string err = weft_run({"scan", folder / "list", "proteins.fa"}).err;
  EXPECT_TRUE(has(err, "weft: 4000 bad patterns, 0 good\n"));
  EXPECT_TRUE(has(err, "list:20:") && !has(err, "list:21:")) << err;
  EXPECT_EQ(err.substr(err.size() - 14), "and 3980 more\n");
}

TEST(scan_verb, files_in_the_wrong_places) {
  const scratch_folder folder;
  folder.put("reads.fq", "\n@r\nACGT\n+\nIIII\n");
  folder.put("at.txt", "at\t@-A\n"); // with a name, because a list that begins with '@' is FASTQ
  const auto refused = [](const words& given, const string& message) {
    const outcome result = scan(given);
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, "weft: " + message + "\n");
  };
  const string swapped = " is not: give MOTIFS first and SEQUENCES after it";
  refused({"proteins.fa", "motifs.dat"}, "proteins.fa is a FASTA or FASTQ file and motifs.dat" + swapped);
  refused({folder / "reads.fq", "motifs.txt"},
          (folder / "reads.fq") + " is a FASTA or FASTQ file and motifs.txt" + swapped);
  EXPECT_EQ(scan({folder / "at.txt", "proteins.fa", "--alphabet", "bytes"}).err, "");
  for (const char* line : {"ID   A; PATTERN.", "CC   ****", "AC   PS00001;"}) {
    folder.put("flat", string(line) + "\n");
    refused(
        {"motifs.txt", folder / "flat"},
        (folder / "flat") +
            ":1:1: before the first record: a record must start with '>' (FASTA) or '@' (FASTQ), not with '" +
            line[0] + "'; this looks like a PROSITE file of motifs or another flat file");
  }
}

TEST(scan_verb, item_4_a_file_without_motifs_is_an_error) {
  const scratch_folder folder;
  folder.put("none", "# nothing\n\n");
  folder.put("profiles", "ID   P; MATRIX.\nAC   PS3;\n//\n");
  folder.put("frequent", "ID   F; PATTERN.\nAC   PS4;\nPA   A.\nCC   /SKIP-FLAG=TRUE;\n//\n");
  for (const char* name : {"none", "profiles", "frequent"})
    expect_failure({"scan", folder / name, "proteins.fa", "--skip-frequent"}, 2,
                   (folder / name) + ": there are no motifs to search for");
}

// Checks that every form of a pattern file means the same to scan and to find.
TEST(scan_verb, item_4_motifs_come_from_lists_fasta_and_fastq) {
  const scratch_folder folder;
  folder.put("list", "\xef\xbb\xbf# a comment\r\nfirst\tR-G-D\r\nN-G-S\r\n");
  folder.put("fasta", ">first\nR-G\n-D\n>\nN-G-S\n");
  folder.put("fastq", "@first\nR-G-D\n+\nIIIII\n@\nN-G-S\n+\nIIIII\n");
  folder.put("p.fa", ">p\nMNGSRGDNpS\n");
  const string table = "sequence\tbegin\tend\tstrand\tmotif\tname\tmatch\np\t5\t7\t+\tfirst\tfirst\tRGD\n"
                       "p\t2\t4\t+\tN-G-S\tN-G-S\tNGS\n";
  for (const char* name : {"list", "fasta", "fastq"})
    EXPECT_EQ(scan({folder / name, folder / "p.fa"}).out, table) << name;
}

TEST(scan_verb, a_record_without_a_name_has_a_dot_in_gff3) {
  const scratch_folder folder;
  folder.put("a.fa", ">\nACA\n");
  EXPECT_EQ(scan({"--alphabet", "protein", "-e", "C", folder / "a.fa", "--format", "gff3"}).out,
            "##gff-version 3\n##sequence-region . 1 3\n"
            ".\tweft\tpolypeptide_motif\t2\t2\t.\t.\t.\tName=C;motif=USER001;match=C\n");
}

// Compares the matches in a part of the real proteins, followed by unknown and ambiguous residues.
void compare_with_ps_scan(const string& motifs, const string& ours, const string& flags) {
  const scratch_folder folder;
  const string text = file_bytes(WEFT_EXTRA_DATA "/proteins.fa");
  folder.put("s.fa", text.substr(0, text.find('>', 6000)) +
                         ">x1 odd\nMNXSTBBZZXXNGSAXKK\n>x2\nXXXXNNNNDDDDGGGGKKKKSSSS\n");
  for (const char* format : {"pff", "scan", "fasta"}) {
    const string tail = " " + flags + " '" + (folder / "s.fa") + "'";
    const outcome expected = shell("ps_scan.pl -r -o " + string(format) + " " + motifs + tail);
    ASSERT_EQ(expected.code, 0) << expected.err;
    ASSERT_NE(expected.out, "");
    EXPECT_EQ(shell("weft scan -q --format " + string(format) + " " + ours + tail).out, expected.out)
        << flags;
  }
}

TEST(scan_verb, bytes_are_those_of_ps_scan) {
  if (shell("command -v ps_scan.pl").code != 0) GTEST_SKIP() << "ps_scan.pl is not installed";
  const string prosite = WEFT_EXTRA_DATA "/prosite-20.119.dat";
  if (shell("test -r '" + prosite + "'").code != 0) GTEST_SKIP() << "no " << prosite;
  for (const char* flags : {"", "-g", "-v", "-i", "-x 0", "-x 2", "-s", "-g -v -i -x -1"})
    compare_with_ps_scan("-d '" + prosite + "'", "'" + prosite + "'", flags);
  compare_with_ps_scan("-p 'N-{P}-[ST]-{P}' -p '[AG]-x(1,4)-G-K-[ST]'",
                       "-e 'N-{P}-[ST]-{P}' -e '[AG]-x(1,4)-G-K-[ST]'", "");
}

// Checks anchors in sets, where ps_scan.pl has special cases: with -g, a range repeats letters before it
// takes the start of the sequence; a set that contains X is x without its anchor; and no dots follow a set
// with an anchor. The recorded file is the output of ps_scan.pl 1.90.
TEST(scan_verb, anchors_in_sets_are_those_of_ps_scan) {
  const words patterns = {
      "[D<](2,3)-A",      "[D<](2,3)-x(0,2)", "[D<](1,4)-x(0,1)",  "[D<](3)-x(1,2)", "[X<]-A",
      "[XD>]-N",          "A-[XG>]",          "C-[N>](1,5)",       "N-[N>](1,5)",    "[C<](0,1)-N-x(0,2)",
      "A-x(0,2)-[N>](2)", "x(0,2)-[N>](2,4)", "[<D](2,5)-[DA>](2)"};
  const bool has_program = installed("ps_scan.pl");
  string all;
  for (const string flag : {"", "-g"})
    for (const string& pattern : patterns) {
      const string tail = " " + flag + " scan_sets.fa";
      const outcome have = shell("weft scan -q --alphabet protein --format scan -e '" + pattern + "'" + tail);
      EXPECT_EQ(have.code, 0) << have.err;
      if (has_program) {
        EXPECT_EQ(have.out, shell("ps_scan.pl -r -p '" + pattern + "'" + tail).out) << pattern << flag;
      }
      all += "# " + pattern + " " + flag + "\n" + have.out;
    }
  EXPECT_EQ(all, file_bytes(data("scan_sets.scan")));
}

} // namespace

} // namespace weft::test
