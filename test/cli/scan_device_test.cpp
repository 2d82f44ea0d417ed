// Checks that weft scan on GPUs writes the same bytes as on the CPU, and what it reports if there is no GPU.
#include <random>
#include <string>
#include <vector>

#include "device_cases.hpp"

namespace weft::test {

namespace {

using std::string;

const words engines = {"auto", "bit-stream", "shift-and", "nfa-array"};
const words formats = {"tsv", "pff", "scan", "fasta", "gff3", "bed", "jsonl", "html"};

class gpu_scan_verb : public gpu_suite {
protected:
  // Checks that a call with each engine of the GPU, limited to `memory` of it, prints what the CPU prints.
  static void check(const words& given, const string& memory = "8M") {
    const outcome expected = weft_run(with({"scan", "-q", "--device", "cpu"}, given));
    ASSERT_EQ(expected.code, 0) << expected.err;
    for (const string& engine : engines) {
      const outcome actual = weft_run(
          with({"scan", "-q", "--verbose", "--device", "gpu", "--engine", engine, "--device-memory", memory},
               given));
      ASSERT_EQ(actual.code, 0) << actual.err;
      EXPECT_TRUE(actual.out == expected.out) << testing::PrintToString(given) << ", " << engine;
      const string name = engine == "auto" ? "bit-stream" : engine;
      EXPECT_NE(actual.err.find("engine " + name + ", device gpu:0 ("), string::npos) << actual.err;
    }
  }
};

TEST_F(gpu_scan_verb, every_format) {
  for (const string& format : formats) {
    check({"motifs.txt", "proteins.fa", "--format", format});
    check({"motifs.dat", "proteins.fa", "--format", format}, "4G");
    check({"-e", "GAATTY", "-e", "G-A-x-T", "--alphabet", "dna", "dna.fa", "--format", format});
  }
}

TEST_F(gpu_scan_verb, every_flag) {
  for (const words& flags : {words{"-g"},
                             {"-v"},
                             {"-i"},
                             {"-x", "0"},
                             {"-x", "2"},
                             {"-g", "-v", "-i", "-x", "-1"},
                             {"-s"},
                             {"--matches", "starts"},
                             {"--matches", "ends"},
                             {"--matches", "count"},
                             {"--matches", "count", "--format", "jsonl"},
                             {"--alphabet", "bytes"},
                             {"--threads", "1"},
                             {"--memory", "1G"}})
    check(with(flags, {"motifs.dat", "proteins.fa", "proteins.fa"}));
  for (const char* strand : {"+", "-", "both"})
    check({"-e", "GAATTY", "-e", "G-A-x-T", "--alphabet", "dna", "--strand", strand, "dna.fa"});
}

// Uses sequences that are cut because memory is short, and chunks of few sequences.
TEST_F(gpu_scan_verb, long_sequences_and_chunks) {
  const scratch_folder folder;
  std::mt19937_64 random(81);
  string text;
  for (const std::size_t size : {2'000'000U, 30U, 600'000U, 1U}) {
    text += ">s" + std::to_string(size) + "\n";
    for (std::size_t i = 0; i < size; ++i) text += "ACDNX"[random() % 5];
    text += '\n';
  }
  folder.put("long.fa", text);
  const words call = {"-e",   "A-C-D-x(0,30)-N", "-e", "<A-C", "-e", "N-x(2)-D>", "-e",
                      "C(4)", folder / "long.fa"};
  check(call);
  check(with(call, {"-v", "-x", "1"}), "5M");
  check(with(call, {"--matches", "ends"}), "6M");
  const string line = "weft scan -e 'A-C-D-x(0,30)-N' -e '<A-C' '" + (folder / "long.fa") + "' --device ";
  const outcome expected = shell(line + "cpu");
  for (const char* chunk : {"1", "700000"}) {
    const outcome actual = shell(string("WEFT_CHUNK=") + chunk + " " + line + "gpu --device-memory 7M");
    EXPECT_EQ(actual.code, 0) << actual.err;
    EXPECT_TRUE(actual.out == expected.out) << chunk;
  }
}

TEST_F(gpu_scan_verb, chunks_do_not_show) {
  for (const string& format : formats) {
    const string command = "weft scan -q motifs.txt proteins.fa --format " + format;
    const string expected =
        format == "html" ? shell(command + " --device cpu").out : file_bytes(data("scan_list." + format));
    for (const char* size : {"1", "40"})
      EXPECT_EQ(shell(string("WEFT_CHUNK=") + size + " " + command + " --device gpu").out, expected)
          << format << size;
  }
  for (const string& engine : engines)
    EXPECT_EQ(
        shell("WEFT_CHUNK=20 weft scan -q --device gpu --engine " + engine + " motifs.dat proteins.fa").out,
        file_bytes(data("scan_prosite.tsv")))
        << engine;
}

TEST_F(gpu_scan_verb, pipes_and_a_device_of_the_environment) {
  const outcome piped = shell("cat proteins.fa | WEFT_DEVICE=gpu weft scan --verbose -q motifs.txt -");
  EXPECT_EQ(piped.out, file_bytes(data("scan_list.tsv")));
  EXPECT_NE(piped.err.find("device gpu:0 ("), string::npos) << piped.err;
  const outcome small_run = weft_run({"scan", "--verbose", "motifs.txt", "proteins.fa"});
  EXPECT_NE(small_run.err.find("device cpu ("), string::npos) << small_run.err;
  EXPECT_EQ(weft_run({"scan", "motifs.txt", "/dev/null", "--device", "gpu"}).code, 0);
  EXPECT_EQ(weft_run({"scan", "-e", "W-W-W", "proteins.fa", "--device", "gpu", "--fail-if-none"}).code, 1);
}

TEST_F(gpu_scan_verb, wrong_files_are_reported_as_on_the_cpu) {
  const scratch_folder folder;
  folder.put("bad.fa", ">a\nACDEF\n>b\nAC\x01\n");
  for (const words& given : {words{"motifs.txt", folder / "bad.fa"},
                             {"motifs.dat", folder / "bad.fa"},
                             {"motifs.txt", "proteins.fa", folder / "missing.fa"},
                             {folder / "missing.txt", "proteins.fa"}}) {
    const outcome expected = weft_run(with({"scan", "--device", "cpu"}, given)),
                  actual = weft_run(with({"scan", "--device", "gpu"}, given));
    EXPECT_EQ(actual.code, expected.code) << actual.err;
    EXPECT_EQ(actual.err, expected.err);
  }
}

TEST_F(gpu_scan_verb, too_little_memory_is_4) {
  const outcome bounded =
      weft_run({"scan", "-e", "A-x(300)-C", "proteins.fa", "--device", "gpu", "--device-memory", "1K"});
  EXPECT_EQ(bounded.code, 4);
  EXPECT_NE(bounded.err.find("of device memory, but only 1.0 KiB is allowed"), string::npos) << bounded.err;
  const outcome whole =
      weft_run({"scan", "-e", "A-C*-D", "proteins.fa", "--device", "gpu", "--device-memory", "1K"});
  EXPECT_EQ(whole.code, 4);
  EXPECT_NE(whole.err.find("whole sequences on the GPU"), string::npos) << whole.err;
}

// If no device is visible, every machine is one without a GPU.
TEST(scan_devices, without_a_gpu_it_says_why) {
  const scratch_folder folder;
  const string none = "CUDA_VISIBLE_DEVICES= ", files = " motifs.txt proteins.fa";
  for (const string& engine : engines)
    for (const char* device : {"gpu", "gpu:0"}) {
      const outcome result = shell(none + "weft scan --device " + device + " --engine " + engine + files +
                                   " -o " + (folder / "out"));
      const bool known = built_with_cuda() || engine == "auto"; // to be an engine of GPUs, too
      EXPECT_EQ(result.code, known ? 4 : 2) << engine;
      EXPECT_NE(result.err.find(known ? "weft: no GPU can be used: " : "built without CUDA: "), string::npos)
          << result.err;
    }
  EXPECT_EQ(folder.names(), words{});
  EXPECT_EQ(shell(none + "WEFT_DEVICE=gpu weft scan" + files).code, 4);
  const string golden = file_bytes(data("scan_list.tsv"));
  EXPECT_EQ(shell(none + "WEFT_DEVICE=gpu weft scan --device cpu" + files).out, golden);
  EXPECT_EQ(shell(none + "weft scan --device auto --device-memory 1G" + files).out, golden);
  EXPECT_EQ(weft_run({"scan", "--device", "cpu", "motifs.txt", "proteins.fa"}).out, golden);
}

// CUDA starts while files are read, but nothing is written before.
TEST(scan_devices, without_a_gpu_it_says_only_that) {
  const scratch_folder folder;
  const string scan = "CUDA_VISIBLE_DEVICES= weft scan --device gpu ";
  for (const char* files :
       {"motifs.txt proteins.fa", "motifs.dat proteins.fa", "-e A-C proteins.fa", "-e A-C missing.fa",
        "missing.txt proteins.fa", "motifs.txt proteins.fa --memory 1G",
        "motifs.txt proteins.fa -o /no/such/folder/out"}) {
    const outcome result = shell(scan + files);
    EXPECT_EQ(result.code, 4) << files;
    EXPECT_EQ(result.out, "") << files;
    EXPECT_EQ(result.err.rfind("weft: no GPU can be used: ", 0), 0U) << files << result.err;
  }
  // A pipe whose writer never writes: if weft waited for it, this test would not end.
  const string pipe = "'" + (folder / "pipe") + "'";
  const outcome waiting = shell("mkfifo " + pipe + "; exec 3<>" + pipe + "; " + scan + "-e A-C - <&3");
  EXPECT_EQ(waiting.code, 4);
  EXPECT_EQ(waiting.err.rfind("weft: no GPU can be used: ", 0), 0U) << waiting.err;
}

TEST(scan_devices, wrong_ones_are_2_before_anything_is_read) {
  expect_wrong_devices_to_be_2({"scan", "missing.txt", "missing.fa"});
}

} // namespace

} // namespace weft::test
