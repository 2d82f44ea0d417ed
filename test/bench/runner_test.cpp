// Tests the runner of weft-bench with artificial cases and an artificial clock: the order of runs, the checks
// of answers, and budgets.
#include <algorithm>
#include <bench/bench.hpp>
#include <bench/kept_input.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <weft/base/error.hpp>

#include "bench_lines.hpp"

namespace weft::test {

namespace {

using std::string;

// Returns a case of three methods, whose answers are 7, 7 and `last`.
bench::bench_case made_case(std::optional<std::uint64_t> expected, std::uint64_t last) {
  return {"made/1", "", 1, 1, 0, expected, [last] {
            std::vector<bench::method> methods;
            for (const std::uint64_t answer : {std::uint64_t{7}, std::uint64_t{7}, last})
              methods.push_back({"way", false, false, 1, "", [] {}, [] {}, [answer] { return answer; }});
            methods.front().yardstick = true;
            return methods;
          }};
}

bench::case_rows run_one(bench::runner& runner, const bench::bench_case& of, std::size_t cases_left = 1) {
  return runner.run({&of, 1}, 0, cases_left);
}

std::vector<bool> wrong_rows(const bench::bench_case& of) {
  bench::runner runner({.budget = 60, .runs = 2});
  const bench::case_rows rows = run_one(runner, of);
  std::vector<bool> wrong;
  for (const bench::row& each : rows.rows) wrong.push_back(each.wrong);
  EXPECT_EQ(bench::is_wrong({rows}), std::count(wrong.begin(), wrong.end(), true) > 0);
  return wrong;
}

TEST(bench_runner, a_wrong_answer_is_found) {
  EXPECT_EQ(wrong_rows(made_case(7, 7)), (std::vector<bool>{false, false, false}));
  EXPECT_EQ(wrong_rows(made_case(7, 8)), (std::vector<bool>{false, false, true}));
  EXPECT_EQ(wrong_rows(made_case(8, 8)), (std::vector<bool>{true, true, false}));
  EXPECT_EQ(wrong_rows(made_case({}, 7)), (std::vector<bool>{false, false, false}));
  EXPECT_EQ(wrong_rows(made_case({}, 8)), (std::vector<bool>{false, false, true}));
  bench::runner runner({.budget = 60, .runs = 1});
  const bench::bench_case nine = made_case(9, 9);
  EXPECT_EQ(bench::quickest_yardstick(run_one(runner, nine)), nullptr); // its answer is wrong
}

TEST(bench_runner, a_way_may_check_its_answer_itself) {
  bench::bench_case of = made_case(7, 7);
  of.methods = [] {
    std::vector<bench::method> methods(3);
    for (const char* name : {"right", "wrong", "case"}) {
      bench::method& each = methods[name == string("right") ? 0 : name == string("wrong") ? 1 : 2];
      each.name = name;
      each.run = [] {};
      if (name == string("case"))
        each.digest = [] { return 7; };
      else
        each.is_right = [name] { return name == string("right"); };
    }
    return methods;
  };
  EXPECT_EQ(wrong_rows(of), (std::vector<bool>{false, true, false}));
  of.expected.reset();
  EXPECT_EQ(wrong_rows(of), (std::vector<bool>{false, true, false}));
}

TEST(bench_runner, ways_take_turns_and_a_slow_one_is_told_by_a_smaller_case) {
  string order;
  const auto made = [&](const string& name, double units) {
    return bench::bench_case{name, "", units, 1, 0, 0, [&order] {
                               std::vector<bench::method> methods;
                               for (const char letter : {'a', 'b'})
                                 methods.push_back({string(1, letter), false, false, 1, "", [] {},
                                                    [&order, letter] { order += letter; }, [] { return 0; }});
                               return methods;
                             }};
  };
  bench::runner runner({.budget = 60, .runs = 2});
  const auto first = made("kind/small", 1), second = made("kind/large", 1e15),
             other = made("other/large", 1e15);
  EXPECT_EQ(run_one(runner, first, 3).rows.front().seconds.size(), 2U);
  EXPECT_EQ(order, "aabbab"); // the first run of each method is not counted
  const bench::row told = run_one(runner, second, 2).rows.front();
  EXPECT_TRUE(has(told.not_run, "not run within the budget; extrapolated")) << told.not_run;
  EXPECT_GT(told.extrapolated, 60);
  EXPECT_EQ(told.time(), told.extrapolated);
  EXPECT_EQ(run_one(runner, other).rows.front().not_run, "");
}

double made_seconds = 0; // the time of the artificial clock, which only the methods below advance
double made_clock() { return made_seconds; }

// Returns cases of two methods, of which the second is slower. Their checks take milliseconds of the
// artificial clock, their runs one microsecond.
std::vector<bench::bench_case> slowly_checked(const std::vector<double>& units) {
  std::vector<bench::bench_case> cases;
  for (const double size : units)
    cases.push_back({fmt::format("made/{}", size), "", size, 1, 0, {}, [size] {
                       std::vector<bench::method> methods;
                       for (const double milliseconds : {1, 4})
                         methods.push_back({fmt::format("of {}", milliseconds), false, false, 1, "", [] {},
                                            [] { made_seconds += 1e-6; },
                                            [=] {
                                              made_seconds += milliseconds * size / 1e3;
                                              return 0;
                                            }});
                       return methods;
                     }});
  return cases;
}

std::vector<bench::case_rows> run_all(bench::runner& runner, const std::vector<bench::bench_case>& cases) {
  std::vector<bench::case_rows> rows;
  for (std::size_t i = 0; i < cases.size(); ++i) rows.push_back(runner.run(cases, i, cases.size() - i));
  return rows;
}

TEST(bench_runner, cases_share_the_budget_with_their_checks) {
  const auto cases = slowly_checked({1, 1, 1, 1, 1, 1});
  bench::runner runner({.budget = 0.6}, made_clock);
  for (const bench::case_rows& rows : run_all(runner, cases)) {
    EXPECT_GE(rows.rows[0].seconds.size(), rows.rows[1].seconds.size());
    EXPECT_GE(rows.rows[1].seconds.size(), 1U);
    EXPECT_LT(rows.rows[1].seconds.size(), 25U); // 26 checks take more than a sixth of the budget
  }
  EXPECT_GT(runner.seconds_left(), -0.01);
}

TEST(bench_runner, what_a_case_does_not_need_goes_to_those_after_it) {
  const auto cases = slowly_checked({0.1, 0.1, 0.1, 10}); // two runs of the last case take 100 ms
  bench::runner runner({.budget = 0.3}, made_clock);
  const auto rows = run_all(runner, cases);
  EXPECT_GE(rows[3].rows[0].seconds.size(), 1U);
  EXPECT_GE(rows[3].rows[1].seconds.size(), 1U);
}

TEST(bench_runner, a_slow_way_leaves_room_for_the_cases_after_it) {
  const auto cases = slowly_checked({1, 20, 1}); // the runs of the second case take 40 and 160 ms
  bench::runner runner({.budget = 0.2}, made_clock);
  const auto rows = run_all(runner, cases);
  EXPECT_GE(rows[1].rows[0].seconds.size(), 1U);
  EXPECT_TRUE(has(rows[1].rows[1].not_run, "not run within the budget; extrapolated"));
  EXPECT_GE(rows[2].rows[1].seconds.size(), 1U);
}

TEST(bench_runner, a_case_that_is_too_large_in_any_way_takes_no_room) {
  // The runs of the second case take 20 and 80 ms, and the runs of the cases after it take seconds.
  const auto cases = slowly_checked({1, 10, 1000, 1000, 1000});
  bench::runner runner({.budget = 0.35}, made_clock);
  const auto rows = run_all(runner, cases);
  EXPECT_GE(rows[1].rows[1].seconds.size(), 1U);
  EXPECT_TRUE(has(rows[2].rows[0].not_run, "not run within the budget; extrapolated"));
}

TEST(bench_runner, a_first_run_that_takes_all_is_said_to_be_not_counted) {
  auto cases = slowly_checked({1});
  cases[0].methods = [] {
    std::vector<bench::method> methods = slowly_checked({1})[0].methods();
    methods[0].run = [] { made_seconds += 0.02; };
    return methods;
  };
  bench::runner runner({.budget = 0.03}, made_clock);
  const bench::row first = run_all(runner, cases)[0].rows[0];
  EXPECT_TRUE(has(first.not_run, "but for its first run")) << first.not_run;
  EXPECT_NEAR(first.time(), 0.02, 1e-9);
  EXPECT_TRUE(first.seconds.empty());
}

TEST(bench_runner, a_case_whose_input_takes_too_long_to_make_is_not_run) {
  auto cases = slowly_checked({1, 1});
  cases[0].setup_seconds = 0.3;
  cases[1].setup_seconds = 0.1;
  bench::runner runner({.budget = 0.2}, made_clock);
  const auto rows = run_all(runner, cases);
  EXPECT_TRUE(has(rows[0].rows[0].not_run, "not run within the budget: the input takes"))
      << rows[0].rows[0].not_run;
  EXPECT_TRUE(rows[0].rows[0].seconds.empty());
  EXPECT_EQ(rows[1].rows[0].not_run, "");
}

TEST(bench_runner, inputs_that_are_the_same_are_made_once) {
  int made = 0;
  const auto ask = [&](const string& key) {
    return *bench::input_of<string>(key, [&] { return ++made, "of " + key; });
  };
  EXPECT_EQ(ask("a") + ask("a") + ask("b") + ask("a"), "of aof aof bof a");
  EXPECT_EQ(made, 3);
  bench::last_input() = {};
}

TEST(bench_runner, a_way_that_cannot_says_why) {
  bench::bench_case of = made_case(7, 7);
  of.methods = [] {
    std::vector<bench::method> methods(1);
    methods[0].run = [] { throw error(errc::invalid_input, "not this"); };
    return methods;
  };
  bench::runner runner({.budget = 60, .runs = 1});
  EXPECT_EQ(run_one(runner, of).rows.front().not_run, "not this");
  of.methods = [] {
    std::vector<bench::method> methods(1);
    methods[0].run = [] { throw error(errc::device, "broken"); };
    return methods;
  };
  EXPECT_THROW((void)run_one(runner, of), error);
  of.memory = ~std::uint64_t{0};
  EXPECT_TRUE(has(run_one(runner, of).rows.front().not_run, "of memory"));
}

TEST(bench_runner, a_way_may_have_a_clock_of_its_own) {
  bench::bench_case of = made_case(7, 7);
  of.methods = [methods = of.methods()] {
    std::vector<bench::method> made = methods;
    made.back().seconds = [] { return 0.25; };
    return made;
  };
  bench::runner runner({.budget = 60, .runs = 2});
  const bench::case_rows rows = run_one(runner, of);
  EXPECT_EQ(rows.rows.back().seconds, (std::vector<double>{0.25, 0.25}));
  EXPECT_LT(rows.rows.front().time(), 0.25);
}

TEST(bench_runner, medians) {
  EXPECT_EQ(bench::median({3, 1, 2}), 2);
  EXPECT_EQ(bench::median({4, 1, 2, 3}), 2.5);
}

TEST(bench_runner, ceilings_are_measured) {
  EXPECT_GT(bench::cpu_ceiling(bench::ceiling_kind::copy, 1), 1e7);
  EXPECT_GT(bench::cpu_ceiling(bench::ceiling_kind::logic, 1), 1e8);
}

} // namespace

} // namespace weft::test
