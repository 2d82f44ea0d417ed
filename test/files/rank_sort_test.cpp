// Tests lines that the ranks of a job sort together, against one rank. The ranks are threads.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <thread>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/files/lines/sort_files.hpp>
#include <weft/files/ranks/rank_lines.hpp>
#include <weft/multi/thread_ranks.hpp>

#include "folder_test.hpp"

namespace weft::test {

namespace {

using namespace weft::files;
using multi::communicator;
using multi::run_ranks;
using std::string;

// A sort_case says what is sorted, and how.
struct sort_case {
  line_order order;
  sort_input_options inputs;
  bool unique = false;
};

class rank_sort : public folder_test {
protected:
  [[nodiscard]] sort_settings settings_of(const sort_case& each, std::uint64_t memory) const {
    sort_settings settings{each.order, {}, memory, {}, {path(".")}, "", 16};
    settings.merging.memory = memory;
    settings.merging.terminator = each.inputs.zero_terminated || each.inputs.csv ? '\0' : '\n';
    settings.merging.unique = each.unique;
    settings.sorting.run.threads = 2;
    return settings;
  }

  [[nodiscard]] string sorted_by_one(const sort_case& each) const {
    string all;
    (void)sort_files(sort_inputs(each.inputs), settings_of(each, 1 << 26),
                     [&](std::string_view sorted) { all += sorted; });
    return all;
  }

  // Sorts the lines on `count` ranks as the command does, and returns the output.
  [[nodiscard]] string sorted_by(int count, const sort_case& each, std::uint64_t memory) const {
    run_ranks(count, [&](communicator& ranks) {
      sort_inputs inputs(each.inputs);
      rank_output out(ranks, path("out"));
      (void)sort_files(ranks, inputs, settings_of(each, memory), out,
                       [&](std::string_view lines) { out.write(lines); });
      out.commit();
    });
    return text_of("out");
  }

  // Sorts the lines on `count` ranks that exchange small blocks, and returns the lines of all ranks.
  [[nodiscard]] string sorted_in_blocks(int count, const sort_case& each, std::uint64_t block) const {
    std::vector<string> parts(static_cast<std::size_t>(count));
    run_ranks(count, [&](communicator& ranks) {
      sort_inputs inputs(each.inputs);
      const sort_settings settings = settings_of(each, 1 << 17);
      rank_lines lines(ranks, inputs, how_of(each, block));
      try {
        std::unique_ptr<io::byte_source> text = lines.open();
        (void)sort_texts(
            {[&] { return std::exchange(text, nullptr); }}, settings,
            [&](std::string_view sorted) { parts[static_cast<std::size_t>(ranks.rank())] += sorted; });
      } catch (...) {
        ranks.fail(multi::describe_failure(std::current_exception(), ranks.rank()));
        throw;
      }
    });
    string all;
    for (const string& part : parts) all += part;
    return all;
  }

  [[nodiscard]] rank_lines::settings how_of(const sort_case& each, std::uint64_t block) const {
    rank_lines::settings how{.order = each.order};
    how.blocks.terminator = each.inputs.zero_terminated || each.inputs.csv ? '\0' : '\n';
    how.blocks.block_bytes = block;
    how.blocks.store = {2 * block, {path(".")}, ""}; // other blocks are in files
    how.unique = each.unique;
    how.threads = 2;
    return how;
  }

  void expect_as_by_one(const sort_case& each, const string& name) const {
    const string expected = sorted_by_one(each);
    for (const int count : {1, 2, 3, 8}) {
      EXPECT_TRUE(sorted_by(count, each, 1 << 17) == expected) << name << ", " << count << " ranks";
      EXPECT_TRUE(sorted_in_blocks(count, each, 3000) == expected) << name << ", " << count << " ranks";
    }
    EXPECT_TRUE(sorted_in_blocks(5, each, 700) == expected) << name;
  }

  // An outcome says what the ranks have received and sent: for the splitters, and then for the lines.
  struct outcome {
    std::vector<std::uint64_t> parts; // bytes of each part
    std::vector<multi::traffic> for_splitters, for_lines;
    bool is_mapped = false;
  };
  [[nodiscard]] outcome exchange(int count, const sort_case& each, std::uint64_t block) const {
    outcome all;
    const auto num_ranks = static_cast<std::size_t>(count);
    all.parts.resize(num_ranks);
    all.for_splitters.resize(num_ranks);
    all.for_lines.resize(num_ranks);
    run_ranks(count, [&](communicator& ranks) {
      const auto self = static_cast<std::size_t>(ranks.rank());
      sort_inputs inputs(each.inputs);
      rank_lines lines(ranks, inputs, how_of(each, block));
      const multi::traffic before = all.for_splitters[self] = ranks.sent();
      const std::unique_ptr<io::byte_source> text = lines.open();
      string buffer(1 << 14, '\0');
      while (text->read(buffer) > 0) {
      }
      all.parts[self] = lines.received_bytes();
      all.for_lines[self] = {ranks.sent().calls - before.calls, ranks.sent().bytes - before.bytes};
      if (ranks.rank() == 0) all.is_mapped = lines.is_mapped();
    });
    return all;
  }

  // Checks that each part has as many bytes as the average, within a per cent or a line.
  void expect_balanced(int count, const string& text, const line_order& order, const string& name) const {
    std::size_t longest = 0;
    for (std::size_t at = 0, end = 0; (end = text.find('\n', at)) != text.npos; at = end + 1)
      longest = std::max(longest, end + 1 - at);
    const double average = static_cast<double>(text.size()) / count,
                 allowed = std::max(0.01 * average, 0.002 * average + static_cast<double>(longest));
    for (const std::uint64_t header : {0, 1}) { // with a header, rank 0 reads all lines
      const string file = put("a", header == 1 ? "header\n" + text : text);
      const sort_case each{order, {.paths = {file}, .header_lines = header}};
      for (const std::uint64_t part : exchange(count, each, 20000).parts)
        EXPECT_NEAR(static_cast<double>(part), average, allowed)
            << name << " " << count << " ranks " << header;
    }
  }
};

// Returns texts of different kinds, of some kilobytes each.
std::vector<string> texts() {
  std::mt19937_64 random(1);
  std::vector<string> all(8);
  for (int i = 0; i < 800; ++i) {
    all[0] += std::to_string(random() % 500) + "\t" + std::to_string(i) + "\n";
    all[1] += "the same\n";
    all[2] += i % 2 == 0 ? "b\n" : "a\n";
    all[3] += std::to_string(100000 + i) + "\n";
    all[4] += std::to_string(100000 - i) + "\n";
    all[5] += string(random() % 30 == 0 ? 9000 : 1, static_cast<char>('a' + random() % 20)) + "\n";
    all[6] += random() % 3 == 0 ? "\n" : "Jan 1.5e3 2K v1.10 \"x\" \t" + std::to_string(random() % 90) + "\n";
  }
  all[0].pop_back(); // the last line has no newline
  return all;        // the last one is empty
}

TEST_F(rank_sort, lines_are_sorted_as_by_one_rank) {
  const std::vector<string> all = texts();
  const line_order plain({}), keyed({.numeric = true, .stable = true}, {"1,1"}), reverse({.reverse = true});
  for (std::size_t t = 0; t < all.size(); ++t) {
    sort_case each{plain, {.paths = {put("a", all[t]), put("b", all[(t + 1) % all.size()]), path("a")}}};
    for (const line_order* order : {&plain, &keyed, &reverse})
      for (const bool unique : {false, true}) {
        each.order = *order;
        each.unique = unique;
        expect_as_by_one(each, "text " + std::to_string(t) + (unique ? ", unique" : ""));
      }
  }
}

TEST_F(rank_sort, all_orders_are_those_of_one_rank) {
  const std::vector<string> all = texts();
  const string file = put("a", all[0] + "\n" + all[6] + all[3]);
  const std::vector<line_order_options> options = {
      {.ignore_blanks = true},     {.dictionary = true},      {.fold_case = true},
      {.printable = true},         {.general_numeric = true}, {.month = true},
      {.random = true, .seed = 7}, {.version = true},         {.human_numeric = true}};
  for (std::size_t i = 0; i < options.size(); ++i)
    for (const int kind : {0, 1, 2, 3}) {
      line_order_options chosen = options[i];
      chosen.reverse = kind == 1;
      chosen.stable = kind == 2;
      chosen.unique = kind == 3;
      expect_as_by_one({line_order(chosen), {.paths = {file}}, chosen.unique}, "order " + std::to_string(i));
    }
  expect_as_by_one({line_order({.stable = true, .separator = '\t'}, {"2nr,2", "1,1M"}), {.paths = {file}}},
                   "keys");
}

// Headers, records of CSV and compressed files are read by rank 0.
TEST_F(rank_sort, dealt_lines_are_sorted_as_by_one_rank) {
  const std::vector<string> all = texts();
  const line_order plain({}), keyed({.numeric = true, .stable = true}, {"1,1"});
  for (std::size_t t = 0; t < all.size(); ++t) {
    const string file = put("a", "header\n" + all[t]),
                 other = put("b", "header\n" + all[(t + 3) % all.size()]);
    for (const bool unique : {false, true}) {
      sort_case each{plain, {.paths = {file, other, file}, .header_lines = 1}, unique};
      EXPECT_FALSE(exchange(3, each, 1000).is_mapped);
      expect_as_by_one(each, "dealt text " + std::to_string(t));
      each.order = keyed;
      expect_as_by_one(each, "dealt text with keys " + std::to_string(t));
    }
  }
  string records = "name,value\n";
  for (int i = 0; i < 1000; ++i)
    records += "\"a\nquoted, " + std::to_string(i % 37) + "\"," + std::to_string(i * 7 % 100) + "\n";
  expect_as_by_one({line_order({.stable = true, .separator = ',', .csv = true}, {"2,2n"}),
                    {.paths = {put("c", records)}, .csv = true, .header_lines = 1}},
                   "csv");
}

TEST_F(rank_sort, lines_may_end_with_zero_bytes) {
  string text;
  for (int i = 0; i < 3000; ++i) text += std::to_string(i * 37 % 1000) + "\n" + string(1, '\0');
  text.pop_back();
  expect_as_by_one(
      {line_order({}), {.paths = {put("a", text), put("b", ""), path("a")}, .zero_terminated = true}},
      "zero bytes");
}

// Pieces of some bytes begin and end at any byte of lines and files.
TEST_F(rank_sort, small_inputs_are_cut_anywhere) {
  const line_order keyed({.stable = true}, {"1.1,1.1"});
  std::uint64_t seed = 0;
  for (const string text : {"", "\n", "a", "a\n", "\n\n\n", "b2\na\nb1", "a long line of some bytes\nb\n"}) {
    std::vector<string> paths;
    for (const string& other : {string("b3\n"), text, string(), string("a9\nb"), text})
      paths.push_back(put(std::to_string(seed++), other));
    for (std::uint64_t header = 0; header < 2; ++header) {
      if (header == 1) paths = {paths[0], paths[0]};
      const sort_case each{keyed, {.paths = paths, .header_lines = header}};
      const string expected = sorted_by_one(each);
      for (const int count : {1, 2, 3, 8})
        for (std::uint64_t block = 1; block < 20; block += block < 6 ? 1 : 5)
          EXPECT_EQ(sorted_in_blocks(count, each, block), expected) << count << " " << block << " " << text;
    }
  }
}

TEST_F(rank_sort, parts_are_balanced) {
  std::mt19937_64 random(5);
  std::vector<string> all(9);
  for (int i = 0; i < 40000; ++i) {
    all[0] += "the same line\n";
    all[1] += i % 10 == 0 ? "a\n" : "b\n";
    all[2] += std::to_string(1000000 + i % 32) + "\n"; // a period that divides the distances of a sample
    all[3] += std::to_string(1000000 + i) + "\n";
    all[4] += std::to_string(2000000 - i) + "\n";
    all[5] += std::to_string(random() % 1000000) + "\n";
    all[6] += i < 20000 ? "one of two\n" : std::to_string(random() % 1000) + "\n";
    // Short lines follow long ones, and long lines short ones.
    if (i % 20 == 0)
      all[7] += "a\n" + string(1, static_cast<char>('b' + i / 20 % 20)) + string(2000, 'x') + "\n";
    all[8] +=
        string(random() % 64 == 0 ? random() % 3000 : random() % 9, static_cast<char>('a' + i % 26)) + "\n";
  }
  const line_order plain({}), keyed({.numeric = true, .stable = true}, {"1.3,1"});
  for (std::size_t t = 0; t < all.size(); ++t)
    for (const int count : {2, 3, 8}) {
      expect_balanced(count, all[t], plain, "text " + std::to_string(t));
      if (count == 3) expect_balanced(count, all[t], keyed, "keys of text " + std::to_string(t));
    }
}

// The lines of a rank are too many to count all of them.
TEST_F(rank_sort, parts_of_many_lines_are_balanced) {
  std::mt19937_64 random(6);
  string mixed;
  for (int i = 0; i < 1'500'000; ++i)
    mixed += std::to_string(random() % 10'000'000) + (i % 3 == 0 ? " and more\n" : "\n");
  expect_balanced(3, mixed, line_order({}), "mixed");
}

// The beginning of an input that rank 0 reads differs from its end, and its lines are too many to be kept in
// memory, or to count all of them.
TEST_F(rank_sort, parts_of_lines_in_order_are_balanced) {
  string ascending, descending, changing;
  for (int i = 0; i < 1'000'000; ++i) {
    ascending += std::to_string(1'000'000 + i) + "\n";
    descending += std::to_string(2'000'000 - i) + (i % 3 == 0 ? " and more\n" : "\n");
    changing +=
        i < 600'000 ? std::to_string(i % 10) + "\n" : std::to_string(i * 7919LL % 999'983) + " later\n";
  }
  for (const int count : {2, 5}) {
    expect_balanced(count, ascending, line_order({}), "ascending");
    expect_balanced(count, descending, line_order({}), "descending");
    expect_balanced(count, changing, line_order({.numeric = true}), "changing");
  }
}

// The lines of a rank that rank 0 has sent, and its runs, are in temporary files, also in compressed ones.
TEST_F(rank_sort, dealt_lines_may_exceed_the_memory) {
  string text = "header\n";
  for (int i = 0; i < 200'000; ++i) text += std::to_string(i / 7) + "\n";
  text.pop_back();
  const sort_case each{line_order({}), {.paths = {put("in", text)}, .header_lines = 1}};
  const string expected = sorted_by_one(each);
  for (const string program : {"", "gzip"}) {
    run_ranks(3, [&](communicator& ranks) {
      sort_inputs inputs(each.inputs);
      rank_output out(ranks, path("out"));
      sort_settings settings = settings_of(each, 1 << 18);
      settings.compress_program = program;
      (void)sort_files(ranks, inputs, settings, out, [&](std::string_view lines) { out.write(lines); });
      out.commit();
    });
    EXPECT_TRUE(text_of("out") == expected) << program;
  }
}

// A line that is longer than a part leaves other parts empty.
TEST_F(rank_sort, a_line_may_be_larger_than_a_part) {
  string text;
  for (int i = 0; i < 4000; ++i) text += std::to_string(1000 + i) + "\n";
  text += "30" + string(100000, 'x') + "\n"; // among the lines from 3000 on
  const std::vector<std::uint64_t> parts =
      exchange(4, {line_order({}), {.paths = {put("a", text)}}}, 20000).parts;
  EXPECT_GE(*std::max_element(parts.begin(), parts.end()), 100000U);
  EXPECT_LE(*std::max_element(parts.begin(), parts.end()), 100100U);
}

// Equal lines stay together, and each cut is at the end of them that is nearer.
TEST_F(rank_sort, parts_of_unique_lines_are_cut_between_keys) {
  string text;
  for (int i = 0; i < 30000; ++i) text += i % 100 < 33 ? "a\n" : i % 100 < 67 ? "b\n" : "c\n";
  const sort_case each{line_order({.unique = true}), {.paths = {put("a", text)}}, true};
  EXPECT_EQ(exchange(3, each, 20000).parts, (std::vector<std::uint64_t>{19800, 20400, 19800}));
}

// Returns how many bytes a rank may send to find the splitters: in up to four rounds 256 lines with 40 bytes
// each, and 8 bytes for each line of all ranks; then two lines with 16 bytes each for each cut, and the two
// that this rank has chosen for all.
std::uint64_t max_for_splitters(std::uint64_t num_ranks, std::uint64_t line) {
  return 4 * (256 * (line + 40 + 8 * num_ranks) + 16) + 4 * (num_ranks - 1) * (line + 16) + 128;
}

TEST_F(rank_sort, each_line_travels_once) {
  const std::vector<string> all = texts();
  for (std::size_t t = 0; t + 1 < all.size(); ++t) {
    string text;
    for (int i = 0; i < 10; ++i) text += all[t] + (all[t].ends_with('\n') ? "" : "\n");
    const string file = put("in", text);
    constexpr std::uint64_t count = 4, block = 10000, max_line = 9001;
    const std::uint64_t for_splitters = max_for_splitters(count, t == 5 ? 4096 : 32);
    const outcome mapped = exchange(count, {line_order({}), {.paths = {file}}}, block);
    EXPECT_TRUE(mapped.is_mapped);
    const std::uint64_t rounds = (text.size() + 1 + block * count - 1) / (block * count);
    // A rank sends the bytes of its blocks, and in each round a number for each other rank.
    std::uint64_t sum = 0;
    for (std::size_t r = 0; r < count; ++r) {
      EXPECT_LE(mapped.for_splitters[r].bytes, for_splitters) << t;
      EXPECT_LE(mapped.for_lines[r].bytes, rounds * (block + max_line + 8 * count));
      sum += mapped.for_lines[r].bytes;
    }
    EXPECT_LE(sum, text.size() + count * rounds * 8 * count) << t;
    // If rank 0 deals out the lines, each travels from it once before; and a block comes with three numbers.
    (void)put("in", "header\n" + text);
    const outcome dealt = exchange(count, {line_order({}), {.paths = {file}, .header_lines = 1}}, block);
    EXPECT_FALSE(dealt.is_mapped);
    const std::uint64_t max_rounds = text.size() / (block / 2) / count + 2; // if blocks are half full
    sum = 0;
    for (std::size_t r = 0; r < count; ++r) {
      EXPECT_LE(dealt.for_splitters[r].bytes,
                for_splitters + (r == 0 ? text.size() + count * (max_rounds * 24 + 64) : 0))
          << t;
      sum += dealt.for_lines[r].bytes;
    }
    EXPECT_LE(sum, text.size() + count * max_rounds * 8 * count) << t;
  }
}

// Files of a few bytes are sent together.
TEST_F(rank_sort, small_files_need_no_rounds_of_their_own) {
  std::vector<string> paths;
  for (int i = 0; i < 100; ++i) paths.push_back(put(std::to_string(i), std::to_string(i * 37 % 100) + "\n"));
  const outcome all = exchange(3, {line_order({}), {.paths = paths}}, 1000);
  EXPECT_TRUE(all.is_mapped);
  for (const multi::traffic& sent : all.for_splitters) EXPECT_LE(sent.calls, 40U);
  for (const multi::traffic& sent : all.for_lines) EXPECT_LE(sent.calls, 8U);
}

// Rank `bad` fails while the other ranks, and a thread of rank 0 that sends blocks, wait for it.
TEST_F(rank_sort, a_rank_that_fails_ends_all) {
  string text = "header\n";
  for (int i = 0; i < 400000; ++i) text += std::to_string(i * 7919LL % 400009) + "\n";
  const string file = put("in", text);
  for (const std::uint64_t header : {0, 1})
    for (int bad = 0; bad < 3; ++bad)
      for (const bool writes : {false, true}) {
        const sort_case each{line_order({}), {.paths = {file}, .header_lines = header}};
        EXPECT_THROW(run_ranks(3,
                               [&](communicator& ranks) {
                                 sort_inputs inputs(each.inputs);
                                 rank_output out(ranks, path("out"));
                                 sort_settings settings = settings_of(each, 1 << 17);
                                 const bool fails = ranks.rank() == bad;
                                 if (fails && !writes)
                                   settings.folders = {path("missing")}; // for its first run
                                 (void)sort_files(ranks, inputs, settings, out, [&](std::string_view lines) {
                                   if (fails) throw io_error("the disk is full");
                                   out.write(lines);
                                 });
                                 out.commit();
                               }),
                     io_error);
        EXPECT_FALSE(std::filesystem::exists(path("out")));
      }
}

TEST_F(rank_sort, a_line_that_does_not_fit_is_named) {
  const string file = put("in", "header\na\nb\n" + string(1 << 20, 'x') + "\nc\n");
  for (const std::uint64_t header : {0, 1})
    for (const int count : {1, 2, 3, 8}) {
      const sort_case each{line_order({}), {.paths = {file}, .header_lines = header}};
      try {
        (void)sorted_by(count, each, 1 << 17);
        ADD_FAILURE() << "no exception";
      } catch (const memory_error& fault) {
        EXPECT_NE(string(fault.what()).find("in:4: the line does not fit in 128 KiB of memory"), string::npos)
            << fault.what();
      }
    }
}

} // namespace

} // namespace weft::test
