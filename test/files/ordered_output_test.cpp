// Checks that the texts of batches that several threads finish in any order are written in order.
#include <atomic>
#include <gtest/gtest.h>
#include <stdexcept>
#include <weft/base/parallel.hpp>
#include <weft/files/ordered_output.hpp>

#include "folder_test.hpp"

namespace weft::test {

namespace {

using namespace weft::files;
using std::string;

class ordered_output_test : public folder_test {};

TEST_F(ordered_output_test, batches_of_several_threads_come_in_order) {
  constexpr std::uint64_t num_batches = 3000;
  string expected;
  for (std::uint64_t batch = 0; batch < num_batches; ++batch)
    expected += std::to_string(batch) + (batch % 5 == 0 ? " early" : "") + " late\n";
  for (const int threads : {1, 2, 4, 8})
    for (const std::uint64_t window : {1, 2, 16}) {
      rank_output out(path("out"));
      ordered_output output(out, window);
      std::atomic<std::uint64_t> next{0};
      run_team(threads, [&](int) {
        string text;
        for (std::uint64_t batch = next++; batch < num_batches; batch = next++) {
          EXPECT_EQ(text, "");
          text = std::to_string(batch);
          if (batch % 5 == 0) {
            text += " early";
            output.write(batch, text);
            text.clear();
          }
          if (batch % 7 == 0) output.wait_for_turn(batch);
          text += " late\n";
          output.finish(batch, text);
        }
      });
      output.rethrow();
      out.commit();
      EXPECT_TRUE(text_of("out") == expected) << threads << " threads, window " << window;
    }
}

TEST_F(ordered_output_test, nothing_is_written_behind_a_failure) {
  rank_output out(path("out"));
  ordered_output output(out, 8);
  string text = "2\n";
  output.finish(2, text);
  text = "0\n";
  output.finish(0, text);
  output.fail(3, std::make_exception_ptr(std::runtime_error("later")));
  output.fail(1, std::make_exception_ptr(std::runtime_error("first")));
  text = "4\n";
  EXPECT_THROW(output.finish(4, text), ordered_output::abandoned);
  EXPECT_THROW(output.write(2, text), ordered_output::abandoned);
  EXPECT_THROW(output.wait_for_turn(4), ordered_output::abandoned);
  try {
    output.rethrow();
    FAIL();
  } catch (const std::runtime_error& failure) {
    EXPECT_STREQ(failure.what(), "first");
  }
  out.commit();
  EXPECT_EQ(text_of("out"), "0\n");
}

TEST_F(ordered_output_test, an_error_of_writing_ends_all_threads) {
  rank_output out("/dev/full");
  ordered_output output(out, 4);
  std::atomic<std::uint64_t> next{0};
  std::atomic<int> failed{0}, abandoned{0};
  run_team(4, [&](int) {
    string text;
    for (std::uint64_t batch = next++;; batch = next++) try {
        text.assign(std::size_t{1} << 19, 'x');
        output.finish(batch, text);
      } catch (const ordered_output::abandoned&) {
        ++abandoned;
        return;
      } catch (const io_error&) {
        ++failed;
        return output.fail(batch, std::current_exception());
      }
  });
  EXPECT_EQ(failed, 1);
  EXPECT_EQ(abandoned, 3);
  EXPECT_THROW(output.rethrow(), io_error);
}

} // namespace

} // namespace weft::test
