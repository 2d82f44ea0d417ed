// Checks that each transform of a batch equals the transform of its text alone.
#include <gtest/gtest.h>
#include <test/reference/bwt_reference.hpp>
#include <weft/base/error.hpp>
#include <weft/bwt/bwt_batch.hpp>

#include "bwt_cases.hpp"
#include "part_cases.hpp"

namespace weft::test {

namespace {

constexpr device_choice on_cpu = {device_kind::cpu, 0};
constexpr auto forms = {bwt_form::sentinel, bwt_form::rotation};

TEST(bwt_batch, as_the_header_shows) {
  const std::vector<std::uint64_t> offsets = {0, 6, 6, 9};
  const bwt_batch_text expected = {"annbaaana", {4, 0, 2}, bwt_form::sentinel};
  EXPECT_EQ(bwt_batch({"bananaana", offsets}), expected);
}

TEST(bwt_batch, of_every_short_text) {
  text_parts of;
  for_all_texts(2, 8, [&](const std::string& text) { of.add(text); });
  for_all_texts(3, 4, [&](const std::string& text) { of.add(text); });
  for (const bwt_form form : forms)
    for (const int threads : {1, 3})
      EXPECT_EQ(bwt_batch({of.text, of.offsets}, form, {.run = {.device = on_cpu, .threads = threads}}),
                reference_batch(of, form));
}

TEST(bwt_batch, by_every_engine) {
  text_parts of;
  for (const std::size_t n : {0, 1, 33, 1000})
    for (const auto& [name, text] : texts(n)) of.add(text);
  for (const bwt_form form : forms)
    for (const engine_info& engine : bwt_engines()) {
      task_monitor monitor;
      run_info used;
      EXPECT_EQ(bwt_batch({of.text, of.offsets}, form,
                          {.run = {.engine = engine.name,
                                   .device = on_cpu,
                                   .threads = 2,
                                   .monitor = &monitor,
                                   .info = &used}}),
                reference_batch(of, form))
          << engine.name;
      EXPECT_EQ(monitor.done(), of.text.size());
      EXPECT_EQ(used.engine, engine.name);
      EXPECT_EQ(gpu_of(used), -1);
    }
}

TEST(suffix_array_batch, of_every_short_text_by_every_engine) {
  text_parts of;
  for_all_texts(2, 8, [&](const std::string& text) { of.add(text); });
  std::vector<std::uint32_t> expected;
  for (std::size_t p = 0; p < of.parts(); ++p)
    for (const std::uint32_t at : reference::suffix_array(of.part(p))) expected.push_back(at);
  for (const engine_info& engine : bwt_engines()) {
    const bwt_options options{.run = {.engine = engine.name, .device = on_cpu, .threads = 2}};
    EXPECT_EQ(suffix_array_batch({of.text, of.offsets}, options), expected);
    EXPECT_EQ(suffix_array_batch<std::uint64_t>({of.text, of.offsets}, options),
              (std::vector<std::uint64_t>{expected.begin(), expected.end()}));
  }
  EXPECT_TRUE(suffix_array_batch({"", std::vector<std::uint64_t>{0, 0}}).empty());
  EXPECT_THROW((void)suffix_array_batch({"abc", std::vector<std::uint64_t>{0, 2}}), std::invalid_argument);
}

TEST(bwt_batch, of_nothing_and_of_bad_arguments) {
  const std::vector<std::uint64_t> none, no_texts = {0}, empty_ones = {0, 0, 0};
  EXPECT_EQ(bwt_batch({"", no_texts}), bwt_batch_text());
  EXPECT_EQ(bwt_batch({"", empty_ones}).primary_indexes, (std::vector<std::uint64_t>{0, 0}));
  EXPECT_THROW((void)bwt_batch({"abc", none}), std::invalid_argument);
  EXPECT_THROW((void)bwt_batch({"abc", std::vector<std::uint64_t>{0, 2}}), std::invalid_argument);
  EXPECT_THROW((void)bwt_batch({"abc", std::vector<std::uint64_t>{1, 3}}), std::invalid_argument);
  EXPECT_THROW((void)bwt_batch({"abc", std::vector<std::uint64_t>{0, 2, 1, 3}}), std::invalid_argument);
  const std::vector<std::uint64_t> one = {0, 3};
  EXPECT_THROW((void)bwt_batch({"abc", one}, bwt_form::sentinel, {.run = {.engine = "fast"}}), error);
  EXPECT_THROW((void)bwt_batch({"abc", one}, bwt_form::sentinel, {.run = {.device = on_cpu, .memory = 12}}),
               memory_error);
  task_monitor monitor;
  monitor.cancel();
  EXPECT_THROW(
      (void)bwt_batch({"abc", one}, bwt_form::sentinel, {.run = {.device = on_cpu, .monitor = &monitor}}),
      cancelled_error);
}

} // namespace
} // namespace weft::test
