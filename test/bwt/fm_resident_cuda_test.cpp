// Tests weft/bwt/fm_index.cuh: patterns and results are in device memory and compared with those of the CPU.
#include <gtest/gtest.h>
#include <stdexcept>
#include <test/base/gpu_suite.hpp>
#include <thread>
#include <type_traits>
#include <weft/base/device.hpp>
#include <weft/base/error.hpp>
#include <weft/bwt/fm_index.cuh>

#include "fm_batches.hpp"
#include "fm_cases.hpp"

namespace weft::test {

namespace {

using gpu::device_buffer;

static_assert(std::is_trivially_copyable_v<gpu::fm_index_view>);

class gpu_fm_resident : public gpu_suite {};

template <class T> std::vector<T> read_back(const device_buffer<T>& from, cudaStream_t stream) {
  std::vector<T> items(from.size());
  gpu::copy(items.data(), from.data(), items.size(), stream, "read back");
  gpu::check(cudaStreamSynchronize(stream), "read back");
  return items;
}

// Patterns in device memory, which start `moved` bytes after an aligned address and end where the allocation
// ends.
class patterns_there {
public:
  patterns_there(const pattern_list& patterns, cudaStream_t stream, std::size_t moved = 0)
      : letters_(patterns.text.size() + moved, stream),
        offsets_(patterns.offsets.size(), stream), batch_{letters_.data() + moved, offsets_.data(),
                                                          patterns.count(), patterns.text.size()} {
    gpu::copy(letters_.data() + moved, patterns.text.data(), patterns.text.size(), stream, "copy letters");
    gpu::copy(offsets_.data(), patterns.offsets.data(), patterns.offsets.size(), stream, "copy offsets");
  }
  [[nodiscard]] const gpu::sequences_view& batch() const { return batch_; }

private:
  device_buffer<char> letters_;
  device_buffer<std::uint64_t> offsets_;
  gpu::sequences_view batch_;
};

std::vector<std::uint64_t> count_there(const gpu::device_fm_index& index, const pattern_list& patterns,
                                       cudaStream_t stream, std::size_t moved = 0) {
  const patterns_there there(patterns, stream, moved);
  const device_buffer<std::uint64_t> counts(patterns.count(), stream);
  gpu::count(index.view(), there.batch(), counts.data(), stream);
  return read_back(counts, stream);
}

fm_hits locate_there(const gpu::device_fm_index& index, const pattern_list& patterns,
                     const fm_search_options& options, cudaStream_t stream, std::size_t moved = 0) {
  const patterns_there there(patterns, stream, moved);
  const gpu::fm_device_hits found = gpu::locate(index.view(), there.batch(), options, stream);
  return {read_back(found.hits, stream), read_back(found.offsets, stream), read_back(found.totals, stream)};
}

void compare(const fm_index& index, const pattern_list& patterns, cudaStream_t stream, std::size_t moved) {
  const gpu::device_fm_index there(index, stream);
  EXPECT_EQ(there.bytes(), gpu::device_fm_index::bytes_of(index));
  EXPECT_EQ(count_there(there, patterns, stream, moved),
            index.count({patterns.text, patterns.offsets}, {.run = {.device = {device_kind::cpu}}}));
  for (const std::uint64_t most : {std::uint64_t{0}, std::uint64_t{3}, ~std::uint64_t{0}}) {
    const fm_hits expected = index.locate({patterns.text, patterns.offsets},
                                          {.max_hits = most, .run = {.device = {device_kind::cpu}}}),
                  actual = locate_there(there, patterns, {.max_hits = most}, stream, moved);
    EXPECT_EQ(actual.totals, expected.totals);
    EXPECT_EQ(actual.offsets, expected.offsets);
    EXPECT_TRUE(actual.hits == expected.hits);
  }
}

TEST_F(gpu_fm_resident, letters_at_any_address) {
  const gpu::stream work;
  std::mt19937_64 random(21);
  for (const auto& [letters, alphabet] : kinds_of_letters()) {
    const collection of = repetitive_records(random, 5, 3000, letters, alphabet);
    const fm_index index = fm_index::build(of.references(), {.alphabet = alphabet});
    for (std::size_t moved = 0; moved < 9; ++moved) {
      pattern_list patterns;
      for (const std::string& pattern : patterns_for(random, of, letters)) patterns.add(pattern);
      compare(index, patterns, work.get(), moved);
    }
  }
}

TEST_F(gpu_fm_resident, one_pattern_and_tiles_of_them) {
  const gpu::stream work;
  std::mt19937_64 random(22);
  collection of;
  of.add(random_text(random, 20'000, "ACGT"));
  const fm_index index = fm_index::build(of.references());
  for (const std::size_t count : {1, 2, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 5000})
    compare(index, sampled_patterns(random, of.text, count, 1, 40, "ACGTN"), work.get(), count % 8);
}

TEST_F(gpu_fm_resident, rows_of_64_bits) {
  const gpu::stream work;
  std::mt19937_64 random(23);
  for (const auto& [letters, alphabet] : kinds_of_letters()) {
    const collection of = repetitive_records(random, 20, 2000, letters, alphabet);
    const auto wide =
        built_index<std::uint64_t>(of.references(), {.alphabet = alphabet, .sa_sample_rate = 7});
    pattern_list patterns;
    for (const std::string& pattern : patterns_for(random, of, letters)) patterns.add(pattern);
    compare(fm_index::from_bytes(wide.bytes, wide.owner), patterns, work.get(), 1);
  }
}

// Two streams use the same index at once. Counting does not wait for the stream.
TEST_F(gpu_fm_resident, two_streams_at_once) {
  std::mt19937_64 random(24);
  collection of;
  of.add(random_text(random, 300'000, "ACGT"));
  const fm_index index = fm_index::build(of.references());
  const gpu::stream first, second;
  const gpu::device_fm_index there(index, first.get());
  const pattern_list some = sampled_patterns(random, of.text, 50'000, 10, 100, "ACGT"),
                     others = sampled_patterns(random, of.text, 50'000, 1, 12, "ACGT");
  const patterns_there some_there(some, first.get()), others_there(others, second.get(), 3);
  const device_buffer<std::uint64_t> some_counts(some.count(), first.get()),
      others_counts(others.count(), second.get());
  for (int round = 0; round < 10; ++round) {
    gpu::count(there.view(), some_there.batch(), some_counts.data(), first.get());
    gpu::count(there.view(), others_there.batch(), others_counts.data(), second.get());
  }
  EXPECT_EQ(read_back(some_counts, first.get()), index.count({some.text, some.offsets}));
  EXPECT_EQ(read_back(others_counts, second.get()), index.count({others.text, others.offsets}));
  std::vector<std::jthread> team;
  for (const pattern_list* patterns : {&some, &others})
    team.emplace_back([&, patterns] {
      const gpu::stream work;
      for (int round = 0; round < 3; ++round)
        EXPECT_TRUE(locate_there(there, *patterns, {.max_hits = 20}, work.get()).hits ==
                    index.locate({patterns->text, patterns->offsets}, {.max_hits = 20}).hits);
    });
}

TEST_F(gpu_fm_resident, nothing_and_wrong_arguments) {
  const gpu::stream work;
  collection of;
  of.add("GATTACA");
  const fm_index index = fm_index::build(of.references());
  const gpu::device_fm_index there(index, work.get());
  gpu::count(there.view(), {}, nullptr, work.get());
  const gpu::fm_device_hits none = gpu::locate(there.view(), {}, {}, work.get());
  EXPECT_EQ(none.hits.size(), 0U);
  EXPECT_EQ(read_back(none.offsets, work.get()), std::vector<std::uint64_t>{0});
  pattern_list patterns;
  patterns.add("A");
  const patterns_there batch(patterns, work.get());
  const device_buffer<std::uint64_t> counts(1, work.get());
  gpu::count(gpu::fm_index_view{}, batch.batch(), counts.data(), work.get());
  EXPECT_EQ(read_back(counts, work.get()), std::vector<std::uint64_t>{0});
  EXPECT_THROW(gpu::count(there.view(), batch.batch(), nullptr, work.get()), std::invalid_argument);
  gpu::sequences_view wrong = batch.batch();
  wrong.d_offsets = nullptr;
  EXPECT_THROW(gpu::count(there.view(), wrong, counts.data(), work.get()), std::invalid_argument);
  EXPECT_THROW((void)gpu::locate(there.view(), wrong, {}, work.get()), std::invalid_argument);
  wrong = batch.batch();
  wrong.d_data = nullptr;
  EXPECT_THROW((void)gpu::locate(there.view(), wrong, {}, work.get()), std::invalid_argument);
  wrong = batch.batch();
  wrong.count = ~std::uint64_t{0};
  EXPECT_THROW(gpu::count(there.view(), wrong, counts.data(), work.get()), std::invalid_argument);
  EXPECT_THROW((void)gpu::locate(there.view(), batch.batch(), {.run = {.device_memory = 10}}, work.get()),
               memory_error);
}

TEST_F(gpu_fm_resident, default_stream_and_hits_that_outlive_the_index) {
  collection of;
  of.add("GATTACAGATTA");
  gpu::fm_device_hits found;
  {
    const gpu::device_fm_index there(fm_index::build(of.references()), nullptr);
    pattern_list patterns;
    patterns.add("ATTA");
    const patterns_there batch(patterns, nullptr);
    found = gpu::locate(there.view(), batch.batch(), {}, nullptr);
  }
  EXPECT_EQ(read_back(found.hits, nullptr), (std::vector<fm_hit>{{0, 1}, {0, 8}}));
}

} // namespace

} // namespace weft::test
