// Tests the functions of sort's device API that need no device.
#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <weft/sort/cuda/temporary_storage.hpp>

namespace {

using namespace weft::sort_detail;

TEST(temporary_storage, parts_are_aligned_and_apart_wherever_the_storage_begins) {
  const std::size_t sizes[] = {1, 0, 256, 257, 4096};
  void* parts[5] = {};
  std::size_t bytes = 0;
  ASSERT_EQ(cut_storage(nullptr, bytes, sizes, parts), cudaSuccess);
  const auto storage = std::make_unique<char[]>(bytes + part_alignment);
  for (std::size_t shift = 0; shift < part_alignment; ++shift) {
    char* at = storage.get() + shift;
    char* const end = at + bytes;
    ASSERT_EQ(cut_storage(at, bytes, sizes, parts), cudaSuccess);
    for (std::size_t i = 0; i < 5; ++i) {
      auto* const part = static_cast<char*>(parts[i]);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(part) % part_alignment, 0U);
      EXPECT_GE(part, at);
      at = part + sizes[i];
    }
    EXPECT_LE(at, end);
  }
}

TEST(temporary_storage, too_little_is_refused) {
  const std::size_t sizes[] = {100, 300};
  void* parts[2] = {};
  std::size_t bytes = 0;
  ASSERT_EQ(cut_storage(nullptr, bytes, sizes, parts), cudaSuccess);
  const auto storage = std::make_unique<char[]>(bytes);
  for (std::size_t less : {std::size_t{0}, bytes / 2, bytes - 1})
    EXPECT_EQ(cut_storage(storage.get(), less, sizes, parts), cudaErrorInvalidValue);
}

TEST(temporary_storage, no_phase_is_told_by_a_null_pointer_to_nothing) {
  std::size_t bytes = 0;
  EXPECT_EQ(need_nothing(nullptr, bytes), cudaSuccess);
  EXPECT_GT(bytes, 0U);
}

TEST(temporary_storage, arrays_count_in_the_second_phase_only) {
  const int item = 0;
  const int* const none = nullptr;
  EXPECT_TRUE(valid_arrays(nullptr, 5, none, none));
  EXPECT_TRUE(valid_arrays(&item, 0, none));
  EXPECT_TRUE(valid_arrays(&item, 5, &item, &item));
  EXPECT_FALSE(valid_arrays(&item, 5, &item, none));
  EXPECT_TRUE(valid_arrays(nullptr, max_items, none));
  EXPECT_FALSE(valid_arrays(nullptr, max_items + 1, none));
}

TEST(temporary_storage, counts_of_32_bits_leave_one) {
  const auto size = [](auto count) { return static_cast<cudaError_t>(sizeof count); };
  EXPECT_EQ(static_cast<int>(with_count_type(0, size)), 4);
  EXPECT_EQ(static_cast<int>(with_count_type((std::uint64_t{1} << 31) - 1, size)), 4);
  EXPECT_EQ(static_cast<int>(with_count_type(std::uint64_t{1} << 31, size)), 8);
}

} // namespace
