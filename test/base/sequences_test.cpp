#include <gtest/gtest.h>
#include <stdexcept>
#include <weft/base/sequences.hpp>

namespace weft {
namespace {

TEST(sequences, added_one_by_one) {
  sequences batch;
  EXPECT_EQ(batch.count(), 0U);
  batch.add("GATTACA", "first");
  batch.add("", "second");
  batch.add("TTA", "third");
  EXPECT_THROW(batch.add("A"), std::invalid_argument);
  const sequences_view view = batch;
  ASSERT_EQ(view.count(), 3U);
  EXPECT_EQ(view[0], "GATTACA");
  EXPECT_EQ(view[1], "");
  EXPECT_EQ(view[2], "TTA");
  EXPECT_EQ(view.size(2), 3U);
  EXPECT_EQ(view.name(1), "second");
  check_sequences(view, "test");
  batch.clear();
  EXPECT_EQ(batch.count(), 0U);
  batch.add("A");
  EXPECT_THROW(batch.add("A", "name"), std::invalid_argument);
  EXPECT_EQ(batch.view().name(0), "");
}

TEST(sequences, from_parts) {
  const sequences batch("abcd", {0, 1, 4});
  EXPECT_EQ(batch[1], "bcd");
  EXPECT_EQ(sequences("", {}).count(), 0U);
  EXPECT_THROW(sequences("abcd", {0, 5}), std::invalid_argument);
  EXPECT_THROW(sequences("abcd", {1, 4}), std::invalid_argument);
  EXPECT_THROW(sequences("abcd", {0, 3, 2, 4}), std::invalid_argument);
  EXPECT_THROW(sequences("abcd", {}), std::invalid_argument);
  EXPECT_THROW(sequences("abcd", {0, 4}, {"a", "b"}), std::invalid_argument);
}

} // namespace
} // namespace weft
