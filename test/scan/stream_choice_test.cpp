// Compares the choice of classes that get streams with the best of all choices.
#include <algorithm>
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <weft/scan/core/bit_stream_plan.hpp>

namespace {

using weft::scan_detail::byte_class;
using weft::scan_detail::choose_streams;

struct class_list {
  std::vector<byte_class> classes;
  std::vector<double> rates, uses;

  // Returns the total benefit of the chosen classes.
  double worth(const std::vector<std::uint32_t>& chosen) const {
    double sum = 0;
    for (std::size_t c = 0; c < classes.size(); ++c) {
      double best = 0;
      for (const std::uint32_t k : chosen)
        if (classes[c].is_subset_of(classes[k])) best = std::max(best, -std::log(rates[k]));
      sum += uses[c] * best;
    }
    return sum;
  }
};

class_list random_classes(std::mt19937_64& random, std::size_t count) {
  class_list list;
  std::set<byte_class> seen;
  while (list.classes.size() < count) {
    byte_class cls;
    cls.bits[random() % 4] = random() & random() & 0xff;
    const int size = std::popcount(cls.bits[0] | cls.bits[1] | cls.bits[2] | cls.bits[3]);
    if (size == 0 || !seen.insert(cls).second) continue;
    list.classes.push_back(cls);
    list.rates.push_back(size / 20.0);
    list.uses.push_back(static_cast<double>(random() % 4));
  }
  return list;
}

TEST(stream_choice, is_near_the_best_of_all) {
  std::mt19937_64 random(93);
  for (int round = 0; round < 200; ++round) {
    const std::size_t count = 1 + random() % 10, max_streams = 1 + random() % 4;
    const class_list list = random_classes(random, count);
    const std::vector<std::uint32_t> chosen =
        choose_streams(list.classes, list.rates, list.uses, max_streams);
    EXPECT_LE(chosen.size(), max_streams);
    const std::vector<std::uint32_t> fewer =
        choose_streams(list.classes, list.rates, list.uses, max_streams / 2);
    EXPECT_TRUE(fewer.size() <= chosen.size() && std::equal(fewer.begin(), fewer.end(), chosen.begin()));
    EXPECT_EQ(std::set<std::uint32_t>(chosen.begin(), chosen.end()).size(), chosen.size());
    double best = 0;
    for (std::uint32_t which = 0; which < 1U << count; ++which) {
      if (static_cast<std::size_t>(std::popcount(which)) > max_streams) continue;
      std::vector<std::uint32_t> choice;
      for (std::uint32_t c = 0; c < count; ++c)
        if ((which >> c & 1) != 0) choice.push_back(c);
      best = std::max(best, list.worth(choice));
    }
    EXPECT_GE(list.worth(chosen), (1 - std::exp(-1)) * best - 1e-9);
  }
}

TEST(stream_choice, takes_all_that_are_used_where_there_is_room) {
  std::mt19937_64 random(94);
  const class_list list = random_classes(random, 50);
  std::vector<std::uint32_t> chosen = choose_streams(list.classes, list.rates, list.uses, 50), used;
  std::sort(chosen.begin(), chosen.end());
  for (std::uint32_t c = 0; c < 50; ++c)
    if (list.uses[c] > 0) used.push_back(c);
  EXPECT_EQ(chosen, used);
  EXPECT_TRUE(choose_streams(list.classes, list.rates, std::vector<double>(50, 0.0), 50).empty());
  EXPECT_TRUE(choose_streams(list.classes, list.rates, list.uses, 0).empty());
}

} // namespace
