// Tests weft lcs on FASTA files as they occur in practice: several records, alignment gaps, unknown letters,
// the wrong strand, unrelated sequences; and little memory.
#include <filesystem>
#include <gtest/gtest.h>
#include <random>
#include <test_paths.hpp>
#include <weft/files/lcs/sequence_checks.hpp>
#include <weft/io/sequence_reader.hpp>

#include "process.hpp"

namespace weft::test {

namespace {

using std::string;
using words = std::vector<string>;

outcome run_lcs(const words& given) {
  words all{"lcs"};
  all.insert(all.end(), given.begin(), given.end());
  return weft_run(all);
}

string fasta(const string& name, const string& letters) { return ">" + name + "\n" + letters + "\n"; }

string random_dna(std::uint64_t seed, std::size_t length) {
  std::mt19937_64 random(seed);
  string text;
  while (text.size() < length) text += "ACGT"[random() % 4];
  return text;
}

string reverse_complement(const string& text) {
  string other;
  for (std::size_t i = text.size(); i-- > 0;)
    other += text[i] == 'A' ? 'T' : text[i] == 'C' ? 'G' : text[i] == 'G' ? 'C' : 'A';
  return other;
}

// Returns the standard output of weft lcs for two sequences; it must print no notes.
string compare(const string& a, const string& b, words flags) {
  const scratch_folder folder;
  folder.put("a.fa", fasta("a", a));
  folder.put("b.fa", fasta("b", b));
  flags.insert(flags.begin(), {folder / "a.fa", folder / "b.fa", "-q"});
  const outcome result = run_lcs(flags);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  return result.out;
}

// Returns the notes that weft lcs prints on standard error for two sequences.
string notes(const string& a, const string& b, words flags = {}) {
  const scratch_folder folder;
  folder.put("a.fa", fasta("a", a));
  folder.put("b.fa", fasta("b", b));
  flags.insert(flags.begin(), {folder / "a.fa", folder / "b.fa"});
  const outcome result = run_lcs(flags);
  EXPECT_EQ(result.code, 0) << result.err;
  return result.err;
}

TEST(lcs_item_3, several_records_are_an_error_that_names_the_ways_out) {
  for (const words& given : {words{"two.fa", "b.fa"}, words{"b.fa", "two.fa"}}) {
    const outcome result = run_lcs(given);
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.out, "");
    const string flag = given[0] == "two.fa" ? "--a-record" : "--b-record";
    for (const string& part : {string("two.fa has more than one record (the second is 'a2')"), flag,
                               string("--all-pairs"), string("--join")})
      EXPECT_TRUE(has(result.err, part)) << result.err;
  }
}

TEST(lcs_item_3, records_are_joined_or_chosen_on_request) {
  const outcome joined = run_lcs({"two.fa", "b.fa", "--join", "--length"});
  EXPECT_EQ(joined.out, "9\n");
  EXPECT_EQ(joined.err, "weft: note: two.fa: the 2 records are joined to one sequence\n");
  EXPECT_EQ(run_lcs({"two.fa", "b.fa", "--a-record", "a2", "--length"}).out, "4\n"); // case is ignored
  EXPECT_EQ(run_lcs({"two.fa", "two.fa", "--a-record", "a2", "--b-record", "a1", "--length"}).out, "4\n");
  expect_failure({"lcs", "two.fa", "b.fa", "--a-record", "none"}, 2, "no record 'none'");
  expect_failure({"lcs", "two.fa", "b.fa", "--join", "--a-record", "a1", "--b-record", "b1"}, 2, "--join");
  expect_failure({"lcs", "two.fa", "b.fa", "--join", "--by", "byte"}, 2, "--join is for residues");
  expect_failure({"lcs", "old.txt", "new.txt", "--by", "line", "--unknown", "skip"}, 2,
                 "--unknown is for residues");
  expect_failure({"lcs", "--all-pairs", "two.fa", "--join"}, 2, "--join");
}

TEST(lcs_item_3, gaps_of_an_alignment_are_removed_with_a_note) {
  const string a = "ACGTACGTAC---------GTACGT", b = "ACGTACGTACGGATTACAAGTACGT";
  EXPECT_FALSE(has(compare(a, b, {"--metric", "edit", "--format", "ops"}), "X"));
  EXPECT_EQ(compare(a, b, {"--metric", "edit", "--length"}), "9\n");
  EXPECT_EQ(compare(a, b, {"--length"}), "16\n");
  EXPECT_TRUE(has(notes(a, b),
                  "a.fa: gaps of an alignment ('-' and '.') were removed (9 in all); positions count "
                  "only letters"));
  EXPECT_EQ(notes("ACGT", "ACGT"), "");
  const scratch_folder folder;
  folder.put("aligned.fa", ">x\nAC-GT\n>y\n.ACGT\n");
  const outcome pairs = run_lcs({"--all-pairs", folder / "aligned.fa"});
  EXPECT_EQ(pairs.out, "x\ny\t4\n");
  EXPECT_TRUE(has(pairs.err, "were removed (2 in all)"));
}

TEST(lcs_item_3, unknown_letters_of_dna_mean_what_is_asked) {
  const auto of = [](const char* rule, const char* metric, const char* format) {
    return compare("ACGNT", "ACGNT", {"--unknown", rule, "--metric", metric, "--format", format});
  };
  EXPECT_EQ(of("mismatch", "lcs", "ops"), "3=1D1I1=\n");
  EXPECT_EQ(of("mismatch", "edit", "ops"), "3=1X1=\n");
  EXPECT_EQ(of("match", "lcs", "ops"), "5=\n");
  EXPECT_EQ(of("skip", "lcs", "ops"), "3=1D1I1=\n");
  EXPECT_EQ(of("skip", "edit", "paf"),
            "b\t5\t0\t5\t+\ta\t5\t0\t5\t4\t6\t255\tNM:i:0\tnn:i:2\tcg:Z:3=1D1I1=\n");
  EXPECT_EQ(compare("ACGNT", "ACGNT", {"--length"}), "4\n"); // mismatch is the default
  EXPECT_EQ(compare("ACGNT", "ACGNT", {"--length", "--metric", "indel"}), "2\n");
  EXPECT_EQ(compare("ACGNT", "ACGNT", {"--length", "--metric", "indel", "--unknown", "skip"}), "0\n");
  const string record = compare("ACGNT", "ACGNT", {"--unknown", "skip"});
  for (const char* line : {"a_length\t5\n", "identity\t1.000000\n", "a_unknown\t1\n", "unknown\tskip\n"})
    EXPECT_TRUE(has(record, line)) << record;
  EXPECT_EQ(compare("NNNN", "ACGT", {"--length", "--unknown", "match"}), "4\n");
}

TEST(lcs_item_3, unknown_letters_are_counted_in_a_note) {
  EXPECT_EQ(
      notes("ACGNT", "ACNNGT", {"--length"}),
      "weft: note: N and X are unknown letters in DNA, 1 in A and 2 in B: they match no letter, so a "
      "sequence that contains them differs from itself (to change this, use --unknown match or skip)\n");
  EXPECT_TRUE(has(notes("ACGNT", "ACNNGT", {"--unknown", "match"}), "they match any letter"));
  EXPECT_TRUE(
      has(notes("ACGNT", "ACNNGT", {"--unknown", "skip"}), "they are left out, but positions count them"));
}

TEST(lcs_item_3, the_alphabet_is_found_as_in_scan) {
  const string protein = "MKNNLLWFNX"; // N is asparagine, and X is unknown
  EXPECT_EQ(compare(protein, protein, {"--format", "ops"}), "9=1D1I\n");
  EXPECT_TRUE(has(notes(protein, protein), "X is an unknown letter in proteins, 1 in A and 1 in B"));
  EXPECT_EQ(compare("ACGUACGU", "acgtacgt", {"--length"}), "8\n"); // RNA equals its DNA
  EXPECT_EQ(compare("ACGUACGU", "ACGTACGT", {"--format", "lcs"}), ">lcs a b length 8\nACGUACGU\n");
  EXPECT_EQ(compare("MKLVU", "MKLVT", {"--length"}), "4\n"); // U is selenocysteine
}

TEST(lcs_item_3, every_engine_has_the_same_unknown_letters) {
  std::mt19937_64 random(5);
  string a, b;
  for (int i = 0; i < 900; ++i) a += "ACGTN"[random() % 5], b += "ACGTN"[random() % 5];
  for (const char* metric : {"lcs", "indel", "edit"})
    for (const char* rule : {"mismatch", "match", "skip"}) {
      const words asked = {"--metric", metric, "--unknown", rule, "--format", "ops"};
      const string expected = compare(a, b, asked);
      for (const char* engine : {"hirschberg-dp", "bit-parallel", "bit-sliced", "furthest-reaching"}) {
        if (rule == string("match") && engine != string("bit-parallel")) continue;
        words with = asked;
        with.insert(with.end(), {"--engine", engine});
        EXPECT_EQ(compare(a, b, with), expected) << engine << " " << metric << " " << rule;
      }
    }
  const scratch_folder folder;
  folder.put("a.fa", fasta("a", a));
  expect_failure(
      {"lcs", "-q", "--unknown", "match", "--engine", "bit-sliced", folder / "a.fa", folder / "a.fa"}, 2,
      "compared only by engine auto or bit-parallel");
}

TEST(lcs_item_3, all_pairs_know_unknown_letters) {
  const scratch_folder folder;
  folder.put("n.fa", ">x\nACGNT\n>y\nACGNT\n>z\nACGTT\n");
  const auto of = [&](words flags) {
    flags.insert(flags.begin(), {"-q", "--all-pairs", folder / "n.fa"});
    return run_lcs(flags).out;
  };
  EXPECT_EQ(of({}), "x\ny\t4\nz\t4\t4\n");
  EXPECT_EQ(of({"--metric", "indel"}), "x\ny\t2\nz\t2\t2\n");
  EXPECT_EQ(of({"--metric", "edit"}), "x\ny\t1\nz\t1\t1\n");
  EXPECT_EQ(of({"--unknown", "match"}), "x\ny\t5\nz\t5\t5\n");
  EXPECT_EQ(of({"--unknown", "skip", "--metric", "edit"}), "x\ny\t0\nz\t1\t1\n");
  EXPECT_EQ(of({"--metric", "edit", "--format", "jsonl"}),
            "{\"a\":\"y\",\"b\":\"x\",\"edit_distance\":1}\n{\"a\":\"z\",\"b\":\"x\",\"edit_distance\":1}\n"
            "{\"a\":\"z\",\"b\":\"y\",\"edit_distance\":1}\n");
}

TEST(lcs_item_3, a_better_match_of_the_reverse_complement_is_said) {
  const string genome = random_dna(1, 20000);
  EXPECT_TRUE(has(notes(genome, reverse_complement(genome), {"--length"}),
                  "weft: note: the reverse complement of B fits A better: of "));
  EXPECT_TRUE(has(notes(genome, reverse_complement(genome.substr(700, 200)), {"--length"}),
                  "the reverse complement of B fits A better"));
  EXPECT_EQ(notes(genome, genome, {"--length"}), "");
  EXPECT_FALSE(has(notes(genome, random_dna(2, 20000), {"--length"}), "reverse complement"));
}

string letters_of(const string& path) {
  return std::filesystem::exists(path) ? io::read_sequences(path).residues : "";
}

TEST(lcs_item_3, related_genomes_keep_their_strand) {
  const string human = letters_of(WEFT_EXAMPLE_DATA "/mt_human.fa"),
               orang = letters_of(WEFT_EXAMPLE_DATA "/mt_orang.fa");
  const files::strand_matches found = files::match_strands(human, orang);
  EXPECT_FALSE(found.fits_better_reversed());
  EXPECT_GT(found.same, 10 * found.opposite);
  EXPECT_TRUE(files::match_strands(human, reverse_complement(orang)).fits_better_reversed());
}

TEST(lcs_item_3, bacterial_genomes_keep_their_strand) {
  const string coli = letters_of(WEFT_EXTRA_DATA "/ecoli_MG1655.fa.xz"),
               salmonella = letters_of(WEFT_EXTRA_DATA "/salmonella_LT2.fa.xz");
  if (coli.empty() || salmonella.empty()) GTEST_SKIP() << "the genomes are not in " WEFT_EXTRA_DATA;
  EXPECT_FALSE(files::match_strands(coli, salmonella).fits_better_reversed());
  EXPECT_TRUE(files::match_strands(coli, reverse_complement(salmonella)).fits_better_reversed());
}

TEST(lcs_item_3, an_lcs_as_short_as_that_of_unrelated_sequences_is_said) {
  const char* const note = "the LCS is no longer than that of unrelated sequences";
  for (const std::size_t length : {500, 30000}) {
    const string a = random_dna(3, length), b = random_dna(4, length);
    EXPECT_TRUE(has(notes(a, b, {"--length"}), note)) << length;
    EXPECT_TRUE(has(notes(a, b, {"--length", "--metric", "indel", "--format", "tsv"}), note)) << length;
    string related = a;
    for (std::size_t i = 0; i < related.size(); i += 5) related[i] = 'A';
    EXPECT_EQ(notes(a, related, {"--length"}), "") << length;
  }
  EXPECT_TRUE(has(notes(random_dna(5, 20), random_dna(6, 3000), {"--length"}), note));
  EXPECT_EQ(notes("ACGTTGCA", "GGTTACCA", {"--length"}), ""); // too short to tell
}

TEST(lcs_item_3, identity_is_defined_where_it_is_printed) {
  EXPECT_TRUE(has(run_lcs({"a.fa", "b.fa"}).out, "\nidentity_definition\tlcs_length / the longer length\n"));
  EXPECT_TRUE(has(run_lcs({"a.fa", "b.fa", "--metric", "edit", "--json"}).out,
                  ",\"identity_definition\":\"1 - edit_distance / the longer length\"}\n"));
  EXPECT_TRUE(has(compare("ACN", "ACG", {"--unknown", "skip"}),
                  "\nidentity_definition\tlcs_length / the longer length, skipped letters left out\n"));
}

TEST(lcs_memory, sixty_four_kibibytes_are_enough_for_linear_space) {
  const string human = WEFT_EXAMPLE_DATA "/mt_human.fa", orang = WEFT_EXAMPLE_DATA "/mt_orang.fa";
  for (const char* metric : {"lcs", "edit"}) {
    const words asked = {human, orang, "--metric", metric, "--format", "ops"};
    words bounded = asked;
    bounded.insert(bounded.end(), {"--memory", "64K"});
    const outcome result = run_lcs(bounded);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.out, run_lcs(asked).out);
  }
}

TEST(lcs_memory, compressed_input_that_expands_is_refused) {
  if (!installed("zstd")) GTEST_SKIP() << "zstd is not installed";
  const scratch_folder folder;
  ASSERT_EQ(
      shell("(echo '>a'; head -c 200000000 /dev/zero | tr '\\0' A) | zstd -q -1 > " + (folder / "a.fa.zst"))
          .code,
      0);
  for (const words& given : {words{"a.fa"}, words{"a.fa", "--by", "byte"}}) {
    words all = {folder / "a.fa.zst", "--memory", "64M"};
    all.insert(all.end(), given.begin(), given.end());
    const outcome result = run_lcs(all);
    EXPECT_EQ(result.code, 4) << result.err;
    EXPECT_TRUE(has(result.err, "a.fa.zst")) << result.err;
  }
  EXPECT_EQ(run_lcs({"--all-pairs", folder / "a.fa.zst", "--memory", "64M"}).code, 4);
}

TEST(lcs_engine, all_pairs_name_the_engine_that_ran) {
  EXPECT_TRUE(has(run_lcs({"-v", "--all-pairs", "two.fa"}).err, "engine bit-parallel, "));
  EXPECT_TRUE(
      has(run_lcs({"-v", "--all-pairs", "b.fa"}).err, "engine none (there are fewer than two records), "));
}

} // namespace

} // namespace weft::test
