// Tests the transform of collections, which is compared with its definition and inverted.
#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <test/reference/bwt_reference.hpp>
#include <weft/base/error.hpp>
#include <weft/bwt/collection_bwt.hpp>

#include "bwt_cases.hpp"

namespace weft::test {

namespace {

using records = std::vector<std::string>;

collection_bwt_text transformed(const records& of, int threads = 1) {
  std::string text;
  std::vector<std::uint64_t> offsets = {0};
  for (const std::string& record : of) offsets.push_back((text += record).size());
  return collection_bwt({text, offsets}, {.run = {.threads = threads}});
}

records inverted(const collection_bwt_text& of, const bwt_options& options = {}) {
  const sequences found = inverse_collection_bwt(of, options);
  records result;
  for (std::uint64_t r = 0; r < found.count(); ++r) result.emplace_back(found[r]);
  return result;
}

// Calls check() for every way to cut the text into `parts` records, behind the records of `before`.
void for_all_cuts(const std::string& text, int parts, records& before,
                  const std::function<void(const records&)>& check) {
  for (std::size_t size = parts == 1 ? text.size() : 0; size <= text.size(); ++size) {
    before.push_back(text.substr(0, size));
    if (parts == 1)
      check(before);
    else
      for_all_cuts(text.substr(size), parts - 1, before, check);
    before.pop_back();
  }
}

TEST(collection_bwt, of_every_short_collection_and_back) {
  for (const int parts : {1, 2, 3})
    for_all_texts(2, 7, [&](const std::string& text) {
      records of;
      for_all_cuts(text, parts, of, [](const records& each) {
        const collection_bwt_text expected = reference::collection_bwt(each), actual = transformed(each);
        ASSERT_EQ(actual.bytes, expected.bytes);
        ASSERT_EQ(actual.starts, expected.starts);
        ASSERT_EQ(inverted(actual, {.run = {.threads = 1}}), each);
      });
    });
}

TEST(collection_bwt, as_the_header_shows) {
  EXPECT_EQ(transformed({"ban", "ana"}), (collection_bwt_text{"nanbaa", {5, 4}}));
  EXPECT_EQ(inverted({"nanbaa", {5, 4}}), (records{"ban", "ana"}));
}

TEST(collection_bwt, of_one_record_is_the_sentinel_form) {
  for (const auto& [name, text] : texts(3000)) {
    const bwt_text one = bwt(text);
    const collection_bwt_text actual = transformed({text});
    EXPECT_EQ(actual.bytes, one.bytes) << name;
    EXPECT_EQ(actual.starts, std::vector<std::uint64_t>{one.primary_index}) << name;
  }
  EXPECT_EQ(transformed({}), collection_bwt_text());
  EXPECT_EQ(inverted({}), records());
}

TEST(collection_bwt, of_many_records_and_back) {
  std::mt19937_64 random(5);
  for (const std::size_t count : {1, 10, 3000}) {
    records of;
    for (std::size_t r = 0; r < count; ++r) {
      std::string record(random() % 60, ' ');
      for (char& c : record) c = static_cast<char>(random() % (r % 2 == 0 ? 3 : 256));
      of.push_back(r % 5 == 4 ? of[random() % r] : record); // some records occur twice
    }
    const collection_bwt_text expected = reference::collection_bwt(of);
    for (const int threads : {1, 3}) {
      ASSERT_EQ(transformed(of, threads), expected);
      ASSERT_EQ(inverted(expected, {.run = {.threads = threads}}), of);
    }
  }
}

// Among all combinations of four bytes and two starts, the inverse accepts exactly the transforms.
TEST(collection_bwt, takes_transforms_and_nothing_else) {
  std::set<std::pair<std::string, std::vector<std::uint64_t>>> all;
  for_all_texts(2, 4, [&](const std::string& text) {
    if (text.size() < 4) return;
    records of;
    for_all_cuts(text, 2, of, [&](const records& each) {
      const collection_bwt_text expected = reference::collection_bwt(each);
      all.emplace(expected.bytes, expected.starts);
    });
  });
  std::size_t taken = 0;
  for_all_texts(2, 4, [&](const std::string& bytes) {
    if (bytes.size() < 4) return;
    for (std::uint64_t a = 0; a < 8; ++a)
      for (std::uint64_t b = 0; b < 8; ++b) {
        const bool transform = all.contains({bytes, {a, b}});
        try {
          (void)inverse_collection_bwt({bytes, {a, b}}, {.run = {.threads = 1}});
          EXPECT_TRUE(transform) << bytes << ' ' << a << ' ' << b;
          ++taken;
        } catch (const error& failure) {
          EXPECT_EQ(failure.code(), errc::invalid_input);
          EXPECT_FALSE(transform) << bytes << ' ' << a << ' ' << b;
        }
      }
  });
  EXPECT_EQ(taken, all.size());
  EXPECT_EQ(taken, 16U * 5U);
  EXPECT_THROW((void)inverse_collection_bwt({"ab", {}}), error);
}

TEST(collection_bwt, wrong_offsets_and_little_memory) {
  EXPECT_THROW((void)collection_bwt({"abc", std::vector<std::uint64_t>{0, 2}}), std::invalid_argument);
  EXPECT_THROW((void)collection_bwt({"abc", std::vector<std::uint64_t>{}}), std::invalid_argument);
  const collection_bwt_text many = transformed({std::string(10'000, 'a')});
  EXPECT_THROW((void)inverse_collection_bwt(many, {.run = {.memory = 1000}}), memory_error);
}

TEST(collection_bwt, reports_and_can_be_cancelled) {
  run_info info;
  const sequences batch("banana", {0, 3, 6});
  const collection_bwt_text found =
      collection_bwt(batch, {.run = {.device = {device_kind::cpu}, .info = &info}});
  EXPECT_EQ(info.engine, "suffix-sort");
  EXPECT_EQ(info.work, 6U);
  (void)inverse_collection_bwt(found, {.run = {.info = &info}});
  EXPECT_EQ(info.engine, "chains");
  EXPECT_EQ(info.work, 6U);
  EXPECT_EQ(collection_bwt({}), collection_bwt_text());
  EXPECT_THROW((void)inverse_collection_bwt(found, {.run = {.device = {device_kind::gpu, 0}}}), error);
  EXPECT_THROW((void)inverse_collection_bwt(found, {.run = {.engine = "suffix-sort"}}), error);
  task_monitor monitor;
  monitor.cancel();
  EXPECT_THROW((void)collection_bwt(batch, {.run = {.monitor = &monitor}}), cancelled_error);
  EXPECT_THROW((void)inverse_collection_bwt(found, {.run = {.monitor = &monitor}}), cancelled_error);
}

} // namespace
} // namespace weft::test
