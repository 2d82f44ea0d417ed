// Tests lines that the ranks of a job sort together, against one rank.
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <vector>
#include <weft/base/error.hpp>

#include "rank_sort.hpp"

namespace weft::test {

namespace {

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
