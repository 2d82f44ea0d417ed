// Tests the algorithms of the sample sort: levels, leaves of each kind, items that levels leave over, and
// misleading samples.
#include <cmath>
#include <optional>
#include <random>
#include <test/sort/sort_gpu_cases.cuh>
#include <weft/sort/cuda/sample_sort.cuh>

namespace weft::test {

namespace {

using sort_detail::sample_sort;
using sort_detail::sample_sort_options;
using sort_detail::sample_sort_pairs;

class gpu_sample_sort : public gpu_suite {
protected:
  // The leaves need 178 KB of shared memory.
  void SetUp() override {
    gpu_suite::SetUp();
    if (IsSkipped()) return;
    std::size_t limit = 0;
    check(base_detail::shared_memory_limit(limit), "ask");
    if (limit < std::size_t{200} << 10)
      GTEST_SKIP() << "blocks of this GPU have " << limit << " bytes of shared memory";
    stream_.emplace();
  }
  template <class T, class Less>
  void check_sample_sort(const std::vector<T>& items, Less less, const sample_sort_options& options = {}) {
    std::vector<T> expected = items;
    std::stable_sort(expected.begin(), expected.end(), less);
    const device_items<T> d_items(items, stream_->get());
    enqueue(
        [&](void* d_temp, std::size_t& bytes) {
          return sample_sort(d_temp, bytes, d_items.data(), d_items.size(), less, stream_->get(), options);
        },
        stream_->get());
    EXPECT_TRUE(same_but_for_equals(d_items.read(), expected, less)) << items.size();
  }
  template <class T, class Less> void check_stable(const std::vector<T>& items, Less less) {
    std::vector<T> expected = items;
    std::stable_sort(expected.begin(), expected.end(), less);
    for (const int levels : {0, 1, 2}) {
      const device_items<T> d_items(items, stream_->get());
      enqueue(
          [&](void* d_temp, std::size_t& bytes) {
            return sample_sort<true>(d_temp, bytes, d_items.data(), d_items.size(), less, stream_->get(),
                                     {.num_levels = levels});
          },
          stream_->get());
      EXPECT_TRUE(same_bytes(d_items.read(), expected)) << items.size() << ", " << levels << " levels";
    }
  }
  template <class Value, class Key, class Less>
  void check_stable_pairs(const std::vector<Key>& keys, Less less) {
    const std::vector<Value> values = positions<Value>(keys.size());
    const std::vector<std::uint64_t> order = stable_order(keys, less);
    for (const int levels : {0, 1, 2}) {
      const device_items<Key> d_items(keys, stream_->get());
      const device_items<Value> beside(values, stream_->get());
      enqueue(
          [&](void* d_temp, std::size_t& bytes) {
            return sample_sort_pairs<true>(d_temp, bytes, d_items.data(), beside.data(), d_items.size(), less,
                                           stream_->get(), {.num_levels = levels});
          },
          stream_->get());
      EXPECT_TRUE(same_bytes(d_items.read(), in_order(keys, order))) << keys.size() << ", " << levels;
      EXPECT_TRUE(same_bytes(beside.read(), in_order(values, order))) << keys.size() << ", " << levels;
    }
  }
  std::optional<gpu::stream> stream_;
};

// Returns distributions that lead to leaves of every kind.
std::vector<std::vector<std::uint64_t>> spreads(std::size_t n) {
  std::mt19937_64 random(7);
  std::vector<std::vector<std::uint64_t>> all;
  const auto add = [&](auto value) {
    all.emplace_back(n);
    for (std::size_t i = 0; i < n; ++i) all.back()[i] = value(i);
  };
  add([&](std::size_t) { return random(); });
  add([&](std::size_t) { return random() & random() & random(); }); // clustered at every scale
  add([&](std::size_t) { return random() & random() & random() & random() & random() & random(); });
  add([&](std::size_t) { // a Zipf distribution
    return static_cast<std::uint64_t>(std::pow(static_cast<double>((random() >> 11) + 1) * 0x1p-53, -1.1));
  });
  add([&](std::size_t) { return random() % 16 * 0x123456789abcdef; });
  add([&](std::size_t) { return random() % 3 == 0 ? random() : 77; });
  add([&](std::size_t) { return 42; });
  add([&](std::size_t i) { return i; });
  add([&](std::size_t i) { return n - i; });
  add([&](std::size_t i) { return i / 1000 * 7919 % 1000 * 1000 + random() % 500; });
  add([&](std::size_t i) { return random() >> i % 64; }); // equally many of each magnitude
  add([&](std::size_t i) { return i % 64 == 0 ? ~std::uint64_t{0} : random() >> 36; });
  return all;
}

TEST_F(gpu_sample_sort, two_levels_of_every_distribution) {
  for (const std::vector<std::uint64_t>& bits : spreads(2'500'000)) {
    check_sample_sort(bits, ascending());
    check_sample_sort(make_items<record16>(bits), by_key());
  }
}

TEST_F(gpu_sample_sort, one_level_of_every_distribution) {
  for (const std::size_t n : {2, 3, 31, 33, 4096, 4097, 6145, 8193, 50'000, 250'000})
    for (const std::vector<std::uint64_t>& bits : spreads(n)) {
      check_sample_sort(bits, ascending());
      check_sample_sort(make_items<uint128>(bits), ascending());
      check_sample_sort(make_items<double>(bits), descending());
      check_sample_sort(make_items<record16>(bits), by_remainder{1013});
    }
}

// Sorts so many numbers that not all buckets are remembered between counting and moving.
TEST_F(gpu_sample_sort, numbers_looked_up_twice) {
  for (const std::vector<std::uint64_t>& bits : spreads((1 << 23) + 70'001)) {
    check_sample_sort(bits, ascending());
    check_sample_sort(make_items<double>(bits), descending(), {.num_levels = 3});
  }
  for (const std::vector<std::uint64_t>& bits : spreads(14'000'000)) check_sample_sort(bits, ascending());
}

TEST_F(gpu_sample_sort, what_levels_leave_over) {
  for (const std::vector<std::uint64_t>& bits : spreads(3'000'000)) {
    check_sample_sort(bits, ascending(), {.num_levels = 1});
    check_sample_sort(make_items<record16>(bits), by_key(), {.num_levels = 1});
    check_sample_sort(bits, ascending(), {.num_levels = 2});
  }
}

TEST_F(gpu_sample_sort, pairs_of_every_distribution) {
  using engine = std::tuple<engine_constant<device_engine::sample_sort>>;
  for (const std::size_t n : {2, 4097, 8192, 8193, 200'000, 540'000, 2'500'000})
    for (const std::vector<std::uint64_t>& bits : spreads(n)) {
      SCOPED_TRACE(n);
      check_pairs<std::uint32_t, engine>(bits, ascending(), stream_->get());
      check_pairs<std::uint64_t, engine>(bits, descending(), stream_->get());
      check_pairs<std::uint8_t, engine>(make_items<double>(bits), descending(), stream_->get());
      check_pairs<float, engine>(make_items<std::int32_t>(bits), ascending(), stream_->get());
    }
}

// Checks sizes that one block sorts, that one or two levels divide, and that levels leave over.
TEST_F(gpu_sample_sort, stable_records) {
  for (const std::size_t n : {2, 31, 4096, 4097, 8193, 50'000, 250'000, 2'500'000})
    for (const std::vector<std::uint64_t>& bits : spreads(n)) {
      check_stable(make_items<record16>(bits), by_key());
      check_stable(make_items<record16>(bits), by_remainder{1013});
      check_stable(make_items<record64>(bits), by_key());
    }
}
TEST_F(gpu_sample_sort, stable_pairs) {
  for (const std::size_t n : {2, 31, 4096, 4097, 8193, 50'000, 250'000, 2'500'000})
    for (const std::vector<std::uint64_t>& bits : spreads(n)) {
      check_stable_pairs<std::uint32_t>(bits, ascending());
      check_stable_pairs<std::uint64_t>(bits, ascending());
      check_stable_pairs<std::uint8_t>(make_items<double>(bits), descending());
      check_stable_pairs<float>(make_items<std::int32_t>(bits), ascending());
    }
}

// Checks sizes around the capacity of a leaf for each type, and around what one level divides.
TEST_F(gpu_sample_sort, few_items) {
  for (const std::size_t leaf : {1024, 2048, 4096, 8192})
    for (const std::size_t n : {leaf - 1, leaf, leaf + 1})
      for (const std::vector<std::uint64_t>& bits : spreads(n)) {
        check_sample_sort(bits, ascending());
        check_sample_sort(bits, ascending(), {.num_levels = 1});
        check_sample_sort(bits, descending(), {.num_levels = 2});
        check_sample_sort(make_items<uint128>(bits), descending());
        check_sample_sort(make_items<std::uint8_t>(bits), ascending(), {.num_levels = 1});
        check_sample_sort(make_items<record16>(bits), by_key());
        check_sample_sort(make_items<record64>(bits), by_remainder{1013});
      }
}
TEST_F(gpu_sample_sort, as_many_as_one_level_divides) {
  constexpr std::size_t level_size = 5 << 18;
  for (const std::size_t n : {std::size_t{1} << 16, std::size_t{70'000}, (std::size_t{1} << 18) + 1,
                              std::size_t{1} << 19, level_size / 2 + 1, std::size_t{1} << 20,
                              (std::size_t{1} << 20) + 1, level_size - 100, level_size, level_size + 40'000})
    for (const std::vector<std::uint64_t>& bits : spreads(n)) {
      check_sample_sort(bits, ascending());
      check_sample_sort(make_items<float>(bits), descending());
      check_sample_sort(make_items<uint128>(bits), ascending());
      check_sample_sort(make_items<record16>(bits), by_key());
    }
}

// Puts the smallest items where the first level takes its samples, so that all others are in one bucket.
TEST_F(gpu_sample_sort, samples_that_mislead) {
  std::mt19937_64 random(8);
  for (const std::size_t n : {20'000, 70'000, 1'000'000, 2'000'000}) {
    std::vector<std::uint64_t> items(n);
    for (std::uint64_t& item : items) item = 1'000'000 + random() % 1'000'000'000;
    const sample_sort_options options{.seed = 1};
    for (std::uint32_t samples = 256; samples <= 8192 && samples < n / 8; samples *= 2) {
      const sort_detail::sample_positions positions(options.seed, {0, n, 0, 0}, samples);
      for (std::uint32_t i = 0; i < samples; ++i) items[positions(i)] = i;
    }
    check_sample_sort(items, ascending(), options);
    check_sample_sort(make_items<record16>(items), by_key(), options);
    check_stable(make_items<record16>(items), by_remainder{1013});
    for (std::uint64_t& item : items) item /= 100'000;
    check_stable(make_items<record16>(items), by_key());
    check_stable_pairs<std::uint32_t>(items, ascending());
  }
}

// Runs two sorts directly after each other, with the same storage.
TEST_F(gpu_sample_sort, twice_in_a_graph) {
  for (const std::size_t n : {1000, 65'536, 300'000}) {
    const std::vector<std::vector<std::uint64_t>> all = spreads(n);
    const device_items<std::uint64_t> d_items(all.front(), stream_->get());
    const auto down = [&](void* d_temp, std::size_t& bytes) {
      return sample_sort(d_temp, bytes, d_items.data(), d_items.size(), descending(), stream_->get());
    };
    const auto up = [&](void* d_temp, std::size_t& bytes) {
      return sample_sort(d_temp, bytes, d_items.data(), d_items.size(), ascending(), stream_->get());
    };
    storage_for storage(up, stream_->get());
    const captured_graph graph(
        [&] {
          const cudaError_t status = down(storage.data(), storage.bytes());
          return status == cudaSuccess ? up(storage.data(), storage.bytes()) : status;
        },
        stream_->get());
    for (std::vector<std::uint64_t> items : all) {
      gpu::copy(d_items.data(), items.data(), items.size(), stream_->get(), "copy items");
      graph.launch();
      graph.launch();
      std::sort(items.begin(), items.end());
      EXPECT_TRUE(same_bytes(d_items.read(), items)) << n;
    }
  }
}

TEST_F(gpu_sample_sort, two_streams) {
  const gpu::stream other;
  const cudaStream_t streams[] = {stream_->get(), other.get()};
  for (const std::size_t n : {5000, 65'536, 1'000'000}) {
    std::vector<std::vector<std::uint64_t>> all = spreads(n);
    std::vector<device_items<std::uint64_t>> d_items;
    std::vector<storage_for> storage;
    const auto sort = [&](std::size_t i, void* d_temp, std::size_t& bytes) {
      return sample_sort(d_temp, bytes, d_items[i].data(), n, ascending(), streams[i % 2]);
    };
    for (std::size_t i = 0; i < all.size(); ++i) d_items.emplace_back(all[i], streams[i % 2]);
    for (std::size_t i = 0; i < all.size(); ++i)
      storage.emplace_back([&](void* d_temp, std::size_t& bytes) { return sort(i, d_temp, bytes); },
                           streams[i % 2]);
    for (std::size_t i = 0; i < all.size(); ++i)
      check(sort(i, storage[i].data(), storage[i].bytes()), "enqueue");
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::sort(all[i].begin(), all[i].end());
      EXPECT_TRUE(same_bytes(d_items[i].read(), all[i])) << n;
    }
  }
}

// Compares items through a table: an item that is not of the input would make it read from anywhere.
struct by_table {
  const std::uint32_t* table;
  WEFT_HOST_DEVICE bool operator()(std::uint32_t a, std::uint32_t b) const { return table[a] < table[b]; }
};
TEST_F(gpu_sample_sort, positions_by_a_table) {
  std::mt19937_64 random(10);
  for (const std::size_t n : {std::size_t{1000}, std::size_t{300'001}, std::size_t{2'000'003}})
    for (const int levels : {0, 1}) {
      std::vector<std::uint32_t> order(n), table(n);
      for (std::size_t i = 0; i < n; ++i) {
        order[i] = static_cast<std::uint32_t>(i);
        table[i] = static_cast<std::uint32_t>(random() % (i % 3 == 0 ? 50 : 1U << 31));
      }
      const device_items<std::uint32_t> d_table(table, stream_->get()), d_items(order, stream_->get());
      enqueue(
          [&](void* d_temp, std::size_t& bytes) {
            return sample_sort(d_temp, bytes, d_items.data(), d_items.size(), by_table{d_table.data()},
                               stream_->get(), {.num_levels = levels});
          },
          stream_->get());
      const by_table less{table.data()};
      std::stable_sort(order.begin(), order.end(), less);
      EXPECT_TRUE(same_but_for_equals(d_items.read(), order, less)) << n;
    }
}

// A comparator that says of equal items that each precedes the other.
struct not_after {
  WEFT_HOST_DEVICE bool operator()(const record16& a, const record16& b) const { return a.key <= b.key; }
};
TEST_F(gpu_sample_sort, no_strict_order) {
  for (const std::vector<std::uint64_t>& bits : spreads(60'000)) {
    const std::vector<record16> items = make_items<record16>(bits);
    const device_items<record16> d_items(items, stream_->get());
    enqueue(
        [&](void* d_temp, std::size_t& bytes) {
          return sample_sort(d_temp, bytes, d_items.data(), d_items.size(), not_after(), stream_->get());
        },
        stream_->get());
    std::vector<record16> expected = items;
    std::stable_sort(expected.begin(), expected.end(), by_key());
    EXPECT_TRUE(same_but_for_equals(d_items.read(), expected, by_key()));
  }
}

// Covers sorts in one launch, by levels, and by levels that do not remember all buckets.
TEST_F(gpu_sample_sort, graph_replayed_for_other_items) {
  for (const std::size_t n : {300'000, 1'200'000, 9'000'000}) {
    const std::vector<std::vector<std::uint64_t>> all = spreads(n);
    const device_items<std::uint64_t> d_items(all.front(), stream_->get());
    const auto call = [&](void* d_temp, std::size_t& bytes) {
      return sample_sort(d_temp, bytes, d_items.data(), d_items.size(), ascending(), stream_->get());
    };
    storage_for storage(call, stream_->get());
    const captured_graph graph([&] { return call(storage.data(), storage.bytes()); }, stream_->get());
    for (std::vector<std::uint64_t> items : all) {
      gpu::copy(d_items.data(), items.data(), items.size(), stream_->get(), "copy items");
      graph.launch();
      std::sort(items.begin(), items.end());
      EXPECT_TRUE(same_bytes(d_items.read(), items)) << n;
    }
  }
}

TEST_F(gpu_sample_sort, stable_graph_replayed) {
  const std::vector<std::vector<std::uint64_t>> all = spreads(300'000);
  const device_items<record16> d_items(make_items<record16>(all.front()), stream_->get());
  const auto call = [&](void* d_temp, std::size_t& bytes) {
    return sample_sort<true>(d_temp, bytes, d_items.data(), d_items.size(), by_key(), stream_->get());
  };
  storage_for storage(call, stream_->get());
  const captured_graph graph([&] { return call(storage.data(), storage.bytes()); }, stream_->get());
  for (const std::vector<std::uint64_t>& bits : all) {
    std::vector<record16> items = make_items<record16>(bits);
    gpu::copy(d_items.data(), items.data(), items.size(), stream_->get(), "copy items");
    graph.launch();
    std::stable_sort(items.begin(), items.end(), by_key());
    EXPECT_TRUE(same_bytes(d_items.read(), items));
  }
}

// Starts at the size from which the functions of sort.cuh use the sample sort.
TEST_F(gpu_sample_sort, many_items) {
  std::mt19937_64 random(9);
  std::vector<std::uint64_t> bits((1 << 22) + 5);
  for (std::uint64_t& each : bits) each = random() >> random() % 50;
  const auto check_numbers = [&](auto numbers) {
    const device_items<typename decltype(numbers)::value_type> d_items(numbers, stream_->get());
    gpu::stable_sort(d_items.data(), d_items.size(), ascending(), stream_->get());
    std::stable_sort(numbers.begin(), numbers.end(), ascending());
    EXPECT_TRUE(same_bytes(d_items.read(), numbers));
  };
  check_numbers(make_items<uint128>(bits));
  check_numbers(bits);
  check_numbers(make_items<double>(bits));
  using unstable = std::tuple<engine_constant<device_engine::automatic_unstable>>;
  check_pairs<std::uint32_t, unstable>(bits, ascending(), stream_->get());
  check_pairs<std::uint64_t, unstable>(make_items<double>(bits), descending(), stream_->get());
  for (std::uint64_t& each : bits) each %= 300'000;
  std::vector<record16> records = make_items<record16>(bits);
  device_items<record16> d_records(records, stream_->get());
  gpu::sort(d_records.data(), records.size(), by_key(), stream_->get());
  std::stable_sort(records.begin(), records.end(), by_key());
  EXPECT_TRUE(same_but_for_equals(d_records.read(), records, by_key()));
  const std::vector<record16> others = make_items<record16>(bits);
  d_records.assign(others);
  gpu::stable_sort(d_records.data(), others.size(), by_key(), stream_->get());
  EXPECT_TRUE(same_bytes(d_records.read(), records));
}

// Checks the memory: for 64-bit numbers, alone or with values, and for records of 16 bytes at most 1.1 n
// items and some MB; for stable records n items and 2 n bytes; and none where one leaf is enough.
TEST_F(gpu_sample_sort, memory) {
  std::uint64_t* const none = nullptr;
  std::size_t little = 0;
  check(sample_sort(nullptr, little, none, 8192, ascending(), stream_->get()), "plan");
  EXPECT_EQ(little, 1U);
  for (const std::uint64_t n :
       {std::uint64_t{1} << 10, std::uint64_t{1} << 20, std::uint64_t{1} << 25, std::uint64_t{1} << 30}) {
    std::size_t bytes = 0;
    check(sample_sort(nullptr, bytes, none, n, ascending(), stream_->get()), "plan");
    EXPECT_LT(bytes, n * 8 * 11 / 10 + (4U << 20));
    std::uint32_t* const values = nullptr;
    check(sample_sort_pairs(nullptr, bytes, none, values, n, ascending(), stream_->get()), "plan");
    EXPECT_LT(bytes, n * 12 * 11 / 10 + (4U << 20));
    check(sample_sort_pairs(nullptr, bytes, none, none, n, ascending(), stream_->get()), "plan");
    EXPECT_LT(bytes, n * 16 * 11 / 10 + (4U << 20));
    record16* const records = nullptr;
    check(sample_sort(nullptr, bytes, records, n, by_key(), stream_->get()), "plan");
    EXPECT_LT(bytes, n * 16 * 11 / 10 + (4U << 20));
    check(sample_sort<true>(nullptr, bytes, records, n, by_key(), stream_->get()), "plan");
    EXPECT_LT(bytes, n * 18 + (4U << 20));
  }
}

} // namespace
} // namespace weft::test
