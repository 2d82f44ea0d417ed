// Checks that weft bwt, unbwt, sa and index on GPUs write the same bytes as on the CPU, and what they report
// if there is no GPU.
#include <random>
#include <string>
#include <vector>

#include "device_cases.hpp"

namespace weft::test {

namespace {

using std::string;

class gpu_unbwt_verb : public gpu_suite {};

string random_bases(std::size_t size) {
  std::mt19937_64 random(91);
  string text(size, ' ');
  for (char& c : text) c = "ACGT"[random() % 4];
  return text;
}

// Returns what weft bwt writes with --raw, and the index that it prints.
string transformed(const scratch_folder& folder, const string& form) {
  const outcome result =
      weft_run({"bwt", folder / "text", "--form", form, "--raw", "-o", folder / "raw", "-q"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(weft_run({"bwt", folder / "text", "--form", form, "-o", folder / "x"}).code, 0);
  return result.out.substr(0, result.out.find('\n'));
}

TEST_F(gpu_unbwt_verb, as_on_the_cpu) {
  const scratch_folder folder;
  for (const string& text :
       {string(), string("a"), string("banana"), string("abcabcabc"), string(1000, 'x'),
        string("\0\xff\0\xff\n\r\0", 7), file_bytes(data("proteins.fa")), random_bases(1'000'000)})
    for (const char* form : {"sentinel", "rotation"}) {
      folder.put("text", text);
      const string index = transformed(folder, form);
      const outcome whole = weft_run({"unbwt", "--device", "gpu", "-v", folder / "x"});
      EXPECT_EQ(whole.code, 0) << whole.err;
      EXPECT_TRUE(whole.out == text) << form << ' ' << text.size();
      if (!text.empty()) {
        EXPECT_NE(whole.err.find("engine chains, device gpu:0 ("), string::npos) << whole.err;
      }
      const outcome raw = weft_run({"unbwt", "--device", "gpu:0", "--raw", "--primary-index", index, "--form",
                                    form, folder / "raw", "-q"});
      EXPECT_EQ(raw.code, 0) << raw.err;
      EXPECT_TRUE(raw.out == text) << form << ' ' << text.size();
    }
}

TEST_F(gpu_unbwt_verb, refuses_as_the_cpu_does) {
  const scratch_folder folder;
  folder.put("raw", "aaaabbbbaaaa");
  for (const char* form : {"sentinel", "rotation"})
    for (const char* index : {"0", "1", "5", "12", "13"}) {
      words call = {"unbwt", "--raw", "--form", form, "--primary-index", index, folder / "raw", "--device"};
      call.emplace_back("cpu");
      const outcome expected = weft_run(call);
      call.back() = "gpu";
      const outcome actual = weft_run(call);
      EXPECT_EQ(actual.code, expected.code) << form << ' ' << index;
      EXPECT_EQ(actual.err, expected.err);
      EXPECT_EQ(actual.out, expected.out);
    }
}

TEST_F(gpu_unbwt_verb, memory_and_a_device_of_the_environment) {
  const scratch_folder folder;
  folder.put("text", random_bases(100'000));
  (void)transformed(folder, "sentinel");
  const outcome little =
      weft_run({"unbwt", "--device", "gpu", "--device-memory", "100K", folder / "x", "-o", folder / "back"});
  EXPECT_EQ(little.code, 4);
  EXPECT_NE(little.err.find("of device memory, but only 100 KiB is allowed"), string::npos) << little.err;
  const outcome named = shell("WEFT_DEVICE=gpu weft unbwt -v '" + (folder / "x") + "'");
  EXPECT_TRUE(named.out == random_bases(100'000));
  EXPECT_NE(named.err.find("device gpu:0 ("), string::npos) << named.err;
  const outcome small_run = weft_run({"unbwt", "-v", folder / "x"});
  EXPECT_NE(small_run.err.find("device cpu ("), string::npos) << small_run.err;
}

class gpu_bwt_verbs : public gpu_suite {};

// Returns what the call writes to FILE in the folder, on the given device.
string written(const scratch_folder& folder, const words& call, const string& file, const string& device) {
  const outcome result = weft_run(with(call, {"--device", device, "-o", folder / file, "-v"}));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.err.find("device " + device), string::npos) << result.err;
  return file_bytes(folder / file);
}

TEST_F(gpu_bwt_verbs, as_on_the_cpu) {
  const scratch_folder folder;
  for (const string& text : {string("a"), string("banana"), string("abcabcabc"), string(1000, 'x'),
                             file_bytes(data("proteins.fa")), random_bases(1'000'000)}) {
    folder.put("text", text);
    for (const words& call : {words{"bwt"}, {"bwt", "--form", "rotation"}, {"bwt", "--raw"}, {"sa"}})
      for (const char* engine : {"auto", "ternary-quicksort"}) {
        words whole = call;
        for (const string& word : {string("--engine"), string(engine), folder / "text"})
          whole.push_back(word);
        EXPECT_TRUE(written(folder, whole, "there", "gpu:0") == written(folder, whole, "here", "cpu"))
            << call.front() << ' ' << engine << ' ' << text.size();
      }
  }
}

TEST_F(gpu_bwt_verbs, lcp_arrays_as_on_the_cpu) {
  const scratch_folder folder;
  for (const string& text : {string(), string("a"), string("banana"), string(70'000, 'x'),
                             file_bytes(data("proteins.fa")), random_bases(1'000'000)}) {
    folder.put("text", text);
    for (const char* device : {"cpu", "gpu"}) {
      const outcome result =
          weft_run({"sa", "--device", device, folder / "text", "-o", folder / device + string(".sa"), "--lcp",
                    folder / device + string(".lcp")});
      EXPECT_EQ(result.code, 0) << result.err;
    }
    EXPECT_TRUE(file_bytes(folder / "gpu.sa") == file_bytes(folder / "cpu.sa")) << text.size();
    EXPECT_TRUE(file_bytes(folder / "gpu.lcp") == file_bytes(folder / "cpu.lcp")) << text.size();
  }
}

TEST_F(gpu_bwt_verbs, index_as_on_the_cpu) {
  const scratch_folder folder;
  folder.put("dna.fa",
             ">a\n" + random_bases(300'000) + "\n>b\nACGTNNNNNACGT\n>empty\n>c\n" + string(5000, 'A') + "\n");
  for (const string& file : {folder / "dna.fa", data("proteins.fa")})
    for (const words& flags :
         {words{}, {"--sa-sample-rate", "1"}, {"--sa-sample-rate", "100", "--alphabet", "bytes"}}) {
      const words call = with({"index", file}, flags);
      EXPECT_TRUE(written(folder, call, "there", "gpu:0") == written(folder, call, "here", "cpu")) << file;
    }
  const outcome little = weft_run(
      {"index", folder / "dna.fa", "--device", "gpu", "--device-memory", "1M", "-o", folder / "none"});
  EXPECT_EQ(little.code, 4);
  EXPECT_NE(little.err.find("building the index needs"), string::npos) << little.err;
}

// If no device is visible, every machine is one without a GPU.
TEST(unbwt_devices, without_a_gpu_it_says_why) {
  const scratch_folder folder;
  folder.put("text", "banana");
  (void)transformed(folder, "sentinel");
  const string none = "CUDA_VISIBLE_DEVICES= ", file = " '" + (folder / "x") + "'";
  for (const char* device : {"gpu", "gpu:0"}) {
    const outcome result = shell(none + "weft unbwt --device " + device + file + " -o " + (folder / "out"));
    EXPECT_EQ(result.code, 4);
    EXPECT_EQ(result.err.rfind("weft: no GPU can be used: ", 0), 0U) << result.err;
  }
  EXPECT_EQ(folder.names().size(), 3U);
  EXPECT_EQ(shell(none + "weft unbwt --device auto --device-memory 1G" + file).out, "banana");
  EXPECT_EQ(shell(none + "WEFT_DEVICE=gpu weft unbwt --device cpu" + file).out, "banana");
}

TEST(unbwt_devices, wrong_ones_are_2_before_anything_is_read) {
  expect_wrong_devices_to_be_2({"unbwt", "missing.wbwt"});
}

} // namespace

} // namespace weft::test
