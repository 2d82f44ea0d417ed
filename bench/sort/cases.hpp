// The definition of a case of `weft-bench sort`, and the methods that solve it.
#pragma once

#include <bench/bench.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace weft::bench {

// The types of items: numbers; keys with a value each, which are sorted with the keys; and records of 16
// bytes, which a comparator compares by their keys.
enum class item_kind { u32, u64, f64, u128, u32_u32, u64_u32, u64_u64, record16 };

// The sorts of pairs and records in device memory: weft's sort and stable sort, CUB's radix sort between two
// buffers (pairs only), its fastest form, and CUB's stable merge sort.
enum class pair_sort { weft, weft_stable, cub_radix, cub_merge };

// The definition of a case: items of a type and distribution (see random_number).
struct sort_definition {
  std::string kind, distribution;
  item_kind items;
  std::uint64_t count;
};

// Returns the methods of a case of pairs or records. The digest of an answer is that of its keys alone; that
// the values belong to the keys is checked beside it.
[[nodiscard]] std::vector<method> pair_methods(const sort_definition& of, int threads);
// Returns cases in which each segment of an array is sorted by itself.
[[nodiscard]] std::vector<bench_case> segment_cases(const limits& asked);

} // namespace weft::bench
