// Tests weft sort as a program: arrays, exit codes, and files that are kept or removed.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <test_paths.hpp>
#include <thread>
#include <vector>
#include <weft/io/npy.hpp>

#include "process.hpp"

namespace weft::test {

namespace {

using std::string;
using words = std::vector<string>;

template <class T> string bytes_of(const std::vector<T>& items) {
  return {reinterpret_cast<const char*>(items.data()), items.size() * sizeof(T)};
}

TEST(sort_verb, arrays_of_every_engine_and_direction) {
  const scratch_folder folder;
  std::mt19937_64 random(1);
  std::vector<std::int64_t> items(5000);
  for (std::int64_t& item : items) item = static_cast<std::int64_t>(random()) >> (random() % 64);
  std::vector<std::int64_t> sorted = items;
  std::sort(sorted.begin(), sorted.end());
  folder.put("a.bin", bytes_of(items));
  folder.put("a.npy", io::npy_header({io::element_type::i64, items.size()}) + bytes_of(items));
  for (const char* engine : {"auto", "vqsort", "merge", "sample-merge"})
    EXPECT_EQ(weft_run({"sort", "--type", "i64", "--engine", engine, folder / "a.bin"}).out, bytes_of(sorted))
        << engine;
  EXPECT_EQ(weft_run({"sort", folder / "a.npy"}).out,
            io::npy_header({io::element_type::i64, items.size()}) + bytes_of(sorted));
  // from standard input
  EXPECT_EQ(weft_run({"sort", "--type", "i64"}, folder / "a.bin").out, bytes_of(sorted));
  std::reverse(sorted.begin(), sorted.end());
  EXPECT_EQ(weft_run({"sort", "-r", "--type", "i64", folder / "a.bin"}).out, bytes_of(sorted));
  // sorts the file in place
  EXPECT_EQ(weft_run({"sort", folder / "a.npy", "-r", "-o", folder / "a.npy"}).code, 0);
  EXPECT_EQ(file_bytes(folder / "a.npy"),
            io::npy_header({io::element_type::i64, items.size()}) + bytes_of(sorted));
}

TEST(sort_verb, the_engine_that_ran_is_told) {
  const scratch_folder folder;
  folder.put("a.bin", string(64, '\1'));
  for (const auto& [flags, engine] : {std::pair{words{"--type", "u32"}, "vqsort"},
                                      {{"--type", "f64", "-s", "-r"}, "vqsort"},
                                      {{"--type", "u32", "--argsort"}, "vqsort"},
                                      {{"--type", "i128", "--argsort"}, "merge"},
                                      {{"--type", "u32", "--engine", "merge"}, "merge"},
                                      {{"--type", "u32", "--engine", "sample-merge"}, "sample-merge"}}) {
    words call{"sort", "-v", "--device", "cpu", folder / "a.bin"};
    call.insert(call.end(), flags.begin(), flags.end());
    const outcome result = weft_run(call);
    EXPECT_TRUE(has(result.err, string("engine ") + engine + ", device cpu")) << result.err;
  }
}

TEST(sort_verb, floats_put_nan_last) {
  const scratch_folder folder;
  folder.put("f.bin",
             bytes_of(std::vector<float>{1, -__builtin_nanf(""), 0.0F, -0.0F, __builtin_inff(), -1}));
  EXPECT_EQ(weft_run({"sort", "--type", "f32", folder / "f.bin"}).out,
            bytes_of(std::vector<float>{-1, -0.0F, 0.0F, 1, __builtin_inff(), -__builtin_nanf("")}));
}

TEST(sort_verb, orders_and_values_by_keys) {
  const scratch_folder folder;
  folder.put("keys.npy",
             io::npy_header({io::element_type::u16, 4}) + bytes_of(std::vector<std::uint16_t>{3, 1, 3, 2}));
  folder.put("values.npy",
             io::npy_header({io::element_type::f64, 4}) + bytes_of(std::vector<double>{30, 10, 31, 20}));
  EXPECT_EQ(weft_run({"sort", "--argsort", folder / "keys.npy"}).out,
            io::npy_header({io::element_type::u64, 4}) + bytes_of(std::vector<std::uint64_t>{1, 3, 0, 2}));
  EXPECT_EQ(weft_run({"sort", folder / "keys.npy", "--by-key", folder / "values.npy"}).out,
            io::npy_header({io::element_type::f64, 4}) + bytes_of(std::vector<double>{10, 20, 30, 31}));
  EXPECT_EQ(weft_run({"sort", "-r", folder / "keys.npy", "--by-key", folder / "values.npy"}).out,
            io::npy_header({io::element_type::f64, 4}) + bytes_of(std::vector<double>{30, 31, 20, 10}));
}

TEST(sort_verb, wrong_use_and_damaged_arrays) {
  const scratch_folder folder;
  folder.put("odd.bin", "12345");
  folder.put("short.npy", io::npy_header({io::element_type::u32, 3}) + "12345678");
  folder.put("long.npy", io::npy_header({io::element_type::u32, 1}) + "12345678");
  folder.put("text.npy", "no array");
  folder.put("two.npy", io::npy_header({io::element_type::u8, 2}) + "ab");
  expect_failure({"sort", "--type", "u16", folder / "odd.bin"}, 2, "not a whole number of u16");
  expect_failure({"sort", folder / "short.npy"}, 2, "the header announces 3 items, but 8 bytes follow");
  expect_failure({"sort", folder / "long.npy"}, 2, "the header announces 1 items");
  expect_failure({"sort", folder / "text.npy"}, 2, "not a .npy file");
  expect_failure({"sort", folder / "two.npy", "--by-key", folder / "long.npy"}, 2, "announces 1 items");
  expect_failure({"sort", "--type", "u8", folder / "odd.bin", "--by-key", folder / "two.npy"}, 2, "5 keys");
  expect_failure({"sort", "--type", "u8", "-n", folder / "odd.bin"}, 2,
                 "--numeric-sort can be used only for lines");
  expect_failure({"sort", "--type", "u24", folder / "odd.bin"}, 2, "u24");
  expect_failure({"sort", "--type", "u8", "--engine", "bubble", folder / "odd.bin"}, 2, "bubble");
  expect_failure({"sort", "-k", "0", folder / "odd.bin"}, 2,
                 "field number is zero: invalid field specification '0'");
  expect_failure({"sort", "-t", "ab", folder / "odd.bin"}, 2, "'ab'");
  expect_failure({"sort", "-S", "12x", folder / "odd.bin"}, 2, "'12x'");
  expect_failure({"sort", folder / "odd.bin", folder / "missing"}, 3, "missing");
  expect_failure({"sort", "-c", folder / "odd.bin", folder / "two.npy"}, 2, "not allowed with -c");
  expect_failure({"sort", "-c", "-C", folder / "odd.bin"}, 2, "options '-cC' are incompatible");
  expect_failure({"sort", "-c", "-o", folder / "new", folder / "odd.bin"}, 2,
                 "options '-co' are incompatible");
  expect_failure({"sort", "--engine", "merge", folder / "odd.bin"}, 2,
                 "the only engine for lines of text is words");
  expect_failure({"sort", "--engine", "words", "--type", "u8", folder / "odd.bin"}, 2,
                 "only for lines of text, not for arrays");
  expect_failure({"sort", "--reverse=false", folder / "odd.bin"}, 2, "--reverse does not take a value");
}

TEST(sort_verb, arrays_are_known_by_their_first_bytes) {
  const scratch_folder folder;
  const string array =
                   io::npy_header({io::element_type::u16, 3}) + bytes_of(std::vector<std::uint16_t>{3, 1, 2}),
               sorted =
                   io::npy_header({io::element_type::u16, 3}) + bytes_of(std::vector<std::uint16_t>{1, 2, 3});
  folder.put("array", array);
  EXPECT_EQ(weft_run({"sort", folder / "array"}).out, sorted);
  EXPECT_EQ(weft_run({"sort"}, folder / "array").out, sorted);
  EXPECT_EQ(shell("gzip -c " + (folder / "array") + " | weft sort --type u16 -").out, sorted);
  expect_failure({"sort", "--type", "i16", folder / "array"}, 2, "contains numbers of type u16, not i16");
  expect_failure({"sort", "-n", folder / "array"}, 2, "--numeric-sort can be used only for lines");
  folder.put("raw", "\x1f\x8b\x01\x02");
  EXPECT_EQ(weft_run({"sort", "--type", "u16", folder / "raw"}).code, 2);
  EXPECT_EQ(weft_run({"sort", "--type", "u16", "--no-decompress", folder / "raw"}).out, "\x01\x02\x1f\x8b");
}

TEST(sort_verb, output_onto_an_input_and_unwritable_folders) {
  const scratch_folder folder;
  string text;
  for (int i = 0; i < 60'000; ++i) text += std::to_string(i * 7919 % 60'000) + " a line\n";
  folder.put("t.txt", text);
  EXPECT_EQ(weft_run({"sort", "-n", "-S", "64K", folder / "t.txt", "-o", folder / "t.txt"}).code, 0);
  const string sorted = file_bytes(folder / "t.txt");
  EXPECT_EQ(sorted.size(), text.size());
  EXPECT_EQ(sorted.rfind("0 a line\n1 a line\n2 a line\n", 0), 0U);
  EXPECT_EQ(weft_run({"sort", "-c", "-n", folder / "t.txt"}).code, 0);
  expect_failure({"sort", "-S", "64K", "-T", folder / "none", folder / "t.txt"}, 3, "none");
  for (const string threads : {"1", "2", "4"})
    expect_failure({"sort", "-S", "400K", "--threads", threads, folder / "t.txt", "-o", "/dev/full"}, 3,
                   "/dev/full");
  EXPECT_EQ(folder.names(), words{"t.txt"}); // there is no temporary file
}

TEST(sort_verb, lines_about_as_long_as_the_memory) {
  const scratch_folder folder;
  const string memory = "100K", short_lines(100'000, '\n');
  bool too_long = false;
  for (std::size_t size = 102'000; size < 112'000; size += 97) {
    const string a = string(size, 'a') + "\n", b = string(size, 'b') + "\n";
    folder.put("t.txt", "x\n" + b + a + short_lines);
    const outcome actual = weft_run({"sort", "--memory", memory, folder / "t.txt"});
    too_long = actual.code != 0;
    if (too_long) {
      EXPECT_EQ(actual.code, 4);
      EXPECT_NE(actual.err.find("t.txt:2: the line does not fit in 100 KiB"), string::npos) << actual.err;
      break;
    }
    ASSERT_TRUE(actual.out == short_lines + a + b + "x\n") << size;
  }
  EXPECT_TRUE(too_long);
}

TEST(sort_verb, ends_at_once_and_leaves_nothing) {
  const scratch_folder folder;
  process running({WEFT_PROGRAM, "sort", "-S", "64K", "-T", folder / "", "-o", folder / "out.txt"}, "");
  string text;
  for (int i = 0; i < 30'000; ++i) text += std::to_string(i * 7919 % 30'000) + "\n";
  running.write(text); // runs are on disk by now, and the input continues
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  running.send(SIGINT);
  EXPECT_EQ(running.wait().code, 130);
  EXPECT_EQ(folder.names(), words());
}

// Rank 0 alone has a pipe and standard input. What comes first differs from what comes later.
TEST(sort_verb, ranks_sort_what_comes_from_a_pipe) {
  for (const string input :
       {"seq -f '%07.0f' 200000 | cat -", "(yes 5 | head -100000; seq 100000)", "printf ''",
        "printf 'b\\na\\nb'", "seq 100000 | tr '\\n' '\\0'", "seq 150000 | gzip -1"})
    for (const string flags : {"", " -u", " -k1.2,1n -s -r"}) {
      const string sort =
          "weft sort -" + flags + (input.ends_with("'\\0'") ? " -z" : "") + " --memory 2M | md5sum";
      const outcome one = shell(input + " | " + sort);
      for (const char* ranks : {"3", "8"}) {
        const outcome several = shell(input + " | WEFT_THREAD_RANKS=" + ranks + " " + sort);
        EXPECT_EQ(several.code, 0);
        EXPECT_EQ(several.out, one.out) << input << sort << ranks;
        EXPECT_EQ(several.err, "");
      }
    }
}

TEST(sort_verb, an_array_goes_to_a_named_pipe) {
  const scratch_folder folder;
  folder.put("t", "bca");
  const std::string pipe = folder / "pipe", got = folder / "got";
  const outcome result =
      shell("mkfifo " + pipe + " && { timeout 20 cat " + pipe + " > " + got + " & weft sort --type u8 " +
            (folder / "t") + " -o " + pipe + "; code=$?; wait; cat " + got + "; exit $code; }");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "abc");
}

} // namespace
} // namespace weft::test
