// Tests the reader of JSON documents that weft-bench compare uses.
#include <bench/json.hpp>
#include <gtest/gtest.h>
#include <weft/base/error.hpp>

namespace weft::test {

namespace {

using bench::parse_json;

TEST(bench_json, values_of_every_type) {
  const bench::json_value value = parse_json(
      R"( {"list": [1, -2.5e3, true, false, null, [], {}], "text": "a\"\\\/\n\t\u0041\u00e9", "of": {"x": 0}} )");
  const bench::json_value& list = *value.find("list");
  ASSERT_EQ(list.items.size(), 7);
  EXPECT_EQ(list.items[0].number, 1);
  EXPECT_EQ(list.items[1].number, -2500);
  EXPECT_EQ(list.items[2].number, 1);
  EXPECT_EQ(list.items[3].kind, bench::json_value::type::boolean);
  EXPECT_EQ(list.items[4].kind, bench::json_value::type::null);
  EXPECT_EQ(list.items[6].kind, bench::json_value::type::object);
  EXPECT_EQ(value.text_of("text", ""), "a\"\\/\n\tA?");
  EXPECT_EQ(value.text_of("list", "none"), "none");
  EXPECT_EQ(value.find("of")->number_of("x", 1), 0);
  EXPECT_EQ(value.number_of("y", 7), 7);
  EXPECT_EQ(value.find("z"), nullptr);
}

TEST(bench_json, text_that_is_none_is_refused) {
  for (const char* text : {"", "{", "[1", "[1,]", "{\"a\"}", "{\"a\":}", "{a:1}", "\"a", "\"\\x\"",
                           "\"\\u12\"", "1 2", "nul", "-", "[1 2]"})
    EXPECT_THROW((void)parse_json(text), error) << text;
  EXPECT_THROW((void)parse_json(std::string(1000, '[')), error);
}

} // namespace

} // namespace weft::test
