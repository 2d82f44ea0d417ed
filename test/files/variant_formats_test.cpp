// Checks the formats of a comparison of two genomes, made by hand, and reads of genomes within their limits.
#include <gtest/gtest.h>
#include <string>
#include <weft/base/error.hpp>
#include <weft/base/version.hpp>
#include <weft/files/formats/variant_formats.hpp>
#include <weft/files/genome_input.hpp>

#include "folder_test.hpp"

namespace weft::test {

namespace {

using files::alleles_of;
using files::contig_name;
using files::gap_rule;
using files::read_genome;
using files::variant_format;
using std::string;

genome_variant variant(std::uint64_t begin, const string& reference, const string& alternative) {
  return {.begin = begin, .reference = reference, .alternative = alternative};
}

// Returns the position (from 1) and the alleles of a variant in VCF.
string shown(const genome_variant& given, const string& record) {
  const files::vcf_alleles alleles = alleles_of(given, record);
  return std::to_string(alleles.position + 1) + " " + alleles.reference + " " + alleles.alternative;
}

TEST(variant_formats, insertions_and_deletions_contain_the_letter_before_or_behind_them) {
  EXPECT_EQ(shown(variant(2, "G", "T"), "ACGTA"), "3 G T");
  EXPECT_EQ(shown(variant(1, "CG", "TTT"), "ACGTA"), "2 CG TTT");
  EXPECT_EQ(shown(variant(2, "GT", ""), "ACGTA"), "2 CGT C");
  EXPECT_EQ(shown(variant(2, "", "TT"), "acgta"), "2 C CTT");
  EXPECT_EQ(shown(variant(0, "AC", ""), "ACGTA"), "1 ACG G");
  EXPECT_EQ(shown(variant(0, "", "TG"), "ACGTA"), "1 A TGA");
  EXPECT_EQ(shown(variant(5, "", "TG"), "ACGTA"), "5 A ATG");
  EXPECT_EQ(shown(variant(1, "C", ""), "uCGTA"), "1 TC T");
  EXPECT_EQ(shown(variant(1, "C", ""), "NCGTA"), "1 NC N");
  EXPECT_EQ(shown(variant(1, "C", ""), "RCGTA"), "2 CG G") << "VCF does not allow R";
  EXPECT_EQ(shown(variant(1, "C", ""), "RC"), "1 NC N");
}

TEST(variant_formats, types_follow_from_the_letters) {
  EXPECT_EQ(files::type_of(variant(0, "A", "C")), "snp");
  EXPECT_EQ(files::type_of(variant(0, "A", "")), "del");
  EXPECT_EQ(files::type_of(variant(0, "", "AC")), "ins");
  EXPECT_EQ(files::type_of(variant(0, "A", "CC")), "complex");
  EXPECT_EQ(files::type_of(variant(0, "AA", "CC")), "complex");
}

TEST(variant_formats, names_of_contigs_are_escaped_and_stay_different) {
  EXPECT_EQ(contig_name("gi|15645|ref|NC_000913.3|"), "gi|15645|ref|NC_000913.3|");
  EXPECT_EQ(contig_name("HLA-A*01:01=x"), "HLA-A*01:01=x");
  EXPECT_EQ(contig_name("*a"), "%2Aa");
  EXPECT_EQ(contig_name("=a"), "%3Da");
  EXPECT_EQ(contig_name("a,b<c>(d)\"\\"), "a%2Cb%3Cc%3E%28d%29%22%5C");
  EXPECT_EQ(contig_name("a\x1b\xc3\xa9"), "a%1B%C3%A9");
  EXPECT_EQ(contig_name("a%2Cb"), "a%252Cb") << "not the same as that of a,b";
  EXPECT_EQ(contig_name("50%"), "50%");
}

// Two genomes and a comparison of them: two collinear blocks with variants on both strands, an inverted, a
// moved and a duplicated one. Names need escapes.
class variant_report_test : public folder_test {
protected:
  variant_report_test() {
    a_.add("ACGTTGCATCAGGCTAAG", "chr,1");
    a_.add("TTGACCATGG", "p");
    b_.add("ACCTTGATCAGGGCTAAG", "q;1\t");
    b_.add("CCATGGTCA", "r\"2");
    const auto path = [](std::vector<edit_run> runs, std::uint64_t matches, std::uint64_t substitutions,
                         std::uint64_t insertions, std::uint64_t deletions) {
      return edit_script{std::move(runs), matches, substitutions, insertions, deletions};
    };
    constexpr auto same = edit_op::match;
    found_.blocks = {
        {.a_end = 18,
         .b_end = 18,
         .path = path({{same, 2},
                       {edit_op::substitute, 1},
                       {same, 3},
                       {edit_op::remove, 1},
                       {same, 4},
                       {edit_op::insert, 1},
                       {same, 7}},
                      16, 1, 1, 1)},
        {.kind = block_kind::duplicated,
         .a_begin = 5,
         .a_end = 7,
         .b_record = 1,
         .b_begin = 1,
         .b_end = 3,
         .path = path({{same, 2}}, 2, 0, 0, 0)},
        {.kind = block_kind::inverted,
         .a_record = 1,
         .a_begin = 1,
         .a_end = 10,
         .b_record = 1,
         .b_end = 9,
         .reverse = true,
         .path = path({{same, 3}, {edit_op::substitute, 1}, {same, 5}}, 8, 1, 0, 0)},
        {.kind = block_kind::moved,
         .a_record = 1,
         .a_begin = 1,
         .a_end = 2,
         .b_record = 1,
         .b_begin = 3,
         .b_end = 4,
         .path = path({{same, 1}}, 1, 0, 0, 0)},
    };
    found_.variants = {
        {.begin = 2, .b_begin = 2, .reference = "G", .alternative = "C"},
        {.begin = 6, .b_begin = 6, .reference = "C", .alternative = ""},
        {.begin = 11, .b_begin = 10, .reference = "", .alternative = "G"},
        {.block = 2, .a_record = 1, .begin = 4, .b_begin = 5, .reference = "C", .alternative = "A"}};
    found_.missing = {{.record = 1, .begin = 0, .end = 1}};
    found_.added = {{.record = 1, .begin = 3, .end = 5}};
    found_.placements = {{.is_placed = true}, {.is_placed = true, .a_record = 1}};
  }

  [[nodiscard]] string written(variant_format format) const {
    io::output_file out(path("out"));
    files::write_report(
        out, format,
        {.found = found_, .a = a_, .b = b_, .reference = "dir/\xc3\xa9\xff\n.fa", .sample = "my\tsample"});
    out.commit();
    return text_of("out");
  }

  sequences a_, b_;
  genome_comparison found_;
};

TEST_F(variant_report_test, vcf) {
  const string text = written(variant_format::vcf);
  const std::size_t definitions = text.find("##INFO"), end = text.find("##weft_block");
  EXPECT_EQ(text.substr(0, definitions), "##fileformat=VCFv4.3\n##source=weft " WEFT_VERSION "\n"
                                         "##reference=dir/\xc3\xa9%FF%0A.fa\n"
                                         "##contig=<ID=chr%2C1,length=18>\n##contig=<ID=p,length=10>\n");
  for (const char* id : {"TYPE", "BLOCK", "KIND", "BNAME", "BPOS", "BSTRAND"})
    EXPECT_NE(text.find("##INFO=<ID=" + string(id) + ",Number=1,"), string::npos) << id;
  EXPECT_NE(text.find("##FORMAT=<ID=GT,Number=1,Type=String,"), string::npos);
  ASSERT_NE(end, string::npos);
  EXPECT_EQ(
      text.substr(end),
      "##weft_block=<ID=2,KIND=duplicated,NAME=\"chr,1\",BEGIN=6,END=7,BNAME=\"r\\\"2\",BBEGIN=2,BEND=3,"
      "BSTRAND=+>\n"
      "##weft_block=<ID=3,KIND=inverted,NAME=\"p\",BEGIN=2,END=10,BNAME=\"r\\\"2\",BBEGIN=1,BEND=9,"
      "BSTRAND=->\n"
      "##weft_block=<ID=4,KIND=moved,NAME=\"p\",BEGIN=2,END=2,BNAME=\"r\\\"2\",BBEGIN=4,BEND=4,BSTRAND=+>\n"
      "##weft_missing=<ID=1,NAME=\"p\",BEGIN=1,END=1>\n"
      "##weft_added=<ID=1,NAME=\"r\\\"2\",BEGIN=4,END=5>\n"
      "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tmy%09sample\n"
      "chr%2C1\t3\t.\tG\tC\t.\t.\tTYPE=snp;BLOCK=1;KIND=collinear;BNAME=q%3B1%09;BPOS=3;BSTRAND=+\tGT\t1\n"
      "chr%2C1\t6\t.\tGC\tG\t.\t.\tTYPE=del;BLOCK=1;KIND=collinear;BNAME=q%3B1%09;BPOS=7;BSTRAND=+\tGT\t1\n"
      "chr%2C1\t11\t.\tA\tAG\t.\t.\tTYPE=ins;BLOCK=1;KIND=collinear;BNAME=q%3B1%09;BPOS=11;BSTRAND=+\tGT\t1\n"
      "p\t5\t.\tC\tA\t.\t.\tTYPE=snp;BLOCK=3;KIND=inverted;BNAME=r\"2;BPOS=6;BSTRAND=-\tGT\t1\n");
}

TEST_F(variant_report_test, tsv) {
  EXPECT_EQ(written(variant_format::tsv),
            "reference\tbegin\tend\ttype\tref\talt\tquery\tquery_begin\tquery_end\tstrand\tblock\tkind\n"
            "chr,1\t3\t3\tsnp\tG\tC\tq;1\\t\t3\t3\t+\t1\tcollinear\n"
            "chr,1\t7\t7\tdel\tC\t-\tq;1\\t\t7\t6\t+\t1\tcollinear\n"
            "chr,1\t12\t11\tins\t-\tG\tq;1\\t\t11\t11\t+\t1\tcollinear\n"
            "p\t5\t5\tsnp\tC\tA\tr\"2\t6\t6\t-\t3\tinverted\n");
}

TEST_F(variant_report_test, paf) {
  EXPECT_EQ(written(variant_format::paf),
            "q;1\\t\t18\t0\t18\t+\tchr,1\t18\t0\t18\t16\t19\t255\ttp:A:P\tNM:i:3\tkd:Z:collinear\t"
            "cg:Z:2=1X3=1D4=1I7=\n"
            "r\"2\t9\t1\t3\t+\tchr,1\t18\t5\t7\t2\t2\t255\ttp:A:S\tNM:i:0\tkd:Z:duplicated\tcg:Z:2=\n"
            "r\"2\t9\t0\t9\t-\tp\t10\t1\t10\t8\t9\t255\ttp:A:P\tNM:i:1\tkd:Z:inverted\tcg:Z:3=1X5=\n"
            "r\"2\t9\t3\t4\t+\tp\t10\t1\t2\t1\t1\t255\ttp:A:P\tNM:i:0\tkd:Z:moved\tcg:Z:1=\n");
}

TEST_F(variant_report_test, of_nothing_has_a_header_alone) {
  found_ = {};
  EXPECT_EQ(written(variant_format::paf), "");
  EXPECT_EQ(written(variant_format::tsv),
            "reference\tbegin\tend\ttype\tref\talt\tquery\tquery_begin\tquery_end\tstrand\tblock\tkind\n");
  const string text = written(variant_format::vcf);
  EXPECT_EQ(text.substr(text.rfind("\n#") + 1),
            "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tmy%09sample\n");
}

class genome_input_test : public folder_test {
protected:
  // Returns the message of the error with which reading the file fails.
  [[nodiscard]] static string failure(const string& file, const files::genome_reading& how) {
    try {
      (void)read_genome(file, how);
    } catch (const error& fault) {
      return fault.what();
    }
    return "";
  }
};

TEST_F(genome_input_test, reads_records_and_removes_gaps) {
  const string file = put("g.fa", ">one x\nACGT\n\n>two\n>three\nA-C.g\nNN\n");
  const files::genome_input read = read_genome(file, {.memory = 1 << 20});
  EXPECT_EQ(read.records.text, "ACGTACgNN");
  EXPECT_EQ(read.records.offsets, (std::vector<std::uint64_t>{0, 4, 4, 9}));
  EXPECT_EQ(read.records.names, (std::vector<string>{"one", "two", "three"}));
  EXPECT_EQ(read.removed_gaps, 2U);
  EXPECT_NE(failure(file, {.gaps = gap_rule::refuse, .memory = 1 << 20})
                .find("g.fa: record 'three' has gaps of an alignment"),
            string::npos);
}

TEST_F(genome_input_test, refuses_what_is_no_genome) {
  for (const char* text : {"", ">none\n", ">gaps\n---\n"})
    EXPECT_NE(failure(put("g.fa", text), {.memory = 1 << 20}).find("g.fa: the file has no letters"),
              string::npos)
        << text;
  EXPECT_NE(failure(put("g.fa", ">p\nMKVLAAGIVGLMKV\n"), {.memory = 1 << 20})
                .find("g.fa: the sequences are not DNA"),
            string::npos);
}

TEST_F(genome_input_test, stops_at_the_limit_of_memory) {
  string text;
  for (int i = 0; i < 100; ++i) text += ">r" + std::to_string(i) + "\n" + string(10'000, 'A') + "\n";
  const string file = put("g.fa", text);
  EXPECT_EQ(read_genome(file, {.memory = 8 << 20, .bytes_per_letter = 7}).records.text.size(), 1'000'000U);
  EXPECT_THROW((void)read_genome(file, {.memory = 6 << 20, .bytes_per_letter = 7}), memory_error);
  EXPECT_THROW((void)read_genome(file, {.memory = 1 << 18}), memory_error);
  EXPECT_THROW((void)read_genome(file, {.memory = 1000}), memory_error);
  EXPECT_THROW((void)read_genome(file, {.memory = 1}), memory_error);
}

TEST_F(genome_input_test, names_must_be_unique) {
  files::reference_set records;
  records.names = {"a", "b", "c"};
  files::require_unique_names(records, "x.fa");
  records.names = {"a", "b", "a"};
  EXPECT_THROW(files::require_unique_names(records, "x.fa"), error);
  records.names = {"a", ""};
  EXPECT_THROW(files::require_unique_names(records, "x.fa"), error);
}

} // namespace

} // namespace weft::test
