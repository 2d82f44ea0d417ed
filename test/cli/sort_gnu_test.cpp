// Compares weft sort of lines with GNU sort in the C locale: random combinations of flags, over lines that
// are difficult to distinguish.
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <test_paths.hpp>
#include <vector>

#include "process.hpp"

namespace weft::test {

namespace {

using std::string;
using words = std::vector<string>;

outcome run_program(const string& name, const words& arguments) {
  words all = {name};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return process(all).wait();
}

class lines_maker {
public:
  explicit lines_maker(std::uint64_t seed) : random_(seed) {}
  bool chance(double p) { return std::uniform_real_distribution<>()(random_) < p; }
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  const string& pick(const words& from) { return from[below(from.size())]; }

  // Byte 80 is left out, because GNU sort 9.1 takes it for a separator of thousands.
  string line(std::uint64_t kind) {
    static const words numbers = {"x",
                                  "Y",
                                  "-1",
                                  "-0",
                                  "0.50",
                                  ".5",
                                  "007",
                                  "7",
                                  "-3.2",
                                  "1e3",
                                  "",
                                  "+4",
                                  "-",
                                  "12345678901234567890",
                                  ".",
                                  "-.",
                                  " 8",
                                  "\t9",
                                  "100000000000000000000000000000000000000000001"},
                       fields = {"a",  "B",  "b!", string(1, '\0'), string("a\0", 2), "a\1", "\xff",
                                 "zz", " q", "\tq"};
    string text;
    if (kind == 0)
      for (std::uint64_t n = below(12); n > 0; --n) text += "ab"[below(2)];
    else if (kind == 1)
      for (std::uint64_t n = below(20); n > 0; --n) text += static_cast<char>((129 + below(255)) & 255);
    else if (kind == 2)
      for (std::uint64_t n = below(5); n > 0; --n) text += pick(numbers) + " ";
    else if (kind == 3)
      for (std::uint64_t n = below(5); n > 0; --n) text += pick(fields) + ",";
    else if (kind == 4)
      for (std::uint64_t n = below(4); n > 0; --n) text += below(3) > 0 ? "abcdefgh" : string(8, '\0');
    else
      text = std::to_string(static_cast<int>(below(100)) - 50) + (chance(0.5) ? ".10" : "");
    return text;
  }
  string text(char terminator, std::uint64_t lines) {
    const std::uint64_t kind = below(6);
    string result;
    for (; lines > 0; --lines) {
      string next = line(kind);
      for (char& c : next)
        if (c == terminator) c = '_';
      result += next + terminator;
    }
    if (!result.empty() && chance(0.2)) result.pop_back();
    return result;
  }
  words flags(bool zero) {
    words result;
    if (zero) result.push_back("-z");
    for (const char* flag : {"-n", "-r", "-u", "-s", "-b", "-d", "-f", "-i"})
      if (chance(0.18)) result.push_back(flag);
    if (chance(0.3)) result.push_back("-t,");
    for (std::uint64_t keys = below(4); keys > 0; --keys) {
      string key = position(1);
      if (chance(0.6)) key += "," + position(0);
      result.insert(result.end(), {"-k", key});
    }
    return result;
  }

private:
  string position(std::uint64_t min_char) {
    string text = std::to_string(1 + below(4));
    if (chance(0.4)) text += "." + std::to_string(min_char + below(4));
    for (const char* option : {"b", "d", "f", "i", "n", "r"})
      if (chance(0.12)) text += option;
    return text;
  }
  std::mt19937_64 random_;
};

struct sort_gnu : testing::Test {
  void SetUp() override {
    const outcome version = run_program("sort", {"--version"});
    if (version.out.find("GNU coreutils") == string::npos)
      GTEST_SKIP() << "the system's sort is not GNU sort";
    setenv("LC_ALL", "C", 1);
  }
  words with_files(const words& flags, std::size_t files) const {
    words result = flags;
    for (std::size_t i = 0; i < files; ++i) result.push_back(name(i));
    return result;
  }
  string name(std::size_t i) const { return folder_ / std::to_string(i); }
  void write(std::size_t i, const string& text) const { folder_.put(std::to_string(i), text); }

  static void expect_same(const words& given, const words& only_weft = {}) {
    words ours = {"sort"};
    ours.insert(ours.end(), given.begin(), given.end());
    ours.insert(ours.end(), only_weft.begin(), only_weft.end());
    const outcome expected = run_program("sort", given), actual = weft_run(ours);
    string flags;
    for (const string& word : ours) flags += word + " ";
    ASSERT_EQ(actual.code, expected.code) << flags << actual.err << expected.err;
    if (expected.code != 2) {
      ASSERT_EQ(actual.out, expected.out) << flags;
    }
  }

private:
  scratch_folder folder_;
};

TEST_F(sort_gnu, flags_combined) {
  lines_maker make(1);
  for (int round = 0; round < 400; ++round) {
    const bool zero = make.chance(0.15);
    words flags = make.flags(zero);
    const std::size_t files = 1 + make.below(3);
    for (std::size_t i = 0; i < files; ++i) write(i, make.text(zero ? '\0' : '\n', make.below(60)));
    if (make.chance(0.2)) {
      for (std::size_t i = 0; i < files; ++i) {
        words sorted = with_files(flags, 0);
        sorted.insert(sorted.end(), {name(i), "-o", name(i)});
        (void)run_program("sort", sorted);
      }
      flags.push_back("-m");
    } else if (make.chance(0.2)) {
      flags.push_back(make.chance(0.5) ? "-c" : "-C");
    }
    const bool check = !flags.empty() && (flags.back() == "-c" || flags.back() == "-C");
    expect_same(with_files(flags, check ? 1 : files));
    if (HasFatalFailure()) return;
  }
}

TEST_F(sort_gnu, more_than_memory_holds) {
  lines_maker make(2);
  for (int round = 0; round < 12; ++round) {
    string text;
    while (text.size() < 1'500'000) text += make.text('\n', 400) + "\n";
    write(0, text);
    expect_same(with_files(make.flags(false), 1), {"-S", "64K"});
    if (HasFatalFailure()) return;
  }
}

// Runs are cut into parts by keys. The cases: one key fills many parts, keys differ late, runs have no key in
// common, and lines are longer than a part.
TEST_F(sort_gnu, runs_merged_in_parts) {
  const string site = string(300, '/') + "page ";
  lines_maker make(4);
  for (int kind = 0; kind < 5; ++kind) {
    string text;
    for (std::uint64_t i = 0; text.size() < 3'000'000; ++i) {
      const string number = std::to_string(make.below(1'000'000));
      if (kind == 0) text += make.pick({"a", "b", "one and the same line", number}) + "\n";
      if (kind == 1) text += site + number + "\n";
      if (kind == 2) text += std::to_string(10'000'000 + i) + "\n";
      if (kind == 3) text += std::to_string(99'000'000 - i) + " " + number + "\n";
      if (kind == 4) text += string(make.chance(0.01) ? 30'000 : 3, 'x') + number + "\n";
    }
    write(0, text);
    for (const words& flags :
         {words{}, {"-r"}, {"-u"}, {"-s", "-n"}, {"-r", "-k2,2n", "-k1,1"}, {"-u", "-k1.1,1.3"}}) {
      const words given = with_files(flags, 1);
      expect_same(given, {"-S", make.pick({"64K", "300K", "1M"}), "--threads", make.pick({"2", "3", "5"})});
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(sort_gnu, more_runs_than_open_files) {
  string text;
  for (int i = 0; i < 300'000; ++i)
    text += std::to_string(i % 1000 * 7919 % 1000) + " " + std::to_string(i) + "\n";
  write(0, text);
  const string flags = " -s -k1,1 " + name(0);
  const outcome actual = shell("ulimit -n 100; weft sort -S 64K" + flags);
  ASSERT_EQ(actual.code, 0) << actual.err;
  EXPECT_EQ(actual.out, shell("sort" + flags).out);
}

TEST_F(sort_gnu, many_lines) {
  lines_maker make(3);
  for (int round = 0; round < 6; ++round) {
    string text;
    while (text.size() < 3'000'000) text += make.text('\n', 4000) + "\n";
    write(0, text);
    expect_same(with_files(make.flags(false), 1), {"--threads", round % 2 == 0 ? "3" : "1"});
    if (HasFatalFailure()) return;
  }
}

TEST_F(sort_gnu, long_lines) {
  const string longest(40'000'000, 'x'); // longer than the size that a reference stores
  write(0, longest + "y\n" + longest + "\nab\n" + longest + "a\n");
  expect_same(with_files({}, 1));
  expect_same(with_files({"-k1,1", "-s"}, 1));
  expect_same(with_files({"-r", "-k1.2"}, 1), {"-S", "100M"});
}

TEST_F(sort_gnu, real_text) {
  const string proteins = WEFT_EXAMPLE_DATA "/proteins.fa";
  for (const words& flags :
       {words{}, {"-u"}, {"-r"}, {"-f", "-k2"}, {"-t", "|", "-k3,3r", "-k2"}, {"-k1.3,1.5", "-s"}}) {
    words given = flags;
    given.push_back(proteins);
    expect_same(given);
  }
}

} // namespace
} // namespace weft::test
