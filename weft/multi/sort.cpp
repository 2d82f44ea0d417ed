#include <weft/multi/sort.hpp>

#include <fmt/format.h>
#include <numeric>
#include <weft/base/memory.hpp>
#include <weft/sort/core/number_key.hpp>
#include <weft/sort/engines.hpp>

namespace weft::multi_detail {

namespace {

// The unsigned integers by which numbers of so many bits are compared.
template <class Bits> using key_type = std::conditional_t<sizeof(Bits) <= 4, std::uint32_t, Bits>;

// Calls change(item) for each item, on several threads.
template <class Bits, class Change>
void for_each_item(std::span<Bits> items, const run_options& run, const Change& change) {
  constexpr std::uint64_t grain = std::uint64_t{1} << 16;
  parallel_for(0, items.size(), grain, thread_count(run.threads),
               [&](std::uint64_t first, std::uint64_t last) {
                 for (std::uint64_t i = first; i < last; ++i) items[i] = change(items[i]);
               });
}

// Replaces numbers by their keys, which are sorted as unsigned integers.
template <class Bits> void make_keys(std::span<Bits> items, const number_type& type, const run_options& run) {
  if (sort_detail::is_plain(type)) return;
  for_each_item(items, run, [type](Bits bits) {
    return static_cast<Bits>(sort_detail::key_of(static_cast<key_type<Bits>>(bits), type));
  });
}

// Replaces keys by their numbers.
template <class Bits>
void make_numbers(std::span<Bits> items, const number_type& type, const run_options& run) {
  if (sort_detail::is_plain(type)) return;
  for_each_item(items, run, [type](Bits key) {
    return static_cast<Bits>(sort_detail::bits_of_key(static_cast<key_type<Bits>>(key), type));
  });
}

// Sorts unsigned integers, and returns the part of this rank as bytes.
template <class Bits>
unwritten_vector<char> sorted_keys(communicator& ranks, std::span<Bits> keys, const part_plan& plan,
                                   const run_options& run, bool stable) {
  const auto sort_own = [&](std::span<Bits> own) {
    sort_detail::sort_problem problem{.task = sort_detail::sort_task::sort,
                                      .run = run,
                                      .num_items = own.size(),
                                      .stable = stable,
                                      .type = number_type{sizeof(Bits), number_kind::unsigned_integer, false},
                                      .items = own.data()};
    sort_detail::solve_sort(problem);
  };
  const auto less = [](Bits a, Bits b) { return a < b; };
  return sorted_part<unwritten_vector<char>>(ranks, keys, plan, less, sort_own, run);
}

template <class Bits>
unwritten_vector<char> sorted_bits(communicator& ranks, std::span<Bits> items, const number_type& type,
                                   multi::sizes wanted, const run_options& run, bool stable) {
  const part_plan plan = plan_parts(ranks, items.size(), wanted, sizeof(Bits), 0, run);
  make_keys(items, type, run);
  unwritten_vector<char> part;
  try {
    part = sorted_keys(ranks, items, plan, run, stable);
  } catch (...) {
    make_numbers(items, type, {.threads = run.threads});
    throw;
  }
  make_numbers(std::span(reinterpret_cast<Bits*>(part.data()), part.size() / sizeof(Bits)), type, run);
  return part;
}

// Returns the order by sorting integers that have the key of a number in their upper half, and its position
// in their lower half. So no two are equal, and the sort need not be stable.
template <class Packed, class Bits>
std::vector<std::uint64_t> order_by_packing(communicator& ranks, std::span<const Bits> items,
                                            std::uint64_t begin, const number_type& type, multi::sizes wanted,
                                            const run_options& run) {
  constexpr int position_bits = static_cast<int>(sizeof(Packed)) * 4;
  const part_plan plan = plan_parts(ranks, items.size(), wanted, sizeof(Packed), sizeof(Packed), run);
  unwritten_vector<Packed> all;
  std::vector<std::uint64_t> order;
  multi::run_together(ranks, [&] { allocate(all, items.size()); });
  parallel_for(0, items.size(), std::uint64_t{1} << 16, thread_count(run.threads),
               [&, type](std::uint64_t first, std::uint64_t last) {
                 for (std::uint64_t i = first; i < last; ++i) {
                   const auto key = sort_detail::key_of(static_cast<key_type<Bits>>(items[i]), type);
                   all[i] = (static_cast<Packed>(key) << position_bits) + (begin + i);
                 }
               });
  const unwritten_vector<char> part = sorted_keys(ranks, std::span(all), plan, run, false);
  all = unwritten_vector<Packed>(); // frees the memory before there is a result, which `all = {}` would not
  const auto* const first = reinterpret_cast<const Packed*>(part.data());
  order.reserve(part.size() / sizeof(Packed));
  constexpr Packed mask = (Packed{1} << position_bits) - 1;
  for (std::size_t i = 0; i < part.size() / sizeof(Packed); ++i)
    order.push_back(static_cast<std::uint64_t>(first[i] & mask));
  return order;
}

template <class Bits>
std::vector<std::uint64_t> order_of_bits(communicator& ranks, std::span<const Bits> items,
                                         const number_type& type, multi::sizes wanted,
                                         const run_options& run) {
  const std::uint64_t count = multi::reduce_number(ranks, items.size(), multi::reduction::sum);
  std::uint64_t begin = items.size();
  ranks.exclusive_scan({&begin, 1});
  if constexpr (sizeof(Bits) <= 4)
    if (count <= std::uint64_t{1} << 32)
      return order_by_packing<std::uint64_t>(ranks, items, begin, type, wanted, run);
  if constexpr (sizeof(Bits) <= 8) {
    return order_by_packing<uint128>(ranks, items, begin, type, wanted, run);
  } else {
    const auto less = [type](Bits a, Bits b) {
      return sort_detail::key_of(a, type) < sort_detail::key_of(b, type);
    };
    const auto part = sorted_keyed<std::uint64_t>(ranks, items, wanted, less, run,
                                                  [&](std::uint64_t i) { return begin + i; });
    std::vector<std::uint64_t> order;
    order.reserve(part.size());
    for (const auto& each : part) order.push_back(each.value);
    return order;
  }
}

// Throws memory_error on all ranks if one of them needs more memory than it may take.
void require_memory(communicator& ranks, std::uint64_t needed, const run_options& run) {
  multi::run_together(ranks, [&] {
    if (run.memory != 0 && needed > run.memory)
      throw memory_error(fmt::format("sorting needs {} of memory beside the items, but only {} is allowed",
                                     format_size(needed), format_size(run.memory)));
  });
}

// Returns the values at these positions among the values of all ranks. The positions of all ranks name each
// value once, so each rank is asked for as many values as it has.
template <class Value>
unwritten_vector<char> values_at(communicator& ranks, std::span<const std::uint64_t> positions,
                                 std::span<const Value> own, const run_options& run) {
  unwritten_vector<std::uint64_t> asked, wanted; // indexes that this rank asks for, and others ask this one
  unwritten_vector<Value> sent, received;
  unwritten_vector<char> part;
  multi::run_together(ranks, [&] {
    allocate(asked, positions.size());
    allocate(wanted, own.size());
    allocate(sent, own.size());
    allocate(received, positions.size());
    allocate(part, positions.size() * sizeof(Value));
  });
  std::vector<std::uint64_t> begins = multi::all_gather_number(ranks, own.size());
  std::exclusive_scan(begins.begin(), begins.end(), begins.begin(), std::uint64_t{0});
  const auto owner_of = [&](std::uint64_t position) {
    return static_cast<std::size_t>(std::upper_bound(begins.begin(), begins.end(), position) -
                                    begins.begin() - 1);
  };
  const std::size_t num_ranks = begins.size();
  std::vector<std::uint64_t> counts(num_ranks), wanted_counts(num_ranks), next(num_ranks);
  for (const std::uint64_t position : positions) ++counts[owner_of(position)];
  std::exclusive_scan(counts.begin(), counts.end(), next.begin(), std::uint64_t{0});
  for (const std::uint64_t position : positions) {
    const std::size_t owner = owner_of(position);
    asked[next[owner]++] = position - begins[owner];
  }
  const std::vector<std::uint64_t> words(num_ranks, sizeof(std::uint64_t));
  ranks.all_to_all(std::as_bytes(std::span(counts)), words, std::as_writable_bytes(std::span(wanted_counts)),
                   words);
  const auto bytes = [](std::vector<std::uint64_t> sizes, std::uint64_t item_bytes) {
    for (std::uint64_t& size : sizes) size *= item_bytes;
    return sizes;
  };
  ranks.all_to_all(std::as_bytes(std::span(asked)), bytes(counts, sizeof(std::uint64_t)),
                   std::as_writable_bytes(std::span(wanted)), bytes(wanted_counts, sizeof(std::uint64_t)));
  asked = unwritten_vector<std::uint64_t>(); // frees the memory, which `asked = {}` would not
  parallel_for(0, wanted.size(), std::uint64_t{1} << 16, thread_count(run.threads),
               [&](std::uint64_t first, std::uint64_t last) {
                 for (std::uint64_t i = first; i < last; ++i) sent[i] = own[wanted[i]];
               });
  wanted = unwritten_vector<std::uint64_t>();
  ranks.all_to_all(std::as_bytes(std::span(sent)), bytes(wanted_counts, sizeof(Value)),
                   std::as_writable_bytes(std::span(received)), bytes(counts, sizeof(Value)));
  sent = unwritten_vector<Value>();
  std::exclusive_scan(counts.begin(), counts.end(), next.begin(), std::uint64_t{0});
  auto* to = reinterpret_cast<Value*>(part.data());
  for (const std::uint64_t position : positions) *to++ = received[next[owner_of(position)]++];
  return part;
}

// Calls body(a null pointer to the unsigned type of so many bytes).
template <class Body> auto with_bits(std::uint32_t bytes, const Body& body) {
  switch (bytes) {
  case 1:
    return body(static_cast<std::uint8_t*>(nullptr));
  case 2:
    return body(static_cast<std::uint16_t*>(nullptr));
  case 4:
    return body(static_cast<std::uint32_t*>(nullptr));
  case 8:
    return body(static_cast<std::uint64_t*>(nullptr));
  default:
    return body(static_cast<uint128*>(nullptr));
  }
}

} // namespace

part_plan part_plan::of(std::vector<std::uint64_t> part_sizes, std::uint64_t item_bytes,
                        std::uint64_t min_bytes) {
  constexpr std::uint64_t max_groups = 16;
  const std::uint64_t largest = *std::max_element(part_sizes.begin(), part_sizes.end());
  return {std::move(part_sizes), std::clamp<std::uint64_t>(largest * item_bytes / min_bytes, 1, max_groups)};
}

std::vector<cut_target> part_plan::targets() const {
  std::vector<cut_target> all;
  std::uint64_t begin = 0;
  for (const std::uint64_t size : part_sizes) {
    for (std::uint64_t g = 1; g < num_groups; ++g)
      all.push_back({begin + size / num_groups * g, size / num_groups / 16});
    begin += size;
    all.push_back({begin, 0});
  }
  all.pop_back();
  return all;
}

std::uint64_t part_plan::max_group() const {
  const std::uint64_t group = *std::max_element(part_sizes.begin(), part_sizes.end()) / num_groups;
  return num_groups == 1 ? group : group + group / 8 + num_groups; // the last one has what division leaves
}

group_table::group_table(communicator& ranks, const part_plan& plan, std::vector<std::uint64_t> cuts,
                         std::uint64_t num_items)
    : num_groups_(plan.num_groups), ends_(std::move(cuts)) {
  ends_.push_back(num_items);
  std::vector<std::uint64_t> counts = ends_;
  std::adjacent_difference(counts.begin(), counts.end(), counts.begin());
  counts_.resize(counts.size());
  const std::vector<std::uint64_t> bytes(num_ranks(), num_groups_ * sizeof(std::uint64_t));
  ranks.all_to_all(std::as_bytes(std::span(counts)), bytes, std::as_writable_bytes(std::span(counts_)),
                   bytes);
  const std::uint64_t sum = std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
  if (sum != plan.part_sizes[static_cast<std::size_t>(ranks.rank())])
    throw std::invalid_argument(contradictory_order);
}

std::vector<std::uint64_t> part_sizes(communicator& ranks, std::uint64_t own_size, multi::sizes wanted) {
  std::vector<std::uint64_t> result = multi::all_gather_number(ranks, own_size);
  if (wanted == multi::sizes::keep) return result;
  const std::uint64_t count = std::accumulate(result.begin(), result.end(), std::uint64_t{0});
  const std::uint64_t num_ranks = result.size();
  for (std::uint64_t r = 0; r < num_ranks; ++r)
    result[r] = count / num_ranks + (r < count % num_ranks ? 1 : 0);
  return result;
}

part_plan plan_parts(communicator& ranks, std::uint64_t own_size, multi::sizes wanted,
                     std::uint64_t item_bytes, std::uint64_t copied_bytes, const run_options& run) {
  part_plan plan = part_plan::of(part_sizes(ranks, own_size, wanted), item_bytes);
  const std::uint64_t part = plan.part_sizes[static_cast<std::size_t>(ranks.rank())];
  const std::uint64_t needed =
      (part + plan.num_held_groups() * plan.max_group()) * item_bytes + own_size * copied_bytes;
  require_memory(ranks, needed, run);
  return plan;
}

unwritten_vector<char> sorted_numbers(communicator& ranks, void* items, std::uint64_t num_items,
                                      const number_type& type, multi::sizes wanted, const run_options& run,
                                      bool stable) {
  base_detail::run_record record(run, "items");
  record.set_work(num_items);
  return with_bits(type.bytes, [&]<class Bits>(Bits*) {
    return sorted_bits(ranks, std::span(static_cast<Bits*>(items), num_items), type, wanted, run, stable);
  });
}

std::vector<std::uint64_t> order_of_numbers(communicator& ranks, const void* items, std::uint64_t num_items,
                                            const number_type& type, multi::sizes wanted,
                                            const run_options& run) {
  base_detail::run_record record(run, "items");
  record.set_work(num_items);
  return with_bits(type.bytes, [&]<class Bits>(Bits*) {
    return order_of_bits(ranks, std::span(static_cast<const Bits*>(items), num_items), type, wanted, run);
  });
}

unwritten_vector<char> values_by_numbers(communicator& ranks, const void* numbers, std::uint64_t num_items,
                                         const number_type& type, const void* values,
                                         std::uint32_t value_bytes, multi::sizes wanted,
                                         const run_options& run) {
  const std::uint64_t part = part_sizes(ranks, num_items, wanted)[static_cast<std::size_t>(ranks.rank())];
  // The order, and what values_at() holds at a time.
  require_memory(ranks, std::max(part, num_items) * (8 + std::max<std::uint64_t>(16, 2 * value_bytes)), run);
  const std::vector<std::uint64_t> order = order_of_numbers(ranks, numbers, num_items, type, wanted, run);
  return with_bits(value_bytes, [&]<class Bits>(Bits*) {
    return values_at(ranks, std::span(order), std::span(static_cast<const Bits*>(values), num_items), run);
  });
}

} // namespace weft::multi_detail
