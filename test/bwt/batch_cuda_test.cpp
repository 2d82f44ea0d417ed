// Tests batches of texts and collections on a GPU, which are compared with the definitions and the CPU:
// sorted at once, sorted in blocks, and ordered by the difference cover.
#include <gtest/gtest.h>
#include <test/base/gpu_suite.hpp>
#include <test/reference/bwt_reference.hpp>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/error.hpp>
#include <weft/bwt/bwt_batch.cuh>
#include <weft/bwt/bwt_batch.hpp>
#include <weft/bwt/collection_bwt.hpp>
#include <weft/bwt/cuda/suffix_sort/suffix_sort.hpp>
#include <weft/bwt/cuda/text/packed_text.hpp>
#include <weft/bwt/suffix_array.hpp>

#include "bwt_cases.hpp"
#include "collected_rows.hpp"
#include "part_cases.hpp"

namespace weft::test {

namespace {

using bwt_detail::suffix_sort_options;

constexpr device_choice on_cpu = {device_kind::cpu, 0};
constexpr auto forms = {bwt_form::sentinel, bwt_form::rotation};
constexpr suffix_sort_options early_cover = {.text_rounds = 1, .deep_rounds = 1};

std::span<const unsigned char> bytes_of(const std::string& text) {
  return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
}

class gpu_parts : public gpu_suite {
protected:
  // Returns the rows that bwt_detail::sort_suffixes_in_blocks() finds. of.text must not be empty.
  template <class Index>
  static std::vector<Index> sorted(const text_parts& of, bool batch, const suffix_sort_options& options) {
    const gpu::stream work;
    const auto d_text = gpu::uploaded(bytes_of(of.text), work.get(), "upload");
    std::vector<std::uint64_t> begins;
    for (std::size_t p = 0; p < of.parts(); ++p)
      if (of.offsets[p] < of.offsets[p + 1]) begins.push_back(of.offsets[p]);
    begins.push_back(of.text.size());
    const bwt_detail::text_parts parts(begins, work.get());
    const bwt_detail::packed_text text(d_text.data(), of.text.size(), work.get());
    return collected_rows<Index>(of.text.size(), work, [&](const bwt_detail::row_sink<Index>& sink) {
      bwt_detail::sort_suffixes_in_blocks<Index>(text, batch ? parts.batch(text) : parts.collection(text),
                                                 sink, options, work.get());
    });
  }
  // Returns the rows that libdivsufsort finds for each part, or prefix doubling for the collection.
  static std::vector<std::uint32_t> expected(const text_parts& of, bool batch) {
    if (!batch) return collection_suffix_array({of.text, of.offsets}, {.run = {.device = on_cpu}});
    std::vector<std::uint32_t> rows;
    for (std::size_t p = 0; p < of.parts(); ++p)
      for (const std::uint32_t at : suffix_array(of.part(p), {.run = {.device = on_cpu}}))
        rows.push_back(static_cast<std::uint32_t>(of.offsets[p]) + at);
    return rows;
  }
  static void expect_rows(const std::string& name, const text_parts& of,
                          std::initializer_list<suffix_sort_options> ways) {
    for (const bool batch : {false, true}) {
      const std::vector<std::uint32_t> rows = expected(of, batch);
      for (const suffix_sort_options& options : ways) {
        const std::vector<std::uint32_t> found = sorted<std::uint32_t>(of, batch, options);
        for (std::size_t row = 0; row < rows.size(); ++row)
          ASSERT_EQ(found[row], rows[row])
              << name << (batch ? ", batch of " : ", collection of ") << of.parts() << ", row " << row
              << ", block " << options.block << ", rounds " << options.text_rounds;
        const std::vector<std::uint64_t> wide(rows.begin(), rows.end());
        ASSERT_EQ(sorted<std::uint64_t>(of, batch, options), wide) << name;
      }
    }
  }
  // Returns texts that repeat each other and themselves, with empty texts between them.
  static text_parts cut(const std::string& text, std::size_t copies) {
    text_parts of;
    for (std::size_t i = 0; i < copies; ++i) {
      of.add(text);
      of.add("");
      of.add(std::string_view(text).substr(0, text.size() / (i + 2)));
      of.add(std::string_view(text).substr(text.size() / (i + 2)));
    }
    return of;
  }
};

class gpu_batch : public gpu_parts {
protected:
  void expect_same(const std::string& name, const text_parts& of, bwt_form form) const {
    const bwt_batch_text wanted = bwt_batch({of.text, of.offsets}, form, {.run = {.device = on_cpu}}),
                         found = bwt_batch({of.text, of.offsets}, form, {.run = {.device = gpu_}});
    for (std::size_t p = 0; p < of.parts(); ++p) {
      ASSERT_EQ(found.primary_indexes[p], wanted.primary_indexes[p]) << name << ", text " << p;
      const std::uint64_t size = of.offsets[p + 1] - of.offsets[p];
      ASSERT_EQ(found.bytes.substr(of.offsets[p], size), wanted.bytes.substr(of.offsets[p], size))
          << name << ", text " << p << " of " << size;
    }
    ASSERT_EQ(found, wanted) << name;
    if (form == bwt_form::rotation) return;
    ASSERT_EQ(suffix_array_batch({of.text, of.offsets}, {.run = {.device = gpu_}}),
              suffix_array_batch({of.text, of.offsets}, {.run = {.device = on_cpu}}))
        << name;
    ASSERT_EQ(suffix_array_batch<std::uint64_t>({of.text, of.offsets}, {.run = {.device = gpu_}}),
              suffix_array_batch<std::uint64_t>({of.text, of.offsets}, {.run = {.device = on_cpu}}))
        << name;
  }
};

class gpu_collection : public gpu_parts {
protected:
  void expect_same(const std::string& name, const text_parts& of) const {
    ASSERT_EQ(collection_suffix_array({of.text, of.offsets}, {.run = {.device = gpu_}}),
              collection_suffix_array({of.text, of.offsets}, {.run = {.device = on_cpu}}))
        << name;
    const collection_bwt_text wanted = collection_bwt({of.text, of.offsets}, {.run = {.device = on_cpu}}),
                              found = collection_bwt({of.text, of.offsets}, {.run = {.device = gpu_}});
    ASSERT_EQ(found.starts, wanted.starts) << name;
    ASSERT_EQ(found.bytes, wanted.bytes) << name;
  }
};

// The texts are short enough for tools that check every memory access.
TEST_F(gpu_parts, a_few_texts_by_every_step) {
  std::mt19937_64 random(1);
  const text_parts of = random_parts(random, 40, 60);
  expect_rows("random", of, {{}, {.block = 200}, early_cover});
  expect_rows("copies", cut(texts(150)[1].second, 6),
              {{}, {.block = 300, .text_rounds = 1, .deep_rounds = 1}});
}

TEST_F(gpu_parts, of_every_short_text) {
  text_parts of;
  for_all_texts(2, 10, [&](const std::string& text) { of.add(text); });
  for_all_texts(3, 5, [&](const std::string& text) { of.add(text); });
  expect_rows("all", of, {{}, {.block = 1000}, early_cover});
}

TEST_F(gpu_parts, of_random_texts) {
  std::mt19937_64 random(2);
  for (const std::size_t longest : {2, 31, 32, 33, 64, 100, 3000})
    for (const std::size_t count : {1, 2, 3, 33, 1000}) {
      const text_parts of = random_parts(random, count, longest);
      if (!of.text.empty()) expect_rows("random", of, {{}, {.block = of.text.size() / 3 + 1}});
    }
}

TEST_F(gpu_parts, where_the_cover_decides) {
  for (const std::size_t n : {65, 1000, 9000})
    for (const auto& [name, text] : texts(n))
      expect_rows(name, cut(text, 3), {early_cover, {.block = n / 2, .text_rounds = 1, .deep_rounds = 1}});
}

TEST_F(gpu_parts, equal_ones_of_every_number) {
  std::mt19937_64 random(3);
  for (const std::size_t copies : {2, 3, 4, 5, 8, 9, 16, 17, 32, 33, 64, 65, 256, 257, 600}) {
    text_parts of;
    std::string text(100 + copies % 7, ' ');
    for (char& c : text) c = "ACGT"[random() % 4];
    for (std::size_t i = 0; i < copies; ++i) of.add(text);
    expect_rows("copies", of, {{}, early_cover});
  }
}

TEST_F(gpu_batch, every_text_of_two_letters_in_one_call) {
  text_parts of;
  for_all_texts(2, 12, [&](const std::string& text) { of.add(text); });
  for (const bwt_form form : forms)
    ASSERT_EQ(bwt_batch({of.text, of.offsets}, form, {.run = {.device = gpu_}}), reference_batch(of, form));
}

TEST_F(gpu_batch, of_texts_that_stumble) {
  for (const std::size_t n : {1, 2, 33, 1000, 70'000})
    for (const bwt_form form : forms) {
      text_parts all;
      for (const auto& [name, text] : texts(n)) {
        expect_same(name, cut(text, 2), form);
        all.add(text);
      }
      expect_same("all", all, form);
    }
}

TEST_F(gpu_batch, of_random_texts) {
  std::mt19937_64 random(4);
  for (const std::size_t longest : {1, 3, 50, 5000})
    for (const std::size_t count : {1, 2, 1000})
      for (const bwt_form form : forms) expect_same("random", random_parts(random, count, longest), form);
}

TEST_F(gpu_batch, powers_of_every_root) {
  text_parts of;
  for (const std::size_t times : {1, 2, 3, 64, 1000})
    for (const char* root : {"a", "b", "ab", "ba", "aab", "baa", "banana", "mississippi"}) {
      std::string text;
      for (std::size_t i = 0; i < times; ++i) text += root;
      of.add(text);
      of.add(text + root[0]);
    }
  for (const bwt_form form : forms) expect_same("powers", of, form);
}

TEST_F(gpu_batch, a_million_texts) {
  std::vector<std::string> kinds;
  for_all_texts(2, 7, [&](const std::string& text) { kinds.push_back(text); });
  for (const bwt_form form : forms) {
    std::vector<bwt_text> known;
    for (const std::string& text : kinds) known.push_back(reference::bwt(text, form));
    std::mt19937_64 random(5);
    text_parts of;
    bwt_batch_text expected{"", {}, form};
    for (int i = 0; i < 1'000'000; ++i) {
      const std::size_t kind = random() % kinds.size();
      of.add(kinds[kind]);
      expected.bytes += known[kind].bytes;
      expected.primary_indexes.push_back(known[kind].primary_index);
    }
    const bwt_batch_text found = bwt_batch({of.text, of.offsets}, form, {.run = {.device = gpu_}});
    ASSERT_TRUE(found == expected); // not ASSERT_EQ, because the texts are too long to print
  }
}

// There are more symbols than are sorted at once.
TEST_F(gpu_batch, of_many_symbols) {
  const std::string text = texts(2'100'000)[1].second;
  text_parts of;
  for (int i = 0; i < 70; ++i) of.add(std::string_view(text).substr(static_cast<std::size_t>(i) * 1000));
  const bwt_batch_text found =
      bwt_batch({of.text, of.offsets}, bwt_form::sentinel, {.run = {.device = gpu_}});
  for (const std::size_t p : {0, 1, 63, 64, 65, 69}) {
    const bwt_text one = bwt(of.part(p), bwt_form::sentinel, {.run = {.device = on_cpu}});
    ASSERT_EQ(found.primary_indexes[p], one.primary_index) << p;
    ASSERT_EQ(found.bytes.substr(of.offsets[p], one.bytes.size()), one.bytes) << p;
  }
}

TEST_F(gpu_batch, by_every_engine_and_tells_of_each_symbol_once) {
  std::mt19937_64 random(6);
  const text_parts of = random_parts(random, 30, 300);
  for (const bwt_form form : forms)
    for (const char* const engine : {"suffix-sort", "ternary-quicksort"}) {
      task_monitor monitor;
      run_info used;
      ASSERT_EQ(bwt_batch({of.text, of.offsets}, form,
                          {.run = {.engine = engine, .device = gpu_, .monitor = &monitor, .info = &used}}),
                reference_batch(of, form))
          << engine;
      EXPECT_EQ(monitor.done(), of.text.size()) << engine;
      EXPECT_EQ(used.engine, engine);
      EXPECT_EQ(gpu_of(used), gpu_.index);
    }
}

TEST_F(gpu_batch, in_little_memory_and_cancelled) {
  std::mt19937_64 random(7);
  const std::string text = texts(6'000'000)[1].second;
  text_parts of; // texts that are sorted in pieces
  for (std::size_t at = 0; at < text.size(); at = of.text.size())
    of.add(std::string_view(text).substr(at, random() % 30'000));
  for (const bwt_form form : forms) {
    const bwt_batch_text wanted = bwt_batch({of.text, of.offsets}, form, {.run = {.device = on_cpu}});
    EXPECT_EQ(bwt_batch({of.text, of.offsets}, form, {.run = {.device = gpu_, .device_memory = 24'000'000}}),
              wanted);
    EXPECT_THROW(
        (void)bwt_batch({of.text, of.offsets}, form, {.run = {.device = gpu_, .device_memory = 1000}}),
        memory_error);
  }
  EXPECT_EQ(suffix_array_batch({of.text, of.offsets}, {.run = {.device = gpu_, .device_memory = 24'000'000}}),
            suffix_array_batch({of.text, of.offsets}, {.run = {.device = on_cpu}}));
  task_monitor monitor;
  monitor.cancel();
  EXPECT_THROW((void)bwt_batch({of.text, of.offsets}, bwt_form::sentinel,
                               {.run = {.device = gpu_, .monitor = &monitor}}),
               cancelled_error);
}

TEST_F(gpu_batch, of_nothing_and_of_bad_arguments) {
  const gpu::stream work;
  const auto call = [&](std::vector<std::uint64_t> offsets, std::size_t results, const std::string& engine) {
    std::vector<std::uint64_t> indexes(results, 7);
    gpu::bwt_batch(nullptr, offsets, bwt_form::sentinel, nullptr, indexes, {.run = {.engine = engine}},
                   work.get());
    return indexes;
  };
  EXPECT_EQ(call({0}, 0, "auto"), std::vector<std::uint64_t>());
  EXPECT_EQ(call({0, 0, 0}, 2, "auto"), (std::vector<std::uint64_t>{0, 0}));
  EXPECT_THROW((void)call({}, 0, "auto"), std::invalid_argument);
  EXPECT_THROW((void)call({0, 1}, 1, "auto"), std::invalid_argument); // the text is null
  EXPECT_THROW((void)call({1, 1}, 1, "auto"), std::invalid_argument);
  EXPECT_THROW((void)call({0, 2, 1}, 2, "auto"), std::invalid_argument);
  EXPECT_THROW((void)call({0, 0}, 0, "auto"), std::invalid_argument);
  EXPECT_THROW((void)call({0, 0}, 1, "fast"), error);
  EXPECT_THROW((void)call({0, 0}, 1, "libdivsufsort"), error); // runs only on the CPU
  EXPECT_EQ(bwt_batch({"", std::vector<std::uint64_t>{0, 0}}, bwt_form::rotation, {.run = {.device = gpu_}}),
            (bwt_batch_text{"", {0}, bwt_form::rotation}));
}

TEST_F(gpu_collection, of_every_short_collection) {
  for (const int parts : {1, 2, 3})
    for_all_texts(2, 4, [&](const std::string& text) {
      for_all_parts(text, parts, [&](const text_parts& of) {
        std::vector<std::string> each;
        for (std::size_t r = 0; r < of.parts(); ++r) each.push_back(of.part(r));
        ASSERT_EQ(collection_bwt({of.text, of.offsets}, {.run = {.device = gpu_}}),
                  reference::collection_bwt(each));
        ASSERT_EQ(collection_suffix_array({of.text, of.offsets}, {.run = {.device = gpu_}}),
                  reference::collection_suffix_array(of.text, of.offsets));
      });
    });
}

TEST_F(gpu_collection, of_every_short_text_as_a_record) {
  text_parts of;
  for_all_texts(2, 12, [&](const std::string& text) { of.add(text); });
  expect_same("all", of);
}

TEST_F(gpu_collection, of_texts_that_stumble) {
  for (const std::size_t n : {1, 2, 33, 1000, 20'000})
    for (const auto& [name, text] : texts(n)) expect_same(name, cut(text, 2));
}

TEST_F(gpu_collection, of_random_records) {
  std::mt19937_64 random(8);
  for (const std::size_t longest : {1, 3, 50, 1000})
    for (const std::size_t count : {1, 2, 3, 1000})
      expect_same("random", random_parts(random, count, longest));
}

// Reads of a genome: overlapping reads have long common parts, and some reads occur twice.
TEST_F(gpu_collection, of_reads) {
  std::mt19937_64 random(9);
  const std::string genome = texts(100'000)[12].second;
  text_parts of;
  for (int i = 0; i < 20'000; ++i)
    of.add(std::string_view(genome).substr(random() % (genome.size() - 100), 100));
  expect_same("reads", of);
}

TEST_F(gpu_collection, and_back) {
  std::mt19937_64 random(10);
  const text_parts of = random_parts(random, 5000, 300);
  std::vector<std::string> each;
  for (std::size_t r = 0; r < of.parts(); ++r) each.push_back(of.part(r));
  task_monitor monitor;
  run_info used;
  const collection_bwt_text found =
      collection_bwt({of.text, of.offsets}, {.run = {.device = gpu_, .monitor = &monitor, .info = &used}});
  const sequences back = inverse_collection_bwt(found);
  ASSERT_EQ(back.count(), each.size());
  for (std::size_t r = 0; r < each.size(); ++r) EXPECT_EQ(back[r], each[r]);
  EXPECT_EQ(monitor.done(), of.text.size());
  EXPECT_EQ(used.engine, "suffix-sort");
  EXPECT_EQ(gpu_of(used), gpu_.index);
}

TEST_F(gpu_collection, of_nothing_and_of_bad_arguments) {
  EXPECT_EQ(collection_bwt({"", std::vector<std::uint64_t>{0, 0}}, {.run = {.device = gpu_}}),
            (collection_bwt_text{"", {0}}));
  EXPECT_TRUE(
      collection_suffix_array({"", std::vector<std::uint64_t>{0}}, {.run = {.device = gpu_}}).empty());
  const gpu::stream work;
  const std::vector<std::uint64_t> one = {0, 1}, wide = {0, std::uint64_t{1} << 31};
  std::vector<std::uint64_t> starts(1);
  EXPECT_THROW(gpu::collection_bwt(nullptr, one, nullptr, starts, {}, work.get()), std::invalid_argument);
  EXPECT_THROW(gpu::collection_bwt(nullptr, one, nullptr, {}, {}, work.get()), std::invalid_argument);
  EXPECT_THROW(gpu::collection_suffix_array<std::uint32_t>(nullptr, wide, nullptr, {}, work.get()),
               std::invalid_argument);
  EXPECT_THROW((void)collection_bwt({std::string(100'000, 'a'), std::vector<std::uint64_t>{0, 100'000}},
                                    {.run = {.device = gpu_, .device_memory = 300'000}}),
               memory_error);
}

} // namespace
} // namespace weft::test
