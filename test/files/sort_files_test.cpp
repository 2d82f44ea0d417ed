// Checks sorting, merging and checking files of lines in little memory against std::stable_sort.
#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <thread>
#include <weft/base/error.hpp>
#include <weft/files/array_sort.hpp>
#include <weft/files/lines/run_list.hpp>
#include <weft/files/lines/sort_files.hpp>

#include "folder_test.hpp"

namespace weft::test {

namespace {

using namespace weft::files;
using std::string;

class sort_files_test : public folder_test {};

sort_settings settings_of(std::uint64_t memory, task_monitor* monitor = nullptr) {
  sort_settings settings{line_order(line_order_options{}), {}, memory, {}, {""}, "", 4};
  settings.merging.memory = memory;
  settings.merging.monitor = monitor;
  settings.sorting.run.threads = 2;
  return settings;
}

sort_inputs inputs_of(const std::vector<string>& paths, std::uint64_t header_lines = 0) {
  sort_input_options options;
  options.paths = paths;
  options.header_lines = header_lines;
  return sort_inputs(options);
}

std::vector<string> random_lines(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<string> lines(count);
  for (string& line : lines)
    for (std::uint64_t letters = random() % 40; letters > 0; --letters)
      line += static_cast<char>('a' + random() % 26);
  return lines;
}

string joined(const std::vector<string>& lines) {
  string text;
  for (const string& line : lines) (text += line) += '\n';
  return text;
}

// A text of more than one block, in which reading may fail.
class text_source : public io::byte_source {
public:
  text_source(std::string_view text, std::size_t fails_at) : text_(text), fails_at_(fails_at) {}
  [[nodiscard]] std::size_t read(std::span<char> out) override {
    const std::size_t bytes = text_.copy(out.data(), out.size(), at_);
    at_ += bytes;
    if (at_ > fails_at_) throw io_error("the disk fails");
    return bytes;
  }
  [[nodiscard]] const string& name() const noexcept override { return name_; }
  [[nodiscard]] io::compression kind() const noexcept override { return {}; }
  [[nodiscard]] std::uint64_t position() const noexcept override { return at_; }
  [[nodiscard]] std::uint64_t size() const noexcept override { return text_.size(); }

private:
  std::string_view text_;
  std::size_t at_ = 0, fails_at_;
  string name_ = "text";
};

// With so much memory, blocks are read while the ones before are cut into lines.
TEST_F(sort_files_test, blocks_are_read_while_lines_are_cut) {
  std::vector<string> lines = random_lines(1'000'000, 9);
  const string text = joined(lines).substr(1); // one line less, or a shorter one
  const auto sort_with = [&](int threads, std::size_t fails_at) {
    sort_settings settings = settings_of(std::uint64_t{1} << 31);
    settings.sorting.run.threads = threads;
    int number = 0;
    const auto next = [&]() -> std::unique_ptr<io::byte_source> {
      return ++number <= 2 ? std::make_unique<text_source>(text, fails_at) : nullptr;
    };
    string sorted;
    (void)sort_texts({next}, settings, [&](std::string_view piece) { sorted += piece; });
    return sorted;
  };
  ASSERT_GT(text.size(), std::size_t{4} << 22);
  const string expected = sort_with(1, text.size());
  EXPECT_EQ(expected.size(), 2 * text.size());
  EXPECT_TRUE(sort_with(2, text.size()) == expected);
  EXPECT_TRUE(sort_with(3, text.size()) == expected);
  for (const std::size_t fails_at : {std::size_t{1}, std::size_t{9} << 20, text.size() - 1})
    EXPECT_THROW((void)sort_with(2, fails_at), io_error);
}

TEST_F(sort_files_test, lines_that_do_not_fit_in_memory_are_sorted) {
  std::vector<string> lines = random_lines(50'000, 1);
  const string text = joined(lines), path = put("text", "header\n" + text);
  std::sort(lines.begin(), lines.end());
  for (const std::uint64_t memory : {std::uint64_t{1} << 17, std::uint64_t{1} << 25}) {
    task_monitor monitor;
    string sorted;
    const sort_report done = sort_files(inputs_of({path}, 1), settings_of(memory, &monitor),
                                        [&](std::string_view piece) { sorted += piece; });
    EXPECT_TRUE(sorted == joined(lines)) << memory;
    EXPECT_EQ(done.bytes, text.size());
    EXPECT_EQ(done.device.kind, weft::device_kind::cpu);
    EXPECT_GE(monitor.done(), text.size());
  }
}

// Runs that are large enough for files of several segments, which are discarded while they are merged.
TEST_F(sort_files_test, large_runs_are_merged_on_any_number_of_threads) {
  std::vector<string> lines = random_lines(1'500'000, 2);
  const string path = put("text", joined(lines));
  std::sort(lines.begin(), lines.end());
  for (const int threads : {1, 2, 5}) {
    sort_settings settings = settings_of(std::uint64_t{3} << 23);
    settings.sorting.run.threads = threads;
    settings.batch_size = threads == 5 ? 2 : 16; // two: runs are merged to files first
    string sorted;
    (void)sort_files(inputs_of({path}), settings, [&](std::string_view piece) { sorted += piece; });
    EXPECT_TRUE(sorted == joined(lines)) << threads;
  }
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  sort_settings settings = settings_of(std::uint64_t{3} << 23);
  settings.merging.unique = true;
  string sorted;
  (void)sort_files(inputs_of({path}), settings, [&](std::string_view piece) { sorted += piece; });
  EXPECT_TRUE(sorted == joined(lines));
}

// Each segment of the runs ends where a line ends, and is discarded while later lines are searched.
TEST_F(sort_files_test, runs_whose_segments_end_with_lines) {
  constexpr std::size_t segments = 32, segment_bytes = 1 << 12, line_bytes = 16;
  const line_order order({});
  std::mt19937_64 random(4);
  for (int round = 0; round < 20; ++round) {
    std::vector<string> all;
    std::vector<io::temporary_file> runs;
    for (int r = 0; r < 3; ++r) {
      std::vector<string> lines(segments * segment_bytes / line_bytes);
      for (string& line : lines)
        line = std::to_string(1'000'000'000'000'00 + random() % (1ULL << 2 * round) * 7);
      for (string& line : lines) line.resize(line_bytes - 1, 'x');
      std::sort(lines.begin(), lines.end());
      runs.emplace_back("", segments, segment_bytes).write(joined(lines));
      all.insert(all.end(), lines.begin(), lines.end());
    }
    std::sort(all.begin(), all.end());
    merge_options options;
    options.memory = 1 << 18;
    string merged;
    merge_runs(runs, order, options, line_bytes, 1 + round % 4,
               [&](std::string_view piece) { merged += piece; });
    ASSERT_TRUE(merged == joined(all)) << round;
  }
}

TEST_F(sort_files_test, can_be_cancelled_at_any_time) {
  const string path = put("text", joined(random_lines(600'000, 3)));
  task_monitor whole;
  (void)sort_files(inputs_of({path}), settings_of(1 << 21, &whole), [](std::string_view) {});
  for (int part = 1; part < 10; ++part) {
    task_monitor monitor;
    std::jthread watcher([&, until = whole.done() / 10 * static_cast<std::uint64_t>(part)] {
      while (monitor.done() < until) std::this_thread::yield();
      monitor.cancel();
    });
    EXPECT_THROW((void)sort_files(inputs_of({path}), settings_of(1 << 21, &monitor), [](std::string_view) {}),
                 cancelled_error);
  }
}

TEST_F(sort_files_test, more_sorted_files_than_are_merged_at_once) {
  std::vector<string> all, paths;
  for (unsigned i = 0; i < 11; ++i) {
    std::vector<string> lines = random_lines(500, i);
    std::sort(lines.begin(), lines.end());
    paths.push_back(put(std::to_string(i), joined(lines)));
    all.insert(all.end(), lines.begin(), lines.end());
  }
  std::sort(all.begin(), all.end());
  task_monitor monitor;
  string merged;
  const std::uint64_t bytes = merge_files(inputs_of(paths), settings_of(std::uint64_t{1} << 20, &monitor),
                                          [&](std::string_view piece) { merged += piece; });
  EXPECT_TRUE(merged == joined(all));
  EXPECT_GE(bytes, merged.size());
  EXPECT_EQ(monitor.done(), bytes);
}

TEST_F(sort_files_test, the_first_line_out_of_order_is_found) {
  const string path = put("text", "header\na\nb\nb\na\na\n");
  sort_settings settings = settings_of(1 << 20);
  const std::optional<disorder> found = find_disorder(inputs_of({path}, 1), settings);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->file, path);
  EXPECT_EQ(found->line, 5U);
  EXPECT_EQ(found->text, "a");
  settings.merging.unique = true;
  EXPECT_EQ(find_disorder(inputs_of({path}, 1), settings)->line, 4U);
  EXPECT_FALSE(find_disorder(inputs_of({put("sorted", "a\nb\nb\n")}), settings_of(1 << 20)));
}

TEST_F(sort_files_test, arrays_are_not_sorted_between_files_on_a_cpu) {
  sort_options options;
  options.run.device.kind = device_kind::cpu;
  const string numbers = put("numbers", "hgfedcba"), odd = put("odd", "abc");
  EXPECT_EQ(sort_between_files(numbers, "u64", false, options, path("sorted")), std::nullopt);
  EXPECT_FALSE(std::filesystem::exists(path("sorted")));
  EXPECT_EQ(sort_between_files("-", "u64", false, options, path("sorted")), std::nullopt);
  EXPECT_THROW((void)map_array(odd, "u16"), parse_error);
  EXPECT_EQ(map_array(numbers, "u16")->count, 4U);
  EXPECT_EQ(map_array(numbers, "u8")->bytes, "hgfedcba");
}

TEST_F(sort_files_test, errors_name_the_options_of_the_caller) {
  const string a = put("a", "name\nx\n"), b = put("b", "title\ny\n"), c = put("c", string(1 << 20, 'x'));
  const auto message = [](const auto& work) -> string {
    try {
      work();
    } catch (const error& failure) {
      return failure.what();
    }
    return "";
  };
  const auto ignore = [](std::string_view) {};
  EXPECT_NE(message([&] {
              sort_files(inputs_of({a, b}, 1), settings_of(1 << 20), ignore);
            }).find("with header, all"),
            string::npos);
  sort_settings settings = settings_of(1 << 16);
  EXPECT_NE(message([&] { sort_files(inputs_of({c}), settings, ignore); }).find("(set memory to allow more)"),
            string::npos);
  settings.merging.memory_option = "--memory";
  EXPECT_NE(message([&] { sort_files(inputs_of({c}), settings, ignore); }).find("(set --memory to allow"),
            string::npos);
}

} // namespace

} // namespace weft::test
