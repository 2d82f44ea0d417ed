// Checks that weft find on GPUs writes the same bytes as on the CPU, and what it reports if there is no GPU.
#include <random>
#include <string>
#include <vector>

#include "device_cases.hpp"

namespace weft::test {

namespace {

using std::string;

string random_letters(std::mt19937_64& random, std::size_t size, const string& letters) {
  string text(size, ' ');
  for (char& c : text) c = letters[random() % letters.size()];
  return text;
}

// A folder with references, their indexes, and patterns of all kinds.
class gpu_find_verb : public gpu_suite {
protected:
  void SetUp() override {
    gpu_suite::SetUp();
    if (IsSkipped()) return;
    std::mt19937_64 random(91);
    const string dna = random_letters(random, 300'000, "ACGT"),
                 protein = random_letters(random, 50'000, "ACDEFGHIKLMNPQRSTVWY");
    folder_.put("dna.fa", ">one a\n" + dna + "\n>two\nNNNN" + dna.substr(1000, 5000) + "\n>none\n");
    folder_.put("protein.fa", ">p1\n" + protein + "\n>p2\nMKV\n");
    index("dna", "dna.fa");
    index("protein", "protein.fa");
    folder_.put("patterns.txt", patterns(random, dna, "ACGT"));
    folder_.put("peptides.txt", patterns(random, protein, "ACDEF"));
    string longer;
    for (int i = 0; i < 2000; ++i) {
      string piece = dna.substr(random() % (dna.size() - 200), 12 + random() % 140);
      piece[random() % piece.size()] = "ACGTN"[random() % 5];
      if (i % 3 == 0) piece.erase(random() % piece.size(), 1);
      longer += piece + "\n";
    }
    folder_.put("long.txt", longer);
    folder_.put("records.fa", ">x\nACG\n>y\n" + dna.substr(2000, 300) + "\n>z\nACNGT\n>w\n\n");
  }
  void index(const string& alphabet, const string& file) const {
    const outcome made = weft_run(
        {"index", folder_ / file, "--alphabet", alphabet, "-o", folder_ / (alphabet + ".wfi"), "-q"});
    ASSERT_EQ(made.code, 0) << made.err;
  }
  static string patterns(std::mt19937_64& random, const string& text, const string& letters) {
    string lines = "A\nac\nGATTACA\n" + letters + "\n";
    for (int i = 0; i < 6000; ++i)
      lines += (i % 5 == 0 ? random_letters(random, 4 + random() % 6, letters)
                           : text.substr(random() % (text.size() - 200), 3 + random() % 150)) +
               "\n";
    return lines;
  }
  // Checks that a call on the GPU, limited to `memory` of it, prints what the CPU prints.
  void check(const words& given, const string& memory = "64M", const string& engine = "batch") const {
    const outcome expected = weft_run(with({"find", "--device", "cpu"}, given));
    ASSERT_EQ(expected.code, 0) << expected.err;
    const outcome actual =
        weft_run(with({"find", "--device", "gpu", "-v", "--device-memory", memory}, given));
    ASSERT_EQ(actual.code, 0) << actual.err;
    EXPECT_TRUE(actual.out == expected.out) << testing::PrintToString(given);
    EXPECT_EQ(actual.err.rfind(expected.err, 0), 0U) << actual.err; // the same notes, then the last line
    EXPECT_NE(actual.err.find("engine " + engine + ", device gpu:0 ("), string::npos) << actual.err;
  }
  scratch_folder folder_;
};

TEST_F(gpu_find_verb, every_format_and_flag) {
  const string dna = folder_ / "dna.wfi", protein = folder_ / "protein.wfi";
  for (const words& flags : {words{},
                             {"--bed"},
                             {"--count"},
                             {"--both-strands"},
                             {"--both-strands", "--count"},
                             {"--both-strands", "--bed", "--max-hits", "3"},
                             {"--max-hits", "0"},
                             {"--max-hits", "1"},
                             {"--threads", "1", "--max-hits", "100"}}) {
    check(with({dna, folder_ / "patterns.txt"}, flags));
    check(with({dna, folder_ / "records.fa"}, flags));
  }
  for (const words& flags : {words{}, {"--bed"}, {"--count"}, {"--max-hits", "2"}}) {
    check(with({protein, folder_ / "peptides.txt"}, flags));
    check(with({protein, "-e", "MKV", "-e", "mkv", "-e", "A"}, flags));
  }
}

TEST_F(gpu_find_verb, with_differences) {
  const string dna = folder_ / "dna.wfi";
  for (const words& flags : {words{"--mismatches", "1"},
                             {"--mismatches", "2", "--both-strands", "--count"},
                             {"--mismatches", "2", "--both-strands", "--best", "--format", "jsonl"},
                             {"--mismatches", "1", "--circular", "--max-hits", "3"},
                             {"--errors", "2", "--both-strands", "--format", "paf"},
                             {"--errors", "1", "--all-ends", "--circular"},
                             {"--errors", "2", "--exact-suffix", "3", "--count"}})
    check(with({dna, folder_ / "long.txt"}, flags), "64M", "near");
  check({dna, folder_ / "long.txt", "--mismatches", "2"}, "8M", "near");
}

TEST_F(gpu_find_verb, little_memory_of_the_device) {
  check({folder_ / "dna.wfi", folder_ / "patterns.txt"}, "6M");
  check({folder_ / "dna.wfi", folder_ / "patterns.txt", "--count"}, "2M");
}

TEST_F(gpu_find_verb, pipes_and_a_device_of_the_environment) {
  const string call =
      "weft find '" + (folder_ / "dna.wfi") + "' - --count <'" + (folder_ / "patterns.txt") + "'";
  const outcome piped = shell("WEFT_DEVICE=gpu " + call + " -v");
  EXPECT_EQ(piped.out, shell(call + " --device cpu").out);
  EXPECT_NE(piped.err.find("device gpu:0 ("), string::npos) << piped.err;
  EXPECT_EQ(weft_run({"find", folder_ / "dna.wfi", "-e", string(99, 'G'), "--device", "gpu", "-q",
                      "--fail-if-none"})
                .code,
            1);
  EXPECT_EQ(weft_run({"find", folder_ / "dna.wfi", "/dev/null", "--device", "gpu"}).code, 0);
}

TEST_F(gpu_find_verb, too_little_memory_is_4) {
  const outcome result =
      weft_run({"find", folder_ / "dna.wfi", "-e", "A", "--device", "gpu", "--device-memory", "1K"});
  EXPECT_EQ(result.code, 4);
  EXPECT_NE(result.err.find("of device memory"), string::npos) << result.err;
}

// If no device is visible, every machine is one without a GPU.
TEST(find_devices, without_a_gpu_it_says_why) {
  const scratch_folder folder;
  folder.put("one.fa", ">r1\nGATTACA\n");
  ASSERT_EQ(weft_run({"index", folder / "one.fa", "-o", folder / "one.wfi"}).code, 0);
  const string none = "CUDA_VISIBLE_DEVICES= ", call = "weft find '" + (folder / "one.wfi") + "' -e TTA";
  for (const char* device : {"gpu", "gpu:0"}) {
    const outcome result = shell(none + call + " --device " + device + " -o '" + (folder / "out") + "'");
    EXPECT_EQ(result.code, 4);
    EXPECT_EQ(result.err.rfind("weft: no GPU can be used: ", 0), 0U) << result.err;
  }
  EXPECT_EQ(folder.names(), (words{"one.fa", "one.wfi"}));
  const string found = weft_run({"find", folder / "one.wfi", "-e", "TTA", "--device", "cpu"}).out;
  EXPECT_NE(found.find("TTA\tr1\t3\t5\t+"), string::npos) << found;
  EXPECT_EQ(shell(none + "WEFT_DEVICE=gpu " + call).code, 4);
  EXPECT_EQ(shell(none + "WEFT_DEVICE=gpu " + call + " --device cpu").out, found);
  EXPECT_EQ(shell(none + call + " --device auto --device-memory 1G").out, found);
}

TEST(find_devices, wrong_ones_are_2_before_anything_is_read) {
  expect_wrong_devices_to_be_2({"find", "missing.wfi", "missing.fa"});
}

} // namespace

} // namespace weft::test
