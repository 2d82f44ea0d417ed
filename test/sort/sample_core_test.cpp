// Tests the bodies of the sample-merge sort by themselves over all small inputs, with any number and order of
// threads.
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <weft/sort/published/cooperative_merge.hpp>
#include <weft/sort/published/sample_partition.hpp>

#include "block_cases.hpp"

namespace weft::test {

namespace {

using namespace weft::sort_detail;
using index = std::uint64_t;

template <class Body> void for_each_input(const Body& f) {
  for (int n = 0; n <= 8; ++n) for_each_sequence(n, 3, f);
}

TEST(splitter_tree, finds_how_many_splitters_are_not_after_an_item) {
  for (const int k : {1, 2, 4, 8})
    for_each_sorted(k - 1, 3, [&](const std::vector<int>& splitters) {
      const auto num_buckets = static_cast<std::uint32_t>(k);
      std::vector<int> tree(num_buckets);
      for (std::uint32_t node = 1; node < num_buckets; ++node)
        tree[node] = splitters[splitter_of_node(node, num_buckets) - 1];
      std::less<> less;
      for (int x = -1; x <= 3; ++x)
        ASSERT_EQ(find_bucket(tree.data(), num_buckets, x, less),
                  std::count_if(splitters.begin(), splitters.end(), [&](int s) { return s <= x; }));
    });
}

TEST(bitonic_sort, sorts_any_number_of_items) {
  const auto check = [](const std::vector<int>& keys) {
    std::vector<int> expected = keys;
    std::sort(expected.begin(), expected.end());
    for_each_block([&](const host_block& block) {
      std::vector<int> items = keys;
      std::less<> less;
      bitonic_sort(block, items.data(), static_cast<std::uint32_t>(items.size()), less);
      ASSERT_EQ(items, expected);
    });
  };
  for (int n = 0; n <= 8; ++n) for_each_sequence(n, 3, check);
  for (int n = 9; n <= 12; ++n) for_each_sequence(n, 2, check); // keys 0 and 1 suffice by the 0-1 principle
  std::mt19937 random(3);
  for (std::size_t n = 13; n < 200; ++n) {
    std::vector<int> keys(n);
    for (int& key : keys) key = static_cast<int>(random() % 100);
    check(keys);
  }
}

TEST(block_prefix_sum, is_exclusive) {
  for (std::uint32_t n = 0; n <= 70; ++n)
    for_each_block([&](const host_block& block) {
      std::vector<std::uint32_t> values(n), scratch(n), expected(n);
      for (std::uint32_t i = 0; i < n; ++i) values[i] = (i * 7 + 3) % 5;
      std::exclusive_scan(values.begin(), values.end(), expected.begin(), 0U);
      const std::uint32_t* sums = block_prefix_sum(block, values.data(), scratch.data(), n);
      ASSERT_EQ(std::vector<std::uint32_t>(sums, sums + n), expected);
    });
}

struct triple {
  std::uint32_t words[3];
};

template <class T> void check_write_run() {
  alignas(128) static unsigned char space[1024];
  std::vector<unsigned char> from(1024);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<unsigned char>(i % 251 + 1);
  for (std::size_t first = 0; (first + 30) * sizeof(T) <= sizeof space; ++first)
    for (std::uint32_t n = 0; n <= 30; n += first % 3 + 1)
      for (const bool aligned : {false, true})
        for_each_block([&](const host_block& block) {
          std::memset(space, 0, sizeof space);
          T* to = reinterpret_cast<T*>(space) + first;
          write_run(block, reinterpret_cast<const T*>(from.data()), to, n, aligned);
          ASSERT_EQ(std::memcmp(to, from.data(), n * sizeof(T)), 0);
          ASSERT_EQ(std::count(space, space + sizeof space, 0), std::ptrdiff_t(sizeof space - n * sizeof(T)));
        });
}
TEST(write_run, writes_every_item_and_no_other_byte) {
  check_write_run<unsigned char>();
  check_write_run<std::uint32_t>();
  check_write_run<triple>();
}

TEST(transpose, makes_rows_of_columns) {
  for (const index rows : {1, 2, 31, 32, 33, 70})
    for (const index columns : {1, 3, 32, 65})
      for_each_block([&](const host_block& block) {
        std::vector<index> from(rows * columns), to(from.size(), ~index{0});
        index shared[square_size * (square_size + 1)];
        std::iota(from.begin(), from.end(), index{0});
        const index squares = ((rows + 31) / 32) * ((columns + 31) / 32);
        for (index s = 0; s < squares; ++s)
          transpose(block, s, from.data(), rows, columns, to.data(), shared);
        for (index i = 0; i < from.size(); ++i) ASSERT_EQ(to[i % columns * rows + i / columns], i);
      });
}

TEST(choose_splitters, takes_every_alpha_th_of_the_sorted_sample) {
  std::vector<int> items(1000);
  std::iota(items.begin(), items.end(), 0);
  for (const std::uint32_t k : {1U, 2U, 8U, 32U})
    for (const std::uint32_t alpha : {1U, 3U, 16U}) {
      std::vector<int> sample;
      for (std::uint32_t i = 0; i < alpha * k; ++i)
        sample.push_back(items[base_detail::mixed(base_detail::mixed(5) ^ i) % 1000]);
      std::sort(sample.begin(), sample.end());
      for_each_block([&](const host_block& block) {
        std::vector<int> samples(alpha * k), tree(k);
        std::less<> less;
        choose_splitters(block, items.data(), index{1000}, k, alpha, 5, samples.data(), tree.data(), less);
        for (std::uint32_t node = 1; node < k; ++node)
          ASSERT_EQ(tree[node], sample[splitter_of_node(node, k) * alpha]);
      });
    }
}

struct table_storage {
  std::vector<index> storage;
  bucket_table<index> table;
  explicit table_storage(std::uint32_t k)
      : storage(3 * (k + 1)), table{&storage[0], &storage[k + 1], &storage[2 * (k + 1)], k} {}
};

// Checks a partition: each bucket has its items, in any order.
void check_partition(const host_block& block, const std::vector<placed>& items,
                     const std::vector<placed>& tree, std::uint32_t tile_size, bool transposed,
                     std::uint32_t alignment) {
  const auto k = static_cast<std::uint32_t>(tree.size());
  by_key less;
  std::vector<std::vector<placed>> buckets(k);
  for (const placed& item : items) buckets[find_bucket(tree.data(), k, item, less)].push_back(item);

  const tiled_items<placed, index> input{items.data(), items.size(), tile_size};
  const index tiles = input.num_tiles();
  std::vector<index> counts(k * tiles, 99), turned(k * tiles), square(square_size * (square_size + 1));
  std::vector<std::uint32_t> shared(k), scratch(k);
  for (index j = 0; j < tiles; ++j)
    count_buckets(block, j, input, tree.data(), k, shared.data(), counts.data(), serial_add(), less);
  std::exclusive_scan(counts.begin(), counts.end(), counts.begin(), index{0});
  if (tiles > 0) transpose(block, index{0}, counts.data(), index{k}, tiles, turned.data(), square.data());
  const bucket_offsets<index> offsets{transposed ? turned.data() : counts.data(), k, tiles, items.size(),
                                      transposed};
  table_storage storage(k);
  const bucket_table<index>& table = storage.table;
  lay_out_buckets(block, offsets, tile_size, alignment, table);
  std::vector<placed> to(table.aligned_start[k], placed{-1, -1}), tile(tile_size);
  std::vector<std::uint16_t> bucket_of(tile_size);
  std::vector<index> shifts(k);
  for (index j = 0; j < tiles; ++j)
    relocate(block, j, input, tree.data(), offsets, table,
             relocation_workspace<placed, index>{tile.data(), bucket_of.data(), shared.data(), scratch.data(),
                                                 shifts.data()},
             to.data(), serial_add(), less);
  index start = 0;
  for (std::uint32_t b = 0; b < k; ++b) {
    ASSERT_EQ(table.start[b], start);
    ASSERT_EQ(table.size(b), buckets[b].size());
    ASSERT_EQ(table.aligned_start[b] % alignment, 0U);
    ASSERT_GE(table.aligned_start[b + 1], table.aligned_start[b] + table.size(b));
    ASSERT_EQ(table.first_tile[b + 1] - table.first_tile[b], (table.size(b) + tile_size - 1) / tile_size);
    const auto first = to.begin() + static_cast<std::ptrdiff_t>(table.aligned_start[b]);
    std::vector<placed> found(first, first + static_cast<std::ptrdiff_t>(table.size(b)));
    if (block.threads > 1)
      std::sort(found.begin(), found.end(),
                [](const placed& x, const placed& y) { return x.origin < y.origin; });
    ASSERT_EQ(found, buckets[b]);
    start += table.size(b);
  }
}

TEST(partition, puts_items_into_their_buckets) {
  const std::vector<std::vector<int>> trees = {{0}, {0, 1}, {0, 2}, {0, 1, 1, 2}, {0, 2, 1, 2}, {0, 1, 1, 1}};
  for_each_input([&](const std::vector<int>& keys) {
    const std::vector<placed> items = with_origins(keys);
    for (const std::vector<int>& tree : trees)
      for (const std::uint32_t tile_size : {1U, 2U, 3U, 8U})
        for_each_block([&](const host_block& block) {
          check_partition(block, items, with_origins(tree), tile_size, false, 4);
          check_partition(block, items, with_origins(tree), tile_size, true, 1);
        });
  });
}

TEST(merge_thread_share, merges_runs_two_by_two) {
  for_each_input([](const std::vector<int>& keys) {
    const auto n = static_cast<std::uint32_t>(keys.size());
    for (std::uint32_t width = 1; width <= 4; ++width) {
      std::vector<placed> runs = with_origins(keys), expected;
      const auto sort_runs = [&](std::vector<placed>& items, std::uint32_t size) {
        for (std::uint32_t i = 0; i < n; i += size)
          std::stable_sort(items.begin() + i, items.begin() + std::min(i + size, n), by_key());
      };
      sort_runs(runs, width);
      sort_runs(expected = runs, 2 * width);
      for (const int threads : {1, 2, 3, 32}) {
        std::vector<placed> to(n);
        by_key less;
        for (int t = 0; t < threads; ++t)
          merge_thread_share(t, threads, runs.data(), to.data(), n, width, less);
        ASSERT_EQ(to, expected);
      }
    }
  });
}

// Checks that the passes sort buckets of the given sizes as stable_sort does.
void check_merge(const host_block& block, const std::vector<placed>& items, const std::vector<index>& sizes,
                 std::uint32_t tile_size, index alignment) {
  const auto k = static_cast<std::uint32_t>(sizes.size());
  table_storage storage(k);
  const bucket_table<index>& table = storage.table;
  for (std::uint32_t b = 0; b < k; ++b) {
    table.start[b + 1] = table.start[b] + sizes[b];
    table.aligned_start[b + 1] = (table.aligned_start[b] + sizes[b] + alignment - 1) / alignment * alignment;
    table.first_tile[b + 1] = table.first_tile[b] + (sizes[b] + tile_size - 1) / tile_size;
  }
  std::vector<placed> expected = items, result(items.size()), first(table.aligned_start[k]), second = first;
  for (std::uint32_t b = 0; b < k; ++b) {
    const auto begin = static_cast<std::ptrdiff_t>(table.start[b]),
               end = static_cast<std::ptrdiff_t>(table.start[b + 1]);
    std::stable_sort(expected.begin() + begin, expected.begin() + end, by_key());
    std::copy(items.begin() + begin, items.begin() + end,
              first.begin() + static_cast<std::ptrdiff_t>(table.aligned_start[b]));
  }
  std::vector<placed> tile(tile_size), other(tile_size);
  index splits[2];
  const merge_workspace<placed, index> shared{tile.data(), other.data(), splits};
  const bucket_space<placed> last{result.data(), true};
  bucket_space<placed> from{first.data(), false}, to{second.data(), false};
  by_key less;
  const int passes = num_merge_passes(table);
  const index tiles = table.first_tile[k];
  for (index j = 0; j < tiles; ++j)
    sort_tile(block, j, table, tile_size, shared, from, passes == 0 ? last : from, true, less);
  for (int pass = 1; pass <= passes; ++pass) {
    for (index j = 0; j < tiles; ++j)
      merge_tile(block, j, table, tile_size, index{tile_size} << (pass - 1), shared, from,
                 pass == passes ? last : to, true, less);
    std::swap(from, to);
  }
  ASSERT_EQ(result, expected);
}

TEST(cooperative_merge, sorts_every_bucket) {
  for_each_input([](const std::vector<int>& keys) {
    const std::vector<placed> items = with_origins(keys);
    const index n = items.size();
    for (index i = 0; i <= n; ++i)
      for (index j = i; j <= n; ++j)
        for (const std::uint32_t tile_size : {1U, 2U, 3U})
          for_each_block([&](const host_block& block) {
            check_merge(block, items, {i, j - i, n - j}, tile_size, 1 + i % 4);
          });
  });
}

TEST(cooperative_merge, of_tiles_larger_than_what_a_thread_sorts) {
  std::mt19937 random(11);
  for (int round = 0; round < 60; ++round) {
    std::vector<index> sizes(1 + random() % 6);
    for (index& size : sizes) size = random() % 3 == 0 ? random() % 3 : random() % 900;
    std::vector<int> keys(std::accumulate(sizes.begin(), sizes.end(), index{0}));
    for (int& key : keys) key = static_cast<int>(random() % (round % 2 == 0 ? 5 : 1000));
    for (const std::uint32_t tile_size : {15U, 17U, 100U, 129U})
      for_each_block(
          [&](const host_block& block) { check_merge(block, with_origins(keys), sizes, tile_size, 16); });
  }
}

} // namespace
} // namespace weft::test
