// Checks the ternary quicksort on the first GPU, in device memory, against the suffix arrays of libdivsufsort
// and against rotations sorted by definition.
#include <gtest/gtest.h>
#include <optional>
#include <test/base/gpu_suite.hpp>
#include <test/reference/row_order.hpp>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/device.hpp>
#include <weft/base/error.hpp>
#include <weft/bwt/core/min_rotation.hpp>
#include <weft/bwt/published/cuda/ternary_quicksort.hpp>
#include <weft/bwt/suffix_array.hpp>

#include "bwt_cases.hpp"

namespace weft::test {

namespace {

using bwt_detail::quicksort_options;
using bwt_detail::quicksort_times;

// Options for texts over small alphabets: by words alone, by symbols and then ranks, and by ranks as soon as
// there are any.
const quicksort_options option_sets[] = {
    {}, {.symbol_levels = 3}, {.symbol_levels = 0, .small_rounds = 1}, {.small_rounds = 1}};

class gpu_ternary_quicksort : public gpu_suite {
protected:
  void SetUp() override {
    gpu_suite::SetUp();
    if (IsSkipped()) return;
    work_.emplace();
  }

  // Returns the sorted rows. The text starts `moved` bytes after an aligned address, and the rows lie between
  // guard entries that must not change.
  template <class Index>
  std::vector<Index> rows_of(const std::string& text, bool cyclic, std::uint64_t limit,
                             const quicksort_options& options, std::size_t moved = 0) {
    const cudaStream_t stream = work_->get();
    const std::size_t n = text.size();
    const Index untouched = 0xabababab;
    std::vector<Index> rows(n + 2, untouched);
    const gpu::device_buffer<unsigned char> d_text(n + moved, stream);
    const gpu::device_buffer<Index> d_rows(n + 2, stream);
    gpu::copy(d_text.data() + moved, reinterpret_cast<const unsigned char*>(text.data()), n, stream, "copy");
    gpu::copy(d_rows.data(), rows.data(), n + 2, stream, "copy");
    bwt_detail::ternary_quicksort<Index>(d_text.data() + moved, n, cyclic, limit, d_rows.data() + 1, options,
                                         stream);
    gpu::copy(rows.data(), d_rows.data(), n + 2, stream, "copy");
    work_->wait();
    EXPECT_TRUE(rows.front() == untouched && rows.back() == untouched);
    return {rows.begin() + 1, rows.end() - 1};
  }

  template <class Index> void check_suffixes(const std::string& text, const quicksort_options& options) {
    ASSERT_EQ(rows_of<Index>(text, false, text.size(), options), suffix_array<Index>(text)) << text.size();
  }
  template <class Index> void check_rotations(const std::string& text, const quicksort_options& options) {
    const std::uint64_t root = text.empty() ? 0 : bwt_detail::shortest_root(text);
    const std::vector<Index> rows = rows_of<Index>(text, true, root, options);
    ASSERT_TRUE(reference::is_rotation_order<Index>(text, root, rows)) << text.size();
  }
  template <class Index> void check(const std::string& text, const quicksort_options& options) {
    check_suffixes<Index>(text, options);
    check_rotations<Index>(text, options);
  }
  void check_all(std::size_t n) {
    for (const auto& [name, text] : texts(n))
      for (const quicksort_options& options : option_sets) {
        SCOPED_TRACE(name);
        check<std::uint32_t>(text, options);
        check<std::uint64_t>(text, options);
      }
  }

  std::optional<gpu::stream> work_;
};

TEST_F(gpu_ternary_quicksort, of_nothing_and_one_symbol) {
  for (const std::string text : {"", "a"}) {
    check<std::uint32_t>(text, {});
    check<std::uint64_t>(text, {});
  }
}

TEST_F(gpu_ternary_quicksort, of_every_short_text) {
  for_all_texts(3, 6, [&](const std::string& text) { check<std::uint32_t>(text, {}); });
  for_all_texts(2, 7, [&](const std::string& text) {
    check<std::uint64_t>(text, {});
    check<std::uint32_t>(text, {.symbol_levels = 0, .small_rounds = 1});
  });
}

TEST_F(gpu_ternary_quicksort, of_texts_round_the_bound_of_few) {
  for (const std::size_t n : {31, 32, 33, 34, 65}) check_all(n);
}

TEST_F(gpu_ternary_quicksort, of_texts_round_the_bounds_of_tiles) {
  for (const std::size_t n : {1000, 2047, 2048, 2049, 4096, 4097}) check_all(n);
}

TEST_F(gpu_ternary_quicksort, of_long_texts) { check_all(70'000); }

TEST_F(gpu_ternary_quicksort, of_a_million_symbols) {
  for (const auto& [name, text] : texts(1'000'000)) {
    SCOPED_TRACE(name);
    check<std::uint32_t>(text, {});
  }
}

TEST_F(gpu_ternary_quicksort, of_random_texts_of_random_sizes) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 200; ++i) {
    const std::size_t letters = 1 + random() % 5, copied = random() % 300;
    std::string text(1 + random() % 9000, 'a');
    for (char& c : text) c = static_cast<char>('a' + random() % letters);
    for (int copies = 0; copies < 5 && text.size() > 2 * copied; ++copies)
      text.replace(random() % (text.size() - copied), copied, text, random() % (text.size() - copied),
                   copied);
    SCOPED_TRACE(i);
    check<std::uint32_t>(text, option_sets[random() % 4]);
  }
}

TEST_F(gpu_ternary_quicksort, of_texts_and_rows_that_are_not_aligned) {
  for (const auto& [name, text] : texts(3001))
    for (const std::size_t moved : {1, 7})
      ASSERT_EQ(rows_of<std::uint32_t>(text, false, text.size(), {}, moved),
                suffix_array<std::uint32_t>(text))
          << name;
}

TEST_F(gpu_ternary_quicksort, is_the_same_each_time) {
  for (const auto& [name, text] : texts(20'000)) {
    const std::uint64_t root = bwt_detail::shortest_root(text);
    const auto first = rows_of<std::uint32_t>(text, true, root, {});
    for (int i = 0; i < 3; ++i) ASSERT_EQ(rows_of<std::uint32_t>(text, true, root, {}), first) << name;
  }
}

// Checks that rows that agree up to the limit may have any order, and that all others are ordered by their
// first symbols.
TEST_F(gpu_ternary_quicksort, compares_no_further_than_the_limit_needs) {
  for (const auto& [name, text] : texts(3000))
    for (const std::size_t limit : {0, 1, 2, 5, 40}) {
      const std::string twice = text + text;
      const auto rows = rows_of<std::uint32_t>(text, true, limit, {.symbol_levels = 3});
      ASSERT_EQ(reference::ranks_of_rows<std::uint32_t>(rows).size(), text.size()) << name;
      for (std::size_t i = 1; i < rows.size(); ++i)
        ASSERT_LE(twice.compare(rows[i - 1], limit, twice, rows[i], limit), 0) << name << ", " << limit;
    }
}

TEST_F(gpu_ternary_quicksort, takes_few_levels_for_any_text) {
  for (const auto& [name, text] : texts(70'000)) {
    quicksort_times times;
    (void)rows_of<std::uint32_t>(text, false, text.size(), {.times = &times});
    EXPECT_LT(times.levels, 1500U) << name;
  }
}

TEST_F(gpu_ternary_quicksort, times_of_kernels_add_up) {
  const std::string text = texts(70'000)[1].second;
  quicksort_times once, twice;
  (void)rows_of<std::uint32_t>(text, false, text.size(), {.times = &once});
  EXPECT_GT(once.first, 0);
  EXPECT_GT(once.second, 0);
  EXPECT_GT(once.levels, 3U);
  for (int i = 0; i < 2; ++i) (void)rows_of<std::uint32_t>(text, false, text.size(), {.times = &twice});
  EXPECT_EQ(twice.levels, 2 * once.levels);
}

TEST_F(gpu_ternary_quicksort, keeps_to_its_memory) {
  const std::string text = texts(100'000)[1].second, equal(100'000, 'a');
  for (const std::uint64_t bytes : {std::uint64_t{1}, std::uint64_t{400'000}})
    EXPECT_THROW((void)rows_of<std::uint32_t>(text, false, text.size(), {.device_memory = bytes}),
                 memory_error);
  EXPECT_EQ(rows_of<std::uint32_t>(text, false, text.size(), {.device_memory = 800'000}),
            suffix_array<std::uint32_t>(text));
  EXPECT_THROW((void)rows_of<std::uint32_t>(equal, false, equal.size(), {.device_memory = 800'000}),
               memory_error); // ranks take n more indexes
  EXPECT_EQ(rows_of<std::uint32_t>(equal, false, equal.size(), {.device_memory = 1'200'000}),
            suffix_array<std::uint32_t>(equal));
}

TEST_F(gpu_ternary_quicksort, can_be_cancelled) {
  task_monitor monitor;
  monitor.cancel();
  EXPECT_THROW((void)rows_of<std::uint32_t>(std::string(1000, 'a'), false, 1000, {.monitor = &monitor}),
               cancelled_error);
}

TEST_F(gpu_ternary_quicksort, refuses_what_it_cannot_sort) {
  const cudaStream_t stream = work_->get();
  std::uint32_t* const no_rows = nullptr;
  unsigned char bytes = 0;
  std::uint32_t row = 0;
  const auto call = [&](const unsigned char* text, std::uint64_t n, std::uint32_t* rows,
                        const quicksort_options& options) {
    bwt_detail::ternary_quicksort(text, n, false, n, rows, options, stream);
  };
  EXPECT_THROW(call(&bytes, 1, no_rows, {}), std::invalid_argument);
  EXPECT_THROW(call(nullptr, 1, &row, {}), std::invalid_argument);
  EXPECT_THROW(call(&bytes, std::uint64_t{1} << 31, &row, {}), std::invalid_argument);
  EXPECT_THROW(call(&bytes, 1, &row, {.small_rounds = 0}), std::invalid_argument);
  EXPECT_NO_THROW(call(nullptr, 0, no_rows, {}));
}

} // namespace
} // namespace weft::test
