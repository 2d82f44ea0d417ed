// Checks that weft sort on GPUs writes the same bytes as on the CPU, and what it reports if there is no GPU.
#include <random>
#include <string>
#include <string_view>
#include <vector>
#include <weft/io/npy.hpp>

#include "device_cases.hpp"

namespace weft::test {

namespace {

using std::string;

class gpu_sort_verb : public gpu_suite {
protected:
  // Checks that a call on the GPU, limited to `memory` of it, prints what the CPU prints.
  static void check(const words& given, const string& memory = "2M") {
    const words call = with({"sort"}, given);
    const outcome expected = weft_run(with(call, {"--device", "cpu"}));
    const outcome actual = weft_run(with(call, {"--device", "gpu", "--device-memory", memory, "-v"}));
    ASSERT_EQ(expected.code, 0) << expected.err;
    ASSERT_EQ(actual.code, 0) << actual.err;
    EXPECT_TRUE(actual.out == expected.out) << testing::PrintToString(given) << ", " << memory;
    EXPECT_NE(actual.err.find("device gpu:0 ("), string::npos) << actual.err;
  }
};

string random_bytes(std::size_t count) {
  std::mt19937_64 random(count);
  string bytes(count, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

TEST_F(gpu_sort_verb, arrays_of_every_type) {
  const scratch_folder folder;
  folder.put("a", random_bytes(2'400'000));
  folder.put("values", random_bytes(2'400'000));
  for (const char* type : {"u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "i128", "f32", "f64"}) {
    const words call = {"--type", type, folder / "a"};
    check(call, "8G");
    check(with(call, {"-r", "--argsort"}));
    check(with(call, {"--by-key", folder / "values"}));
  }
  for (const char* type : {"i16", "f64", "i128"}) {
    check({"--type", type, "-r", folder / "a"});
    check({"--type", type, "-s", folder / "a"});
  }
}

TEST_F(gpu_sort_verb, npy_and_the_engine_by_name) {
  const scratch_folder folder;
  folder.put("a.npy", io::npy_header({io::element_type::f64, 100'000}) + random_bytes(800'000));
  check({folder / "a.npy"});
  check({folder / "a.npy", "-r", "--argsort"});
  const outcome named = weft_run({"sort", "-v", "--engine", "gpu", folder / "a.npy"});
  EXPECT_EQ(named.out, weft_run({"sort", folder / "a.npy", "--device", "cpu"}).out);
  EXPECT_NE(named.err.find("engine gpu, device gpu:"), string::npos) << named.err;
  folder.put("none", "");
  EXPECT_EQ(weft_run({"sort", "--type", "u32", "--device", "gpu", folder / "none"}).code, 0);
}

TEST_F(gpu_sort_verb, from_file_to_file) {
  const scratch_folder folder;
  const string raw = random_bytes(24'000'000), none = folder / "none", in = folder / "in";
  folder.put("in", raw);
  folder.put("in.npy", io::npy_header({io::element_type::i32, 6'000'000}) + raw);
  folder.put("none", "");
  for (const words& call : {words{"--type", "u64", in},
                            {"--type", "u64", "-r", "-s", in},
                            {"--type", "u8", in},
                            {"--type", "i128", "-r", in},
                            {"--type", "f32", in},
                            {folder / "in.npy"},
                            {"--type", "u32", none}}) {
    const words whole = with({"sort"}, call);
    ASSERT_EQ(weft_run(with(whole, {"--device", "cpu", "-o", folder / "cpu"})).code, 0);
    const outcome on_gpu = weft_run(with(whole, {"--device", "gpu", "-o", folder / "gpu", "-v"}));
    ASSERT_EQ(on_gpu.code, 0) << on_gpu.err;
    EXPECT_NE(on_gpu.err.find("device gpu:0 ("), string::npos) << on_gpu.err;
    EXPECT_TRUE(file_bytes(folder / "gpu") == file_bytes(folder / "cpu")) << testing::PrintToString(call);
  }
  // No array of all numbers is in memory, and the file that is read may be the one that is written.
  EXPECT_EQ(weft_run({"sort", "--type", "u64", "--device", "gpu", "--memory", "12M", in, "-o", in}).code, 0);
  ASSERT_EQ(weft_run({"sort", "--type", "u64", "--device", "cpu", in, "-o", folder / "cpu"}).code, 0);
  EXPECT_TRUE(file_bytes(in) == file_bytes(folder / "cpu"));
  EXPECT_EQ(folder.names(), (words{"cpu", "gpu", "in", "in.npy", "none"}));
}

TEST_F(gpu_sort_verb, lines_by_every_flag) {
  const scratch_folder folder;
  std::mt19937_64 random(3);
  string text;
  for (int i = 0; i < 60'000; ++i)
    text += " chromosome " + std::to_string(random() % 300) + "\t" + std::to_string(random() % 100 - 50.5) +
            (random() % 2 == 0 ? "\tGENE-" : "\tgene") + string(random() % 20, 'x') + "\n";
  folder.put("t", text + "no newline at the end");
  folder.put("zeros", string(1000, '\0') + text);
  const string file = folder / "t";
  for (const words& flags : {words{},
                             {"-r"},
                             {"-u"},
                             {"-s", "-k", "2,2"},
                             {"-n", "-k", "3"},
                             {"-n", "-r"},
                             {"-f"},
                             {"-d", "-f", "-r"},
                             {"-i"},
                             {"-b", "-k", "2"},
                             {"-u", "-k", "2,2n"},
                             {"-k", "2,2nr", "-k", "3,3", "-r"},
                             {"-t", "\t", "-k", "3"},
                             {"-z"},
                             {"-S", "500K"},
                             {"-S", "500K", "-k", "2,2n", "-u"},
                             {"--threads", "1"}}) {
    check(with(flags, {file}));
    check(with(flags, {file, folder / "zeros"}), "8G");
  }
}

TEST_F(gpu_sort_verb, a_device_of_the_environment) {
  const outcome lines = shell("printf 'b\\na\\n' | WEFT_DEVICE=gpu weft sort -v");
  EXPECT_EQ(lines.out, "a\nb\n");
  EXPECT_NE(lines.err.find("engine words, device gpu:0 ("), string::npos) << lines.err;
  const outcome array = shell("printf 'ba' | WEFT_DEVICE=gpu weft sort -v --type u8");
  EXPECT_EQ(array.out, "ab");
  EXPECT_NE(array.err.find("engine gpu, device gpu:0 ("), string::npos) << array.err;
  const outcome small_run = shell("printf 'ba' | weft sort -v --type u8");
  EXPECT_EQ(small_run.out, "ab");
  EXPECT_NE(small_run.err.find("device cpu ("), string::npos) << small_run.err;
}

TEST_F(gpu_sort_verb, too_little_memory_is_4) {
  const scratch_folder folder;
  folder.put("a", random_bytes(8'000'000));
  const words call = {"sort", "--type", "u64", "--device", "gpu", folder / "a"};
  const outcome device = weft_run(with(call, {"--device-memory", "1K"}));
  EXPECT_EQ(device.code, 4);
  EXPECT_NE(device.err.find("of device memory, but only 1.0 KiB is allowed"), string::npos) << device.err;
  const outcome host = weft_run(with(call, {"--device-memory", "2M", "--memory", "12M"})); // merges its runs
  EXPECT_EQ(host.code, 4);
  EXPECT_NE(host.err.find("sorting needs 15 MiB of memory, but only 12 MiB is allowed"), string::npos)
      << host.err;
  EXPECT_EQ(weft_run(with(call, {"--device-memory", "1G", "--memory", "12M"})).code, 0);
}

// If no device is visible, every machine is one without a GPU.
TEST(sort_devices, without_a_gpu_it_says_why) {
  const scratch_folder folder;
  folder.put("t", "b\na\n");
  const string none = "CUDA_VISIBLE_DEVICES= ", file = " " + (folder / "t");
  for (const char* given :
       {"--device gpu", "--device gpu:0", "--device gpu --type u8", "--engine gpu --type u8",
        "--engine gpu --device gpu --type u8", "--device gpu --type u8 --argsort", "--device gpu -n -k 1"}) {
    const outcome result = shell(none + "weft sort " + given + file + " -o " + (folder / "out"));
    if (built_with_cuda() || !std::string_view(given).starts_with("--engine")) {
      EXPECT_EQ(result.code, 4) << given;
      EXPECT_EQ(result.err.rfind("weft: no GPU can be used: ", 0), 0U) << result.err;
    } else {
      EXPECT_EQ(result.code, 2) << given;
      EXPECT_NE(result.err.find("(this weft was built without CUDA: "), string::npos) << result.err;
    }
  }
  EXPECT_EQ(folder.names(), words{"t"});
  EXPECT_EQ(shell(none + "WEFT_DEVICE=gpu weft sort" + file).code, 4);
  EXPECT_EQ(shell(none + "WEFT_DEVICE=gpu weft sort --device cpu" + file).out, "a\nb\n");
  EXPECT_EQ(shell(none + "weft sort --device auto --device-memory 1G" + file).out, "a\nb\n");
  const outcome engines = shell(none + "weft devices --engines");
  EXPECT_EQ(engines.out.find("sort\tgpu\tunavailable: ") != string::npos, built_with_cuda()) << engines.out;
}

TEST(sort_devices, an_engine_or_work_goes_before_the_device_of_the_environment) {
  const scratch_folder folder;
  folder.put("t", "ba");
  folder.put("sorted", "a\nb\n");
  for (const string engine : {"vqsort", "merge", "sample-merge"}) {
    const string call = "weft sort --type u8 --engine " + engine + " " + (folder / "t");
    EXPECT_EQ(shell("WEFT_DEVICE=gpu " + call).out, "ab") << engine;
    EXPECT_EQ(shell("printf ba | WEFT_DEVICE=gpu weft sort --type u8 --engine " + engine).out, "ab")
        << engine;
    EXPECT_EQ(shell("WEFT_DEVICE=gpu " + call + " --device gpu").code, 2) << engine;
  }
  const string none =
      "CUDA_VISIBLE_DEVICES= WEFT_DEVICE=cpu weft sort --type u8 --engine gpu " + (folder / "t");
  EXPECT_EQ(shell(none).code, built_with_cuda() ? 4 : 2); // weft looks for a GPU, and finds none
  EXPECT_EQ(shell(none + " --device cpu").code, 2);
  for (const string work : {"-m", "-c", "-C"}) {
    const string call = "weft sort " + work + " " + (folder / "sorted");
    EXPECT_EQ(shell("WEFT_DEVICE=gpu:99 " + call).code, 0) << work;
    const outcome asked = shell(call + " --device gpu");
    EXPECT_EQ(asked.code, 2) << work;
    EXPECT_NE(asked.err.find("runs only on the CPU"), string::npos) << asked.err;
  }
}

} // namespace
} // namespace weft::test
