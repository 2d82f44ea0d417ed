// Tests weft bwt, unbwt and sa: transforms and their inverses, in both forms, as .wbwt and raw files; and
// files that are invalid.
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <test_paths.hpp>
#include <unistd.h>

#include "process.hpp"

namespace weft::test {

namespace {

using std::string;
using words = std::vector<string>;

string weft_out(const words& given) {
  const outcome result = weft_run(given);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  return result.out;
}

// Checks that the command fails and leaves only `inputs` files in the folder.
void expect_failure(const scratch_folder& folder, const words& given, int code, const string& message,
                    std::size_t inputs) {
  test::expect_failure(given, code, message);
  EXPECT_EQ(folder.names().size(), inputs) << message;
}

const std::vector<string> texts = {"",
                                   "a",
                                   "banana",
                                   "abcabcabc",
                                   string(1000, 'x'),
                                   string("\0\xff\0\xff\n\r\0", 7),
                                   file_bytes(data("proteins.fa"))};

TEST(bwt_verb, there_and_back) {
  const scratch_folder folder;
  for (const string& text : texts)
    for (const char* form : {"sentinel", "rotation"})
      for (const char* engine : {"auto", "suffix-sort", "libdivsufsort", "ternary-quicksort"}) {
        folder.put("text", text);
        EXPECT_EQ(weft_out({"bwt", folder / "text", "--form", form, "--engine", engine, "-o", folder / "x"}),
                  "");
        EXPECT_EQ(weft_out({"unbwt", folder / "x", "-o", folder / "back"}), "");
        EXPECT_EQ(file_bytes(folder / "back"), text) << form << ' ' << engine;
        string index = weft_out(
            {"bwt", folder / "text", "--form", form, "--engine", engine, "--raw", "-o", folder / "raw"});
        ASSERT_FALSE(index.empty());
        index.pop_back(); // removes the newline
        EXPECT_EQ(file_bytes(folder / "x").substr(64), file_bytes(folder / "raw"));
        EXPECT_EQ(weft_out({"unbwt", "--raw", "--primary-index", index, "--form", form, folder / "raw"}),
                  text);
      }
}

TEST(bwt_verb, known_transforms) {
  const scratch_folder folder;
  folder.put("text", "banana");
  EXPECT_EQ(weft_out({"bwt", folder / "text", "--raw", "-o", folder / "x"}), "4\n");
  EXPECT_EQ(file_bytes(folder / "x"), "annbaa");
  EXPECT_EQ(weft_out({"bwt", folder / "text", "--raw", "--form", "rotation", "-o", folder / "x"}), "3\n");
  EXPECT_EQ(file_bytes(folder / "x"), "nnbaaa");
  EXPECT_EQ(weft_out({"bwt", folder / "text", "--stats"}),
            "form\tsentinel\nlength\t6\nprimary_index\t4\nsymbols\t3\nruns\t4\nentropy\t1.459148\n");
}

TEST(bwt_verb, pipes_and_compressed_input) {
  EXPECT_EQ(shell("printf banana | weft bwt - | weft unbwt -").out, "banana");
  EXPECT_EQ(shell("printf banana | gzip | weft bwt - | gzip | weft unbwt -").out, "banana");
}

TEST(bwt_verb, outputs_and_engines_are_checked_first) {
  const scratch_folder folder;
  folder.put("text", "banana");
  folder.put("x", file_bytes(folder / "text"));
  expect_failure(folder, {"bwt", folder / "text", "-o", folder / "text"}, 2, "would overwrite the input", 2);
  expect_failure(folder, {"sa", folder / "text", "-o", folder / "a", "--lcp", folder / "./a"}, 2, "same file",
                 2);
  expect_failure(folder, {"sa", folder / "text", "-o", folder / "none" + "/a", "--lcp", folder / "b"}, 3,
                 "none", 2);
  expect_failure(folder, {"sa", folder / "text", "-o", "/dev/full", "--lcp", folder / "b"}, 3, "/dev/full",
                 2);
  expect_failure(folder, {"unbwt", folder / "x", "--engine", "fast"}, 2, "no engine 'fast'", 2);
  expect_failure(folder, {"bwt", folder / "text", "-o", ""}, 2,
                 "the name given to --output must not be empty", 2);
}

TEST(bwt_verb, bytes_that_begin_like_compressed_ones) {
  const scratch_folder folder;
  folder.put("text", string("q\x8b\0zz\x1f", 6));
  const string index = weft_out({"bwt", "--raw", folder / "text", "-o", folder / "raw"});
  EXPECT_EQ(file_bytes(folder / "raw").substr(0, 2), "\x1f\x8b");
  const words back = {"unbwt", "--raw", "--primary-index", index.substr(0, index.size() - 1), folder / "raw"};
  EXPECT_EQ(weft_run(back).code, 2);
  words as_is = back;
  as_is.push_back("--no-decompress");
  EXPECT_EQ(weft_out(as_is), file_bytes(folder / "text"));
}

TEST(bwt_verb, damaged_files_are_refused) {
  const scratch_folder folder;
  folder.put("text", "banana");
  (void)weft_out({"bwt", folder / "text", "-o", folder / "good"});
  const string good = file_bytes(folder / "good");
  const auto refuse = [&](const string& bytes, const string& message) {
    folder.put("bad", bytes);
    expect_failure(folder, {"unbwt", folder / "bad", "-o", folder / "back"}, 2, message, 3);
  };
  refuse(">a\nACGT\n", "bad: not a .wbwt file");
  refuse("", "not a .wbwt file");
  refuse(good.substr(0, 40), "truncated: the .wbwt file ends within its header");
  refuse(good.substr(0, 68), "truncated: only 4 of 6 transformed bytes are present");
  refuse(good + "x", "extra data after the end");
  for (std::size_t i = 0; i < good.size(); ++i) {
    string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    refuse(bad, "bad: ");
  }
}

TEST(bwt_verb, raw_bytes_without_a_text_are_refused) {
  const scratch_folder folder;
  folder.put("raw", "ababab");
  const auto refuse = [&](const words& more, const string& message) {
    words all{"unbwt", folder / "raw", "-o", folder / "back"};
    all.insert(all.end(), more.begin(), more.end());
    expect_failure(folder, all, 2, message, 1);
  };
  refuse({"--raw", "--primary-index", "7"}, "primary index 7 is out of range: 1 to 6");
  refuse({"--raw", "--primary-index", "0"}, "primary index 0 is out of range: 1 to 6");
  refuse({"--raw", "--primary-index", "6", "--form", "rotation"}, "out of range: 0 to 5");
  refuse({"--raw", "--primary-index", "1"}, "not the Burrows-Wheeler transform of any text");
  refuse({"--raw", "--primary-index", "x"}, "--primary-index");
  refuse({"--raw"}, "--primary-index");
  refuse({"--form", "rotation"}, "--form");
}

TEST(bwt_verb, use) {
  const scratch_folder folder;
  folder.put("text", string(100'000, 'a'));
  const string text = folder / "text", to = folder / "x";
  expect_failure(folder, {"bwt", text, "--raw"}, 2, "-o FILE", 1);
  expect_failure(folder, {"bwt", text, "-o", to, "--form", "both"}, 2, "both", 1);
  expect_failure(folder, {"bwt", text, "-o", to, "--engine", "fast"}, 2, "no engine 'fast'", 1);
  expect_failure(folder, {"bwt", text, "-o", to, "--memory", "200K", "--device", "cpu"}, 4, "needs 293 KiB",
                 1);
  expect_failure(folder, {"bwt", folder / "none", "-o", to}, 3, "none", 1);
  expect_failure(folder, {"bwt", text, "-o", to, "--device", "gpu:99"}, 4, "", 1);
  expect_failure(folder, {"sa", text, "-o", to, "--engine", "fast"}, 2, "no engine 'fast'", 1);
  expect_failure(folder, {"sa", text, "-o", to, "--lcp", to}, 2, "same file", 1);
}

// Returns letters that have no long repeats.
string random_dna(std::size_t size) {
  string text;
  std::uint32_t random = 1;
  while (text.size() < size) text += "ACGT"[(random = random * 1664525 + 1013904223) >> 30];
  return text;
}

// Checks that limits of memory choose the engine, and that the results are the same.
TEST(bwt_verb, within_its_memory) {
  const scratch_folder folder;
  folder.put("text", random_dna(1'000'000));
  const auto same = [&](const words& call, const string& memory, const string& engine) {
    const string expected = weft_out(call);
    words limited = call;
    limited.insert(limited.end(), {"--memory", memory, "--device", "cpu", "-t", "2", "--verbose"});
    const outcome result = weft_run(limited);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_NE(result.err.find("engine " + engine), string::npos) << result.err;
    EXPECT_EQ(result.out, expected) << memory;
  };
  const string text = folder / "text";
  same({"bwt", text}, "3500K", "suffix-sort");
  same({"bwt", text}, "10M", "suffix-sort");
  same({"bwt", text, "--form", "rotation"}, "7M", "libdivsufsort");
  same({"bwt", text, "--form", "rotation"}, "12M", "suffix-sort");
  same({"sa", text}, "5M", "libdivsufsort");
  same({"sa", text}, "10M", "suffix-sort");
  expect_failure(folder, {"sa", text, "-o", folder / "x", "--engine", "suffix-sort", "--memory", "6M"}, 4,
                 "needs", 1);
}

TEST(bwt_verb, interruption_leaves_no_file) {
  const scratch_folder folder;
  folder.put("text", ">a\n" + random_dna(50'000'000) + "\n");
  for (const words& call : {words{"bwt"}, {"sa"}, {"sa", "--engine", "libdivsufsort"}, {"index"}}) {
    words given = {WEFT_PROGRAM};
    given.insert(given.end(), call.begin(), call.end());
    given.insert(given.end(), {folder / "text", "-o", folder / "out", "-t", "1", "--device", "cpu"});
    process running(given);
    ::usleep(400'000);
    const auto start = std::chrono::steady_clock::now();
    running.send(SIGINT);
    EXPECT_EQ(running.wait().code, 130) << call.front();
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1)) << call.front();
    EXPECT_EQ(folder.names(), words{"text"}) << call.front();
  }
}

TEST(sa_verb, writes_arrays) {
  const scratch_folder folder;
  const auto numbers = [&](const string& name) {
    const string bytes = file_bytes(folder / name);
    EXPECT_NE(bytes.find("'<u4'"), string::npos);
    const std::size_t at = bytes.find('\n') + 1;
    std::vector<std::uint32_t> items((bytes.size() - at) / 4);
    if (!items.empty()) std::memcpy(items.data(), bytes.data() + at, items.size() * 4);
    return items;
  };
  for (const char* engine : {"auto", "libdivsufsort", "ternary-quicksort"}) {
    folder.put("text", "banana");
    EXPECT_EQ(weft_out({"sa", folder / "text", "-o", folder / "sa.npy", "--lcp", folder / "lcp.npy",
                        "--engine", engine}),
              "");
    EXPECT_EQ(numbers("sa.npy"), (std::vector<std::uint32_t>{5, 3, 1, 0, 4, 2}));
    EXPECT_EQ(numbers("lcp.npy"), (std::vector<std::uint32_t>{0, 1, 3, 0, 0, 2}));
  }
  folder.put("text", "");
  EXPECT_EQ(weft_out({"sa", folder / "text", "-o", folder / "sa.npy"}), "");
  EXPECT_TRUE(numbers("sa.npy").empty());
}

} // namespace
} // namespace weft::test
