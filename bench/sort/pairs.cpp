// The methods of `weft-bench sort` for keys with values, and for records with a comparator.
#include <algorithm>
#include <bench/gpu.hpp>
#include <bench/sort/cases.hpp>
#include <bench/sort/gpu_pairs.hpp>
#include <bench/sort/inputs.hpp>
#include <numeric>
#include <span>
#include <tbb/global_control.h>
#include <tbb/parallel_sort.h>
#include <weft/base/parallel.hpp>
#include <weft/io/checksum.hpp>
#include <weft/sort/sort.hpp>

namespace weft::bench {

namespace {

// A key and its value side by side, as software sorts them that takes one array. The value is the position of
// the key in the input.
template <class Key, class Value> struct pair_item {
  Key key;
  Value payload;
};

// The data that the methods of a case share: the keys of the input, and the items that the methods sort.
template <class Key, class Item> struct pair_data {
  std::string distribution;
  std::size_t count;
  std::shared_ptr<const std::vector<Key>> input = {};
  std::vector<Item> items = {};

  const std::vector<Key>& made() {
    if (input == nullptr) input = kept_items<Key>(distribution, count);
    return *input;
  }
  void prepare() {
    items.resize(count);
    for (std::size_t i = 0; i < count; ++i) items[i] = {made()[i], static_cast<decltype(Item::payload)>(i)};
  }
  [[nodiscard]] std::uint64_t digest() const {
    io::running_checksum sum;
    std::vector<Key> keys;
    for (std::size_t begin = 0; begin < items.size(); begin += keys.size()) {
      keys.resize(std::min<std::size_t>(items.size() - begin, 1 << 16));
      for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = items[begin + i].key;
      sum.add({reinterpret_cast<const char*>(keys.data()), keys.size() * sizeof(Key)});
    }
    return sum.value();
  }
};

template <class Key, class Item>
method item_method(const std::shared_ptr<pair_data<Key, Item>>& data, const std::string& name,
                   int own_threads, bool stable, const std::function<void(std::vector<Item>&)>& sort_items) {
  return {.name = name,
          .threads = own_threads,
          .prepare = [data] { data->prepare(); },
          .run = [data, sort_items] { sort_items(data->items); },
          .digest = [data] { return data->digest(); },
          .is_right =
              [data, stable] {
                return are_sorted_pairs(std::span(data->made()), std::span<const Item>(data->items), stable);
              }};
}

// Adds sorts of the standard library and of TBB as yardsticks.
template <class Key, class Item, class Less>
void add_yardsticks(std::vector<method>& methods, const std::shared_ptr<pair_data<Key, Item>>& data,
                    Less less, int threads) {
  const auto add = [&](const char* name, int own_threads, bool stable, auto sort_items) {
    methods.push_back(item_method<Key, Item>(data, name, own_threads, stable, sort_items));
    methods.back().yardstick = true;
  };
  add("std::sort", 1, false,
      [less](std::vector<Item>& items) { std::sort(items.begin(), items.end(), less); });
  add("std::stable_sort", 1, true,
      [less](std::vector<Item>& items) { std::stable_sort(items.begin(), items.end(), less); });
  add("tbb::parallel_sort", 0, false, [less, threads](std::vector<Item>& items) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(thread_count(threads)));
    tbb::parallel_sort(items.begin(), items.end(), less);
  });
}

template <class Key, class Item>
void add_gpu_methods(std::vector<method>& methods, const std::shared_ptr<pair_data<Key, Item>>& data,
                     item_kind kind) {
  for (method& each : pairs_in_gpu_memory(kind, [data] { return std::as_bytes(std::span(data->made())); }))
    methods.push_back(std::move(each));
}

std::vector<method> record_methods(const sort_definition& of, int threads) {
  const auto data = std::make_shared<pair_data<std::uint64_t, record>>(
      pair_data<std::uint64_t, record>{of.distribution, of.count});
  std::vector<method> methods;
  const auto check = [](const std::string& engine, device_choice on) {
    check_sort_options({.run = {.engine = engine, .device = on}});
  };
  for_each_engine(sort_engines(), device_kind::cpu, check, [&](const std::string& engine, const auto&) {
    methods.push_back(item_method<
                      std::uint64_t,
                      record>(data, engine, 0, engine == "merge", [=](std::vector<record>& items) {
      sort(items, by_key(), {.run = {.engine = engine, .device = {device_kind::cpu, 0}, .threads = threads}});
    }));
  });
  add_yardsticks<std::uint64_t, record>(methods, data, by_key(), threads);
  add_gpu_methods<std::uint64_t, record>(methods, data, of.items);
  return methods;
}

// Sorts keys and values in two arrays by weft::sort_by_key. The copies to these arrays are not timed.
template <class Key, class Value>
method sort_by_key_method(const std::shared_ptr<pair_data<Key, pair_item<Key, Value>>>& data, int threads) {
  struct arrays {
    std::vector<Key> keys;
    std::vector<Value> values;
  };
  const auto at = std::make_shared<arrays>();
  return {.name = "sort_by_key",
          .threads = 0,
          .prepare =
              [data, at] {
                at->keys = data->made();
                at->values.resize(at->keys.size());
                std::iota(at->values.begin(), at->values.end(), Value{0});
              },
          .run =
              [at, threads] {
                sort_by_key(at->keys, at->values, ascending(),
                            {.run = {.device = {device_kind::cpu, 0}, .threads = threads}});
              },
          .digest = [data] { return data->digest(); },
          .is_right =
              [data, at] {
                data->items.resize(at->keys.size());
                for (std::size_t i = 0; i < at->keys.size(); ++i)
                  data->items[i] = {at->keys[i], at->values[i]};
                return are_sorted_pairs(std::span(data->made()),
                                        std::span<const pair_item<Key, Value>>(data->items), true);
              }};
}

template <class Key, class Value>
std::vector<method> key_value_methods(const sort_definition& of, int threads) {
  using item = pair_item<Key, Value>;
  const auto data = std::make_shared<pair_data<Key, item>>(pair_data<Key, item>{of.distribution, of.count});
  std::vector<method> methods = {sort_by_key_method<Key, Value>(data, threads)};
  add_yardsticks<Key, item>(
      methods, data, [](const item& a, const item& b) { return a.key < b.key; }, threads);
  add_gpu_methods<Key, item>(methods, data, of.items);
  return methods;
}

} // namespace

std::vector<method> pair_methods(const sort_definition& of, int threads) {
  switch (of.items) {
  case item_kind::u32_u32:
    return key_value_methods<std::uint32_t, std::uint32_t>(of, threads);
  case item_kind::u64_u32:
    return key_value_methods<std::uint64_t, std::uint32_t>(of, threads);
  case item_kind::u64_u64:
    return key_value_methods<std::uint64_t, std::uint64_t>(of, threads);
  default:
    return record_methods(of, threads);
  }
}

} // namespace weft::bench
