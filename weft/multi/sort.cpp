#include <weft/multi/sort.hpp>

#include <fmt/format.h>
#include <weft/base/memory.hpp>
#include <weft/sort/core/number_key.hpp>
#include <weft/sort/engines.hpp>

namespace weft::multi_detail {

namespace {

// Compares the bits of numbers of a type that is known at run time.
template <class Bits> struct number_less {
  using key = std::conditional_t<sizeof(Bits) <= 4, std::uint32_t, Bits>;
  number_type type;
  bool operator()(Bits a, Bits b) const {
    return sort_detail::key_of(static_cast<key>(a), type) < sort_detail::key_of(static_cast<key>(b), type);
  }
};

template <class Bits>
unwritten_vector<char> sorted_bits(communicator& ranks, std::span<Bits> items, const number_type& type,
                                   multi::sizes wanted, const run_options& run) {
  const auto sort_own = [&](std::span<Bits> own) {
    sort_detail::sort_problem problem{.task = sort_detail::sort_task::sort,
                                      .run = run,
                                      .num_items = own.size(),
                                      .type = type,
                                      .items = own.data()};
    sort_detail::solve_sort(problem);
  };
  const unwritten_vector<Bits> part =
      sorted_part(ranks, items, wanted, number_less<Bits>{type}, sort_own, run);
  const auto* const bytes = reinterpret_cast<const char*>(part.data());
  return {bytes, bytes + part.size() * sizeof(Bits)};
}

template <class Bits>
std::vector<std::uint64_t> order_of_bits(communicator& ranks, std::span<const Bits> items,
                                         const number_type& type, multi::sizes wanted,
                                         const run_options& run) {
  using placed = keyed<Bits, std::uint64_t>;
  std::uint64_t position = items.size();
  ranks.exclusive_scan({&position, 1});
  std::vector<placed> all;
  multi::run_together(ranks, [&] { all.reserve(items.size()); });
  for (const Bits item : items) all.push_back({item, position++});
  multi::stable_sort(ranks, all, wanted, keyed_less<number_less<Bits>>{{type}}, {.run = run});
  std::vector<std::uint64_t> order;
  for (const placed& each : all) order.push_back(each.value);
  return order;
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

part_plan part_plan::of(std::vector<std::uint64_t> part_sizes, std::uint64_t item_bytes) {
  constexpr std::uint64_t max_groups = 16, min_group_bytes = std::uint64_t{1} << 18;
  const std::uint64_t largest = *std::max_element(part_sizes.begin(), part_sizes.end());
  return {std::move(part_sizes),
          std::clamp<std::uint64_t>(largest * item_bytes / min_group_bytes, 1, max_groups)};
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

void require_exchange_memory(std::uint64_t part_bytes, std::uint64_t group_bytes, std::uint64_t allowed) {
  if (allowed != 0 && part_bytes + group_bytes > allowed)
    throw memory_error(fmt::format("sorting needs {} of memory beside the items, but only {} is allowed",
                                   format_size(part_bytes + group_bytes), format_size(allowed)));
}

std::vector<std::uint64_t> part_sizes(communicator& ranks, std::uint64_t own_size, multi::sizes wanted) {
  std::vector<std::uint64_t> result = multi::all_gather_number(ranks, own_size);
  if (wanted == multi::sizes::keep) return result;
  std::uint64_t count = 0;
  for (const std::uint64_t size : result) count += size;
  const std::uint64_t num_ranks = result.size();
  for (std::uint64_t r = 0; r < num_ranks; ++r)
    result[r] = count / num_ranks + (r < count % num_ranks ? 1 : 0);
  return result;
}

unwritten_vector<char> sorted_numbers(communicator& ranks, void* items, std::uint64_t num_items,
                                      const number_type& type, multi::sizes wanted, const run_options& run) {
  return with_bits(type.bytes, [&](auto* as) {
    return sorted_bits(ranks, std::span(static_cast<decltype(as)>(items), num_items), type, wanted, run);
  });
}

std::vector<std::uint64_t> order_of_numbers(communicator& ranks, const void* items, std::uint64_t num_items,
                                            const number_type& type, multi::sizes wanted,
                                            const run_options& run) {
  return with_bits(type.bytes, [&]<class Bits>(Bits*) {
    return order_of_bits(ranks, std::span(static_cast<const Bits*>(items), num_items), type, wanted, run);
  });
}

} // namespace weft::multi_detail
