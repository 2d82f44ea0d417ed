// A fixture for tests of lines that the ranks of a job sort together.
#pragma once

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>
#include <weft/files/lines/sort_files.hpp>
#include <weft/files/ranks/rank_lines.hpp>
#include <weft/multi/thread_ranks.hpp>

#include "folder_test.hpp"

namespace weft::test {

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

// A test of lines that the ranks of a job sort. The ranks are threads.
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
inline std::vector<string> texts() {
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

} // namespace weft::test
